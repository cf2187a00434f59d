"""What lanes of a wave decide alike, though nobody knows what it is: worked out of the program
where a run cannot say so."""

from __future__ import annotations

import numpy as np
import pytest

from bankwise.read.assembly import AssemblyKernel
from bankwise.read.follow import run
from bankwise.read.follow.uniform import varies_first, varying_branches
from bankwise.read.sass.dialect import SASS
from bankwise.read.sass.parse import kernels
from isa_texts import lanes
from sass_texts import SHARED, sass, sass_text


def varies(body: str) -> bool:
    """Whether lanes may part at a branch of a kernel of 64 threads."""
    (kernel,) = kernels(sass_text(SHARED + body), "k.sass")
    program = SASS.decode(kernel).program
    return bool(varying_branches(program, varies_first(SASS.start(kernel, (64, 1, 1), {}))))


SCALE = """ULDC.64 UR6, c[0x0][0x210]
ULDC.64 UR8, c[0x0][0x218]
LEA R3, R0, R2, 0x2
ISETP.NE.U32.AND P1, PT, RZ, UR6, PT
ISETP.NE.U32.AND P2, PT, RZ, UR8, PT
@P1 LDC.64 R4, c[0x0][0x210]
{between}
@{second} LDG.E R3, [R4.64]
@!P1 LDC R3, c[0x0][0x220]
FSETP.NEU.AND P0, PT, R3, RZ, PT
@P0 BRA `(.L_a)
STS [R2], R3
.L_a:
NOP
"""
"""A scale by pointer, or by value where that is null: R3 held the thread's own address before."""


@pytest.mark.parametrize(
    ("second", "between", "apart"),
    [
        ("P1", "NOP", False),
        ("P2", "NOP", True),  # where P1 and not P2, R3 is each lane's own
        ("P1", "ISETP.NE.U32.AND P1, PT, RZ, UR8, PT", True),  # of R4 the other half was read
    ],
)
def test_what_two_opposite_guards_write_is_written_in_all_lanes(
    second: str, between: str, apart: bool
) -> None:
    """R4 is the thread's own before, and so is R3."""
    body = "IMAD.WIDE R4, R0, 0x4, RZ\n" + SCALE.format(second=second, between=between)
    assert varies(body) is apart


WAYS = """ULDC.64 UR6, c[0x0][0x210]
ULDC.64 UR8, c[0x0][0x218]
LEA R3, R0, R2, 0x2
ISETP.NE.U32.AND P1, PT, RZ, UR6, PT
ISETP.NE.U32.AND P2, PT, RZ, UR8, PT
@P2 BRA `(.L_other)
{} LDC R3, c[0x0][0x220]
BRA `(.L_met)
.L_other:
{} LDC R3, c[0x0][0x220]
.L_met:
{} LDC R3, c[0x0][0x224]
ISETP.NE.AND P0, PT, R3, RZ, PT
@P0 BRA `(.L_a)
STS [R2], R3
.L_a:
NOP
"""
"""R3 held the thread's own address before; a part of the lanes' words is written on each way."""


@pytest.mark.parametrize(
    ("guards", "apart"),
    [
        (("@P1", "@P1", "@!P1"), False),
        (("@P1", "@P1", "@P1"), True),
        (("@P1", "@!P1", "@P1"), True),
        (("@!P1", "@P1", "@P1"), True),
        (("@P1", "@!P1", "@!P1"), True),
        (("@!P1", "@P1", "@!P1"), True),
    ],
)
def test_what_each_way_writes_under_a_guard_is_known_as_far_as_both_do(
    guards: tuple[str, str, str], apart: bool
) -> None:
    assert varies(WAYS.format(*guards)) is apart


def test_a_uniform_register_has_one_number_whatever_it_is_made_of() -> None:
    body = (
        "R2UR UR4, R0\nISETP.NE.AND P0, PT, {}, RZ, PT\n@P0 BRA `(.L_a)\nSTS [R2], R3\n.L_a:\nNOP\n"
    )
    assert not varies(body.format("UR4"))
    assert varies(body.format("R0"))


def test_a_guard_that_lanes_decide_differently_writes_no_word_of_all() -> None:
    guard = "ISETP.GT.AND P1, PT, R0, 0x7, PT"
    assert varies("IMAD.WIDE R4, R0, 0x4, RZ\n" + SCALE.format(second="P1", between=guard))


@pytest.mark.parametrize(("end", "apart"), [("0x1f", False), ("0x181f", True), ("R4", True)])
def test_a_shuffle_within_parts_of_a_warp_gives_each_its_own(end: str, apart: bool) -> None:
    """0x181f: parts of eight lanes, each of which asks its first."""
    body = f"SHFL.IDX PT, R3, R0, RZ, {end}\nISETP.NE.AND P0, PT, R3, RZ, PT\n@P0 BRA `(.L_a)\n"
    assert varies(body + "STS [R2], R3\n.L_a:\nNOP\n") is apart


def test_a_vote_asks_the_lanes_of_a_mask() -> None:
    body = "{}\nVOTE.ANY R3, PT, P1\nISETP.NE.AND P0, PT, R3, RZ, PT\n@P0 BRA `(.L_a)\n"
    body += "STS [R2], R3\n.L_a:\nNOP\n"
    assert not varies(body.format("NOP"))
    assert varies(body.format("WARPSYNC.EXCLUSIVE R0"))
    assert varies(body.format("WARPSYNC.EXCLUSIVE R0\nMOV R0, RZ"))


@pytest.mark.parametrize("asks", ["REDUX.SUM.S32 UR4, R0", "VOTEU.ANY UR4, UPT, P1"])
def test_groups_that_ask_among_themselves_leave_each_its_own_in_a_uniform_register(
    asks: str,
) -> None:
    """They run one after the other, as behind ``__reduce_add_sync`` with a mask of some lanes."""
    body = "{}\n" + asks + "\nIMAD.U32 R3, RZ, RZ, UR4\nISETP.NE.AND P0, PT, R3, RZ, PT\n"
    body += "@P0 BRA `(.L_a)\nSTS [R2], R3\n.L_a:\nNOP\n"
    assert not varies(body.format("WARPSYNC.ALL"))
    assert varies(body.format("WARPSYNC.EXCLUSIVE R0"))


DATA = f"""{SHARED}LEA R1, R0, R2, 0x5
LDC.64 R4, c[0x0][0x210]
IMAD.WIDE R4, R0, 0x4, R4
LDG.E R9, [R4.64]
ISETP.NE.AND P0, PT, R9, RZ, PT
"""


def some_lanes(kernel: AssemblyKernel) -> list[bool]:
    """Of each access whether nobody knows which of the lanes take part."""
    return [one.some_lanes for one in kernel.accesses]


SUMMED = f"""{DATA}BSSY B1, `(.L_met)
{{}}
{{}}
BSYNC B1
.L_met:
IMAD.U32 R3, RZ, RZ, UR4
ISETP.NE.AND P0, PT, R3, RZ, PT
BSSY B0, `(.L_out)
@P0 BRA `(.L_skip)
LDS R7, [R1]
.L_skip:
BSYNC B0
.L_out:
NOP
"""


@pytest.mark.parametrize("asks", ["REDUX.SUM.S32 UR4, R9", "VOTEU.ANY UR4, UPT, P0"])
def test_a_branch_on_the_sum_of_a_group_of_lanes_parts_the_groups(asks: str) -> None:
    """An H200 makes the access once for each group whose sum says so."""
    assert some_lanes(sass(SUMMED.format("WARPSYNC.ALL", asks))) == [False]
    assert some_lanes(sass(SUMMED.format("WARPSYNC.EXCLUSIVE R0", asks))) == [True]


def test_an_elected_lane_decides_otherwise_than_the_others() -> None:
    assert varies("ELECT P0, URZ, PT\n@P0 BRA `(.L_a)\nSTS [R2], R3\n.L_a:\nNOP\n")


READ = f"""{SHARED}LEA R1, R0, R2, 0x5
LDC.64 R4, c[0x0][0x210]
BSSY B0, `(.L_out)
{{}} R5, [R4.64]
ISETP.NE.AND P0, PT, R5, RZ, PT
@P0 BRA `(.L_skip)
LDS R7, [R1]
STG [R4.64], R7
.L_skip:
BSYNC B0
.L_out:
NOP
"""


@pytest.mark.parametrize(("name", "some"), [("LDG.E", False), ("LD.E", True)])
def test_what_a_generic_pointer_leads_to_may_be_a_lanes_own(name: str, some: bool) -> None:
    """Local memory has one word for each lane at one address."""
    assert some_lanes(sass(READ.format(name))) == [some]


ROLES = f"""{SHARED}LEA R1, R0, R2, 0x5
LDC.64 R4, c[0x0][0x210]
LDG.E R6, [R4.64]
IMAD.WIDE R8, R0, 0x4, R4
LDG.E R9, [R8.64]
ISETP.NE.AND P0, PT, R9, RZ, PT
SHF.R.U32.HI R10, RZ, 0x5, R0
SHFL.IDX PT, R10, R10, RZ, 0x1f
ISETP.NE.AND P1, PT, R10, RZ, PT
BSSY B2, `(.L_meet)
@P1 BRA `(.L_second)
ISETP.NE.AND P0, PT, R6, RZ, PT
BSSY B0, `(.L_out)
@P0 BRA `(.L_skip)
LDS R7, [R1]
STG [R4.64], R7
.L_skip:
BSYNC B0
.L_out:
BRA `(.L_join)
.L_second:
BSSY B1, `(.L_done)
@P0 BRA `(.L_pass)
LDS R7, [R1]
STG [R4.64], R7
.L_pass:
BSYNC B1
.L_done:
NOP
.L_join:
BSYNC B2
.L_meet:
NOP
"""
"""The first warp asks one word for all of its lanes, the second one decides lane by lane, by what
the same predicate held before."""


def test_what_another_warp_holds_in_a_register_parts_no_lanes_of_this_one() -> None:
    kernel = sass(ROLES, threads=64)
    assert some_lanes(kernel) == [False, True]
    first = kernel.accesses[0].access.patterns[0].active
    assert first.shape == (2, 32)
    assert np.array_equal(first.any(axis=1), [True, False])


LOOP = f"""{SHARED}LEA R1, R0, R2, 0x5
LDC.64 R4, c[0x0][0x210]
.L_again:
LDG.E R6, [R4.64]
ISETP.NE.AND P2, PT, R6, RZ, PT
@P2 BRA `(.L_again)
ISETP.GT.AND P1, PT, R0, 0x1f, PT
@P1 BRA `(.L_second)
MOV R1, R2
.L_second:
LDS R7, [R1]
STG [R4.64], R7
BRA `(.L_again)
"""


def test_warps_that_part_in_an_endless_loop_keep_what_they_know() -> None:
    """One warp comes back with a place of all lanes, the other with one of each."""
    kernel = sass(LOOP, threads=64)
    (read,) = kernel.accesses
    assert not read.unknown
    rows = {tuple(row[on]) for p in read.access.patterns
            for row, on in zip(p.offsets_bytes, p.active, strict=True) if on.any()}  # fmt: skip
    assert rows == {(0,) * 32, tuple(range(32 * 32, 64 * 32, 32))}


ENDS = f"""{SHARED}LEA R1, R0, R2, 0x5
LDC.64 R4, c[0x0][0x210]
IMAD.WIDE R4, R0, 0x4, R4
.L_outer:
BSSY B0, `(.L_met)
.L_inner:
LDS R8, [R1]
LDG.E R9, [R4.64]
ISETP.NE.AND P1, PT, R9, 0x1, PT
@P1 EXIT
LDG.E R9, [R4.64+0x4]
ISETP.NE.AND P1, PT, R9, RZ, PT
@!P1 BRA `(.L_inner)
BSYNC B0
.L_met:
LDG.E R9, [R4.64+0x8]
ISETP.NE.AND P0, PT, R9, RZ, PT
@!P0 BRA `(.L_outer)
LDS R8, [R1]
"""
"""A loop that data of each lane end at the kernel's end, in one that other data end."""


def test_a_loop_that_ends_at_several_places_is_followed_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each round waited for the end once more than the last, so that none was like another."""
    monkeypatch.setattr(run, "MOST_WORK", 5_000)
    found = sass(ENDS, threads=64)
    assert len(found.accesses) == 2
    assert not found.refusals


YIELDED = f"""{DATA}BSSY B2, `(.L_out)
.L_again:
{{}}
BSSY B3, `(.L_in)
@!P0 BRA `(.L_more)
STS [R1], R7
BREAK B3
BRA `(.L_leave)
.L_more:
BSYNC B3
.L_in:
VIADD R7, R7, 0x1
ISETP.NE.AND P1, PT, R7, 0x3, PT
@P1 BRA `(.L_again)
.L_leave:
BSYNC B2
.L_out:
LDS R8, [R1]
"""
"""Lanes that leave a loop wait for the others at B2, which was set before the loop."""


@pytest.mark.parametrize(("between", "sure"), [("NOP", True), ("YIELD", False)])
def test_lanes_that_data_part_do_not_meet_at_a_barrier_of_before_a_yield(
    between: str, sure: bool
) -> None:
    """An H200 makes such a read up to three times a warp (``benchmarks/h200_parted.py``, data)."""
    read = next(a for a in sass(YIELDED.format(between)).accesses if a.access.direction == "read")
    assert (read.counted and not read.some_lanes) is sure


ENDED = f"""{DATA}BSSY B1, `(.L_out)
BSSY B0, `(.L_mid)
ISETP.GT.AND P1, PT, R0, 0xf, PT
@P1 BRA `(.L_wait)
@P0 BREAK B0
@P0 BRA `(.L_join)
.L_wait:
BSYNC B0
.L_mid:
ISETP.LT.AND P2, PT, R0, 0x8, PT
@P2 EXIT
.L_join:
BSYNC B1
.L_out:
LDS R8, [R1]
"""


def test_who_may_have_ended_is_missing_wherever_the_others_meet() -> None:
    """Data decide which of the first eight lanes end: the others had parted before they met those
    at B0, and all that are left meet at B1."""
    (read,) = sass(ENDED).accesses
    assert read.some_lanes
    assert not read.counted


LEFT = f"""{SHARED}LEA R1, R0, R2, 0x5
LOP3.LUT R3, R0, 0x7, RZ, 0xc0, !PT
BSSY B1, `(.L_all)
BSSY B0, `(.L_both)
ISETP.NE.AND P0, PT, R3, 0x3, PT
@!P0 BRA `(.L_wait)
ISETP.NE.AND P1, PT, R3, 0x1, PT
@P1 BREAK B0
@P1 BRA `(.L_others)
NOP
.L_wait:
BSYNC B0
.L_both:
LDS R8, [R1]
.L_others:
BSYNC B1
.L_all:
{{}}
VIADD R7, R7, 0x1
ISETP.NE.AND P1, PT, R7, 0x3, PT
@P1 BRA `(.L_all)
"""


@pytest.mark.parametrize("behind", ["NOP", "YIELD"])
def test_a_barrier_holds_though_who_leaves_it_may_come_to_a_yield_at_last(behind: str) -> None:
    """They wait at B1 first. An H200 makes the read once (``benchmarks/h200_parted.py``, data)."""
    (read,) = sass(LEFT.format(behind)).accesses
    assert (read.counted, read.access.executions) == (True, 1)
    assert lanes(read) == [32 * n for n in range(32) if n % 8 in (1, 3)]
