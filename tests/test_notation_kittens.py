"""ThunderKittens' and TileLang's shared tiles by their own formulas, element by element."""

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


def tilelang(row: int, column: int, rows: int, bits: int, chunks: int) -> int:
    """The layouts of gemm_layouts.cc, their three results row-major."""
    vector = 128 // bits
    inside, chunk = row % 8, column // vector % chunks
    block, eight = column // vector // chunks, row // 8
    index = column % vector + ((chunk ^ (inside // (8 // chunks))) + inside * chunks) * vector
    return (block * -(-rows // 8) + eight) * 8 * chunks * vector + index


@pytest.mark.parametrize(
    ("text", "rows", "columns", "bits", "chunks"),
    [
        ("tilelang.layout.make_swizzled_layout(A_shared)", 64, 64, 16, 8),
        ("T.annotate_layout({B_shared: make_swizzled_layout(B_shared)})", 32, 96, 16, 4),
        ("make_swizzled_layout(B)", 16, 16, 16, 2),
        ("make_full_bank_swizzled_layout(A)", 32, 64, 32, 8),
        ("make_half_bank_swizzled_layout(A)", 32, 64, 8, 4),
        ("make_quarter_bank_swizzled_layout(A)", 8, 64, 16, 2),
    ],
)
def test_a_layout_of_tilelang_lies_as_its_source_says(
    text: str, rows: int, columns: int, bits: int, chunks: int
) -> None:
    assert notation_of(text) == "tilelang"
    memory = read_memory(text, "tilelang", Shape((("c", columns), ("r", rows)), bits), SETTING)
    assert not isinstance(memory, Refusal)
    wanted = [tilelang(r, c, rows, bits, chunks) for r in range(rows) for c in range(columns)]
    assert np.array_equal(memory.offsets(points((rows, columns))), wanted)
    assert collision(memory) is None


def test_a_lambda_of_tilelang_is_computed() -> None:
    over = Shape((("c", 64), ("r", 32)), 16)
    text = "T.annotate_layout({A: T.Layout((32, 64), lambda i, j: (i, j ^ (i % 8 * 8)))})"
    memory = read_memory(text, "tilelang", over, SETTING)
    assert not isinstance(memory, Refusal)
    wanted = [r * 64 + (c ^ (r % 8 * 8)) for r in range(32) for c in range(64)]
    assert np.array_equal(memory.offsets(points((32, 64))), wanted)


@pytest.mark.parametrize(
    "text",
    [
        *("T.Layout((4, 4), lambda i: i)", "T.Layout((4, 4), lambda i, j: __import__('os'))"),
        *("T.Layout((4, 4), lambda i, j: i ** j)", "T.Layout((4, 4), lambda i, j: i // (j - j))"),
        *("T.Layout((4, 4), lambda i, j: i - 9)", "T.Layout((4, 4), lambda i, j: (i, j)"),
        *("T.Layout((4, 4), lambda i, j: i * 9999999 * 9999999)", "make_swizzled_layout(A, B)"),
    ],
)
def test_what_is_no_layout_of_tilelang_is_said_no_to(text: str) -> None:
    try:
        memory = read_memory(text, "tilelang", Shape((("j", 4), ("i", 4)), 16), SETTING)
    except InputError:
        return
    assert text.endswith("lambda i, j: (i, j)"), memory
