"""What the ``bankwise.toml`` of a file says where the command line says nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from bankwise.read.options import Options
from bankwise.read.recognise import recognise, takers
from bankwise.read.settings import fitting, settings_of

_NOT_OF = {"check": frozenset({"prefer"})}
"""What is said of another verb."""


def unsaid(verb: str, file: Path, options: Options) -> tuple[Path | None, dict[str, Any]]:
    """The ``bankwise.toml`` of a file, and of what it says to ``verb`` whatever ``options`` leave
    open, by field."""
    project = settings_of(file.absolute())
    if project.file is None:
        return None, {}
    said = fitting(project.options, recognise(file), takers(verb))
    names = [one.name for one in fields(said) if one.name not in _NOT_OF.get(verb, ())]
    unset = Options()
    return project.file, {
        name: _placed(getattr(said, name), project.folder)
        for name in names
        if getattr(said, name) != getattr(unset, name) == getattr(options, name)
    }


def told(taken: Mapping[str, Any], file: Path) -> str:
    """What was taken from where, in words; empty if it is nothing."""
    values = (v if isinstance(v, str) else " ".join(v) for v in taken.values())
    said = ", ".join(f"{name} {value}" for name, value in zip(taken, values, strict=True))
    return f"{os.path.relpath(file)} says: {said}" if said else ""


def _placed(value: Any, folder: Path) -> Any:
    """Paths of a project count from its folder."""
    if folder == Path.cwd() or not value or isinstance(value, bool):
        return value
    if isinstance(value, tuple):
        return tuple(_placed(one, folder) for one in value)
    option, path = re.fullmatch(r"(-[A-Za-z]|-isystem|--?[\w-]+=)?(.*)", value, re.DOTALL).groups()  # type: ignore[union-attr]
    known = path and not os.path.isabs(path) and (folder / path).exists()
    return f"{option or ''}{folder / path}" if known else value
