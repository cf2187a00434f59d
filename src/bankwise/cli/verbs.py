"""Where each verb is, so that a command imports the module of its own verb and no other."""

from __future__ import annotations

from collections.abc import Sequence

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
    """The module of the verb that was typed; "bankwise.cli.commands", which has all of them, where
    the first word is none: help, completion, or an error that names what there is."""
    verb = words[0] if words else ""
    return next((at for at, verbs in MODULES.items() if verb in verbs), "bankwise.cli.commands")
