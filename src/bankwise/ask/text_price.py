"""What a text takes: passes, issue cycles and bytes of all of its kernels, to compare texts by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import prod
from typing import TYPE_CHECKING

from msgspec import Struct

from bankwise.ask.analysis import Analysis
from bankwise.ask.check_mlir import kernel_of
from bankwise.counting.count_kernel import count_kernel
from bankwise.counting.counted import AccessReport
from bankwise.hardware.issue_cycles import issue_cycles
from bankwise.hardware.machine import Machine, machine
from bankwise.identity import ByIdentity
from bankwise.show.values import CheckReport, KernelReport
from bankwise.solver.hypotheses import Doubted
from bankwise.solver.plan import Prefer, Rank, spent
from bankwise.tile import COPIES

if TYPE_CHECKING:
    from bankwise.read.mlir.module import Opened


class ReportedText(ByIdentity, frozen=True, eq=False):
    """A text with its kernels, as they were read and as they were counted. ``compiler``: the one
    that the user named for its code, if any."""

    opened: Opened
    analyses: tuple[Analysis, ...]
    report: CheckReport
    compiler: str = ""


AT_ANY_CYCLES: tuple[Prefer, ...] = ("fewest-passes", "least-lds")
"""Preferences by which a change may take more data and issue cycles; more passes by none."""


class TextPrice(Struct, frozen=True, order=True):
    """What the loads and stores of all kernels of a text take, of a workgroup or of a launch.

    ``unknown``: accesses without a number, or under a rule that nobody knows. ``cycles``: passes,
    and the cycles in which their instructions issue (one each, where no rule says more).
    ``instructions``: executed by waves. ``doubted``: passes that are conflicts by rules that nobody
    knows, by the instruction (:mod:`bankwise.solver.hypotheses`).
    """

    unknown: int
    passes: int
    cycles: int
    lds_bytes: int
    instructions: int = 0
    doubted: Doubted = ()

    @property
    def assumed(self) -> int:
        """Passes that are conflicts by rules that nobody knows."""
        return sum(passes for _, passes in self.doubted)

    @property
    def rules(self) -> tuple[str, ...]:
        """The instructions of these."""
        return tuple(rule for rule, _ in self.doubted)

    def __str__(self) -> str:
        left = f", {self.unknown} accesses not known" if self.unknown else ""
        counted = f"{self.passes:,} passes, {self.cycles:,} cycles with their issue"
        return f"{counted}, {self.lds_bytes:,} bytes{left}"

    def no_worse(self, other: TextPrice, prefer: Prefer = "cheapest") -> bool:
        """Whether it takes no more passes and no more cycles, and as much of it is known.

        What is preferred otherwise may cost cycles (:data:`AT_ANY_CYCLES`).
        """
        dear = self.cycles > other.cycles and prefer not in AT_ANY_CYCLES
        return self.unknown <= other.unknown and self.passes <= other.passes and not dear

    def rank(self, prefer: Prefer) -> Rank:
        """What texts are ranked by, the least first."""
        issue = self.cycles - self.passes
        taken = spent(prefer, self.passes, issue, self.instructions, self.lds_bytes)
        return (self.unknown, *taken, self.lds_bytes)


def rests_on(before: TextPrice, after: TextPrice, of: str) -> str:
    """What both take if no conflict by a rule that nobody knows is real, in words; empty where
    neither has one. ``of``: of what they are prices."""
    return each_rests_on([(of, before, after)])


def each_rests_on(prices: Iterable[tuple[str, TextPrice, TextPrice]]) -> str:
    """The same of several: of what each is, before and after."""
    doubted = [one for one in prices if one[1].assumed or one[2].assumed]
    pairs = [price for _, *both in doubted for price in both]
    names = " and ".join(dict.fromkeys(rule for price in pairs for rule in price.rules))
    why = f"rests on how {names} is served, which is not known: if none of its conflicts is real, "
    return (why if doubted else "") + "; ".join(_unreal(*one) for one in doubted)


def _unreal(of: str, before: TextPrice, after: TextPrice) -> str:
    old, new = (price.cycles - price.assumed for price in (before, after))
    sure = f"{before.passes - before.assumed:,} -> {after.passes - after.assumed:,} passes"
    more = ", more than before" * (new > old)
    return f"{of} takes {sure}, {old:,} -> {new:,} cycles with their issue{more}"


def accesses_price(accesses: Sequence[AccessReport], gpu: Machine, lds_bytes: int) -> TextPrice:
    """The price of these accesses of one workgroup, all of which are counted."""
    return _with(TextPrice(0, 0, 0, lds_bytes), accesses, gpu, 1)


def price_of(analyses: Sequence[Analysis]) -> TextPrice:
    """The price of a text, of one workgroup of each kernel."""
    lds = sum(a.size_bytes for each in analyses for a in each.extraction.allocations)
    found = TextPrice(sum(len(each.refusals) for each in analyses), 0, 0, lds)
    for each in analyses:
        found = _with(found, count_kernel(kernel_of(each), each.machine)[0], each.machine, 1)
    return found


def kernel_price(*kernels: KernelReport) -> TextPrice:
    """The price of one workgroup of each kernel."""
    found = TextPrice(
        sum(len(k.refusals) for k in kernels), 0, 0, sum(k.lds_bytes for k in kernels)
    )
    for kernel in kernels:
        found = _with(found, kernel.accesses, machine(kernel.target), 1)
    return found


def launch_price(report: CheckReport) -> TextPrice | None:
    """The same of whole launches; None where a grid is not known, or its workgroups differ."""
    lds = sum(kernel.lds_bytes for kernel in report.kernels)
    found = TextPrice(len(report.refusals), 0, 0, lds)
    for kernel in report.kernels:
        if kernel.grid is None or kernel.totals.launch is None:
            return None
        found = _with(found, kernel.accesses, machine(kernel.target), prod(kernel.grid))
    return found


def _with(
    price: TextPrice, accesses: Sequence[AccessReport], gpu: Machine, times: int
) -> TextPrice:
    """A price with these accesses, executed by so many workgroups. What copies write is not in it:
    no thread issues it."""
    own = [report for report in accesses if report.kind not in COPIES]
    passes = times * sum(report.run.passes for report in own)
    issue = times * sum(issued_cycles(report, gpu) for report in own)
    doubted = [report for report in own if report.assumed]
    instructions = times * sum(len(r.issued) * r.waves * r.executions for r in own)
    return TextPrice(
        price.unknown + len(doubted),
        price.passes + passes,
        price.cycles + passes + issue,
        price.lds_bytes,
        price.instructions + instructions,
        doubts(doubted, times, price.doubted),
    )


def doubts(accesses: Iterable[AccessReport], times: int = 1, known: Doubted = ()) -> Doubted:
    """What accesses by rules that nobody knows add to what is doubted."""
    found = Counter(dict(known))
    for report in accesses:
        if report.assumed and report.run.extra:
            found[report.instruction] += times * report.run.extra
    return tuple(found.items())


def issued_cycles(report: AccessReport, gpu: Machine) -> int:
    """Cycles in which the instructions of an access issue, in all waves and rounds."""
    each = (issue_cycles(gpu, gpu.instruction(name)) for name in report.issued)
    known = sum(1 if cycles is None else cycles for cycles in each)
    return known * report.waves * report.executions
