"""Which files an agent may name: those below the roots, links followed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from bankwise.ask.fence import inside
from bankwise.errors import InputError, Location


class RootedFile(Struct, frozen=True):
    """A file or folder below ``root``, both real; ``name``: its path from there."""

    root: Path
    name: str

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self.root / self.name


def real_roots(given: Sequence[Path]) -> tuple[Path, ...]:
    """The folders, links followed. InputError for one that is none."""
    for one in given:
        if not one.is_dir():
            raise InputError("this is no folder", location=Location(str(one)), hint="--root DIR")
    return tuple(dict.fromkeys(Path(os.path.realpath(one)) for one in given))


def rooted(name: str, roots: Sequence[Path]) -> RootedFile:
    """A file by its name, from a root or absolute. InputError where there is none, and, without a
    word on what is there, where it is outside of the roots."""
    if "\0" in name:
        raise InputError("a name of a file has no NUL in it")
    found = [(root, os.path.realpath(root / name)) for root in roots]
    below = [(root, path) for root, path in found if inside(path, {str(root)})]
    if not below:
        where = ", ".join(map(str, roots))
        raise InputError(f"{name!r} is outside of the roots", hint=f"files below {where} are read")
    root, path = next((one for one in below if os.path.exists(one[1])), below[0])
    if not (os.path.isfile(path) or os.path.isdir(path)):
        raise InputError("there is no such file or folder", location=Location(name))
    return RootedFile(root, os.path.relpath(path, root))
