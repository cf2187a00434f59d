"""Is it worth it: the part of the time that shared memory takes, beside the other units.

Two sources, never mixed in one verdict:

*Measured*: a profile's percentages of peak, and three bounds of which the least is printed. The
launch still needs its busiest other unit: busy for ``u`` percent, it becomes at most ``100 / u``
times as fast. An extra pass takes one turn, and no more than that is saved: if a part ``e`` of the
passes is extra, it becomes at most ``1 / (1 - e)`` times as fast, as if it did nothing but passes.
AMD's derived metric ``LDSBankConflict`` is the percent of the time that conflicts stall the LDS: of
that, no more than itself can be saved. They are bounds, not promises.

*Static*: cycles that each unit needs at least, from counts and the machine file's rates. Where no
rate is known, that is said; memory is bounded from above only (no cache hit): it may leave the
question open, it never decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from bankwise.errors import Refusal
from bankwise.hardware.machine import Evidence
from bankwise.read.names import short
from bankwise.show.columns import Console
from bankwise.show.plain import escape

_PASSES, _STALLS = "its passes", "the stalls"


class Share(Struct, frozen=True):
    """One unit. ``amount``: percent of peak (measured) or cycles (static), None if unknown.

    ``source``: the counter, or the rule and its rate; ``evidence``: how sure that is. ``least``:
    whether the amount is a lower bound of the unit's time; an upper bound decides nothing.
    """

    unit: str
    amount: float | None
    source: str
    evidence: Evidence
    least: bool = True


class Ceiling(Struct, frozen=True):
    """At most so many ``times`` as fast without conflicts, and ``by`` what that is known."""

    times: float
    by: str

    def __str__(self) -> str:
        return f"at most {self.times:.2f} times as fast without its conflicts, by {self.by}"


class Worth(Struct, frozen=True):
    """Shared memory and the other units of one kernel.

    ``scope``: what the amounts are of ("of the launch", "of a workgroup"). ``extra``: the part of
    the shared-memory passes that conflicts add, 0 to 1. ``lds``: None if it was not measured.
    ``missing``: what of the kernel's accesses is not counted; then ``extra`` is not known, and
    cycles of shared memory are a lower bound that clears nothing. ``notes``: what of a profile was
    not taken for a unit.
    """

    kernel: str
    scope: str
    measured: bool
    lds: Share | None
    others: tuple[Share, ...]
    extra: float
    stalled: Share | None = None
    missing: str = ""
    notes: tuple[str, ...] = ()

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
    def ceiling(self) -> Ceiling | None:
        """The least bound of what a fix can bring, by throughput; None if none is known."""
        return min(self._ceilings(), key=lambda one: one.times, default=None)

    @property
    def most(self) -> float | None:
        """At most so many times as fast without conflicts; None if unknown."""
        return None if self.ceiling is None else self.ceiling.times

    def _ceilings(self) -> Iterator[Ceiling]:
        if self.missing and not self.measured:
            return
        busiest = max(self.known, key=lambda s: s.amount or 0.0, default=None)
        now = 100.0 if self.measured else max(self._lds, busiest.amount or 0.0 if busiest else 0.0)
        if self._lds and not self.missing and self.extra < 1:
            yield Ceiling(now / (1 - self.extra) / (100 if self.measured else self._lds), _PASSES)
        if self.stalled is not None and (self.stalled.amount or 0.0) < 100:
            yield Ceiling(100 / (100 - (self.stalled.amount or 0.0)), _STALLS)
        if busiest is not None and busiest.amount:
            yield Ceiling(max(now / busiest.amount, 1.0), busiest.unit)

    @property
    def verdict(self) -> str:
        """One sentence."""
        if self.lds is None and self.stalled is not None and self.ceiling is not None:
            share = f"conflicts stall shared memory for {self.stalled.amount:.1f}% of the time"
            return f"{share}: {self.ceiling}"
        if self.lds is None or self.lds.amount is None:
            return "is it worth it: unknown, the time of shared memory is not known"
        bound = "" if self.ceiling is None else f"; {self.ceiling}"
        if self.bottleneck is False and self.busier is not None:
            bound = bound if self.measured and (self.extra or self.missing) else ""
            return f"shared memory is not the bottleneck: {self.busier.unit} is busier{bound}"
        if self.missing:
            return f"is it worth it: unknown, {self.missing}{bound}"
        if not self.extra:
            return "no conflicts to remove"
        if self.bottleneck:
            return f"shared memory is the busiest of the known units: {self.ceiling}"
        known = [s for s in self.others if s.amount is not None]
        why = (
            f"{self.maybe.unit} may be busier" if self.maybe and known else "no other unit is known"
        )
        return f"is it worth it: unknown, {why}{bound}"

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
        console.print(f"[bold]{escape(short(worth.kernel))}[/]: {escape(str(worth))}")


def _amount(share: Share, unit: str) -> str:
    bound = "" if share.least else "at most "
    digits = 1 if unit == "%" else 0
    sure = "" if share.evidence in ("measured", "documented") else f", {share.evidence}"
    return f"{share.unit} {bound}{share.amount or 0.0:,.{digits}f}{unit}{sure}"
