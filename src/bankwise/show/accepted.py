"""What a check accepts that the baselines beside it do not have, once it is saved as one.

All of it, or what stands at the places of ``--accept`` alone: the rest is saved as not accepted,
and stays new.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from bankwise.counting.counted import AccessReport
from bankwise.errors import InputError, Location
from bankwise.read.names import short
from bankwise.show.baseline import HeldAgainst, NewEnd, held_against
from bankwise.show.baseline_words import grew, said_loudly, said_taken
from bankwise.show.causes import Cause, folded
from bankwise.show.conflicts import counts, diagnostic
from bankwise.show.saved_check import KnownConflicts
from bankwise.show.values import CheckReport

_PLACES = 6


class SavedAnew(Struct, frozen=True):
    """What is new beside the baselines, in two parts: what a save accepts, and what it does not.
    ``conflicts`` are accesses, the costliest first; ``smaller``: of those that are not accepted the
    ones that the baselines have with fewer extra passes, with how many, which stay known."""

    held: HeldAgainst
    conflicts: tuple[AccessReport, ...]
    ends: tuple[NewEnd, ...]
    other_conflicts: tuple[AccessReport, ...] = ()
    other_ends: tuple[NewEnd, ...] = ()
    smaller: tuple[tuple[AccessReport, int], ...] = ()


def saved_anew(report: CheckReport, saved: KnownConflicts, places: Sequence[str]) -> SavedAnew:
    """What a save accepts: of what is new that which stands at one of the ``places``, or all of it
    where there are none. InputError for a place at which nothing is new."""
    held = held_against(report, saved)
    known = {id(access) for access in held.known}
    new = tuple(a for a in report.accesses if a.run.extra > 0 and id(a) not in known)
    if not places:
        return SavedAnew(held, new, held.new_left)
    every: list[AccessReport | NewEnd] = [*new, *held.new_left]
    for place in places:
        _require_new(place, every, report)
    taken = {id(one) for one in every if _accepted(one, places, report)}
    return SavedAnew(
        held,
        tuple(a for a in new if id(a) in taken),
        tuple(end for end in held.new_left if id(end) in taken),
        tuple(a for a in new if id(a) not in taken),
        tuple(end for end in held.new_left if id(end) not in taken),
        tuple(_smaller(held, taken)),
    )


def _smaller(held: HeldAgainst, taken: Collection[int]) -> Iterator[tuple[AccessReport, int]]:
    """What is known of conflicts that grew and are not ``taken``, instruction by instruction."""
    for site, was in held.grown:
        left = was - sum(a.run.extra for a in site.accesses if id(a) in taken)
        for access in (a for a in site.accesses if id(a) not in taken):
            known = min(left, access.run.extra)
            if known > 0:
                yield access, known
            left -= known


def _accepted(one: AccessReport | NewEnd, places: Sequence[str], report: CheckReport) -> bool:
    return any(_is_at(place, at, report) for place in places for at in _stands_at(one))


def _stands_at(one: AccessReport | NewEnd) -> list[Location]:
    """Its place, and that from which it was inlined there."""
    origin = one.origin if isinstance(one, AccessReport) else None
    return [one.location] if origin is None else [one.location, origin]


_PLACE = re.compile(r"(?:(?P<file>.*?\D.*?):)?(?P<line>\d+)(?::(?P<column>\d+))?")


def _is_at(place: str, at: Location, report: CheckReport) -> bool:
    """Whether ``LINE``, ``LINE:COLUMN`` or the same behind ``FILE:`` names a place; that of a
    binary file, which has no lines, is named in full."""
    found = _PLACE.fullmatch(place)
    if place == str(at) or found is None:
        return place == str(at)
    file, column = found["file"] or report.file, found["column"]
    if int(found["line"]) != at.line or (column and int(column) != at.column):
        return False
    return file == at.file or Path(file).resolve() == Path(at.file).resolve()


def _require_new(place: str, new: Sequence[AccessReport | NewEnd], report: CheckReport) -> None:
    """InputError where nothing of what is new stands at a place."""
    if any(_accepted(one, [place], report) for one in new):
        return
    there = list(dict.fromkeys(str(one.location) for one in new))
    more = f" and {len(there) - _PLACES} more" if len(there) > _PLACES else ""
    hint = f"new: {', '.join(there[:_PLACES])}{more}" if there else "nothing is new at all"
    raise InputError(f"--accept {place}: nothing is new there", hint=hint)


def said_accepted(report: CheckReport, anew: SavedAnew) -> Iterator[str]:
    """A line for each conflict and each open end that is accepted anew; then how many of each, how
    many are not accepted, and what was mended."""
    causes = folded(report, anew.conflicts)
    for cause in causes:
        was = anew.held.before(cause.accesses)
        more = f"; the baseline has {grew(was, cause.accesses)}" if was else ""
        yield f"new: {_conflict(cause, report)}{more}"
    yield from (f"new: {end.file}: {end.text}" for end in anew.ends)
    yield from said_loudly(anew.held, saving=True)
    yield from (f"{place}: {text}" for place, text in said_taken(anew.held, saving=True))
    many = _many(len(causes), len(anew.ends))
    yield f"{report.file}: saved, this accepts what is new: {many}"
    others = folded(report, anew.other_conflicts)
    if others or anew.other_ends:
        yield f"{report.file}: not accepted, stays new: {_many(len(others), len(anew.other_ends))}"


def _many(conflicts: int, ends: int) -> str:
    return f"{conflicts:,} conflict{'s' * (conflicts != 1)}, {ends:,} not analysed or assumed"


def _conflict(cause: Cause, report: CheckReport) -> str:
    """What conflicts at which place, and what that costs which kernel."""
    one = diagnostic(cause, report)
    costs = (f"{short(k)}: {counts(some, report.each(k))}" for k, some in one.by_kernel.items())
    return f"{one.location}: {one.message}; {'; '.join(costs)}"
