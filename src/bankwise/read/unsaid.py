"""What the ``bankwise.toml`` of a file says where the command line says nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from bankwise.read.options import Options
from bankwise.read.own_gpu import of_one_among_many
from bankwise.read.recognise import recognise, takers
from bankwise.read.settings import fitting, settings_of

_NOT_OF = {"check": frozenset({"prefer"}), "scan": frozenset({"prefer", "kernel"})}
"""What is said of another verb; a scan ranks every kernel, but for what is typed."""


def unsaid(verb: str, file: Path, options: Options) -> tuple[Path | None, dict[str, Any]]:
    """The ``bankwise.toml`` of a file, and of what it says to ``verb`` whatever ``options`` leave
    open, by field."""
    project = settings_of(file.absolute())
    if project.file is None:
        return None, {}
    said = fitting(project.options, recognise(file), takers(verb))
    names = [name for name in said.__struct_fields__ if name not in _NOT_OF.get(verb, ())]
    unset = Options()
    return project.file, {
        name: _placed(getattr(said, name), project.folder)
        for name in names
        if getattr(said, name) != getattr(unset, name) == getattr(options, name)
    }


def of_one_of_many(verb: str, file: Path, options: Options) -> tuple[Options, str]:
    """The options for one of many files, with what its project says where they say nothing; that
    in words. It is counted for a GPU that it names, whatever both say."""
    place, taken = unsaid(verb, file, options)
    said = replace(options, **taken)
    own = of_one_among_many(file, said)
    if own.target != said.target:
        taken.pop("target", "")
    return own, told(taken, place) if place else ""


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
