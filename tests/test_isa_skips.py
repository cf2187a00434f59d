"""Branches that decide nothing, warps that never wait for each other, and what lanes have alike.

Every text is counted with numbers read off it by hand; each has a twin in which the same branch,
half of a register or word does decide.
"""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from bankwise.read.assembly import AssemblyKernel
from bankwise.read.follow.skips import skippable
from bankwise.read.follow.state import State, read, write
from bankwise.read.follow.uniform import varies_first, varying_branches
from bankwise.read.follow.values import Unknown
from bankwise.read.sass.dialect import SASS
from bankwise.read.sass.halves import without_upper_halves
from bankwise.read.sass.parse import kernels
from isa_texts import amd, lanes, ptx
from sass_texts import SHARED, sass, sass_text

LOADED = f"""{SHARED}LEA R1, R0, R2, 0x2
LDC.64 R4, c[0x0][0x210]
IMAD.WIDE R4, R0, 0x4, R4
LDG.E R5, [R4.64]
ISETP.NE.AND P0, PT, R5, RZ, PT
"""
"""R1: a word of shared memory for each thread; P0: decided by data of each lane."""
OTHERWISE = """BSSY B0, `(.L_out)
@P0 BRA `(.L_skip)
{}
.L_skip:
BSYNC B0
.L_out:
LDS R7, [R1]
"""


def runs(kernel: AssemblyKernel) -> list[tuple[int, int | None]]:
    """Of each access its address in the code, and how often it runs; None if that is not known."""
    found = (
        (a.access.address, a.access.executions if a.counted else None) for a in kernel.accesses
    )
    return sorted(found)


def test_a_branch_between_whose_ways_no_access_is_decided_is_no_open_one() -> None:
    kernel = sass(LOADED + OTHERWISE.format("LDG.E R6, [R4.64+0x8]"))
    assert not kernel.open_branches
    assert not kernel.refusals
    assert runs(kernel) == [(0xB0, 1)]


@pytest.mark.parametrize("between", ["VIADD R1, R1, 0x4", "STS [R1+0x100], R0"])
def test_one_that_moves_an_address_or_has_an_access_is(between: str) -> None:
    kernel = sass(LOADED + OTHERWISE.format(between))
    assert len(kernel.open_branches) == 1


def test_a_loop_that_data_end_is_passed_over_with_what_counts_its_rounds() -> None:
    loop = """MOV R8, RZ
BSSY B0, `(.L_out)
.L_loop:
VIADD R8, R8, 0x1
ISETP.LT.AND P1, PT, R8, R5, PT
@P1 BRA `(.L_loop)
BSYNC B0
.L_out:
LDS R7, [R1]
"""
    kernel = sass(LOADED + loop)
    assert not kernel.open_branches
    assert runs(kernel) == [(0xD0, 1)]
    kernel = sass(LOADED + loop.replace("LDS R7, [R1]", "LDS R7, [R8]"))
    assert len(kernel.open_branches) == 1


def test_lanes_that_no_barrier_gathers_are_not_passed_over() -> None:
    """Behind it each group makes the access of its own: how often is not known."""
    alone = OTHERWISE.replace("BSSY B0, `(.L_out)\n", "").replace("BSYNC B0\n", "")
    kernel = sass(LOADED + alone.format("LDG.E R6, [R4.64+0x8]"))
    assert len(kernel.open_branches) == 1
    assert all(count is None for _, count in runs(kernel)) or kernel.refusals


def test_lanes_of_an_inner_branch_wait_for_those_of_the_outer_one() -> None:
    body = f"""{LOADED}ISETP.LT.AND P1, PT, R0, 0x10, PT
BSSY B1, `(.L_end)
BSSY B0, `(.L_out)
@P1 BRA `(.L_skip)
@P0 BRA `(.L_more)
LDG.E R6, [R4.64+0x8]
.L_more:
NOP
.L_skip:
BSYNC B0
.L_out:
LDS R7, [R1]
BSYNC B1
.L_end:
LDS R8, [R1]
"""
    kernel = sass(body)
    assert [count for _, count in runs(kernel)] == [1, 1]
    assert [len(lanes(a)) for a in kernel.accesses] == [32, 32]


def test_of_ptx_and_amd_such_branches_are_passed_over_too() -> None:
    of_ptx = ptx(
        """ld.global.u32 %r5, [%rd1];
setp.ne.s32 %p1, %r5, 0;
@%p1 bra $L1;
ld.global.u32 %r6, [%rd1+4];
$L1:
ld.shared.u32 %r7, [%r1];"""
    )
    of_amd = amd(
        """\ts_load_dword s4, s[0:1], 0x8
\tv_lshlrev_b32_e32 v1, 4, v0
\ts_cmp_lt_i32 s4, 7
\ts_cbranch_scc1 .Lskip
\tv_mov_b32_e32 v9, 0
.Lskip:
\tds_read_b128 v[4:7], v1"""
    )
    for kernel in (of_ptx, of_amd):
        assert not kernel.open_branches
        assert [a.counted for a in kernel.accesses] == [True]


DIVERGES = """ISETP.GT.AND P2, PT, R5, 0x5, PT
@P0 BRA `(.L_a)
VIADD R1, R1, 0x80
@P2 BRA `(.L_a)
VIADD R1, R1, 0x80
.L_a:
STS [R1], R6
"""
"""Lanes come to the access by two branches and without one: at three places, who knows which with
which."""


@pytest.mark.parametrize(("test", "warp"), [("NE", 1), ("EQ", 0)])
def test_what_one_warp_does_leaves_the_registers_of_another_alone(test: str, warp: int) -> None:
    """One warp parts by data, where no barrier gathers it; the other goes elsewhere for good."""
    body = f"""{LOADED}SHF.R.U32.HI R8, RZ, 0x5, R0
ISETP.{test}.AND P1, PT, R8, RZ, PT
@P1 BRA `(.L_other)
{DIVERGES}EXIT
.L_other:
LDS R9, [R1]
"""
    kernel = sass(body, threads=64)
    (read,) = [a for a in kernel.accesses if a.access.operation.startswith("ld")]
    assert read.counted
    first = 32 * warp
    assert lanes(read, wave=warp) == [4 * thread for thread in range(first, first + 32)]


UNSAID = """LDC R6, c[0x0][0x218]
ISETP.NE.AND P0, PT, R6, RZ, PT
@P0 BRA `(.L_b)
VIADD R9, R9, 0x4
.L_b:
LDS R9, [R1]
"""
"""An argument decides, alike for all lanes: they go on together without a barrier."""


def test_what_is_alike_in_warps_of_their_own_is_so_whatever_others_hold() -> None:
    body = f"""{SHARED}LEA R1, R0, R2, 0x2
SHF.R.U32.HI R8, RZ, 0x5, R0
ISETP.NE.AND P1, PT, R8, RZ, PT
@P1 BRA `(.L_other)
EXIT
.L_other:
{UNSAID}"""
    (read_,) = sass(body, threads=64).accesses
    assert (read_.counted, read_.access.executions) == (True, 1)


CHOSEN = f"""{SHARED}LEA R1, R0, R2, 0x2
LDC R3, c[0x0][0x218]
ISETP.NE.AND P1, PT, R3, RZ, PT
{{}}
@P1 MOV R6, R3
ISETP.NE.AND P0, PT, R6, 0x5, PT
@P0 BRA `(.L_b)
VIADD R9, R9, 0x4
.L_b:
LDS R9, [R1]
"""


def test_one_of_two_numbers_of_a_warp_is_one_where_nothing_was_before() -> None:
    """Where the argument does not hold, nothing was written that anybody may ask for."""
    assert [one.counted for one in sass(CHOSEN.format("NOP")).accesses] == [True]
    found = sass(CHOSEN.format("MOV R6, R0")).accesses
    assert not any(one.counted for one in found)


def test_a_state_of_some_warps_keeps_nothing_of_others() -> None:
    """What one number of each warp was is one number still, once other warps have states of their
    own; where they share one nobody knows it of theirs."""
    alike = Unknown("an argument", uniform=True)
    state = State(np.ones((2, 32), bool))
    first = np.array([[True], [False]]) & state.active
    shared = state.copy()
    shared.active = first
    state.active = state.threads = first
    for one in (state, shared):
        write(one, "R4", alike)
        write(one, "R5", alike, np.ones((2, 32), bool))
    assert read(state, "R4") is read(state, "R5") is alike
    assert not read(shared, "R4").uniform


WORD = f"""{SHARED}LEA R1, R0, R2, 0x2
LDC.64 R4, c[0x0][0x210]
{{}}
.L_loop:
{{}}
@P0 BRA `(.L_loop)
LDS R7, [R1]
"""
"""A loop that P0 ends; behind it no barrier gathers lanes that left it apart."""


@pytest.mark.parametrize(
    ("before", "test"),
    [
        ("NOP", "LDG.E.STRONG.SYS R6, [R4.64]\nISETP.NE.AND P0, PT, R6, RZ, PT"),
        ("NOP", "LDG.E R6, [R4.64]\nFSETP.NEU.AND P0, PT, R6, 1, PT"),
        ("MOV R3, 0x0", "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R2+URZ], R3"),
    ],
)
def test_lanes_that_ask_one_word_at_once_go_on_together(before: str, test: str) -> None:
    (read,) = [a for a in sass(WORD.format(before, test)).accesses if a.access.width_bytes == 4]
    assert (read.counted, read.access.executions, len(lanes(read))) == (True, 1, 32)


@pytest.mark.parametrize(
    ("before", "test"),
    [
        ("IMAD.WIDE R4, R0, 0x4, R4", "LDG.E R6, [R4.64]\nISETP.NE.AND P0, PT, R6, RZ, PT"),
        ("LOP3.LUT R3, R0, 0x1, RZ, 0xc0, !PT", "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R2], R3"),
        ("LEA R3, R0, R2, 0x3", "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R3], R8"),
    ],
)
def test_lanes_that_ask_different_words_or_phases_may_not(before: str, test: str) -> None:
    kernel = sass(WORD.format(before, test))
    found = [a for a in kernel.accesses if a.access.width_bytes == 4]
    assert not any(a.counted for a in found)


def test_a_lane_that_runs_alone_cannot_part() -> None:
    """What decides was known in all lanes before; now one lane asks a barrier of its own for it."""
    body = f"""{SHARED}LEA R1, R0, R2, 0x2
ISETP.LT.AND P0, PT, R0, 0x5, PT
ISETP.GE.AND P1, PT, R0, {{}}, PT
@P1 EXIT
LEA R3, R0, R2, 0x3
SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R3+URZ+0x100], R8
@P0 BRA `(.L_a)
VIADD R9, R9, 0x4
.L_a:
STS [R1], R6
"""
    (write_,) = [a for a in sass(body.format("0x1")).accesses if a.access.width_bytes == 4]
    assert (write_.counted, lanes(write_)) == (True, [0])
    several = sass(body.format("0x2")).accesses
    assert not any(one.counted for one in several if one.access.width_bytes == 4)


FSETP = """FMUL R4, {}, 2
FSETP.GT.AND P0, PT, R4, 1, PT
@P0 BRA `(.L_a)
NOP
.L_a:
NOP
"""


@pytest.mark.parametrize(("register", "varies"), [("R0", True), ("R2", False)])
def test_what_lanes_compute_of_one_number_is_one(register: str, varies: bool) -> None:
    (kernel,) = kernels(sass_text(SHARED + FSETP.format(register)), "k.sass")
    program = SASS.decode(kernel).program
    assert (
        bool(varying_branches(program, varies_first(SASS.start(kernel, (32, 1, 1), {})))) is varies
    )


@pytest.mark.parametrize(
    ("between", "passed"),
    [
        ("LDG.E R6, [R4.64]", 1),
        ("BSSY B1, `(.L_in)\nBSYNC B1\n.L_in:\nNOP", 1),
        ("YIELD", 0),
        ("WARPSYNC.ALL", 0),
        ("BREAK B2", 0),
        ("BSSY B1, `(.L_in)\nNOP\n.L_in:\nNOP", 0),
        ("BSYNC B2", 0),
        ("LDS R6, [R1]", 0),
    ],
)
def test_what_lets_go_of_lanes_or_waits_for_others_is_never_between(
    between: str, passed: int
) -> None:
    body = f"BSSY B2, `(.L_end)\n{LOADED}{OTHERWISE.format(between)}BSYNC B2\n.L_end:\nNOP"
    (kernel,) = kernels(sass_text(body), "k.sass")
    assert len(skippable(SASS.decode(kernel).program)) == passed


@pytest.mark.parametrize(("elsewhere", "passed"), [("@P1 BRA `(.L_in)", 0), ("NOP", 1)])
def test_where_others_may_wait_that_parted_before_is_never_between(
    elsewhere: str, passed: int
) -> None:
    between = "NOP\n.L_in:\nLDG.E R6, [R4.64]"
    body = f"{LOADED}{elsewhere}\n{OTHERWISE.format(between)}"
    (kernel,) = kernels(sass_text(body), "k.sass")
    assert len(skippable(SASS.decode(kernel).program)) == passed


TRUTH = f"""{LOADED}PRMT R5, RZ, 0x7610, R5
ISETP.LT.AND P1, PT, R0, 0x10, PT
BSSY B0, `(.L_a)
@P1 BRA `(.L_b)
IMAD.MOV.U32 R9, RZ, RZ, 0x1
PRMT R5, R9, 0x7610, R5
.L_b:
BSYNC B0
.L_a:
"""
"""Lanes 16 to 31 have a truth in the lower half of R5, whose upper half is of the data."""


def test_a_truth_in_half_a_register_is_known_whatever_was_in_the_other() -> None:
    kernel = sass(TRUTH + "LOP3.LUT P2, RZ, R5, 0xff, RZ, 0xc0, !PT\n@P2 LDS R7, [R1]")
    (read,) = kernel.accesses
    assert lanes(read) == [4 * thread for thread in range(16, 32)]
    assert not kernel.open_branches


def test_an_upper_half_that_is_read_is_what_was_there() -> None:
    body = f"""{SHARED}SHF.L.U32 R5, R0, 0x10, RZ
PRMT R5, RZ, 0x7610, R5
SHF.R.U32.HI R6, RZ, 0x10, R5
LEA R1, R6, R2, 0x2
LDS R7, [R1]"""
    (read,) = sass(body).accesses
    assert lanes(read) == [4 * thread for thread in range(32)]


@pytest.mark.parametrize(
    "reader",
    [
        "STG.E [R8.64], R5",
        "STG.E.64 [R8.64], R4",
        "IMAD.WIDE R8, R7, 0x4, R4",
        "IMAD.HI.U32 R8, R7, R7, R4",
        "HMMA.16816.F32 R8, R4, R12, R16",
        "LOP3.LUT R6, R5, 0x10000, RZ, 0xc0, !PT",
        "LOP3.LUT R6, R5, 0xff, RZ, 0xfc, !PT",
        "PRMT R6, R5, 0x7632, R7",
        "PRMT R6, R7, 0x7610, R5",
        "@P0 MOV R6, R5",
    ],
)
def test_all_that_may_read_the_upper_half_is_seen(reader: str) -> None:
    def taken(body: str) -> int:
        (found,) = kernels(sass_text(body), "k.sass")
        return len(without_upper_halves(found.code))

    assert taken("PRMT R5, RZ, 0x7610, R5\nPRMT R6, R5, 0x9910, RZ\nMOV R5, R7\n" + reader) == 1
    assert taken("PRMT R5, RZ, 0x7610, R5\n" + reader) == 0


def test_a_function_of_the_driver_may_read_its_arguments() -> None:
    for name, expected in (("R5", 0), ("R30", 1)):
        (found,) = kernels(sass_text(f"PRMT {name}, RZ, 0x7610, {name}\nNOP"), "k.sass")
        assert len(without_upper_halves(replace(found.code, system={1: True}))) == expected
