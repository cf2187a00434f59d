"""Conflicts of one cause, told once: the same lanes meet by the same arithmetic.

The accesses of an unrolled loop differ by a constant; the banks on which their lanes meet differ
with it, the cause does not. Two accesses have one cause where kernel, ways and the reason are the
same, or, where an address has no terms, the lanes and the distances of their words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from bankwise.counting.cost import Cost
from bankwise.counting.counted import AccessReport
from bankwise.errors import Location
from bankwise.show.values import CheckReport


class Cause(Struct, frozen=True):
    """Accesses that conflict for one reason, the costliest first; at least one. ``aside``: why they
    decide nothing; empty if they do."""

    accesses: tuple[AccessReport, ...]
    aside: str = ""

    @property
    def first(self) -> AccessReport:
        """The one that is told."""
        return self.accesses[0]

    @property
    def likewise(self) -> tuple[Location, ...]:
        """Where else, without repetition."""
        others = dict.fromkeys(access.location for access in self.accesses)
        return tuple(at for at in others if at != self.first.location)

    @property
    def run(self) -> Cost:
        """What all of them cost one workgroup."""
        return sum((access.run for access in self.accesses), Cost())


def causes(accesses: Sequence[AccessReport]) -> tuple[Cause, ...]:
    """The causes of some accesses' conflicts, in the order of their first accesses."""
    same: dict[object, list[AccessReport]] = {}
    for access in accesses:
        if access.witness is not None:
            same.setdefault(_key(access), []).append(access)
    return tuple(Cause(tuple(group)) for group in same.values())


def _key(access: AccessReport) -> object:
    found = access.witness
    assert found is not None, "it conflicts"
    apart = tuple(word - found.words[0] for word in found.words)
    why = str(access.reason) if access.reason else (found.phase, found.lanes, apart)
    return access.kernel, access.ways, why


def folded(
    report: CheckReport,
    accesses: Sequence[AccessReport] | None = None,
    aside: Mapping[int, str] | None = None,
) -> tuple[Cause, ...]:
    """The conflicts of a report, or of some of its accesses, the costliest first: those of one
    expression of source together, whichever kernels run it, and with them whatever else conflicts
    so in the same kernels. ``aside``: why accesses decide nothing, by their ``id``: they are apart,
    and last."""
    why = aside or {}
    units: dict[tuple[str, object], list[AccessReport]] = {}
    for access in report.accesses if accesses is None else accesses:
        if access.rule:
            place = access.location
            at_source = (place.file, place.line) in report.source_lines
            unit = why.get(id(access), ""), place if at_source else id(access)
            units.setdefault(unit, []).append(access)
    same: dict[tuple[str, object], list[AccessReport]] = {}
    for (left, _), some in units.items():
        alike = frozenset(map(_key, some)) if all(a.witness for a in some) else id(some)
        same.setdefault((left, alike), []).extend(some)
    found = [Cause(tuple(group), left) for (left, _), group in same.items()]
    return tuple(sorted(found, key=lambda cause: (bool(cause.aside), -cause.run.extra)))
