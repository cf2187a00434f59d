"""Conflicts of one form, or of one that was edited, now and in saved checks.

Held against each other is what they cost together: no more than before is known, however the
compiler splits it. Only where it is more do places tell which are the old ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from bankwise.counting.cost import Cost
from bankwise.counting.counted import AccessReport
from bankwise.identity import ByIdentity
from bankwise.show.saved_check import At, KnownConflicts, Place, SavedConflict, extra_of


class Site(ByIdentity, frozen=True, eq=False):
    """Conflicts of one form that are held against a saved one together: of source all instructions
    of one expression, else one instruction."""

    accesses: tuple[AccessReport, ...]

    @property
    def run(self) -> Cost:
        """What they cost a workgroup."""
        return sum((access.run for access in self.accesses), Cost())

    @property
    def place(self) -> Place:
        """Where they stand."""
        at = self.accesses[0].location
        return at.line, at.column, at.end_column


def families(
    sites: Mapping[At, Sequence[Site]], saved: KnownConflicts
) -> Iterator[tuple[dict[At, Sequence[Site]], dict[At, tuple[SavedConflict, ...]]]]:
    """Conflicts now and then, by form, of forms that may be one that was edited."""
    families: dict[At, dict[At, None]] = {}
    for file, form in (*sites, *saved.conflicts):
        families.setdefault((file, form.family), {})[file, form] = None
    for forms in families.values():
        then = {at: saved.conflicts.get(at, ()) for at in forms}
        yield {at: sites.get(at, ()) for at in forms}, then


class HeldFamily(Struct, frozen=True):
    """Conflicts of one family. ``known``, ``by`` which saved checks; ``grown``: what costs more
    than a saved one, with what that cost; ``gone``: what is there no more, with its file;
    ``taken``: known ones of another expression than the saved one that each is taken for;
    ``less``: known ones that cost less than they did, with what that was."""

    known: Sequence[Site]
    by: Sequence[str]
    grown: Sequence[tuple[Site, int]]
    gone: Sequence[tuple[str, SavedConflict]]
    taken: Sequence[tuple[Site, SavedConflict]]
    less: Sequence[tuple[tuple[Site, ...], int]]


def held_family(
    now: Mapping[At, Sequence[Site]], then: Mapping[At, Sequence[SavedConflict]]
) -> HeldFamily:
    """Each form is held against itself; what is left of it, where it was edited, against what is
    left of the others of its family."""
    known: list[Site] = []
    new: list[Site] = []
    spare: list[SavedConflict] = []
    gone: list[SavedConflict] = []
    less: list[tuple[tuple[Site, ...], int]] = []
    for at, some in now.items():
        old, fresh, left = _known_of(some, then[at])
        known += old
        new += fresh
        if old and not fresh and len(old) == len(then[at]) and _extra(old) < extra_of(then[at]):
            less.append((tuple(old), extra_of(then[at])))
        (spare if fresh or not some else gone).extend(left)
    before = spare
    edited, new, spare = _known_of(new, spare) if new else ([], new, spare)
    unused = set(map(id, spare)) if new else set()
    taken = list(_closest(edited, [one for one in before if id(one) not in unused]))
    pairs = list(_nearest(new, spare))
    paired = {id(one) for _, one in pairs}
    gone += [one for one in spare if id(one) not in paired]
    file = next(iter(now))[0]
    by = [one.by for some in then.values() for one in some] if known or edited else []
    grown = [(site, one.extra) for site, one in pairs]
    return HeldFamily(
        [*known, *edited], by, grown, [(file, one) for one in gone], _edited(now, taken), less
    )


def _edited(
    now: Mapping[At, Sequence[Site]], taken: Sequence[tuple[Site, SavedConflict]]
) -> list[tuple[Site, SavedConflict]]:
    """Of pairs those whose expressions differ."""
    forms = {id(site): form for (_, form), some in now.items() for site in some}
    return [(site, one) for site, one in taken if forms[id(site)] != one.form]


def _known_of(
    now: Sequence[Site], then: Sequence[SavedConflict]
) -> tuple[list[Site], list[Site], list[SavedConflict]]:
    """Of some conflicts those that are known, those that are new, and what is saved in vain. First
    what costs the same is known, then each for one that cost more."""
    if _extra(now) <= extra_of(then):
        return list(now), [], list(then[len(now) :])
    new, spare = list(now), list(then)
    for extra in {one.extra for one in then}:
        alike = [site for site in new if site.run.extra == extra]
        for site, one in _nearest(alike, [one for one in spare if one.extra == extra]):
            new.remove(site)
            spare.remove(one)
    for site in sorted(new, key=lambda site: -site.run.extra):
        dearer = min((o for o in spare if o.extra > site.run.extra), key=_cost, default=None)
        if dearer is not None:
            new.remove(site)
            spare.remove(dearer)
    return [site for site in now if site not in new], new, spare


def _extra(some: Sequence[Site]) -> int:
    return sum(site.run.extra for site in some)


def _cost(one: SavedConflict) -> int:
    return one.extra


def _nearest(
    now: Sequence[Site], then: Sequence[SavedConflict]
) -> Iterator[tuple[Site, SavedConflict]]:
    """Pairs of conflicts: of too many the ones that are written in the same columns, then those at
    the nearest lines."""
    if len(now) <= len(then):
        yield from zip(now, then, strict=False)
    else:
        yield from _closest(now, then)


def _closest(
    now: Sequence[Site], then: Sequence[SavedConflict]
) -> Iterator[tuple[Site, SavedConflict]]:
    """As many pairs as there are, those in the same columns first, then at the nearest lines."""
    apart = [
        (here[1:] != there[1:], abs(here[0] - there[0]), n, m)
        for n, here in enumerate(site.place for site in now)
        for m, there in enumerate(one.place for one in then)
    ]
    free, left = set(range(len(now))), set(range(len(then)))
    for *_, n, m in sorted(apart):
        if n in free and m in left:
            free.remove(n)
            left.remove(m)
            yield now[n], then[m]
