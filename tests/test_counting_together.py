"""Instructions that are counted together cost what each costs alone, by the dull second rule."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from bankwise.counting.access import Pattern
from bankwise.counting.count_kernel import count_accesses
from bankwise.counting.counted import AccessReport
from bankwise.counting.kernel import IssuedPattern, KernelAccess, WaveInstruction
from bankwise.errors import Location
from bankwise.hardware.machine import Instruction, machine
from brute import brute_count

ROWS = [
    ("gfx942", "ds_read_b32", None),
    ("gfx950", "ds_read_b128", None),
    ("gfx942", "ds_read2_b64", 520),
    ("sm_90", "ld.shared.b64", None),
]


def access(
    patterns: Sequence[Pattern], row: Instruction, number: int, apart: int | None
) -> KernelAccess:
    issued = tuple(
        IssuedPattern(
            (WaveInstruction(row.name, p.offsets_bytes, p.active, apart),),
            p.allocation, p.executions,
        )
        for p in patterns
    )  # fmt: skip
    return KernelAccess(Location("k.s", number), row.name, "plain", row.direction, issued)


def counted(accesses: Sequence[KernelAccess], gpu: str) -> list[AccessReport]:
    found = count_accesses(accesses, machine(gpu))
    assert all(isinstance(one, AccessReport) for one in found)
    return [one for one in found if isinstance(one, AccessReport)]


def drawn(row: Instruction, waves: int, random: np.random.Generator) -> list[Pattern]:
    """A stride, the same further on by whole and by broken rows of the banks, some lanes off."""
    lane = np.arange(waves * row.wave_size).reshape(waves, -1)
    unit = row.width_bytes
    base = lane * unit * int(random.integers(1, 40)) ^ int(random.integers(8)) * unit
    moves = (0, 4 * row.banks, 12 * row.banks, 2 * unit, 4 * row.banks + unit)
    every = np.ones_like(lane, dtype=bool)
    some = random.random(lane.shape) < 0.7
    return [
        Pattern(base + move, active, "shared", n + 1)
        for n, move in enumerate(moves)
        for active in (every, some)
    ]


@pytest.mark.parametrize(("gpu", "name", "apart"), ROWS)
def test_together_as_each_alone(gpu: str, name: str, apart: int | None) -> None:
    row, random = machine(gpu).instruction(name), np.random.default_rng(7)
    groups = [drawn(row, 2, random) for _ in range(12)]
    accesses = [access(group, row, n, apart) for n, group in enumerate(groups)]
    for group, report in zip(groups, counted(accesses, gpu), strict=True):
        alone = [_cost(row, p, apart) for p in group]
        assert [(i.cost.passes, i.cost.ideal) for i in report.iterations] == alone
        passes = sum(cost[0] * p.executions for cost, p in zip(alone, group, strict=True))
        assert report.run.passes == passes


@pytest.mark.parametrize(("gpu", "name", "apart"), ROWS)
def test_a_witness_is_true_where_the_pattern_lies(gpu: str, name: str, apart: int | None) -> None:
    row = machine(gpu).instruction(name)
    near = np.arange(row.wave_size)[None, :] * 4 * row.banks
    every = np.ones_like(near, dtype=bool)
    far = 40 * row.banks
    accesses = [access([Pattern(near + move, every, "shared")], row, 1, apart) for move in (0, far)]
    for report, move in zip(counted(accesses, gpu), (0, far), strict=True):
        witness, lanes = report.witness, report.lanes
        assert witness is not None
        assert lanes is not None
        assert lanes.offsets_bytes == tuple((near + move)[0].tolist())
        for lane, word in zip(witness.lanes, witness.words, strict=True):
            start = lanes.offsets_bytes[lane] // 4
            reached = {start + n for n in range(row.width_bytes // 4)}
            reached |= {n + (apart or row.width_bytes) // 4 for n in reached}
            assert word in reached
            assert word % row.banks == witness.bank
        assert len(set(witness.words)) == len(witness.words) == report.ways


def _cost(row: Instruction, pattern: Pattern, apart: int | None) -> tuple[int, int]:
    passes = ideal = 0
    for offsets, active in zip(pattern.offsets_bytes, pattern.active, strict=True):
        rounds = [offsets.tolist()]
        if row.addresses == 2:
            assert apart is not None
            rounds.append((offsets + apart).tolist())
        found = brute_count(row, rounds, active.tolist())
        passes, ideal = passes + found[0], ideal + found[1]
    return passes, ideal


def test_an_access_of_several_instructions_names_them_all_and_is_as_sure_as_the_least() -> None:
    """12 bytes of sm_90 at alignment 8: b64 and b32, each with its own phases."""
    gpu = machine("sm_90")
    lane = np.arange(gpu.wave_size)[None, :] * 16
    every = np.ones_like(lane, dtype=bool)
    parts = [("st.shared.b64", lane), ("st.shared.b32", lane + 8)]
    issued = tuple(WaveInstruction(name, offsets, every) for name, offsets in parts)
    both = KernelAccess(
        Location("k.s", 1), "store", "plain", "write", (IssuedPattern(issued, "shared", 5),)
    )
    (report,) = counted([both], "sm_90")
    assert report.instruction == "st.shared.b64 + st.shared.b32"
    assert (report.issued, report.instructions) == (("st.shared.b64", "st.shared.b32"), 2)
    alone = [_cost(gpu.instruction(n), Pattern(at, every, "shared"), None) for n, at in parts]
    assert (report.cost.passes, report.cost.ideal) == tuple(map(sum, zip(*alone, strict=True)))
    assert report.run.passes == 5 * report.cost.passes
    assert report.confidence == min(gpu.instruction(name).confidence for name, _ in parts)


def test_an_address_that_faults_and_a_missing_row_are_refused_alone() -> None:
    row = machine("sm_90").instruction("ld.shared.b64")
    lane = np.arange(row.wave_size)[None, :] * 8
    every = np.ones_like(lane, dtype=bool)
    odd = [access([Pattern(lane + n % 2, every, "shared")], row, n, None) for n in range(5)]
    strange = KernelAccess(
        Location("k.s", 9), "?", "plain", "read",
        (IssuedPattern((WaveInstruction("ld.strange", lane, every),), "shared"),),
    )  # fmt: skip
    found = count_accesses([*odd, strange], machine("sm_90"))
    kinds = [isinstance(one, AccessReport) for one in found]
    assert kinds == [True, False, True, False, True, False]
    assert "no row for ld.strange" in str(found[-1])
