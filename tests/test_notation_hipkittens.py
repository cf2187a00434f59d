"""HipKittens' shared tiles, held against tables that its own ``st_shape::swizzle`` computed.

The header of HazyResearch/HipKittens@f09e9685 was compiled for the host (clang 14, C++20) and asked
for every element of a tile; of each table the beginning of its SHA-256 stands here (offsets in
elements, row by row, blanks between).
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from bankwise.algebra.offset import Shape
from bankwise.ask.spec import check_spec_text
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine
from bankwise.notation.framework import Setting
from bankwise.notation.frameworks import notation_of, read_memory
from bankwise.notation.values import collision, points
from command import bankwise

SETTING = Setting(machine("gfx950"), {}, (64, 1, 1))
BITS = {"bf": 16, "fl": 32, "fp8e4m3": 8}


@pytest.mark.parametrize(
    ("shape", "kind", "rows", "columns", "digest"),
    [
        ("16x16", "bf", 64, 128, "be5e515bf9e709eb"),
        ("16x16", "fl", 64, 128, "be5e515bf9e709eb"),
        ("16x16_swizzled", "bf", 64, 128, "5eca484d64ce9881"),
        ("16x16_swizzled", "fl", 64, 128, "be5e515bf9e709eb"),
        ("32x32", "bf", 64, 128, "cd03047da72bea99"),
        ("32x32", "fl", 64, 128, "b0f0cfb3dd65746e"),
        ("16x32", "bf", 64, 128, "5124363e2dc3addb"),
        ("16x32", "fl", 64, 128, "7c8e205985d3cda6"),
        ("32x16", "bf", 64, 128, "5cfbc385a5b78d0c"),
        ("32x16", "fl", 64, 128, "776076a6781142bb"),
        ("8x32", "bf", 64, 128, "440dd0f9608a76aa"),
        ("8x32", "fl", 64, 128, "440dd0f9608a76aa"),
        ("16x128", "fp8e4m3", 32, 256, "0bc0181d81d67a66"),
    ],
)
def test_every_element_lies_where_hipkittens_puts_it(
    shape: str, kind: str, rows: int, columns: int, digest: str
) -> None:
    text = f"st_{kind}<{rows}, {columns}, st_{shape}_s>"
    assert notation_of(text) == "hipkittens"
    over = Shape((("c", columns), ("r", rows)), BITS[kind])
    memory = read_memory(text, "hipkittens", over, SETTING)
    assert not isinstance(memory, Refusal)
    offsets = " ".join(map(str, memory.offsets(points((rows, columns))).ravel()))
    assert hashlib.sha256(offsets.encode()).hexdigest().startswith(digest)
    assert collision(memory) is None


def test_the_spellings_of_a_tile_are_one() -> None:
    over = Shape((("c", 64), ("r", 64)), 16)
    texts = ("st_hf<64, 64, st_16x32_s>", "kittens::st<half, 64, 64, ducks::st_shape::st_16x32>;")
    one, other = (read_memory(text, notation_of(text), over, SETTING) for text in texts)
    assert not isinstance(one, Refusal)
    assert not isinstance(other, Refusal)
    assert (one.offsets(points((64, 64))) == other.offsets(points((64, 64)))).all()
    assert notation_of("st_hf<64, 64>") == "kittens"


QUESTION = """
machine = "gfx950"
tile = [64, 64]
element_bits = 16
[memory]
layout = "{layout}"
[[access]]
name = "rt_16x32"
op = "read"
lanes = "m0 m1 m2 m3 n3 n4"
vector = "n0 n1 n2"
registers = "n5 m4 m5"
"""


def extra(layout: str) -> int:
    return check_spec_text(QUESTION.format(layout=layout)).check.kernels[0].totals.run.extra


def test_the_shape_that_is_made_for_ds_read_b128_is_free_of_conflicts() -> None:
    """arXiv:2511.08083: st_16x32 under ds_read_b128 of 16 x 32 operands has none on CDNA4."""
    assert extra("st_bf<64, 64, st_16x32_s>") == 0
    assert extra("st_bf<64, 64, st_8x32_s>") > 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("st_bf<64, 64, st_64x64_s>", "unknown shape st_64x64"),
        ("st_bf<60, 64, st_16x32_s>", "60 x 64"),
        ("st_bf<64, 48, st_16x32_s>", "64 x 48"),
        ("st_fl<64, 64, st_16x32_s>", "elements of 32 bits, not 16"),
        ("st_bf<64, 128, st_16x128_s>", "has elements of 8 bits, not 16"),
        ("st_xx<64, 64, st_16x32_s>", "no shared tile of HipKittens"),
        ("st_bf<bf16, 64, 64, st_16x32_s>", "no shared tile of HipKittens"),
    ],
)
def test_what_is_no_tile_is_said_no_to(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_memory(text, notation_of(text), Shape((("c", 64), ("r", 64)), 16), SETTING)


def test_another_shape_is_written_where_one_is_better_and_what_it_needs(tmp_path: Path) -> None:
    file = tmp_path / "q.toml"
    file.write_text(QUESTION.format(layout="st_bf<64, 64, st_8x32_s>"), "utf-8")
    said = bankwise("check", file).out
    written = [line.strip() for line in said.splitlines() if line.startswith("    st_bf<")]
    assert [extra(text) for text in written] == [0]
    assert "register tiles that load it" in said
