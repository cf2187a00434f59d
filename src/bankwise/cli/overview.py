"""The page of all verbs, `bankwise --help`: it names them, and reads the options of none.

It looks like the pages that Typer prints, whose printer takes three times as long to load.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import typer
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup, TyperOption
from typer.models import CommandInfo, TyperInfo

from bankwise.cli import commands

__all__ = ["app"]


class _Overview(TyperGroup):
    """The group of all verbs, whose help is this page."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print it, as Typer does; ``formatter`` stays empty."""
        console = Console(highlight=False)
        usage = self.get_usage(ctx).partition(" ")
        console.print(Padding(Text.assemble((f"{usage[0]} ", "yellow"), (usage[2], "bold")), 1))
        console.print(Padding(self.help or "", (0, 1, 1, 1)))
        options = [
            (*_spelled(one.opts), Text(one.help or ""))
            for one in self.get_params(ctx)
            if isinstance(one, TyperOption) and not one.hidden
        ]
        console.print(_panel("Options", options))
        verbs = [self.get_command(ctx, name) for name in self.list_commands(ctx)]
        told = [(_name(one.name), Text(_first_words(one.help))) for one in verbs if one]
        console.print(_panel("Commands", told))
        console.print(Padding(self.epilog or "", 1))


def _spelled(options: Sequence[str]) -> tuple[Text, Text]:
    """An option in full, and its letter."""
    long = [one for one in options if one.startswith("--")]
    short = [one for one in options if not one.startswith("--")]
    return _name(",".join(long)), Text(",".join(short), "bold green")


def _name(text: str | None) -> Text:
    return Text(text or "", "bold cyan")


def _first_words(help_: str | None) -> str:
    """The first paragraph of a help text, in one line."""
    return " ".join((help_ or "").partition("\n\n")[0].split())


def _panel(title: str, rows: Sequence[Sequence[Text]]) -> Panel:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1), expand=True)
    for _ in rows[0][1:]:
        table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for row in rows:
        table.add_row(*row)
    return Panel(table, title=title, title_align="left", border_style="dim", box=box.ROUNDED)


def _overview(of: typer.Typer) -> typer.Typer:
    """An application whose commands have names and first words, and no options of their own."""
    found = copy(of)
    found.info = copy(of.info)
    found.info.cls = _Overview
    found.registered_commands = [_command(one) for one in of.registered_commands]
    found.registered_groups = [_group(one) for one in of.registered_groups]
    return found


def _command(of: CommandInfo) -> CommandInfo:
    found = copy(of)
    found.callback = None if of.callback is None else _named_like(of.callback)
    return found


def _group(of: TyperInfo) -> TyperInfo:
    found = copy(of)
    found.typer_instance = None if of.typer_instance is None else _overview(of.typer_instance)
    return found


def _named_like(callback: Callable[..., Any]) -> Callable[[], None]:
    def verb() -> None: ...

    verb.__name__, verb.__doc__ = callback.__name__, callback.__doc__
    return verb


app = _overview(commands.app)
