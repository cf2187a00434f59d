"""XOR folds are bijections where they say so, and the search finds what counting confirms."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from bankwise.algebra.address import (
    Fold,
    Identity,
    Linear,
    Padded,
    Rotated,
    RowFolds,
    is_bijection,
    keeps_runs,
)
from bankwise.algebra.offset import Shape
from bankwise.counting.conflict import count
from bankwise.counting.reason import reason
from bankwise.hardware.machine import machine
from bankwise.notation.iree import XorShuffle
from bankwise.solver.best import best as best_of
from bankwise.solver.price import as_written
from bankwise.solver.spaces import SHUFFLE, Space, row_folds
from bankwise.tile import Tile, Use, runs

powers = st.integers(0, 5).map(lambda n: 1 << n)


@given(st.integers(1, 6), st.integers(1, 40), powers, st.integers(1, 9))
def test_a_fold_of_whole_blocks_is_its_own_inverse_and_a_bijection(
    unit: int, blocks: int, per_phase: int, phases: int
) -> None:
    block = Fold(1, unit, phases).block
    fold = Fold(block * per_phase, unit, phases)
    elements = block * blocks
    assert is_bijection(fold, elements)
    offsets = np.arange(elements)
    assert (fold(fold(offsets)) == offsets).all()


@example(32, 32, 32, 1)
@example(1, 32, 32, 32)
@given(powers, powers, powers, powers)
def test_the_bases_of_a_binary_fold_are_the_fold(
    unit: int, phases: int, above: int, rows: int
) -> None:
    fold = Fold(unit * phases * above, unit, phases)
    elements = fold.divisor * phases * rows
    assume(elements <= 1 << 20)
    linear = fold.address(elements)
    assert isinstance(linear, Linear)
    offsets = np.arange(elements)
    assert (linear(offsets) == fold(offsets)).all()


@given(st.integers(1, 8), st.integers(1, 16), st.integers(1, 16), st.integers(1, 4), powers)
def test_runs_that_a_map_is_said_to_keep_lie_in_a_row(
    length: int, row: int, unit: int, per: int, phases: int
) -> None:
    pairs = (1, 2, 4, row, unit, row ^ unit)
    for address in (
        Identity(),
        Padded(row, unit),
        Rotated(row, unit, per),
        Fold(row, unit, phases),
        Fold(row * length, unit * length, per),
        RowFolds(row, (Fold(row, unit, phases), Fold(row * per, unit, 2))),
        Linear(pairs),
        Linear(tuple(length * base if base > 4 else base for base in pairs)),
    ):
        if keeps_runs(address, length):
            placed = address(np.arange(64 // length * length)).reshape(-1, length)
            assert (placed == placed[:, :1] + np.arange(length)).all(), address


def test_the_runs_that_the_usual_maps_keep_are_seen() -> None:
    kept = (Padded(64, 3), Rotated(64, 8, 2), Fold(64, 8, 8), Linear((1, 2, 4, 8, 16, 32, 72)))
    assert all(keeps_runs(address, 8) for address in kept)
    apart = (Padded(4, 3), Rotated(64, 4), Fold(64, 4, 8), Linear((1, 2, 4, 12, 16, 32, 64)))
    assert not any(keeps_runs(address, 8) for address in apart)


def test_folds_of_rows_take_effect_one_after_the_other() -> None:
    both = RowFolds(64, (Fold(64, 16, 4), Fold(256, 8, 2), Fold(1024, 16, 2)))
    offsets = np.arange(4096)
    row, column = offsets // 64, offsets % 64
    expected = column ^ (row % 4 * 16) ^ (row // 4 % 2 * 8) ^ (row // 16 % 2 * 16)
    assert (both(offsets) == row * 64 + expected).all()
    assert (both.delta(offsets) == column ^ expected).all()
    assert str(both) == "xor<stride=64, runs=64:4:16, 256:2:8, 1024:2:16>"


def test_a_fold_of_rows_says_the_widest_groups_that_it_keeps() -> None:
    half = Fold(128, 8, 8)
    assert half.block == 64
    assert str(half) == "xor<width=64, unit=8, stride=128, per_phase=1, period=8>"
    rows = RowFolds(128, (half,))
    assert str(rows) == "xor<width=128, unit=8, stride=128, per_phase=1, period=8>"


def test_a_group_count_that_is_no_power_of_two_is_refused_because_two_elements_collide() -> None:
    shuffle = XorShuffle(96, 4)
    assert shuffle.fold is None
    assert not is_bijection(shuffle, 96 * 32)


def test_the_talks_example_moves_element_392_to_388() -> None:
    fold = Fold(128, 4, 32)
    assert fold(np.array([3 * 128 + 8])).tolist() == [388]
    assert str(fold) == "xor<width=128, unit=4, stride=128, per_phase=1, period=32>"


def test_padding_moves_rows_apart() -> None:
    assert Padded(32, 2)(np.array([0, 31, 32, 64])).tolist() == [0, 31, 34, 68]


def _mfma_read(row_elements: int, lanes: int = 64) -> np.ndarray:
    lane = np.arange(lanes)
    return ((lane % 16) * row_elements + lane // 16 * 8)[None]


@pytest.mark.parametrize(
    ("target", "row", "plain", "best"),
    [("gfx950", 64, 16, 4), ("gfx950", 128, 32, 4), ("gfx950", 32, 8, 4), ("gfx942", 64, 32, 8)],
)
def test_the_search_reaches_the_ideal_of_a_16_byte_mfma_read(
    target: str, row: int, plain: int, best: int
) -> None:
    instruction = machine(target).instruction("ds_read_b128")
    offsets = _mfma_read(row)
    use = Use("read", "read", runs(offsets, 8), np.ones((1, 64), bool), *as_written(instruction))
    tile = Tile(Shape((("n", row), ("m", 64)), 16), (use,))
    found = best_of(tile, machine(target), [Space(SHUFFLE, tuple(row_folds(tile, [row])))])
    assert found.present.passes == plain
    assert found.plans[0].passes == best
    layout = found.plans[0].layout
    assert int(count(instruction, layout(offsets) * 2).passes.sum()) == best


def test_the_reason_of_the_talk_is_64_mod_32_is_0_so_16_way() -> None:
    instruction = machine("gfx942").instruction("ds_read_b64")
    lane = np.arange(64)
    offsets = lane % 16 * 256 + lane // 16 * 8
    active = np.ones(64, bool)
    witness = count(instruction, offsets).witness
    assert witness is not None
    why = reason(instruction, offsets, active, witness)
    assert why is not None
    assert (why.advance_words, why.residue, why.divisor, why.period, why.ways) == (64, 0, 32, 1, 16)


def test_an_access_without_a_common_step_has_a_witness_but_no_arithmetic() -> None:
    instruction = machine("gfx942").instruction("ds_read_b32")
    offsets = np.zeros(64, np.int64)
    offsets[[1, 2]] = [128, 896]
    active = np.ones(64, bool)
    witness = count(instruction, offsets).witness
    assert witness is not None
    assert witness.lanes == (0, 1, 2)
    why = reason(instruction, offsets, active, witness)
    assert why is None or why.rows == why.period * why.ways
