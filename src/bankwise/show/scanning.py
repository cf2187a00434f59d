"""The answer of ``bankwise scan``: a line a kernel, the most wasteful first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, structs

from bankwise.counting.bound import Bound
from bankwise.counting.counted import Sureness
from bankwise.errors import Refusal, exit_code
from bankwise.read.names import short
from bankwise.show.columns import Console, table
from bankwise.show.notebook import printed
from bankwise.show.plain import escape
from bankwise.show.words import COLOURS, cell, several

SURENESS: tuple[Sureness, ...] = ("none", "possible", "sure")
_DATA = re.compile(r"\ba value (loaded|read) from ")
"""In the reason of an access that data decides."""
_SHOWN = 5
"""Reasons, and files that are not read, told one by one; the rest is counted."""


class OpenReason(Struct, frozen=True):
    """Why accesses of a kernel are not answered, and how many; 0 where control flow is lost, and
    nobody knows whether some lie behind."""

    reason: str
    accesses: int


class ScannedKernel(Struct, frozen=True):
    """One kernel with shared memory.

    ``threads``: of a workgroup, None if nobody knows. ``accesses``: places of its code that touch
    shared memory, or may; ``answered``: those with a number. ``passes``, ``ideal``, ``wasted``: of
    one workgroup, as followed; ``low``, ``high``: between which ends lies what the conflict counter
    adds, ``high`` None for no end. ``assumed``: the part of ``wasted`` under rules that nobody
    knows. ``ways``, ``worst``, ``why``: of its worst access, which it is, and why it conflicts;
    ``line`` of ``source``: where that stands, of ``file`` if that is "", and 0 for nowhere.
    ``left``: what stands between the numbers and a promise; ``notes``: what was taken for granted.
    ``reasons``: why the rest is open; ``openers``: what giving facts of the launch was seen to
    answer. ``copies``: where else it stands. ``member``: the end of
    ``file`` that says where in a library it stands.
    """

    name: str
    file: str
    target: str
    threads: tuple[int, int, int] | None
    lds_bytes: int
    accesses: int
    answered: int
    passes: int
    ideal: int
    wasted: int
    low: int
    high: int | None
    assumed: int
    conflict: Sureness
    ways: int = 1
    worst: str = ""
    why: str = ""
    source: str = ""
    line: int = 0
    left: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    reasons: tuple[OpenReason, ...] = ()
    openers: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    member: str = ""

    @property
    def called(self) -> str:
        """Its name in one line: spelled, without parameters."""
        return short(self.name)

    @property
    def extra(self) -> Bound:
        """What the conflict counter adds for one workgroup."""
        return Bound(self.low, self.high)

    @property
    def open(self) -> int:
        """How many of its accesses have no number."""
        return self.accesses - self.answered

    @property
    def by_data(self) -> int:
        """How many of its accesses have no number because a value of memory decides where."""
        return sum(one.accesses for one in self.reasons if _DATA.search(one.reason))

    @property
    def enough(self) -> bool:
        """Whether 90 % of the accesses that something else than data decides carry a number."""
        decided = self.accesses - self.by_data
        whole = self.accesses or not self.reasons
        return bool(whole) and 10 * self.answered >= 9 * decided

    @property
    def where(self) -> str:
        """Its worst access with the line that it stands in."""
        if not self.line:
            return self.worst
        place = f"{self.source}:{self.line}" if self.source else f"line {self.line}"
        return f"{self.worst} ({place})"

    @property
    def accounted(self) -> bool:
        """Whether everything of it is answered, by rules that are known."""
        return not (self.open or self.left or self.reasons)

    def as_row(self) -> dict[str, Any]:
        """What a store keeps: :func:`kernel_of_row` reads it."""
        row = structs.asdict(self)
        return row | {"reasons": [[one.reason, one.accesses] for one in self.reasons]}


def kernel_of_row(row: dict[str, Any], **changed: Any) -> ScannedKernel:
    """The kernel of a row of JSON; ``changed``: other values of its fields."""
    row = row | {
        "threads": None if row["threads"] is None else tuple(row["threads"]),
        "reasons": tuple(OpenReason(*one) for one in row["reasons"]),
        **{name: tuple(row[name]) for name in ("left", "notes", "openers", "copies")},
    }
    return ScannedKernel(**(row | changed))


class ScanSummary(Struct, frozen=True):
    """The kernels for one GPU in numbers, each once, however often it stands there.

    ``kernels``: all; ``touching``: those with shared memory; ``answered``: those of which 90 % of
    the accesses, or more, carry a number, of those that something else than data decides.
    ``accesses``: of all, ``counted``: those with a number; ``by_data``: of the others, those whose
    address a value of memory decides.
    """

    target: str
    kernels: int
    touching: int
    answered: int
    accesses: int
    counted: int
    by_data: int

    @property
    def share(self) -> str:
        """How much is counted of what ids, constants and the launch decide: "98.7 %", cut."""
        decided = self.accesses - self.by_data
        per_mille = 1000 * self.counted // decided if decided else 1000
        return f"{per_mille // 10}.{per_mille % 10} %"


def summaries(
    kernels: Iterable[ScannedKernel], without: Mapping[str, int]
) -> tuple[ScanSummary, ...]:
    """A row for each GPU; ``without``: how many kernels for it have no shared memory."""
    by_target: dict[str, list[ScannedKernel]] = {target: [] for target in without}
    for kernel in kernels:
        by_target.setdefault(kernel.target, []).append(kernel)
    return tuple(
        ScanSummary(
            target=target,
            kernels=len(found) + without.get(target, 0),
            touching=len(found),
            answered=sum(k.enough for k in found),
            accesses=sum(k.accesses for k in found),
            counted=sum(k.answered for k in found),
            by_data=sum(k.by_data for k in found),
        )
        for target, found in sorted(by_target.items())
    )


@printed("bankwise.show.scanning:print_scan", line=-1)
class ScanReport(Struct, frozen=True):
    """A scan that has ended, or was ended.

    ``kernels``: with shared memory, each once, the worst first; ``without``: how many have none.
    ``files``: that were read; ``broken``: what could not be. ``unfinished``: why it was ended, ""
    if it was not; ``waiting``: kernels that were left. ``resumed``: cases that an earlier run did.
    ``hidden``: kernels that were not asked for (--top, --min-extra); ``summary`` has those, too.
    """

    paths: tuple[str, ...]
    store: str
    kernels: tuple[ScannedKernel, ...]
    without: int
    files: int
    broken: tuple[Refusal, ...]
    unfinished: str = ""
    waiting: int = 0
    resumed: int = 0
    hidden: int = 0
    summary: tuple[ScanSummary, ...] = ()

    @property
    def accesses(self) -> tuple[int, int, int]:
        """Of all kernels: those that are answered, all, and those that data decides."""
        rows = [(one.counted, one.accesses, one.by_data) for one in self.summary]
        counted, every, by_data = map(sum, zip((0, 0, 0), *rows, strict=True))
        return counted, every, by_data

    @property
    def nothing_read(self) -> bool:
        """Whether there is nothing but what could not be read."""
        return bool(self.broken) and not (self.kernels or self.without or self.hidden)

    @property
    def exit_code(self) -> int:
        """1 a kernel surely conflicts; 3 something is possible, assumed or open, or the scan was
        ended; 2 nothing could be read."""
        doubts = any(not k.accounted or k.conflict == "possible" for k in self.kernels)
        return exit_code(
            failed=self.nothing_read,
            findings=any(k.conflict == "sure" for k in self.kernels),
            incomplete=doubts or bool(self.broken or self.unfinished),
        )


def ranked(kernels: Iterable[ScannedKernel]) -> tuple[ScannedKernel, ...]:
    """Those that surely conflict first, then those that may, each by wasted passes."""
    return tuple(sorted(kernels, key=_rank))


def _rank(kernel: ScannedKernel) -> tuple[int, int, int, str, str]:
    sure = -SURENESS.index(kernel.conflict)
    return sure, -kernel.wasted, -kernel.open, kernel.file, kernel.name


def print_scan(report: ScanReport, console: Console, top: int = 0) -> None:
    """A line a kernel, at most ``top`` if that is not 0; why the rest is open; a last line."""
    shown = report.kernels[:top] if top else report.kernels
    if shown:
        _print_table(shown, console)
        console.print()
    if len(shown) < len(report.kernels):
        console.print(f"[dim]and {len(report.kernels) - len(shown)} more kernels[/]")
    _print_reasons(report, console)
    for refusal in report.broken[:_SHOWN]:
        console.print(f"[yellow]not read:[/] {escape(str(refusal))}")
    if len(report.broken) > _SHOWN:
        console.print(f"[yellow]and {len(report.broken) - _SHOWN} more that are not read[/]")
    if report.summary:
        table(console, SUMMARY_TITLES, [summary_cells(row) for row in report.summary], whole=True)
        console.print()
    console.print(escape(summary(report)))


_TITLES = ("extra/wg", "ways", "passes", "ideal", "answered", "LDS bytes", "target")


def _print_table(kernels: Sequence[ScannedKernel], console: Console) -> None:
    rows, colours = [], []
    for k in kernels:
        counts = (f"{k.ways}", f"{k.passes:,}", f"{k.ideal:,}") if k.passes else ("", "", "")
        cells = (extra_text(k), *counts, f"{k.answered:,} / {k.accesses:,}", f"{k.lds_bytes:,}")
        many = f" x{len(k.copies) + 1}" if k.copies else ""
        worst = k.where or why_open(k)
        rows.append([*cells, k.target, f"{k.called}{many}" + (f": {worst}" if worst else "")])
        colours.append(COLOURS[k.conflict] if k.accounted or k.conflict != "none" else "yellow")
    titles = (*_TITLES, "kernel: worst, or what is open")
    table(console, titles, rows, colours, whole=True)


SUMMARY_TITLES = (
    *("target", "kernels", "with LDS", "answered", "accesses", "counted", "by data"),
    "of the rest",
)
"""Of the table of :class:`ScanSummary`."""


def summary_cells(row: ScanSummary) -> tuple[str, ...]:
    """A row of that table."""
    numbers = (row.kernels, row.touching, row.answered, row.accesses, row.counted, row.by_data)
    return row.target or "any", *(f"{n:,}" for n in numbers), row.share


def extra_text(kernel: ScannedKernel) -> str:
    """What the counter adds for one workgroup, in a column: "64"; "21 to 832"; where there is no
    upper end, "64 as followed"."""
    if not kernel.passes:
        return "unknown"
    if kernel.high is None:
        return f"{kernel.wasted:,} as followed"
    return cell(kernel.extra)


def why_open(kernel: ScannedKernel) -> str:
    """What would open the rest of a kernel, or what its numbers rest on; "" if nothing."""
    if kernel.openers and kernel.open:
        return kernel.openers[0]
    if kernel.reasons:
        first = max(kernel.reasons, key=lambda one: one.accesses)
        return f"{first.accesses} open: {first.reason}" if first.accesses else first.reason
    return "; ".join(kernel.left)


def _print_reasons(report: ScanReport, console: Console) -> None:
    """What would open most, over all kernels."""
    found: dict[str, list[int]] = {}
    for kernel in report.kernels:
        for one in kernel.reasons:
            found.setdefault(one.reason, []).append(one.accesses)
    by_worth = sorted(found.items(), key=lambda item: (-sum(item[1]), item[0]))
    for reason, counts in by_worth[:_SHOWN]:
        console.print(
            f"[yellow]open:[/] {several(sum(counts), 'access')} of "
            f"{several(len(counts), 'kernel')}: {escape(reason)}"
        )
    if len(by_worth) > _SHOWN:
        console.print(
            f"[yellow]and {len(by_worth) - _SHOWN} more reasons[/] [dim](--format json)[/]"
        )


def summary(report: ScanReport) -> str:
    """The last line."""
    kernels = report.kernels
    sure, possible = (sum(k.conflict == s for k in kernels) for s in ("sure", "possible"))
    answered, accesses, by_data = report.accesses
    parts = [
        f"{several(len(kernels), 'kernel')} with shared memory of {several(report.files, 'file')}: "
        f"{sure:,} conflict, {possible:,} may",
        f"{answered:,} of {accesses:,} accesses answered"
        + (f", data decides {by_data:,}" if by_data else ""),
    ]
    if report.without:
        parts.append(f"{several(report.without, 'kernel')} without shared memory")
    if report.resumed:
        parts.append(f"{report.resumed:,} answers of {report.store}")
    if report.hidden:
        parts.append(f"{report.hidden:,} hidden by --min-extra")
    if report.broken:
        parts.append(f"{len(report.broken):,} not read")
    if report.unfinished:
        parts.append(f"unfinished ({report.unfinished}): the same command goes on")
    return "; ".join(parts)
