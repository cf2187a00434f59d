"""``bankwise check`` on MLIR: a kernel's accesses, their instructions, the count, the report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bankwise.ask.analysis import Analysis, analyse
from bankwise.ask.kernel_report import kernel_report
from bankwise.read.options import Options, dims_of, three
from bankwise.show.values import CheckReport, Finding

if TYPE_CHECKING:
    from bankwise.read.mlir.module import Opened


def check_mlir_file(file: Path, options: Options, *, isa: bool = False) -> CheckReport:
    """Check every kernel of an MLIR file; ``isa``: against what the compiler emits for it, too."""
    from bankwise.read.mlir.module import open_module

    opened = open_module(file)
    report = check_opened(opened, options)
    if isa:
        from bankwise.ask.reconcile import reconcile

        report = reconcile(report, opened)
    return report


def check_opened(opened: Opened, options: Options) -> CheckReport:
    """Check all kernels of an open module."""
    return report_of(opened, options, analyse(opened, options))


def report_of(opened: Opened, options: Options, analyses: tuple[Analysis, ...]) -> CheckReport:
    """Count what was extracted."""
    targets = dict.fromkeys(a.machine.name for a in analyses)
    return CheckReport(
        file=opened.source.file,
        target=", ".join(targets),
        policy=options.policy,
        counter=", ".join(dict.fromkeys(a.machine.counter for a in analyses)),
        kernels=tuple(kernel_report(a) for a in analyses),
        findings=(*(f for a in analyses for f in a.findings), *_holes(opened, options, analyses)),
        refusals=tuple(r for a in analyses for r in a.refusals),
        notes=opened.notes,
    )


def _holes(opened: Opened, options: Options, analyses: tuple[Analysis, ...]) -> tuple[Finding, ...]:
    """What IREE 3.13.0 would get wrong about the swizzle hints in a text, if it has any."""
    if "xor_shuffle" not in opened.source.parsed and "rotate_rows" not in opened.source.parsed:
        return ()
    from bankwise.change.passes.holes import holes
    from bankwise.change.passes.lowered import Lowered
    from bankwise.change.passes.values import Launch

    size = three(options.workgroup_size) if options.workgroup_size else None
    launch = Launch(options.target, size, dims_of(options), options.policy)
    known = [
        Lowered(opened, a.kernel, a.machine, a.workgroup_size, a.extraction, a.issues)
        for a in analyses
    ]
    return tuple(Finding(h.rule, h.location, h.message) for h in holes(opened, launch, known))
