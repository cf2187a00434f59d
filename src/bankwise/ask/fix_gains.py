"""What a change gains: the accesses of its group, counted in the text before and in the text after.

A plan says what a map would take; a text says what it takes. Where they differ (accesses that the
compiler no longer joins, as far as a source shows it) the text is right, and what gains nothing
there is not written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from bankwise.ask.analysis import Analysis
from bankwise.ask.check_mlir import kernel_of
from bankwise.ask.fix_groups import OwnedGroup, owned
from bankwise.ask.text_price import issued_cycles
from bankwise.counting.cost import Cost
from bankwise.counting.count_kernel import count_kernel
from bankwise.counting.counted import AccessReport
from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.show.fixing import Change
from bankwise.tile import COPIES

if TYPE_CHECKING:
    from bankwise.solver.plan import Plan


class CountedText(ByIdentity, frozen=True, eq=False):
    """The kernels of a text, in order, and their accesses, counted."""

    analyses: tuple[Analysis, ...]
    accesses: tuple[tuple[AccessReport, ...], ...]


class Gain(Struct, frozen=True):
    """Passes of a group, per workgroup, in two texts; ``cycles``: with those of their issue. Copies
    in lane order are not among them."""

    before: Cost
    after: Cost
    cycles: tuple[int, int]

    @property
    def lost(self) -> bool:
        """Whether it is worse than before."""
        return self.after.passes > self.before.passes or self.cycles[1] > self.cycles[0]

    @property
    def nothing(self) -> bool:
        """Whether it is no better than before."""
        return self.lost or self.after.passes == self.before.passes

    def refused(self, group: OwnedGroup, plan: Plan) -> Refusal:
        """The reason not to write a plan."""
        first, joins = group.group.allocations[0], group.group.joins
        joined = "as the compiler joins its accesses, " if joins.runs or joins.repeated else ""
        (old, new), of = self.cycles, "cycles with their issue"
        slower = f" ({old:,} and {new:,} {of})" if self.after.passes < self.before.passes else ""
        now = f"{joined}it takes {self.before.passes:,} passes"
        reason = f"{now}, and {self.after.passes:,} with {plan.layout}{slower}: not written"
        return Refusal(f"{group.group.names}: {reason}", first.location)


def counted_text(analyses: tuple[Analysis, ...]) -> CountedText:
    """Count all kernels of a text."""
    return CountedText(
        analyses, tuple(count_kernel(kernel_of(each), each.machine)[0] for each in analyses)
    )


def gain(
    group: OwnedGroup, start: Sequence[Analysis], before: CountedText, after: CountedText
) -> Gain:
    """What a group takes in two texts of the same kernels. ``start``: those of the group's text."""
    own = [n for n, analysis in enumerate(start) if analysis in group.analyses]
    names = {allocation.name for allocation in group.group.allocations}
    old, new = (_reports(text, own, names) for text in (before, after))
    gpu = group.machine
    cycles = tuple(
        sum(r.run.passes + issued_cycles(r, gpu) for r in reports) for reports in (old, new)
    )
    return Gain(_passes(old), _passes(new), (cycles[0], cycles[1]))


def recounted(
    changes: Sequence[Change], before: tuple[Analysis, ...], after: tuple[Analysis, ...]
) -> tuple[Change, ...]:
    """Changes that were planned by other rules, with what their groups take by those of the GPU."""
    old, new = counted_text(before), counted_text(after)
    groups = {each.key: each for each in owned(before)}
    found: list[Change] = []
    for change in changes:
        got = gain(groups[change.kernel, ", ".join(change.allocations)], before, old, new)
        joined = "each read alone; planned for reads that the compiler joins in pairs"
        told = f"{joined}: {change.optimum}"
        one = replace(change, before=got.before, after=got.after, optimum=told, certificate=None)
        found.append(one)
    return tuple(found)


def _reports(
    text: CountedText, kernels: Sequence[int], names: set[str]
) -> tuple[AccessReport, ...]:
    return tuple(
        report
        for n in kernels
        for report in text.accesses[n]
        if report.kind not in COPIES and names & set(report.allocations)
    )


def _passes(reports: Sequence[AccessReport]) -> Cost:
    runs = [report.run for report in reports]
    return Cost(sum(run.passes for run in runs), sum(run.ideal for run in runs))
