"""What accesses cost: passes, the passes without any conflict, and how sure the number is.

``passes`` and ``ideal`` are the numbers that bankwise stands for: everything as often as it was
followed. Where that is not known to be the truth, ``span`` holds the ends between which it lies.

    one execution, 32 passes for 2            Cost(32, 2)
    16 executions of it                       Cost(512, 32)
    followed once, in a loop of unknown length  passes 32, between 0 and nobody knows

The three ends are kept apart because they do not follow from each other: with the executions
unknown, passes and ideal are unknown, but extra = passes - ideal stays 0 where nothing conflicts.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from bankwise.counting.bound import ANY, Bound, around, exactly


class Ends(Struct, frozen=True):
    """Between which ends the numbers of a cost lie."""

    passes: Bound
    ideal: Bound
    extra: Bound

    @property
    def exact(self) -> bool:
        """Whether no number is in doubt."""
        return self.passes.exact and self.ideal.exact and self.extra.exact

    def __add__(self, other: Ends) -> Ends:
        passes, ideal = self.passes + other.passes, self.ideal + other.ideal
        return Ends(passes, ideal, self.extra + other.extra)

    def __mul__(self, times: Bound | int) -> Ends:
        return Ends(self.passes * times, self.ideal * times, self.extra * times)


class Cost(Struct, frozen=True):
    """Passes of something, and the passes it would take without any conflict.

    ``span``: where the truth lies; None if ``passes`` and ``ideal`` are exact.
    """

    passes: int = 0
    ideal: int = 0
    span: Ends | None = None

    def __repr__(self) -> str:
        doubt = "" if self.span is None else f", span={self.span}"
        return f"Cost(passes={self.passes}, ideal={self.ideal}{doubt})"

    @property
    def extra(self) -> int:
        """``passes - ideal``: what the vendor's conflict counter adds."""
        return self.passes - self.ideal

    @property
    def exact(self) -> bool:
        """Whether ``passes`` and ``ideal`` are no more and no less than the truth."""
        return self.span is None

    @property
    def ends(self) -> Ends:
        """Where the truth lies: at the numbers themselves if they are exact."""
        if self.span is not None:
            return self.span
        return Ends(exactly(self.passes), exactly(self.ideal), exactly(self.extra))

    def __add__(self, other: Cost) -> Cost:
        exact = self.span is None and other.span is None
        span = None if exact else self.ends + other.ends
        return Cost(self.passes + other.passes, self.ideal + other.ideal, span)

    def __mul__(self, times: int) -> Cost:
        span = None if self.span is None else self.span * times
        return Cost(self.passes * times, self.ideal * times, span)

    def for_some_lanes(self, merges: bool) -> Cost:
        """The same where nobody knows which of the lanes take part: each number is the most.

        ``merges``: lanes that stay out may make phases merge, which then conflict where they did
        not apart: of so many passes all but one may be extra.
        """
        extra = max(0, self.passes - 1) if merges else self.extra
        numbers = (self.passes, self.ideal, extra)
        return Cost(self.passes, self.ideal, Ends(*(Bound(0, n) for n in numbers)))

    def executed(self, times: int, really: Bound) -> Cost:
        """``times`` executions as followed, ``really`` so many as far as anybody knows."""
        span = self.ends * really
        return Cost(self.passes * times, self.ideal * times, None if span.exact else span)


def one_of(costs: Sequence[Cost]) -> Cost:
    """One of some, nobody knows which: the most extra, and between which ends all lie."""
    most = max(costs, key=lambda cost: (cost.extra, cost.passes))
    if all(cost == most for cost in costs):
        return most
    ends = [cost.ends for cost in costs]
    passes, ideal = around(e.passes for e in ends), around(e.ideal for e in ends)
    return replace(most, span=Ends(passes, ideal, around(e.extra for e in ends)))


def either(cost: Cost, other: Cost) -> Cost:
    """A cost that may turn out to be another one."""
    if cost == other:
        return cost
    one, two = cost.ends, other.ends
    passes, ideal = around((one.passes, two.passes)), around((one.ideal, two.ideal))
    return replace(cost, span=Ends(passes, ideal, around((one.extra, two.extra))))


UNSEEN = Cost(span=Ends(ANY, ANY, ANY))
"""What nobody has seen: nothing that is counted, and any number in truth."""

UNSEEN_FREE = Cost(span=Ends(ANY, ANY, exactly(0)))
"""The same of what conflicts at no address."""
