"""What a check accepts that the baselines beside it do not have, once it is saved as one."""

from __future__ import annotations

from collections.abc import Iterator

from bankwise.read.names import short
from bankwise.show.baseline import held_against
from bankwise.show.baseline_words import grew, said_loudly, said_taken
from bankwise.show.causes import Cause, folded
from bankwise.show.conflicts import counts, diagnostic
from bankwise.show.saved_check import KnownConflicts
from bankwise.show.values import CheckReport


def said_accepted(report: CheckReport, saved: KnownConflicts) -> Iterator[str]:
    """A line for each conflict and each open end that is new or worse; then how many of each, and
    what was mended."""
    held = held_against(report, saved)
    known = {id(access) for access in held.known}
    new = [a for a in report.accesses if a.run.extra > 0 and id(a) not in known]
    causes = folded(report, new)
    for cause in causes:
        was = held.before(cause.accesses)
        more = f"; the baseline has {grew(was, cause.accesses)}" if was else ""
        yield f"new: {_conflict(cause, report)}{more}"
    yield from (f"new: {file}: {text}" for file, text in held.new_left)
    yield from said_loudly(held, saving=True)
    yield from (f"{place}: {text}" for place, text in said_taken(held, saving=True))
    conflicts = f"{len(causes):,} conflict{'s' * (len(causes) != 1)}"
    ends = f"{len(held.new_left):,} not analysed or assumed"
    yield f"{report.file}: saved, this accepts what is new: {conflicts}, {ends}"


def _conflict(cause: Cause, report: CheckReport) -> str:
    """What conflicts at which place, and what that costs which kernel."""
    one = diagnostic(cause, report)
    costs = (f"{short(k)}: {counts(some, report.each(k))}" for k, some in one.by_kernel.items())
    return f"{one.location}: {one.message}; {'; '.join(costs)}"
