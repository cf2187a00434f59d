"""Affine forms and the lanes of a wave: what lanes have in common, and lanes exchanged."""

from __future__ import annotations

import numpy as np

from bankwise.change.prove.forms import (
    AffineForm,
    FormSymbol,
    SymbolTable,
    added,
    form,
    of_symbol,
    scaled,
)
from bankwise.counting.access import IntArray


def first_lanes(waves: IntArray) -> IntArray:
    """For every thread the place of the first of its wave; ``waves``: of each, ascending."""
    return np.searchsorted(waves, waves)


def same_in_wave(value: AffineForm, waves: IntArray, known: dict[int, bool] | None = None) -> bool:
    """Whether all lanes of every wave have the same value, whatever the symbols are.

    ``known``: what was found of symbols already, by their number.
    """
    first, known = first_lanes(waves), {} if known is None else known
    return _alike(value.const, first) and all(
        _alike(factor, first) and _symbol_alike(symbol, waves, known)
        for symbol, factor in value.terms
    )


def _symbol_alike(symbol: FormSymbol, waves: IntArray, known: dict[int, bool]) -> bool:
    if not symbol.name:
        return symbol.uniform
    if symbol.number not in known:
        known[symbol.number] = all(same_in_wave(each, waves, known) for each in symbol.operands)
    return known[symbol.number]


def _alike(values: IntArray, first: IntArray) -> bool:
    return len(values) == 1 or bool((values == values[first]).all())


_Moved = dict[int, AffineForm | None]


def permuted(
    table: SymbolTable, value: AffineForm, lanes: IntArray, known: _Moved | None = None
) -> AffineForm | None:
    """The form whose value in thread t is that of ``value`` in thread ``lanes[t]``.

    None where a symbol may differ from thread to thread. ``lanes``: [threads], in one wave each.
    ``known``: what was found of symbols already, by their number.
    """
    known = {} if known is None else known
    terms: list[AffineForm] = []
    for symbol, factor in value.terms:
        if symbol.number not in known:
            known[symbol.number] = _permuted(table, symbol, lanes, known)
        other = known[symbol.number]
        if other is None:
            return None
        terms.append(scaled(other, _at(factor, lanes)))
    return added(form(_at(value.const, lanes)), *terms)


def _permuted(
    table: SymbolTable, symbol: FormSymbol, lanes: IntArray, known: _Moved
) -> AffineForm | None:
    if not symbol.name:
        return of_symbol(symbol) if symbol.uniform else None
    operands = [permuted(table, each, lanes, known) for each in symbol.operands]
    found = [each for each in operands if each is not None]
    if len(found) < len(operands):
        return None
    return table.operation(symbol.name, found, symbol.low, symbol.high, symbol.constant)


def _at(values: IntArray, lanes: IntArray) -> IntArray:
    return values if len(values) == 1 else values[lanes]
