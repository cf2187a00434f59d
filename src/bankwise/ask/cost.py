"""``bankwise cost``: occupancy, mix, executed instructions, waits and bounds of emitted code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from bankwise.ask.analysis import Analysis, analyse
from bankwise.ask.check_isa import compiled
from bankwise.ask.check_mlir import report_of
from bankwise.ask.compiler_named import with_compiler
from bankwise.change.compile.compile import listing_of
from bankwise.change.compile.compilers import compiler_of
from bankwise.cost.bound import busy
from bankwise.cost.issue import cycles
from bankwise.cost.mix import executed, mix, trips
from bankwise.cost.waits import waits
from bankwise.counting.cost import Cost
from bankwise.errors import Refusal
from bankwise.hardware.machine import machine
from bankwise.hardware.occupancy import Usage, occupancy
from bankwise.read.emitted import Listing
from bankwise.read.options import Options
from bankwise.read.recognise import asker
from bankwise.show.costing import KernelCost
from bankwise.show.values import KernelReport
from bankwise.show.words import adds, open_rules

if TYPE_CHECKING:
    from bankwise.read.mlir.module import Opened

Costs = tuple[tuple[KernelCost, ...], tuple[Refusal, ...]]
"""Of the kernels that could be compiled, and why the others could not."""

_ISSUED = ("ds_", "v_mfma_", "buffer_", "global_", "flat_")


def kernel_cost(
    kernel: KernelReport, listing: Listing, issue_cycles: int | None = None
) -> KernelCost:
    """Join what the IR says of a kernel (``kernel``) with what was emitted for it (``listing``).

    ``issue_cycles``: of :func:`issue_cycles`, where the kernel's addresses are at hand.
    """
    gpu = machine(kernel.target)
    threads = _threads(kernel)
    waves = -(-threads // gpu.wave_size)
    lds_bytes = kernel.lds_bytes if listing.lds_bytes is None else listing.lds_bytes
    usage = Usage(threads, lds_bytes, listing.vgprs, listing.sgprs)
    times = trips(listing, lane_bytes(kernel), gpu)
    uses = mix(listing, _ISSUED)
    run = sum((a.run for a in kernel.accesses), Cost())
    shared = tuple(use for use in uses if use.name.startswith("ds_"))
    return KernelCost(
        kernel=kernel.name,
        target=gpu.name,
        occupancy=occupancy(gpu, usage),
        usage=usage,
        mix=shared,
        trips=times,
        executed=None if times is None else executed(shared, times) * waves,
        run=run,
        waits=waits(listing.steps),
        busy=None if times is None else busy(gpu, run.passes, run.ideal, uses, times, waves),
        issue_cycles=issue_cycles,
        grid=kernel.grid,
    )


def cost(file: Path, options: Options) -> Costs:
    """The cost of every kernel of ``file`` that can be compiled, and why others cannot."""
    answer: Costs = asker(file, "cost", options.given)(file, options)
    return answer


def cost_of_kernels(file: Path, options: Options) -> Costs:
    """:func:`cost` for MLIR with threads."""
    from bankwise.read.mlir.module import open_module

    return cost_of_opened(open_module(file), with_compiler(options, isa=True))


def cost_of_opened(opened: Opened, options: Options) -> Costs:
    """The cost of the kernels of an open module."""
    analyses = analyse(opened, options)
    found: list[KernelCost] = []
    refusals: list[Refusal] = [*opened.unread]
    for analysis, kernel in zip(
        analyses, report_of(opened, options, analyses).kernels, strict=True
    ):
        listing = listing_by(kernel, opened, options)
        if isinstance(listing, Refusal):
            refusals.append(listing)
            continue
        one = kernel_cost(kernel, listing, issue_cycles(analysis))
        compiler = str(compiler_of(opened.source.text, options.iree_compile))
        found.append(replace(one, compiler=compiler, open=_open(kernel)))
    return tuple(found), tuple(refusals)


def _open(kernel: KernelReport) -> tuple[str, ...]:
    """What of its conflicts is known, and by which rules the others are assumed."""
    rules = open_rules((a.ruled, a.evidence) for a in kernel.accesses)
    return (f"of these {adds(kernel.added)}", *rules) if rules else ()


def listing_by(kernel: KernelReport, opened: Opened, options: Options) -> Listing | Refusal:
    """The code of a kernel by the compiler of its text: one that is named, Wave's, or ours."""
    code = compiled(kernel, opened, options.iree_compile)
    if isinstance(code, Refusal):
        return code
    return listing_of(code, kernel.target, kernel.name, opened.source.file)


def issue_cycles(analysis: Analysis) -> int | None:
    """Cycles that the LDS instructions of a workgroup take of their SIMDs' ports, all waves.

    By :mod:`bankwise.cost.issue`, from the predicted instructions; None for NVIDIA.
    """
    total = 0
    for site in analysis.extraction.accesses:
        for issue in analysis.issues.get(site.access.shared_index, ()):
            row = analysis.machine.instruction(issue.instruction)
            for pattern in site.access.patterns:
                offsets = pattern.offsets_bytes + issue.offset_bytes
                for wave, active in zip(offsets, pattern.active, strict=True):
                    rounds = [wave + i * row.width_bytes for i in range(row.addresses)]
                    found = cycles(analysis.machine, row, rounds, active)
                    if isinstance(found, Refusal):
                        return None
                    total += found.total * pattern.executions
    return total


def lane_bytes(kernel: KernelReport) -> int:
    """Bytes that every lane moves through shared memory in one execution of the kernel."""
    gpu = machine(kernel.target)
    total = 0
    for access in kernel.accesses:
        if access.kind != "dma":
            rows = [gpu.instruction(name) for name in access.issued]
            width = sum(row.width_bytes * row.addresses for row in rows)
            total += width * access.executions
    return total


def _threads(kernel: KernelReport) -> int:
    x, y, z = kernel.workgroup_size
    return x * y * z
