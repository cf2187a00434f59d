"""A conflict as a compiler tells what is wrong: one cause, once, with what to do about it.

kernel.cu:21:78: 32-way bank conflict: read of tile[threadIdx.x][threadIdx.y + j]
   21 |   out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
      |                               ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
      = why: lanes 0-31 of phase 0 want different words of bank 0; index
        threadIdx.x steps by 32 words, 32 mod 32 banks = 0
      = cost: 4 x LDS, 256 passes each, ideal 8; 992 extra passes a workgroup
      = help: ...
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from bankwise.counting.cost import Cost
from bankwise.counting.counted import AccessReport
from bankwise.counting.reason import Reason
from bankwise.errors import Location
from bankwise.hardware.lanes import lane_text
from bankwise.hardware.machine import machine
from bankwise.read.names import short, variables
from bankwise.show.causes import Cause
from bankwise.show.columns import Console, say, width
from bankwise.show.diagnostics import Diagnostic, inner_line, marked
from bankwise.show.own_lines import line_at, own_line, stepping
from bankwise.show.plain import escape
from bankwise.show.values import CheckReport
from bankwise.show.words import cell, doubt, extra_passes, joined

_KERNELS = 4
_PLACES = 12
_GUTTER = " " * 6
_PASS = {"amd": "on AMD a cycle of the LDS", "nvidia": "Nsight Compute calls it a wavefront"}


def print_conflict(cause: Cause, report: CheckReport, console: Console, first: bool) -> None:
    """One cause. ``first``: of an answer, whose words are explained."""
    one = diagnostic(cause, report)
    where, said = headline(one, report, width(console))
    colour = "yellow" if doubt(one.first) else "bold magenta"
    console.print(
        f"[bold]{escape(where)}:[/] [{colour}]{escape(said)}[/]", soft_wrap=True, highlight=False
    )
    if one.line.strip():
        for text in marked(one, width(console)):
            console.print(escape(text), soft_wrap=True, highlight=False)
    _print_origin(one.first.origin, console)
    for word, text in _notes(cause, one, report, first):
        begin = f"{_GUTTER}= {word}: "
        say(console, text, begin, " " * 8)


def _print_origin(at: Location | None, console: Console) -> None:
    """The author's line that a compiler names for an instruction, as far as its file is there: a
    compiler says where an expression begins, so the mark is one character where no syntax tree
    says more."""
    if at is None:
        return
    console.print(escape(f"{_GUTTER}= source: {at}"), soft_wrap=True, highlight=False)
    line = own_line(at)
    if 0 < at.column <= len(line):
        one = Diagnostic(replace(at, end_column=at.end_column or at.column + 1), line, ())
        for text in marked(one, width(console)):
            console.print(escape(text), soft_wrap=True, highlight=False)


def diagnostic(cause: Cause, report: CheckReport) -> Diagnostic:
    """A cause at the line of its first access, as far as that is known."""
    at = cause.first.location
    inner = inner_line(cause.accesses, report.source_lines)
    return Diagnostic(at, line_at(report, at), cause.accesses, inner)


def headline(one: Diagnostic, report: CheckReport, most: int) -> tuple[str, str]:
    """Where and what; what is touched is left out where it would make the line too long: it
    stands in the line below all the same."""
    where, message = str(one.location), one.message
    if (one.location.file, one.location.line) not in report.source_lines:
        names = dict.fromkeys(n for a in one.accesses for n in a.allocations)
        named = variables(name for name in names if name != one.done)
        message = f"{one.kind}: {one.done}" + (f" of {named}" if named else "")
    if len(where) + 2 + len(message) > most:
        message = f"{one.kind}: {one.done}"
    return where, message


def _notes(
    cause: Cause, one: Diagnostic, report: CheckReport, first: bool
) -> Iterator[tuple[str, str]]:
    """What stands under the line: a word, and what it introduces."""
    yield from (("why", text) for text in [why(one, report)] if text)
    many = len(report.kernels) > 1
    for name, accesses in list(one.by_kernel.items())[:_KERNELS]:
        of = f" of {short(name)}" if many else ""
        yield "cost", f"{counts(accesses, report.each(name))}{of}"
    if len(one.by_kernel) > _KERNELS:
        yield "cost", f"and in {len(one.by_kernel) - _KERNELS} more kernels"
    if first:
        vendors = dict.fromkeys(machine(k.target).vendor for k in report.kernels)
        yield "pass", "; ".join(("one turn of the banks", *(_PASS[one] for one in vendors)))
    also = "; ".join(text for text in (places(cause), authors(cause)) if text)
    yield from (("also", text) for text in [also] if text)
    said = doubt(one.first, one.by_kernel[one.first.kernel]) or joined(one.first)
    yield from (("note", text) for text in (said, cause.aside) if text)


def why(one: Diagnostic, report: CheckReport) -> str:
    """Which lanes collide, and by which term of the address, in a sentence."""
    witness, reason = one.first.witness, one.first.reason
    if witness is None:
        return ""
    if not isinstance(reason, Reason) or reason.rows_apart > 1:
        return f"{witness}" + (f"; {reason}" if reason else "")
    step = stepping(one, report, reason)
    taken = f"{reason.advance_words} mod {reason.banks} banks = {reason.residue}"
    if reason.residue:
        taken += f": the banks repeat every {reason.period} steps"
    return f"{witness}; {step} by {reason.advance_words} words, {taken}"


def counts(accesses: Sequence[AccessReport], each: str) -> str:
    """How many of which instruction, and what they cost ``each``."""
    alike = Counter(
        (a.called, a.instructions, cell(a.apiece.passes), cell(a.apiece.ideal)) for a in accesses
    )
    parts = []
    for (name, issued, passes, ideal), many in alike.items():
        times = f"{many} x {issued}" if many > 1 and issued > 1 else f"{many * issued} x"
        apiece = " each" if many > 1 else ""
        several = "es" * (passes != "1")
        parts.append(f"{times} {name}, {passes} pass{several}{apiece}, ideal {ideal}")
    run = sum((access.run for access in accesses), Cost())
    known = run.ends.extra
    followed = "" if known.exact else f" ({run.extra:,} as followed)"
    return "; ".join((*parts, f"{extra_passes(known)} {each}{followed}"))


def authors(cause: Cause) -> str:
    """The author's other lines that a compiler names for it, by the names of their files."""
    first, found = cause.first.origin, defaultdict[str, set[int]](set)
    for at in (access.origin for access in cause.accesses):
        if at is not None and first is not None and (at.file, at.line) != (first.file, first.line):
            found[at.file].add(at.line)
    said = (f"{Path(file).name}:{_several(lines)}" for file, lines in found.items())
    return f"of {'; '.join(said)}" if found else ""


def _several(lines: set[int]) -> str:
    runs = lane_text(tuple(sorted(lines))).split()
    return ", ".join((*runs[:_PLACES], *[".."] * (len(runs) > _PLACES)))


def places(cause: Cause) -> str:
    """Where else: lines of the same file as ranges, other files by name."""
    here = cause.first.location
    mine = [at for at in cause.likewise if _same_text(at, here)]
    lines = sorted({at.line for at in mine if at.line != here.line})
    runs = lane_text(tuple(lines)).split()
    found = [f"line{'s' if len(lines) > 1 else ''} {', '.join(runs[:_PLACES])}"] if lines else []
    if len(runs) > _PLACES:
        found[0] += ", .."
    beside = sorted({at.column for at in mine if at.line == here.line} - {0, here.column})
    found += [f"column{'s' if len(beside) > 1 else ''} {', '.join(map(str, beside))}"] * bool(
        beside
    )
    others = [str(at) for at in cause.likewise if not _same_text(at, here)]
    found += others[:_PLACES]
    if len(others) > _PLACES:
        found.append(f"{len(others) - _PLACES} more")
    return f"{'; '.join(found)} ({len(cause.accesses)} accesses)" if found else ""


def _same_text(at: Location, other: Location) -> bool:
    return (at.file, at.inside) == (other.file, other.inside)
