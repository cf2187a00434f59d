"""The values of a report. Every number here was counted elsewhere; printing happens elsewhere too.

``once`` is one execution of every access by all waves of one workgroup, ``run`` one workgroup's
whole life, ``launch`` the whole grid (None if the grid is unknown). ``extra`` is what the vendor's
bank-conflict counter adds. Numbers that are not exact know between which ends they lie
(:mod:`bankwise.counting.cost`); what stands under a rule that nobody knows is summed apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bankwise.counting.cost import Cost
from bankwise.counting.counted import AccessReport, Sureness
from bankwise.counting.kernel import AllocationReport
from bankwise.errors import Location, Refusal, exit_code
from bankwise.hardware.machine import AccessKind
from bankwise.hardware.occupancy import Occupancy
from bankwise.solver.certificate import Certificate
from bankwise.solver.known import Known

_ORDINARY: frozenset[AccessKind] = frozenset({"plain", "matrix"})
_COPIES: frozenset[AccessKind] = frozenset({"dma", "async"})
_SPECIAL: frozenset[AccessKind] = frozenset({"atomic", "transpose"})


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over accesses: executed once, per workgroup, per launch.

    ``assumed``: the part of ``run`` under rules whose evidence is "unknown".
    """

    once: Cost
    run: Cost
    launch: Cost | None
    assumed: Cost


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong beside conflicts, under a rule name, at a place."""

    rule: str
    location: Location
    message: str


@dataclass(frozen=True, slots=True)
class Optimum:
    """The best layout for all accesses of some allocations together, against the present one.

    ``allocations`` share their accesses, and so one layout. Costs are per workgroup, ordinary
    accesses only. ``known``: among what it is the optimum, and how that is known, or not.
    ``address``: the layout in words, empty where it was not asked for; ``notation``: the same in
    the notation of the framework that made the kernel; ``notes``: what restricts or qualifies it.
    ``certificate``: for ``bankwise certify``; None where the optimum is known by counting alone.
    """

    allocations: tuple[str, ...]
    present: Cost
    best: Cost
    known: Known
    address: str = ""
    notation: str = ""
    notes: tuple[str, ...] = ()
    certificate: Certificate | None = None


@dataclass(frozen=True, slots=True)
class KernelReport:
    """One kernel. ``occupancy``: None where it is not known how much shared memory one takes.

    ``refusals``: of those of its report, what its reader knows to be of this kernel.
    """

    name: str
    target: str
    location: Location
    workgroup_size: tuple[int, int, int]
    grid: tuple[int, int, int] | None
    lds_bytes: int
    accesses: tuple[AccessReport, ...]
    allocations: tuple[AllocationReport, ...]
    occupancy: Occupancy | None
    notes: tuple[str, ...] = ()
    optima: tuple[Optimum, ...] = ()
    refusals: tuple[Refusal, ...] = ()

    @property
    def totals(self) -> Totals:
        """Sums over ordinary loads and stores."""
        return _totals((self,), _ORDINARY)

    @property
    def totals_dma(self) -> Totals:
        """Sums over direct-to-shared copies, whose counters are unknown: kept apart."""
        return _totals((self,), _COPIES)

    @property
    def totals_assumed(self) -> Totals:
        """Sums over atomics and transposing reads, counted on assumptions: kept apart."""
        return _totals((self,), _SPECIAL)

    @property
    def known(self) -> Cost:
        """What one workgroup costs by rules that are known, copies left out."""
        mine = (a.run for a in self.accesses if not a.assumed and a.kind not in _COPIES)
        return sum(mine, Cost())

    @property
    def assumed(self) -> Cost:
        """What one workgroup costs by rules that nobody knows."""
        return sum((a.run for a in self.accesses if a.assumed), Cost())

    @property
    def counted(self) -> bool:
        """Whether it is known how often every access runs."""
        return all(a.counted for a in self.accesses)

    @property
    def conflict(self) -> Sureness:
        """The surest conflict of its accesses."""
        return surest(a.conflict for a in self.accesses)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The answer of ``bankwise check``."""

    file: str
    target: str
    policy: str
    counter: str
    kernels: tuple[KernelReport, ...]
    findings: tuple[Finding, ...]
    refusals: tuple[Refusal, ...]
    notes: tuple[str, ...]

    @property
    def accesses(self) -> tuple[AccessReport, ...]:
        """All accesses of all kernels, the costliest first."""
        everything = [a for kernel in self.kernels for a in kernel.accesses]
        return tuple(sorted(everything, key=lambda a: -a.run.extra))

    @property
    def totals(self) -> Totals:
        """Sums over ordinary loads and stores of all kernels, which no one workgroup runs."""
        return _totals(self.kernels, _ORDINARY)

    @property
    def totals_dma(self) -> Totals:
        """Sums over direct-to-shared copies, whose counters are unknown: kept apart."""
        return _totals(self.kernels, _COPIES)

    @property
    def totals_assumed(self) -> Totals:
        """Sums over atomics and transposing reads, counted on assumptions: kept apart."""
        return _totals(self.kernels, _SPECIAL)

    def refused(self, kernel: KernelReport) -> tuple[Refusal, ...]:
        """Refusals of this kernel. Those of which no reader says whose they are: those between its
        place and the next one's, and those without a place."""
        told = {r for k in self.kernels for r in k.refusals}
        return tuple(
            r
            for r in self.refusals
            if (r in kernel.refusals if r in told else self._is_behind(r, kernel.location))
        )

    def _is_behind(self, refusal: Refusal, first: Location) -> bool:
        place = refusal.location
        if place is None:
            return True
        later = [k.location.line for k in self.kernels if k.location.file == first.file]
        last = min((line for line in later if line > first.line), default=1 << 62)
        return place.file == first.file and first.line <= place.line < last

    @property
    def clean(self) -> bool:
        """No conflict, no finding, nothing refused, nothing in doubt."""
        return not (self.findings or self.refusals or self.conflict != "none")

    @property
    def conflict(self) -> Sureness:
        """The surest conflict of all accesses."""
        return surest(a.conflict for a in self.accesses)

    @property
    def exit_code(self) -> int:
        """0 clean, 1 sure conflicts or findings, 3 only possible ones, or not all analysed."""
        return exit_code(
            findings=self.conflict == "sure" or bool(self.findings),
            incomplete=self.conflict == "possible" or bool(self.refusals),
        )


def surest(found: Iterable[Sureness]) -> Sureness:
    """The surest of some; "none" of none."""
    order: tuple[Sureness, ...] = ("none", "possible", "sure")
    return max(found, key=order.index, default="none")


def _totals(kernels: Iterable[KernelReport], kinds: frozenset[AccessKind]) -> Totals:
    once, run, assumed, launch = Cost(), Cost(), Cost(), Cost()
    known = True
    for kernel in kernels:
        chosen = [a for a in kernel.accesses if a.kind in kinds]
        here = sum((a.run for a in chosen), Cost())
        once = sum((a.cost for a in chosen), once)
        run += here
        assumed = sum((a.run for a in chosen if a.assumed), assumed)
        known = known and kernel.grid is not None
        x, y, z = kernel.grid or (0, 0, 0)
        launch += here * (x * y * z)
    return Totals(once, run, launch if known else None, assumed)
