"""Deciding what to swizzle: which map a group of allocations gets, and why not.

A :class:`GroupPlan` is made for a whole group or not at all. Rows that end in padding have two:
one that keeps it (as it is, or a fold inside the columns that are used), and one in rows without
it. The second is taken where it is sure to be no worse, of rows without conflicts if it is better.

What the compiler joins is priced as one access, which a map may leave whole or cut into parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec.structs import replace

from bankwise.algebra.address import RowFolds
from bankwise.change.rewrite.group import Group, Issues, elements, rows_of, tile_of
from bankwise.change.rewrite.lanes import other_lanes
from bankwise.change.rewrite.scope import CannotRewriteError
from bankwise.change.rewrite.unpadded import padded_rows, shortened
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.hardware.policies import WIDEST_BYTES, Issue
from bankwise.identity import ByIdentity
from bankwise.notation.padding import PaddedFold, Unpadded
from bankwise.read.mlir.extract import SharedAccess
from bankwise.read.mlir.joined import JoinedStore, joined_stores
from bankwise.solver.best import Best, best, more
from bankwise.solver.known import Known, known_of
from bankwise.solver.plan import Plan
from bankwise.solver.price import UseCost, cost
from bankwise.solver.search import Solution
from bankwise.solver.spaces import (
    EVERY_INDEX,
    LAST_INDEX,
    LINEAR,
    SHUFFLE,
    Space,
    longer,
    row_folds,
    shorter,
)
from bankwise.tile import COPIES, Tile

_PARTS = (8, 4, 2, 1)
"""Bytes that a store may still take where a map keeps no more of it together."""


class PartedPlan(ByIdentity, frozen=True, eq=False):
    """A map that cuts joined stores into parts, and the question that it is the best answer to."""

    best: Best
    plan: Plan


class GroupPlan(ByIdentity, frozen=True, eq=False):
    """What is best for a group: of all linear layouts, and of those that the rewriter writes.

    ``anything`` is what ``check`` names, ``writable`` what ``fix`` does. ``wider``: where rows of
    the whole length leave conflicts, the best map of all row lengths that divide them: their own
    column bits fold too. ``steady``: where copies fill the rows, the best map whose phases are the
    same in all rounds, if that is another one. ``without``: of padded rows, the plan without the
    padding. ``parted``: what takes fewer passes than now, and joined stores apart.
    """

    group: Group
    tile: Tile
    best: Best
    wider: Plan | None = None
    steady: Plan | None = None
    without: Unpadding | None = None
    parted: tuple[PartedPlan, ...] = ()

    @property
    def anything(self) -> Plan:
        """The best of all linear layouts, where the accesses are linear."""
        return min(self.best.plans[0], self.writable, key=lambda plan: plan.passes)

    @property
    def writable(self) -> Plan:
        """The best map that the rewriter can put into a last index."""
        return self.choices[0]

    @property
    def choices(self) -> tuple[Plan, ...]:
        """What the rewriter may try, the fewest passes first."""
        plain = self.best.plans[1]
        wider = [p for p in (self.wider,) if p is not None and p.passes < plain.passes]
        steady = [p for p in (self.steady,) if p is not None and p.layout != plain.layout]
        whole = (*wider, plain, *steady)
        parted = [each.plan for each in self.parted]
        return tuple(sorted((*whole, *parted), key=lambda p: p.passes)) if parted else whole

    def best_of(self, plan: Plan) -> Best:
        """The question that one of its plans answers: with the stores joined, or in parts."""
        return next((each.best for each in self.parted if each.plan is plan), self.best)

    def known(self, plan: Plan, split: tuple[str, ...] = ()) -> Known:
        """How good one of its plans is known to be, and among what. ``split``: which accesses the
        text has in parts already, in words."""
        best = self.best_of(plan)
        split = split if best is self.best else (*split, "joined stores")
        return known_of(best.work, plan, best.proof, split)

    @property
    def shuffle(self) -> Plan:
        """The best map that is one xor_shuffle: what a hint says."""
        return self.best.plans[2]

    @property
    def conflicts(self) -> bool:
        """Whether the group takes more passes than it needs."""
        return self.best.present.passes > self.best.present.ideal

    @property
    def helps(self) -> bool:
        """Whether there is something to write."""
        return self.writable.passes < self.best.present.passes


class Unpadding(ByIdentity, frozen=True, eq=False):
    """A padding undone: ``rows``, and the plan in the shorter ones, or why there is none.

    ``least``: what the group takes at least with its padding, the best fold inside its rows
    written, and ``present`` as it is. Where the rule of an instruction is unknown that is the
    ideal, which may be less than what is counted.
    """

    rows: Unpadded
    plan: GroupPlan | Refusal
    least: int = 0
    present: int = 0

    @property
    def chosen(self) -> GroupPlan | None:
        """The plan, if it is sure to take fewer passes, or as few in less memory."""
        if isinstance(self.plan, Refusal) or self.plan.writable.passes > self.least:
            return None
        return self.plan

    @property
    def pays(self) -> bool:
        """Whether it is sure to take fewer passes: pads of 8 bytes halve accesses of 16."""
        return self.chosen is not None and self.chosen.writable.passes < self.least


def folded(plan: Plan) -> bool:
    """Whether a plan has something to write into the accesses."""
    return isinstance(plan.layout, RowFolds | PaddedFold)


def fold_of(plan: Plan) -> RowFolds | PaddedFold:
    """The fold to apply; only plans that help have one."""
    assert isinstance(plan.layout, RowFolds | PaddedFold)
    return plan.layout


def plan(
    group: Group, issues: Issues, machine: Machine, policy: str = "iree", *, shorter: bool = False
) -> GroupPlan | Refusal:
    """The best layouts for a group, or the reason why none may be applied.

    ``policy``: which instructions its accesses become where they are aligned otherwise.
    ``shorter``: rows lose their padding wherever they are no worse than now without it.
    """
    rows = padded_rows(group)
    found = _plan(group, issues, machine, rows, policy)
    if rows is None or isinstance(found, Refusal):
        return found
    undone = _without(found, rows, machine, policy)
    if shorter:
        undone = replace(undone, least=undone.present)
    pays = found.conflicts or shorter or undone.pays
    return replace(found, without=undone) if pays else found


def _plan(
    group: Group, issues: Issues, machine: Machine, padded: Unpadded | None, policy: str
) -> GroupPlan | Refusal:
    """The plan with joined stores whole, and those maps with them in parts that take less."""
    whole = stores(group, machine, policy)
    found = _priced(group, issues, machine, padded, whole)
    if not whole or isinstance(found, Refusal) or not found.conflicts:
        return found
    parted: list[PartedPlan] = []
    tried = [_numbers(whole)]
    for most in _PARTS:
        parts = stores(group, machine, policy, most)
        if _numbers(parts) not in tried:
            tried.append(_numbers(parts))
            again = _priced(group, issues, machine, padded, parts)
            parted += [] if isinstance(again, Refusal) else _parting(found, again)
    return replace(found, parted=tuple(parted))


def stores(
    group: Group, machine: Machine, policy: str, most: int = WIDEST_BYTES
) -> tuple[JoinedStore, ...]:
    """The stores of a group that the compiler joins, if each takes ``most`` bytes."""
    sites = {site.access.shared_index: site for site in group.accesses}
    runs = ([sites[n] for n in run] for run in group.joins.runs)
    return tuple(store for run in runs for store in joined_stores(run, machine, policy, most))


def _numbers(stores: Sequence[JoinedStore]) -> list[list[int]]:
    return [[site.access.shared_index for site in store.sites] for store in stores]


def _parting(whole: GroupPlan, parts: GroupPlan) -> Iterator[PartedPlan]:
    """The plans that leave parts alone: of what stays whole, the price is that of the whole."""
    least = whole.best.present.passes
    for found in parts.choices:
        if found.passes < least and isinstance(cost(whole.best.work, found.layout), Refusal):
            yield PartedPlan(parts.best, found)


def _without(kept: GroupPlan, rows: Unpadded, machine: Machine, policy: str) -> Unpadding:
    """The plan of padded rows without their padding."""
    short = shortened(kept.group, rows, machine, policy)
    if isinstance(short, Refusal):
        reason = f"{kept.group.names}: its padding stays: {short.reason}"
        return Unpadding(rows, Refusal(reason, short.location))
    found = _plan(short.group, short.issues, machine, None, policy)
    if isinstance(found, Refusal):
        return Unpadding(rows, found)
    ends = (_least(plan, found.writable, machine) for plan in (kept.writable, kept.best.present))
    return Unpadding(rows, found, *ends)


def _least(kept: Plan, other: Plan, machine: Machine) -> int:
    """What a plan takes at least, beside another one of the same accesses; 0 if nothing is sure.

    A count under an unknown rule is no bound, unless the same instruction stands on both sides.
    """
    least = Fraction()
    same = {use.name: use for use in other.cost.uses}
    if any(
        _assumed(use, machine) for use in other.cost.uses if use.issues not in _issues(kept, use)
    ):
        return 0
    for ours in kept.cost.uses:
        differ = ours.name not in same or ours.issues != same[ours.name].issues
        assumed = differ and _assumed(ours, machine)
        least += ours.weight * (ours.ideal if assumed else ours.passes)
    return int(least)


def _issues(plan: Plan, use: UseCost) -> list[tuple[Issue, ...]]:
    """What the same access is issued as under a plan; of one that is part of another, nothing."""
    return [each.issues for each in plan.cost.uses if each.name == use.name]


def _assumed(use: UseCost, machine: Machine) -> bool:
    """Whether an access is counted under a rule that nobody knows."""
    rules = (machine.instruction(issue.instruction) for issue in use.issues)
    return any(rule.evidence == "unknown" for rule in rules)


def _priced(
    group: Group,
    issues: Issues,
    machine: Machine,
    padded: Unpadded | None,
    joined: Sequence[JoinedStore],
) -> GroupPlan | Refusal:
    tile = _unwritable(group, issues) or tile_of(group, issues, joined)
    if isinstance(tile, Refusal):
        return tile
    rows = rows_of(group)
    folds = tuple(row_folds(tile, rows))
    kept = () if padded is None else tuple(_inside(tile, padded))
    spaces = [
        Space(LINEAR, folds, linear=True),
        Space(LAST_INDEX, (*folds, *kept), tuple(rows)),
        Space(SHUFFLE, folds),
    ]
    found = best(tile, machine, spaces)
    if isinstance(found, Refusal):
        return Refusal(f"{group.names}: {found.reason}", group.allocations[0].location)
    wider, steady = _wider(tile, rows, found), _steady(group, folds, found)
    return GroupPlan(group, tile, found, wider, steady)


def _inside(tile: Tile, rows: Unpadded) -> Iterator[PaddedFold]:
    """Folds inside the used columns of padded rows; copies in lane order fill the pad too."""
    if any(use.kind in COPIES for use in tile.uses):
        return
    dims = ((tile.shape.dims[0][0], rows.row), *tile.shape.dims[1:])
    uses = tuple(replace(use, elements=rows(use.elements)) for use in tile.uses)
    short = Tile(replace(tile.shape, dims=dims), uses, tile.batch)
    for fold in row_folds(short, [rows.row]):
        yield PaddedFold(fold, rows.pitch - rows.row)


def _wider(tile: Tile, rows: list[int], found: Best) -> Plan | None:
    """The best map in rows of any length that divides ``rows``, and, where that leaves conflicts,
    in several rows together; None where it cannot gain."""
    proved = found.present.run.ideal
    if isinstance(found.proof, Solution):
        proved = found.proof.certificate.total_passes
    plans: list[Plan] = []
    for name, lengths in ((LAST_INDEX, shorter(rows)), (EVERY_INDEX, longer(tile, rows))):
        for some in [lengths] if name == LAST_INDEX else [[one] for one in lengths]:
            if not some or min(p.passes for p in (found.plans[1], *plans)) <= proved:
                continue
            space = Space(name, tuple(row_folds(tile, some)), tuple(some))
            plans.append(more(found, [space]).plans[0])
    return min(plans, key=lambda plan: plan.passes, default=None)


def _steady(group: Group, folds: Sequence[RowFolds], found: Best) -> Plan | None:
    """The best fold under which every copy fetches, in all rounds, what its own wave fetched."""
    copies = [site for site in group.accesses if site.access.kind in COPIES]
    if not copies:
        return None
    kept = tuple(fold for fold in folds if not any(_why_not(site, fold) for site in copies))
    return more(found, [Space(LAST_INDEX, kept)]).plans[0]


def unfollowed(group: Group, plan: Plan) -> str:
    """Why a copy in lane order cannot fetch what a plan wants; empty if all can."""
    fold = plan.layout
    copies = [site for site in group.accesses if site.access.kind == "dma"]
    if not isinstance(fold, RowFolds):
        return ""
    return next(filter(None, (_why_not(site, fold) for site in copies)), "")


def _why_not(copy: SharedAccess, fold: RowFolds) -> str:
    try:
        other_lanes(copy, fold)
    except CannotRewriteError as error:
        return str(error)
    return ""


def _unwritable(group: Group, issues: Issues) -> Refusal | None:
    """Why no map may be written into the accesses of a group, whatever the map."""
    name = group.allocations[0].name
    for site in group.accesses:
        if site.access.shared_index not in issues:
            reason = f"{name} has an access whose instruction is unknown"
            return Refusal(reason, site.access.location)
        if site.first_element:
            reason = f"{name}: one index cannot swizzle the separate pieces of this vector"
            return Refusal(reason, site.access.location)
    return None


def coalescing(group: Group, plan: Plan) -> str:
    """What permuting the sources of direct-to-LDS copies does to global memory, in words.

    A wave that fills whole groups of chunks fetches the same addresses as before, in another order
    of lanes; a wave that fills parts of one fetches from more places.
    """
    sites = [s for s in group.accesses if s.access.kind in ("dma", "async")]
    if not sites:
        return ""
    waves = same = 0
    for site in sites:
        for pattern in site.access.patterns:
            slots = elements(pattern, site.access.element_bytes)
            for wave, active in zip(slots, pattern.active, strict=True):
                waves += 1
                same += set(wave[active].tolist()) == set(plan.layout(wave[active]).tolist())
    if same == waves:
        return "direct-to-LDS copies: every wave still fetches the same addresses, lanes permuted"
    return f"direct-to-LDS copies: {waves - same} of {waves} waves fetch from other addresses"
