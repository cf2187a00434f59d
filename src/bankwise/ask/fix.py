"""``bankwise fix``: plan, rewrite in the user's own text, check again, and hear the judges."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from bankwise.ask.analysis import Analysis, analyse
from bankwise.ask.check_mlir import for_another, kernel_of, report_of
from bankwise.ask.compiler_named import with_compiler
from bankwise.ask.fix_dump import back_into_iree, modules, named, without_copies
from bankwise.ask.fix_gains import recounted
from bankwise.ask.fix_groups import Key, OwnedGroup, owned
from bankwise.ask.fix_judged import RewrittenFile, judged
from bankwise.ask.fix_padding import Padding, Start, kept, paddings, without
from bankwise.ask.fix_parts import (
    PartedGroup,
    PartedText,
    cut,
    in_parts,
    optimised,
    parted_group,
)
from bankwise.ask.fix_proved import (
    ProvedRewrite,
    RewriteTask,
    StartingText,
    proof_verdict,
    write_proved,
)
from bankwise.ask.fix_told import PlannedTask, change_of
from bankwise.ask.fix_wave import with_wave
from bankwise.ask.judge_smt import need_solver
from bankwise.ask.text_price import (
    AT_ANY_CYCLES,
    ReportedText,
    each_rests_on,
    kernel_price,
    price_of,
)
from bankwise.ask.weak_gain import leans, weighed
from bankwise.counting.count_kernel import count_kernel
from bankwise.errors import InputError, Refusal
from bankwise.files import check_writable, read_text
from bankwise.hardware.policies import paired
from bankwise.read.names import short
from bankwise.read.options import ALL_JUDGES, Judges, Options, Progress
from bankwise.read.recognise import asker
from bankwise.show.columns import told_apart
from bankwise.show.fixing import Change, FixReport, GroupFront, Verdict
from bankwise.show.patch import spliced, unified_patch
from bankwise.show.values import CheckReport
from bankwise.solver.hypotheses import gambled, hinged
from bankwise.solver.plan import preference

if TYPE_CHECKING:
    from bankwise.change.prove import MapClaim
    from bankwise.change.rewrite.plan import GroupPlan
    from bankwise.read.mlir.module import Opened
    from bankwise.show.model import ModelFix


def fix(
    file: str | Path,
    target: str = "",
    *,
    kernel: str = "",
    dims: tuple[str, ...] = (),
    workgroup_size: str = "",
    policy: str = "",
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
) -> FixReport | ModelFix:
    """Rewrite the kernels of ``file`` so that their conflicts vanish; only ``keep`` is written.

    Parameters as on the command line. Of a model there is one report for each dispatch.
    """
    options = Options(
        *(target, kernel, dims, workgroup_size, policy),
        keep=keep,
        padding=padding,
        direct_load=direct_load,
        prefer=prefer,
        iree_compile=iree_compile,
    )
    return fix_file(Path(file), options, Judges(execute, isa, reference, accept_sampled, prove))


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


class Rewritten(Struct, frozen=True):
    """What ``fix`` writes of a text, proved and not executed; and what it refuses.

    ``start``: the text that claims are about, the user's or that with accesses in parts
    (``parted``). ``worse``: the paddings that had better stayed, because no fold could be written.
    ``done``: the rewrites that stand in the text. ``instead``: with accesses whole, what is written
    if the compiler makes worse code of those in parts. ``fronts``: what competes, by group.
    ``paired``: planned for reads that the compiler joins in pairs."""

    start: Opened
    opened: Opened
    analyses: tuple[Analysis, ...]
    changes: tuple[Change, ...]
    refusals: tuple[Refusal, ...]
    worse: Mapping[Key, Refusal]
    proof: Verdict | None
    claims: tuple[MapClaim, ...] = ()
    done: tuple[ProvedRewrite, ...] = ()
    parted: PartedText | None = None
    instead: Rewritten | None = None
    fronts: tuple[GroupFront, ...] = ()
    paired: bool = False


def rewrite(opened: Opened, analyses: tuple[Analysis, ...], options: Options) -> Rewritten:
    """The best that can be written and proved: accesses whole, or in parts where they take less."""
    policy, prefer = options.width_policy, preference(options.prefer)
    whole = _unpadded(opened, analyses, analyses, options)
    asked = [optimised(group, policy, prefer) for group in owned(analyses)]
    found = [parted_group(each) for each in asked if each is not None]
    dear = tuple(each for each in found if isinstance(each, Refusal))
    fronts = tuple(each.front for each in asked if each is not None)
    whole = replace(whole, refusals=(*whole.refusals, *dear), fronts=fronts)
    wanted = tuple(each for each in found if isinstance(each, PartedGroup))
    return _in_parts(whole, (opened, analyses), wanted, options)


def _in_parts(
    whole: Rewritten,
    before: tuple[Opened, tuple[Analysis, ...]],
    wanted: tuple[PartedGroup, ...],
    options: Options,
) -> Rewritten:
    """With accesses of these groups in parts, where that takes less than with all ``whole``."""
    opened, analyses = before
    while wanted:
        text = in_parts(opened, wanted, options)
        if isinstance(text, Refusal):
            return replace(whole, refusals=(*whole.refusals, text))
        done = _unpadded(text.opened, text.analyses, analyses, options, text)
        maps = {
            each.key: (each.attempt.chosen.layout, each.attempt.task.rows) for each in done.done
        }
        apart = tuple(g for g in wanted if g.key in maps and cut(g, *maps[g.key]))
        if len(apart) == len(wanted):
            return _better(whole, replace(done, parted=text, fronts=whole.fronts), options)
        wanted = apart
    return whole


def _better(whole: Rewritten, parted: Rewritten, options: Options) -> Rewritten:
    prefer = preference(options.prefer)
    one, other = price_of(whole.analyses), price_of(parted.analyses)
    before = one.rank(prefer) > other.rank(prefer)
    better = other.no_worse(one, prefer) and before
    return replace(parted, instead=whole) if better else whole


def _unpadded(
    opened: Opened,
    analyses: tuple[Analysis, ...],
    before: tuple[Analysis, ...],
    options: Options,
    parted: PartedText | None = None,
) -> Rewritten:
    """Paddings undone where that pays, then the folds. ``before``: what gains are counted from."""
    groups, told = owned(analyses), dict[Refusal, None]()
    wanted = paddings(groups, options)
    while True:
        start = without(opened, analyses, wanted, options)
        texts = (opened, before, start.opened, start.analyses)
        done = _folded(StartingText(*texts, options, parted), start)
        told |= dict.fromkeys((*start.refusals, *done.worse.values()))
        if not done.worse:
            return replace(done, refusals=(*told, *done.refusals))
        wanted = tuple(p for key, p in start.undone.items() if key not in done.worse)


def _folded(texts: StartingText, start: Start) -> Rewritten:
    policy = texts.options.width_policy
    planned: list[PlannedTask] = []
    refusals: list[Refusal] = []
    worse: dict[Key, Refusal] = {}
    for each in owned(start.analyses):
        chosen = each.unknown or each.plan(policy)
        padding = start.undone.get(each.key)
        found = _to_try(each, chosen, padding)
        if isinstance(found, PlannedTask):
            planned.append(found)
        elif padding is not None:
            worse[each.key] = padding.stays(found.reason) if found else padding.stays("no plan")
        elif isinstance(chosen, Refusal):
            refusals += [chosen] if _conflicts(each) else []
        else:
            refusals += (*_unwritten(chosen), *kept(chosen, chosen.best.present))
    if worse:
        return Rewritten(
            texts.before, start.opened, start.analyses, (), tuple(refusals), worse, None
        )
    return _proved(texts, planned, refusals)


def _to_try(
    group: OwnedGroup, chosen: GroupPlan | Refusal, padding: Padding | None
) -> PlannedTask | Refusal | None:
    """What to try for a group; None where nothing helps, a Refusal where that is a loss."""
    if isinstance(chosen, Refusal):
        return chosen
    present = chosen.best.present
    helping = [p for p in chosen.choices if p.passes < present.passes]
    if padding is None:
        return PlannedTask(RewriteTask(group, tuple(helping)), chosen, None) if helping else None
    plans = [p for p in (*helping, present) if p.passes <= padding.undone.least]
    if not plans:
        least = min(p.run.passes for p in (*helping, present))
        return Refusal(f"without it {least:,} passes can be written")
    return PlannedTask(RewriteTask(group, tuple(plans), padding.undone.rows), chosen, padding)


def _proved(
    texts: StartingText, planned: Sequence[PlannedTask], refusals: list[Refusal]
) -> Rewritten:
    """Write what can be proved; the reasons for all else."""
    by_task = {each.task: each for each in planned}
    written = write_proved(texts, [each.task for each in planned])
    worse: dict[Key, Refusal] = {}
    for task, refusal in written.refused:
        padding = by_task[task].padding
        way_on = without_copies(texts.start, task.owned.group)
        told = Refusal(f"{_named(task.owned, refusal.reason)}{way_on}", refusal.location)
        refusals += [] if padding else [told]
        worse |= {task.owned.key: padding.stays(refusal.reason)} if padding else {}
    changes: list[Change] = []
    for done in written.done:
        each = by_task[done.attempt.task]
        refusals += [] if each.padding else kept(each.chosen, done.attempt.chosen)
        changes.append(change_of(each, done, texts.parted))
    proof = proof_verdict([done.proofs for done in written.done])
    claims = tuple(proof.claim for done in written.done for proof in done.proofs)
    stands = (texts.before, written.opened, written.analyses)
    return Rewritten(*stands, tuple(changes), tuple(refusals), worse, proof, claims, written.done)


def _named(group: OwnedGroup, reason: str) -> str:
    """A reason that says of what."""
    names = group.group.names
    return reason if reason.startswith(f"{names}: ") else f"{names}: {reason}"


def _unwritten(chosen: GroupPlan) -> list[Refusal]:
    """A layout is better, and is not one that fix can write."""
    names, where = chosen.group.names, chosen.group.allocations[0].location
    present, least = chosen.best.present.run.passes, chosen.anything.run.passes
    if least < present:
        reason = f"a layout that takes {least:,} passes instead of {present:,} exists, but it is"
        return [Refusal(f"{names}: {reason} not {chosen.writable.space}", where)]
    return []


def _conflicts(group: OwnedGroup) -> bool:
    names = {allocation.name for allocation in group.group.allocations}
    for analysis in group.analyses:
        reports, _ = count_kernel(kernel_of(analysis), analysis.machine)
        if any(r.run.extra and set(r.allocations) & names for r in reports):
            return True
    return False
