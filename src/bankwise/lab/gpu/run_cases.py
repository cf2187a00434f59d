"""Running the kernels of :mod:`bankwise.lab.kernels.cases` on this computer's GPU.

    python -m bankwise.lab.gpu.run_cases CASES.json [SHARED_BYTES]

launches every case of the file once, in order, and nothing else of that name: what a profiler
watches. With SHARED_BYTES every workgroup asks for so much shared memory at least. Results are
compared with float64 by :func:`error`; times come from :func:`time`.
"""

from __future__ import annotations

import json
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from bankwise.identity import ByIdentity
from bankwise.lab.gpu.launch import (
    Launchable,
    Resources,
    Timing,
    compile_kernel,
    cupy,
    median_ms,
    resources,
)
from bankwise.lab.kernels.cases import BenchmarkCase, LaunchPlan, case_of, plan

_TYPES = {"f16": np.float16, "f32": np.float32}


class Operands(ByIdentity, frozen=True, eq=False):
    """CuPy arrays on the GPU: q, k, v of attention, a and b of a product."""

    values: tuple[Any, ...]
    out: Any


def operands(case: BenchmarkCase, seed: int) -> Operands:
    """Fresh normally distributed inputs, the same for the same seed and sizes."""
    module = cupy()
    random = module.random.RandomState(seed)
    kind = _TYPES[case.element]
    shapes, out = _shapes(case)
    values = [random.standard_normal(s, dtype=module.float32).astype(kind) for s in shapes]
    return Operands(tuple(values), module.empty(out, kind))


def blank(case: BenchmarkCase) -> Operands:
    """Operands full of ones: enough to count, since no address depends on a value."""
    module, kind = cupy(), _TYPES[case.element]
    shapes, out = _shapes(case)
    return Operands(tuple(module.ones(s, kind) for s in shapes), module.empty(out, kind))


def _shapes(case: BenchmarkCase) -> tuple[list[tuple[int, ...]], tuple[int, ...]]:
    if case.kernel == "attention":
        return [case.sizes] * 3, case.sizes
    m, n, k = case.sizes
    return [(m, k), (n, k)], (m, n)


def compiled(case: BenchmarkCase, *, shared_bytes: int = 0) -> Launchable:
    """The kernel of a case; ``shared_bytes``: more shared memory than it needs."""
    found = plan(case)
    return _compiled(found.source, found.name, max(shared_bytes, found.shared_bytes))


@lru_cache(maxsize=128)
def _compiled(source: str, name: str, shared_bytes: int) -> Launchable:
    return compile_kernel(source, name, shared_bytes=shared_bytes)


def launch(kernel: Launchable, found: LaunchPlan, given: Operands) -> None:
    """Queue one launch."""
    scale = (np.float32(found.scale),) if found.scale else ()
    scalars = tuple(np.int32(x) for x in found.scalars)
    kernel(found.grid, (found.threads,), (*given.values, given.out, *scalars, *scale))


def reference(case: BenchmarkCase, given: Operands) -> Any:
    """The result in float64, from the operands as they are."""
    module = cupy()
    wide = [x.astype(module.float64) for x in given.values]
    if case.kernel == "gemm":
        return wide[0] @ wide[1].T
    q, k, v = wide
    out = module.empty(case.sizes, module.float64)
    for batch in range(case.sizes[0]):
        scores = q[batch] @ k[batch].T / case.sizes[2] ** 0.5
        weights = module.exp(scores - scores.max(axis=1, keepdims=True))
        out[batch] = (weights / weights.sum(axis=1, keepdims=True)) @ v[batch]
    return out


def error(case: BenchmarkCase, given: Operands, expected: Any) -> float:
    """Run the case once; the largest absolute difference from ``expected``.

    The output is filled with NaN before, so that an element that is not written shows.
    """
    module = cupy()
    given.out.fill(np.nan)
    launch(compiled(case), plan(case), given)
    difference = module.abs(given.out.astype(module.float64) - expected)
    return float(difference.max())


def time(case: BenchmarkCase, given: Operands, repeats: int, *, shared_bytes: int = 0) -> Timing:
    """Median of ``repeats`` launches; the operands stay in the L2 cache where they fit."""
    kernel, found = compiled(case, shared_bytes=shared_bytes), plan(case)
    return median_ms(lambda: launch(kernel, found, given), warmup=3, repeats=repeats)


def kernel_resources(case: BenchmarkCase) -> Resources:
    """What the compiler gave the kernel of a case."""
    return resources(compiled(case))


def main(path: str, shared_bytes: int = 0) -> None:
    """Launch the cases of a file once each, in order."""
    module = cupy()
    for words in json.loads(Path(path).read_text()):
        case = case_of(words)
        launch(compiled(case, shared_bytes=shared_bytes), plan(case), blank(case))
        module.cuda.Device().synchronize()


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
