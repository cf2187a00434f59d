"""``bankwise check`` on MLIR: a kernel's accesses, their instructions, the count, the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from bankwise.ask.analysis import Analysis, analyse
from bankwise.ask.compiler_named import with_compiler
from bankwise.ask.fix_groups import OwnedGroup, owned
from bankwise.ask.kernel_report import check_report, kernel_report
from bankwise.ask.write_mlir import to_write, unwritable, written
from bankwise.counting.access import Pattern
from bankwise.counting.cost import Cost
from bankwise.counting.count_kernel import count_kernel
from bankwise.counting.kernel import (
    AllocationReport,
    IssuedPattern,
    Kernel,
    KernelAccess,
    WaveInstruction,
)
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine, canonical, machine, names
from bankwise.hardware.occupancy import Usage, occupancy
from bankwise.hardware.policies import Issue
from bankwise.hardware.toolchain import NONE
from bankwise.read.mlir.joined import CompiledAccess
from bankwise.read.options import Options, Progress, dims_of, three
from bankwise.show.advised import Optimum
from bankwise.show.values import CheckReport, Finding, KernelReport

if TYPE_CHECKING:
    from bankwise.change.rewrite.plan import GroupPlan
    from bankwise.read.mlir.extract import SharedAccess
    from bankwise.read.mlir.module import Opened
    from bankwise.solver.plan import Plan


def check_mlir_file(file: Path, options: Options, progress: Progress | None = None) -> CheckReport:
    """Check every kernel of an MLIR file."""
    from bankwise.read.mlir.module import open_module

    return check_opened(open_module(file), with_compiler(options, isa=options.isa))


def check_opened(opened: Opened, options: Options) -> CheckReport:
    """Check all kernels of an open module; ``options.isa``: as they are emitted."""
    analyses = analyse(opened, options)
    report = report_of(opened, options, analyses)
    if not options.isa:
        return report
    from bankwise.ask.check_isa import compiled_report

    plain = [kernel_of(replace(analysis, compiled={})) for analysis in analyses]
    return compiled_report(report, opened, plain, options.iree_compile)


def _source_level(analyses: tuple[Analysis, ...]) -> Iterator[str]:
    """What a count of a source does not know, and what does."""
    if not analyses:
        return
    tools = [analysis.machine.tools.iree for analysis in analyses]
    way = ": --isa counts what it emits" if all(t and t.backend != NONE for t in tools) else ""
    yield f"counted from the source; the compiler may join or drop accesses{way}"


def report_of(opened: Opened, options: Options, analyses: tuple[Analysis, ...]) -> CheckReport:
    """Count what was extracted."""
    kernels = [_report(analysis, opened, options) for analysis in analyses]
    level = () if options.isa else _source_level(analyses)
    return check_report(
        opened.source.file,
        options.width_policy,
        kernels,
        findings=(*(f for a in analyses for f in a.findings), *_holes(opened, options, analyses)),
        refusals=(*opened.unread, *(refusal for k in kernels for refusal in k.refusals)),
        notes=(*opened.notes, *_other_gpus(analyses), *level),
    )


def _report(analysis: Analysis, opened: Opened, options: Options) -> KernelReport:
    """One kernel.

    Its occupancy is that of a kernel nobody has compiled: registers are not considered. None
    without shared memory.
    """
    gpu, kernel = analysis.machine, kernel_of(analysis)
    x, y, z = kernel.workgroup_size
    used = kernel.lds_bytes
    held = occupancy(gpu, Usage(x * y * z, used)) if used else None
    accesses, refusals = count_kernel(kernel, gpu)
    return kernel_report(
        kernel,
        accesses,
        occupancy=held,
        optima=_optima(opened, analysis, options.width_policy),
        refusals=(*analysis.refusals, *_elsewhere(analysis), *refusals),
        snippets=to_write(opened, analysis, options),
    )


def _elsewhere(analysis: Analysis) -> Iterator[Refusal]:
    """Accesses that only another workgroup may execute, where nothing else is told of them."""
    told = {refusal.location for refusal in analysis.refusals}
    for unseen in analysis.extraction.unseen:
        if unseen.elsewhere and unseen.refusal.location not in told:
            yield unseen.refusal


def kernel_of(analysis: Analysis) -> Kernel:
    """What was extracted, each access with the instructions that the policy makes of it."""
    extraction, issues = analysis.extraction, analysis.issues
    most = analysis.machine.lds_bytes
    return Kernel(
        name=analysis.kernel.name,
        target=analysis.machine.name,
        location=analysis.location,
        workgroup_size=analysis.workgroup_size,
        grid=analysis.kernel.grid,
        lds_bytes=sum(a.size_bytes for a in extraction.allocations),
        accesses=tuple(
            _access(
                site,
                issues[site.access.shared_index],
                analysis.compiled.get(number),
                _mate(extraction.accesses, analysis.pairs.get(number)),
            )
            for number, site in enumerate(extraction.accesses)
            if site.access.shared_index in issues
        ),
        allocations=tuple(
            AllocationReport(a.name, a.kernel, a.location, a.size_bytes, a.size_bytes / most)
            for a in extraction.allocations
        ),
        notes=tuple(map(str, extraction.notes)),
    )


def _other_gpus(analyses: tuple[Analysis, ...]) -> Iterator[str]:
    """Which kernels name another GPU than the one they are counted for."""
    for one in filter(for_another, analyses):
        said, gpu = one.kernel.target, one.machine.name
        yield f"{one.kernel.name} is for {said}, and is counted for {gpu} as --target asks"


def for_another(one: Analysis) -> bool:
    """Whether a kernel names another GPU than the one that it is counted for."""
    said = canonical(one.kernel.target or "")
    return bool(said) and said != one.machine.name and not _alike(said, one.machine)


def _alike(name: str, gpu: Machine) -> bool:
    """Whether both count alike: a machine file of the user's may be of the kernel's GPU."""
    if name not in names():
        return False
    rows = machine(name).instructions
    return {k: replace(row, machine=gpu.name) for k, row in rows.items()} == gpu.instructions


def _mate(accesses: Sequence[SharedAccess], mate: int | None) -> str:
    """The read that one may be joined with, in words."""
    return "" if mate is None else f"the read of line {accesses[mate].access.location.line}"


def _access(
    site: SharedAccess, issues: tuple[Issue, ...], compiled: CompiledAccess | None, joins: str
) -> KernelAccess:
    access = site.access
    gone = compiled is not None and not compiled.issues
    chosen = compiled.issues if compiled is not None and compiled.issues else issues
    issued = tuple(_issued(pattern, chosen) for pattern in access.patterns)
    return KernelAccess(
        access.location,
        access.operation,
        access.kind,
        access.direction,
        tuple(map(_gone, issued)) if gone else issued,
        note="; ".join(filter(None, (access.note, compiled.why if compiled else ""))),
        one_workgroup=site.moves,
        joins=joins,
    )


def _gone(pattern: IssuedPattern) -> IssuedPattern:
    """A pattern that the compiler leaves nothing of: it never runs, and no lane takes part."""
    idle = tuple(replace(i, active=np.zeros_like(i.active)) for i in pattern.instructions)
    return replace(pattern, instructions=idle, executions=0, really=None)


def _issued(pattern: Pattern, issues: tuple[Issue, ...]) -> IssuedPattern:
    first, active = pattern.offsets_bytes, pattern.active
    instructions = tuple(
        WaveInstruction(i.instruction, first + i.offset_bytes if i.offset_bytes else first, active)
        for i in issues
    )
    return IssuedPattern(
        instructions, pattern.allocation, pattern.executions, pattern.really, pattern.iterations
    )


def _optima(opened: Opened, analysis: Analysis, policy: str) -> Iterator[Optimum]:
    """What the best layout of each group of allocations would take, where that can be said.

    Of padded rows also without their padding, where that is sure to be no worse.
    """
    from bankwise.change.rewrite.group import as_compiled
    from bankwise.solver.best import certified

    for each in owned((analysis,)):
        group = each.group
        chosen = each.plan(policy)
        if isinstance(chosen, Refusal) or not chosen.best.present.ideal:
            continue
        present = chosen.best.present
        shorter = None if chosen.without is None else chosen.without.chosen
        undone = () if shorter is None else _without(chosen, shorter)
        chosen = shorter or chosen
        least = chosen.anything
        best = chosen.best_of(least)
        yield Optimum(
            allocations=tuple(a.name for a in group.allocations),
            present=present.run,
            best=Cost(least.run.passes, best.present.run.ideal),
            known=chosen.known(least),
            address=str(least.layout),
            notes=(
                *undone,
                *_unwritten(opened, analysis, chosen),
                *_parted(each, least, policy),
                *as_compiled(group),
            ),
            certificate=certified(best, least.layout),
        )


def _parted(group: OwnedGroup, best: Plan, policy: str) -> tuple[str, ...]:
    """What ``fix`` does where accesses in parts are better than any layout with all whole."""
    if best.passes <= best.ideal:
        return ()
    from bankwise.ask.fix_parts import PartedGroup, optimised, parted_group

    answer = optimised(group, policy)
    found = None if answer is None else parted_group(answer)
    if not isinstance(found, PartedGroup) or found.chosen.passes >= best.passes:
        return ()
    return (f"`bankwise fix`: {found.told}",)


def _without(kept: GroupPlan, shorter: GroupPlan) -> tuple[str, ...]:
    """The rows of a plan that undoes a padding."""
    long, short = kept.tile.row, shorter.tile.row
    fewer = kept.best.present.lds_bytes - shorter.best.present.lds_bytes
    rows = f"in rows of {short} without their padding of {long - short}"
    return (f"{rows}, in that layout: {fewer:,} bytes less",)


def _unwritten(opened: Opened, analysis: Analysis, chosen: GroupPlan) -> tuple[str, ...]:
    """What ``fix`` can write takes more, where that is so; and why, where copies are the reason."""
    why = unwritable(opened, analysis, chosen, chosen.writable)
    least = written(opened, analysis, chosen)
    if least.passes <= chosen.anything.passes:
        return ()
    from bankwise.ask.fix_dump import without_copies

    because = f" ({why}{without_copies(opened, chosen.group)})" if why else ""
    said = f"`bankwise fix` writes {least.space}: {least.run.passes:,} passes at best"
    return (said + because,)


def _holes(opened: Opened, options: Options, analyses: tuple[Analysis, ...]) -> tuple[Finding, ...]:
    """What IREE 3.13.0 would get wrong about the swizzle hints in a text, if it has any."""
    if "xor_shuffle" not in opened.source.parsed and "rotate_rows" not in opened.source.parsed:
        return ()
    from bankwise.change.passes.holes import holes
    from bankwise.change.passes.lowered import Lowered
    from bankwise.change.passes.values import PassOptions

    size = three(options.workgroup_size) if options.workgroup_size else None
    launch = PassOptions(options.target, size, dims_of(options), options.width_policy)
    known = [
        Lowered(opened, a.kernel, a.machine, a.workgroup_size, a.extraction, a.issues)
        for a in analyses
    ]
    return tuple(Finding(h.rule, h.location, h.message) for h in holes(opened, launch, known))
