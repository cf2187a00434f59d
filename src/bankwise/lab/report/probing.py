"""The answer of ``bankwise probe``."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bankwise.hardware.machine import phases_text
from bankwise.lab.gpu.probe import Agreement
from bankwise.lab.gpu.propose import Proposed
from bankwise.lab.probe import KitReport

_SHOWN = 5
"""Disagreements printed in full."""


def print_probe(found: Agreement, console: Console) -> None:
    """A line per instruction, then the first disagreements."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("instruction")
    table.add_column("measured", justify="right")
    table.add_column("as predicted", justify="right")
    for tally in found.tallies:
        colour = "green" if tally.agreeing == tally.measured else "red"
        agreeing = f"[{colour}]{tally.agreeing:,}[/]"
        table.add_row(tally.instruction, f"{tally.measured:,}", agreeing)
    console.print(table)
    agreeing_in_all = found.measured - len(found.disagreements)
    console.print(
        f"{found.machine}: {agreeing_in_all:,} of {found.measured:,} accesses take the predicted "
        "passes and conflicts"
    )
    for d in found.disagreements[:_SHOWN]:
        console.print(
            f"[red]{d.case.instruction}[/]: predicted {d.predicted_passes} passes, "
            f"{d.predicted_extra} extra; measured {d.measured_passes}, {d.measured_extra}; "
            f"offsets {' '.join(map(str, d.case.offsets_bytes.tolist()))}"
        )


def print_kit(found: KitReport, console: Console) -> None:
    """What a kit settled: a line per instruction, the copies, the rows as TOML."""
    base = found.proposal.machine
    print_proposal(found.proposal.rows, base, console)
    for name, extra in found.copies:
        console.print(f"{name}: the counter adds {extra:,} for a copy in lane order")
    for note in found.notes:
        console.print(f"[dim]note: {escape(note)}[/]")
    wrong = ", ".join(row.instruction for row in found.contradicted)
    left = ", ".join(row.instruction for row in found.proposal.rows if not row.holds)
    settled = sum(row.holds for row in found.proposal.rows)
    console.print(
        f"{escape(found.device)}: {settled} of {len(found.proposal.rows)} rows are measured"
    )
    if wrong:
        console.print(f"[red]{base}.toml is contradicted[/]: {wrong}")
    if left:
        console.print(f"[yellow]still open[/]: {left}")
    console.print(found.proposal.text, markup=False, highlight=False, soft_wrap=True)


def print_proposal(rows: tuple[Proposed, ...], base: str, console: Console) -> None:
    """A line per instruction: the rule read off, and how many random accesses follow it."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("instruction", "banks", "phases", "merge", "random accesses", f"{base}.toml"):
        table.add_column(title, overflow="fold")
    for one in rows:
        row, colour = one.row, "green" if one.holds else "red"
        table.add_row(
            one.instruction,
            str(row.banks) if row else "",
            phases_text(row.phases) if row else one.why,
            row.merge if row else "",
            f"[{colour}]{one.agreeing:,} of {one.judged:,}[/]",
            "the same" if one.same else "[yellow]differs[/]",
        )
    console.print(table)
