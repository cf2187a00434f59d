"""The answer of ``bankwise probe``."""

from __future__ import annotations

from bankwise.hardware.lanes import phases_text
from bankwise.lab.gpu.probe import Agreement
from bankwise.lab.gpu.propose import Proposed
from bankwise.lab.probe import KitReport
from bankwise.show.columns import Console, table
from bankwise.show.plain import escape

_SHOWN = 5
"""Disagreements printed in full."""


def print_probe(found: Agreement, console: Console) -> None:
    """A line per instruction, then the first disagreements."""
    rows = [[f"{t.measured:,}", f"{t.agreeing:,}", t.instruction] for t in found.tallies]
    colours = ["green" if t.agreeing == t.measured else "red" for t in found.tallies]
    table(console, ("measured", "as predicted", "instruction"), rows, colours, whole=True)
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
    told = []
    for one in rows:
        row = one.row
        banks, merge = (str(row.banks), row.merge) if row else ("", "")
        phases = phases_text(row.phases) if row else one.why
        judged = f"{one.agreeing:,} of {one.judged:,}"
        same = "the same" if one.same else "differs"
        told.append([one.instruction, banks, merge, judged, same, phases])
    titles = ("instruction", "banks", "merge", "random accesses", f"{base}.toml", "phases")
    colours = ["green" if one.holds else "red" for one in rows]
    table(console, titles, told, colours, whole=True)
