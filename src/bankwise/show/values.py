"""The values of a report. Every number here was counted elsewhere; printing happens elsewhere too.

``once`` is one execution of every access by all waves of one workgroup, ``run`` one workgroup's
whole life, ``launch`` the whole grid (None if the grid is unknown). ``extra`` is what the vendor's
bank-conflict counter adds. Numbers that are not exact know between which ends they lie
(:mod:`bankwise.counting.cost`); what stands under a rule that nobody knows is summed apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field

from bankwise.counting.cost import Cost
from bankwise.counting.counted import AccessReport, Added, Sureness, added, summed
from bankwise.counting.kernel import AllocationReport
from bankwise.errors import InputError, Location, Refusal, exit_code
from bankwise.hardware.machine import AccessKind
from bankwise.hardware.occupancy import Occupancy
from bankwise.read.assembly import Opener
from bankwise.show.advised import Optimum, Snippet
from bankwise.show.notebook import printed

if TYPE_CHECKING:
    pass

_ORDINARY: frozenset[AccessKind] = frozenset({"plain", "matrix"})
_COPIES: frozenset[AccessKind] = frozenset({"dma", "async", "bulk"})
_SPECIAL: frozenset[AccessKind] = frozenset({"atomic", "transpose", "operand", "barrier"})
_SURENESS: tuple[Sureness, ...] = ("none", "possible", "sure")
_NAMED = 3


class Totals(Struct, frozen=True):
    """Sums over accesses: executed once, per workgroup, per launch.

    ``assumed``: the part of ``run`` under rules whose evidence is "unknown". ``launch`` is None if
    the grid is unknown, or if one workgroup costs what another does not.
    """

    once: Cost
    run: Cost
    launch: Cost | None
    assumed: Cost


class Finding(Struct, frozen=True):
    """Something wrong beside conflicts, under a rule name, at a place."""

    rule: str
    location: Location
    message: str


class AsEmitted(Struct, frozen=True):
    """A kernel of a source was counted as ``compiler`` (name and version) emits it; ``source``:
    what the counter adds for one workgroup as counted from the source."""

    compiler: str
    source: Added


class OtherLaunch(Struct, frozen=True):
    """A kernel as another launch of it runs. ``said``: by whose word, empty if it is assumed;
    ``refused``: accesses of it that are not analysed, and not in ``added``; ``blocks``: of which of
    its blocks that is, in words, where they differ; ``launch_added``: of all of them then;
    ``grid``: where it is known, and the blocks have the size of those that are shown."""

    workgroup_size: tuple[int, int, int]
    said: str
    added: Added
    refused: int = 0
    blocks: str = ""
    launch_added: Added | None = None
    grid: tuple[int, int, int] | None = None


class BlockClass(Struct, frozen=True):
    """Blocks of a launch that run alike. ``where``: their indices, in words; ``accesses``: what
    each of them does."""

    where: str
    count: int
    accesses: tuple[AccessReport, ...]

    @property
    def added(self) -> Added:
        """What the conflict counter adds for one of them."""
        return _added(self.accesses)


class KernelReport(Struct, frozen=True):
    """One kernel. ``occupancy``: None where it is not known how much shared memory one takes.
    ``compiled``: None where its own text was counted. ``launched``: by whose word it is launched
    so; ``assumed``: what nobody says of that; ``others``: further launches of it. ``openers``: what
    would answer what is open, the most first. ``snippets``: what to write against its conflicts.
    ``classes``: where blocks of its launch differ and all were followed, these by what they do, the
    one that its ``accesses`` are of first; together they are the whole grid.

    ``refusals``: of those of its report, what its reader knows to be of this kernel.
    ``tile_passes``: of a tile of a header, which is a part of a kernel, how often a workgroup
    passes over it; 0 where nobody says: one pass is counted. None for a whole kernel.
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
    compiled: AsEmitted | None = None
    launched: str = ""
    assumed: str = ""
    others: tuple[OtherLaunch, ...] = ()
    openers: tuple[Opener, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    tile_passes: int | None = None
    classes: tuple[BlockClass, ...] = ()

    @property
    def each(self) -> str:
        """What its runs are of."""
        return "pass over the tile" if self.tile_passes == 0 else "workgroup"

    @property
    def totals(self) -> Totals:
        """Sums over ordinary loads and stores."""
        return _totals(self, _ORDINARY)

    @property
    def totals_dma(self) -> Totals:
        """Sums over direct-to-shared copies, whose counters are unknown: kept apart."""
        return _totals(self, _COPIES)

    @property
    def totals_assumed(self) -> Totals:
        """Sums over what no lane loads or stores plainly, kept apart: atomics, transposing reads,
        operands and barriers of asynchronous units."""
        return _totals(self, _SPECIAL)

    @property
    def whole(self) -> Cost:
        """What everything that touches shared memory costs a workgroup: ordinary accesses, copies
        and the rest, whatever a counter adds up of them."""
        return sum((access.run for access in self.accesses), Cost())

    @property
    def added(self) -> Added:
        """What the conflict counter adds for one workgroup; copies left out whose rule is known."""
        return _added(self.accesses)

    @property
    def launch_added(self) -> Added | None:
        """What it adds for all workgroups of a launch whose classes are known; else None."""
        costs = (
            (a.run * one.count, a.evidence)
            for one in self.classes
            for a in one.accesses
            if a.assumed or a.kind not in _COPIES
        )
        return summed(costs) if self.classes else None

    @property
    def accounted(self) -> bool:
        """Whether what was analysed holds: neither a rule nor the launch of what touches shared
        memory is assumed, and for every workgroup."""
        doubts = any(a.taken or a.one_workgroup for a in self.accesses)
        return not doubts and not (self.assumed and self.accesses)

    @property
    def counted(self) -> bool:
        """Whether it is known how often every access runs."""
        return all(a.counted for a in self.accesses)

    @property
    def conflict(self) -> Sureness:
        """The surest conflict of its accesses."""
        return surest(a.conflict for a in self.accesses)


@printed("bankwise.show.as_text:print_check", line=-1)
class CheckReport(Struct, frozen=True):
    """The answer of ``bankwise check``. ``source_lines``: of source that was compiled, the lines at
    which its accesses stand, by file and number."""

    file: str
    target: str
    policy: str
    counter: str
    kernels: tuple[KernelReport, ...]
    findings: tuple[Finding, ...]
    refusals: tuple[Refusal, ...]
    notes: tuple[str, ...]
    source_lines: Mapping[tuple[str, int], str] = field(default_factory=dict)

    @property
    def accesses(self) -> tuple[AccessReport, ...]:
        """All accesses of all kernels, the costliest first."""
        everything = [a for kernel in self.kernels for a in kernel.accesses]
        return tuple(sorted(everything, key=lambda a: -a.run.extra))

    @property
    def ranked(self) -> tuple[KernelReport, ...]:
        """The kernels, the worst first: those that surely conflict, by what the counter adds."""
        return tuple(sorted(self.kernels, key=_badness, reverse=True))

    @property
    def openers(self) -> tuple[tuple[str, Opener], ...]:
        """What would answer what is open, by kernel; the most first."""
        found = [(kernel.name, opener) for kernel in self.kernels for opener in kernel.openers]
        return tuple(sorted(found, key=lambda one: (-one[1].opens, -one[1].counts)))

    @property
    def snippets(self) -> tuple[Snippet, ...]:
        """What to write against the conflicts of all kernels, the worst first, each once."""
        return tuple(dict.fromkeys(s for kernel in self.ranked for s in kernel.snippets))

    @property
    def alone(self) -> KernelReport:
        """The only kernel. InputError where there are several: no workgroup runs them together, so
        nothing of them is added up. Without any, a kernel of nothing."""
        if len(self.kernels) > 1:
            names = ", ".join(kernel.name for kernel in self.kernels[:_NAMED])
            message = f"{len(self.kernels)} kernels have no totals together: {names}, .."
            hint = "ask each of `kernels`; `ranked` has the worst first"
            raise InputError(message, location=Location(self.file), hint=hint)
        return self.kernels[0] if self.kernels else _NO_KERNEL

    @property
    def totals(self) -> Totals:
        """Sums over ordinary loads and stores, as :attr:`alone` has them."""
        return self.alone.totals

    @property
    def totals_dma(self) -> Totals:
        """Sums over direct-to-shared copies, as :attr:`alone` has them."""
        return self.alone.totals_dma

    @property
    def totals_assumed(self) -> Totals:
        """Sums over atomics, transposing reads, operands, barriers, as :attr:`alone` has them."""
        return self.alone.totals_assumed

    def each(self, kernel: str) -> str:
        """What the runs of a kernel are of, by its name, as a sentence goes on with it."""
        tile = any(k.name == kernel and k.tile_passes == 0 for k in self.kernels)
        return "in one pass over the tile" if tile else "a workgroup"

    def refused(self, kernel: KernelReport) -> tuple[Refusal, ...]:
        """Refusals of this kernel. Those of which no reader says whose they are: those between its
        place and the next one's, and those without a place; all of them if it is the only kernel.
        """
        if len(self.kernels) == 1:
            return self.refusals
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
        return self.accounted and not self.findings and self.conflict == "none"

    @property
    def accounted(self) -> bool:
        """Whether nothing is open: all of it analysed, by rules that are known, for every
        workgroup. Only then is "no conflicts" said."""
        return not self.refusals and all(kernel.accounted for kernel in self.kernels)

    @property
    def conflict(self) -> Sureness:
        """The surest conflict of all accesses."""
        return surest(a.conflict for a in self.accesses)

    @property
    def exit_code(self) -> int:
        """0 clean, 1 sure conflicts or findings, 3 only possible ones, or not all accounted for."""
        return exit_code(
            findings=self.conflict == "sure" or bool(self.findings),
            incomplete=self.conflict == "possible" or not self.accounted,
        )


def _added(accesses: Iterable[AccessReport]) -> Added:
    mine = (a for a in accesses if a.assumed or a.kind not in _COPIES)
    return added((a, a.run) for a in mine)


def surest(found: Iterable[Sureness]) -> Sureness:
    """The surest of some; "none" of none."""
    return max(found, key=_SURENESS.index, default="none")


def _badness(kernel: KernelReport) -> tuple[int, int]:
    return _SURENESS.index(kernel.conflict), sum(a.run.extra for a in kernel.accesses)


def _totals(kernel: KernelReport, kinds: frozenset[AccessKind]) -> Totals:
    chosen = [a for a in kernel.accesses if a.kind in kinds]
    once, run = (
        sum(costs, Cost()) for costs in ((a.cost for a in chosen), (a.run for a in chosen))
    )
    assumed = sum((a.run for a in chosen if a.assumed), Cost())
    if kernel.classes:
        rows = (a.run * c.count for c in kernel.classes for a in c.accesses if a.kind in kinds)
        return Totals(once, run, sum(rows, Cost()), assumed)
    if kernel.grid is None or any(a.one_workgroup for a in chosen):
        return Totals(once, run, None, assumed)
    x, y, z = kernel.grid
    return Totals(once, run, run * (x * y * z), assumed)


_NO_KERNEL = KernelReport("", "", Location(""), (0, 0, 0), (0, 0, 0), 0, (), (), None)
