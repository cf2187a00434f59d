"""The answer of ``bankwise probe``, for a terminal and as JSON."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from bankwise.hardware.machine import phases_text
from bankwise.lab.gpu.probe import Agreement, Disagreement
from bankwise.lab.gpu.propose import Proposed

_SHOWN = 5
"""Disagreements printed in full."""


def probe_document(found: Agreement) -> dict[str, Any]:
    """``bankwise.probe/1``."""
    return {
        "schema": "bankwise.probe/1",
        "machine": found.machine,
        "measured": found.measured,
        "instructions": [
            {"instruction": t.instruction, "measured": t.measured, "agreeing": t.agreeing}
            for t in found.tallies
        ],
        "disagreements": [_disagreement(d) for d in found.disagreements],
    }


def _disagreement(d: Disagreement) -> dict[str, Any]:
    return {
        "instruction": d.case.instruction,
        "offsets_bytes": d.case.offsets_bytes.tolist(),
        "active": d.case.active.astype(int).tolist(),
        "predicted": {"passes": d.predicted_passes, "extra": d.predicted_extra},
        "measured": {"passes": d.measured_passes, "extra": d.measured_extra},
    }


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


def proposal_document(machine: str, rows: tuple[Proposed, ...], text: str) -> dict[str, Any]:
    """``bankwise.proposal/1``: what was found per instruction, and the machine file."""
    return {
        "schema": "bankwise.proposal/1",
        "machine": machine,
        "instructions": [_found(row) for row in rows],
        "toml": text,
    }


def _found(one: Proposed) -> dict[str, Any]:
    row = one.row
    return {
        "instruction": one.instruction,
        "banks": row.banks if row else None,
        "phases": [list(phase) for phase in row.phases] if row else None,
        "merge": row.merge if row else None,
        "judged": one.judged,
        "agreeing": one.agreeing,
        "same_as_file": one.same,
        "why": one.why,
    }


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
