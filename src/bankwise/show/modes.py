"""The canonical layouts of a tile as tables: what each costs, and what to paste for it."""

from __future__ import annotations

from collections.abc import Sequence

from bankwise.show.columns import Console, paste, table
from bankwise.show.plain import escape
from bankwise.solver.modes import ModePlan
from bankwise.solver.plan import Plan, number


def print_modes(modes: Sequence[ModePlan], best: Plan | None, console: Console) -> None:
    """Passes of every access and rows of every copy by mode; then the words of those that hold.

    ``best``: of the mode that was chosen, which is marked.
    """
    console.print()
    _print_costs(modes, best, console)
    for reason, refused in _reasons(modes).items():
        console.print(f"  [dim]not {escape(', '.join(refused))}: {escape(reason)}[/]")
    if any(one.operands for one in modes):
        console.print()
        _print_words(modes, best, console)
    for one in modes:
        if best is not None and one.plan is not None and one.plan.layout == best.layout:
            for words in one.operands:
                starts = ", ".join(f"{start:,}" for start in words.starts)
                console.print(f"  {escape(words.name)}: starts along K at bytes {starts}")
                console.print(f"    {escape(words.tiled)}", soft_wrap=True)
            for copy in one.boxes:
                outer, inner = copy.box
                console.print(
                    f"  {escape(copy.name)}: {copy.boxes} x box [{inner}, {outer}], "
                    f"{one.tensor_map_swizzle}, {copy.tensor_map_type}"
                )
            if one.triton:
                paste(console, one.triton, "  triton:")


def _print_costs(modes: Sequence[ModePlan], best: Plan | None, console: Console) -> None:
    uses = next((one.plan.cost.uses for one in modes if one.plan is not None), ())
    rows = []
    for one in modes:
        head = [_marked(one, best), one.inner, one.blocks and f"along {one.blocks}"]
        if one.plan is None:
            rows.append([*head, "-", *("" for _ in uses), ""])
            continue
        passes = [number(use.passes) for use in one.plan.cost.uses]
        copies = (f"{c.name} {_rows(c.rows, c.row_bytes, c.cycles)}" for c in one.boxes)
        rows.append([*head, number(one.plan.passes), *passes, "; ".join(copies)])
    copied = "copies: rows, cycles" if any(row[-1] for row in rows) else ""
    titles = ("mode", "inner", "blocks", "passes", *(use.name for use in uses), copied)
    table(console, titles, rows, whole=True)


def _reasons(modes: Sequence[ModePlan]) -> dict[str, list[str]]:
    """Why modes are not taken, each reason with its modes."""
    found: dict[str, list[str]] = {}
    for one in modes:
        if one.plan is None:
            named = f"{one.mode.name} ({one.inner})"
            mine = found.setdefault(one.reason, [])
            mine += [] if named in mine else [named]
    return found


def _rows(rows: int, row_bytes: int, cycles: float | None) -> str:
    spent = "cycles not known" if cycles is None else f"{cycles:,.0f} cycles"
    return f"{rows:,} x {row_bytes} B, {spent}"


def _print_words(modes: Sequence[ModePlan], best: Plan | None, console: Console) -> None:
    rows = [
        [
            *(f"{_marked(one, best)} {one.blocks}", words.name),
            *(f"{words.leading_bytes:,}", f"{words.stride_bytes:,}", f"{words.bits:#018x}"),
            words.atom,
        ]
        for one in modes
        for words in one.operands
    ]
    titles = ("to paste", "operand", "LBO", "SBO", "descriptor", "CuTe")
    table(console, titles, rows, whole=True)


def _marked(one: ModePlan, best: Plan | None) -> str:
    same = best is not None and one.plan is not None and one.plan.layout == best.layout
    return f"{one.mode.name} *" if same else one.mode.name
