"""Proof by cases: what a symbol of a form can be, each written beside the threads.

A symbol of few values is every one of them in turn. A leaf of many is ``k * q + r``: its remainders
by ``k`` in turn, with one unknown quotient; ``k`` is what the form divides by. All cases are
calculated at once, as further threads, and what holds in each holds for the symbol.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from math import isfinite, lcm

import numpy as np
from msgspec import Struct

from bankwise.change.prove.evaluate import FormEvaluator
from bankwise.change.prove.forms import (
    AffineForm,
    FormSymbol,
    SymbolTable,
    added,
    constant,
    scaled,
    symbols_in,
)

MOST_CASES = 2**18
"""Threads times cases that are looked at."""

_MOST_PERIOD = 1024


class SymbolCases(Struct, frozen=True):
    """``count`` cases of a symbol: ``first + case``, plus any multiple of ``period`` if not 0."""

    key: Hashable
    count: int
    first: int
    period: int = 0
    most: float = 0
    low: float = 0
    uniform: bool = False


def by_cases(evaluator: FormEvaluator, value: AffineForm) -> FormEvaluator | None:
    """An evaluator in which the symbols of ``value`` are told apart; None if there are too many."""
    symbols = symbols_in(value)
    budget = MOST_CASES // max(1, evaluator.threads)
    chosen: list[SymbolCases] = []
    for each in _candidates(evaluator, symbols):
        if each.count <= budget and all(each.key != other.key for other in chosen):
            chosen.append(each)
            budget //= each.count
    return _with(evaluator, chosen) if chosen else None


def _candidates(evaluator: FormEvaluator, symbols: tuple[FormSymbol, ...]) -> Iterator[SymbolCases]:
    """Conditions, then leaves of few values, then the remainders of the others."""
    for symbol in symbols:
        if (
            symbol.name
            and (symbol.low, symbol.high) == (0, 1)
            and symbol.number in evaluator.values
        ):
            yield SymbolCases(evaluator.values[symbol.number], 2, 0)
    leaves = [symbol for symbol in symbols if not symbol.name]
    for leaf in sorted(leaves, key=lambda each: each.high - each.low):
        if isfinite(leaf.low) and isfinite(leaf.high):
            yield SymbolCases(leaf.key, int(leaf.high - leaf.low) + 1, int(leaf.low))
    divisors = [s.constant for s in symbols if s.name in ("mod", "floordiv")]
    period = lcm(*(d for d in divisors if d <= _MOST_PERIOD))
    for leaf in leaves if 1 < period <= _MOST_PERIOD else ():
        first = leaf.low if isfinite(leaf.low) else 0
        low = 0.0 if isfinite(leaf.low) else -np.inf
        yield SymbolCases(
            *(leaf.key, period, int(first), period),
            most=(leaf.high - first) // period if isfinite(leaf.high) else np.inf,
            low=low,
            uniform=leaf.uniform,
        )


def _with(evaluator: FormEvaluator, chosen: list[SymbolCases]) -> FormEvaluator:
    """The threads of an evaluator once for every combination of cases."""
    threads = np.arange(evaluator.launch.threads) if evaluator.chosen is None else evaluator.chosen
    sizes = [each.count for each in chosen]
    cases = np.indices(sizes).reshape(len(sizes), -1)
    table = SymbolTable()
    split = {
        each.key: _form(table, each, np.repeat(row, len(threads)))
        for each, row in zip(chosen, cases, strict=True)
    }
    every = np.tile(threads, cases.shape[1])
    count = cases.shape[1] * evaluator.cases
    known = (evaluator.numbering, evaluator.launch, every, split, count, table)
    return FormEvaluator(*known, facts=evaluator.facts)


def _form(table: SymbolTable, each: SymbolCases, case: np.typing.NDArray[np.int64]) -> AffineForm:
    known = constant(each.first + case)
    if not each.period:
        return known
    key = ("quotient", each.key)
    rest = table.leaf(key, each.low, each.most, uniform=each.uniform)
    return added(known, scaled(rest, each.period))
