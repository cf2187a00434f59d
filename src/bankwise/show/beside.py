"""A prediction beside a profile: predicted, measured, difference, likely cause."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from bankwise.counting.cost import Cost
from bankwise.errors import Location
from bankwise.read.names import short
from bankwise.show.columns import Console, say, table
from bankwise.show.worth import Worth

AS_PREDICTED = "as predicted"
"""The cause where there is no difference."""


class CounterRow(Struct, frozen=True):
    """One counter. ``predicted``: None where nobody knows how often things run, unless it is 0 all
    the same; ``per_workgroup``: the prediction for one workgroup, ``assumed``: its part by rules
    that are unknown. ``cause``: why measured and predicted may differ, or that they agree.
    ``exact``: it counts shared memory alone, so a difference is one of the prediction.
    """

    what: str
    counter: str
    exact: bool
    per_workgroup: int
    assumed: int
    predicted: int | None
    measured: float
    cause: str

    @property
    def difference(self) -> float | None:
        """Measured less predicted."""
        return None if self.predicted is None else self.measured - self.predicted


class InstructionRow(Struct, frozen=True):
    """One instruction: in the checked text (``location``) and in the profile (``address``).

    ``predicted`` and ``measured``: of all its executions in the profile.
    """

    location: Location
    instruction: str
    address: int
    text: str
    source: str
    predicted: Cost
    measured: Cost
    cause: str


class KernelBeside(Struct, frozen=True):
    """One kernel of the check and its launches in the profile.

    ``workgroups``: of all these launches, None if unknown; ``scale``: how that is known.
    ``each``: what ``per_workgroup`` of its rows is of, where nobody knows the passes of one.
    ``other_code``: the kinds of instructions of which the machine code that was counted here and
    that of the profile have not equally many, in words. ``refuted``: why counters that are not
    exact are not of what was counted all the same, in words. ``partly``: nothing but what never
    conflicts is predicted, which may refute and confirms nothing.
    """

    kernel: str
    measured_as: str
    launches: int
    workgroups: int | None
    scale: str
    rows: tuple[CounterRow, ...]
    instructions: tuple[InstructionRow, ...]
    worth: Worth | None
    notes: tuple[str, ...]
    each: str = "workgroup"
    other_code: tuple[str, ...] = ()
    refuted: str = ""
    partly: bool = False

    @property
    def contradicted(self) -> str:
        """Why the profile is not of what was counted, in words; empty where it may be."""
        if self.other_code:
            return "the code that was measured has other instructions of shared memory"
        if self.agrees is not False or self.refuted:
            return self.refuted
        return f"the {'instructions' if self.instructions else 'counters'} were not as predicted"

    @property
    def agrees(self) -> bool | None:
        """Whether everything that can be compared agrees; None where that cannot be said.

        Instructions and exact counters decide alone: the other counters of a whole kernel also
        count what is no conflict, so that they can confirm a prediction, and refute it only where
        it is said why.
        """
        if self.other_code:
            return False
        if self.instructions:
            return all(row.predicted == row.measured for row in self.instructions)
        known = [row for row in self.rows if row.predicted is not None]
        known = [row for row in known if not row.assumed]
        exact = [row for row in known if row.exact]
        alike = all(row.difference == 0 for row in exact or known)
        if exact and not alike:
            return False
        if known and alike:
            return None if self.partly else True
        return False if known and self.refuted else None


class Beside(Struct, frozen=True):
    """The whole comparison. ``notes``: what was not matched, and what the reader did."""

    file: str
    tool: str
    kernels: tuple[KernelBeside, ...]
    notes: tuple[str, ...]

    @property
    def contradicted(self) -> bool:
        """Whether the profile of a kernel is not of what was counted."""
        return any(kernel.contradicted for kernel in self.kernels)


def print_beside(beside: Beside, console: Console) -> None:
    """Print the comparison below a check."""
    say(console, f"{beside.file} ({beside.tool})", "beside ", style="bold")
    for note in beside.notes:
        say(console, note, "note: ", style="dim")
    for kernel in beside.kernels:
        _print_kernel(kernel, console)


def _print_kernel(kernel: KernelBeside, console: Console) -> None:
    groups = "unknown" if kernel.workgroups is None else f"{kernel.workgroups:,}"
    launches = "1 launch" if kernel.launches == 1 else f"{kernel.launches:,} launches"
    console.print()
    say(console, f"{short(kernel.kernel)}: {launches}, {groups} workgroups ({kernel.scale})")
    _print_rows(
        ("counter",),
        [([r.what], _counted(r, kernel.each), r.cause, r.counter) for r in kernel.rows],
        console,
    )
    _print_rows(
        ("place", "instruction", "in the profile"),
        [_instruction(row) for row in kernel.instructions],
        console,
    )
    if kernel.worth is not None and not kernel.contradicted:
        say(console, str(kernel.worth), "  ")
    for note in kernel.notes:
        say(console, note, "note: ", style="dim")
    if kernel.contradicted:
        why = f"{short(kernel.kernel)}: {kernel.contradicted}"
        what = f"{why}; check the text and the launch that were profiled"
        say(console, what, "the profile contradicts: ", "  ", style="yellow")


_Row = tuple[list[str], tuple[str, float, float | None], str, str]
"""What is compared, its prediction in words, its measurement, the difference, the likely cause, and
the name under which the cause is told."""


def _counted(row: CounterRow, each: str) -> tuple[str, float, float | None]:
    predicted = f"{row.per_workgroup:,} a {each.split()[0]}"
    if row.predicted is not None:
        predicted = f"{row.predicted:,}" + (" (assumed)" if row.assumed else "")
    return predicted, row.measured, row.difference


def _instruction(row: InstructionRow) -> _Row:
    place = f"{row.location.line}" + (f" ({row.source})" if row.source else "")
    address = f"{row.address:#x}"
    predicted, measured = row.predicted.extra, row.measured.extra
    told = f"{predicted:,}", measured, measured - predicted
    return [place, row.instruction, f"{address} {row.text}"], told, row.cause, address


def _told(value: float, sign: str = "") -> str:
    """A count; a mean of several runs may be no whole number."""
    return f"{value:{sign},.0f}" if float(value).is_integer() else f"{value:{sign},.2f}"


def _print_rows(titles: Sequence[str], rows: Sequence[_Row], console: Console) -> None:
    """The numbers, all extra passes of instructions; below them each cause once, and of what."""
    if not rows:
        return
    cells, colours, causes = [], [], dict[str, list[str]]()
    for what, (predicted, measured, difference), cause, name in rows:
        told = "-" if difference is None else _told(difference, "+") if difference else "0"
        cells.append([predicted, _told(measured), told, *what])
        colours.append("red" if difference else "green" if difference == 0 else "")
        causes.setdefault(cause, []).append(name)
    table(console, ["predicted", "measured", "difference", *titles], cells, colours)
    for cause, names in causes.items():
        alike = cause == AS_PREDICTED and len(names) == len(rows)
        said = "all" if alike else ", ".join(dict.fromkeys(names))
        say(console, f"{said}: {cause}", "  ", "    ")
