"""When a check fails a build: ways, a baseline of known conflicts, the evidence of the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from bankwise.counting.counted import AccessReport
from bankwise.errors import INCOMPLETE, InputError, Location, Refusal, exit_code
from bankwise.hardware.machine import LEVELS, Evidence
from bankwise.read.names import short
from bankwise.show.causes import Cause, folded
from bankwise.show.columns import Console
from bankwise.show.conflicts import counts, diagnostic, places, why
from bankwise.show.plain import escape
from bankwise.show.saved_check import KnownConflicts
from bankwise.show.snippets import NOT_EDITED, against, effect
from bankwise.show.values import CheckReport
from bankwise.show.words import assumption, doubt, not_checked, openers, still_open

if TYPE_CHECKING:
    from bankwise.show.baseline import HeldAgainst

KNOWN = "known by the baseline"
"""Why something decides nothing."""


class Gate(Struct, frozen=True):
    """``ways``: conflicts of fewer ways pass. ``baseline``: what an earlier check knows.
    ``least``: what is counted by rules of weaker evidence neither fails nor is waited for.
    ``accept``: the places at which this check, once saved, accepts what is new; empty: all."""

    ways: int = 2
    baseline: KnownConflicts = field(default_factory=KnownConflicts)
    least: Evidence = LEVELS[-1]
    accept: tuple[str, ...] = ()

    def new(self, report: CheckReport) -> tuple[AccessReport, ...]:
        """The conflicts that fail the build, the costliest first."""
        judged = self._judged(report)
        return tuple(a for a in judged if a.run.extra > 0 and a.ways >= self.ways)

    def leaves_out(self, access: AccessReport) -> bool:
        """Whether its rule is too weak: it is told, and decides nothing."""
        return LEVELS.index(access.evidence) > LEVELS.index(self.least)

    def exit_code(self, report: CheckReport) -> int:
        """1 for a new sure conflict or another finding; else 3 if something new is only possible,
        was seen in part, rests on an assumption or is not analysed; else 0. Nothing of that is new
        if the baseline has it."""
        new = [access.conflict for access in self.new(report)]
        judged = self._judged(report)
        in_part = any(a.conflict == "possible" and not a.run.extra for a in judged)
        taken = any(a.taken or a.one_workgroup for a in judged)
        taken |= any(kernel.assumed and kernel.accesses for kernel in report.kernels)
        left = in_part or taken or bool(report.refusals)
        if left and self.baseline.saved:
            left = bool(self.held(report).new_left)
        return exit_code(
            findings="sure" in new or bool(report.findings),
            incomplete="possible" in new or left,
        )

    def _judged(self, report: CheckReport) -> list[AccessReport]:
        """What the baseline does not know, by rules of enough evidence."""
        aside = self.set_aside(report)
        return [a for a in report.accesses if id(a) not in aside]

    def set_aside(self, report: CheckReport) -> dict[int, str]:
        """Why an access decides nothing, by its ``id``."""
        known = self.held(report).known if self.baseline.saved else ()
        least = f"left out by --min-evidence {self.least}"
        weak = (a for a in report.accesses if self.leaves_out(a))
        left = {id(a): f"{least}: the rule of {a.ruled} is {a.evidence}" for a in weak}
        return {id(a): KNOWN for a in known} | left

    def held(self, report: CheckReport) -> HeldAgainst:
        """A report beside what the baseline knows."""
        from bankwise.show.baseline import held_against

        return held_against(report, self.baseline)


def said_left_out(report: CheckReport, gate: Gate) -> str:
    """What --min-evidence left out, in words; empty if nothing."""
    some = [a for a in report.accesses if gate.leaves_out(a)]
    if not some:
        return ""
    rules = dict.fromkeys(f"{a.ruled} ({a.evidence})" for a in some)
    conflicts = sum(a.run.extra > 0 for a in some)
    return (
        f"left out by --min-evidence {gate.least}: {len(some)} of {len(report.accesses)} accesses, "
        f"{conflicts} of which conflict: {', '.join(rules)}"
    )


def read_level(text: str) -> Evidence:
    """Read a level of evidence; InputError for anything else."""
    found = next((level for level in LEVELS if level == text.strip()), None)
    if found is None:
        hint = f"one of {', '.join(LEVELS)}, the surest first"
        raise InputError(f"--min-evidence {text!r} is no level of evidence", hint=hint)
    return found


def read_ways(text: str) -> int:
    """Read ``4`` or ``4-way``; InputError for anything else, or fewer than 2."""
    found = re.fullmatch(r"(\d+)(?:-way)?", text.strip())
    if found is None or int(found[1]) < 2:
        raise InputError(f"--fail-on {text!r} is not N-way", hint="for example --fail-on 4-way")
    return int(found[1])


def print_gate(report: CheckReport, gate: Gate, console: Console) -> None:
    """What the baseline knows and what the gate left out, below a check."""
    if gate.baseline.saved:
        from bankwise.show.baseline_words import said_known

        for line in said_known(gate.held(report), gate.baseline):
            console.print(f"[dim]{escape(line)}[/]")
        if gate.exit_code(report) == INCOMPLETE:
            console.print(_OPEN)
    left = said_left_out(report, gate)
    if left:
        console.print(f"[yellow]{escape(left)}[/]")


def github_annotations(report: CheckReport, gate: Gate) -> str:
    """GitHub workflow commands: an error at every new cause of conflicts and at every finding, a
    notice at a cause that is only possible and at what is open or left out. What a baseline knows
    is a line of the log: nobody has to do anything about it."""
    from bankwise.show.baseline_words import said_loudly, said_quietly, said_taken

    held = gate.held(report)
    lines = [_annotation(cause, report, held) for cause in folded(report, gate.new(report))]
    lines += [command("error", f.location, f"{f.rule}: {f.message}") for f in report.findings]
    lines += [_refused(one, report) for one in _open_refusals(report, held, gate)]
    if gate.exit_code(report):
        left_open = (*_assumed(report, held), *openers(report, held.openers))
        lines += [command("notice", place, text) for place, text in left_open]
    lines += [command("notice", place, text) for place, text in said_taken(held)]
    said = said_loudly(held) if gate.baseline.saved else ()
    told = filter(None, (*said, *not_checked(report), said_left_out(report, gate)))
    lines += [command("notice", Location(report.file), text) for text in told]
    lines += [f"{report.file}: {text}" for text in said_quietly(held, gate.baseline)]
    if gate.exit_code(report) == INCOMPLETE:
        lines.append(f"{report.file}: {_OPEN}")
    return "".join(f"{line}\n" for line in lines)


_OPEN = (
    "exit code 3: nothing wrong is found, and not everything is known; saved (by the same command "
    "with --format json) and given as --baseline, what is open is accepted"
)


def _open_refusals(report: CheckReport, held: HeldAgainst, gate: Gate) -> list[Refusal]:
    """What is not analysed; with a baseline what of it is new."""
    if not gate.baseline.saved:
        return list(report.refusals)
    at = Location(report.file)
    return [r for r in report.refusals if held.opens((r.location or at).file, r.reason)]


def _assumed(report: CheckReport, held: HeldAgainst) -> Iterator[tuple[Location, str]]:
    """What is open beside refusals, as far as it is new."""
    for kernel in report.ranked:
        mine = (left for left in still_open(kernel, 0) if held.opens_in(kernel, left))
        yield from ((kernel.location, assumption(kernel, left)) for left in mine)


def _annotation(cause: Cause, report: CheckReport, held: HeldAgainst) -> str:
    """What is wrong and why, what it costs which kernel, and what mends it."""
    from bankwise.show.baseline_words import grew

    one = diagnostic(cause, report)
    mine = one.by_kernel
    costs = "; ".join(
        f"{short(name)}: {counts(some, report.each(name))}" for name, some in mine.items()
    )
    was = held.before(cause.accesses)
    more = f"the baseline has {grew(was, cause.accesses)}" if was else ""
    also = [f"also {text}" for text in [places(cause)] if text]
    also += [f"called at {one.location}: {one.expression}"] * (one.inlined is not None)
    also += [_NO_LINE] * (not one.location.line and not one.location.inside)
    text = (
        one.message,
        why(one, report),
        costs,
        more,
        *also,
        doubt(one.first),
        *_mends(cause, report),
    )
    kind = "notice" if doubt(one.first) else "error"
    return command(kind, one.inlined or one.location, "\n".join(filter(None, text)))


def _mends(cause: Cause, report: CheckReport) -> Iterator[str]:
    """The commands that write what is against a cause; what no command writes is told, and why."""
    found = against(cause, report.snippets, report)
    by_hand = [one for one in found if not one.command]
    for one in by_hand:
        text = one.text.strip()
        apart = "\n" if "\n" in text else ""
        yield f"by hand: {one.what}: {apart}{text}{apart or '; '}{effect(one)}"
    if by_hand:
        yield from (note for note in report.notes if note.startswith(NOT_EDITED))
    yield from sorted({one.command for one in found if one.command})


_NO_LINE = "at which line is not known: the compiler names none for it"


def _refused(one: Refusal, report: CheckReport) -> str:
    place, kind = one.location or Location(report.file), "error" if one.fault else "notice"
    return command(kind, place, f"{'fault' if one.fault else 'not analysed'}: {one.reason}")


def failed_annotation(error: InputError, file: str) -> str:
    """An error where a file could not be checked."""
    text = "\n".join(filter(None, (error.message, error.hint)))
    return f"{command('error', error.location or Location(file), text)}\n"


def command(kind: str, place: Location, message: str) -> str:
    """A workflow command of GitHub: an annotation of some ``kind`` at a place, or of the run where
    it has no file or that is a folder."""
    text = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    file = place.file.replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    numbers = {"line": place.line, "col": place.column, "endColumn": place.end_column}
    at = [f"file={file}", *(f"{key}={number}" for key, number in numbers.items() if number)]
    some = at if place.file and not Path(place.file).is_dir() else []
    return f"::{kind} {','.join((*some, 'title=bankwise'))}::{text}"
