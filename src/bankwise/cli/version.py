"""``bankwise --version``, which needs no other command."""

from __future__ import annotations

from importlib.metadata import version


def print_version() -> None:
    """The version on stdout."""
    print(f"bankwise {version('bankwise')}")
