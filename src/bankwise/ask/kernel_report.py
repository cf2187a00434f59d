"""The one builder of kernel reports and of check reports, whoever read the text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bankwise.counting.counted import AccessReport
from bankwise.counting.kernel import Kernel
from bankwise.errors import Refusal
from bankwise.hardware.machine import machine
from bankwise.hardware.occupancy import Occupancy
from bankwise.show.advised import Optimum, Snippet
from bankwise.show.values import CheckReport, Finding, KernelReport


def kernel_report(
    kernel: Kernel,
    accesses: Iterable[AccessReport],
    *,
    occupancy: Occupancy | None = None,
    optima: Iterable[Optimum] = (),
    notes: Iterable[str] = (),
    refusals: Iterable[Refusal] = (),
    snippets: Iterable[Snippet] = (),
) -> KernelReport:
    """A kernel and its counted accesses. ``notes``: what is to be said beside its own;
    ``refusals``: what is not analysed of it; ``snippets``: what to write."""
    return KernelReport(
        name=kernel.name,
        target=kernel.target,
        location=kernel.location,
        workgroup_size=kernel.workgroup_size,
        grid=kernel.grid,
        lds_bytes=kernel.lds_bytes,
        accesses=tuple(accesses),
        allocations=kernel.allocations,
        occupancy=occupancy,
        notes=(*kernel.notes, *notes),
        optima=tuple(optima),
        refusals=tuple(refusals),
        snippets=tuple(snippets),
    )


def check_report(
    file: str,
    policy: str,
    kernels: Sequence[KernelReport],
    *,
    findings: Iterable[Finding] = (),
    refusals: Iterable[Refusal] = (),
    notes: Iterable[str] = (),
) -> CheckReport:
    """The kernels of one file, their targets and the counters of these."""
    targets = dict.fromkeys(k.target for k in kernels)
    return CheckReport(
        file=file,
        target=", ".join(targets),
        policy=policy,
        counter=", ".join(dict.fromkeys(machine(t).counter for t in targets)),
        kernels=tuple(kernels),
        findings=tuple(findings),
        refusals=tuple(refusals),
        notes=tuple(notes),
    )
