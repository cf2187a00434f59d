"""The simulation of PTX: integers as Python has them, all else as terms that tell a change."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from bankwise.change.simulate import run
from bankwise.change.simulate.arithmetic import OPERATIONS
from bankwise.change.simulate.launches import Simulated, SimulatedLaunch, compared
from bankwise.change.simulate.memory import POINTERS, Bytes, Words
from bankwise.change.simulate.ptx import PTX_SIMULATOR
from bankwise.errors import Refusal

M32 = (1 << 32) - 1


def s32(value: int) -> int:
    value &= M32
    return value - (1 << 32) if value >> 31 else value


def toward_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def permuted(a: int, b: int, pick: int) -> int:
    both = [(a | b << 32) >> 8 * n & 255 for n in range(8)]
    found = 0
    for place in range(4):
        one = pick >> 4 * place & 15
        byte = both[one & 7]
        found |= (255 if byte > 127 else 0) << 8 * place if one & 8 else byte << 8 * place
    return found


def extracted(a: int, place: int, count: int) -> int:
    return (a & M32) >> (place & 255) & (1 << (count & 255)) - 1


BY_HAND: dict[str, tuple[str, int, Callable[..., int]]] = {
    "add": ("u", 2, lambda a, b: a + b),
    "sub": ("u", 2, lambda a, b: a - b),
    "mul.lo": ("s", 2, lambda a, b: s32(a) * s32(b)),
    "mul.hi": ("s", 2, lambda a, b: s32(a) * s32(b) >> 32),
    "mad.lo": ("u", 3, lambda a, b, c: a * b + c),
    "div": ("s", 2, lambda a, b: toward_zero(s32(a), s32(b) or 1) if s32(b) else -1),
    "rem": ("s", 2, lambda a, b: s32(a) - s32(b) * toward_zero(s32(a), s32(b)) if s32(b) else a),
    "min": ("s", 2, lambda a, b: min(s32(a), s32(b))),
    "max": ("u", 2, lambda a, b: max(a & M32, b & M32)),
    "and": ("b", 2, lambda a, b: a & b),
    "or": ("b", 2, lambda a, b: a | b),
    "xor": ("b", 2, lambda a, b: a ^ b),
    "not": ("b", 1, lambda a: ~a),
    "neg": ("s", 1, lambda a: -a),
    "abs": ("s", 1, lambda a: abs(s32(a))),
    "shl": ("b", 2, lambda a, b: a << b if b < 32 else 0),
    "shr": ("s", 2, lambda a, b: s32(a) >> min(b, 31)),
    "bfe": ("u", 3, extracted),
    "prmt": ("b", 3, lambda a, b, c: permuted(a & M32, b & M32, c)),
    "popc": ("b", 1, lambda a: bin(a & M32).count("1")),
    "clz": ("b", 1, lambda a: 32 - (a & M32).bit_length()),
    "brev": ("b", 1, lambda a: int(f"{a & M32:032b}"[::-1], 2)),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_integers_are_those_of_python(name: str) -> None:
    kind, operands, by_hand = BY_HAND[name]
    draw = random.Random(name)
    small = [0, 1, 2, 5, 31, 32, 33, 63, 255, M32, M32 - 1, 1 << 31]
    values = [
        [draw.choice([draw.choice(small), draw.getrandbits(32)]) for _ in range(200)]
        for _ in range(operands)
    ]
    if name in ("shl", "shr", "bfe"):
        values[1:] = [[draw.choice([0, 1, 7, 31, 32]) for _ in range(200)] for _ in values[1:]]
    given = [np.array(one, np.uint64) for one in values]
    found = OPERATIONS[name](given, 32, kind == "s")
    expected = [by_hand(*one) & M32 for one in zip(*values, strict=True)]
    assert (found & np.uint64(M32)).tolist() == expected


HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1, .param .u32 k_param_2)
{
  .shared .align 16 .b8 tile[4096];
  ld.param.u64 %rd1, [k_param_0];
  ld.param.u64 %rd2, [k_param_1];
  ld.param.u32 %r9, [k_param_2];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  mov.u32 %r2, tile;
"""
TAIL = "  ret;\n}\n"


def same(old: str, new: str, *, threads: int = 64, assumed: int = 64) -> Simulated | Refusal:
    setting = SimulatedLaunch((threads, 1, 1), (4, 4, 1), (), assumed, ((0, 0, 0),), 0)
    return compared(PTX_SIMULATOR, HEAD + old + TAIL, HEAD + new + TAIL, "k", [setting])


THROUGH = """
  ld.global.f32 %f1, [%rd4];
  {store}
  add.s32 %r4, %r2, %r3;
  st.shared.f32 [%r4], %f1;
  bar.sync 0;
  {load}
  add.s32 %r6, %r2, %r5;
  ld.shared.f32 %f2, [%r6];
  fma.rn.f32 %f3, %f2, %f1, %f2;
  st.global.f32 [%rd5], %f3;
"""
PLAIN = "shl.b32 %r3, %r1, 2;", "xor.b32 %r5, %r1, 5; shl.b32 %r5, %r5, 2;"


def through(store: str, load: str) -> str:
    return THROUGH.format(store=store, load=load)


def test_another_layout_writes_the_same() -> None:
    moved = (
        "shr.u32 %r3, %r1, 3; and.b32 %r3, %r3, 7; xor.b32 %r3, %r3, %r1; shl.b32 %r3, %r3, 2;",
        "xor.b32 %r5, %r1, 5; shr.u32 %r7, %r5, 3; and.b32 %r7, %r7, 7; xor.b32 %r5, %r5, %r7;"
        " shl.b32 %r5, %r5, 2;",
    )
    told = same(through(*PLAIN), through(*moved))
    assert told == Simulated(64, 1, told.steps)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "wrong",
    [
        ("shl.b32 %r3, %r1, 2;", "xor.b32 %r5, %r1, 4; shl.b32 %r5, %r5, 2;"),
        ("xor.b32 %r3, %r1, 1; shl.b32 %r3, %r3, 2;", PLAIN[1]),
        ("and.b32 %r3, %r1, 31; shl.b32 %r3, %r3, 2;", PLAIN[1]),
        ("mul.lo.u32 %r3, %r1, 8;", PLAIN[1]),
    ],
)
def test_swapped_and_lost_data_are_told(wrong: tuple[str, str]) -> None:
    told = same(through(*PLAIN), through(*wrong))
    assert isinstance(told, Simulated)
    assert "writes another value" in told.differs
    assert "behind pointer 2" in told.differs


def test_sums_have_no_order_and_differences_have() -> None:
    both = "ld.global.f32 %f1, [%rd4]; ld.global.f32 %f2, [%rd4+256]; "
    store = " st.global.f32 [%rd5], %f3;"
    for name, alike in (("add.f32", True), ("fma.rn.f32", True), ("sub.f32", False)):
        last = ", %f1" if name[:3] == "fma" else ""
        one, other = (f"{both}{name} %f3, {a}{last};{store}" for a in ("%f1, %f2", "%f2, %f1"))
        told = same(one, other)
        assert isinstance(told, Simulated)
        assert bool(told.differs) != alike, name


def test_ways_that_part_join_again() -> None:
    text = """
  setp.lt.u32 %p1, %r1, 20;
  mov.u32 %r3, 7;
  @%p1 bra $L1;
  mov.u32 %r3, 9;
$L1:
  shfl.sync.bfly.b32 %r4, %r3, 16, 31, -1;
  st.global.u32 [%rd5], %r4;
"""
    by_hand = [9 if (t ^ 16) >= 20 else 7 for t in range(64)]
    expected = "".join(
        f"setp.eq.u32 %p2, %r1, {t}; @%p2 st.global.u32 [%rd5], {v};\n"
        for t, v in enumerate(by_hand)
    )
    told = same(text, expected)
    assert isinstance(told, Simulated)
    assert not told.differs


def test_a_matrix_fragment_is_that_of_the_manual() -> None:
    """ldmatrix: lane l gets elements 2 (l mod 4) and the next of row l / 4."""
    fill = "shl.b32 %r3, %r1, 2; add.s32 %r4, %r2, %r3; st.shared.u32 [%r4], %r1; bar.sync 0; "
    loaded = fill + (
        "and.b32 %r5, %r1, 7; shl.b32 %r5, %r5, 4; add.s32 %r5, %r5, %r2;"
        " ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r6}, [%r5]; st.global.u32 [%rd5], %r6;"
    )
    by_hand = fill + (
        "shr.u32 %r5, %r1, 2; shl.b32 %r5, %r5, 4; and.b32 %r6, %r1, 3; shl.b32 %r6, %r6, 2;"
        " add.s32 %r5, %r5, %r6; add.s32 %r5, %r5, %r2; ld.shared.u32 %r6, [%r5];"
        " st.global.u32 [%rd5], %r6;"
    )
    told = same(loaded, by_hand, threads=32)
    assert isinstance(told, Simulated)
    assert not told.differs
    other = same(loaded.replace(".x1.", ".x1.trans."), by_hand, threads=32)
    assert isinstance(other, Simulated)
    assert other.differs


def test_a_function_that_is_called_gives_what_its_body_would() -> None:
    function = (
        ".func (.param .b32 retval0) twice(.param .b32 p0)\n{\n ld.param.u32 %r1, [p0+0];\n"
        " shl.b32 %r2, %r1, 1; st.param.b32 [retval0+0], %r2; ret;\n}\n"
    )
    call = (
        " setp.lt.u32 %p1, %r1, 20; @%p1 bra $L; { .param .b32 a0; st.param.b32 [a0+0], %r1;\n"
        " .param .b32 r0; call.uni (r0), twice, (a0); ld.param.b32 %r3, [r0+0];\n }\n"
        "$L: mov.u32 %r4, 0; @!%p1 mov.u32 %r4, %r3; st.global.u32 [%rd5], %r4;"
    )
    setting = SimulatedLaunch((64, 1, 1), (4, 4, 1), (), 64, ((0, 0, 0),), 0)
    by_hand = "".join(
        f"setp.eq.u32 %p2, %r1, {t}; @%p2 st.global.u32 [%rd5], {2 * t if t >= 20 else 0};\n"
        for t in range(64)
    )
    head, _, body = HEAD.partition(".visible")
    old = head + function + ".visible" + body + call + TAIL
    told = compared(PTX_SIMULATOR, old, HEAD + by_hand + TAIL, "k", [setting])
    assert isinstance(told, Simulated), told
    assert not told.differs
    wrong = compared(
        PTX_SIMULATOR,
        old.replace("shl.b32 %r2, %r1, 1", "shl.b32 %r2, %r1, 2"),
        old,
        "k",
        [setting],
    )
    assert isinstance(wrong, Simulated)
    assert wrong.differs


def test_barriers_of_some_threads_order_only_those() -> None:
    """A warp fills, arrives and goes; the other waits for it and reads."""
    text = """
  setp.lt.u32 %p1, %r1, 32;
  shl.b32 %r3, %r1, 2;
  add.s32 %r4, %r2, %r3;
  @%p1 bra $FILL;
  bar.sync 1, 64;
  ld.shared.u32 %r6, [%r4+-128];
  st.global.u32 [%rd5], %r6;
  bra $END;
$FILL:
  st.shared.u32 [%r4], %r1;
  bar.arrive 1, 64;
$END:
"""
    by_hand = "sub.u32 %r6, %r1, 32; setp.ge.u32 %p1, %r1, 32; @%p1 st.global.u32 [%rd5], %r6;"
    told = same(text, by_hand)
    assert isinstance(told, Simulated), told
    assert not told.differs


def test_a_structure_as_parameter_holds_what_is_loaded_of_it() -> None:
    head = HEAD.replace(".param .u32 k_param_2", ".param .align 8 .b8 k_param_2[24]")
    head = head.replace("ld.param.u32 %r9, [k_param_2]", "ld.param.u32 %r9, [k_param_2+16]")
    setting = SimulatedLaunch((64, 1, 1), (4, 4, 1), (), 64, ((0, 0, 0),), 0)
    store = " ld.param.u64 %rd9, [k_param_2+8]; add.s64 %rd9, %rd9, %rd3;"
    texts = [head + store + f" st.global.u32 [%rd{n}], %r9;" + TAIL for n in (9, 4)]
    told = compared(PTX_SIMULATOR, texts[0], texts[0].replace("%r9;\n", "64;\n"), "k", [setting])
    assert isinstance(told, Simulated), told
    assert (told.words, told.differs) == (64, "")
    other = compared(PTX_SIMULATOR, texts[0], texts[1], "k", [setting])
    assert isinstance(other, Simulated)
    assert other.differs


def test_copies_that_are_waited_for_are_done() -> None:
    copied = (
        "shl.b32 %r3, %r1, 2; add.s32 %r4, %r2, %r3; cp.async.ca.shared.global [%r4], [%rd4], 4;"
        " cp.async.commit_group; cp.async.wait_group 0; bar.sync 0; ld.shared.u32 %r5, [%r4];"
        " st.global.u32 [%rd5], %r5;"
    )
    told = same(copied, "ld.global.u32 %r5, [%rd4]; st.global.u32 [%rd5], %r5;")
    assert isinstance(told, Simulated), told
    assert not told.differs


def test_names_of_inline_assembly_are_registers() -> None:
    text = (
        "{ .reg .f16 low,high;\n mov.b32 {low,high}, %r1;\n cvt.u32.u16 %r5, low; }"
        " st.global.u32 [%rd5], %r5;"
    )
    told = same(text, "and.b32 %r5, %r1, 65535; st.global.u32 [%rd5], %r5;")
    assert isinstance(told, Simulated), told
    assert not told.differs


def test_atomics_of_shared_memory_count() -> None:
    count = (
        "and.b32 %r3, %r1, 3; shl.b32 %r3, %r3, 2; add.s32 %r4, %r2, %r3; mov.u32 %r5, 0;"
        " st.shared.u32 [%r4], %r5; bar.sync 0; atom.shared.add.u32 %r6, [%r4], 1; bar.sync 0;"
        " ld.shared.u32 %r7, [%r4]; st.global.u32 [%rd5], %r7;"
    )
    told = same(count, "mov.u32 %r7, 16; st.global.u32 [%rd5], %r7;")
    assert isinstance(told, Simulated)
    assert not told.differs


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("wgmma.fence.sync.aligned;", "wgmma.fence.sync.aligned"),
        ("call foo;", "a call of foo"),
        ("bar.sync 1, 96;", "a barrier that some of its threads never reach"),
        (
            "setp.lt.u32 %p1, %r1, 7; @%p1 bra $A; bar.sync 0; bra $B;\n"
            "$A: vote.sync.ballot.b32 %r4, %p1, -1;\n$B: mov.u32 %r5, 1;",
            "an instruction of a warp that some of its threads do not reach",
        ),
        (
            "mov.u32 %r5, 9000000; add.s32 %r5, %r5, %r2; ld.shared.u32 %r6, [%r5];",
            "data may decide",
        ),
        ("add.s32 %r5, %r77, 1;", "%r77 is read before it is written"),
        ("$L: bra $L;", "more than"),
        ("mov.u32 %r5, %clock;", "%clock"),
    ],
)
def test_what_is_not_simulated_is_said(
    text: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "MOST_STEPS", 10_000)
    told = same(text, text)
    assert isinstance(told, Refusal)
    assert why in told.reason


def test_pointers_lie_apart() -> None:
    told = same("st.global.u32 [%rd4], %r1;", "st.global.u32 [%rd5], %r1;")
    assert isinstance(told, Simulated)
    assert f"0 bytes behind pointer {POINTERS // POINTERS}" in told.differs


@pytest.mark.parametrize("size", [1, 2, 4, 8])
@pytest.mark.parametrize("at", [0, 1, 2, 3])
def test_global_memory_is_of_bytes_wherever_a_word_begins(at: int, size: int) -> None:
    """Triton stores rows of f16 that begin at a half in words that begin there."""
    memory, places = Words(7), POINTERS + np.arange(16, dtype=np.uint64)
    memory.store(places, np.arange(1, 17, dtype=np.uint64), 1)
    asked = np.array([POINTERS + at], np.uint64)
    held = bytes(range(1, 17))
    assert memory.load(asked, size).tolist() == [int.from_bytes(held[at : at + size], "little")]
    memory.store(asked, np.array([0xA1B2C3D4E5F60718], np.uint64) >> np.uint64(64 - 8 * size), size)
    new = 0xA1B2C3D4E5F60718 >> (64 - 8 * size)
    held = held[:at] + new.to_bytes(size, "little") + held[at + size :]
    assert memory.load(places, 1).tolist() == list(held)


def product(filled: int, loaded: int, stored: int, read: int, layout: str = "row") -> str:
    """A matrix of 16 x 16 halves, a word a thread, as both factors; the sums go through shared
    memory. Each number: how many elements rows are apart where that is done."""
    a, b = (", ".join(f"%{one}{n}" for n in range(8)) for one in "gh")
    c = ", ".join(f"%c{n}" for n in range(8))
    return f"""
  shr.u32 %r3, %r1, 3; mul.lo.u32 %r3, %r3, {2 * filled}; and.b32 %r4, %r1, 7;
  shl.b32 %r4, %r4, 2; add.s32 %r3, %r3, %r4; add.s32 %r3, %r3, %r2;
  ld.global.u32 %r5, [%rd4]; st.shared.u32 [%r3], %r5; bar.sync 0;
  wmma.load.a.sync.aligned.{layout}.m16n16k16.shared.f16 {{{a}}}, [%r2], {loaded};
  wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {{{b}}}, [%r2], {loaded};
  wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {{{c}}}, [%rd1];
  wmma.mma.sync.aligned.{layout}.col.m16n16k16.f32.f32 {{{c}}}, {{{a}}}, {{{b}}}, {{{c}}};
  wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r2+1024], {{{c}}}, {stored}; bar.sync 0;
  shr.u32 %r3, %r1, 4; mul.lo.u32 %r3, %r3, {4 * read}; and.b32 %r4, %r1, 15;
  shl.b32 %r4, %r4, 2; add.s32 %r3, %r3, %r4; add.s32 %r3, %r3, %r2;
  ld.shared.u32 %r6, [%r3+1024]; st.global.u32 [%rd5], %r6;
"""


def test_a_matrix_of_wmma_is_its_elements_wherever_they_lie() -> None:
    right = product(16, 16, 16, 16)
    told = same(right, product(24, 24, 20, 20), threads=128)
    assert told == Simulated(128, 1, told.steps)  # type: ignore[union-attr]
    for wrong in (
        product(24, 16, 16, 16),
        product(16, 24, 16, 16),
        product(16, 16, 20, 16),
        product(16, 16, 16, 20),
        product(16, 16, 16, 16, "col"),
        right.replace("shared.f16 {%h", "shared.f16 {%r7, %h").replace(", %h7}, [", "}, [", 1),
        right.replace("[%rd1]", "[%rd1+4]"),
    ):
        found = same(right, wrong, threads=128)
        assert isinstance(found, Refusal) or found.differs, wrong


def test_a_matrix_of_a_warp_lies_at_one_place() -> None:
    apart = product(16, 16, 16, 16).replace("%g7}, [%r2]", "%g7}, [%r7]")
    apart = apart.replace("bar.sync 0;", "bar.sync 0; add.s32 %r7, %r2, %r1;", 1)
    told = same(apart, apart, threads=128)
    assert isinstance(told, Refusal)
    assert "a matrix of a warp at several addresses" in told.reason


@pytest.mark.parametrize("size", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("step", [1, 2, 4, 8])
@pytest.mark.parametrize("width", [64, 67])
def test_shared_and_local_memory_are_of_bytes_wherever_an_access_begins(
    size: int, step: int, width: int
) -> None:
    draw = random.Random(size * step)
    held = [bytearray(draw.randbytes(width)) for _ in range(2)]
    memory = Bytes(np.array([list(row) for row in held], np.uint8))
    apart = -(-size // step) * step  # which of two that overlap comes last is not defined
    places = list(range(draw.randrange(step), width - size + 1, apart))
    rows = [draw.randrange(2) for _ in places]
    values = [draw.getrandbits(8 * size) for _ in places]
    where = np.array(rows), np.array(places, np.uint64)
    memory.store(*where, np.array(values, np.uint64), size)
    for row, at, value in zip(rows, places, values, strict=True):
        held[row][at : at + size] = value.to_bytes(size, "little")
    assert [bytes(row) for row in memory.data] == held
    asked = [(n % 2, at) for n, at in enumerate(range(0, width - size + 1, step))]
    wanted = [int.from_bytes(held[row][at : at + size], "little") for row, at in asked]
    found = memory.load(
        np.array([r for r, _ in asked]), np.array([a for _, a in asked], np.uint64), size
    )
    assert found.tolist() == wanted


@pytest.mark.parametrize(
    ("body", "steps"),
    [
        ("st.global.u32 [%rd5], %r1;", 10),
        ("bar.sync 0; st.global.u32 [%rd5], %r1;", 12),  # the barrier, and that it lets go
        ("setp.lt.u32 %p1, %r1, 8; @%p1 bra $L; st.global.u32 [%rd5], %r1; $L:", 12),
    ],
)
def test_each_statement_is_one_step_and_a_block_that_takes_too_many_is_not_run(
    body: str, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "MOST_STEPS", steps + 1)
    told = same(body, body)
    assert isinstance(told, Simulated)
    assert told.steps == 2 * steps
    monkeypatch.setattr(run, "MOST_STEPS", steps)
    refused = same(body, body)
    assert isinstance(refused, Refusal)
    assert f"takes more than {steps} statements" in refused.reason
