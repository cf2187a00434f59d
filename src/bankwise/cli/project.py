"""What the ``bankwise.toml`` of a project says where the command line says nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bankwise.cli.common import err
from bankwise.errors import InputError

if TYPE_CHECKING:
    from bankwise.read.options import Options

_Answer = TypeVar("_Answer")
_NOT_OF = {"check": frozenset({"prefer"})}
"""What is said of another verb."""


def asked(verb: str, file: Path, options: Options, run: Callable[[Options], _Answer]) -> _Answer:
    """The answer of ``run`` about a file. Its project's target is taken where the file names none;
    what was taken from where is said once."""
    from bankwise.read.recognise import recognise, takers
    from bankwise.read.settings import fitting, settings_of

    if not file.is_file():
        return run(options)
    project = settings_of(file.absolute())
    if project.file is None:
        return run(options)
    kind = recognise(file)
    said = fitting(project.options, kind, takers(verb))
    names = [one.name for one in fields(said) if one.name not in _NOT_OF.get(verb, ())]
    unset = type(said)()
    taken: dict[str, Any] = {
        name: _placed(getattr(said, name), project.folder)
        for name in names
        if getattr(said, name) != getattr(unset, name) == getattr(options, name)
    }
    target = taken.pop("target", "")
    if target and kind.compiled:
        taken["target"] = target
    try:
        answer = run(replace(options, **taken))
    except InputError as error:
        if not target or kind.compiled or "--target" not in str(error):
            _tell(taken, project.file)
            raise
        taken["target"] = target
        answer = run(replace(options, **taken))
    _tell(taken, project.file)
    return answer


def _tell(taken: dict[str, Any], file: Path) -> None:
    values = (v if isinstance(v, str) else " ".join(v) for v in taken.values())
    said = ", ".join(f"{name} {value}" for name, value in zip(taken, values, strict=True))
    if said:
        err().print(f"note: {os.path.relpath(file)} says: {said}", markup=False)


def _placed(value: Any, folder: Path) -> Any:
    """Paths of a project count from its folder."""
    if folder == Path.cwd() or not value or isinstance(value, bool):
        return value
    if isinstance(value, tuple):
        return tuple(_placed(one, folder) for one in value)
    option, path = re.fullmatch(r"(-[A-Za-z]|-isystem|--?[\w-]+=)?(.*)", value, re.DOTALL).groups()  # type: ignore[union-attr]
    known = path and not os.path.isabs(path) and (folder / path).exists()
    return f"{option or ''}{folder / path}" if known else value
