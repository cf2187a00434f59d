"""The end of a check: what to write against the conflicts, to be pasted."""

from __future__ import annotations

from itertools import groupby

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from bankwise.show.values import CheckReport, Snippet

_SHOWN = 6
"""Texts that are printed; JSON has all of them."""


def print_snippets(report: CheckReport, console: Console) -> None:
    """One block for each text, behind everything else that a check says; what one command or patch
    writes together is one block."""
    found = [list(group) for _, group in groupby(report.snippets[:_SHOWN], _pasted)]
    for group in found:
        for snippet in group:
            where = f"{snippet.location}: " if snippet.location.line else ""
            title = f"{where}what to write, {snippet.language}: {snippet.what}"
            console.print(f"[bold]{escape(title)}[/]", highlight=False)
            console.print(f"  [dim]{escape(effect(snippet))}[/]", highlight=False)
            for note in snippet.notes:
                console.print(f"  [dim]{escape(note)}[/]", highlight=False)
        lines = "\n".join(f"    {line}".rstrip() for line in _pasted(group[0]).splitlines())
        console.print(Text(lines), soft_wrap=True, highlight=False)
    more = len(report.snippets) - _SHOWN
    if more > 0:
        console.print(f"[dim]and {more} more to write (--format json)[/]")


def _pasted(snippet: Snippet) -> str:
    return snippet.patch or snippet.text or snippet.command


def effect(snippet: Snippet) -> str:
    """What it does and how that is known; nothing is claimed beyond what was counted."""
    how = "counted with this text" if snippet.counted else "by the plan"
    said = f"{snippet.after:,} passes per {snippet.each} instead of {snippet.before:,}, {how}"
    if snippet.command and (snippet.text or snippet.patch):
        return f"{said}; `{snippet.command}` writes and proves it"
    return f"{said}; the command counts and proves what it writes" if snippet.command else said
