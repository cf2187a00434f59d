"""The answer of ``bankwise machines``. Needs no numpy."""

from __future__ import annotations

from collections.abc import Sequence

from bankwise.hardware.lanes import lane_text, phases_text
from bankwise.hardware.machine import Instruction, Machine
from bankwise.show.columns import Console, table
from bankwise.show.plain import escape


def print_machines(machines: Sequence[Machine], console: Console) -> None:
    """One line per machine."""
    rows = []
    for m in machines:
        known = m.instructions.values()
        measured = sum(row.evidence == "measured" for row in known)
        told = f"{measured} of {len(known)}"
        rows.append([m.name, str(m.wave_size), f"{m.lds_bytes // 1024} KiB", told, m.product])
    titles = ("target", "wave", "shared memory", "instructions measured", "product")
    table(console, titles, rows, whole=True)


def print_machine(machine: Machine, console: Console) -> None:
    """Everything known about one machine, with its evidence."""
    console.print(
        f"[bold]{machine.name}[/] {escape(machine.product)}, waves of {machine.wave_size}"
    )
    console.print(f"conflict counter: {machine.counter}")
    if machine.note:
        console.print(f"[dim]{escape(machine.note)}[/]")
    rows = []
    for row in machine.instructions.values():
        wide = f"{row.addresses} x {row.width_bytes}" if row.addresses > 1 else str(row.width_bytes)
        evidence = f"{row.evidence} {row.confidence:g}"
        told = f"{_short(row)}; {', '.join(row.source)}"
        rows.append([row.name, wide, str(row.banks), evidence, told])
    titles = ("instruction", "bytes", "banks", "evidence", "phases; source")
    table(console, titles, rows, whole=True)
    _print_disputes(machine, console)
    for key, fact in machine.facts.items():
        console.print(f"  {key} = {fact.value:,} [dim]({fact.evidence}; {escape(fact.source)})[/]")
    for key, text in machine.sources.items():
        console.print(f"  [dim]{key}: {escape(text)}[/]")


def _short(row: Instruction) -> str:
    lanes = [lane for phase in row.phases for lane in phase]
    in_turn = lanes == list(range(lanes[0], lanes[0] + len(lanes)))
    told = lane_text(row.phases[0]) if in_turn else phases_text(row.phases)
    merge = {"neighbours": ", equal pairs merge", "lines": ", pieces of a line merge"}.get(
        row.merge, ""
    )
    merge += ", lanes of a word one by one" if row.serial else ""
    return f"{len(row.phases)} x {len(row.phases[0])}: {told}{merge}"


def _print_disputes(machine: Machine, console: Console) -> None:
    for row in machine.instructions.values():
        for claim in row.alternatives:
            origin = escape(", ".join(claim.source))
            console.print(
                f"  [yellow]disputed[/] {row.name}: {escape(claim.statement)} "
                f"[dim]({origin}, {claim.evidence}, {claim.confidence:g})[/]"
            )
