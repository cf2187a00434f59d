"""Where nobody knows which lanes take part: what any of them count lies between the ends told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bankwise.ask.check_assembly import check_assembly_file
from bankwise.counting.conflict import count
from bankwise.counting.cost import Cost
from bankwise.hardware.machine import machine
from bankwise.read.options import Options
from isa_texts import ptx_text

ROWS = [
    ("sm_90", "ld.shared.b32"),
    ("sm_90", "ld.shared.b64"),
    ("sm_90", "ld.shared.b128"),
    ("sm_90", "st.shared.b64"),
    ("gfx942", "ds_read_b64"),
    ("gfx950", "ds_read_b128"),
]


def drawn(chance: np.random.Generator, lanes: int, width: int) -> np.ndarray:
    """Addresses that neighbours share, more or less: then groups of lanes may merge."""
    shared = 1 << chance.integers(0, 3)
    step = width * int(chance.choice((1, 2, 4, 8, 16)))
    offsets = np.arange(lanes) // shared * step
    moved = chance.random(lanes) < chance.choice((0.0, 0.2))
    return np.where(moved, chance.integers(0, 64, lanes) * width, offsets)


@pytest.mark.parametrize(("target", "name"), ROWS)
def test_any_lanes_count_between_the_ends(target: str, name: str) -> None:
    gpu = machine(target)
    row = gpu.instruction(name)
    merges = row.merge == "neighbours"
    chance = np.random.default_rng(7)
    reached = set()
    for _ in range(400):
        offsets = drawn(chance, gpu.wave_size, row.width_bytes)
        whole = count(row, offsets)
        ends = Cost(int(whole.passes), int(whole.ideal)).for_some_lanes(merges).ends
        for _ in range(6):
            active = chance.random(gpu.wave_size) < chance.choice((0.1, 0.5, 0.8))
            part = count(row, offsets, active)
            told = zip(
                (ends.passes, ends.ideal, ends.extra),
                (int(part.passes), int(part.ideal), int(part.passes - part.ideal)),
                strict=True,
            )
            assert all(bound.low <= value <= bound.high for bound, value in told)
            grew = part.passes - part.ideal > whole.passes - whole.ideal
            reached.add((bool(grew), int(part.passes - part.ideal) == ends.extra.high))
    assert any(grew for grew, _ in reached) == merges, "fewer lanes conflict more only by merging"
    if name != "ld.shared.b128":  # four phases never merge to one
        assert any(most for _, most in reached), "the upper end is told larger than it is"


PARTED = """
    ld.param.u64 %rd1, [k_param_0];
    ld.param.u32 %r9, [k_param_1];
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r2, [%rd3];
    and.b32 %r7, %r1, 1;
    {condition}
    @%p1 bra A;
    mov.u32 %r3, %r9;
A:
    setp.gt.u32 %p2, %r3, 9;
    shl.b32 %r5, %r1, 7;
    mov.u32 %r6, tile;
    add.u32 %r6, %r6, %r5;
    @%p2 bra B;
    st.shared.u32 [%r6], %r1;
B:
"""


@pytest.mark.parametrize("other", ["add.u32 %r3, %r9, 7;", "mov.u32 %r3, 12;"])
@pytest.mark.parametrize("condition", ["setp.gt.u32 %p1, %r2, 5;", "setp.eq.u32 %p1, %r7, 0;"])
def test_lanes_that_hold_one_of_two_numbers_may_part(
    condition: str, other: str, tmp_path: Path
) -> None:
    """Each number is one of its wave, both together are not: with k_param_1 = 5 some lanes store
    and others do not. All 32 were said to meet in a bank for sure."""
    path = tmp_path / "k.ptx"
    path.write_text(ptx_text(PARTED.format(condition=f"{condition}\n    {other}")))
    (access,) = check_assembly_file(path, Options(openers=False)).accesses
    assert access.conflict == "possible"


MISALIGNED = """
    ld.param.u64 %rd1, [k_param_0];
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r2, [%rd3];
    setp.gt.u32 %p1, %r2, 5;
    and.b32 %r7, %r1, {lanes};
    min.u32 %r7, %r7, 1;
    shl.b32 %r5, %r1, 7;
    mov.u32 %r6, tile;
    add.u32 %r6, %r6, %r5;
    add.u32 %r6, %r6, {more};
    add.u32 %r6, %r6, %r7;
    {guard} st.shared.u32 [%r6], %r1;
"""


@pytest.mark.parametrize("lanes", [1, 3, 16])
def test_lanes_that_the_machine_would_fault_on_are_none_of_those_that_run(
    lanes: int, tmp_path: Path
) -> None:
    """A predicate of data: its lanes are those whose addresses are whole words."""
    path = tmp_path / "k.ptx"
    path.write_text(ptx_text(MISALIGNED.format(lanes=lanes, more=0, guard="@%p1")))
    found = check_assembly_file(path, Options(openers=False))
    (access,) = found.accesses
    assert not found.refusals
    assert access.cost.ends.passes.high == sum(not lane & lanes for lane in range(32))


@pytest.mark.parametrize(("more", "guard"), [(0, ""), (2, "@%p1"), (2, "")])
def test_it_faults_where_these_run_or_no_lane_is_left(
    more: int, guard: str, tmp_path: Path
) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(ptx_text(MISALIGNED.format(lanes=1, more=more, guard=guard)))
    (refusal,) = check_assembly_file(path, Options(openers=False)).refusals
    assert refusal.fault
