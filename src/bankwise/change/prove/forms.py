"""Integer values as affine forms: what a value is in every thread, in what nobody knows.

    value[t] = const[t] + sum over symbols s of coefficient_s[t] * s

A :class:`FormSymbol` is a leaf (a workgroup id, an argument, a loaded number: anything, inside its
range), or an operation on forms that is not affine; equal operations on equal forms are one symbol.
Two forms that are equal as values of this class are equal as numbers, in every thread, whatever the
symbols are; the converse does not hold. Arrays are int64 [threads], or [1] where all threads agree.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from bankwise.counting.access import IntArray
from bankwise.identity import ByIdentity

Floats = npt.NDArray[np.float64]

MOST = 2**51
"""Numbers beyond are not calculated with: below, sums and bounds (floats) are exact."""


class BeyondError(Exception):
    """A number of a form would be so large that it is not calculated with."""


class FormSymbol(ByIdentity, frozen=True, eq=False):
    """An integer that is not known, between ``low`` and ``high`` (either may be infinite).

    ``uniform``: of a leaf, whether all threads of a wave that execute an operation together have
    the same. ``name``, ``operands``, ``constant``: of an operation, which one, on what.
    """

    number: int
    low: float
    high: float
    uniform: bool = False
    name: str = ""
    operands: tuple[AffineForm, ...] = ()
    constant: int = 0
    key: Hashable = None


class AffineForm(ByIdentity, frozen=True, eq=False):
    """See the head of this file. Made by :func:`form` alone; equal forms have equal ``key``."""

    const: IntArray
    terms: tuple[tuple[FormSymbol, IntArray], ...]
    key: tuple[object, ...]

    @property
    def concrete(self) -> bool:
        """Whether it is known in every thread."""
        return not self.terms

    @property
    def number(self) -> int | None:
        """The number that it is in all threads; None if it is not one."""
        return int(self.const[0]) if not self.terms and len(self.const) == 1 else None


class SymbolTable(Struct):
    """All symbols of a proof: each is made once."""

    _known: dict[Hashable, FormSymbol] = field(default_factory=dict)

    def leaf(
        self, key: Hashable, low: float = -np.inf, high: float = np.inf, *, uniform: bool = False
    ) -> AffineForm:
        """The unknown that ``key`` names, as a form."""
        found = self._known.get(("leaf", key))
        if found is None:
            low, high = _wide(low), _wide(high)
            found = FormSymbol(len(self._known), low, high, uniform, key=key)
            self._known["leaf", key] = found
        return of_symbol(found)

    def operation(
        self,
        name: str,
        operands: Iterable[AffineForm],
        low: float = -np.inf,
        high: float = np.inf,
        constant: int = 0,
    ) -> AffineForm:
        """An operation on forms that stays as it is, as a form."""
        on = tuple(operands)
        key = (name, constant, *(each.key for each in on))
        found = self._known.get(key)
        if found is None:
            low, high = _wide(low), _wide(high)
            found = FormSymbol(len(self._known), low, high, False, name, on, constant)
            self._known[key] = found
        return of_symbol(found)


def _wide(bound: float) -> float:
    """A bound that is calculated with, or none."""
    return bound if abs(bound) < MOST else float(np.copysign(np.inf, bound))


def form(const: IntArray, terms: Iterable[tuple[FormSymbol, IntArray]] = ()) -> AffineForm:
    """A form in its one shape: no zero terms, symbols in their order, equal threads told once."""
    const = _short(const)
    short = ((symbol, _short(each)) for symbol, each in terms)
    kept = sorted(
        ((s, c) for s, c in short if (c[0] if len(c) == 1 else c.any())),
        key=lambda term: term[0].number,
    )
    key = (const.tobytes(), *((s.number, c.tobytes()) for s, c in kept))
    return AffineForm(const, tuple(kept), key)


def _short(values: IntArray) -> IntArray:
    if _largest(values) >= MOST:
        raise BeyondError
    if len(values) > 1 and (values == values[0]).all():
        return values[:1]
    return values


def _largest(values: IntArray) -> int:
    """The largest amount, 0 of none; most are a single number, which takes numpy long."""
    if len(values) == 1:
        return abs(int(values[0]))
    return max(abs(int(values.max())), abs(int(values.min()))) if values.size else 0


def constant(values: IntArray | int) -> AffineForm:
    """A known number, or one for each thread."""
    if isinstance(values, int) and abs(values) >= MOST:
        raise BeyondError
    return form(np.atleast_1d(np.asarray(values, np.int64)))


def of_symbol(symbol: FormSymbol) -> AffineForm:
    """A symbol as a form."""
    return form(np.zeros(1, np.int64), [(symbol, np.ones(1, np.int64))])


def added(*forms: AffineForm) -> AffineForm:
    """The sum; ``d * (x floordiv d) + x mod d`` becomes ``x``."""
    const = np.zeros(1, np.int64)
    terms: dict[int, tuple[FormSymbol, IntArray]] = {}
    for each in forms:
        const = const + each.const
        for symbol, factor in each.terms:
            known = terms.get(symbol.number)
            terms[symbol.number] = (symbol, factor if known is None else known[1] + factor)
    return _whole(form(const, terms.values()))


def _whole(total: AffineForm) -> AffineForm:
    rests = [(s, c) for s, c in total.terms if s.name == "mod"]
    for rest, factor in rests:
        for other, multiple in total.terms:
            same = other.name == "floordiv" and other.constant == rest.constant
            if not same or other.operands[0].key != rest.operands[0].key:
                continue
            if np.array_equal(_short(factor * rest.constant), multiple):
                kept = [(s, c) for s, c in total.terms if s is not rest and s is not other]
                return added(form(total.const, kept), scaled(rest.operands[0], factor))
    return total


def scaled(value: AffineForm, factor: IntArray | int) -> AffineForm:
    """The form times a known number, or one for each thread."""
    by = np.atleast_1d(np.asarray(factor, np.int64))
    return form(_product(value.const, by), [(s, _product(c, by)) for s, c in value.terms])


def _product(one: IntArray, other: IntArray) -> IntArray:
    if _largest(one) * _largest(other) >= MOST:
        raise BeyondError
    return one * other


def less(one: AffineForm, other: AffineForm) -> AffineForm:
    """The difference."""
    return added(one, scaled(other, -1))


def multiplied(table: SymbolTable, one: AffineForm, other: AffineForm) -> AffineForm:
    """The product: a sum of products of symbols, each in one order."""
    if one.concrete or other.concrete:
        known, value = (one, other) if one.concrete else (other, one)
        return scaled(value, known.const)
    parts = [scaled(form(other.const, other.terms), one.const)]
    parts += [scaled(of_symbol(s), _product(c, other.const)) for s, c in one.terms]
    for s, c in one.terms:
        for t, d in other.terms:
            parts.append(scaled(_symbols_product(table, s, t), _product(c, d)))
    return added(*parts)


def _symbols_product(table: SymbolTable, one: FormSymbol, other: FormSymbol) -> AffineForm:
    """The product of two symbols; products of products are flat."""
    factors = [
        factor
        for each in (one, other)
        for factor in (each.operands if each.name == "product" else (of_symbol(each),))
    ]
    factors.sort(key=lambda factor: factor.terms[0][0].number)
    corners = [_times(a, b) for a in (one.low, one.high) for b in (other.low, other.high)]
    return table.operation("product", factors, min(corners), max(corners))


def _times(one: float, other: float) -> float:
    return 0.0 if 0 in (one, other) else one * other


def bounds(value: AffineForm) -> tuple[Floats, Floats]:
    """The least and the largest that the form can be in every thread, infinite if open."""
    low, high = value.const.astype(float), value.const.astype(float)
    for symbol, factor in value.terms:
        by = factor.astype(float)
        one, other = _end(by, symbol.low), _end(by, symbol.high)
        low = low + np.minimum(one, other)
        high = high + np.maximum(one, other)
    return _open(low), _open(high)


def _end(factor: Floats, bound: float) -> Floats:
    with np.errstate(invalid="ignore"):
        product = factor * bound
    return _open(np.where(factor == 0, 0.0, product))


def _open(values: Floats) -> Floats:
    return np.where(np.abs(values) >= MOST, np.copysign(np.inf, values), values)


def span(value: AffineForm) -> tuple[float, float]:
    """The least and the largest that the form can be in any thread."""
    low, high = bounds(value)
    return float(low.min(initial=np.inf)), float(high.max(initial=-np.inf))


def floored(bound: float, by: int) -> float:
    """An end of a range divided, towards minus infinity."""
    return float(int(bound) // by) if np.isfinite(bound) else bound


def inside(value: AffineForm, low: int, high: int) -> bool:
    """Whether ``low <= value < high`` in every thread, whatever the symbols are."""
    least, most = span(value)
    return least >= low and most < high


def power_of_two_in(value: AffineForm) -> int:
    """The largest power of two that divides the form in every thread, at most :data:`MOST`."""
    bits = MOST
    for numbers in (value.const, *(c for _, c in value.terms)):
        bits |= int(np.bitwise_or.reduce(numbers, initial=0))
    return bits & -bits


def common_factor(value: AffineForm) -> int:
    """What divides every coefficient in every thread; 0 if there is none."""
    return int(np.gcd.reduce([int(np.gcd.reduce(c)) for _, c in value.terms] or [0]))


def symbols_in(value: AffineForm) -> tuple[FormSymbol, ...]:
    """All symbols of a form, those inside operations included, outermost first."""
    waiting, found = [symbol for symbol, _ in value.terms], dict[int, FormSymbol]()
    while waiting:
        symbol = waiting.pop(0)
        if symbol.number not in found:
            found[symbol.number] = symbol
            waiting.extend(s for operand in symbol.operands for s, _ in operand.terms)
    return tuple(found.values())
