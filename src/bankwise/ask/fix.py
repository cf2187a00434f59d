"""``bankwise fix``: plan, rewrite in the user's own text, check again, and hear the judges."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from bankwise.ask.analysis import Analysis, analyse
from bankwise.ask.check_mlir import for_another, report_of
from bankwise.ask.compiler_named import with_compiler
from bankwise.ask.fix_dump import back_into_iree, modules, named
from bankwise.ask.fix_gains import recounted
from bankwise.ask.fix_judged import RewrittenFile, judged
from bankwise.ask.fix_rewritten import Rewritten, rewrite
from bankwise.ask.fix_wave import with_wave
from bankwise.ask.judge_smt import need_solver
from bankwise.ask.text_price import (
    AT_ANY_CYCLES,
    ReportedText,
    each_rests_on,
    kernel_price,
)
from bankwise.ask.weak_gain import leans, weighed
from bankwise.errors import InputError
from bankwise.files import check_writable, read_text
from bankwise.hardware.policies import paired
from bankwise.read.names import short
from bankwise.read.options import (
    ALL_JUDGES,
    Judges,
    Named,
    Options,
    Progress,
    size_text,
    texts,
    words,
)
from bankwise.read.recognise import asker
from bankwise.show.columns import told_apart
from bankwise.show.fixing import FixReport
from bankwise.show.patch import spliced, unified_patch
from bankwise.show.values import CheckReport
from bankwise.solver.hypotheses import gambled, hinged
from bankwise.solver.plan import preference

if TYPE_CHECKING:
    from bankwise.read.mlir.module import Opened
    from bankwise.show.model import ModelFix


def fix(
    file: str | Path,
    target: str = "",
    *,
    kernel: str = "",
    dims: Named = (),
    workgroup_size: str | Sequence[int] = "",
    policy: str = "",
    arguments: Named = (),
    launches: str | Sequence[str] = (),
    execute: bool = True,
    isa: bool = True,
    reference: str = "",
    keep: str = "",
    padding: bool | None = None,
    direct_load: bool | None = None,
    accept_sampled: bool = False,
    prove: bool = False,
    prefer: str = "",
    iree_compile: str = "",
    flags: str | Sequence[str] = (),
    compile_commands: str = "",
    run: bool = False,
) -> FixReport | ModelFix:
    """Rewrite the kernels of ``file`` so that their conflicts vanish; only ``keep`` is written.

    Parameters as on the command line, and as :func:`bankwise.check` takes them. The report has the
    ``patch``, the ``fixed_text`` and the ``verdicts`` of the judges; only what is ``accepted`` may
    be written. Of a model there is one report for each dispatch.
    """
    options = Options(
        *(target, kernel, texts("dims", dims), size_text(workgroup_size), policy),
        arguments=texts("arguments", arguments),
        launches=texts("launches", launches),
        flags=words(flags),
        compile_commands=compile_commands,
        keep=keep,
        padding=padding,
        direct_load=direct_load,
        prefer=prefer,
        iree_compile=iree_compile,
    )
    return fix_file(
        Path(file), options, Judges(execute, isa, reference, accept_sampled, prove, run)
    )


def fix_file(
    file: Path,
    options: Options,
    judges: Judges = ALL_JUDGES,
    *,
    output: str = "",
    progress: Progress | None = None,
    beside: Sequence[str] = (),
) -> FixReport | ModelFix:
    """Rewrite what ``file`` holds, and hear the judges.

    ``output``: the name that the answer will get, judged before the work. ``beside``: further
    options that were given, as the command line spells them.
    """
    # Whatever is fixed is compiled: ``--isa`` says something about all of it.
    said = (flag for flag in beside if flag != "--isa")
    given = (*options.given, *said, *judges.given)
    answer = asker(file, "fix", given, options.target, options.kernel)
    report: FixReport | ModelFix = answer(file, options, judges, output=output, progress=progress)
    return report


def fix_kernels(
    file: Path,
    options: Options,
    judges: Judges = ALL_JUDGES,
    *,
    output: str = "",
    progress: Progress | None = None,
) -> FixReport:
    """:func:`fix_file` for MLIR with threads."""
    said = output not in ("", "-")
    if said and not os.path.isdir(output):
        check_writable(Path(output))
    if judges.prove:
        need_solver()
    found = rewritten(file, with_compiler(options, isa=judges.isa))
    for path, _ in named(found.report.modules, Path(output)) if said else ():
        check_writable(path)
    if said and not found.report.modules:
        check_writable(Path(output))
    report = with_wave(judged(found, judges, progress), found, judges, output)
    back = back_into_iree(found.before.opened, report.modules, output) if report.changes else ()
    return replace(report, settings=(*report.settings, *back))


def rewritten(file: Path, options: Options) -> RewrittenFile:
    """Plan, rewrite and prove; nobody executes or compiles the kernels."""
    from bankwise.read.mlir.module import open_module

    opened = open_module(file)
    analyses = analyse(opened, options)
    _check_targets(analyses)
    before = _counted(opened, analyses, options)
    return _as_file(file, options, before, rewrite(opened, before.analyses, options))


def _check_targets(analyses: Sequence[Analysis]) -> None:
    """A patch for one GPU is none of a text that is compiled for another. NVIDIA's code for one
    runs on later ones, too."""
    for each in filter(for_another, analyses):
        said, gpu = each.kernel.target or "", each.machine.name
        if said.startswith("sm_") and each.machine.vendor == "nvidia":
            continue
        raise InputError(
            f"kernel {each.kernel.name} is for {said}: nothing is written for {gpu}",
            location=each.location,
            hint=f"lower it for {gpu}, or fix it for {said}; `check --target {gpu}` counts it",
        )


def _as_file(file: Path, options: Options, before: ReportedText, done: Rewritten) -> RewrittenFile:
    after = _counted(done.opened, done.analyses, options)
    read, fixed = before.opened.source.text, done.opened.source.text
    source_text, kernels = read_text(file), before.report.kernels
    fixed_text = spliced(source_text, read, fixed)
    report = FixReport(
        before=before.report,
        after=after.report,
        changes=done.changes,
        refusals=done.refusals,
        verdicts=() if done.proof is None else (done.proof,),
        source_text=source_text,
        fixed_text=fixed_text,
        patch=unified_patch(file, source_text, fixed_text, (read, fixed)),
        parts={} if done.parted is None else done.parted.parts,
        fronts=done.fronts,
        assumed=_doubt(before.report, after.report) if done.changes else "",
        gamble=_stakes(gambled, before.report, after.report, options) if done.changes else "",
        hinge=_hinges(before, after, options) if done.changes else "",
        modules=modules(done.opened, kernels, before.opened, source_text),
    )
    instead: Callable[[], RewrittenFile] | None = None
    if done.instead is not None:
        instead = partial(_as_file, file, options, before, done.instead)
    elif not done.paired and any(paired(a.machine) != a.machine for a in before.analyses):
        instead = partial(_in_pairs, file, options, before)
    last = (done.claims, instead, done.parted is not None)
    return RewrittenFile(options, report, before, after, done.start, *last)


def _in_pairs(file: Path, options: Options, before: ReportedText) -> RewrittenFile:
    """The best if the compiler joins reads, which are served otherwise then."""
    in_pairs, opened = replace(options, paired=True), before.opened
    done = rewrite(opened, analyse(opened, in_pairs), in_pairs)
    after = analyse(done.opened, options)
    changes = recounted(done.changes, before.analyses, after)
    done = replace(done, analyses=after, changes=changes, instead=None, fronts=(), paired=True)
    return _as_file(file, options, before, done)


def _doubt(before: CheckReport, after: CheckReport) -> str:
    apart = told_apart([short(kernel.name) for kernel in before.kernels], _LABEL)
    of = {k.name: f" of {apart[short(k.name)]}" * (len(before.kernels) > 1) for k in before.kernels}
    pairs = zip(before.kernels, after.kernels, strict=True)
    return each_rests_on(
        (f"a workgroup{of[old.name]}", kernel_price(old), kernel_price(new)) for old, new in pairs
    )


_LABEL = 24
"""Characters of a kernel's name of several."""


def _stakes(
    said: Callable[..., str], before: CheckReport, after: CheckReport, options: Options
) -> str:
    """``said``: of two prices, what is gained only as counted."""
    old, new = (kernel_price(*report.kernels) for report in (before, after))
    cycles = preference(options.prefer) not in AT_ANY_CYCLES
    return said(new, old, "a workgroup", cycles=cycles)


def _hinges(before: ReportedText, after: ReportedText, options: Options) -> str:
    """What of a gain is there only if a rule that nobody knows, or a weak one, holds, in words."""
    cycles = preference(options.prefer) not in AT_ANY_CYCLES
    told = [_stakes(hinged, before.report, after.report, options)]
    several = len(before.analyses) > 1
    for old, new in zip(weighed(before.analyses), weighed(after.analyses), strict=True):
        of = f"a workgroup of {old.kernel}" if several else "a workgroup"
        told.append(leans(new, old, of, cycles=cycles))
    return "; ".join(filter(None, told))


def _counted(opened: Opened, analyses: tuple[Analysis, ...], options: Options) -> ReportedText:
    report = report_of(opened, options, analyses)
    return ReportedText(opened, analyses, report, options.iree_compile)
