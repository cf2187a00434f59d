"""Closed forms: write a value of all threads as a little arithmetic on one thread id.

A swizzle needs, per thread, a row phase or a column chunk. Whatever long way the kernel computes
them, over the threads of a workgroup they are nearly always ``((id / a) mod b) * c``. Finding that
form by trying and comparing *all threads* gives shorter code than transcribing the kernel's own
arithmetic, and cannot be wrong: every thread was compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bankwise.access import IntArray


@dataclass(frozen=True, slots=True)
class ClosedForm:
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


def find(values: IntArray, ids: Mapping[str, IntArray]) -> ClosedForm | None:
    """A closed form of ``values`` ([threads], not negative) in one of ``ids`` (name -> [threads]).

    A modulus of 0 means none is needed. None if there is no such form.
    """
    factor = int(np.gcd.reduce(values)) if values.size else 0
    if factor == 0:
        return None
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
