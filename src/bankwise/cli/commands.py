"""All commands: importing this registers them at the application, in the order of `--help`."""

from __future__ import annotations

from importlib import import_module

from bankwise.cli.common import app
from bankwise.cli.verbs import MODULES

__all__ = ["app"]

for module in MODULES:
    import_module(module)
