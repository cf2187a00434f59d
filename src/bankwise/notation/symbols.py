"""Index arithmetic on symbols: what an address map computes, simplified while it is built.

A memory layout computes offsets with ``+ - * // % ^ & <<`` on whatever it is given. Given
:class:`Sum` values instead of arrays, it yields the formula. A sum is kept as whole-number
multiples of atoms plus a constant, and every atom knows its range, so that

    (32*m + n) // 32 = m        (32*m + n) % 32 = n        for n < 32,

and differences cancel. Atoms are names, quotients, remainders, XORs, ANDs.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import Literal

from msgspec import Struct

Operator = Literal["//", "%", "^", "&"]


class Name(Struct, frozen=True):
    """A variable, from 0 to ``most``."""

    text: str
    most: int

    @property
    def least(self) -> int:
        """0."""
        return 0


class Operation(Struct, frozen=True):
    """``left operator right`` that does not simplify further; never negative."""

    operator: Operator
    left: Sum
    right: Sum
    most: int

    @property
    def least(self) -> int:
        """0."""
        return 0


Atom = Name | Operation


class Sum(Struct, frozen=True):
    """``constant + factor * atom + ...``; a whole number for every value of the names."""

    terms: tuple[tuple[Atom, int], ...]
    constant: int = 0

    @property
    def least(self) -> int:
        """A lower bound."""
        return self.constant + sum(f * (a.least if f > 0 else a.most) for a, f in self.terms)

    @property
    def most(self) -> int:
        """An upper bound."""
        return self.constant + sum(f * (a.most if f > 0 else a.least) for a, f in self.terms)

    def __add__(self, other: Sum | int) -> Sum:
        more = _sum(other)
        factors = dict(self.terms)
        for atom, factor in more.terms:
            factors[atom] = factors.get(atom, 0) + factor
        kept = tuple((a, f) for a, f in factors.items() if f)
        return Sum(kept, self.constant + more.constant)

    def __radd__(self, other: int) -> Sum:
        return self + other

    def __sub__(self, other: Sum | int) -> Sum:
        return self + _sum(other) * -1

    def __mul__(self, factor: int) -> Sum:
        if not factor:
            return Sum(())
        return Sum(tuple((a, f * factor) for a, f in self.terms), self.constant * factor)

    def __rmul__(self, factor: int) -> Sum:
        return self * factor

    def __lshift__(self, bits: int) -> Sum:
        return self * (1 << bits)

    def __rshift__(self, bits: int) -> Sum:
        return self // (1 << bits)

    def __floordiv__(self, divisor: int) -> Sum:
        whole, rest = self._split(divisor)
        if rest.least >= 0 and rest.most < divisor:
            return whole
        return whole + _quotient(rest, divisor)

    def __mod__(self, divisor: int) -> Sum:
        _, rest = self._split(divisor)
        if rest.least >= 0 and rest.most < divisor:
            return rest
        return _remainder(rest, divisor)

    def __xor__(self, other: Sum | int) -> Sum:
        right = _sum(other)
        if not right.terms and not right.constant:
            return self
        if not self.terms and not self.constant:
            return right
        if self == right:
            return Sum(())
        assert min(self.least, right.least) >= 0, "XOR of what may be negative"
        most = (1 << max(self.most, right.most).bit_length()) - 1
        return _atom(Operation("^", self, right, most))

    def __and__(self, mask: int) -> Sum:
        assert self.least >= 0, "AND of what may be negative"
        high = (1 << self.most.bit_length()) - 1
        if mask & high == high:
            return self
        if mask & (mask + 1) == 0:
            return self % (mask + 1)
        return _atom(Operation("&", self, Sum((), mask), mask & high))

    def _split(self, divisor: int) -> tuple[Sum, Sum]:
        """(whole, rest) with ``self = whole * divisor + rest``."""
        assert divisor > 0, divisor
        whole = tuple((a, f // divisor) for a, f in self.terms if f % divisor == 0)
        rest = tuple((a, f) for a, f in self.terms if f % divisor)
        return Sum(whole, self.constant // divisor), Sum(rest, self.constant % divisor)


def name(text: str, size: int) -> Sum:
    """A variable from 0 to ``size - 1``."""
    return _atom(Name(text, size - 1))


def masked(value: Sum, bases: Sequence[int]) -> Sum:
    """The linear map that sends bit i to ``bases[i]``: bits that move alike move together."""
    masks: dict[int, int] = {}
    for i, base in enumerate(bases):
        for k in range(base.bit_length()):
            if base >> k & 1:
                masks[k - i] = masks.get(k - i, 0) | 1 << i
    total = Sum(())
    for shift in sorted(masks, key=abs):
        mask = masks[shift]
        moved = (value & mask) << shift if shift >= 0 else value >> -shift & mask >> -shift
        total = total ^ moved
    return total


def _sum(value: Sum | int) -> Sum:
    return value if isinstance(value, Sum) else Sum((), int(value))


def _atom(atom: Atom) -> Sum:
    if not atom.most:
        return Sum(())
    return Sum(((atom, 1),))


def _common(value: Sum, divisor: int) -> int:
    return gcd(divisor, *(f for _, f in value.terms))


def _only(value: Sum, operator: Operator) -> Operation | None:
    """The operation if the sum is just that one."""
    if len(value.terms) != 1 or value.constant or value.terms[0][1] != 1:
        return None
    atom = value.terms[0][0]
    return atom if isinstance(atom, Operation) and atom.operator == operator else None


def _quotient(value: Sum, divisor: int) -> Sum:
    common = _common(value, divisor)
    if common > 1:
        return value._split(common)[0] // (divisor // common)
    inner = _only(value, "//")
    if inner is not None:
        return inner.left // (inner.right.constant * divisor)
    inner = _only(value, "%")
    if inner is not None and inner.right.constant % divisor == 0:
        return (inner.left // divisor) % (inner.right.constant // divisor)
    assert value.least >= 0, "a quotient of what may be negative"
    return _atom(Operation("//", value, Sum((), divisor), value.most // divisor))


def _remainder(value: Sum, divisor: int) -> Sum:
    common = _common(value, divisor)
    if common > 1:
        whole, rest = value._split(common)
        return whole % (divisor // common) * common + rest
    inner = _only(value, "%")
    if inner is not None and inner.right.constant % divisor == 0:
        return inner.left % divisor
    assert value.least >= 0, "a remainder of what may be negative"
    return _atom(Operation("%", value, Sum((), divisor), min(value.most, divisor - 1)))
