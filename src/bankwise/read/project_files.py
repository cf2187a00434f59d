"""What the project around a source has of what its compiler misses.

A header that is not found may lie in another folder of the project, and a file of kernels may be
one that another file includes, behind the types and macros that it needs. Only names are listed,
and the files beside the source are read; folders that cannot be are passed over.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from bankwise.errors import InputError
from bankwise.files import nearby, read_text

_PROJECT = (".git", ".hg", ".svn")
_UP = 3
"""So many folders above the source belong to it where no repository says what does."""
_MOST_FOLDERS = 4000
_LEFT_OUT = frozenset({"node_modules", "build", "_build", "dist", "site-packages", "__pycache__"})
_SOURCES = frozenset({".cu", ".cuh", ".cpp", ".cc", ".cxx", ".hip", ".c"})
_MISSING = (
    re.compile(r"^(?P<header>[\w./+-]+): No such file or directory"),
    re.compile(r"c(?:ould|an)not? open source file \"(?P<header>[^\"]+)\""),
    re.compile(r"'(?P<header>[^']+)' file not found"),
)


def missed_header(told: str) -> str:
    """The header that a compiler says it does not find, as it is included; empty for none."""
    found = next((match for sign in _MISSING if (match := sign.search(told))), None)
    return "" if found is None else found["header"]


def header_folders(header: str, source: Path) -> list[str]:
    """The folders in which a ``header`` is found as it is included, as they are named from the
    working folder, the nearest to the ``source`` first: below the first folder upwards that has
    any."""
    wanted = PurePosixPath(header)
    if wanted.is_absolute() or ".." in wanted.parts:
        return []
    here = Path(os.path.abspath(source)).parent
    for top in _tops(here):
        if found := [place for place in _folders(top) if (place / wanted).is_file()]:
            found.sort(key=lambda place: (os.path.relpath(place, here).count(os.sep), place))
            return [nearby(place) for place in found]
    return []


def includer(source: Path) -> str:
    """A file beside a source that includes it by its name, from the working folder; empty for
    none."""
    here = Path(os.path.abspath(source))
    sign = re.compile(rf'^[ \t]*#[ \t]*include[ \t]*"(?:\./)?{re.escape(here.name)}"', re.MULTILINE)
    try:
        beside = sorted(one for one in here.parent.iterdir() if one.suffix in _SOURCES)
    except OSError:
        return ""
    found = (one for one in beside if one != here and sign.search(_read(one)))
    return next((nearby(one) for one in found), "")


def _tops(here: Path) -> list[Path]:
    """The folder of the source and those above it up to that of its repository, or a few; never
    the whole disk, nor all that a user has."""
    above = (here, *here.parents)
    own = [at for at, one in enumerate(above) if any((one / sign).exists() for sign in _PROJECT)]
    near = above[: own[0] + 1 if own else _UP + 1]
    return [one for one in near if one == here or (one.parent != one and one != Path.home())]


def _folders(top: Path) -> Iterator[Path]:
    for count, (folder, below, _) in enumerate(os.walk(top)):
        below[:] = sorted(one for one in below if one[0] != "." and one not in _LEFT_OUT)
        yield Path(folder)
        if count == _MOST_FOLDERS:
            return


def _read(path: Path) -> str:
    try:
        return read_text(path)
    except InputError:
        return ""
