"""One launch of a kernel of this package: what to compile, how to launch it, what it will cost.

A :class:`BenchmarkCase` is a handful of words and numbers, so it can be written into a file for the
process that a profiler watches; :func:`plan` says everything else about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from bankwise.errors import InputError
from bankwise.lab.kernels import attention, gemm
from bankwise.lab.kernels.attention import AttentionShape, Dealing
from bankwise.lab.kernels.gemm import GemmShape
from bankwise.lab.kernels.generated import ElementType, source, workgroup_passes
from bankwise.lab.kernels.tiles import VARIANTS, Passes, Placement, Variant

KernelName = Literal["attention", "gemm"]
ELEMENTS: tuple[ElementType, ...] = ("f16", "f32")

BATCHES = (1, 2, 4, 8, 16)
SEQUENCES = (128, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 8192)
"""With both heads, the 110 shapes of docs/evaluation_110.md."""
PRODUCTS = (
    (512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096),
    (8192, 8192, 8192), (4096, 4096, 512), (4096, 1024, 4096), (1024, 4096, 1024),
    (8192, 1024, 1024), (1024, 1024, 8192),
)  # fmt: skip
"""m, n, k of the matrix products that are measured by default."""


class BenchmarkCase(Struct, frozen=True):
    """``sizes``: batch, sequence and head of attention, or m, n and k of a product.

    ``dealing``: f32 attention only (:mod:`bankwise.lab.kernels.attention`).
    """

    kernel: KernelName
    sizes: tuple[int, int, int]
    element: ElementType
    variant: Variant
    dealing: Dealing = "interleaved"
    target: str = "sm_90"

    @property
    def shape(self) -> str:
        """The sizes as text."""
        return "x".join(map(str, self.sizes))

    def words(self) -> list[Any]:
        """For a file; :func:`case_of` reads it."""
        return [self.kernel, list(self.sizes), self.element, self.variant, self.dealing]


class LaunchPlan(Struct, frozen=True):
    """Everything that a launch needs, and its predicted passes, all workgroups together.

    ``scalars``: the integer arguments behind the arrays; ``scale``: of attention, 0 otherwise.
    """

    name: str
    source: str
    grid: tuple[int, int]
    threads: int
    shared_bytes: int
    scalars: tuple[int, ...]
    scale: float
    flops: int
    placements: tuple[Placement, ...]
    predicted: Passes

    @property
    def workgroups(self) -> int:
        """Of one launch."""
        return self.grid[0] * self.grid[1]


LOG2_E = 1.4426950408889634


def case_of(words: Sequence[Any]) -> BenchmarkCase:
    """What :meth:`BenchmarkCase.words` wrote."""
    kernel, (a, b, c), element, variant, dealing = words
    return BenchmarkCase(kernel, (a, b, c), element, variant, dealing)


def attention_cases(
    shapes: Sequence[tuple[int, int, int]], element: ElementType, dealing: Dealing = "interleaved"
) -> tuple[BenchmarkCase, ...]:
    """The three variants of every shape."""
    one = BenchmarkCase("attention", (1, 64, 64), element, "none", dealing)
    return tuple(replace(one, sizes=s, variant=v) for s in shapes for v in VARIANTS)


def gemm_cases(
    shapes: Sequence[tuple[int, int, int]], element: ElementType
) -> tuple[BenchmarkCase, ...]:
    """The three variants of every shape."""
    one = BenchmarkCase("gemm", (128, 128, 64), element, "none")
    return tuple(replace(one, sizes=s, variant=v) for s in shapes for v in VARIANTS)


def attention_shapes() -> tuple[tuple[int, int, int], ...]:
    """The 110 shapes: batch, sequence, head."""
    return tuple((b, n, d) for b in BATCHES for n in SEQUENCES for d in attention.HEADS)


def plan(case: BenchmarkCase) -> LaunchPlan:
    """How to launch a case. InputError for sizes that the kernel does not take."""
    if case.element not in ELEMENTS or case.variant not in VARIANTS:
        raise InputError(f"no kernel of {case.element} with {case.variant}")
    return _attention(case) if case.kernel == "attention" else _gemm(case)


def _attention(case: BenchmarkCase) -> LaunchPlan:
    shape = AttentionShape(*case.sizes)
    one = _attention_kernel(shape.head, case.element, case.variant, case.target, case.dealing)
    return LaunchPlan(
        attention.KERNEL,
        _source(one),
        (shape.sequence // attention.ROWS, shape.batch),
        attention.THREADS,
        one.shared_bytes,
        (shape.sequence,),
        LOG2_E / shape.head**0.5,
        shape.flops,
        one.placements,
        _passes(one, shape.trips).times(shape.workgroups),
    )


def _gemm(case: BenchmarkCase) -> LaunchPlan:
    shape = GemmShape(*case.sizes)
    one = _gemm_kernel(case.element, case.variant, case.target)
    return LaunchPlan(
        gemm.KERNEL,
        _source(one),
        (shape.n // gemm.ROWS, shape.m // gemm.ROWS),
        gemm.THREADS,
        one.shared_bytes,
        (shape.n, shape.k),
        0.0,
        shape.flops,
        one.placements,
        _passes(one, shape.trips(case.element)).times(shape.workgroups),
    )


_attention_kernel = lru_cache(maxsize=64)(attention.kernel)
_gemm_kernel = lru_cache(maxsize=64)(gemm.kernel)
_source = lru_cache(maxsize=64)(source)
_passes = lru_cache(maxsize=1024)(workgroup_passes)
