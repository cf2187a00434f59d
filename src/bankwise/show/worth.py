"""Is it worth it: the part of the time that shared memory takes, beside the other units.

Two sources, never mixed in one verdict:

*Measured*: a profile's percentages of peak. If shared memory is busy for ``p`` percent of the
launch and a part ``e`` of its passes is extra, then without conflicts it is busy for ``p (1 - e)``.
The launch still needs its busiest unit, so it becomes at most ``100 / max(other units, p (1 - e))``
times as fast: a bound, not a promise, and one for work that is spread evenly. AMD's derived metric
``LDSBankConflict`` is the percent of the time that conflicts stall the LDS: of that, no more than
itself can be saved.

*Static*: cycles that each unit needs at least, from counts and the machine file's rates. Where no
rate is known, that is said; memory is bounded from above only (no cache hit): it may leave the
question open, it never decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape

from bankwise.errors import Refusal
from bankwise.hardware.machine import Evidence


@dataclass(frozen=True, slots=True)
class Share:
    """One unit. ``amount``: percent of peak (measured) or cycles (static), None if unknown.

    ``source``: the counter, or the rule and its rate; ``evidence``: how sure that is. ``least``:
    whether the amount is a lower bound of the unit's time; an upper bound decides nothing.
    """

    unit: str
    amount: float | None
    source: str
    evidence: Evidence
    least: bool = True


@dataclass(frozen=True, slots=True)
class Worth:
    """Shared memory and the other units of one kernel.

    ``scope``: what the amounts are of ("of the launch", "of a workgroup"). ``extra``: the part of
    the shared-memory passes that conflicts add, 0 to 1. ``lds``: None if it was not measured.
    ``missing``: what of the kernel's accesses is not counted; then ``extra`` is not known, and
    cycles of shared memory are a lower bound that clears nothing.
    """

    kernel: str
    scope: str
    measured: bool
    lds: Share | None
    others: tuple[Share, ...]
    extra: float
    stalled: Share | None = None
    missing: str = ""

    @property
    def known(self) -> tuple[Share, ...]:
        """The other units of which a lower bound is known."""
        return tuple(s for s in self.others if s.amount is not None and s.least)

    @property
    def busier(self) -> Share | None:
        """The unit that is certainly busier than shared memory, if any."""
        found = [s for s in self.known if (s.amount or 0.0) > self._lds]
        return max(found, key=lambda s: s.amount or 0.0, default=None)

    @property
    def maybe(self) -> Share | None:
        """A unit that may be busier: only its largest time is known, or nothing."""
        doubtful = (s for s in self.others if s.amount is None or not s.least)
        return next((s for s in doubtful if s.amount is None or s.amount > self._lds), None)

    @property
    def bottleneck(self) -> bool | None:
        """Whether shared memory is the busiest unit; None where that cannot be said."""
        if self.lds is None or self.lds.amount is None or not self.others:
            return None
        if self.missing and not self.measured:
            return None
        if self.busier is not None:
            return False
        return None if self.maybe is not None else True

    @property
    def most(self) -> float | None:
        """At most so many times as fast without conflicts, by throughput; None if unknown."""
        if self.missing and self.stalled is None:
            return None
        if not self._lds:
            stall = 100.0 if self.stalled is None else self.stalled.amount or 0.0
            return None if stall >= 100 else 100 / (100 - stall)
        rest = max([self._lds * (1 - self.extra), *(s.amount or 0.0 for s in self.known)])
        now = 100.0 if self.measured else max(self._lds, rest)
        return now / rest if rest else None

    @property
    def verdict(self) -> str:
        """One sentence."""
        if self.lds is None and self.stalled is not None and self.most is not None:
            share = f"conflicts stall shared memory for {self.stalled.amount:.1f}% of the time"
            return f"{share}: at most {self.most:.2f} times as fast without them"
        if self.lds is None or self.lds.amount is None:
            return "is it worth it: unknown, the time of shared memory is not known"
        if self.bottleneck is False and self.busier is not None:
            return f"shared memory is not the bottleneck: {self.busier.unit} is busier"
        if self.missing:
            return f"is it worth it: unknown, {self.missing}"
        if not self.extra:
            return "no conflicts to remove"
        bound = f"at most {self.most:.2f} times as fast without its conflicts"
        if self.bottleneck:
            return f"shared memory is the busiest of the known units: {bound}"
        known = [s for s in self.others if s.amount is not None]
        why = (
            f"{self.maybe.unit} may be busier" if self.maybe and known else "no other unit is known"
        )
        return f"is it worth it: unknown, {why}; {bound}"

    @property
    def _lds(self) -> float:
        return 0.0 if self.lds is None else self.lds.amount or 0.0

    def __str__(self) -> str:
        unit = "%" if self.measured else " cycles"
        idle = [s for s in self.others if s.amount == 0 and not self.measured]
        shown = [s for s in (self.lds, *self.others) if s is not None and s not in idle]
        parts = [_amount(s, unit) for s in shown if s.amount is not None]
        for why in dict.fromkeys(s.source for s in shown if s.amount is None):
            units = [s.unit for s in shown if s.amount is None and s.source == why]
            parts.append(f"{', '.join(units)} unknown: {why}")
        return f"{self.verdict} ({self.scope}: {', '.join(parts)})" if parts else self.verdict


def missing(refusals: Sequence[Refusal]) -> str:
    """What is not counted of a kernel, in words; empty if nothing."""
    if not refusals:
        return ""
    count = "1 place was" if len(refusals) == 1 else f"{len(refusals)} places were"
    return f"{count} not analysed"


def print_worths(worths: Sequence[Worth], console: Console) -> None:
    """A line for each kernel."""
    for worth in worths:
        console.print(f"[bold]{escape(worth.kernel)}[/]: {escape(str(worth))}")


def _amount(share: Share, unit: str) -> str:
    bound = "" if share.least else "at most "
    digits = 1 if unit == "%" else 0
    sure = "" if share.evidence in ("measured", "documented") else f", {share.evidence}"
    return f"{share.unit} {bound}{share.amount or 0.0:,.{digits}f}{unit}{sure}"
