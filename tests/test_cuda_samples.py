"""CUDA files in the manner of the well-known samples, without an option, against brute force.

What each access of the source touches is written down here, thread by thread; a compiler may read a
word once where the source reads it twice, so distinct words of a kernel are counted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from bankwise.read.toolkit import find_program
from command import bankwise

SAMPLES = Path(__file__).parents[1] / "examples" / "launch"
pytestmark = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

Word = Callable[[int, int, int], int | None]
"""The word that a thread x, y, z touches; None if it takes no part."""


def extra(block: tuple[int, int, int], words: Iterable[Word]) -> int:
    """Passes beyond the ideal of accesses of 4 bytes by all warps of a block."""
    x, y, z = block
    threads = [(a, b, c) for c in range(z) for b in range(y) for a in range(x)]
    total = 0
    for word in words:
        for first in range(0, len(threads), 32):
            found = {word(*place) for place in threads[first : first + 32]} - {None}
            banks = [
                sum(one % 32 == bank for one in found if one is not None) for bank in range(32)
            ]
            total += max(banks) - -(-len(found) // 32)
    return total


@pytest.fixture(scope="module")
def checked() -> Callable[[str], Mapping[str, Any]]:
    """The kernels of a sample by their own names, checked once."""
    found: dict[str, Mapping[str, Any]] = {}

    def answer(name: str) -> Mapping[str, Any]:
        if name not in found:
            ended = bankwise("check", SAMPLES / name, "--format", "json")
            assert ended.code in (0, 1, 3), ended.err
            document = json.loads(ended.out)
            assert not document["refusals"]
            names = {one["name"]: one.get("demangled", one["name"]) for one in document["kernels"]}
            found[name] = {
                names[one["name"]].removeprefix("void ").partition("(")[0]: one
                for one in document["kernels"]
            }
        return found[name]

    return answer


def line_of(name: str, launch: str) -> int:
    lines = (SAMPLES / name).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if launch in line)


def test_a_padded_filter(checked: Callable[[str], Mapping[str, Any]]) -> None:
    kernels = checked("convolutionSeparable.cu")
    columns, rows = kernels["convolutionColumns"], kernels["convolutionRows"]
    line = line_of("convolutionSeparable.cu", "convolutionColumns<<<")
    assert columns["launch"]["said"] == f"as it is launched at line {line}"
    assert (columns["workgroup_size"], rows["workgroup_size"]) == ([16, 8, 1], [16, 4, 1])
    writes = [8 * i for i in range(10)]
    reads = {8 * i + j for i in range(1, 9) for j in range(-8, 9)}
    touched: list[Word] = [lambda x, y, z, k=k: 81 * x + y + k for k in (*writes, *reads)]  # type: ignore[misc]
    assert columns["added"]["low"] == columns["added"]["high"] == extra((16, 8, 1), touched)
    writes = [16 * i for i in range(10)]
    reads = {16 * i + j for i in range(1, 9) for j in range(-8, 9)}
    touched = [lambda x, y, z, k=k: 160 * y + x + k for k in (*writes, *reads)]  # type: ignore[misc]
    assert rows["added"]["low"] == rows["added"]["high"] == extra((16, 4, 1), touched)


def test_transposes_that_are_launched_through_a_pointer(
    checked: Callable[[str], Mapping[str, Any]],
) -> None:
    kernels = checked("transpose.cu")
    for name, pitch in (("transposeCoalesced", 32), ("transposeNoBankConflicts", 33)):
        touched: list[Word] = []
        for j in range(0, 32, 8):
            touched.append(lambda x, y, z, j=j: (y + j) * pitch + x)  # type: ignore[misc]  # noqa: B023
            touched.append(lambda x, y, z, j=j: x * pitch + y + j)  # type: ignore[misc]  # noqa: B023
        found = kernels[name]
        wanted = extra((32, 8, 1), touched)
        assert (found["workgroup_size"], found["grid"]) == ([32, 8, 1], [32, 32, 1])
        assert found["totals"]["run"]["extra"] == wanted
        assert found["totals"]["launch"]["extra"] == wanted * 32 * 32


def test_an_interleaved_reduction_whose_block_is_assumed(
    checked: Callable[[str], Mapping[str, Any]],
) -> None:
    found = checked("reduction.cu")["reduce_interleaved<int>"]
    size = found["workgroup_size"][0]
    assert found["launch"]["assumed"] == f"{size},1,1 threads a block"

    def at(step: int, more: int) -> Word:
        return lambda x, y, z: 2 * step * x + more if 2 * step * x < size else None

    steps = [1 << k for k in range(size.bit_length() - 1)]
    touched = [at(step, more) for step in steps for more in (0, step, 0)]
    assert found["added"]["low"] == found["added"]["high"] == extra((size, 1, 1), touched)


def test_instances_of_a_template_are_launched_each_with_its_own_size(
    checked: Callable[[str], Mapping[str, Any]],
) -> None:
    kernels = checked("reduction.cu")
    for size, power in ((512, "true"), (256, "true"), (128, "false")):
        found = kernels[f"reduce_unrolled<int, {size}, {power}>"]
        assert found["workgroup_size"] == [size, 1, 1]
        assert found["added"]["high"] == 0


def test_a_transform_in_dynamic_shared_memory(
    checked: Callable[[str], Mapping[str, Any]],
) -> None:
    """Its size and its length come from the launch: 512 threads, 1 << 11 values, 8,192 bytes."""
    found = checked("fastWalsh.cu")["fwtBatch1Kernel"]
    assert (found["workgroup_size"], found["lds_bytes"]) == ([512, 1, 1], 4 << 11)

    def place(stride: int, part: int) -> Word:
        return lambda x, y, z: ((x - x % stride) << 2) + x % stride + part * stride

    strides = [512 >> 2 * k for k in range(5)]
    touched = [place(s, part) for s in strides for part in range(4) for _ in ("read", "write")]
    assert found["added"]["low"] == found["added"]["high"] == extra((512, 1, 1), touched)


def test_blocks_of_three_axes(checked: Callable[[str], Mapping[str, Any]]) -> None:
    found = checked("dct8x8.cu")["DCTkernel2"]
    assert found["workgroup_size"] == [8, 4, 2]
    columns: list[Word] = [
        lambda x, y, z, i=i: (8 * z + i) * 33 + 8 * y + x  # type: ignore[misc]
        for i in range(8)
    ]
    rows: list[Word] = [
        lambda x, y, z, i=i: (8 * z + x) * 33 + 8 * y + i  # type: ignore[misc]
        for i in range(8)
    ]
    assert found["added"]["high"] == extra((8, 4, 2), (*columns, *rows)) == 0
