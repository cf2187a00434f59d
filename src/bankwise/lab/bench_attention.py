"""``bankwise bench attention``: fused attention over the 110 shapes, three layouts each."""

from __future__ import annotations

from collections.abc import Sequence

from bankwise.lab.bench_cases import Advance, Steps, bench_cases
from bankwise.lab.kernels.cases import BenchmarkCase, attention_cases, attention_shapes
from bankwise.lab.report.bench_cases import BenchReport

Sizes = tuple[int, int, int]


def cases_of(shapes: Sequence[Sizes] = ()) -> tuple[BenchmarkCase, ...]:
    """f16, f32, and f32 with a thread's rows side by side, which no pad can serve.

    ``shapes``: batch, sequence, head; all 110 by default.
    """
    chosen = tuple(shapes) or attention_shapes()
    return (
        *attention_cases(chosen, "f16"),
        *attention_cases(chosen, "f32"),
        *attention_cases(chosen, "f32", "blocked"),
    )


def bench_attention(
    shapes: Sequence[Sizes] = (), steps: Steps | None = None, progress: Advance | None = None
) -> BenchReport:
    """Bench :func:`cases_of` the shapes.

    InputError where the GPU or the profiler is missing, or a shape does not fit the kernels.
    """
    return bench_cases("attention", cases_of(shapes), steps or Steps(), progress)
