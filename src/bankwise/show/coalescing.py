"""The report of ``bankwise coalesce``, and its printing."""

from __future__ import annotations

from msgspec import Struct

from bankwise.counting.coalesce import CacheSwizzle
from bankwise.errors import Location, Refusal, exit_code
from bankwise.hardware.machine import machine
from bankwise.show.columns import Console, say, table
from bankwise.show.notebook import printed
from bankwise.show.plain import escape
from bankwise.show.values import Finding


class Sets(Struct, frozen=True):
    """``hit[i]``: the tile's lines in L1 set i; ``of_rows``: sets that a walk over rows reaches."""

    hit: tuple[int, ...]
    of_rows: int


class CoalesceRow(Struct, frozen=True):
    """One global access. ``lines`` and ``straddling``: (least, most) over all its instructions.

    ``instructions``: per wave. ``least``: the fewest lines that hold what one of them wants.
    ``useful_bytes`` and ``fetched_bytes``: of all waves. ``pitch_bytes``: from one row of the tile
    to the next.
    """

    location: Location
    name: str
    op: str
    waves: int
    instructions: int
    width_bytes: int
    line_bytes: int
    lines: tuple[int, int]
    least: int
    useful_bytes: int
    fetched_bytes: int
    straddling: tuple[int, int]
    lanes: int
    pitch_bytes: int
    sets: Sets | None
    descriptor: CacheSwizzle | Refusal | None

    @property
    def efficiency(self) -> float:
        """Useful over fetched bytes."""
        return self.useful_bytes / self.fetched_bytes if self.fetched_bytes else 1.0

    @property
    def coalesced(self) -> bool:
        """Whether no instruction could do with fewer lines."""
        return self.lines[1] <= self.least

    @property
    def rule(self) -> str:
        """What is wrong with it; empty if nothing."""
        if self.coalesced:
            return ""
        return "misaligned-lines" if self.lines[1] <= self.least + 1 else "uncoalesced"


@printed("bankwise.show.coalescing:print_coalesce")
class CoalesceReport(Struct, frozen=True):
    """The answer of ``bankwise coalesce``."""

    file: str
    title: str
    machine: str
    rows: tuple[CoalesceRow, ...]
    findings: tuple[Finding, ...]
    refusals: tuple[Refusal, ...]

    @property
    def exit_code(self) -> int:
        """0 all coalesced, 1 not, 3 nothing wrong found but not everything counted."""
        findings = bool(self.findings) or any(row.rule for row in self.rows)
        return exit_code(findings=findings, incomplete=bool(self.refusals))


_SECTOR_BYTES = 32
"""A transaction of NVIDIA."""


def print_coalesce(report: CoalesceReport, console: Console) -> None:
    """Print the answer of ``bankwise coalesce``."""
    console.print(f"[bold]{escape(report.title)}[/] on {report.machine}, global memory")
    if report.rows:
        say(console, _counted_in(report), style="dim")
        _print_table(report, console)
        console.print()
    for row in report.rows:
        _print_notes(row, console)
    for finding in report.findings:
        place = escape(str(finding.location))
        console.print(f"[red]{place}: {finding.rule}:[/] {escape(finding.message)}")
    for refusal in report.refusals:
        console.print(f"[yellow]not analysed:[/] {escape(str(refusal))}")


def _counted_in(report: CoalesceReport) -> str:
    """What the transactions are, and the lines of the first cache where these are others."""
    size, facts = report.rows[0].line_bytes, machine(report.machine).facts
    if size == _SECTOR_BYTES:
        return f"counted in sectors of {size} bytes"
    known = facts.get("l1_line_bytes")
    more = f"; a line of the L1 has {known.value}" if known and known.value != size else ""
    return f"counted in lines of {size} bytes, as in CK's model of coalescing{more}"


def _print_table(report: CoalesceReport, console: Console) -> None:
    unit = "sectors" if report.rows[0].line_bytes == _SECTOR_BYTES else "lines"
    rows = [
        [
            *(str(row.location.line), _span(row.lines), str(row.least)),
            *(f"{row.useful_bytes:,}", f"{row.fetched_bytes:,}", f"{row.efficiency:.1%}"),
            f"{row.op} {row.name}: {row.instructions} x {row.width_bytes} bytes per lane",
        ]
        for row in report.rows
    ]
    colours = ["green" if row.coalesced else "red" for row in report.rows]
    titles = ("line", f"{unit} each", "needed", "useful", "fetched", "efficiency")
    table(console, (*titles, "access: instructions per wave"), rows, colours, whole=True)


def _span(counts: tuple[int, int]) -> str:
    least, most = counts
    return str(most) if least == most else f"{least} to {most}"


def _print_notes(row: CoalesceRow, console: Console) -> None:
    name = escape(row.name)
    if row.straddling[1]:
        console.print(f"  {name}: {row.straddling[1]} of {row.lanes} lanes straddle two lines")
    if row.sets is not None:
        hit = " ".join(map(str, row.sets.hit))
        console.print(
            f"  {name}: rows {row.pitch_bytes:,} bytes apart reach {row.sets.of_rows} of "
            f"{len(row.sets.hit)} L1 sets; the tile's lines by set: {hit}"
        )
    if isinstance(row.descriptor, Refusal):
        console.print(f"  {name}: [yellow]no cache swizzle:[/] {escape(row.descriptor.reason)}")
    elif row.descriptor is not None:
        console.print(
            f"  {name}: cacheSwizzleStride({row.descriptor.immediate} : i14), "
            f"{row.descriptor.stride_bytes:,} bytes; {'; '.join(row.descriptor.notes)}"
        )
