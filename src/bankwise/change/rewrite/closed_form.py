"""Closed forms: write a value of all threads as a little arithmetic on one thread id.

A swizzle needs, per thread, a row phase or a column chunk. Whatever long way the kernel computes
them, over the threads of a workgroup they are nearly always ``((id / a) mod b) * c``. Finding that
form by trying and comparing *all threads* gives shorter code than transcribing the kernel's own
arithmetic. It is right for the threads that were compared; whether it is in every workgroup of
every launch, the prover says.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bankwise.counting.access import IntArray


class ClosedForm(Struct, frozen=True):
    """``((id floordiv divisor) mod modulus) * factor``; ``name`` says which id."""

    name: str
    divisor: int
    modulus: int
    factor: int

    def affine(self) -> str:
        """The body of an affine map over ``s0``."""
        body = "s0" if self.divisor == 1 else f"s0 floordiv {self.divisor}"
        if self.modulus:
            body = f"({body}) mod {self.modulus}" if self.divisor > 1 else f"s0 mod {self.modulus}"
        return body if self.factor == 1 else f"({body}) * {self.factor}"

    def of(self, ids: IntArray) -> IntArray:
        """The value for each of ``ids``."""
        quotient = ids // self.divisor
        return (quotient % self.modulus if self.modulus else quotient) * self.factor


class ThreadValue(Struct, frozen=True):
    """``form XOR flip``: a value of every thread. Without a form it is the constant ``flip``."""

    form: ClosedForm | None
    flip: int

    def divided(self, divisor: int) -> ThreadValue | None:
        """The value divided by ``divisor``, None if that is not whole for all threads."""
        if self.flip % divisor or (self.form and self.form.factor % divisor):
            return None
        form = self.form and replace(self.form, factor=self.form.factor // divisor)
        return ThreadValue(form, self.flip // divisor)


def find(values: IntArray, ids: Mapping[str, IntArray]) -> ThreadValue | None:
    """``values`` ([threads], not negative) in one of ``ids`` (name -> [threads]); None if not so.

    Thread 0 gives the constant: every form is 0 there.
    """
    flip = int(values[0]) if values.size else 0
    if (values == flip).all():
        return ThreadValue(None, flip)
    form = _form(values ^ flip, ids)
    return None if form is None else ThreadValue(form, flip)


def parts(values: IntArray, ids: Mapping[str, IntArray]) -> tuple[ThreadValue, ...]:
    """``values`` as few values of one id each, to be XORed; none if it is not so.

    What an id contributes is seen on the threads on which all others are as on thread 0.
    """
    whole = find(values, ids)
    if whole is not None:
        return (whole,)
    for name, thread in ids.items() if len(ids) > 1 else ():
        others = {each: ids[each] for each in ids if each != name}
        alone = np.logical_and.reduce([other == other[0] for other in others.values()])
        own = find(values[alone], {name: thread[alone]})
        if own is not None and own.form is not None:
            rest = parts(values ^ own.form.of(thread) ^ own.flip, others)
            if rest:
                return (own, *rest)
    return ()


def _form(values: IntArray, ids: Mapping[str, IntArray]) -> ClosedForm | None:
    factor = int(np.gcd.reduce(values))
    factor &= -factor
    scaled = values // factor
    modulus = 1 << int(scaled.max()).bit_length()
    for name, thread in ids.items():
        divisor = 1
        while divisor <= int(thread.max(initial=0)):
            quotient = thread // divisor
            if (quotient == scaled).all():
                return ClosedForm(name, divisor, 0, factor)
            if (quotient % modulus == scaled).all():
                return ClosedForm(name, divisor, modulus, factor)
            divisor *= 2
    return None
