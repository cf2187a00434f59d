"""Printing of ``bankwise explain``: one rule, or the list of all."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bankwise.show.rules import Rule


def rule_document(rule: Rule) -> dict[str, Any]:
    """``bankwise.rule/1``."""
    return {
        "schema": "bankwise.rule/1",
        "name": rule.name,
        "kind": rule.kind,
        "summary": rule.summary,
        "what": rule.what,
        "why": rule.why,
        "example": rule.example,
        "instead": rule.instead,
        "source": rule.source,
    }


def rules_document(rules: tuple[Rule, ...]) -> dict[str, Any]:
    """``bankwise.rules/1``."""
    return {"schema": "bankwise.rules/1", "rules": [rule_document(r) for r in rules]}


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
    console.print("[dim]bankwise explain NAME; bankwise explain choose SPEC.toml[/]")
