"""Affine forms are what they stand for: against Python's own integers, symbol by symbol."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import and_, floordiv, mod, mul, or_, xor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bankwise.algebra.address import Fold, RowFolds
from bankwise.change.prove import MapClaim
from bankwise.change.prove.arithmetic import fitted
from bankwise.change.prove.bitwise import conjunction, disjunction, exclusive_or
from bankwise.change.prove.choice import below, equal, maximum, minimum, selected
from bankwise.change.prove.division import divided
from bankwise.change.prove.forms import (
    AffineForm,
    BeyondError,
    FormSymbol,
    SymbolTable,
    added,
    bounds,
    constant,
    less,
    multiplied,
    of_symbol,
    power_of_two_in,
    scaled,
)
from bankwise.change.prove.lanes import permuted, same_in_wave
from bankwise.change.prove.sigma import MapError, check_bijection, image, source, unit_kept
from bankwise.notation.padding import PaddedFold, Unpadded
from bankwise.read.mlir.module import open_text

THREADS = 4
Numbers = dict[object, int]
Pair = tuple[AffineForm, Callable[[Numbers, int], int]]
"""A form, and what it is: of numbers for the leaves, in a thread."""

LEAVES = {"a": (0, 7), "b": (0, 1), "c": (-5, 60), "n": (0, 10**6), "z": (-(10**6), 10**6)}
OPERATIONS: dict[str, Callable[[list[int], int], int]] = {
    "product": lambda of, k: reduce(mul, of),
    "mod": lambda of, k: of[0] % k,
    "floordiv": lambda of, k: of[0] // k,
    "xor": lambda of, k: reduce(xor, of),
    "and": lambda of, k: reduce(and_, of),
    "or": lambda of, k: reduce(or_, of),
    "min": lambda of, k: min(of),
    "select": lambda of, k: of[1] if of[0] else of[2],
    "below zero": lambda of, k: int(of[0] < 0),
    "zero": lambda of, k: int(of[0] == 0),
}


def number(value: AffineForm, leaves: Numbers, thread: int) -> int:
    """What a form says, read by the head of its module."""
    total = at(value.const, thread)
    return total + sum(at(c, thread) * symbol(s, leaves, thread) for s, c in value.terms)


def symbol(of: FormSymbol, leaves: Numbers, thread: int) -> int:
    if not of.name:
        return leaves[of.key]
    found = OPERATIONS[of.name]([number(o, leaves, thread) for o in of.operands], of.constant)
    assert of.low <= found <= of.high, f"{of.name} leaves its range"
    return found


def at(values: np.ndarray, thread: int) -> int:
    return values[thread % len(values)].item()


@st.composite
def expressions(draw: st.DrawFn, depth: int = 4) -> tuple[SymbolTable, Pair]:
    table = SymbolTable()
    return table, draw(pairs(table, depth))


@st.composite
def pairs(draw: st.DrawFn, table: SymbolTable, depth: int) -> Pair:
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw(atoms(table))
    one, f = draw(pairs(table, depth - 1))
    kind = draw(st.sampled_from(sorted(UNARY | BINARY.keys())))
    if kind in UNARY:
        by = draw(st.sampled_from([1, 2, 3, 4, 8, 12, 16, 64]))
        form = UNARY[kind][0](table, one, by)
        return form, lambda leaves, t: UNARY[kind][1](f(leaves, t), by)
    other, g = draw(pairs(table, depth - 1))
    if kind == "select":
        chosen, h = draw(pairs(table, depth - 1))
        form = selected(table, chosen, one, other)
        return form, lambda leaves, t: f(leaves, t) if h(leaves, t) else g(leaves, t)
    ours, theirs = BINARY[kind]
    return ours(table, one, other), lambda leaves, t: theirs(f(leaves, t), g(leaves, t))


@st.composite
def atoms(draw: st.DrawFn, table: SymbolTable) -> Pair:
    if draw(st.booleans()):
        each = draw(st.lists(st.integers(-40, 90), min_size=THREADS, max_size=THREADS))
        return constant(np.array(each)), lambda leaves, t: each[t]
    if draw(st.booleans()):
        same = draw(st.integers(-9, 70))
        return constant(same), lambda leaves, t: same
    key = draw(st.sampled_from(sorted(LEAVES)))
    return table.leaf(key, *LEAVES[key], uniform=True), lambda leaves, t: leaves[key]


UNARY: dict[str, tuple[Callable[..., AffineForm], Callable[[int, int], int]]] = {
    "quotient": (lambda t, a, k: divided(t, a, k)[0], floordiv),
    "remainder": (lambda t, a, k: divided(t, a, k)[1], mod),
    "times": (lambda t, a, k: scaled(a, k), mul),
}
BINARY: dict[str, tuple[Callable[..., AffineForm], Callable[[int, int], int]]] = {
    "add": (lambda t, a, b: added(a, b), lambda a, b: a + b),
    "less": (lambda t, a, b: less(a, b), lambda a, b: a - b),
    "multiply": (multiplied, mul),
    "xor": (exclusive_or, xor),
    "and": (conjunction, and_),
    "or": (disjunction, or_),
    "minimum": (minimum, min),
    "maximum": (maximum, max),
    "below": (below, lambda a, b: int(a < b)),
    "equal": (equal, lambda a, b: int(a == b)),
    "select": (lambda t, a, b: a, lambda a, b: a),
}


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_form_is_the_number_that_it_stands_for(data: st.DataObject) -> None:
    try:
        _, (form, wanted) = data.draw(expressions())
    except BeyondError:
        return
    low, high = bounds(form)
    for _ in range(3):
        leaves = {k: data.draw(st.integers(*ends)) for k, ends in LEAVES.items()}
        for thread in range(THREADS):
            true = wanted(leaves, thread)
            assert number(form, leaves, thread) == true
            assert at(low, thread) <= true <= high[thread % len(high)]
            assert true % power_of_two_in(form) == 0


@settings(max_examples=100, deadline=None)
@given(st.data(), st.permutations(range(THREADS)))
def test_a_permuted_form_is_that_of_the_other_thread(data: st.DataObject, lanes: list[int]) -> None:
    try:
        table, (form, wanted) = data.draw(expressions())
        moved = permuted(table, form, np.array(lanes))
    except BeyondError:
        return
    assert moved is not None, "all leaves are uniform"
    leaves = {k: data.draw(st.integers(*ends)) for k, ends in LEAVES.items()}
    for thread in range(THREADS):
        assert number(moved, leaves, thread) == wanted(leaves, lanes[thread])
    if same_in_wave(form, np.zeros(THREADS, np.int64)):
        assert moved.key == form.key


def test_what_differs_from_lane_to_lane_cannot_be_permuted() -> None:
    table = SymbolTable()
    loaded = table.leaf("loaded")
    assert permuted(table, added(loaded, constant(1)), np.arange(4)[::-1]) is None
    assert permuted(table, divided(table, loaded, 3)[1], np.arange(4)[::-1]) is None
    assert not same_in_wave(divided(table, loaded, 3)[1], np.zeros(4, np.int64))


def test_equal_values_meet_in_one_form() -> None:
    """What the theory's rules promise: without them nothing would be refused wrongly, but all."""
    table = SymbolTable()
    row, column, n = table.leaf("row", 0), table.leaf("column", 0, 63), table.leaf("n")
    place = added(scaled(row, 64), column)
    assert [each.key for each in divided(table, place, 64)] == [row.key, column.key]
    assert exclusive_or(table, place, constant(8)).key == (
        added(scaled(row, 64), exclusive_or(table, column, constant(8))).key
    )
    parts = divided(table, n, 7)
    assert added(scaled(parts[0], 7), parts[1]).key == n.key
    phase = table.leaf("phase", 0, 63)
    assert exclusive_or(table, exclusive_or(table, column, phase), phase).key == column.key
    nested = divided(table, divided(table, n, 4)[0], 8)[0]
    assert nested.key == divided(table, n, 32)[0].key
    assert conjunction(table, n, constant(24)).key == (
        less(divided(table, n, 32)[1], divided(table, n, 8)[1]).key
    )


def test_numbers_that_are_too_large_are_not_calculated_with() -> None:
    table = SymbolTable()
    huge = 1 << 50
    with pytest.raises(BeyondError):
        scaled(table.leaf("n"), np.array([huge, 2])), scaled(constant(huge), 2)
    assert bounds(scaled(table.leaf("wide", 0, 1 << 40), 1 << 40))[1] == np.inf


FOLDS = (
    RowFolds(64, (Fold(64, 8, 8),)),
    RowFolds(64, (Fold(128, 4, 16),)),
    RowFolds(80, (Fold(80, 8, 2),)),
    RowFolds(64, (Fold(64, 16, 4), Fold(256, 8, 2), Fold(1024, 16, 2))),
    RowFolds(32, (Fold(32, 1, 32),)),
)


@pytest.mark.parametrize("folds", FOLDS, ids=str)
@pytest.mark.parametrize("unpadded", [None, Unpadded(96, 80), Unpadded(72, 64), Unpadded(36, 32)])
def test_the_map_on_forms_is_the_map_on_numbers(folds: RowFolds, unpadded: Unpadded | None) -> None:
    if unpadded is not None and unpadded.row != folds.row:
        return
    claim, table = MapClaim("k", ("a",), folds, unpadded), SymbolTable()
    offsets = np.arange(folds.row * 64) if unpadded is None else np.arange(unpadded.pitch * 64)
    used = offsets if unpadded is None else offsets[offsets % unpadded.pitch < unpadded.row]
    short = used if unpadded is None else unpadded(used)
    assert np.array_equal(image(table, claim, constant(used)).const, folds(short))
    assert np.array_equal(source(table, folds, constant(folds(short))).const, short)


def test_a_fold_inside_padded_rows_leaves_the_padding_alone() -> None:
    fold = PaddedFold(FOLDS[0], 8)
    offsets, table = np.arange(72 * 64), SymbolTable()
    claim = MapClaim("k", ("a",), fold)
    for part in (offsets[offsets % 72 < 64], offsets[offsets % 72 >= 64]):
        assert np.array_equal(image(table, claim, constant(part)).const, fold(part))
    with pytest.raises(MapError, match="padding"):
        image(table, claim, table.leaf("anywhere", 0))


@pytest.mark.parametrize(
    ("folds", "elements"),
    [(FOLDS[0], 100), (RowFolds(24, (Fold(24, 8, 4),)), 96), (RowFolds(8, (Fold(4, 8, 2),)), 8)],
)
def test_a_map_that_is_no_bijection_is_refused(folds: RowFolds, elements: int) -> None:
    with pytest.raises(MapError, match="no bijection"):
        check_bijection(MapClaim("k", ("a",), folds), elements)


def test_rows_that_are_no_rows_are_refused() -> None:
    for rows, elements in ((Unpadded(72, 64), 100), (Unpadded(64, 72), 640), (Unpadded(8, 0), 64)):
        with pytest.raises(MapError, match="no whole rows"):
            check_bijection(MapClaim("k", ("a",), None, rows), elements)


@pytest.mark.parametrize("folds", FOLDS, ids=str)
def test_what_is_kept_together_stays_together(folds: RowFolds) -> None:
    unit = unit_kept(MapClaim("k", ("a",), folds))
    offsets = np.arange(folds.row * 64)
    moved = folds(offsets)
    assert np.array_equal(moved, moved[offsets - offsets % unit] + offsets % unit)


def test_a_leaf_is_one_symbol_however_often_it_is_asked_for() -> None:
    table = SymbolTable()
    first, again = table.leaf("n", 0, 7), table.leaf("n", 0, 7)
    assert first.key == again.key != table.leaf("m", 0, 7).key
    assert of_symbol(first.terms[0][0]).key == first.key


def test_what_occurs_often_is_looked_into_once() -> None:
    """Each step doubles the ways down to the leaf: 2^80 of them."""
    table = SymbolTable()
    step, value = table.leaf("z", uniform=True), table.leaf("n", uniform=True)
    for _ in range(80):
        value = minimum(table, added(value, step), scaled(value, 2))
    moved = permuted(table, value, np.arange(THREADS)[::-1])
    assert moved is not None
    assert moved.key == value.key
    assert same_in_wave(value, np.zeros(THREADS, np.int64))


@pytest.mark.parametrize("bits", [1, 4, 8, 32, 64])
def test_what_fits_a_width_stays_and_all_else_wraps(bits: int) -> None:
    """Ends of the range of a width, from both sides; of symbols that are as wide, and wider."""
    text = f"func.func @f(%x: i{bits}) {{\n  return\n}}"
    opened = open_text(text, isolated=False)
    (function,) = opened.module.body.operations
    of, table = function.regions[0].blocks[0].arguments[0], SymbolTable()
    half = 1 << bits - 1
    for n in (-half - 1, -half, -1, 0, 1, half - 1, half) if bits < 50 else (-1, 0, 1):
        wrapped = n % 2 if bits == 1 else (n + half) % (2 * half) - half
        assert fitted(table, constant(n), of).number == wrapped
    for low, high in ((-half, half - 1), (-half - 1, half - 1), (-half, half)):
        leaf = table.leaf((low, high), low, high)
        fits = bits < 50 and bits > 1 and (low, high) == (-half, half - 1)
        assert (fitted(table, leaf, of).key == leaf.key) == fits
