"""Calls, votes and matches in PTX: small texts with known answers."""

from __future__ import annotations

import numpy as np
import pytest

from bankwise.read.assembly import AssemblyKernel
from bankwise.read.follow.driver import check_code
from bankwise.read.follow.touched import Touched, together
from bankwise.read.follow.values import Unknown
from bankwise.read.ptx.dialect import PTX
from isa_texts import lanes, ptx, ptx_text

LANE = np.arange(32)

FUNCTIONS = """
.func (.param .b32 func_retval0) twice(.param .b32 twice_param_0)
{
    .reg .b32 %r<4>;
    ld.param.u32 %r1, [twice_param_0];
    add.s32 %r2, %r1, %r1;
    st.param.b32 [func_retval0+0], %r2;
    ret;
}
.func poke(.param .b64 poke_param_0, .param .align 8 .b8 poke_param_1[16])
{
    .reg .pred %p<2>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [poke_param_0];
    ld.param.u32 %r1, [poke_param_1+8];
    setp.gt.u32 %p1, %r1, 15;
    @%p1 bra $skip;
    {
    .param .b32 param0;
    st.param.b32 [param0+0], %r1;
    .param .b32 retval0;
    call.uni (retval0), twice, (param0);
    ld.param.b32 %r2, [retval0+0];
    }
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.u32 [%rd3], %r1;
$skip:
    ret;
}
"""

CALLER = """\
    mov.u64 %rd1, tile;
    cvta.shared.u64 %rd2, %rd1;
    {
    st.param.b64 [param0+0], %rd2;
    st.param.b32 [param1+8], %r1;
    call.uni poke, (param0, param1);
    }
    add.s64 %rd3, %rd2, 1024;
    {
    st.param.b64 [param0+0], %rd3;
    st.param.b32 [param1+8], %r1;
    call.uni poke, (param0, param1);
    }
    st.shared.b32 [%rd1], %r2;"""


def called(body: str, functions: str = FUNCTIONS) -> AssemblyKernel:
    text = ptx_text(body).replace(".visible .entry", f"{functions}\n.visible .entry")
    (kernel,) = check_code(PTX, text, "k.ptx")
    return kernel


def test_a_function_of_the_file_is_followed_for_every_call_with_registers_of_its_own() -> None:
    kernel = called(CALLER)
    assert not kernel.refusals
    inside, behind = sorted(kernel.accesses, key=lambda found: -len(found.access.patterns))
    assert [lanes(inside, pattern) for pattern in (0, 1)] == [
        (start + 8 * LANE[:16]).tolist() for start in (0, 1024)
    ]
    assert inside.counted
    assert inside.access.written == "st.u32"
    assert lanes(behind) == [0] * 32


@pytest.mark.parametrize(
    ("functions", "body"),
    [
        (FUNCTIONS, CALLER.replace("call.uni poke", "call.uni elsewhere")),
        (FUNCTIONS, CALLER.replace("call.uni poke", "call %rd7")),
        (FUNCTIONS.replace("twice, (param0)", "poke, (param0, param1)"), CALLER),
        (FUNCTIONS, CALLER.replace("(param0, param1)", "(param0)")),
    ],
)
def test_a_call_that_is_not_followed_is_refused(functions: str, body: str) -> None:
    assert any(r.reason.startswith("call") for r in called(body, functions).refusals)


def test_a_pointer_of_the_host_stays_one_in_a_function() -> None:
    body = CALLER.replace("cvta.shared.u64 %rd2, %rd1;", "ld.param.u64 %rd2, [k_param_0];")
    kernel = called(body)
    assert [found.access.written for found in kernel.accesses] == ["st.shared.b32"]
    assert not kernel.refusals


TILES = "and.b32 %r5, %r1, 24; shl.b32 %r6, 255, %r5; setp.eq.u32 %p3, %r1, 3;"
"""%r6: of each lane the eight of its tile; %p3 holds in one lane of the first tile."""

VOTES = [
    ("vote.sync.ballot.b32 %r2, %p1, -1;", [sum(1 << n for n in range(0, 32, 4))] * 32),
    ("vote.sync.ballot.b32 %r2, !%p1, -1;", [sum(1 << n for n in range(32) if n % 4)] * 32),
    ("activemask.b32 %r2;", [0xFFFFFFFF] * 32),
    ("match.any.sync.b32 %r2, %r4, -1;", [0x11111111 << n % 4 for n in range(32)]),
    ("vote.sync.any.pred %p2, %p1, -1; selp.b32 %r2, 1, 0, %p2;", [1] * 32),
    ("vote.sync.all.pred %p2, %p1, -1; selp.b32 %r2, 1, 0, %p2;", [0] * 32),
    (f"{TILES} vote.sync.ballot.b32 %r2, %p1, %r6;", [0x11 << (n & 24) for n in range(32)]),
    (f"{TILES} match.any.sync.b32 %r2, %r4, %r6;", [0x11 << n % 4 + (n & 24) for n in range(32)]),
    (f"{TILES} vote.sync.any.pred %p2, %p3, %r6; selp.b32 %r2, 1, 0, %p2;", [1] * 8 + [0] * 24),
    (f"{TILES} vote.sync.all.pred %p2, !%p3, %r6; selp.b32 %r2, 1, 0, %p2;", [0] * 8 + [1] * 24),
    ("shfl.sync.down.b32 %r2|%p2, %r1, 2, 31, -1; selp.b32 %r2, 7, %r1, %p2;",
     [7] * 30 + [30, 31]),
    ("shfl.sync.bfly.b32 %r2, %r1, 1, 7199, -1;", (LANE ^ 1).tolist()),
    ("bfind.u32 %r2, %r1;", [n.bit_length() - 1 & 0xFFFFFFFF for n in range(32)]),
    ("not.b32 %r5, %r1; bfind.s32 %r2, %r5;", [n.bit_length() - 1 & 0xFFFFFFFF for n in range(32)]),
    ("bfind.shiftamt.u32 %r2, %r1;", [0xFFFFFFFF, *(32 - n.bit_length() for n in range(1, 32))]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "wanted"), VOTES, ids=[code[:24] for code, _ in VOTES])
def test_lanes_tell_one_another(code: str, wanted: list[int]) -> None:
    """Every byte of the result is an address of its own."""
    for byte in range(4):
        body = f"""    and.b32 %r4, %r1, 3;
    setp.eq.u32 %p1, %r4, 0;
    {code}
    bfe.u32 %r3, %r2, {8 * byte}, 8;
    st.shared.b8 [%r3], %r1;"""
        assert lanes(ptx(body).accesses[0]) == [word >> 8 * byte & 255 for word in wanted]


def test_a_vote_of_loaded_data_is_not_known() -> None:
    body = """    ld.param.u64 %rd1, [k_param_0];
    ld.global.u32 %r4, [%rd1];
    setp.eq.u32 %p1, %r4, 0;
    vote.sync.ballot.b32 %r2, %p1, -1;
    st.shared.b8 [%r2], %r1;"""
    (access,) = ptx(body).accesses
    assert access.unknown.startswith("a value loaded from memory")


def noted(count: int, sure: int, bits: int, maybe: str, unknown: str = "") -> Touched:
    """What one copy of an access touched at byte 0 of all lanes."""
    place, lanes_ = np.zeros((1, 32), np.int64), np.ones((1, 32), bool)
    return Touched(
        [(place, lanes_)],
        [count],
        [sure],
        counted=count == sure,
        unknown=Unknown(unknown) if unknown else None,
        maybe=Unknown(maybe) if maybe else None,
        xored=bits,
        multiples=bits,
        index={(b"place", b"lanes"): 0},
    )


def test_copies_of_an_access_are_noted_as_one_of_all_their_executions() -> None:
    first, second = noted(2, 1, 4, ""), noted(3, 3, 8, "a number", "an address")
    first.anywhere, second.anywhere = noted(5, 5, 16, ""), noted(1, 0, 64, "")
    found = together([first, second])
    assert found.anywhere is not None
    for one, counts, sure, bits in ((found, 5, 4, 12), (found.anywhere, 6, 5, 80)):
        assert (one.counts, one.sure, one.counted) == ([counts], [sure], False)
        assert (one.xored, one.multiples) == (bits, bits)
    assert (found.maybe, found.unknown) == (second.maybe, second.unknown)
