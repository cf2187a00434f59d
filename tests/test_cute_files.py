"""CuTe as people write it: what a file's copies cost, and the text that replaces its layout.

Passes are counted here once more from addresses written out by hand, lane by lane; for
`SAME_AS_SASS` nvcc 13.0's machine code for sm_80 has the same ones, before and after the answer.
"""

import functools
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import cute_texts
from bankwise.ask.check_cute import check_cute, open_cute
from bankwise.ask.fix_cute_source import written_by_cute
from bankwise.read.options import Options
from command import bankwise

pytest.importorskip("tree_sitter", reason="needs the extra [cuda]")
pytest.importorskip("tree_sitter_cuda", reason="needs the extra [cuda]")

Addresses = Iterator[list[int]]
Place = Callable[[int, int], int]


def passes(waves: Addresses, width: int) -> int:
    """Distinct words of the fullest of 32 banks, in groups of lanes that move 128 bytes."""
    total = 0
    for lanes in waves:
        group = min(32, 128 // width)
        for first in range(0, len(lanes), group):
            words = {
                at // 4 + step
                for at in lanes[first : first + group]
                for step in range(max(1, width // 4))
            }
            total += max(sum(word % 32 == bank for word in words) for bank in range(32))
    return total


def rows(pitch: int) -> Place:
    """Half-precision elements row by row."""
    return lambda r, c: 2 * (pitch * r + c)


def swizzled(bits: int, base: int, shift: int, pitch: int) -> Place:
    """The same, with bits of the element's number XORed into lower ones."""

    def place(r: int, c: int) -> int:
        number = pitch * r + c
        return 2 * (number ^ (number >> shift & ((1 << bits) - 1) << base))

    return place


def by_threads(
    sizes: tuple[int, int], threads: tuple[int, int], each: int, at: Place, *, rowwise: bool
) -> Addresses:
    """128 threads in a grid, each ``each`` elements along the row, tile after tile."""
    down, across = threads[0], threads[1] * each
    for corner_r in range(0, sizes[0], down):
        for corner_c in range(0, sizes[1], across):
            for warp in range(4):
                lanes = []
                for thread in range(32 * warp, 32 * warp + 32):
                    r, c = divmod(thread, threads[1])
                    if not rowwise:
                        c, r = divmod(thread, threads[0])
                    lanes.append(at(corner_r + r, corner_c + each * c))
                yield lanes


def turned(at: Place) -> Addresses:
    """Columns of a 64 x 64 tile, a lane a row of it."""
    return by_threads((64, 64), (4, 32), 1, lambda r, c: at(c, r), rowwise=True)


def operand_b(at: Place, n: int, k: int, warps: int = 4) -> Addresses:
    """ldmatrix.x4 of two 8 x 16 operands: rows n, n + 8 after the two halves of k."""
    for _ in range(warps):
        for first_n in range(0, n, 16):
            for first_k in range(0, k, 16):
                yield [
                    at(first_n + lane % 8 + 8 * (lane // 16), first_k + 8 * (lane // 8 % 2))
                    for lane in range(32)
                ]


def operand_a(at: Place, m: int, k: int, across: int, warps: int = 4) -> Addresses:
    """ldmatrix.x4 of a 16 x 16 operand: rows m, m + 8 before the halves of k."""
    for warp in range(warps):
        for first_m in range(16 * (warp % across), m, 16 * across):
            for first_k in range(0, k, 16):
                yield [
                    at(first_m + lane % 8 + 8 * (lane // 8 % 2), first_k + 8 * (lane // 16))
                    for lane in range(32)
                ]


def values(at: Place) -> Addresses:
    """ldmatrix.x4.trans of V: rows are keys, the halves of the head dimension beside each other."""
    for _ in range(4):
        for first_n in range(0, 128, 16):
            for first_k in range(0, 64, 16):
                yield [
                    at(first_k + lane % 8 + 8 * (lane // 8 % 2), first_n + 8 * (lane // 16))
                    for lane in range(32)
                ]


def accumulators(at: Place) -> Addresses:
    """Pairs of columns of the 16 x 8 results of four warps, 64 x 64."""
    for warp in range(4):
        for column in range(0, 64, 8):
            for half in (0, 8):
                yield [
                    at(16 * warp + half + lane // 4, column + 2 * (lane % 4)) for lane in range(32)
                ]


def floats(at: Callable[[int, int], int], *, store: bool) -> Addresses:
    """32 x 32 floats by 256 threads: stored by rows, read by columns."""
    for step in range(0, 32, 8):
        for warp in range(8):
            if store:
                yield [at(step + warp, lane) for lane in range(32)]
            else:
                yield [at(lane, step + warp) for lane in range(32)]


def plain_floats(r: int, c: int) -> int:
    return 4 * (32 * r + c)


ORDERED = by_threads((64, 64), (32, 4), 2, rows(64), rowwise=False)
EXPECTED: dict[str, tuple[dict[str, int], tuple[str, ...]]] = {
    "TURN": (
        {
            "write": passes(by_threads((64, 64), (16, 8), 8, rows(64), rowwise=True), 16),
            "read": passes(turned(rows(64)), 2),
        },
        (),
    ),
    "OPERAND": ({"read": passes(operand_b(swizzled(1, 3, 3, 32), 64, 32), 16)}, ()),
    "VALUES": ({"read": passes(values(rows(128)), 16)}, ()),
    "SIMPLE": (
        {
            "write": passes(floats(plain_floats, store=True), 4),
            "read": passes(floats(plain_floats, store=False), 4),
        },
        (),
    ),
    "EPILOGUE": ({"write": passes(accumulators(rows(64)), 4)}, ()),
    "TRAITS": (
        {
            "read": passes(operand_a(swizzled(2, 3, 3, 64), 128, 64, 4), 16)
            + passes(operand_b(swizzled(2, 3, 3, 64), 128, 64), 16)
        },
        ("HeadDim_=64", "Rows_=128", "Warps_=4"),
    ),
    "DERIVED": ({"read": passes(operand_a(rows(64), 64, 64, 4), 16)}, ("Warps=4",)),
    "ORDERED": ({"read": passes(ORDERED, 4)}, ()),
    "QUALIFIED": (
        {"read": passes(by_threads((64, 64), (32, 4), 4, rows(64), rowwise=False), 8)},
        (),
    ),
    "UNITS": ({}, ()),
    "REVERSED": ({}, ()),
    "HOST": ({"read": passes(by_threads((128, 32), (32, 4), 2, rows(32), rowwise=False), 4)}, ()),
    "DSL": ({"read": passes(by_threads((64, 64), (32, 4), 1, rows(64), rowwise=False), 2)}, ()),
    "MATRICES": ({"read": passes(operand_a(swizzled(1, 3, 3, 64), 64, 64, 2), 16)}, ()),
}
SAME_AS_SASS = ("TURN", "OPERAND", "VALUES", "SIMPLE", "EPILOGUE")
FIXED = (*SAME_AS_SASS, "TRAITS", "QUALIFIED", "DSL", "MATRICES")


def named(name: str) -> str:
    """The file that a text is."""
    return "kernel.py" if name in ("DSL", "MATRICES") else "kernel.hpp"


def counted(name: str, text: str) -> dict[str, int]:
    """The passes of a check, by direction."""
    found: dict[str, int] = {}
    options = Options("sm_80", dims=EXPECTED[name][1])
    for access in check_cute(open_cute(text, named(name), options), answer=False).accesses:
        found[access.direction] = found.get(access.direction, 0) + access.cost.passes
    return found


@functools.cache
def fixed(name: str) -> tuple[str, int, int]:
    """What ``fix`` makes of a text, and the passes that it says, before and after."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / named(name)
        file.write_text(getattr(cute_texts, name), "utf-8")
        dims = [word for said in EXPECTED[name][1] for word in ("--dim", said)]
        changed = file.with_stem("changed")
        ended = bankwise("fix", file, *dims, "-t", "sm_80", "-o", changed, "--format", "json")
        (change,) = json.loads(ended.out)["changes"]
        text = changed.read_text("utf-8")
        return text, change["before"]["passes"], change["after"]["passes"]


@pytest.mark.parametrize("name", EXPECTED)
def test_copies_cost_what_their_lanes_address(name: str) -> None:
    found = counted(name, getattr(cute_texts, name))
    for way, number in EXPECTED[name][0].items():
        assert found[way] == number


@pytest.mark.parametrize("name", FIXED)
def test_fix_writes_what_it_promises(name: str) -> None:
    """One term is replaced; the changed text, read as any other, takes the passes it was said."""
    text, before, after = fixed(name)
    assert after < before == sum(counted(name, getattr(cute_texts, name)).values())
    assert sum(counted(name, text).values()) == after


@pytest.mark.parametrize("name", [n for n in FIXED if named(n) != "kernel.py"])
def test_check_of_a_source_writes_the_term_that_fix_writes(name: str) -> None:
    """``check kernel.cu`` says it before anything is compiled."""
    text, (_, dims) = getattr(cute_texts, name), EXPECTED[name][:2]
    changed, before, after = fixed(name)
    (snippet,) = written_by_cute("kernel.cu", text, Options("sm_80", dims=dims))
    assert (snippet.before, snippet.after) == (before, after)
    assert changed.count(snippet.text) == text.count(snippet.text) + 1
    assert written_by_cute("kernel.cu", changed, Options("sm_80", dims=dims)) == ()
    assert written_by_cute("kernel.cu", "__shared__ float tile[32];", Options()) == ()


def test_a_term_is_replaced_with_the_namespace_in_front_of_it() -> None:
    """``cute::decltype(..)`` is no C++."""
    text, _, _ = fixed("QUALIFIED")
    assert "smem_a = decltype(cute::composition(cute::Swizzle<4, 2, 4>{}, cute::Layout<" in text


def test_check_ends_with_the_text_that_fix_writes(tmp_path: Path) -> None:
    file = tmp_path / "kernel.hpp"
    file.write_text(cute_texts.OPERAND, "utf-8")
    (snippet,) = json.loads(bankwise("check", file, "--format", "json").out)["snippets"]
    assert snippet["language"] == "CuTe C++"
    assert snippet["snippet"] in fixed("OPERAND")[0]
    assert (snippet["before"], snippet["after"]) == fixed("OPERAND")[1:]
    line = cute_texts.OPERAND.splitlines()[snippet["location"]["line"] - 1]
    assert line[snippet["location"]["column"] - 1 :].startswith("Swizzle<1, 3, 3>")


@pytest.mark.parametrize(
    ("name", "fold", "waves", "width"),
    [
        ("TURN", (3, 3, 3, 64), turned, 2),
        ("OPERAND", (2, 3, 3, 32), lambda at: operand_b(at, 64, 32), 16),
        ("VALUES", (3, 3, 4, 128), values, 16),
        ("EPILOGUE", (3, 3, 3, 64), accumulators, 4),
    ],
)
def test_the_swizzle_that_is_written_does_it(
    name: str,
    fold: tuple[int, int, int, int],
    waves: Callable[[Place], Addresses],
    width: int,
) -> None:
    """By hand: the addresses under the Swizzle<B,M,S> of the answer."""
    text, _, _ = fixed(name)
    assert f"Swizzle<{fold[0]}, {fold[1]}, {fold[2]}>" in text
    way = next(iter(sorted(EXPECTED[name][0])))
    assert counted(name, text)[way] == passes(waves(swizzled(*fold)), width)


def test_names_that_nobody_says_are_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "types.h"
    file.write_text(cute_texts.TRAITS, "utf-8")
    ended = bankwise("check", file)
    assert ended.code == 2
    for name in ("HeadDim_", "Rows_", "Warps_"):
        assert f"--dim {name}=" in ended.err


def test_pairs_that_nobody_says_are_assumed() -> None:
    """A header of types says no copy: conflicts are told, and what they rest on."""
    options = Options("sm_80", dims=EXPECTED["TRAITS"][1])
    report = check_cute(open_cute(cute_texts.TRAITS, "types.h", options), answer=False)
    assert "which copy touches which layout" in report.kernels[0].assumed
    assert not report.accounted


def test_a_name_with_two_values_has_none(tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    text = cute_texts.MATRICES.replace("mma = ", "sA_layout = cute.make_layout((64, 64))\nmma = ")
    file.write_text(text, "utf-8")
    ended = bankwise("check", file)
    assert ended.code == 2
    assert "sA_layout is defined more than once" in ended.err


def test_a_copy_of_tma_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "kernel.hpp"
    text = cute_texts.ORDERED.replace("UniversalCopy<uint32_t>", "SM90_TMA_LOAD")
    file.write_text(text, "utf-8")
    ended = bankwise("check", file)
    assert ended.code == 2
    assert "TMA" in ended.err


@pytest.mark.parametrize("text", ["", "cute::", "using A = decltype(A{});", "(" * 500])
def test_a_broken_text_is_one_message(text: str, tmp_path: Path) -> None:
    file = tmp_path / "kernel.hpp"
    file.write_text(cute_texts.HEAD + text, "utf-8")
    ended = bankwise("check", file)
    assert ended.code == 2
    assert ended.err.startswith("error:")
