"""Printing of ``bankwise explain``: one rule or word, or the list of all."""

from __future__ import annotations

import re

from bankwise.show.columns import Console, say
from bankwise.show.nouns import Noun, nouns
from bankwise.show.plain import escape
from bankwise.show.rules import Rule

_SESSION = re.compile(r"^(```.*?^```)$", re.MULTILINE | re.DOTALL)


def print_explained(found: Rule | Noun, console: Console) -> None:
    """Print a rule or a word."""
    if isinstance(found, Noun):
        print_noun(found, console)
    else:
        print_rule(found, console)


def print_rule(rule: Rule, console: Console) -> None:
    """Print one rule."""
    console.print(f"[bold]{rule.name}[/] ({rule.kind}): {escape(rule.summary)}")
    for title, text in rule.sections():
        console.print(f"\n[bold]{title}[/]")
        for paragraph in _SESSION.split(text):
            if paragraph.startswith("```"):
                console.print(escape(paragraph), soft_wrap=True)
                continue
            for said in filter(None, map(str.strip, paragraph.split("\n\n"))):
                say(console, said)


def print_noun(noun: Noun, console: Console) -> None:
    """Print one word."""
    called = f" (also {', '.join(noun.also)})" if noun.also else ""
    say(console, f"{noun.name}{called}", rest="  ", style="bold")
    say(console, noun.meaning, "  ")
    say(console, noun.source, "  source: ", "    ", style="dim")
    if noun.rule:
        say(console, f"more: bankwise explain {noun.rule}", "  ", style="dim")


def print_rules(rules: tuple[Rule, ...], console: Console) -> None:
    """Print the names and summaries of all rules, by kind."""
    for kind in dict.fromkeys(rule.kind for rule in rules):
        console.print(f"[bold]{kind}s[/]")
        mine = [rule for rule in rules if rule.kind == kind]
        wide = max(len(rule.name) for rule in mine)
        for rule in mine:
            say(console, rule.summary, f"  {rule.name:<{wide}}  ")
    console.print("[bold]words[/]")
    say(console, ", ".join(noun.name for noun in nouns()), "  ")
    console.print("[dim]bankwise explain NAME; bankwise explain choose QUESTION.toml[/]")
