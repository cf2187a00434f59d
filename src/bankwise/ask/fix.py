"""``bankwise fix``: plan, rewrite in the user's own text, check again, and hear the judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bankwise.ask.analysis import Analysis, analyse
from bankwise.ask.check_mlir import kernel_of, report_of
from bankwise.ask.fix_groups import Key, OwnedGroup, owned
from bankwise.ask.fix_padding import Padding, Start, against, kept, paddings, without
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
    RewriteAttempt,
    RewriteTask,
    StartingText,
    proof_verdict,
    write_proved,
)
from bankwise.ask.judge_smt import judge_smt, need_solver
from bankwise.ask.text_price import ReportedText, price_of
from bankwise.counting.count_kernel import count_kernel
from bankwise.errors import Refusal
from bankwise.files import check_writable
from bankwise.read.options import Options, Progress, dims_of
from bankwise.read.recognise import asker
from bankwise.show.fixing import Change, FixReport, GroupFront, Verdict
from bankwise.show.patch import unified_patch

if TYPE_CHECKING:
    from bankwise.change.prove import MapClaim
    from bankwise.change.rewrite.plan import GroupPlan
    from bankwise.read.mlir.module import Opened
    from bankwise.show.model import ModelFix
    from bankwise.solver.plan import Plan


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
    padding: bool = False,
    direct_load: bool = False,
    accept_sampled: bool = False,
    prove: bool = False,
    prefer: str = "",
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
    )
    return fix_file(
        Path(file),
        options,
        execute=execute,
        isa=isa,
        reference=reference,
        accept_sampled=accept_sampled,
        prove=prove,
    )


def fix_file(
    file: Path,
    options: Options,
    *,
    execute: bool = True,
    isa: bool = True,
    reference: str = "",
    output: str = "",
    accept_sampled: bool = False,
    prove: bool = False,
    progress: Progress | None = None,
    beside: Sequence[str] = (),
) -> FixReport | ModelFix:
    """Rewrite what ``file`` holds, and judge the result: ``execute`` it, compile it (``isa``).

    ``reference``: ``FILE.py:FUNCTION``, called with the input buffers, returns the expected ones.
    ``output``: the name that the answer will get, judged before the work. ``accept_sampled``:
    whether the proof alone will do where not all workgroups could be executed. ``prove``: an SMT
    solver judges, too. ``beside``: further options that were given, as the command line spells
    them.
    """
    given = (*options.given, *beside, *(["--reference"] if reference else []))
    judges = {"execute": execute, "isa": isa, "reference": reference, "output": output}
    judges |= {"accept_sampled": accept_sampled, "prove": prove}
    answer = asker(file, "fix", given)
    report: FixReport | ModelFix = answer(file, options, **judges, progress=progress)
    return report


def fix_kernels(
    file: Path,
    options: Options,
    *,
    execute: bool = True,
    isa: bool = True,
    reference: str = "",
    output: str = "",
    accept_sampled: bool = False,
    prove: bool = False,
    progress: Progress | None = None,
) -> FixReport:
    """:func:`fix_file` for MLIR with threads."""
    if output not in ("", "-"):
        check_writable(Path(output))
    if prove:
        need_solver()
    from bankwise.read.mlir.module import open_module

    opened = open_module(file)
    before = _counted(opened, analyse(opened, options), options)
    done = _rewritten(opened, before.analyses, options)
    code: tuple[Verdict, ...] = ()
    if done.changes and isa:
        done, code = _compiled(before, done, options)
    verdicts = [] if done.proof is None else [done.proof]
    if done.changes and prove:
        verdicts.append(judge_smt(done.start, done.opened, done.claims))
    if done.changes and execute:
        verdicts.append(_executed(before, done, reference, progress, options))
    return FixReport(
        before=before.report,
        after=_counted(done.opened, done.analyses, options).report,
        changes=done.changes,
        refusals=done.refusals,
        verdicts=(*verdicts, *code),
        source_text=opened.source.text,
        fixed_text=done.opened.source.text,
        patch=unified_patch(file, opened.source.text, done.opened.source.text),
        accept_sampled=accept_sampled,
        parts={} if done.parted is None else done.parted.parts,
        fronts=done.fronts,
    )


def _counted(opened: Opened, analyses: tuple[Analysis, ...], options: Options) -> ReportedText:
    return ReportedText(opened, analyses, report_of(opened, options, analyses))


def _executed(
    before: ReportedText,
    done: _Rewritten,
    reference: str,
    progress: Progress | None,
    options: Options,
) -> Verdict:
    from bankwise.ask.judge_execution import judge_execution

    texts = (before.opened, done.opened, before.analyses, done.analyses)
    return judge_execution(*texts, reference, progress, dims_of(options))


def _compiled(
    before: ReportedText, done: _Rewritten, options: Options
) -> tuple[_Rewritten, tuple[Verdict, ...]]:
    """What the emitted code says; where it rejects accesses in parts, of those left whole."""
    from bankwise.ask.judge_isa import judge_isa
    from bankwise.solver.plan import preference

    after = _counted(done.opened, done.analyses, options)
    verdict = judge_isa(before, after, preference(options.prefer))
    if verdict.status != "failed" or done.instead is None:
        return done, (verdict,)
    told = Refusal(f"accesses stay whole: in parts {verdict.detail}")
    whole = replace(done.instead, refusals=(*done.instead.refusals, told))
    return _compiled(before, whole, options) if whole.changes else (whole, ())


def folded_text(opened: Opened, options: Options) -> tuple[str, tuple[Refusal, ...]]:
    """What ``fix`` writes of a text, proved and not executed; and what it refuses."""
    done = _rewritten(opened, analyse(opened, options), options)
    return done.opened.source.text, done.refusals


@dataclass(frozen=True, slots=True)
class _Rewritten:
    """``start``: the text that claims are about, the user's or that with accesses in parts
    (``parted``). ``worse``: the paddings that had better stayed, because no fold could be written.
    ``done``: the rewrites that stand in the text. ``instead``: with accesses whole, what is written
    if the compiler makes worse code of those in parts. ``fronts``: what competes, by group."""

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
    instead: _Rewritten | None = None
    fronts: tuple[GroupFront, ...] = ()


def _rewritten(opened: Opened, analyses: tuple[Analysis, ...], options: Options) -> _Rewritten:
    """The best that can be written and proved: accesses whole, or in parts where they take less."""
    from bankwise.solver.plan import preference

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
    whole: _Rewritten,
    before: tuple[Opened, tuple[Analysis, ...]],
    wanted: tuple[PartedGroup, ...],
    options: Options,
) -> _Rewritten:
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


def _better(whole: _Rewritten, parted: _Rewritten, options: Options) -> _Rewritten:
    from bankwise.solver.plan import preference

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
) -> _Rewritten:
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


@dataclass(frozen=True, slots=True, eq=False)
class _PlannedTask:
    """A task with the plans it was made from; ``padding``: the one that is gone from its rows."""

    task: RewriteTask
    chosen: GroupPlan
    padding: Padding | None


def _folded(texts: StartingText, start: Start) -> _Rewritten:
    from bankwise.change.rewrite.plan import plan

    policy = texts.options.width_policy
    planned: list[_PlannedTask] = []
    refusals: list[Refusal] = []
    worse: dict[Key, Refusal] = {}
    for each in owned(start.analyses):
        chosen = each.unknown or plan(each.group, each.issues, each.machine, policy)
        padding = start.undone.get(each.key)
        found = _to_try(each, chosen, padding)
        if isinstance(found, _PlannedTask):
            planned.append(found)
        elif padding is not None:
            worse[each.key] = padding.stays(found.reason) if found else padding.stays("no plan")
        elif isinstance(chosen, Refusal):
            refusals += [chosen] if _conflicts(each) else []
        else:
            refusals += (*_unwritten(chosen), *kept(chosen, chosen.best.present))
    if worse:
        return _Rewritten(
            texts.before, start.opened, start.analyses, (), tuple(refusals), worse, None
        )
    return _proved(texts, planned, refusals)


def _to_try(
    group: OwnedGroup, chosen: GroupPlan | Refusal, padding: Padding | None
) -> _PlannedTask | Refusal | None:
    """What to try for a group; None where nothing helps, a Refusal where that is a loss."""
    if isinstance(chosen, Refusal):
        return chosen
    present = chosen.best.present
    helping = [p for p in chosen.choices if p.passes < present.passes]
    if padding is None:
        return _PlannedTask(RewriteTask(group, tuple(helping)), chosen, None) if helping else None
    plans = [p for p in (*helping, present) if p.passes <= padding.undone.least]
    if not plans:
        least = min(p.run.passes for p in (*helping, present))
        return Refusal(f"without it {least:,} passes can be written")
    return _PlannedTask(RewriteTask(group, tuple(plans), padding.undone.rows), chosen, padding)


def _proved(
    texts: StartingText, planned: Sequence[_PlannedTask], refusals: list[Refusal]
) -> _Rewritten:
    """Write what can be proved; the reasons for all else."""
    by_task = {each.task: each for each in planned}
    written = write_proved(texts, [each.task for each in planned])
    worse: dict[Key, Refusal] = {}
    for task, refusal in written.refused:
        padding = by_task[task].padding
        named = Refusal(_named(task.owned, refusal.reason), refusal.location)
        refusals += [] if padding else [named]
        worse |= {task.owned.key: padding.stays(refusal.reason)} if padding else {}
    changes: list[Change] = []
    for done in written.done:
        each = by_task[done.attempt.task]
        refusals += [] if each.padding else kept(each.chosen, done.attempt.chosen)
        changes.append(_change(each, done, texts.parted))
    proof = proof_verdict([done.proofs for done in written.done])
    claims = tuple(proof.claim for done in written.done for proof in done.proofs)
    stands = (texts.before, written.opened, written.analyses)
    told = (tuple(changes), tuple(refusals))
    return _Rewritten(*stands, *told, worse, proof, claims, written.done)


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


def _change(planned: _PlannedTask, done: ProvedRewrite, text: PartedText | None) -> Change:
    """A change, with what was counted before and after it; ``text``: with accesses in parts."""
    from bankwise.change.rewrite.plan import coalescing
    from bankwise.solver.best import certified

    plan, padding, group = planned.chosen, planned.padding, planned.task.owned.group
    found, counted = done.attempt.chosen, done.gain
    as_planned = counted.after.passes == found.run.passes
    parts = None if text is None else text.groups.get(done.key)
    split = () if parts is None else ("into the parts that are written",)
    known = _against_optimum(plan, done.attempt, split) if as_planned else _otherwise(found)
    return Change(
        kernel=planned.task.owned.key[0],
        allocations=tuple(a.name for a in group.allocations),
        address=str(found.layout),
        before=counted.before,
        after=counted.after,
        members=found.tried,
        coalescing=coalescing(group, found),
        optimum=known + _uncounted(plan),
        certificate=certified(plan.best_of(found), found.layout) if as_planned else None,
        padding=_padding_told(padding, found, parts),
        parts="" if parts is None else parts.told,
    )


def _padding_told(padding: Padding | None, found: Plan, parts: PartedGroup | None) -> str:
    """Of a padding that was undone; what it cost is of accesses as they were."""
    if padding is None:
        return ""
    return str(padding.undone.rows) if parts is not None else against(padding, found)


def _otherwise(found: Plan) -> str:
    """What is said where the text takes something else than the plan."""
    return f"counted in the changed text, where {found.run.passes:,} were planned"


def _uncounted(plan: GroupPlan) -> str:
    count = len(plan.group.unseen)
    accesses = "1 access" if count == 1 else f"{count} accesses"
    return f"; {accesses} beside, whose passes are not known" if count else ""


def _against_optimum(plan: GroupPlan, attempt: RewriteAttempt, split: tuple[str, ...]) -> str:
    least, known = plan.anything, plan.known(plan.anything, split)
    if attempt.chosen.passes == least.passes:
        return str(known)
    because = attempt.because.removeprefix(f"{plan.group.names}: ")
    why = f"is not written: {because}" if because else "is not written"
    if plan.writable.passes > least.passes:
        why = "does not keep rows"
    return f"a layout that takes {least.run.passes:,} exists, but {why}; that is {known}"
