"""The page of all verbs, `bankwise --help`: it names them, and reads the options of none."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import typer
from typer.core import TyperGroup
from typer.models import CommandInfo, TyperInfo

from bankwise.cli import commands

__all__ = ["app"]


class _Overview(TyperGroup):
    """The group of all verbs. What one does is said whole: Click's own page cuts it to a line."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the verbs, in the order of their table."""
        verbs = [self.get_command(ctx, name) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(one.name or "", _first_words(one.help)) for one in verbs if one])


def _first_words(help_: str | None) -> str:
    """The first paragraph of a help text, in one line."""
    return " ".join((help_ or "").partition("\n\n")[0].split())


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
