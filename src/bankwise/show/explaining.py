"""Printing of ``bankwise explain``: one rule, or the list of all."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bankwise.show.rules import Rule


def print_rule(rule: Rule, console: Console) -> None:
    """Print one rule."""
    console.print(f"[bold]{rule.name}[/] ({rule.kind}): {escape(rule.summary)}")
    for title, text in rule.sections():
        console.print(f"\n[bold]{title}[/]")
        console.print(escape(text))


def print_rules(rules: tuple[Rule, ...], console: Console) -> None:
    """Print the names and summaries of all rules, by kind."""
    for kind in dict.fromkeys(rule.kind for rule in rules):
        console.print(f"[bold]{kind}s[/]")
        table = Table.grid(padding=(0, 2))
        for rule in rules:
            if rule.kind == kind:
                table.add_row(f"  {rule.name}", escape(rule.summary))
        console.print(table)
    console.print("[dim]bankwise explain NAME; bankwise explain choose QUESTION.toml[/]")
