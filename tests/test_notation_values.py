"""Distributions, memories, and the instructions between them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankwise.algebra.address import Fold, Padded
from bankwise.algebra.layout import Layout, parse
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine
from bankwise.notation.accesses import accesses, count_accesses, cut_vectors
from bankwise.notation.formula import Formula
from bankwise.notation.values import (
    DistributionTable,
    Mapped,
    MemoryTable,
    collision,
    from_linear,
    linear,
    linear_memory,
    memory_from_linear,
    points,
    same,
    same_memory,
    tabulate,
)
from brute import brute_count

ROWS = Formula((64, 32), ("l", "r"), registers=32)
ROW_MAJOR = Mapped((64, 32), Padded(32, 0))
GFX942 = machine("gfx942")


def moved(distribution, memory, **more):
    options = {"element_bytes": 2, "machine": GFX942, "direction": "read", "policy": "iree", **more}
    return accesses(distribution, memory, **options)


LAYOUTS = st.builds(
    lambda columns: Layout((("reg", 2), ("lane", 3), ("wave", 1)), (("n", 3), ("m", 3)), columns),
    st.tuples(*[st.integers(0, 63)] * 6),
)


@given(LAYOUTS)
def test_a_linear_distribution_is_its_layout(layout):
    table = from_linear(layout)
    assert (table.shape, table.waves, table.lanes, table.registers) == ((8, 8), 2, 8, 4)
    assert linear(table) == layout
    place = layout(reg=3, lane=5, wave=1)
    assert tuple(table.coordinates()[1, 5, 3]) == (place["m"], place["n"])


def test_a_linear_memory_is_its_layout():
    layout = parse("(offset:4) n = offset0 offset1; m = offset1^offset2 offset0^offset3")
    memory = memory_from_linear(layout)
    assert linear_memory(memory) == layout
    assert int(memory.offsets(np.array([3, 1]))) == 6 ^ 9 ^ 1
    assert same_memory(memory, tabulate(memory))


def test_padding_and_sizes_that_are_no_power_of_two_are_not_linear():
    assert isinstance(linear_memory(Mapped((8, 8), Padded(8, 1))), Refusal)
    assert isinstance(linear_memory(Mapped((8, 6), Padded(6, 0))), Refusal)
    assert isinstance(linear(Formula((64, 3), ("l", "r"), registers=3)), Refusal)


def test_rows_padded_to_a_power_of_two_are_linear():
    found = linear_memory(Mapped((8, 8), Padded(8, 8)))
    assert isinstance(found, Layout)
    assert dict(found.outputs) == {"offset": 7}


def test_equal_means_equal_on_every_point():
    other = DistributionTable(ROWS.shape, ROWS.coordinates().copy())
    assert same(ROWS, other)
    other.table[0, 63, 31, 1] = 0
    assert not same(ROWS, other)


def test_two_elements_at_one_offset_are_found_and_named():
    table = np.arange(6).reshape(2, 3)
    table[1, 2] = 1
    clash = collision(MemoryTable(table, 6))
    assert str(clash) == "elements (0, 1) and (1, 2) both lie at offset 1"
    assert collision(ROW_MAJOR) is None


@pytest.mark.parametrize(
    ("pad", "policy", "instructions"),
    [
        (0, "iree", ["ds_read_b128"] * 4),
        (4, "iree", ["ds_read2_b64"] * 4),
        (2, "iree", ["ds_read2_b32"] * 8),
        (1, "iree", ["ds_read_b128"] * 4),
        (2, "ck", ["ds_read_b128"] * 4),
    ],
)
def test_padding_decides_the_alignment_and_the_policy_what_becomes_of_it(pad, policy, instructions):
    found = moved(ROWS, Mapped((64, 32), Padded(32, pad)), policy=policy)
    assert [m.instruction.name for m in found] == instructions


def test_the_longest_vector_is_what_lies_side_by_side_in_every_lane():
    swizzled = Mapped((64, 32), Fold(32, 4, 8))
    found = moved(ROWS, swizzled)
    assert [m.instruction.name for m in found] == ["ds_read_b64"] * 8
    columns = Formula((32, 64), ("r", "l"), registers=32)
    assert {m.instruction.name for m in moved(columns, Mapped((32, 64), Padded(64, 0)))} == {
        "ds_read_u16"
    }


def test_three_words_in_a_row_are_one_b96():
    triples = Formula((64, 3), ("l", "r"), registers=3)
    found = moved(triples, Mapped((64, 3), Padded(3, 1)), element_bytes=4)
    assert [m.instruction.name for m in found] == ["ds_read_b96"]


def test_bytes_without_a_vector_are_moved_one_by_one():
    scattered = Formula((64, 4), ("l", "r"), registers=4)
    memory = MemoryTable(np.arange(256).reshape(4, 64).T.copy(), 256)
    for direction, name in (("read", "ds_read_u8"), ("write", "ds_write_b8")):
        found = moved(scattered, memory, element_bytes=1, direction=direction)
        assert [m.instruction.name for m in found] == [name] * 4


def test_registers_may_lie_in_any_order_and_replicas_move_once():
    order = [3, 1, 0, 2, 2, 0]
    held = np.stack(np.meshgrid(np.arange(64), order, indexing="ij"), axis=-1)[None]
    found = moved(DistributionTable((64, 4), held), Mapped((64, 4), Padded(4, 0)))
    assert len(found) == 1
    assert found[0].instruction.name == "ds_read_b64"
    assert [order[r] for r in found[0].registers] == [0, 1, 2, 3]


def test_a_vector_that_the_layout_does_not_allow_is_refused_by_name():
    with pytest.raises(InputError, match="a vector of 8"):
        moved(ROWS, Mapped((64, 32), Fold(32, 4, 8)), vector=8)


def test_tile_and_wave_must_fit():
    with pytest.raises(InputError, match="memory of"):
        moved(ROWS, Mapped((32, 64), Padded(64, 0)))
    with pytest.raises(InputError, match="64 lanes in a wave, sm_90 has 32"):
        moved(ROWS, ROW_MAJOR, machine=machine("sm_90"))


def test_a_formula_that_leaves_the_tile_says_where_it_goes():
    with pytest.raises(InputError, match="values 0 to 63"):
        Formula((32, 4), ("l", "r"), registers=4).coordinates()


@given(st.integers(0, 9), st.sampled_from([1, 2, 4, 8]), st.sampled_from(["iree", "ck"]))
def test_every_byte_of_the_tile_is_moved_once_and_the_count_is_the_brute_count(pad, size, policy):
    held = Formula((16, 64), ("l % 16", "16*(l // 16) + r"), registers=16)
    memory = Mapped((16, 64), Padded(64, pad))
    found = moved(held, memory, element_bytes=size, policy=policy)
    touched: list[int] = []
    passes = ideal = 0
    for one in found:
        row = one.instruction
        for offset in one.offsets_bytes[0]:
            touched += range(offset, offset + row.width_bytes * row.addresses)
        rounds = [
            [int(o) + i * row.width_bytes for o in one.offsets_bytes[0]]
            for i in range(row.addresses)
        ]
        more = brute_count(row, rounds, [True] * 64)
        passes, ideal = passes + more[0], ideal + more[1]
    elements = memory.offsets(points((16, 64)))
    assert sorted(touched) == sorted(int(e) * size + b for e in elements for b in range(size))
    counted = count_accesses(
        held, memory, element_bytes=size, machine=GFX942, direction="read", policy=policy
    )
    assert not isinstance(counted, Refusal)
    assert (counted.passes, counted.ideal, counted.instructions) == (passes, ideal, len(found))


def test_vectors_are_cut_without_a_machine_too():
    cut = cut_vectors(ROWS, ROW_MAJOR, element_bytes=2)
    assert (cut.width_bytes, cut.offsets_bytes.shape) == (16, (1, 64, 4))
