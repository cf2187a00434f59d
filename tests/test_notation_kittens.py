"""ThunderKittens' shared tiles against its address formula, element by element."""

from __future__ import annotations

import numpy as np
import pytest

from bankwise.algebra.offset import Shape
from bankwise.ask.spec import check_spec_text
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine
from bankwise.notation.framework import Setting
from bankwise.notation.frameworks import notation_of, read_memory
from bankwise.notation.values import collision, points

SETTING = Setting(machine("sm_90"), {}, (32, 1, 1))


def place(row: int, column: int, rows: int, size: int, swizzle_bytes: int) -> int:
    """``st::idx`` on a pointer of 0, step by step."""
    subtile_columns = swizzle_bytes // size
    outer = column // subtile_columns
    index = outer * rows * subtile_columns + row * subtile_columns + column % subtile_columns
    address = index * size
    swizzle = ((address % (swizzle_bytes * 8)) >> 7) << 4
    return (address ^ swizzle) // size


@pytest.mark.parametrize(
    ("text", "rows", "columns", "size", "swizzle_bytes"),
    [
        ("st_bf<64, 64>", 64, 64, 2, 128),
        ("kittens::st<bf16, 16, 32>", 16, 32, 2, 64),
        ("st_hf<32, 48>", 32, 48, 2, 32),
        ("st_fl<48, 16>", 48, 16, 4, 64),
        ("st<float, 32, 64, true>", 32, 64, 4, 128),
        ("st<float, 32, 64, true, 64>", 32, 64, 4, 64),
        ("st_fp8e4m3<64, 128>", 64, 128, 1, 128),
        ("st<bf16, 16, 64, true, 32>", 16, 64, 2, 32),
    ],
)
def test_every_element_lies_where_the_tile_finds_it(
    text: str, rows: int, columns: int, size: int, swizzle_bytes: int
) -> None:
    assert notation_of(text) == "kittens"
    memory = read_memory(text, "kittens", Shape((("c", columns), ("r", rows)), size * 8), SETTING)
    assert not isinstance(memory, Refusal)
    expected = [place(r, c, rows, size, swizzle_bytes) for r in range(rows) for c in range(columns)]
    assert np.array_equal(memory.offsets(points((rows, columns))), expected)
    assert collision(memory) is None


@pytest.mark.parametrize(
    "text",
    [
        *("st_bf<64>", "st_xx<64, 64>", "st<64, 64>", "st_bf<bf16, 64, 64>", "st_bf<60, 64>"),
        *("st_bf<64, 60>", "st<bf16, 64, 64, true, 48>", "st_fl<64, 64>", "st_bf<0, 64>"),
    ],
)
def test_what_is_no_tile_of_halves_is_said_no_to(text: str) -> None:
    with pytest.raises(InputError):
        read_memory(text, "kittens", Shape((("c", 64), ("r", 64)), 16), SETTING)


def test_a_question_is_checked_in_its_words() -> None:
    question = """
machine = "sm_90"
tile = [64, 64]
element_bits = 16
[memory]
layout = "{layout}"
[[access]]
name = "rows of 16 bytes by columns"
op = "read"
lanes = "m0 m1 m2 n3 n4"
vector = "n0 n1 n2"
registers = "n5 m3 m4 m5"
"""
    extra = {}
    for layout in ("st_bf<64, 64>", "st<bf16, 64, 64, false>"):
        report = check_spec_text(question.format(layout=layout))
        extra[layout] = report.check.kernels[0].totals.run.extra
    assert extra["st_bf<64, 64>"] == 0
    assert extra["st<bf16, 64, 64, false>"] > 0
