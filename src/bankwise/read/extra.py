"""Packages of an extra, imported when something needs them."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from bankwise.errors import InputError


def extra(module: str, name: str) -> ModuleType:
    """A module of the extra ``name``; :class:`InputError` says how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        message = f"this needs the package {package}, which cannot be imported: {error}"
        raise InputError(message, hint=f"pip install 'bankwise[{name}]'") from error
