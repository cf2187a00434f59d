"""What ``bankwise fix`` says of a change: what was, what is, and how good that is known to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bankwise.ask.fix_padding import Padding, against
from bankwise.ask.fix_parts import PartedGroup, PartedText
from bankwise.ask.fix_proved import ProvedRewrite, RewriteAttempt, RewriteTask
from bankwise.identity import ByIdentity
from bankwise.show.fixing import Change
from bankwise.show.words import several

if TYPE_CHECKING:
    from bankwise.change.rewrite.plan import GroupPlan
    from bankwise.solver.plan import Plan


class PlannedTask(ByIdentity, frozen=True, eq=False):
    """A task with the plans it was made from; ``padding``: the one that is gone from its rows."""

    task: RewriteTask
    chosen: GroupPlan
    padding: Padding | None


def change_of(planned: PlannedTask, done: ProvedRewrite, text: PartedText | None) -> Change:
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
    return f"; {several(count, 'access')} beside, whose passes are not known" if count else ""


def _against_optimum(plan: GroupPlan, attempt: RewriteAttempt, split: tuple[str, ...]) -> str:
    least, known = plan.anything, plan.known(plan.anything, split)
    if attempt.chosen.passes == least.passes:
        return str(known)
    because = attempt.because.removeprefix(f"{plan.group.names}: ")
    why = f"is not written: {because}" if because else "is not written"
    if plan.writable.passes > least.passes:
        why = "is not indices XOR functions of the bits above them"
    return f"a layout that takes {least.run.passes:,} exists, but {why}; that is {known}"
