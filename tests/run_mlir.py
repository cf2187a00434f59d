"""Run the first function of an MLIR text on the CPU: what the tests of ir.execute share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bankwise.change.execute import Execution, compare, execute, random_buffers
from bankwise.read.mlir.kernels import kernels, operations
from bankwise.read.mlir.module import Opened, open_text

KERNELS = Path(__file__).parent / "data" / "kernels"
SOURCES = Path(__file__).parents[2] / "shared" / "sources"


def opened(text: str) -> tuple[Opened, Any]:
    """The module of a text (keep it alive) and its first function."""
    module = open_text(text, "k.mlir", isolated=False)
    functions = [op for op in operations(module.module.operation) if op.name == "func.func"]
    return module, functions[0]


def run(
    text: str,
    *buffers: Any,
    size: Any = 64,
    wave_size: int = 64,
    grid: Any = (1, 1, 1),
    **more: Any,
) -> Execution:
    """Run a text on these buffers; ``size``: threads, or (x, y, z)."""
    module, function = opened(text)
    shape = (size, 1, 1) if isinstance(size, int) else size
    return execute(
        function,
        buffers,
        workgroup_size=shape,
        wave_size=wave_size,
        grid=grid,
        locate=module.location_of,
        **more,
    )


def random(text: str, seed: int = 0, sizes: Any = None) -> list[Any]:
    """Random bindings for the first function of a text."""
    module, function = opened(text)
    found = random_buffers(function, seed, sizes)
    assert module
    return found


def line_of(text: str, piece: str) -> int:
    """The line, from 1, of the only place where ``piece`` stands in a text."""
    (number,) = (i for i, line in enumerate(text.splitlines(), 1) if piece in line)
    return number


def floats(bits: Any, name: str) -> Any:
    """What bit patterns of a narrow float mean, float64, from the definition of the format."""
    if name == "bf16":
        with np.errstate(invalid="ignore"):
            return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if name == "f8E4M3FN":
        sign = np.where(bits & 128, -1.0, 1.0)
        exponent, mantissa = (bits >> 3 & 15).astype(int), (bits & 7) / 8
        size = np.where(exponent == 0, mantissa * 2.0**-6, (1 + mantissa) * 2.0 ** (exponent - 7.0))
        return sign * np.where((bits & 127) == 127, np.nan, size)
    return bits.astype(np.float64)


def leaves_the_same(
    before: str, after: str, workgroup: tuple[int, int, int] = (0, 0, 0), kernel: int = 0
) -> bool:
    """Whether one workgroup of a kernel leaves the same bits after an edit, without faults."""
    return compare(_left(before, workgroup, kernel), _left(after, workgroup, kernel)) == ()


def _left(text: str, workgroup: tuple[int, int, int], number: int) -> list[Any]:
    module = open_text(text)
    kernel = kernels(module)[number]
    assert kernel.workgroup_size is not None
    buffers = random_buffers(kernel.op, 7)
    done = execute(
        kernel.op,
        buffers,
        workgroup_size=kernel.workgroup_size,
        wave_size=64,
        grid=kernel.grid or (1, 1, 1),
        workgroups=[workgroup],
        locate=module.location_of,
    )
    assert done.faults == ()
    return buffers
