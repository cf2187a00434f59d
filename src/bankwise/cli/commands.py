"""All commands: importing this registers them at the application, in the order of `--help`."""

from __future__ import annotations

from importlib import import_module

from bankwise.cli.common import app
from bankwise.cli.verbs import MODULES, name_of

__all__ = ["app"]

for module in MODULES:
    import_module(module)

_ORDER = [verb for verbs in MODULES.values() for verb in verbs]
app.registered_commands.sort(key=lambda one: _ORDER.index(name_of(one)))  # some came before
