"""What ``fix`` writes of a text of MLIR: paddings undone, folds, accesses in parts, each proved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from bankwise.ask.analysis import Analysis
from bankwise.ask.check_mlir import kernel_of
from bankwise.ask.fix_dump import without_copies
from bankwise.ask.fix_groups import Key, OwnedGroup, owned
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
from bankwise.ask.text_price import (
    price_of,
)
from bankwise.counting.count_kernel import count_kernel
from bankwise.errors import Refusal
from bankwise.read.options import Options
from bankwise.show.fixing import Change, GroupFront, Verdict
from bankwise.solver.plan import preference

if TYPE_CHECKING:
    from bankwise.change.prove import MapClaim
    from bankwise.change.rewrite.plan import GroupPlan
    from bankwise.read.mlir.module import Opened


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
