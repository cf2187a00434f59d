"""Groups of a warp's lanes that a machine may run together where no barrier gathers them.

What is expected follows from the texts and from what an H200 counted of such kernels
(``benchmarks/h200_parted.py``, ``tests/data/sass/parted.cu``).
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from bankwise.read.assembly import AssemblyAccess
from bankwise.read.follow.merging import _branched_to, _repeated
from bankwise.read.follow.program import Flow, ProgramStep, program, reached
from isa_texts import lanes
from sass_texts import SHARED, sass

BY_LANE = """\
ISETP.LT.U32.AND P0, PT, R0, 0x14, PT
ISETP.LT.U32.AND P1, PT, R0, 0x1a, PT
ISETP.LT.U32.AND P2, PT, R0, 0x2, PT
LEA R1, R0, R2, 0x2
"""


def rows_of(access: AssemblyAccess) -> list[list[int]]:
    """The lanes of each pattern, of accesses to 4 bytes a lane."""
    rows = (lanes(access, n) for n in range(len(access.access.patterns)))
    return sorted([offset % 0x200 // 4 for offset in row] for row in rows)


def span(first: int, stop: int) -> list[int]:
    return list(range(first, stop))


def test_exit_names_a_second_predicate() -> None:
    body = "@!P0 EXIT P1\nSTS [R1], R0"
    (after,) = sass(SHARED + BY_LANE + body).accesses
    assert rows_of(after) == [span(0, 20) + span(26, 32)]
    assert after.counted


def test_lanes_that_part_before_no_barrier_meet_no_more() -> None:
    body = "@P0 BRA `(.L_a)\nSTS [R1+0x200], R0\n.L_a:\nSTS [R1], R0"
    aside, behind = sass(SHARED + BY_LANE + body).accesses
    assert rows_of(aside) == [span(20, 32)]
    assert rows_of(behind) == [span(0, 20), span(20, 32)]
    assert behind.counted


TO_ONE_PLACE = """\
@P0 BRA `(.L_a)
@P1 BRA `(.L_a)
STS [R1+0x200], R0
EXIT
.L_a:
STS [R1], R0"""


def test_larger_groups_that_branch_to_one_place_run_together_or_apart() -> None:
    """20 lanes wait at the place as the others go on, and so do 6 of these as 6 more do."""
    aside, behind = sass(SHARED + BY_LANE + TO_ONE_PLACE).accesses
    assert rows_of(aside) == [span(26, 32)]
    assert aside.counted
    assert rows_of(behind) == [span(0, 20), span(0, 26), span(20, 26)]
    assert not behind.counted
    ends = {(one.really.low, one.really.high) for one in behind.access.patterns if one.really}
    assert ends == {(0, 1)}
    assert "may run together or apart" in behind.access.note


def test_a_smaller_group_runs_first_and_alone() -> None:
    """2 lanes branch and run on before the others come there."""
    text = TO_ONE_PLACE.replace("@P0", "@P2")
    _, behind = sass(SHARED + BY_LANE + text).accesses
    assert rows_of(behind) == [span(0, 2), span(2, 26)]
    assert behind.counted


def test_who_runs_into_a_place_runs_alone() -> None:
    text = TO_ONE_PLACE.replace("@P1 BRA `(.L_a)\n", "").replace("EXIT\n", "")
    _, behind = sass(SHARED + BY_LANE + text).accesses
    assert rows_of(behind) == [span(0, 20), span(20, 32)]
    assert behind.counted


BARRIER = """\
BSSY B0, `(.L_b)
@P0 BRA `(.L_a)
{inside}
STS [R1+0x200], R0
.L_a:
BSYNC B0
.L_b:
STS [R1], R0"""


def test_no_barrier_holds_behind_a_yield() -> None:
    _, met = sass(SHARED + BY_LANE + BARRIER.format(inside="NOP")).accesses
    assert rows_of(met) == [span(0, 32)]
    assert met.counted
    _, apart = sass(SHARED + BY_LANE + BARRIER.format(inside="YIELD")).accesses
    assert not apart.counted
    assert {(one.really.low, one.really.high) for one in apart.access.patterns if one.really} == {
        (0, 1)
    }
    assert rows_of(apart) == [span(0, 20), span(0, 32), span(20, 32)]


TWICE = """\
BSSY B0, `(.L_out)
BSSY B1, `(.L_b)
@P0 BRA `(.L_a)
@P1 BREAK B1
@P1 BRA `(.L_c)
.L_a:
BSYNC B1
.L_b:
STS [R1], R0
BRA `(.L_last)
.L_c:
BSSY {name}, `(.L_d)
@P2 BRA `(.L_e)
STS [R1+0x200], R0
.L_e:
BSYNC {name}
.L_d:
STS [R1+0x400], R0
.L_last:
BSYNC B0
.L_out:
STS [R1+0x600], R0"""


def test_a_barrier_that_others_set_anew_while_lanes_wait_for_it_does_not_hold() -> None:
    *_, sound = sass(SHARED + BY_LANE + TWICE.format(name="B2")).accesses
    assert rows_of(sound) == [span(0, 32)]
    assert sound.counted
    *_, broken = sass(SHARED + BY_LANE + TWICE.format(name="B1")).accesses
    assert not broken.counted


CALLED = """\
ISETP.LT.U32.AND P0, PT, R0, 0x14, PT
LEA R1, R0, R2, 0x2
MOV R20, {first}
@P0 BRA `(.L_a)
CALL.REL.NOINC `($k$poke)
EXIT
.L_a:
MOV R20, {second}
CALL.REL.NOINC `($k$poke)
EXIT
$k$poke:
{start}
STS [R1], R0
RET.REL.NODEC R20 `(k)
"""


def test_a_function_that_yields_may_run_for_several_calls_at_once() -> None:
    places = {"first": "0x70", "second": "0xa0"}
    plain = sass(SHARED + CALLED.format(start="NOP", **places))
    (found,) = plain.accesses
    assert rows_of(found) == [span(0, 20), span(20, 32)]
    assert found.counted
    yielding = sass(SHARED + CALLED.format(start="YIELD", **places))
    assert not any(one.counted for one in yielding.accesses)
    said = [one.reason for one in yielding.refusals if "run together" in one.reason]
    assert said
    assert all("a YIELD lets go who waits" in one for one in said)


TABLE = """\
@P0 BRA `(.L_a)
LDC R4, c[0x2][R0]
BRX R4 -0x80
.L_a:
STS [R1], R0"""


def test_what_runs_beside_lanes_that_are_lost_is_a_bound() -> None:
    kernel = sass(SHARED + BY_LANE + TABLE)
    (found,) = kernel.accesses
    assert any("where control goes" in one.reason for one in kernel.refusals)
    assert not found.counted
    assert rows_of(found) == [span(0, 20)]


def test_lanes_that_a_sync_without_a_barrier_finds_apart_are_a_bound() -> None:
    body = "@P0 BRA `(.L_a)\nSTS [R1+0x200], R0\n.L_a:\nWARPSYNC.ALL\nSTS [R1], R0"
    _, behind = sass(SHARED + BY_LANE + body).accesses
    assert not behind.counted


LEAVING = """\
MOV R6, 0x10
{set}
.L_loop:
ISETP.GE.U32.AND P3, PT, R0, R6, PT
@P3 BRA `(.L_out)
SHF.R.U32.HI R6, RZ, 0x1, R6
BRA `(.L_loop)
.L_out:
{wait}
.L_behind:
STS [R1], R0"""


def test_halves_that_leave_a_loop_in_turn_may_run_together_behind_it() -> None:
    barrier = LEAVING.format(set="BSSY B0, `(.L_behind)", wait="BSYNC B0")
    (met,) = sass(SHARED + BY_LANE + barrier).accesses
    assert rows_of(met) == [span(0, 32)]
    assert met.counted
    (behind,) = sass(SHARED + BY_LANE + LEAVING.format(set="NOP", wait="NOP")).accesses
    assert not behind.counted
    assert span(16, 32) in rows_of(behind)


def test_who_left_a_loop_in_turn_may_run_together_behind_a_sync() -> None:
    """All of them, not each with the last that came."""
    body = LEAVING.format(set="NOP", wait="WARPSYNC.ALL")
    (behind,) = sass(SHARED + BY_LANE + body).accesses
    assert span(0, 32) in rows_of(behind)
    assert not behind.counted


LEAVING_BEHIND_AN_END = """\
LDC.64 R6, c[0x0][0x210]
IMAD.WIDE R6, R0, 0x4, R6
LDG.E R9, [R6.64]
ISETP.NE.AND P3, PT, R9, RZ, PT
ISETP.GT.AND P4, PT, R9, 0x5, PT
BSSY B1, `(.L_all)
BSSY B0, `(.L_met)
@P0 BRA `(.L_wait)
BSSY B2, `(.L_left)
@P3 BRA `(.L_on)
{}
.L_on:
BSYNC B2
.L_left:
@P4 BREAK B0
@P4 BRA `(.L_out)
.L_wait:
BSYNC B0
.L_met:
STS [R1], R0
.L_out:
BSYNC B1
.L_all:
NOP"""


@pytest.mark.parametrize("first", ["@P1 EXIT", "NOP"])
def test_who_waits_meets_those_of_whom_data_end_some_and_let_others_leave(first: str) -> None:
    """Where none does, all 32 lanes are together; an H200 counts that of such a kernel."""
    (found,) = sass(SHARED + BY_LANE + LEAVING_BEHIND_AN_END.format(first)).accesses
    assert span(0, 32) in rows_of(found)
    assert found.some_lanes


def test_groups_that_branch_to_a_block_again_are_several_whatever_the_loops() -> None:
    """By the definition: to a way of a branch comes who branches there from a block of several
    groups, or who comes back to the branch by its other ways."""
    rng, seen = random.Random(11), Counter[tuple[bool, bool]]()
    for _ in range(60):
        flows: list[Flow] = rng.choices(["next", "branch", "jump"], [3, 3, 1], k=14)
        steps = [
            ProgramStep(n, "S", flow=one, target=rng.randrange(14) if one != "next" else -1)
            for n, one in enumerate(flows)
        ]
        made = program([*steps, ProgramStep(14, "EXIT", flow="end")])
        every = range(len(made.blocks))
        places, common = (rng.sample(every, min(len(every), rng.randrange(4))) for _ in range(2))
        often, looping = Counter[int](), _repeated(made, every, places)
        for block in every:
            ways = made.blocks[block].after
            again = block in reached(made, ways, places)
            seen[again, block in looping] += 1
            if made.steps[made.blocks[block].stop - 1].flow != "branch":
                continue
            for way in set(ways):
                others = [one for one in ways if one != way]
                back = block in reached(made, others, {way, *places})
                often[way] += 2 if block in common or back else 1
        several = {way for way, times in often.items() if times > 1} - made.endings
        assert _branched_to(made, every, common, places) == several
    assert min(seen[again, again] for again in (True, False)) > 100
