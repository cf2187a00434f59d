"""Launches whose blocks differ, beside a profile: what is predicted is what all of them do.

Of a grid of some blocks the first three read words 128 bytes apart, so 32 lanes want one bank, 31
extra passes; the others read one word, which is free. All store to words side by side.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bankwise.ask.beside.beside import beside
from bankwise.ask.check import check_file
from bankwise.profile.values import CountedInstruction, Launch, Profile, Quantity
from bankwise.read.options import Options
from bankwise.show.beside import KernelBeside
from isa_texts import ptx_text

BODY = """\
	shl.b32 %r2, %r1, 2;
	st.shared.u32 [%r2], %r1;
	mov.u32 %r4, %ctaid.x;
	setp.lt.u32 %p1, %r4, 3;
	@%p1 bra FIRST;
	ld.shared.u32 %r3, [tile];
	bra DONE;
FIRST:
	shl.b32 %r5, %r1, 7;
	ld.shared.u32 %r3, [%r5];
DONE:"""
READS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
PASSES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
EXECUTED = "smsp__inst_executed_op_shared_ld.sum"


def compared(tmp_path: Path, said: int, *launches: Launch) -> KernelBeside:
    path = tmp_path / "k.ptx"
    path.write_text(ptx_text(BODY), "utf-8")
    report = check_file(path, Options(launches=(f"k<<<{said}, 32>>>(_, _)",)))
    (kernel,) = beside(report, Profile("p.csv", "Nsight Compute", "nvidia", launches)).kernels
    return kernel


def launch(blocks: int | None, **counters: float) -> Launch:
    names = {"reads": READS, "passes": PASSES, "executed": EXECUTED}
    values = {names[key]: Quantity(value) for key, value in counters.items()}
    return Launch("k", "1", blocks, 32, values)


@pytest.mark.parametrize("many", [1, 2])
@pytest.mark.parametrize("blocks", [10, 1000])
def test_the_classes_of_a_launch_are_added_up(tmp_path: Path, blocks: int, many: int) -> None:
    each = {"reads": 3 * 31.0, "passes": 3 * 32.0 + (blocks - 3), "executed": float(blocks)}
    found = compared(tmp_path, blocks, *[launch(blocks, **each)] * many)
    predicted = {row.counter: (row.predicted, row.cause) for row in found.rows}
    assert predicted == {
        READS: (many * 93, "as predicted"),
        PASSES: (many * (blocks + 93), "as predicted"),
        EXECUTED: (many * blocks, "as predicted"),
    }
    assert (found.each, found.workgroups, found.agrees) == ("launch", many * blocks, True)
    assert any("all of its 2 classes add up to" in note for note in found.notes)


def test_instructions_are_those_of_all_blocks(tmp_path: Path) -> None:
    """In the order of the text: the store of all ten, the read of seven, the read of three."""
    code = (
        CountedInstruction(0x10, "STS [R2], R1", 10, 10, 10),
        CountedInstruction(0x20, "LDS R3, [UR4]", 7, 7, 7),
        CountedInstruction(0x30, "LDS R3, [R5]", 3, 3 * 32, 3),
    )
    found = compared(tmp_path, 10, Launch("k", "1", 10, 32, {}, code))
    assert [(row.predicted.passes, row.cause) for row in found.instructions] == [
        (10, "as predicted"),
        (7, "as predicted"),
        (96, "as predicted"),
    ]
    assert found.agrees
    other = CountedInstruction(0x30, "LDS R3, [R5]", 4, 4 * 32, 4)
    found = compared(tmp_path, 10, Launch("k", "1", 10, 32, {}, (*code[:2], other)))
    assert found.instructions[2].cause == "executed by 4 waves, 3 predicted"
    assert found.agrees is False


def test_another_grid_is_not_scaled(tmp_path: Path) -> None:
    found = compared(tmp_path, 10, launch(11, reads=93.0, executed=11.0))
    assert [row.predicted for row in found.rows] == [None, None]
    assert "blocks of its launch differ" in found.rows[0].cause
    assert "another launch was measured" in found.rows[0].cause


def test_without_a_grid_in_the_profile_that_of_the_check_counts(tmp_path: Path) -> None:
    found = compared(tmp_path, 10, launch(None, reads=93.0))
    assert [(row.predicted, row.cause) for row in found.rows] == [(93, "as predicted")]
