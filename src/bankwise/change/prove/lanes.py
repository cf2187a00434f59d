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


def same_in_wave(value: AffineForm, waves: IntArray) -> bool:
    """Whether all lanes of every wave have the same value, whatever the symbols are."""
    first = first_lanes(waves)
    return _alike(value.const, first) and all(
        _alike(factor, first) and _symbol_alike(symbol, waves) for symbol, factor in value.terms
    )


def _symbol_alike(symbol: FormSymbol, waves: IntArray) -> bool:
    if not symbol.name:
        return symbol.uniform
    return all(same_in_wave(each, waves) for each in symbol.operands)


def _alike(values: IntArray, first: IntArray) -> bool:
    return len(values) == 1 or bool((values == values[first]).all())


def permuted(table: SymbolTable, value: AffineForm, lanes: IntArray) -> AffineForm | None:
    """The form whose value in thread t is that of ``value`` in thread ``lanes[t]``.

    None where a symbol may differ from thread to thread. ``lanes``: [threads], in one wave each.
    """
    terms: list[AffineForm] = []
    for symbol, factor in value.terms:
        other = _permuted(table, symbol, lanes)
        if other is None:
            return None
        terms.append(scaled(other, _at(factor, lanes)))
    return added(form(_at(value.const, lanes)), *terms)


def _permuted(table: SymbolTable, symbol: FormSymbol, lanes: IntArray) -> AffineForm | None:
    if not symbol.name:
        return of_symbol(symbol) if symbol.uniform else None
    operands = [permuted(table, each, lanes) for each in symbol.operands]
    known = [each for each in operands if each is not None]
    if len(known) < len(operands):
        return None
    return table.operation(symbol.name, known, symbol.low, symbol.high, symbol.constant)


def _at(values: IntArray, lanes: IntArray) -> IntArray:
    return values if len(values) == 1 else values[lanes]
