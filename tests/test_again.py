"""What a block did with the same numbers is not followed again: nothing that is found changes."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from bankwise.read.assembly import AssemblyKernel
from bankwise.read.follow import again
from bankwise.read.follow.program import ProgramStep, program
from bankwise.read.follow.slicing import cut
from bankwise.read.follow.strands import strands
from bankwise.read.follow.touched import Touched
from isa_texts import amd, ptx
from random_ptx import known
from random_ptx import program as random_program
from random_ptx import text as random_text
from sass_texts import sass
from test_isa_ptx_random import touched

LOOPS = {
    "sass": lambda rounds: sass(f"""
        S2R R0, SR_TID.X ;
        IMAD.SHL.U32 R2, R0, 0x8, RZ ;
        MOV R3, 0x0 ;
        .L_x_1:
        LOP3.LUT R4, R2, 0x70, RZ, 0x3c, !PT ;
        IMAD.SHL.U32 R5, R4, 0x2, RZ ;
        LDS R6, [R5+0x40] ;
        LEA R7, R3, R2, 0x2 ;
        LDS R8, [R7] ;
        IADD3 R3, R3, 0x1, RZ ;
        ISETP.GE.AND P0, PT, R3, {rounds:#x}, PT ;
        @!P0 BRA `(.L_x_1) ;
        EXIT ;
    """),
    "ptx": lambda rounds: ptx(f"""
        mov.u32 %r1, %tid.x;
        mov.u32 %r3, 0;
        $L_1:
        shl.b32 %r4, %r1, 3;
        xor.b32 %r5, %r4, 64;
        ld.shared.u32 %r6, [%r5+128];
        shl.b32 %r7, %r3, 2;
        mad.lo.u32 %r7, %r1, 8, %r7;
        ld.shared.u32 %r8, [%r7];
        add.u32 %r3, %r3, 1;
        setp.lt.u32 %p1, %r3, {rounds};
        @%p1 bra $L_1;
    """),
    "amd": lambda rounds: amd(f"""\ts_mov_b32 s5, 0
.L1:
\tv_lshlrev_b32_e32 v1, 3, v0
\tv_xor_b32_e32 v2, 64, v1
\tds_read_b32 v3, v2 offset:128
\ts_lshl_b32 s6, s5, 2
\tv_lshl_add_u32 v4, v0, 3, s6
\tds_read_b32 v5, v4
\ts_add_i32 s5, s5, 1
\ts_cmp_lt_i32 s5, {rounds}
\ts_cbranch_scc1 .L1"""),
}


def steps_of(monkeypatch: pytest.MonkeyPatch, language: str, rounds: int) -> tuple[int, object]:
    """How many steps run, and what is found."""
    real, ran = again.run_step, []
    monkeypatch.setattr(again, "run_step", lambda *rest: ran.append(1) or real(*rest))
    found = LOOPS[language](rounds)
    monkeypatch.setattr(again, "run_step", real)
    return len(ran), patterns(found)


def patterns(found: AssemblyKernel) -> object:
    return [
        [(p.offsets_bytes.tolist(), p.active.tolist(), p.executions) for p in one.access.patterns]
        for one in found.accesses
    ]


@pytest.mark.parametrize("language", LOOPS)
def test_a_round_runs_what_is_new_in_it_alone(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each round more is a counter and what is made of it, and not the address that stays."""
    (few, _), (many, found) = (steps_of(monkeypatch, language, n) for n in (20, 40))
    monkeypatch.setattr(again, "_FEWEST", 1 << 30)
    (few_whole, _), (many_whole, whole) = (steps_of(monkeypatch, language, n) for n in (20, 40))
    assert found == whole
    assert (many - few) < (many_whole - few_whole)
    assert (many_whole - few_whole) % 20 == 0


def seen(body: str) -> dict[int, object]:
    return {line: _told(one) for line, one in touched(body).items()}


def _told(one: Touched | None) -> object:
    if one is None:
        return None
    rows = [(offsets.tolist(), active.tolist()) for offsets, active in one.patterns]
    why = [w and (w.reason, w.line, w.uniform) for w in (one.unknown, one.maybe)]
    more = (one.counts, one.sure, one.counted, one.xored, one.multiples)
    return rows, why, more, _told(one.anywhere)


@pytest.mark.parametrize("seed", range(1, 26))
def test_nothing_that_is_found_of_random_programs_changes(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pick = random.Random(seed)
    nodes = random_program(pick, 14, returns=seed % 3 == 0)
    body, _ = random_text(known(nodes, pick) if seed % 2 else nodes)
    monkeypatch.setattr(again, "_FEWEST", 1)
    found = seen(body)
    monkeypatch.setattr(again, "_FEWEST", 1 << 30)
    assert found == seen(body)


def _step(number: int, reads: str, writes: str, **more: object) -> ProgramStep:
    where = {"line": number, "name": "step", "reads": tuple(reads), "writes": tuple(writes)}
    return ProgramStep(**where, run=lambda state: None, **more)  # type: ignore[arg-type]


def touching(number: int, reads: str) -> ProgramStep:
    return _step(number, reads, "", address=lambda state: np.zeros((1, 1), np.int64))


def test_strands_share_the_names_of_registers_and_nothing_else() -> None:
    """``a`` is written twice: first for one address, then for another."""
    steps = [_step(0, "x", "a"), touching(1, "a"), _step(2, "y", "a"), touching(3, "ab")]
    made = program([*steps, ProgramStep(4, "end", flow="end")])
    kept = cut(made, ())
    found = strands(made, kept, 0, whole=True)
    assert found is not None
    assert {(one.numbers, one.reads, one.leaves) for one in found} == {
        ((0, 1), ("x",), ()),
        ((2, 3), ("b", "y"), ("a",)),
    }
    (whole,) = strands(made, kept, 0, whole=False) or ()
    assert (whole.numbers, whole.reads) == ((0, 1, 2, 3), ("a", "b", "x", "y"))


def test_where_the_lanes_change_there_are_no_strands() -> None:
    steps = [touching(0, "a"), _step(1, "m", "m", masks=True), touching(2, "m")]
    made = program([*steps, ProgramStep(3, "end", flow="end")])
    assert strands(made, cut(made, ()), 0, whole=True) is None


def parted(rounds: int) -> AssemblyKernel:
    """Lanes below 16 come to $B behind $A, those from 16 to 23 at once, and so in each round."""
    return ptx(f"""
        mov.u32 %r1, %tid.x;
        mov.u32 %r3, 0;
        mov.u32 %r4, 0;
        $L_1:
        setp.lt.u32 %p1, %r1, 16;
        setp.lt.u32 %p2, %r1, 24;
        @%p1 bra $A;
        @%p2 bra $B;
        bra.uni $C;
        $A:
        st.shared.u32 [%r1+4096], %r1;
        $B:
        shl.b32 %r4, %r1, 7;
        xor.b32 %r4, %r4, 64;
        add.u32 %r4, %r4, 128;
        and.b32 %r4, %r4, 4095;
        ld.shared.u32 %r8, [%r4];
        $C:
        add.u32 %r3, %r3, 1;
        setp.lt.u32 %p1, %r3, {rounds};
        @%p1 bra $L_1;
        st.shared.u32 [%r4+8192], %r1;
    """)


def read_of(kernel: AssemblyKernel) -> dict[int, int]:
    """How often at most some lanes read together, by how many they are."""
    (read,) = (one.access for one in kernel.accesses if one.access.direction == "read")
    most: Counter[int] = Counter()
    for one in read.patterns:
        assert one.really is not None
        assert one.really.high is not None
        most[int(one.active.sum())] += one.really.high
    return dict(most)


def test_lanes_that_may_run_beside_others_are_followed_in_each_round(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = read_of(parted(9))
    monkeypatch.setattr(again, "_FEWEST", 1 << 30)
    assert found == read_of(parted(9))
    # Each group, and both together: at most as often as there are rounds.
    assert found == {16: 9, 8: 9, 24: 9}
