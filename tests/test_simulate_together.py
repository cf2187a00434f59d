"""Statements of PTX that are alike are done at once: each writes what it writes alone."""

from __future__ import annotations

import random

import pytest

from bankwise.change.simulate import run
from bankwise.change.simulate.deciding import deciding
from bankwise.change.simulate.launches import SimulatedLaunch
from bankwise.change.simulate.ptx import PTX_SIMULATOR
from bankwise.change.simulate.schedule import scheduled
from bankwise.read.ptx.parse import Statement, kernels
from test_simulate import HEAD, TAIL

NAMES = [f"%r{n}" for n in range(20, 32)]
FLOATS = [f"%f{n}" for n in range(1, 9)]
INTEGERS = ["add.s32", "sub.u32", "mul.lo.s32", "and.b32", "xor.b32", "shl.b32", "min.s32"]
INTEGERS += ["max.u32", "shr.s32", "popc.b32", "mul.hi.u32"]
NUMBERS = ["fma.rn.f32", "add.f32", "mul.f32", "ex2.approx.f32", "sub.f32"]


def statement(pick: random.Random) -> str:
    kind = pick.randrange(10)
    a, b, c = (pick.choice(NAMES) for _ in range(3))
    f, g, h = (pick.choice(FLOATS) for _ in range(3))
    guard = pick.choice(["", "", "", "@%p1 ", "@!%p1 "])
    place = f"[%r3+{4 * pick.randrange(3)}]"
    if kind < 3:
        name = pick.choice(INTEGERS)
        return f"{guard}{name} {a}, {b};" if "popc" in name else f"{guard}{name} {a}, {b}, {c};"
    if kind < 6:
        name = pick.choice(NUMBERS)
        more = {"fma": f", {h}, {f}", "ex2": ""}.get(name[:3], f", {h}")
        return f"{guard}{name} {f}, {g}{more};"
    if kind == 6:
        return f"{guard}ld.shared.f32 {f}, {place};"
    if kind == 7:
        return f"{guard}st.shared.f32 {place}, {f};"
    if kind == 8:
        return pick.choice([f"setp.lt.s32 %p1, {a}, {b};", f"cvt.rn.f32.s32 {f}, {a};"])
    return f"mov.u32 {a}, {pick.choice(['7', '%laneid', b])};"


def kernel(pick: random.Random, tags: str = "") -> str:
    """A loop of random statements; what all registers hold is written behind it."""
    start = [f"mov.u32 {name}, {pick.randrange(1 << 31)};" for name in NAMES]
    start += [f"mov.f32 {name}, 0f{pick.randrange(1 << 31):08X};" for name in FLOATS]
    start += ["setp.gt.u32 %p1, %r1, 20;", "mad.lo.s32 %r3, %r1, 12, %r2;", "mov.u32 %r40, 0;"]
    body = [statement(pick) for _ in range(30)]
    loop = ["$L_1:", *body, tags, "add.s32 %r40, %r40, 1;", "setp.lt.s32 %p9, %r40, 4;",
        "@%p9 bra $L_1;"]  # fmt: skip
    ends = [f"st.global.u32 [%rd4+{512 * n}], {name};" for n, name in enumerate([*NAMES, *FLOATS])]
    return HEAD + "\n".join([*start, *loop, *ends]) + TAIL


SETTING = SimulatedLaunch((64, 1, 1), (4, 4, 1), (), 64, ((0, 0, 0),), 0)


@pytest.mark.parametrize("seed", range(60))
def test_a_loop_writes_what_it_writes_statement_by_statement(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = kernel(random.Random(seed))
    together = PTX_SIMULATOR.written(text, "k", SETTING, (0, 0, 0), 1)
    monkeypatch.setattr(run, "_ready", lambda running, at: None)
    assert together == PTX_SIMULATOR.written(text, "k", SETTING, (0, 0, 0), 1)


@pytest.mark.parametrize("seed", range(30))
def test_the_tags_that_are_passed_are_those_of_a_whole_run(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``%r22`` of the loop decides, in the last round, what comes by."""
    asked = "setp.gt.s32 %p7, %r22, %r23;\n@%p7 bra $L_2;\nbankwise_at 1;\n$L_2:"
    text = kernel(random.Random(seed), asked)
    found = PTX_SIMULATOR.passed(text, "k", SETTING, (0, 0, 0))
    monkeypatch.setattr(run, "_ready", lambda running, at: None)
    assert found == PTX_SIMULATOR.passed(text, "k", SETTING, (0, 0, 0))


def test_what_is_said_of_a_block_that_does_not_end_is_of_its_first_such_statement() -> None:
    """Both statements are no good, in the last round alone; the later one could be done first."""
    body = """
mov.u32 %r40, 0;
$L_1:
mad.lo.s32 %r41, %r40, 4096, %r2;
add.s32 %r42, %r41, 4;
add.s32 %r43, %r42, 4;
st.shared.u32 [%r43], %r1;
ld.shared.u32 %r44, [%r41];
add.s32 %r40, %r40, 1;
setp.lt.s32 %p9, %r40, 3;
@%p9 bra $L_1;
"""
    tags, why = PTX_SIMULATOR.passed(HEAD + body + TAIL, "k", SETTING, (0, 0, 0))
    assert tags == frozenset()
    assert why == f"byte {1024 + 4096 + 8} of {1024 + 4096} is touched: data may decide"


def statements(body: str) -> list[Statement]:
    (found,) = kernels(HEAD + body + TAIL)
    return list(found.statements[8:-1])


def test_loads_of_a_memory_stay_behind_the_stores_before_them() -> None:
    some = statements(
        "ld.shared.f32 %f1, [%r2];\nst.shared.f32 [%r2+4], %f1;\nld.shared.f32 %f2, [%r2];\n"
        "ld.global.f32 %f3, [%rd1];\nld.shared.f32 %f4, [%r2+8];\n"
    )
    items = scheduled(some, [True] * len(some))
    told = [tuple(part.writes for part in item.parts) for item in items]
    assert told == [("%f1",), ("%f3",), ("",), ("%f2", "%f4")]


def test_only_what_leads_to_a_place_or_a_way_decides() -> None:
    some = statements(
        "add.s32 %r20, %r1, 1;\nshl.b32 %r21, %r20, 2;\nld.shared.f32 %f1, [%r21];\n"
        "fma.rn.f32 %f2, %f1, %f1, %f2;\nsetp.lt.s32 %p1, %r20, %r22;\n@%p1 bra $L_2;\n$L_2:\n"
    )
    found = deciding(some, lambda one: one.parts[0] != "bra")
    assert {"%r1", "%r20", "%r21", "%r22", "%p1"} <= found
    assert not {"%f1", "%f2"} & found
