"""``bankwise fix``: plan, rewrite in the user's own text, check again, and hear the judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bankwise.ask.analysis import Analysis, analyse
from bankwise.ask.check_mlir import kernel_of, report_of
from bankwise.ask.fix_groups import Key, OwnedGroup, owned
from bankwise.ask.fix_judged import RewrittenFile, judged
from bankwise.ask.fix_padding import Padding, Start, against, kept, paddings, without
from bankwise.ask.fix_parts import PartedGroup, PartedText, cut, in_parts, parted_groups
from bankwise.ask.fix_proved import (
    ProvedRewrite,
    RewriteAttempt,
    RewriteTask,
    StartingText,
    proof_verdict,
    write_proved,
)
from bankwise.ask.judge_smt import need_solver
from bankwise.ask.text_price import price_of
from bankwise.counting.count_kernel import count_kernel
from bankwise.errors import Refusal
from bankwise.files import check_writable
from bankwise.read.options import Options, Progress
from bankwise.read.recognise import asker
from bankwise.show.fixing import Change, FixReport, Verdict
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
) -> FixReport | ModelFix:
    """Rewrite the kernels of ``file`` so that their conflicts vanish; only ``keep`` is written.

    Parameters as on the command line. Of a model there is one report for each dispatch.
    """
    options = Options(
        *(target, kernel, dims, workgroup_size, policy),
        keep=keep,
        padding=padding,
        direct_load=direct_load,
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
    return judged(
        rewritten(file, options),
        execute=execute,
        isa=isa,
        reference=reference,
        accept_sampled=accept_sampled,
        prove=prove,
        progress=progress,
    )


def rewritten(file: Path, options: Options) -> RewrittenFile:
    """Plan, rewrite and prove; nobody executes or compiles the kernels."""
    from bankwise.read.mlir.module import open_module

    opened = open_module(file)
    analyses = analyse(opened, options)
    done = rewrite(opened, analyses, options)
    fixed_text = done.opened.source.text
    report = FixReport(
        before=report_of(opened, options, analyses),
        after=report_of(done.opened, options, done.analyses),
        changes=done.changes,
        refusals=done.refusals,
        verdicts=() if done.proof is None else (done.proof,),
        source_text=opened.source.text,
        fixed_text=fixed_text,
        patch=unified_patch(file, opened.source.text, fixed_text),
        parts={} if done.parted is None else done.parted.parts,
    )
    now = (done.opened, done.analyses)
    return RewrittenFile(options, report, opened, analyses, *now, done.start, done.claims)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What ``fix`` writes of a text, proved and not executed; and what it refuses.

    ``start``: the text that claims are about, the user's or that with accesses in parts
    (``parted``). ``worse``: the paddings that had better stayed, because no fold could be written.
    ``done``: the rewrites that stand in the text."""

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


def rewrite(opened: Opened, analyses: tuple[Analysis, ...], options: Options) -> Rewritten:
    """The best that can be written and proved: accesses whole, or in parts where they take less."""
    whole = _unpadded(opened, analyses, analyses, options)
    wanted, dear = parted_groups(owned(analyses), options.width_policy)
    whole = replace(whole, refusals=(*whole.refusals, *dear))
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
            return _cheaper(whole, replace(done, parted=text))
        wanted = apart
    return whole


def _cheaper(whole: Rewritten, parted: Rewritten) -> Rewritten:
    one, other = price_of(whole.analyses), price_of(parted.analyses)
    return parted if other.no_worse(one) and other < one else whole


def _unpadded(
    opened: Opened,
    analyses: tuple[Analysis, ...],
    before: tuple[Analysis, ...],
    options: Options,
    parted: PartedText | None = None,
) -> Rewritten:
    """Paddings undone where that pays, then the folds. ``before``: what gains are counted from."""
    groups, told = owned(analyses), dict[Refusal, None]()
    wanted = paddings(groups, options.width_policy)
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


def _folded(texts: StartingText, start: Start) -> Rewritten:
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
        return Rewritten(
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
) -> Rewritten:
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
    return Rewritten(*stands, *told, worse, proof, claims, written.done)


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
        why = "is not indices XOR functions of the bits above them"
    return f"a layout that takes {least.run.passes:,} exists, but {why}; that is {known}"
