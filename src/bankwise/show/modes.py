"""The canonical layouts of a tile as tables: what each costs, and what to paste for it."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bankwise.solver.modes import ModePlan
from bankwise.solver.plan import Plan, number


def print_modes(modes: Sequence[ModePlan], best: Plan | None, console: Console) -> None:
    """Passes of every access and rows of every copy by mode; then the words of those that hold.

    ``best``: of the mode that was chosen, which is marked.
    """
    console.print(_costs(modes, best))
    for reason, refused in _reasons(modes).items():
        console.print(f"  [dim]not {escape(', '.join(refused))}: {escape(reason)}[/]")
    if any(one.operands for one in modes):
        console.print(_words(modes, best))
    for one in modes:
        if best is not None and one.plan is not None and one.plan.layout == best.layout:
            for words in one.operands:
                starts = ", ".join(f"{start:,}" for start in words.starts)
                console.print(f"  {escape(words.name)}: starts along K at bytes {starts}")
                console.print(f"    {escape(words.tiled)}")
            for copy in one.boxes:
                outer, inner = copy.box
                console.print(
                    f"  {escape(copy.name)}: {copy.boxes} x box [{inner}, {outer}], "
                    f"{one.tensor_map_swizzle}, {copy.tensor_map_type}"
                )
            if one.triton:
                console.print(f"  {escape(one.triton)}")


def _table(*titles: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in titles:
        table.add_column(title, overflow="fold")
    return table


def _costs(modes: Sequence[ModePlan], best: Plan | None) -> Table:
    uses = next((one.plan.cost.uses for one in modes if one.plan is not None), ())
    copies = next((one.boxes for one in modes if one.plan is not None), ())
    named = [f"{copy.name}: rows, cycles" for copy in copies]
    table = _table("mode", "inner", "blocks", "passes", *(u.name for u in uses), *named)
    for one in modes:
        head = [_marked(one, best), one.inner, one.blocks and f"along {one.blocks}"]
        if one.plan is None:
            table.add_row(*map(escape, head), "-")
            continue
        passes = [number(use.passes) for use in one.plan.cost.uses]
        rows = [_rows(copy.rows, copy.row_bytes, copy.cycles) for copy in one.boxes]
        table.add_row(*map(escape, head), number(one.plan.passes), *passes, *rows)
    return table


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


def _words(modes: Sequence[ModePlan], best: Plan | None) -> Table:
    table = _table("to paste", "operand", "LBO", "SBO", "descriptor", "CuTe")
    for one in modes:
        for words in one.operands:
            table.add_row(
                f"{_marked(one, best)} {escape(one.blocks)}",
                escape(words.name),
                f"{words.leading_bytes:,}",
                f"{words.stride_bytes:,}",
                f"{words.bits:#018x}",
                escape(words.atom),
            )
    return table


def _marked(one: ModePlan, best: Plan | None) -> str:
    same = best is not None and one.plan is not None and one.plan.layout == best.layout
    return f"{one.mode.name} *" if same else one.mode.name
