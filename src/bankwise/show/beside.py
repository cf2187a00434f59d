"""A prediction beside a profile: predicted, measured, difference, likely cause."""

from __future__ import annotations

from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bankwise.counting.cost import Cost
from bankwise.errors import Location
from bankwise.show.worth import Worth


@dataclass(frozen=True, slots=True)
class CounterRow:
    """One counter. ``predicted``: None where the launch's grid is unknown; ``per_workgroup``: the
    prediction for one workgroup, ``assumed``: its part by rules that are unknown. ``cause``: why
    measured and predicted may differ, or that they agree. ``exact``: it counts shared memory alone,
    so a difference is one of the prediction.
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


@dataclass(frozen=True, slots=True)
class InstructionRow:
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


@dataclass(frozen=True, slots=True)
class KernelBeside:
    """One kernel of the check and its launches in the profile.

    ``workgroups``: of all these launches, None if unknown; ``scale``: how that is known.
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

    @property
    def agrees(self) -> bool | None:
        """Whether everything that can be compared agrees; None where that cannot be said.

        Instructions and exact counters decide alone: the other counters of a whole kernel also
        count what is no conflict, so that they can confirm a prediction, never refute it.
        """
        if self.instructions:
            return all(row.predicted == row.measured for row in self.instructions)
        known = [row for row in self.rows if row.predicted is not None]
        known = [row for row in known if not row.assumed]
        exact = [row for row in known if row.exact]
        if exact:
            return all(row.difference == 0 for row in exact)
        return True if known and all(row.difference == 0 for row in known) else None


@dataclass(frozen=True, slots=True)
class Beside:
    """The whole comparison. ``notes``: what was not matched, and what the reader did."""

    file: str
    tool: str
    kernels: tuple[KernelBeside, ...]
    notes: tuple[str, ...]


def print_beside(beside: Beside, console: Console) -> None:
    """Print the comparison below a check."""
    console.print(f"[bold]beside {escape(beside.file)}[/] ({beside.tool})")
    for note in beside.notes:
        console.print(f"[dim]note: {escape(note)}[/]")
    for kernel in beside.kernels:
        _print_kernel(kernel, console)


def _print_kernel(kernel: KernelBeside, console: Console) -> None:
    groups = "unknown" if kernel.workgroups is None else f"{kernel.workgroups:,}"
    launches = "1 launch" if kernel.launches == 1 else f"{kernel.launches:,} launches"
    console.print(
        f"[bold]{escape(kernel.kernel)}[/] = {escape(kernel.measured_as)}: "
        f"{launches}, {groups} workgroups [dim]({escape(kernel.scale)})[/]"
    )
    if kernel.rows:
        console.print(_counter_table(kernel.rows))
    if kernel.instructions:
        console.print(_instruction_table(kernel.instructions))
    if kernel.worth is not None:
        console.print(f"  {escape(str(kernel.worth))}")
    for note in kernel.notes:
        console.print(f"[dim]note: {escape(note)}[/]")


def _counter_table(rows: tuple[CounterRow, ...]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("counter", overflow="fold")
    for title in ("predicted", "measured", "difference"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("likely cause", overflow="fold")
    for row in rows:
        predicted = f"{row.per_workgroup:,} a workgroup"
        if row.predicted is not None:
            predicted = f"{row.predicted:,}" + (" (assumed)" if row.assumed else "")
        table.add_row(
            escape(f"{row.what}: {row.counter}"),
            predicted,
            f"{row.measured:,.0f}",
            _difference(row.difference),
            escape(row.cause),
        )
    return table


def _instruction_table(rows: tuple[InstructionRow, ...]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("place", "instruction", "in the profile"):
        table.add_column(title, overflow="fold")
    for title in ("predicted", "measured", "difference"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("likely cause", overflow="fold")
    for row in rows:
        place = f"{row.location.line}" + (f" ({row.source})" if row.source else "")
        table.add_row(
            place,
            row.instruction,
            escape(f"{row.address:#x} {row.text}"),
            f"{row.predicted.extra:,}",
            f"{row.measured.extra:,}",
            _difference(row.measured.extra - row.predicted.extra),
            escape(row.cause),
        )
    return table


def _difference(value: float | None) -> str:
    if value is None:
        return "-"
    return f"[{'red' if value else 'green'}]{value:+,.0f}[/]" if value else "[green]0[/]"
