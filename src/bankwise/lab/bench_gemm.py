"""``bankwise bench gemm``: C = A B^T in f16 and f32, three layouts each."""

from __future__ import annotations

from collections.abc import Sequence

from bankwise.lab.bench_cases import Advance, Steps, bench_cases
from bankwise.lab.kernels.cases import PRODUCTS, BenchmarkCase, gemm_cases
from bankwise.lab.report.bench_cases import BenchReport

Sizes = tuple[int, int, int]


def cases_of(shapes: Sequence[Sizes] = ()) -> tuple[BenchmarkCase, ...]:
    """f16 and f32. ``shapes``: m, n, k; ten of them by default."""
    chosen = tuple(shapes) or PRODUCTS
    return (*gemm_cases(chosen, "f16"), *gemm_cases(chosen, "f32"))


def bench_gemm(
    shapes: Sequence[Sizes] = (), steps: Steps | None = None, progress: Advance | None = None
) -> BenchReport:
    """Bench :func:`cases_of` the shapes.

    InputError where the GPU or the profiler is missing, or a shape does not fit the kernels.
    """
    return bench_cases("gemm", cases_of(shapes), steps or Steps(), progress)
