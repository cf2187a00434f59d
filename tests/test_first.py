"""The first minute: a drawing, an examination, a demonstration."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bankwise.ask import doctor
from command import bankwise

ROOT = Path(__file__).parents[1]


def shown(*words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(bankwise("show", *words, "--format", "json").out)
    return found


@pytest.mark.parametrize("bits", [1, 2, 3])
@pytest.mark.parametrize(("base", "shift"), [(3, 3), (4, 3), (4, 4)])
def test_a_bare_swizzle_is_the_formula_of_cute(bits: int, base: int, shift: int) -> None:
    """``offset ^ ((offset & yyy_msk) >> S)`` with the mask of B bits above M + S."""
    found = shown(f"Swizzle<{bits},{base},{shift}>")
    rows, columns = found["tile"]
    assert (rows, columns, found["element_bits"]) == (2**bits, 2 ** (base + shift), 8)
    mask = ((1 << bits) - 1) << (base + shift)
    flat = [offset for row in found["offsets"] for offset in row]
    assert flat == [o ^ ((o & mask) >> shift) for o in range(rows * columns)]


@pytest.mark.parametrize(
    ("text", "bits", "at"),
    [
        ("(32,33):(33,1)", 32, lambda r, c: 33 * r + c),
        ("(8,16):(1,8)", 16, lambda r, c: r + 8 * c),
        ("(7,5):(5,1)", 8, lambda r, c: 5 * r + c),
    ],
)
def test_a_layout_is_drawn_where_its_strides_say(text: str, bits: int, at: Any) -> None:
    found = shown(text, "--bits", str(bits))
    rows, columns = found["tile"]
    assert found["offsets"] == [[at(r, c) for c in range(columns)] for r in range(rows)]
    words = {at(r, 0) * bits // 8 // 4 for r in range(rows)}
    banks = [word % found["banks"] for word in words]
    assert found["most"] == max(map(banks.count, banks))
    ways = {read["width_bytes"]: read["passes"] for read in found["reads"]}
    if bits == 32:  # All lanes of a read of 4 bytes are served together.
        column = [{at(r, c) for r in range(rows)} for c in range(columns)]
        by_bank = [Counter(word % 32 for word in words).most_common(1)[0][1] for words in column]
        assert ways[4] == max(by_bank)
    piece = found["piece"]
    runs = [row[c : c + piece] for row in found["offsets"] for c in range(0, columns, piece)]
    assert all(run == list(range(run[0], run[0] + piece)) for run in runs)


@pytest.mark.parametrize(
    ("words", "tile", "bits", "at"),
    [
        (("pad 1",), (32, 32), 32, lambda r, c: 33 * r + c),
        (
            ("padding by 8", "--tile", "16x64", "--bits", "16"),
            (16, 64),
            16,
            lambda r, c: 72 * r + c,
        ),
        (("tile[32][33]",), (32, 33), 32, lambda r, c: 33 * r + c),
        (("__shared__ double a[2][16][8 + 1];",), (32, 9), 64, lambda r, c: 9 * r + c),
        (("half s[8][40]", "--tile", "8x32"), (8, 32), 16, lambda r, c: 40 * r + c),
        (("(t*33 + c)*4",), (32, 32), 32, lambda r, c: 33 * r + c),
        (("threadIdx.x + ty * 33",), (32, 32), 32, lambda r, c: 33 * r + c),
        (("row*64 + (col ^ row)*2", "--tile", "8x32"), (8, 32), 16, lambda r, c: r * 32 + (c ^ r)),
        (("lane*132",), (32, 1), 32, lambda r, c: 33 * r),
        (("x ^ (x >> 5 & 7)", "--tile", "8x32"), (8, 32), 32, lambda r, c: 32 * r + (c ^ r)),
    ],
)
def test_a_layout_is_drawn_as_people_say_it(
    words: tuple[str, ...], tile: tuple[int, int], bits: int, at: Any
) -> None:
    found = shown(*words)
    assert (tuple(found["tile"]), found["element_bits"]) == (tile, bits)
    assert found["offsets"] == [[at(r, c) for c in range(tile[1])] for r in range(tile[0])]


@pytest.mark.parametrize(
    ("layout", "gpu", "said"),
    [  # By hand: 16 bytes a lane are served by eights, on gfx950 over 64 banks and by sixteens.
        ("float4 tile[32][9]", "sm_90", ["ld.shared.b128 takes 4 passes, ideal 4"]),
        ("float4 tile[32][8]", "sm_90", ["ld.shared.b128 takes 32 passes, ideal 4"]),
        ("float tile[32][36]", "sm_90", ["b32 takes 4 passes, ideal 1", "b128 takes 4 passes"]),
        ("float4 tile[64][9]", "gfx950", ["64 banks", "ds_read_b128 takes 4 passes, ideal 4"]),
        ("float tile[32][36]", "gfx950", ["(ds_read_b128 sees 64 banks)", "b32 takes 4 passes"]),
        ("pad 1", "sm_90", ["b32 takes 1 pass, ideal 1 (row-major 32)", "begins at byte 132"]),
        ("tile[8][8] --bits 24", "sm_90", ["lane: no single instruction"]),
    ],
)
def test_a_column_takes_what_its_instruction_takes(layout: str, gpu: str, said: list[str]) -> None:
    text, *bits = layout.split(" --bits ")
    out = bankwise("show", text, "-t", gpu, *("--bits", *bits)[: 2 * len(bits)]).out
    assert all(words in " ".join(out.split()) for words in said)


@pytest.mark.parametrize(
    ("words", "assumed"),
    [
        (("Swizzle<3,3,3>",), ["of 8 bits: bytes are swizzled (--bits 16", "sm_90 (-t)"]),
        (("Swizzle<3,3,3>", "--bits", "16"), ["sm_90 (-t)"]),
        (("Sw<3,3,3> o 0 o (8,64):(64,1)",), ["elements of 16 bits (--bits)", "sm_90 (-t)"]),
        (("pad 1", "-t", "sm_90"), ["of 32 bits (--bits)", "a tile of 32 x 32 (--tile)"]),
        (("tile[8][9]", "-t", "sm_90"), ["elements of 32 bits (--bits)"]),
        (("half tile[8][9]", "-t", "sm_90"), []),
        (("tile[8][9]", "-t", "sm_90", "--bits", "16"), []),
        (("(r*33 + c)*4", "-t", "sm_90"), ["a tile of 32 x 32 (--tile)"]),
        (("r*33 + c", "-t", "sm_90", "--tile", "8x8"), ["elements of 32 bits (--bits)"]),
        (("x ^ 1", "-t", "sm_90", "--bits", "8"), ["a tile of 32 x 32 (--tile)"]),
        (("lane*132", "-t", "sm_90"), ["elements of 32 bits (--bits)"]),
    ],
)
def test_what_a_drawing_assumes_is_said_with_its_option(
    words: tuple[str, ...], assumed: list[str]
) -> None:
    found = shown(*words)["assumed"]
    assert len(found) == len(assumed)
    assert all(part in said for part, said in zip(assumed, found, strict=True))
    out = bankwise("show", *words).out
    assert ("assumed: " in out) == bool(assumed)
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("layout", "gpu", "lanes", "said"),
    [  # count of all 64 lanes, `lane*128`, is 64 passes: here 32 of them have a row.
        ("float tile[32][32]", "gfx942", 32, "worst column, a row for each of 32 lanes (a wave h"),
        ("double tile[16][17]", "sm_90", 16, "a row for each of 16 lanes (a wave has 32)"),
        ("float tile[96][33]", "gfx942", 64, "a row for each of 64 lanes: "),
        ("float tile[32][40]", "sm_90", 32, "a row for each of 32 lanes: "),
    ],
)
def test_a_column_says_how_many_lanes_read_it(layout: str, gpu: str, lanes: int, said: str) -> None:
    reads = shown(layout, "-t", gpu)["reads"]
    assert {read["lanes"] for read in reads if read["passes"]} == {lanes}
    assert said in " ".join(bankwise("show", layout, "-t", gpu).out.split())


@pytest.mark.parametrize(
    ("layout", "said"),
    [("float tile[32][33]", "and 8 more columns (--all)"), ("pad 1 40x1", "and 8 more rows (--al")],
)
def test_what_is_not_drawn_is_counted(layout: str, said: str) -> None:
    text, _, tile = layout.partition(" 40")
    out = bankwise("show", text, *(("--tile", f"40{tile}") if tile else ())).out
    assert said in out
    assert " 0 more" not in out


def test_every_notation_has_an_example_that_is_drawn() -> None:
    ended = bankwise("show", "banana")
    assert (ended.code, ended.out) == (2, "")
    examples = [line.strip() for line in ended.err.splitlines()[2:]]
    assert len(examples) >= 12
    for text in examples:
        name, _, layout = text.partition(": ")
        found = shown(layout or text)
        read = "index" if name == "expression" else name  # of no access here: of an index
        assert not layout or found["notation"] == read, text


def test_the_drawing_has_the_numbers_of_the_text(tmp_path: Path) -> None:
    file = tmp_path / "sw.svg"
    out = bankwise("show", "Swizzle<3,4,3>", "-o", file).out
    assert max(map(len, out.splitlines())) <= 80
    lines = [line.split() for line in out.splitlines()]
    rows = {int(line[0]): list(map(int, line[1:])) for line in lines if len(line) == 9}
    drawn = [one.text for one in ET.parse(file).iter("{http://www.w3.org/2000/svg}text")]
    assert rows[1] == [4, 0, 12, 8, 20, 16, 28, 24]
    numbers = [int(one or "") for one in drawn[8:]]  # behind the columns' numbers
    assert [numbers[n * 9 + 1 : n * 9 + 9] for n in range(8)] == [rows[n] for n in range(8)]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("(",), "a whole number expected"),
        (("",), "in no notation"),
        (("Swizzle<9,9,9>",), "cannot be drawn"),
        (("Swizzle<3,4,3>", "--tile", "0x8"), "cannot be drawn"),
        (("Swizzle<3,4,3>", "--tile", "8"), "is not ROWSxCOLUMNS"),
        (("Swizzle<3,4,3>", "--bits", "3"), "cannot be drawn"),
        (("Swizzle<3,4,3>", "--notation", "x"), "unknown notation"),
        (("(8,8):(8,1)", "--tile", "8x9"), "of a tile [8, 8], not [8, 9]"),
        (("Swizzle<3,4,3>", "-t", "gfx0"), "unknown target"),
        (("tile[99999][99999]",), "cannot be drawn"),
        (("tile[32]",), "has no rows and columns"),
        (("tile3 tile[32][32]",), "how wide is tile3?"),
        (("tile[8][8]", "--tile", "8x9"), "8 rows of 8, not 8 x 9"),
        (("(t*33 + c + k)*4",), "which of t, c, k is the row"),
        (("r*33 + c*3",), "steps by 3"),
        (("lane*3",), "multiples of 4"),
        (("c - 33*r",), "below 0"),
        (("a/(b-b) + 1",), "division by zero"),
    ],
)
def test_what_cannot_be_drawn_is_said(words: tuple[str, ...], says: str) -> None:
    ended = bankwise("show", *words)
    assert (ended.code, ended.out) == (2, "")
    assert says in ended.err


def test_the_doctor_sees_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "ncu"
    tool.write_text("#!/bin/sh\n", "ascii")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    parts = {p["name"]: p for p in json.loads(bankwise("doctor", "--format", "json").out)["parts"]}
    assert parts["ncu"]["found"] == str(tool)
    assert parts["rocprofv3"]["found"] == ""
    assert all(part["opens"] and part["how"] for part in parts.values())
    out = bankwise("doctor").out
    assert re.search(r"^  yes  ncu: ", out, re.M)
    assert re.search(r"^  no   rocprofv3: ", out, re.M)
    assert max(len(line) for line in out.splitlines() if "/" not in line) <= 80


def test_every_extra_of_the_doctor_is_one_of_the_package() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    parts = json.loads(bankwise("doctor", "--format", "json").out)["parts"]
    for part in parts:
        for name in re.findall(r"\[(\w+)\]", part["how"]):
            assert re.search(rf"^{name} = \[", text, re.M), part
    assert sum("pip install " in part["how"] for part in parts) > 5
    extras = tomllib.loads(text)["project"]["optional-dependencies"]
    told = {name for part in parts for name in re.findall(r"\[(\w+)\]", part["how"])}
    assert set(extras) - told == {"docs", "dev"}  # which are for a checkout


@pytest.mark.parametrize("there", [("ptxas",), ("nvdisasm",), ("ptxas", "nvdisasm")])
def test_fix_of_ptx_needs_assembler_and_disassembler(
    there: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    have = {name: Path("/bin") / name for name in there}
    monkeypatch.setattr(doctor, "find_program", have.get)
    parts = {p.opens: p for p in doctor.doctor().parts}
    assert bool(parts["fix of PTX, and its machine code (--isa)"].found) == (len(there) == 2)


@pytest.mark.parametrize("there", [("nvcc",), ("nvdisasm",), ("nvcc", "nvdisasm")])
def test_what_needs_several_parts_is_promised_by_none_of_them_alone(
    there: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    have = {name: Path("/bin") / name for name in there}
    monkeypatch.setattr(doctor, "find_program", have.get)
    parts = [p for p in doctor.doctor().parts if p.name == "nvcc and nvdisasm"]
    every = [p for p in doctor.doctor().parts if p.found and "CUDA source" in p.opens]
    assert [bool(p.found) for p in parts] == [len(there) == 2]
    assert all("tree-sitter-cuda" in f"{p.name} {p.opens}" for p in every)
    lacks = {("nvcc",): "no nvdisasm: ", ("nvdisasm",): "no nvcc: "}.get(there, "")
    assert parts[0].how.startswith(f"{lacks}pip install")


def test_the_demonstration_needs_the_package_alone(tmp_path: Path) -> None:
    """Without a compiler, IREE, Triton, syntax trees, and in a folder without files."""
    block = (
        "import sys; sys.modules.update(dict.fromkeys(['iree', 'triton', 'tree_sitter', 'z3']));"
    )
    run = "from bankwise.cli import main; sys.argv = ['bankwise', 'demo']; main()"
    ended = subprocess.run(
        [sys.executable, "-c", block + run],
        cwd=tmp_path,
        env={"PATH": "", "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), *sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert max(map(len, ended.stdout.splitlines())) <= 80
    asked = re.findall(r"^\$ bankwise count -t sm_90 ld.shared.b32 '(.*)'$", ended.stdout, re.M)
    said = re.findall(r": (\d+) pass(?:es)?, ideal 1\s+\w+ \+= (\d+)$", ended.stdout, re.M)
    by_hand = []
    for text in asked:
        words = [eval(text, {"lane": lane}) // 4 for lane in range(32)]
        banks = [word % 32 for word in words]
        by_hand.append(max(map(banks.count, banks)))
    assert by_hand == [32, 1, 1], "the conflict, a padding, an XOR"
    assert [(int(p), int(e)) for p, e in said] == [(most, most - 1) for most in by_hand]
    assert "tile[32][33]" in ended.stdout
    assert list(tmp_path.iterdir()) == []
