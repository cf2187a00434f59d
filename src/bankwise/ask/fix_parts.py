"""``bankwise fix`` on wide accesses: they are issued in parts first, where a plan says it pays.

    vector.store of 8 x f16, joined with 8-byte loads:   5,120 passes whole
    two vector.store of 4 x f16, and a fold by 8 bytes:  3,072 passes

The text with the parts is proved to be the text as it was (:mod:`bankwise.change.prove.parts`), and
is what all else starts from. Parts that a fold leaves side by side the compiler would join
again: they stay whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from bankwise.ask.analysis import Analysis, analyse
from bankwise.ask.fix_groups import Key, OwnedGroup
from bankwise.errors import InputError, Location, Refusal
from bankwise.identity import ByIdentity
from bankwise.read.options import Options
from bankwise.show.fixing import GroupFront
from bankwise.tile import COPIES

if TYPE_CHECKING:
    from bankwise.algebra.address import AddressMap
    from bankwise.change.rewrite.group import Group, Issues
    from bankwise.counting.access import Access
    from bankwise.hardware.machine import Machine
    from bankwise.notation.padding import Unpadded
    from bankwise.read.mlir.extract import SharedAccess
    from bankwise.read.mlir.module import Opened
    from bankwise.solver.optimise import Optimised
    from bankwise.solver.plan import Plan, Prefer, Rank
    from bankwise.solver.spaces import Space
    from bankwise.tile import Tile


class PartedGroup(ByIdentity, frozen=True, eq=False):
    """A group whose plan issues accesses in parts. ``parts``: how many, by place in the text;
    ``chosen``: that plan; ``whole``: the best one with every access whole."""

    owned: OwnedGroup
    parts: Mapping[Location, int]
    chosen: Plan
    whole: Plan

    @property
    def key(self) -> Key:
        """Of the group."""
        return self.owned.key

    @property
    def told(self) -> str:
        """What is issued in parts, beside the plan that leaves all whole, in words."""
        counts = sorted(set(self.parts.values()))
        of = " or ".join(map(str, counts))
        many = f"{len(self.parts)} accesses" if len(self.parts) > 1 else "1 access"
        planned, whole = _price(self.chosen), _price(self.whole)
        return f"{many} in {of} parts each: planned {planned}; with all accesses whole {whole}"


def _price(plan: Plan) -> str:
    cycles = "" if plan.cycles is None else f" ({int(plan.cycles):,} cycles with their issue)"
    assumed = f", {', '.join(plan.assumed)} assumed" if plan.assumed else ""
    return f"{plan.run.passes:,} passes{cycles}{assumed}"


class PartedText(ByIdentity, frozen=True, eq=False):
    """The text with accesses in parts, proved to be the same kernel."""

    opened: Opened
    analyses: tuple[Analysis, ...]
    groups: Mapping[Key, PartedGroup]

    @property
    def parts(self) -> Mapping[Location, int]:
        """How many parts an access of the text before has now, by its place there."""
        return {place: n for group in self.groups.values() for place, n in group.parts.items()}


class OptimisedGroup(ByIdentity, frozen=True, eq=False):
    """What the optimiser says of a group: in its rows, and without their padding."""

    owned: OwnedGroup
    answers: tuple[Optimised, ...]
    prefer: Prefer

    @property
    def front(self) -> GroupFront:
        """The plans that no other beats or equals in everything, the best whole one among them."""
        from bankwise.solver.plan import front

        group, gpu = self.owned.group, self.owned.machine
        names = tuple(allocation.name for allocation in group.allocations)
        every = [plan for answer in self.answers for plan in answer.plans]
        found = front(every, lambda plan: plan.full_price)
        kept = found if self.whole in found else (*found, self.whole)
        return GroupFront(self.owned.key[0], names, gpu.name, kept)

    @property
    def whole(self) -> Plan:
        """The best plan that leaves every access whole."""
        return min((a.whole for a in self.answers), key=self.rank)

    @property
    def chosen(self) -> Plan:
        """The best plan."""
        return min((a.chosen for a in self.answers), key=self.rank)

    def rank(self, plan: Plan) -> Rank:
        """What plans are ranked by."""
        from bankwise.solver.plan import rank_of

        return rank_of(plan, self.prefer)


def optimised(owned: OwnedGroup, policy: str, prefer: Prefer = "cheapest") -> OptimisedGroup | None:
    """The optimiser's answers for a group; None where it has none, or there is nothing to gain."""
    key = (policy, prefer)
    if key not in owned.known:
        owned.known[key] = _optimised_group(owned, policy, prefer)
    found: OptimisedGroup | None = owned.known[key]
    return found


def _optimised_group(owned: OwnedGroup, policy: str, prefer: Prefer) -> OptimisedGroup | None:
    from bankwise.change.rewrite.unpadded import Shortened, padded_rows, shortened

    if owned.unknown is not None:
        return None
    asked = owned.machine, policy, prefer
    first = _optimised(owned.group, owned.issues, *asked)
    if first is None:
        return None
    rows = padded_rows(owned.group)
    short = None if rows is None else shortened(owned.group, rows, owned.machine, policy)
    second = _optimised(short.group, short.issues, *asked) if isinstance(short, Shortened) else None
    return OptimisedGroup(owned, (first,) if second is None else (first, second), prefer)


def parted_group(found: OptimisedGroup) -> PartedGroup | Refusal | None:
    """The plan of a group that issues accesses in parts; a Refusal where parts take fewer passes
    and gain nothing, None where no such plan ranks before the others."""
    owned, present, whole, chosen = found.owned, found.answers[0].present, found.whole, found.chosen
    fewest = min((a.chosen for a in found.answers), key=lambda plan: plan.passes)
    if not chosen.splits and fewest.splits and fewest.passes < chosen.passes:
        named, where = owned.group.names, owned.group.allocations[0].location
        reason = f"with accesses in parts {_price(fewest)} are reached, which is no cheaper than"
        return Refusal(f"{named}: {reason} {_price(chosen)} with all whole", where)
    gains = chosen.passes < present.passes and found.rank(chosen) < found.rank(whole)
    parts = _places(owned, chosen) if chosen.splits and gains else {}
    return PartedGroup(owned, parts, chosen, whole) if parts else None


def _optimised(
    group: Group, issues: Issues, machine: Machine, policy: str, prefer: Prefer
) -> Optimised | None:
    """Of the folds that can be written."""
    from bankwise.change.rewrite.group import rows_of, tile_of
    from bankwise.change.rewrite.plan import stores
    from bankwise.solver.optimise import Optimised, optimise

    if any(site.access.kind in COPIES for site in group.accesses):
        return None
    tile = tile_of(group, issues, stores(group, machine, policy))
    if isinstance(tile, Refusal):
        return None
    rows = rows_of(group)
    found = optimise(tile, machine, lambda t: _spaces(t, rows), policy=policy, prefer=prefer)
    return found if isinstance(found, Optimised) else None


def _spaces(tile: Tile, rows: Sequence[int]) -> list[Space]:
    from bankwise.solver.spaces import LAST_INDEX, Space, row_folds, shorter

    every = [*rows, *shorter(rows)]
    return [Space(LAST_INDEX, tuple(row_folds(tile, every)), tuple(every))]


def _places(owned: OwnedGroup, chosen: Plan) -> Mapping[Location, int]:
    """Where the accesses stand that a plan issues in parts; nothing if one cannot be written so."""
    from bankwise.change.passes.split_access import divides

    parts = {use.name: use.parts for use in chosen.cost.uses if use.parts > 1}
    found: dict[Location, int] = {}
    for site in owned.group.accesses:
        many = parts.get(f"access {site.access.shared_index}", 1)
        if many > 1:
            width = site.access.width_bytes
            if width % many or not divides(site, width // many):
                return {}
            found[site.access.location] = many
    return found


def in_parts(
    opened: Opened, groups: Sequence[PartedGroup], options: Options
) -> PartedText | Refusal:
    """The text with the accesses of these groups in parts, proved."""
    from bankwise.change.passes.split_access import split

    pairs = ((site, group.parts) for group in groups for site in _sites(group))
    done = split(
        opened, [(s, s.access.width_bytes // parts[s.access.location]) for s, parts in pairs]
    )
    if isinstance(done, Refusal):
        return done
    try:
        again = analyse(done, options)
    except InputError as error:
        return Refusal(f"the text in parts: {error.message}", error.location)
    return PartedText(done, again, {group.key: group for group in groups})


def _sites(group: PartedGroup) -> list[SharedAccess]:
    return [s for s in group.owned.group.accesses if s.access.location in group.parts]


def cut(group: PartedGroup, layout: AddressMap, rows: Unpadded | None) -> bool:
    """Whether a map leaves no two parts of an access side by side: a compiler would join them.

    ``rows``: the padding that is gone from the text before the map applies.
    """
    return all(_cut(s.access, group.parts[s.access.location], layout, rows) for s in _sites(group))


def _cut(access: Access, parts: int, layout: AddressMap, rows: Unpadded | None) -> bool:
    size = access.element_bytes
    found = np.concatenate([p.offsets_bytes[p.active] // size for p in access.patterns])
    starts = found if rows is None else rows(found)
    steps = range(0, access.width_bytes // size, access.width_bytes // size // parts)
    places = [layout(starts + step) - step for step in steps]
    return all((one != other).any() for one, other in combinations(places, 2))
