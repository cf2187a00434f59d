"""Folds spliced into PTX: the proof holds of what is written, and of nothing that was corrupted."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bankwise.algebra.address import Fold
from bankwise.algebra.address_fold import AddressFold
from bankwise.change.ptx.fold import VariableFold, permutes
from bankwise.change.ptx.known_bits import possible_bits
from bankwise.change.ptx.prove import prove_ptx
from bankwise.change.ptx.splice import Spliced, spliced
from bankwise.change.simulate.launches import Simulated, SimulatedLaunch, compared
from bankwise.change.simulate.ptx import PTX_SIMULATOR
from bankwise.errors import Refusal
from bankwise.read.ptx.parse import Variable, kernels

TEXT = (Path(__file__).parent / "data" / "ptx_fix" / "transpose.ptx").read_text()
ROWS = (Fold(128, 4, 32),)
LAUNCH = SimulatedLaunch((32, 8, 1), (1, 1, 1), (), 64, ((0, 0, 0),), 0)

FAR = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 o)
{
	.reg .f32 %f<3>;
	.shared .align 4 .b8 tile[4096];
	mov.f32 %f1, 0f3F800000;
	st.shared.f32 [tile+1024], %f1;
	ld.shared.f32 %f2, [tile+1024];
	ret;
}
"""


def tile(alignment: int = 128, folds: tuple[Fold, ...] = ROWS) -> VariableFold:
    return VariableFold("tile", AddressFold(folds), alignment)


def fixed(text: str = TEXT, alignment: int = 128) -> str:
    done = spliced(text, "k.ptx", [tile(alignment)])
    assert isinstance(done, Spliced), done
    return done.text


def judged(after: str, before: str = TEXT, fold: VariableFold | None = None) -> int | Refusal:
    return prove_ptx(before, after, "k.ptx", [fold or tile()])


def accesses(text: str) -> int:
    body = text.partition("{")[2]
    return len(re.findall(r"(?:ld|st)\.shared", body)) + body.count("ld.u32")


@pytest.mark.parametrize("alignment", [128, 4096])
def test_what_is_spliced_is_proved_and_computes_the_same(alignment: int) -> None:
    after = fixed(alignment=alignment)
    assert judged(after, fold=tile(alignment)) == accesses(TEXT) == 9
    found = compared(PTX_SIMULATOR, TEXT, after, "transpose", [LAUNCH])
    assert isinstance(found, Simulated)
    assert not found.differs
    assert found.words == 1024


def test_where_the_variable_begins_at_rows_constants_stay_where_they_are() -> None:
    near = FAR.replace("tile+1024", "tile+512")
    folds = (VariableFold("tile", AddressFold(ROWS), size) for size in (128, 1024))
    done = [spliced(near, "k.ptx", [fold]) for fold in folds]
    kept = ["+512]" in one.text for one in done if isinstance(one, Spliced)]
    assert kept == [False, True]
    assert "+1024]" in fixed(alignment=4096)


def test_a_fold_is_its_own_inverse_inside_its_blocks() -> None:
    rng = random.Random(7)
    for _ in range(40):
        unit, phases = 1 << rng.randrange(5), 1 << rng.randrange(1, 5)
        divisor = unit * phases << rng.randrange(6)
        fold = AddressFold((Fold(divisor, unit, phases),))
        at = np.arange(1 << 14, dtype=np.uint32)
        by_hand = at ^ at // divisor % phases * unit
        assert np.array_equal(fold(at), by_hand.astype(np.uint32))
        assert np.array_equal(fold(fold(at)), at)
        assert np.array_equal(fold(at) // fold.block, at // fold.block)
        assert np.array_equal(fold(at) % fold.unit, at % fold.unit)
        assert [fold.of(int(n)) for n in at[::97]] == fold(at[::97]).tolist()
        assert np.array_equal(fold(at + np.uint32(fold.reach)), fold(at) + np.uint32(fold.reach))


@pytest.mark.parametrize(
    ("size", "alignment", "folds", "said"),
    [
        (4096, 4, ROWS, "begins at a multiple of 4 bytes"),
        (4000, 128, ROWS, "no whole blocks"),
        (4096, 128, (Fold(4, 4, 32),), "its own inverse"),
        (4096, 128, (Fold(64, 4, 32),), "its own inverse"),
        (4096, 128, (), "its own inverse"),
    ],
)
def test_what_is_no_permutation_is_refused(
    size: int, alignment: int, folds: tuple[Fold, ...], said: str
) -> None:
    found = permutes(tile(folds=folds), Variable("tile", size, alignment))
    assert isinstance(found, Refusal)
    assert said in found.reason


def corrupted(text: str) -> Iterator[str]:
    """Every way to spoil one line of a fixed text: a number, a register, a missing line, an access
    that was missed, a line at another place."""
    lines = text.split("\n")
    new = [n for n, line in enumerate(lines) if re.match(r"\s*\w[\w.]*\s+%bw", line)]
    through = [n for n, line in enumerate(lines) if re.search(r"\[%bw", line)]
    for n in new:
        last = re.search(r"(\d+);$", lines[n])
        if last and not lines[n].rstrip(";").split()[-1].startswith("%"):
            odd = int(last[1]) + ("and" not in lines[n])
            for number in (odd, int(last[1]) ^ 4, int(last[1]) * 2):
                yield put(lines, n, lines[n][: last.start(1)] + f"{number};")
        yield put(lines, n, None)
        yield put(lines, n, re.sub(r"%r\d+", "%r4", lines[n]))
        yield put(lines, n, "\t@%p1 " + lines[n].strip())
        yield put(lines, n, lines[n].replace("xor", "or").replace("shr", "shl"))
    for n in through:
        yield put(lines, n, lines[n].replace("]", "+4]", 1) if "+" not in lines[n] else None)
        yield put(lines, n, re.sub(r"\[%bw\w*[^\]]*\]", "[%r15]", lines[n]))
        yield put(lines, n, re.sub(r"\[%bw\w*", "[%bw0", lines[n]))
        yield put(lines, n, re.sub(r"%r\d+", "%r1", lines[n]))
    label = next(n for n, line in enumerate(lines) if line.startswith("$L__go_on:"))
    moved = [*lines[:label], *lines[label + 1 : label + 5], lines[label], *lines[label + 5 :]]
    yield "\n".join(moved)
    yield text.replace(".align 128", ".align 64")
    yield text.replace("add.s32 \t%r7", "add.u32 \t%r7")
    yield text.replace("tile[4096]", "tile[4097]")
    yield text.replace("bar.sync", "bar.arrive")


def put(lines: list[str], at: int, line: str | None) -> str:
    return "\n".join([*lines[:at], *([] if line is None else [line]), *lines[at + 1 :]])


def test_every_corrupted_text_is_rejected() -> None:
    text = fixed()
    spoiled = {one for one in corrupted(text) if one != text}
    assert len(spoiled) >= 100
    accepted = [one for one in spoiled if not isinstance(judged(one), Refusal)]
    assert not accepted


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("st.global.u32 	[%rd5], %r15;", "takes the address of tile"),
        ("st.shared.u32 	[%r7], %r15;", "stores the address of tile"),
        ("{ st.param.b32 [param0], %r15; }", "takes the address of tile"),
        ("ld.shared.u32 	%r19, [%r4];", "comes from no variable"),
        ("mapa.shared::cluster.u32 	%r19, %r15, 0;", "takes the address of tile"),
        (
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r15], [%rd1], "
            "256, [%r15];",
            "takes the address of tile",
        ),
        ("{ .reg .b32 %r15; }", "declared 2 times"),
        ("{ ld.shared.u32 	%r19, [%r15]; }", "more than one statement"),
    ],
)
def test_an_address_that_goes_out_of_sight_is_refused_by_name(line: str, said: str) -> None:
    text = TEXT.replace("\tret;", f"\t{line}\n\tret;")
    done = spliced(text, "k.ptx", [tile()])
    assert isinstance(done, Refusal)
    assert said in done.reason
    assert isinstance(judged(text, text), Refusal)


def test_a_variable_that_another_one_holds_the_address_of_is_refused() -> None:
    text = TEXT.replace("\t.shared .align 4 .b8 tile[4096];\n", "").replace(
        ".visible",
        ".shared .align 4 .b8 tile[4096];\n.global .u64 where = generic(tile);\n.visible",
    )
    found = judged(fixed(text), text)
    assert isinstance(found, Refusal)
    assert "named outside of kernels" in found.reason


OPERATIONS = (
    *("add.s32 {}, {}, {};", "sub.s32 {}, {}, {};", "mul.lo.s32 {}, {}, {};"),
    *("and.b32 {}, {}, {};", "or.b32 {}, {}, {};", "xor.b32 {}, {}, {};"),
    *("shl.b32 {}, {}, {n};", "shr.u32 {}, {}, {n};", "shr.s32 {}, {}, {n};"),
    *("mad.lo.s32 {}, {}, {}, %r0;", "min.u32 {}, {}, {};", "bfe.u32 {}, {}, {n}, 7;"),
    *("add.s32 {}, {}, {i};", "and.b32 {}, {}, {i};", "mul.lo.s32 {}, {}, {n};"),
)


def test_no_thread_has_a_bit_that_is_said_to_be_impossible() -> None:
    """Random programs, run by the simulator: each register is written where all threads see it."""
    rng = random.Random(3)
    for _ in range(25):
        body = ["mov.u32 %r0, %tid.x;", "mov.u32 %r1, %tid.y;", "mov.u32 %r2, tile;"]
        for n in range(3, 15):
            a, b = (f"%r{rng.randrange(n)}" for _ in range(2))
            form = rng.choice(OPERATIONS)
            numbers = {"n": rng.randrange(12), "i": rng.choice([-128, -4, 12, 96, 4096])}
            body.append(form.format(f"%r{n}", a, b, **numbers))
        check(body)


def check(body: list[str]) -> None:
    head = (
        ".version 8.0\n.target sm_90\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<99>;\n"
        ".reg .b64 %rd<9>;\n.shared .align 512 .b8 tile[512];\n"
    )
    place = "ld.param.u64 %rd1, [p];\nmad.lo.s32 %r90, %r1, 32, %r0;\ncvt.u64.u32 %rd2, %r90;\n"
    place += "shl.b64 %rd3, %rd2, 7;\nadd.s64 %rd4, %rd1, %rd3;\n"
    names = [f"%r{n}" for n in range(15)]
    kernel = kernels("\n".join([head, *body, "ret;\n}"]))[0]
    masks = possible_bits(kernel, {"tile": 512})
    stores = [f"st.global.u32 [%rd4+{4 * n}], {name};" for n, name in enumerate(names)]
    impossible = [
        f"and.b32 {name}, {name}, {~masks[name] & 0xFFFFFFFF};" for name in names
    ]  # fmt: skip
    zeros = [f"mov.u32 {name}, 0;" for name in names]
    texts = ["\n".join([head, *body, place, *m, *stores, "ret;\n}"]) for m in (impossible, zeros)]
    found = compared(PTX_SIMULATOR, texts[0], texts[1], "k", [LAUNCH])
    assert isinstance(found, Simulated), found
    assert not found.differs, "\n".join(body)


def test_no_alignment_beyond_what_the_driver_keeps_is_counted_on() -> None:
    """With .align 4096 a variable begins at byte 1,024 of an H200, where a + 1024 has another bit
    set than it has behind a multiple of 4,096."""
    fold = AddressFold(ROWS)
    behind = {begin: fold.of(begin + 1024) - begin for begin in (0, 1024)}
    assert behind[0] != behind[1024]
    wrong = FAR.replace("tile+1024", f"tile+{behind[0]}").replace(".align 4 ", ".align 4096 ")
    assert isinstance(prove_ptx(FAR, wrong, "k.ptx", [VariableFold("tile", fold, 4096)]), Refusal)
    done = spliced(FAR, "k.ptx", [VariableFold("tile", fold, 1024)])
    assert isinstance(done, Spliced)
    assert prove_ptx(FAR, done.text, "k.ptx", [VariableFold("tile", fold, 1024)]) == 2
