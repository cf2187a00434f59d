"""``bankwise fix``: plan, rewrite in the user's own text, check again, and hear the judges."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bankwise.ask.analysis import Analysis, analyse
from bankwise.ask.check_mlir import kernel_of, report_of
from bankwise.ask.fix_padding import Key, Padding, Start, against, kept, paddings, without
from bankwise.counting.cost import Cost
from bankwise.counting.count_kernel import count_kernel
from bankwise.errors import Refusal
from bankwise.files import check_writable
from bankwise.read.options import Options, Progress, dims_of
from bankwise.read.recognise import asker
from bankwise.show.fixing import Change, FixReport, Verdict

if TYPE_CHECKING:
    from bankwise.change.rewrite.emit import Emitter
    from bankwise.change.rewrite.group import Group
    from bankwise.change.rewrite.plan import GroupPlan
    from bankwise.change.rewrite.scope import Scope
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
    return fix_file(Path(file), options, execute=execute, isa=isa, reference=reference)


def fix_file(
    file: Path,
    options: Options,
    *,
    execute: bool = True,
    isa: bool = True,
    reference: str = "",
    output: str = "",
    progress: Progress | None = None,
    beside: Sequence[str] = (),
) -> FixReport | ModelFix:
    """Rewrite what ``file`` holds, and judge the result: ``execute`` it, compile it (``isa``).

    ``reference``: ``FILE.py:FUNCTION``, called with the input buffers, returns the expected ones.
    ``output``: the name that the answer will get, judged before the work. ``beside``: further
    options that were given, as the command line spells them.
    """
    given = (*options.given, *beside, *(["--reference"] if reference else []))
    judges = {"execute": execute, "isa": isa, "reference": reference, "output": output}
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
    progress: Progress | None = None,
) -> FixReport:
    """:func:`fix_file` for MLIR with threads."""
    if output not in ("", "-"):
        check_writable(Path(output))
    from bankwise.read.mlir.module import open_module, open_text

    opened = open_module(file)
    analyses = analyse(opened, options)
    rewritten = _rewritten(opened, analyses, options)
    fixed_text = rewritten.text
    reopened = open_text(fixed_text, opened.source.file)
    again = analyse(reopened, options)
    verdicts: list[Verdict] = []
    if rewritten.changes and execute:
        from bankwise.ask.judge_execution import judge_execution

        dims = dims_of(options)
        verdicts.append(
            judge_execution(opened, reopened, analyses, again, reference, progress, dims)
        )
    if rewritten.changes and isa:
        from bankwise.ask.judge_isa import judge_isa

        verdicts.append(judge_isa(opened, reopened, analyses))
    return FixReport(
        before=report_of(opened, options, analyses),
        after=report_of(reopened, options, again),
        changes=rewritten.changes,
        refusals=rewritten.refusals,
        verdicts=tuple(verdicts),
        source_text=opened.source.text,
        fixed_text=fixed_text,
        patch=unified_patch(file, opened.source.text, fixed_text),
    )


@dataclass(frozen=True, slots=True)
class _Rewritten:
    """``worse``: the paddings that had better stayed, because no fold could be written."""

    text: str
    changes: tuple[Change, ...]
    refusals: tuple[Refusal, ...]
    worse: Mapping[Key, Refusal]


def _rewritten(opened: Opened, analyses: tuple[Analysis, ...], options: Options) -> _Rewritten:
    """The best that can be written: paddings undone where that pays, then the folds."""
    wanted, told = paddings(analyses, options.width_policy), dict[Refusal, None]()
    while True:
        start = without(opened, analyses, wanted, options)
        done = _folded(start, options.width_policy)
        told |= dict.fromkeys((*start.refusals, *done.worse.values()))
        if not done.worse:
            return replace(done, refusals=(*told, *done.refusals))
        wanted = tuple(p for key, p in start.undone.items() if key not in done.worse)


def _folded(start: Start, policy: str) -> _Rewritten:
    from bankwise.change.rewrite.emit import Emitter
    from bankwise.change.rewrite.group import groups
    from bankwise.change.rewrite.plan import plan
    from bankwise.read.mlir.source import apply_edits

    opened = start.opened
    emitter = Emitter(opened.source.text, opened.offset_of)
    changes: list[Change] = []
    refusals: list[Refusal] = []
    worse: dict[Key, Refusal] = {}
    for analysis in start.analyses:
        scope = _scope(analysis, emitter)
        for group in groups(analysis.extraction):
            gpu, key = analysis.machine, (analysis.kernel.name, group.names)
            chosen = _unknown(analysis, group) or plan(group, analysis.issues, gpu, policy)
            if key in start.undone:
                undone = _undone(analysis, chosen, scope, start.undone[key])
                worse |= {key: undone} if isinstance(undone, Refusal) else {}
                changes += [] if isinstance(undone, Refusal) else [undone]
            elif isinstance(chosen, Refusal):
                refusals += [chosen] if _conflicts(analysis, group.names) else []
            elif chosen.helps:
                done = _applied(chosen, scope)
                refusals += [done] if isinstance(done, Refusal) else kept(chosen, done)
                changes += [] if isinstance(done, Refusal) else [_change(analysis, chosen, done)]
            else:
                refusals += (*_unwritten(chosen), *kept(chosen, chosen.best.present))
    text = apply_edits(opened.source.text, emitter.edits)
    return _Rewritten(text, tuple(changes), tuple(refusals), worse)


def _applied(chosen: GroupPlan, scope: Scope) -> Plan | Refusal:
    """Write the best map that can be written; the reason against the best if none can."""
    from bankwise.change.rewrite.apply import apply

    refusals = []
    for plan in chosen.choices:
        if plan.passes < chosen.best.present.passes:
            refusal = apply(chosen.group, plan, scope)
            if refusal is None:
                return plan
            refusals.append(refusal)
    return refusals[0]


def _undone(
    analysis: Analysis, chosen: GroupPlan | Refusal, scope: Scope, padding: Padding
) -> Change | Refusal:
    """The fold of rows whose padding is gone; a Refusal if they had better keep it."""
    if isinstance(chosen, Refusal):
        return padding.stays(chosen.reason)
    done = _applied(chosen, scope) if chosen.helps else chosen.best.present
    if isinstance(done, Refusal):
        return padding.stays(done.reason)
    if done.passes > padding.undone.least:
        return padding.stays(f"without it {done.run.passes:,} passes can be written")
    return _change(analysis, chosen, done, padding)


def _unwritten(chosen: GroupPlan) -> list[Refusal]:
    """A layout is better, and is not one that fix can write."""
    names, where = chosen.group.names, chosen.group.allocations[0].location
    present, least = chosen.best.present.run.passes, chosen.anything.run.passes
    if least < present:
        reason = f"a layout that takes {least:,} passes instead of {present:,} exists, but it is"
        return [Refusal(f"{names}: {reason} not {chosen.writable.space}", where)]
    return []


def _unknown(analysis: Analysis, group: Group) -> Refusal | None:
    """Why a group may not be touched: an access that was not analysed could be one of its own."""
    unknown = (*analysis.extraction.refusals, *analysis.extraction.unseen)
    if not unknown:
        return None
    first = unknown[0]
    reason = f"{group.names}: not all accesses of this kernel are known: {first.reason}"
    return Refusal(reason, first.location)


def _scope(analysis: Analysis, emitter: Emitter) -> Scope:
    from bankwise.change.rewrite.scope import scope_of
    from bankwise.read.mlir.indexing import ThreadIds

    threads = ThreadIds(
        analysis.workgroup_size, analysis.machine.wave_size, grid=analysis.kernel.grid
    )
    return scope_of(analysis.kernel.op, threads, emitter)


def _conflicts(analysis: Analysis, names: str) -> bool:
    reports, _ = count_kernel(kernel_of(analysis), analysis.machine)
    return any(r.run.extra and set(r.allocations) & set(names.split(", ")) for r in reports)


def _change(
    analysis: Analysis, plan: GroupPlan, found: Plan, padding: Padding | None = None
) -> Change:
    from bankwise.change.rewrite.plan import coalescing
    from bankwise.solver.best import certified

    present = plan.best.present if padding is None else padding.kept.best.present
    ideal = plan.best.present.run.ideal
    return Change(
        kernel=analysis.kernel.name,
        allocations=tuple(a.name for a in plan.group.allocations),
        address=str(found.layout),
        before=present.run,
        after=Cost(found.run.passes, ideal),
        members=found.tried,
        coalescing=coalescing(plan.group, found),
        optimum=_against_optimum(plan, found),
        certificate=certified(plan.best, found.layout),
        padding="" if padding is None else against(padding, found),
    )


def _against_optimum(plan: GroupPlan, found: Plan) -> str:
    least, known = plan.anything.run.passes, plan.best.known(plan.anything)
    if found.passes > least:
        return f"a layout that takes {least:,} exists, but does not keep rows; that is {known}"
    return str(known)


def unified_patch(file: Path, before: str, after: str) -> str:
    """A patch that ``git apply`` takes, with paths relative to the current folder.

    For a file elsewhere they are relative to the root of the file system.
    """
    path = os.path.relpath(file)
    path = path if not path.startswith("..") else os.path.abspath(file).lstrip("/")
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    lines = [f"--- a/{path}\n", f"+++ b/{path}\n"] if old != new else []
    # Without autojunk: a blank line that occurs often is still the same line before and after.
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes():
        lines += _hunk(group, old, new)
    ended = [x if x.endswith("\n") else f"{x}\n\\ No newline at end of file\n" for x in lines]
    return "".join(ended)


def _hunk(
    group: list[tuple[str, int, int, int, int]], old: list[str], new: list[str]
) -> Iterator[str]:
    first, last = group[0], group[-1]
    yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n"
    for tag, i, j, k, m in group:
        if tag == "equal":
            yield from (f" {line}" for line in old[i:j])
        else:
            yield from (f"-{line}" for line in old[i:j])
            yield from (f"+{line}" for line in new[k:m])


def _range(start: int, end: int) -> str:
    """Lines ``start .. end`` (from 0) as a hunk header counts them; an empty range one less."""
    length = end - start
    return f"{start + (1 if length else 0)},{length}"
