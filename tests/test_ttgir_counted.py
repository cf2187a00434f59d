"""Encodings of one class are counted once: as each of them would be counted by itself."""

from __future__ import annotations

import random
from collections.abc import Iterator
from math import prod

import numpy as np
import pytest
from msgspec.structs import replace

from bankwise.algebra import f2
from bankwise.ask.check_ttgir import plan
from bankwise.ask.ttgir_counted import BufferQuestion, plan_of, uses_of
from bankwise.notation.linear import LinearMemory
from bankwise.notation.triton import Shared
from bankwise.notation.triton.encodings import PaddedShared, SharedLinear
from bankwise.notation.triton.fit import swizzles
from bankwise.read.options import Options
from ttgir_texts import module

MFMA = (
    "#ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [16, 16, 32], "
    "isTransposed = true}>"
)
MMA = (
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], "
    "instrShape = [16, 8]}>"
)
BLOCKED = {
    32: "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
    "order = [1, 0]}>",
    64: "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], "
    "order = [1, 0]}>",
}


def asked(target: str, element: str, width: int, view: str = "") -> BufferQuestion:
    """A tile that is stored by rows and read as an operand of a matrix instruction."""
    lanes = 64 if target.startswith("hip") else 32
    operand = f"#ttg.dot_op<{{opIdx = 1, parent = #mma, kWidth = {width}}}>"
    mma = MFMA if lanes == 64 else MMA
    tile = f"!ttg.memdesc<64x64x{element}, #plain, #smem, mutable>"
    part = f"!ttg.memdesc<32x32x{element}, #plain, #smem, mutable, 64x64>"
    body = f"""    %v = arith.constant dense<0> : tensor<64x64x{element}, #b>
    %m = ttg.local_alloc %v : (tensor<64x64x{element}, #b>) -> {tile}
    %x = ttg.local_load %m : {tile} -> tensor<64x64x{element}, {operand}>
"""
    if view:
        body += f"""    %s = ttg.memdesc_subslice %m{view} : {tile} -> {part}
    %y = ttg.local_load %s : {part} -> tensor<32x32x{element}, #b>
"""
    text = module(
        body, aliases=f"#b = {BLOCKED[lanes]}\n#mma = {mma}\n", target=target, lanes=lanes
    )
    (planned,) = plan(text, "k.ttgir", Options(), verify=False)
    (buffer,) = planned.followed.buffers
    return BufferQuestion(buffer, planned.followed, planned.reader)


def encodings(element_bits: int) -> Iterator[Shared]:
    tile = (64, 64)
    for order in ((1, 0), (0, 1)):
        every = list(swizzles(tile, order))
        yield from random.sample(every, 50)
        yield PaddedShared(((64, 128 // element_bits),), order, tile)
    for _ in range(20):
        while f2.rank(columns := [random.randrange(1, 4096) for _ in range(12)]) < 12:
            pass
        near = random.choice([0, 1, 2, 3])
        columns[:near] = [1 << bit for bit in range(near)]
        if f2.rank(columns) == 12:
            yield SharedLinear(tuple((c // 64, c % 64) for c in columns))


@pytest.mark.parametrize(
    ("target", "element", "width", "view"),
    [
        ("cuda:80", "f16", 2, ""),
        ("cuda:90", "f32", 1, "[32, 0]"),
        ("cuda:80", "i8", 4, ""),
        ("hip:gfx942", "f16", 4, "[0, 32]"),
        ("hip:gfx942", "f32", 1, ""),
        ("hip:gfx950", "f16", 8, ""),
        ("hip:gfx950", "i8", 8, "[3, 5]"),
    ],
)
def test_a_class_is_counted_as_each_of_its_encodings(
    target: str, element: str, width: int, view: str
) -> None:
    random.seed(target + element)
    question = asked(target, element, width, view)
    bits, gpu = question.buffer.type.bits, question.reader.machine
    for each in encodings(bits):
        one_by_one = question.accesses(each)
        found = question.plan(each)
        if one_by_one is None:
            assert found is None
            continue
        alone = plan_of(question.buffer, each, uses_of(one_by_one, gpu), gpu)
        assert found == alone, each


def test_encodings_that_move_rows_alike_are_one_class() -> None:
    question = asked("hip:gfx942", "f16", 4)
    every = list(swizzles((64, 64), (1, 0)))
    for each in every:
        question.plan(each)
    assert len(question.known) < len(every)


def test_a_plan_of_more_passes_than_are_asked_for_is_none() -> None:
    question = asked("hip:gfx942", "f16", 4)
    encoding = question.buffer.type.encoding
    found = question.plan(encoding)
    assert found is not None
    assert question.plan(encoding, found.passes) == found
    assert question.plan(encoding, found.passes - 1) is None


def test_offsets_by_number_are_offsets_by_coordinates() -> None:
    """Three buffers of one tile, one after the other, rows XORed into columns."""
    bases = ((0, 1), (0, 2), (0, 4), (1, 1), (2, 6), (4, 0))
    laid = LinearMemory((3, 8, 8), bases, rank=2)
    every = np.stack(np.unravel_index(np.arange(prod(laid.shape)), laid.shape), axis=-1)
    by_number = [laid.plain_offset(number) for number in range(prod(laid.shape))]
    assert by_number == laid.offsets(every).tolist()
    assert sorted(by_number) == list(range(3 * 64))
    # Row 1 begins where column 1 of row 0 would: offset bit 3 moves by one row and one column.
    assert by_number[8 + 1] == 8
    assert replace(laid, paddings=((16, 4),)).size == 3 * 64 + 11 * 4
