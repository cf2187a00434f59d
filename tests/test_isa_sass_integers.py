"""SASS integers: each instruction against a plain Python meaning, lane by lane, on hard numbers."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from bankwise.read.follow.state import State, read
from bankwise.read.follow.values import Unknown, constant
from bankwise.read.sass.decode import decode_kernel
from bankwise.read.sass.effects import results
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.parse import kernels
from sass_texts import sass_text

M32, M64 = (1 << 32) - 1, (1 << 64) - 1
HARD = [0, 1, 2, 3, 4, 5, 31, 32, 33, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x10000]
HARD += [0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, M32, 0x12345678, 0xDEADBEEF]


def s32(x: int) -> int:
    return x - (1 << 32) if x >> 31 & 1 else x


def s64(x: int) -> int:
    return x - (1 << 64) if x >> 63 & 1 else x


def numbers(count: int, seed: int) -> list[np.ndarray]:
    draw = random.Random(seed)
    return [
        np.array([[draw.choice(HARD) for _ in range(32)] for _ in range(8)], np.uint32)
        for _ in range(count)
    ]


def run(code: str, given: dict[str, np.ndarray]) -> State:
    """The registers after one instruction."""
    (kernel,) = kernels(sass_text(code), "k")
    decoded = decode_kernel(kernel)
    step = decoded.program.steps[0]
    assert step.followed, code
    assert set(step.reads) <= set(given) | {"PT"}, (code, step.reads)
    state = State(np.ones((8, 32), np.bool_), dict(given))
    state.memory = lambda bank, offset, size: constant(bank << 24 | offset)
    assert step.run is not None
    step.run(state)
    return state


def value(state: State, name: str) -> list[int]:
    found = read(state, name)
    assert not isinstance(found, Unknown), name
    return [int(x) for x in np.broadcast_to(found, state.active.shape).ravel()]


ONE_WORD: list[tuple[str, Callable[..., int]]] = [
    ("MOV R0, R1", lambda a, b, c, p: a),
    ("UMOV UR0, UR1", lambda a, b, c, p: a),
    ("IADD3 R0, R1, R2, R3", lambda a, b, c, p: a + b + c),
    ("IADD3 R0, -R1, R2.reuse, -R3", lambda a, b, c, p: b - a - c),
    ("IADD3 R0, R1, -0x10, RZ", lambda a, b, c, p: a - 16),
    ("UIADD3 UR0, UR1, UR2, URZ", lambda a, b, c, p: a + b),
    ("VIADD R0, R1, -UR2", lambda a, b, c, p: a - b),
    ("IMAD R0, R1, R2, R3", lambda a, b, c, p: a * b + c),
    ("IMAD R0, R1, -0x70, -R3", lambda a, b, c, p: a * -0x70 - c),
    ("IMAD.MOV R0, RZ, RZ, -R3", lambda a, b, c, p: -c),
    ("IMAD.SHL.U32 R0, R1, 0x8, RZ", lambda a, b, c, p: a << 3),
    ("IMAD.IADD R0, R1, 0x1, R3", lambda a, b, c, p: a + c),
    ("IMAD.X R0, R1, 0x1, R3, P0", lambda a, b, c, p: a + c + p),
    ("IMAD.HI.U32 R0, R1, R2, RZ", lambda a, b, c, p: a * b >> 32),
    ("IMAD.HI R0, R1, R2, RZ", lambda a, b, c, p: s32(a) * s32(b) >> 32),
    ("LEA R0, R1, R2, 0x4", lambda a, b, c, p: (a << 4) + b),
    ("LEA R0, R1, -R2, 0x1", lambda a, b, c, p: (a << 1) - b),
    ("LEA.HI R0, R1, R2, R3, 0x5", lambda a, b, c, p: ((c << 32 | a) << 5 >> 32 & M32) + b),
    ("LEA.HI.X R0, R1, R2, R3, 0x2, P0", lambda a, b, c, p: ((c << 32 | a) << 2 >> 32) + b + p),
    ("LEA.HI.SX32 R0, R1, R2, 0x1c", lambda a, b, c, p: (s32(a) << 28 >> 32) + b),
    ("LEA.HI.X.SX32 R0, R1, R2, 0x1, P0", lambda a, b, c, p: (s32(a) << 1 >> 32) + b + p),
    ("LOP3.LUT R0, R1, R2, RZ, 0xc0, !PT", lambda a, b, c, p: a & b),
    ("LOP3.LUT R0, R1, R2, R3, 0x78, !PT", lambda a, b, c, p: a ^ (b & c)),
    ("LOP3.LUT R0, R1, R2, R3, 0xf8, !PT", lambda a, b, c, p: a | (b & c)),
    ("ULOP3.LUT UR0, URZ, UR2, URZ, 0x33, !UPT", lambda a, b, c, p: ~b),
    ("SHF.L.U32 R0, R1, 0x3, RZ", lambda a, b, c, p: a << 3),
    ("SHF.L.U32 R0, R1, R2, RZ", lambda a, b, c, p: a << min(b, 32)),
    ("SHF.R.U32.HI R0, RZ, 0x5, R3", lambda a, b, c, p: c >> 5),
    ("SHF.R.S32.HI R0, RZ, 0x1f, R3", lambda a, b, c, p: s32(c) >> 31),
    ("SHF.R.U32.HI R0, RZ, R2, R3", lambda a, b, c, p: c >> min(b, 32)),
    ("SHF.R.W.U32 R0, R1, R2, R3", lambda a, b, c, p: (c << 32 | a) >> (b & 31)),
    ("SHF.L.W.U32.HI R0, R1, R2, R3", lambda a, b, c, p: (c << 32 | a) << (b & 31) >> 32),
    ("SHF.L.U64.HI R0, R1, 0x4, R3", lambda a, b, c, p: (c << 32 | a) << 4 >> 32),
    ("SHF.R.U64 R0, R1, 0x4, R3", lambda a, b, c, p: (c << 32 | a) >> 4),
    ("USHF.R.S32.HI UR0, URZ, 0x4, UR3", lambda a, b, c, p: s32(c) >> 4),
    ("BMSK R0, R1, R2", lambda a, b, c, p: ((1 << min(b, 32)) - 1) << min(a, 32)),
    ("SGXT.U32 R0, R1, 0x5", lambda a, b, c, p: a & 31),
    ("SGXT R0, R1, 0x5", lambda a, b, c, p: (a & 31) - (32 if a & 16 else 0)),
    ("SEL R0, R1, R2, P0", lambda a, b, c, p: a if p else b),
    ("USEL UR0, UR1, UR2, !UP0", lambda a, b, c, p: b if p else a),
    ("VIMNMX R0, R1, R2, PT", lambda a, b, c, p: min(s32(a), s32(b))),
    ("VIMNMX.U32 R0, R1, R2, !PT", lambda a, b, c, p: max(a, b)),
    ("IMNMX R0, R1, R2, P0", lambda a, b, c, p: (min if p else max)(s32(a), s32(b))),
    ("VIMNMX3 R0, R1, R2, R3, !PT", lambda a, b, c, p: max(s32(a), s32(b), s32(c))),
    ("VIMNMX3.U32 R0, R1, R2, R3, PT", lambda a, b, c, p: min(a, b, c)),
    ("VIADDMNMX.U32 R0, R1, R2, R3, !PT", lambda a, b, c, p: max((a + b) & M32, c)),
    ("IABS R0, R1", lambda a, b, c, p: abs(s32(a))),
    ("POPC R0, R1", lambda a, b, c, p: a.bit_count()),
    ("BREV R0, R1", lambda a, b, c, p: int(f"{a:032b}"[::-1], 2)),
    ("FLO.U32 R0, R1", lambda a, b, c, p: a.bit_length() - 1),
    ("FLO.U32.SH R0, R1", lambda a, b, c, p: 32 - a.bit_length() if a else -1),
    ("R2UR UR0, UR1", lambda a, b, c, p: a),
    ("HFMA2.MMA R0, -RZ, RZ, 0, 5.9604644775390625e-08", lambda a, b, c, p: 1),
    ("HFMA2 R0, -RZ, RZ, 1, 2.384185791015625e-07", lambda a, b, c, p: 0x3C000004),
    ("P2R R0, PR, R1, 0x1", lambda a, b, c, p: a & ~1 | p),
    ("IADD3.X R0, R1, ~R2, RZ, P0, !PT", lambda a, b, c, p: a + (~b & M32) + p),
]


@pytest.mark.parametrize(("code", "meaning"), ONE_WORD, ids=[code for code, _ in ONE_WORD])
def test_one_word(code: str, meaning: Callable[..., int]) -> None:
    a, b, c = numbers(3, seed=len(code))
    p = numbers(1, seed=7)[0] & np.uint32(1) > 0
    if "R2UR" in code:
        a = np.broadcast_to(a[:, :1], a.shape)
    prefix = "UR" if " UR0" in code else "R"
    given = {f"{kind}{n}": x for n, x in enumerate((a, b, c), 1) for kind in ("R", "UR")}
    state = run(code, given | {"P0": p, "UP0": p})
    rows = zip(a.ravel(), b.ravel(), c.ravel(), p.ravel(), strict=True)
    expected = [meaning(int(x), int(y), int(z), int(q)) & M32 for x, y, z, q in rows]
    assert value(state, f"{prefix}0") == expected


def pairs(low: np.ndarray, high: np.ndarray) -> list[int]:
    return [int(h) << 32 | int(x) for x, h in zip(low.ravel(), high.ravel(), strict=True)]


@pytest.mark.parametrize("signed", [False, True])
def test_wide_products_and_sums_of_64_bits(signed: bool) -> None:
    a, b, low, high = numbers(4, seed=11)
    code = f"IMAD.WIDE{'' if signed else '.U32'} R6, P1, R1, R2, R4"
    state = run(code, {"R1": a, "R2": b, "R4": low, "R5": high})
    number = s32 if signed else int
    for x, y, z, lower, upper, over in zip(
        a.ravel(), b.ravel(), pairs(low, high), value(state, "R6"), value(state, "R7"),
        value(state, "P1"), strict=True,
    ):  # fmt: skip
        product = number(int(x)) * number(int(y)) & M64
        assert upper << 32 | lower == product + z & M64
        assert over == (product + z) >> 64


def test_the_high_word_of_a_product_adds_a_pair() -> None:
    a, b, low, high = numbers(4, seed=12)
    state = run("IMAD.HI.U32 R0, R1, R2, R4", {"R1": a, "R2": b, "R4": low, "R5": high})
    rows = zip(a.ravel(), b.ravel(), pairs(low, high), strict=True)
    expected = [(int(x) * int(y) + z & M64) >> 32 for x, y, z in rows]
    assert value(state, "R0") == expected


def test_a_sum_of_64_bits_is_carried_from_the_lower_words_to_the_upper() -> None:
    a, b, c, d = numbers(4, seed=13)
    for sign, negated in (("", ""), ("-", "~")):
        first = run(f"IADD3 R6, P0, R1, {sign}R3, RZ", {"R1": a, "R3": c})
        given = {"R2": b, "R4": d, "P0": first.registers["P0"]}
        second = run(f"IADD3.X R7, R2, {negated}R4, RZ, P0, !PT", given)
        got = pairs(np.array(value(first, "R6")), np.array(value(second, "R7")))
        rows = zip(pairs(a, b), pairs(c, d), strict=True)
        assert got == [(x - y if sign else x + y) & M64 for x, y in rows]


def test_an_address_of_64_bits_is_carried_through_lea() -> None:
    a, c, d = numbers(3, seed=14)
    first = run("LEA R6, P0, R1, R3, 0x2", {"R1": a, "R3": c})
    carried = first.registers["P0"]
    second = run("LEA.HI.X.SX32 R7, R1, R4, 0x2, P0", {"R1": a, "R4": d, "P0": carried})
    got = pairs(np.array(value(first, "R6")), np.array(value(second, "R7")))
    rows = zip(a.ravel(), pairs(c, d), strict=True)
    assert got == [(s32(int(x)) * 4 + y) & M64 for x, y in rows]


def test_a_difference_of_64_bits_is_carried_through_lea() -> None:
    """As nvcc writes ``n - 32 * blockIdx.x`` of a long ``n``: in the first block nothing is taken
    away, and the upper word stays what it is."""
    a, c, d = numbers(3, seed=21)
    a[:, ::3], c[:, ::5] = 0, 0
    first = run("LEA R6, P0, -R1, R3, 0x5", {"R1": a, "R3": c})
    second = run("IADD3.X R7, R4, -0x1, RZ, P0, !PT", {"R4": d, "P0": first.registers["P0"]})
    got = pairs(np.array(value(first, "R6")), np.array(value(second, "R7")))
    rows = zip(a.ravel(), pairs(c, d), strict=True)
    assert got == [(y - (32 * int(x) & M32)) & M64 for x, y in rows]


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("name", ["LT", "EQ", "LE", "GT", "NE", "GE"])
def test_comparisons_of_32_and_64_bits(name: str, signed: bool) -> None:
    a, b, c, d = numbers(4, seed=15)
    p = numbers(1, seed=8)[0] & np.uint32(1) > 0
    kind = "" if signed else ".U32"
    compare: Callable[[int, int], bool] = getattr(int, f"__{name.lower()}__")
    state = run(f"ISETP.{name}{kind}.AND P1, P2, R1, R3, P0", {"R1": a, "R3": c, "P0": p})
    number = s32 if signed else int
    truth = [
        compare(number(int(x)), number(int(y))) for x, y in zip(a.ravel(), c.ravel(), strict=True)
    ]
    assert value(state, "P1") == [int(t and q) for t, q in zip(truth, p.ravel(), strict=True)]
    assert value(state, "P2") == [int(not t and q) for t, q in zip(truth, p.ravel(), strict=True)]
    lower = run(f"ISETP.{name}.U32.AND P0, PT, R1, R3, PT", {"R1": a, "R3": c}).registers["P0"]
    both = run(f"ISETP.{name}{kind}.AND.EX P1, PT, R2, R4, PT, P0", {"R2": b, "R4": d, "P0": lower})
    wide = s64 if signed else int
    rows = zip(pairs(a, b), pairs(c, d), strict=True)
    assert value(both, "P1") == [int(compare(wide(x), wide(y))) for x, y in rows]


@pytest.mark.parametrize("table", [0x80, 0x08, 0xFE, 0x2A, 0x96])
def test_truth_tables_of_predicates(table: int) -> None:
    p, q, r = (x & np.uint32(1) > 0 for x in numbers(3, seed=16))
    code = f"PLOP3.LUT P3, P4, P0, P1, !P2, {table:#x}, {table ^ 0xFF:#x}"
    state = run(code, {"P0": p, "P1": q, "P2": r})
    rows = zip(p.ravel(), q.ravel(), r.ravel(), strict=True)
    expected = [table >> (4 * int(x) + 2 * int(y) + int(not z)) & 1 for x, y, z in rows]
    assert value(state, "P3") == expected
    assert value(state, "P4") == [1 - x for x in expected]


def test_a_logic_result_sets_its_predicate_where_a_bit_is_left() -> None:
    (a,) = numbers(1, seed=17)
    state = run("LOP3.LUT P1, R5, R1, 0x6, RZ, 0xc0, !PT", {"R1": a})
    assert value(state, "P1") == [int(int(x) & 6 > 0) for x in a.ravel()]
    assert value(state, "R5") == [int(x) & 6 for x in a.ravel()]


def test_predicates_go_to_a_register_and_back() -> None:
    (a,) = numbers(1, seed=18)
    state = run("R2P PR, R1, 0x5", {"R1": a})
    assert value(state, "P0") == [int(x) & 1 for x in a.ravel()]
    assert value(state, "P2") == [int(x) >> 2 & 1 for x in a.ravel()]
    assert "P1" not in state.registers


@pytest.mark.parametrize("byte", range(4))
def test_predicates_come_from_a_byte_of_a_register(byte: int) -> None:
    (a,) = numbers(1, seed=41)
    state = run(f"R2P PR, R1.B{byte}, 0x42", {"R1": a})
    rows = [int(x).to_bytes(4, "little")[byte] for x in a.ravel()]
    assert value(state, "P1") == [row >> 1 & 1 for row in rows]
    assert value(state, "P6") == [row >> 6 & 1 for row in rows]
    assert "P0" not in state.registers


@pytest.mark.parametrize("selector", [0x5410, 0x7632, 0x0123, 0x7610, 0x8888, 0xBA98])
def test_bytes_are_permuted_and_signs_repeated(selector: int) -> None:
    a, c = numbers(2, seed=19)
    state = run(f"PRMT R0, R1, {selector:#x}, R3", {"R1": a, "R3": c})
    for x, y, got in zip(a.ravel(), c.ravel(), value(state, "R0"), strict=True):
        both = (int(y) << 32 | int(x)).to_bytes(8, "little")
        nibbles = [selector >> 4 * n & 15 for n in range(4)]
        chosen = [both[n & 7] if n < 8 else 255 * (both[n & 7] >> 7) for n in nibbles]
        assert got == int.from_bytes(bytes(chosen), "little")


@pytest.mark.parametrize(
    ("mode", "bound", "source"),
    [
        ("IDX", 31, lambda own, n: n & 31),
        ("BFLY", 31, lambda own, n: own ^ n & 31),
        ("UP", 0, lambda own, n: own - (n & 31) if own >= n & 31 else own),
        ("DOWN", 31, lambda own, n: own + (n & 31) if own + (n & 31) < 32 else own),
    ],
)
def test_shuffles_take_the_value_of_another_lane(
    mode: str, bound: int, source: Callable[[int, int], int]
) -> None:
    (a,) = numbers(1, seed=20)
    for n in (0, 1, 5, 16, 31):
        state = run(f"SHFL.{mode} PT, R0, R1, {n:#x}, {bound:#x}", {"R1": a})
        expected = [int(row[source(lane, n)]) for row in a for lane in range(32)]
        assert value(state, "R0") == expected


def test_an_integer_division_is_exact_whatever_the_reciprocal_rounds_to() -> None:
    """The code that ptxas makes of an unsigned division by a number unknown to it."""
    code = """\
I2F.U32.RP R8, R2
ISETP.NE.U32.AND P1, PT, R2, RZ, PT
MUFU.RCP R8, R8
IADD3 R6, R8, 0xffffffe, RZ
F2I.FTZ.U32.TRUNC.NTZ R7, R6
MOV R6, RZ
IMAD.MOV R9, RZ, RZ, -R7
IMAD R9, R9, R2, RZ
IMAD.HI.U32 R10, R7, R9, R6
IMAD.HI.U32 R4, R10, R1, RZ
IADD3 R5, -R4, RZ, RZ
IMAD R5, R5, R2, R1
ISETP.GE.U32.AND P0, PT, R5, R2, PT
@P0 IADD3 R5, R5, -R2, RZ
@P0 IADD3 R4, R4, 0x1, RZ
ISETP.GE.U32.AND P0, PT, R5, R2, PT
@P0 IADD3 R4, R4, 0x1, RZ
"""
    (kernel,) = kernels(sass_text(code), "k")
    steps = decode_kernel(kernel).program.steps
    a, b = numbers(2, seed=21)
    b = np.where(b == 0, np.uint32(7), b)
    state = State(np.ones((8, 32), np.bool_), {"R1": a, "R2": b})
    for step in steps:
        if step.run is not None:
            step.run(state)
    assert value(state, "R4") == [
        int(x) // int(y) for x, y in zip(a.ravel(), b.ravel(), strict=True)
    ]


@pytest.mark.parametrize(
    ("code", "writes"),
    [
        ("LDG.E.128 R4, desc[UR4][R2.64]", {"R4", "R5", "R6", "R7"}),
        ("LDS.64 R4, [R2]", {"R4", "R5"}),
        ("LDSM.16.M88.2 R4, [R2]", {"R4", "R5"}),
        ("HMMA.16816.F32 R4, R8, R12, R4", {"R4", "R5", "R6", "R7"}),
        ("HMMA.16816.F16 R4, R8, R12, R4", {"R4", "R5"}),
        ("HMMA.1688.F16 R4, R8, R12, R4", {"R4", "R5"}),
        ("FHADD R64, R66, R65.H1_H1", {"R64"}),
        ("HGMMA.64x64x16.F32 R24, gdesc[UR8], R24", {f"R{n}" for n in range(24, 56)}),
        ("DFMA R4, R8, R12, R4", {"R4", "R5"}),
        ("FADD R4, R8, R12", {"R4"}),
        ("FSETP.GT.AND P0, P1, R2, R3, PT", {"P0", "P1", "PT"}),
        ("FCHK P0, R1, R2", {"P0"}),
        ("IMAD.WIDE R4, R2, R3, c[0x4][R5]", {"R4", "R5"}),
        ("FROB R4, R2", {"R4", "R5", "R6", "R7"}),
        ("R2P.B1 PR, R0, 0x3", {f"P{n}" for n in range(7)}),
        ("STG.E desc[UR4][R2.64], R15", set()),
        ("VOTE.ANY R4, P1, P0", {"R4", "P1"}),
    ],
)
def test_what_is_not_followed_loses_all_registers_that_it_writes(
    code: str, writes: set[str]
) -> None:
    (kernel,) = kernels(sass_text(code), "k")
    step = decode_kernel(kernel).program.steps[0]
    assert set(step.writes) - {"PT"} == writes - {"PT"}


def test_numbers_of_64_bits_are_moved_added_and_chosen() -> None:
    a, b, c, d = numbers(4, seed=17)
    p = numbers(1, seed=9)[0] & np.uint32(1) > 0
    given = {"R2": a, "R3": b, "R4": c, "R5": d, "P0": p}
    rows = list(zip(pairs(a, b), pairs(c, d), p.ravel(), strict=True))
    cases: list[tuple[str, list[int]]] = [
        ("MOV.64 R6, R2", [x for x, _, _ in rows]),
        ("IADD.64 R6, R2, R4", [x + y & M64 for x, y, _ in rows]),
        ("IADD.64 R6, R2, -R4", [x - y & M64 for x, y, _ in rows]),
        ("IADD.64 R6, R2, -0x1", [x - 1 & M64 for x, _, _ in rows]),
        ("IADD3.64 R6, R2, -R4, RZ", [x - y & M64 for x, y, _ in rows]),
        ("IADD3.64 R6, R2, 0x3fe, R4", [x + 0x3FE + y & M64 for x, y, _ in rows]),
        ("SEL.64 R6, R2, R4, !P0", [y if q else x for x, y, q in rows]),
    ]
    for code, expected in cases:
        state = run(code, given)
        assert pairs(np.array(value(state, "R6")), np.array(value(state, "R7"))) == expected, code


@pytest.mark.parametrize("code", ["IADD3.64 R6, R2, 0xfffffffe, RZ", "IADD.64 R6, R2, 0x80000000"])
def test_a_wide_sum_with_a_constant_that_may_be_negative_is_not_followed(code: str) -> None:
    (kernel,) = kernels(sass_text(code), "k")
    step = decode_kernel(kernel).program.steps[0]
    assert not step.followed


def test_constants_are_looked_up_at_the_place_of_every_lane() -> None:
    at = np.arange(256, dtype=np.uint32).reshape(8, 32) % 5 * 4
    state = run("LDC.64 R6, c[0x2][R1+0x10]", {"R1": at})
    assert value(state, "R6") == [(2 << 24) + 16 + int(x) for x in at.ravel()]
    assert value(state, "R7") == [(2 << 24) + 20 + int(x) for x in at.ravel()]
    assert value(run("LDC R6, c[0x0][RZ]", {}), "R6") == [0] * 256


def test_a_vote_is_the_word_of_the_lanes_in_which_a_predicate_holds() -> None:
    p = numbers(1, seed=18)[0] & np.uint32(1) > 0
    state = run("VOTE.ANY R0, P1, P0", {"P0": p})
    words = [sum(int(bit) << lane for lane, bit in enumerate(row)) for row in p]
    assert value(state, "R0") == [word for word in words for _ in range(32)]
    assert value(state, "P1") == [int(word > 0) for word in words for _ in range(32)]
    every = run("VOTE.ALL P1, !P0", {"P0": p})
    assert value(every, "P1") == [int(word == 0) for word in words for _ in range(32)]
    assert value(run("VOTE.ANY R0, PT, PT", {}), "R0") == [M32] * 256


def test_a_match_is_the_word_of_the_lanes_that_hold_the_same() -> None:
    a = numbers(1, seed=19)[0]
    state = run("MATCH.ANY R0, R1", {"R1": a})
    expected = [sum(int(y == x) << n for n, y in enumerate(row)) for row in a for x in row]
    assert value(state, "R0") == expected


@pytest.mark.parametrize("part", [0x1F, 0x181F, 0x1C1F, 0x10, 0x1800])
@pytest.mark.parametrize("mode", ["IDX", "BFLY", "UP", "DOWN"])
def test_a_shuffle_stays_in_its_part_of_the_warp(mode: str, part: int) -> None:
    """Written down from the pseudo-code of shfl.sync in the PTX ISA."""
    a, b = numbers(2, seed=20)
    last = np.full_like(a, part)
    state = run(f"SHFL.{mode} P1, R0, R1, R2, R3", {"R1": a, "R2": b, "R3": last})
    values, inside = [], []
    for row, counts in zip(a, b, strict=True):
        for lane in range(32):
            step, segment, clamp = int(counts[lane]) & 31, part >> 8 & 31, part & 31
            most, least = lane & segment | clamp & ~segment, lane & segment
            source = {
                "IDX": least | step & ~segment & 31,
                "BFLY": lane ^ step,
                "UP": lane - step,
                "DOWN": lane + step,
            }[mode]
            inside.append(int(source >= most if mode == "UP" else source <= most))
            values.append(int(row[source if inside[-1] else lane]))
    assert value(state, "P1") == inside
    assert value(state, "R0") == values


def test_a_quotient_of_64_bits_is_rounded_as_its_code_asks() -> None:
    low, high = numbers(2, seed=21)
    rounded = run("I2F.U64.RP R0, R2", {"R2": low, "R3": high})
    floats = np.array(value(rounded, "R0"), np.uint32).view(np.float32)
    for number, found in zip(pairs(low, high), floats, strict=True):
        assert int(found) >= number
        assert number == 0 or int(np.nextafter(found, np.float32(0))) < number
    back = run("F2I.U64.TRUNC R4, R0", {"R0": floats.view(np.uint32).reshape(8, 32)})
    whole = pairs(np.array(value(back, "R4")), np.array(value(back, "R5")))
    assert whole == [min(int(x), M64) for x in floats]


@pytest.mark.parametrize(
    ("name", "rows", "bytes_each"),
    [
        *((f"DMMA.16x8x{k}", 16, 8) for k in (4, 8, 16)),
        ("DMMA.884", 8, 8),
        ("IMMA.8816.S8.S8", 8, 4),
        ("IMMA.8832.S4.S4", 8, 4),
        ("IMMA.16832.S8.S8.SAT", 16, 4),
        ("IMMA.SP.16864.S8.S8", 16, 4),
        ("HMMA.1688.F16", 16, 2),
        ("HMMA.1684.F32.TF32", 16, 4),
        ("HMMA.SP.16832.F16", 16, 2),
        ("QMMA.16832.F16.E4M3.E4M3", 16, 2),
        ("QMMA.SF.16832.F32.E4M3.E4M3", 16, 4),
        ("OMMA.SF.16864.F32.E2M1.E2M1", 16, 4),
    ],
)
def test_a_matrix_product_writes_its_share_of_the_results(
    name: str, rows: int, bytes_each: int
) -> None:
    """Rows times 8 columns, spread over 32 lanes, in registers of 4 bytes."""
    registers = rows * 8 * bytes_each // 32 // 4
    found = results(SassInstruction(1, 0, "", name, ("R4", "R8", "R12", "R4")))
    assert found == tuple(f"R{4 + n}" for n in range(registers))


@pytest.mark.parametrize(
    ("name", "registers"),
    [
        ("F2F.F32.F64", 1),
        ("F2F.F64.F32", 2),
        ("F2I.F64.TRUNC", 1),
        ("F2I.S64.TRUNC", 2),
        ("F2I.U64.F64.TRUNC", 2),
    ],
)
def test_a_conversion_writes_what_it_converts_to(name: str, registers: int) -> None:
    found = results(SassInstruction(1, 0, "", name, ("R4", "R8")))
    assert len(found) == registers
