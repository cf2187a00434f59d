"""What a text takes: passes, issue cycles and bytes of all of its kernels, to compare texts by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bankwise.ask.analysis import Analysis
from bankwise.ask.check_mlir import kernel_of
from bankwise.counting.count_kernel import count_kernel
from bankwise.counting.counted import AccessReport
from bankwise.hardware.issue_cycles import issue_cycles


@dataclass(frozen=True, slots=True, order=True)
class TextPrice:
    """What the loads and stores of all kernels of a text take, per workgroup.

    ``unknown``: accesses without a number, or under a rule that nobody knows. ``cycles``: passes,
    and the cycles in which their instructions issue (one each, where no rule says more).
    """

    unknown: int
    passes: int
    cycles: int
    lds_bytes: int

    def __str__(self) -> str:
        left = f", {self.unknown} accesses not known" if self.unknown else ""
        counted = f"{self.passes:,} passes, {self.cycles:,} cycles with their issue"
        return f"{counted}, {self.lds_bytes:,} bytes{left}"

    def no_worse(self, other: TextPrice) -> bool:
        """Whether it takes no more passes and no more cycles, and as much of it is known."""
        return all(
            mine <= theirs
            for mine, theirs in (
                (self.unknown, other.unknown),
                (self.passes, other.passes),
                (self.cycles, other.cycles),
            )
        )


def price_of(analyses: Sequence[Analysis]) -> TextPrice:
    """The price of a text."""
    unknown = passes = cycles = lds = 0
    for each in analyses:
        counted = count_kernel(kernel_of(each), each.machine)[0]
        unknown += len(each.refusals) + sum(r.evidence == "unknown" for r in counted)
        passes += sum(report.run.passes for report in counted)
        cycles += sum(issued_cycles(report, each) for report in counted)
        lds += sum(allocation.size_bytes for allocation in each.extraction.allocations)
    return TextPrice(unknown, passes, passes + cycles, lds)


def issued_cycles(report: AccessReport, analysis: Analysis) -> int:
    """Cycles in which the instructions of an access issue, in all waves and rounds."""
    rows = [analysis.machine.instruction(name) for name in report.issued]
    each = sum(issue_cycles(analysis.machine, row) or 1 for row in rows)
    return each * report.waves * report.executions
