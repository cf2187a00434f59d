"""From the analysis of a kernel to its report: accesses counted, allocations, occupancy, optima."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bankwise.ask.counting import access_reports
from bankwise.errors import Refusal
from bankwise.hardware.occupancy import Usage, occupancy
from bankwise.show.values import AllocationReport, Cost, KernelReport, Optimum

if TYPE_CHECKING:
    from bankwise.ask.analysis import Analysis


def kernel_report(analysis: Analysis) -> KernelReport:
    """Count what was extracted of one kernel.

    Its occupancy is that of a kernel nobody has compiled: registers are not considered. None
    without shared memory.
    """
    extraction, gpu = analysis.extraction, analysis.machine
    used = sum(a.size_bytes for a in extraction.allocations)
    x, y, z = analysis.workgroup_size
    return KernelReport(
        name=analysis.kernel.name,
        target=gpu.name,
        location=analysis.location,
        workgroup_size=analysis.workgroup_size,
        grid=analysis.kernel.grid,
        lds_bytes=used,
        accesses=access_reports(extraction, analysis.issues, gpu),
        allocations=_allocations(analysis),
        occupancy=occupancy(gpu, Usage(x * y * z, used)) if used else None,
        notes=tuple(map(str, extraction.notes)),
        optima=_optima(analysis),
    )


def _allocations(analysis: Analysis) -> tuple[AllocationReport, ...]:
    most = analysis.machine.lds_bytes
    return tuple(
        AllocationReport(a.name, a.kernel, a.location, a.size_bytes, a.size_bytes / most)
        for a in analysis.extraction.allocations
    )


def _optima(analysis: Analysis) -> tuple[Optimum, ...]:
    """What the best layout of each group of allocations would take, where that can be said."""
    from bankwise.change.rewrite.plan import groups, plan

    found: list[Optimum] = []
    for group in groups(analysis.extraction):
        chosen = plan(group, analysis.issues, analysis.machine)
        if isinstance(chosen, Refusal) or not chosen.best.ideal:
            continue
        best = chosen.best
        optimum = Optimum(
            allocations=tuple(a.name for a in group.allocations),
            present=Cost(best.passes_before, best.ideal),
            best=Cost(best.passes, best.ideal),
            optimal=best.optimal,
            how=best.how,
            address=str(best.address),
            certificate=best.certificate,
        )
        found.append(optimum)
    return tuple(found)
