"""The cost of an emitted kernel: values and terminal text.

Of PTX only sizes are read: the order of its instructions is not that of the machine's.
"""

from __future__ import annotations

from msgspec import Struct

from bankwise.cost.bound import Busy
from bankwise.cost.issue import CLAIM
from bankwise.cost.mix import InstructionCount
from bankwise.cost.waits import Waits
from bankwise.counting.cost import Cost
from bankwise.hardware.occupancy import Occupancy, Usage
from bankwise.show.columns import Console, say, table
from bankwise.show.notebook import printed
from bankwise.show.plain import escape
from bankwise.show.words import extra_passes


@printed("bankwise.show.costing:print_cost")
class KernelCost(Struct, frozen=True):
    """One kernel. ``executed``: LDS instructions of all waves of one workgroup, and ``trips``, how
    often its loops run: None where the emitted loops cannot be matched with the IR. ``run``: passes
    of one workgroup. ``issue_cycles``: of its LDS instructions, by the rule of
    :mod:`bankwise.cost.issue`; None where that says nothing. ``compiler``: whose code it is, by
    name and release; ``open``: the rules that nobody knows, or that are assumed, on which the
    passes rest, in words."""

    kernel: str
    target: str
    occupancy: Occupancy
    usage: Usage
    mix: tuple[InstructionCount, ...]
    trips: int | None
    executed: int | None
    run: Cost
    waits: Waits
    busy: Busy | None
    issue_cycles: int | None
    grid: tuple[int, int, int] | None
    compiler: str = ""
    open: tuple[str, ...] = ()

    @property
    def workgroups(self) -> int | None:
        """Workgroups of the launch, None if the grid is unknown."""
        return None if self.grid is None else self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def extra_per_instruction(self) -> float | None:
        """Conflict cycles for each executed LDS instruction."""
        return self.run.extra / self.executed if self.executed else None


def print_cost(cost: KernelCost, console: Console) -> None:
    """Print the cost of one kernel."""
    console.print(f"[bold]{escape(cost.kernel)}[/] on {cost.target}: {cost.occupancy}")
    if cost.compiler:
        say(console, f"as {escape(cost.compiler)} emits it; passes by the text", "  ", "    ")
    if cost.mix:
        _print_mix(cost, console)
    console.print(f"  {_conflicts(cost)}")
    for rule in cost.open:
        say(console, rule, "  ", "    ", style="yellow")
    if cost.waits.matrix:
        console.print(f"  {cost.waits}")
    if cost.issue_cycles is not None:
        said = f"{CLAIM.evidence}, {CLAIM.confidence:.0%}: {', '.join(CLAIM.source)}"
        console.print(f"  LDS ports busy for {cost.issue_cycles:,} cycles [dim]({escape(said)})[/]")
    if cost.busy is not None:
        console.print(f"  {cost.busy}")


def _print_mix(cost: KernelCost, console: Console) -> None:
    rows = [
        [
            *(f"{use.outside}", f"{use.inside}"),
            "unknown" if cost.trips is None else f"{use.executed(cost.trips):,}",
            use.name,
        ]
        for use in cost.mix
    ]
    titles = ("outside loops", "in loops", "executed by a wave", "LDS instruction")
    table(console, titles, rows, whole=True)


def _conflicts(cost: KernelCost) -> str:
    if cost.extra_per_instruction is None:
        return f"{extra_passes(cost.run.extra)} per workgroup"
    return (
        f"{extra_passes(cost.run.extra)} / {cost.executed:,} LDS instructions per workgroup = "
        f"{cost.extra_per_instruction:.2f} conflicts per instruction"
    )
