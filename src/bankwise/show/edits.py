"""A fix as an editor applies it: which lines become which, and where that helps."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from msgspec import Struct

from bankwise.read.names import short_each, variables
from bankwise.show.fixing import FixReport, pairs
from bankwise.show.patch import lines_of, opcodes


class LinesEdit(Struct, frozen=True):
    """The lines from ``first`` up to ``end``, from 0, become ``text``, with its line ends."""

    first: int
    end: int
    text: str


def line_edits(before: str, after: str) -> Iterator[LinesEdit]:
    """What makes one text of the other. Only a newline ends a line."""
    old, new = lines_of(before), lines_of(after)
    for tag, i, j, k, m in opcodes(old, new):
        if tag != "equal":
            yield LinesEdit(i, j, "".join(new[k:m]))


def digest(text: str) -> str:
    """What tells whether a text is still the one that was fixed."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def proved(report: FixReport) -> bool:
    """Whether there is a change, proved, that no judge rejected."""
    said = [v.status for v in report.verdicts if v.judge == "proof"]
    return report.accepted and bool(said) and set(said) == {"passed"}


def title(report: FixReport) -> str:
    """What the change does and who judged it, in one line."""
    names = dict.fromkeys(name for change in report.changes for name in change.allocations)
    before = sum(change.before.passes for change in report.changes)
    after = sum(change.after.passes for change in report.changes)
    judged = ", ".join(f"{v.judge} {v.status}{_part(v.complete)}" for v in report.verdicts)
    sure = all(kernel.counted for kernel in report.after.kernels)
    gain = f"{before:,} -> {after:,} passes {'a workgroup' if sure else 'as followed'}"
    return f"bankwise: another layout of {variables(names)}: {gain} ({judged})"


def _part(complete: bool) -> str:
    return "" if complete else " in part"


def changes(report: FixReport) -> Iterator[str]:
    """Each change in a line."""
    for one in report.changes:
        names = variables(one.allocations)
        yield f"{short_each(one.kernel)}: {names}: {one.address}"


def helped(report: FixReport) -> tuple[tuple[str, int], ...]:
    """The lines, by file and number, whose accesses have fewer conflicts behind the change."""
    better = (old.location for old, new in pairs(report) if new.run.extra < old.run.extra)
    return tuple(dict.fromkeys((at.file, at.line) for at in better))
