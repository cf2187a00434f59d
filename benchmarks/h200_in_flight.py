"""Folds and pads without conflicts on an H200: what loads of global memory in flight are worth.

    python benchmarks/h200_in_flight.py build OUT      # no GPU: texts, machine code, cases.json
    python benchmarks/h200_in_flight.py measure OUT    # with the GPU and CuPy: times.json
    python benchmarks/h200_in_flight.py csv OUT        # docs/data/h200_in_flight.csv
    python benchmarks/h200_in_flight.py words CSV      # what docs/cuda.md says of it

Twelve kernels stage rows of a matrix, a load for each row, and each thread reads along a row: as
they are (``plain``), with 16 bytes folded by the row, and with rows that are 16 bytes longer; with
and without their block's size as ``__launch_bounds__``. All three leave the same. Times are medians
of 25, by CUDA events, of 4 launches each, in turns.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

WAYS = ("plain", "fold", "pad")
PRODUCTS = ("8 128 float", "16 64 float", "16 128 double", "32 64 float", "32 64 double")
PRODUCTS = (*PRODUCTS, "32 128 float", "32 128 double", "32 128 int", "32 256 float")
MAXIMA = ("32 32 float", "32 32 double", "64 64 float")
COLUMNS, ELEMENTS = 512, 1 << 26
"""Of the matrix."""

Element = Callable[[str, str], str]


def product(rows: int, threads: int, kind: str, a: Element) -> str:
    """Of the matrix and a vector; each thread adds a part of a row."""
    return f"""
  __shared__ {kind} xs[{threads}];
  int t = threadIdx.x;
  {kind} sum = 0;
  for (int j = 0; j < n; j += {threads}) {{
    for (int i = 0; i < {rows}; ++i) {a("i", "t")} = A[(blockIdx.x * {rows} + i) * n + j + t];
    xs[t] = x[j + t];
    __syncthreads();
    int row = t % {rows}, at = t / {rows} * {rows};
    for (int k = 0; k < {rows}; ++k) sum += {a("row", "at + k")} * xs[at + k];
    __syncthreads();
  }}
  y[blockIdx.x * {threads} + t] = sum;
"""


def maxima(rows: int, threads: int, kind: str, a: Element) -> str:
    """Tiles less the greatest of each of their rows."""
    return f"""
  int t = threadIdx.x;
  for (int j = 0; j < n; j += {threads}) {{
    for (int i = 0; i < {rows}; ++i) {a("i", "t")} = A[(blockIdx.x * {rows} + i) * n + j + t];
    __syncthreads();
    {kind} m = 0;
    for (int k = 0; k < {rows}; ++k) m = {a("t", "k")} > m ? {a("t", "k")} : m;
    for (int k = 0; k < {rows}; ++k)
      y[(blockIdx.x * {rows} + k) * n + j + t] = {a("k", "t")} - m;
    __syncthreads();
  }}
"""


def text(shape: str, body: Callable[..., str], bound: bool, way: str) -> str:
    """A kernel ``k``, and what launches it."""
    rows, threads, kind = (int(one) if one.isdigit() else one for one in shape.split())
    unit = 2 if kind == "double" else 4
    shift, pad = unit.bit_length() - 1, f" + {unit}" if way == "pad" else ""

    def element(r: str, c: str) -> str:
        fold = f"(((({c}) >> {shift}) ^ ({r} & 7)) << {shift}) + (({c}) & {unit - 1})"
        return f"a[{r}][{fold if way == 'fold' else c}]"

    most = f"__launch_bounds__({threads}) " if bound else ""
    takes = f"({kind}* y, const {kind}* A, const {kind}* x, int n)"
    return (
        f'extern "C" __global__ void {most}k{takes} {{\n'
        f"  __shared__ {kind} a[{rows}][{threads}{pad}];{body(rows, threads, kind, element)}}}\n"
        f"void launch({kind}* y, const {kind}* A, const {kind}* x) {{\n"
        f"  k<<<{grid(shape)}, {threads}>>>(y, A, x, {COLUMNS});\n}}\n"
    )


def grid(shape: str) -> int:
    """Blocks of a launch."""
    return ELEMENTS // COLUMNS // int(shape.split()[0])


def cases() -> Iterator[tuple[str, str, bool, str, str]]:
    """What it is, shape, whether it has bounds, way and text of each."""
    for body, shapes in ((product, PRODUCTS), (maxima, MAXIMA)):
        for shape in shapes:
            for bound in (False, True):
                for way in WAYS:
                    yield body.__name__, shape, bound, way, text(shape, body, bound, way)


def build(out: Path) -> None:
    """Machine code, and what is counted in it."""
    from bankwise.ask.every_launch import emitted_cost, fitting
    from bankwise.read.source import Compilation
    from bankwise.read.sources import language_of

    found = []
    for number, (what, shape, bound, way, source) in enumerate(cases()):
        path = out / f"{number}.cu"
        path.write_text(source, "utf-8")
        asked = Compilation(path, "sm_90")
        (kernel,) = language_of(asked).check(asked, args={}).kernels
        line = ["nvcc", "-cubin", "-arch=sm_90", str(path), "-o", str(path.with_suffix(".cubin"))]
        subprocess.run(line, check=True)
        found.append(
            {
                "kernel": what,
                "shape": shape,
                "bound": bound,
                "way": way,
                "passes": sum(emitted_cost((kernel,)).passes.values()),
                "registers": kernel.registers,
                "blocks_of_an_sm": fitting(kernel),
                "loads_in_flight": kernel.loads.most,
                "waits": kernel.loads.waits,
            }
        )
        print(found[-1], flush=True)
    (out / "cases.json").write_text(json.dumps(found), "utf-8")


def measure(out: Path) -> None:
    """Times of all; what a fold and a pad leave is compared with what the plain text does."""
    found = json.loads((out / "cases.json").read_text("utf-8"))
    for first in range(0, len(found), len(WAYS)):
        some = found[first : first + len(WAYS)]
        for one, us in zip(some, _times(out, first, some[0]["shape"]), strict=True):
            one["us"] = us
            print(one, flush=True)
    (out / "times.json").write_text(json.dumps(found), "utf-8")


def _times(out: Path, first: int, shape: str) -> list[float]:
    import cupy
    import numpy as np

    _, threads, kind = shape.split()
    dtype = {"float": cupy.float32, "double": cupy.float64, "int": cupy.int32}[kind]
    cupy.random.seed(1)
    matrix, vector = (
        cupy.random.randint(-8, 8, size).astype(dtype) for size in (ELEMENTS, COLUMNS)
    )
    modules = [cupy.RawModule(path=str(out / f"{first + n}.cubin")) for n in range(len(WAYS))]
    results = [cupy.zeros_like(matrix) for _ in WAYS]
    start, end = cupy.cuda.Event(), cupy.cuda.Event()
    times: list[list[float]] = [[] for _ in WAYS]
    for _ in range(26):
        for module, result, some in zip(modules, results, times, strict=True):
            start.record()
            for _ in range(4):
                values = (result, matrix, vector, np.int32(COLUMNS))
                module.get_function("k")((grid(shape),), (int(threads),), values)
            end.record()
            end.synchronize()
            some.append(cupy.cuda.get_elapsed_time(start, end) * 250)
    assert all(bool((one == results[0]).all()) for one in results[1:]), shape
    return [median(some[1:]) for some in times]


def table(out: Path) -> None:
    """As CSV."""
    found: list[dict[str, Any]] = json.loads((out / "times.json").read_text("utf-8"))
    writer = csv.DictWriter(sys.stdout, list(found[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({**one, "us": f"{one['us']:.1f}"} for one in found)


def ratios(path: Path) -> list[tuple[bool, float]]:
    """Of each kernel: whether the fold waits a quarter more often beside the blocks that fit an SM,
    and how many times as long as the pad it takes."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = []
    for plain, fold, pad in zip(rows[::3], rows[1::3], rows[2::3], strict=True):
        each = [int(one["waits"]) / int(one["blocks_of_an_sm"]) for one in (plain, fold)]
        found.append((each[1] > 1.25 * each[0], float(fold["us"]) / float(pad["us"])))
    return found


def words(path: Path) -> None:
    """What comes out."""
    for waits in (True, False):
        some = sorted(ratio for longer, ratio in ratios(path) if longer == waits)
        told = f"{some[0]:.2f} to {some[-1]:.2f}"
        print("waits longer" if waits else "does not", len(some), told)


if __name__ == "__main__":
    verbs = {"build": build, "measure": measure, "csv": table, "words": words}
    verbs[sys.argv[1]](Path(sys.argv[2]))
