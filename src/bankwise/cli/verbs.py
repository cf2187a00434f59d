"""Where each verb is, so that a command imports the module of its own verb and no other."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from copy import copy
from importlib import import_module
from inspect import get_annotations
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import typer
    from typer.models import CommandInfo

_COMPLETION = "_BANKWISE_COMPLETE"
"""What a shell sets where it asks what a word may become."""
MODULES = {
    "bankwise.cli.check": ("check",),
    "bankwise.cli.first": ("demo", "doctor", "show"),
    "bankwise.cli.kernels": ("fix", "cost"),
    "bankwise.cli.count": ("count",),
    "bankwise.cli.layouts": ("solve", "certify", "explain", "coalesce"),
    "bankwise.cli.passes": ("opt",),
    "bankwise.cli.triton_plan": ("triton-plan",),
    "bankwise.cli.scan": ("scan",),
    "bankwise.cli.evidence": ("evidence",),
    "bankwise.cli.study": ("machines", "workbench", "sweep"),
    "bankwise.cli.hardware": ("probe", "verify"),
    "bankwise.cli.bench": ("bench",),
    "bankwise.cli.schema": ("schema",),
    "bankwise.cli.servers": ("lsp", "mcp"),
}
"""The verbs of each module, in the order in which `bankwise --help` names them."""


def module_of(words: Sequence[str]) -> str:
    """The module of the verb that was typed. Where the first word is none: of the page of all
    verbs, or "bankwise.cli.commands", which has all of them, for completion, or an error that
    names what there is."""
    if words[:1] in ([], ["-h"], ["--help"]) and _COMPLETION not in os.environ:
        return "bankwise.cli.overview"
    verb = words[0] if words else ""
    return next((at for at, verbs in MODULES.items() if verb in verbs), "bankwise.cli.commands")


def application(words: Sequence[str]) -> typer.Typer:
    """What answers the words that were typed: of the module of a verb the verb alone, so that
    nobody reads the options of its neighbours."""
    app: typer.Typer = import_module(module_of(words)).app
    alone = [one for one in app.registered_commands if name_of(one) in words[:1]]
    if not alone:
        return app
    for one in alone:
        _evaluated(one.callback)
    found = copy(app)
    found.registered_commands, found.registered_groups = alone, []
    return found


def _evaluated(function: Callable[..., Any] | None) -> None:
    """Let the types of a verb's options be values: Typer evaluates what is a text, four times."""
    if function is not None:
        function.__annotations__ = get_annotations(function, eval_str=True)


def name_of(command: CommandInfo) -> str:
    """As Typer calls it: by its function, unless it has a name."""
    function = getattr(command.callback, "__name__", "")
    return command.name or function.lower().replace("_", "-")
