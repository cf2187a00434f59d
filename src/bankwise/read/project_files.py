"""What the project around a source has of what its compiler misses.

A header that is not found may lie in another folder of the project, and a file of kernels may be
one that another file includes, behind the types and macros that it needs. Only names are listed,
and the files beside the source are read; folders that cannot be are passed over.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from bankwise.errors import InputError
from bankwise.files import CXX_HEADERS, CXX_SOURCES, nearby, read_text

_PROJECT = (".git", ".hg", ".svn")
_UP = 3
"""So many folders above the source belong to it where no repository says what does."""
_MOST_FOLDERS = 4000
_LEFT_OUT = frozenset({"node_modules", "build", "_build", "dist", "site-packages", "__pycache__"})
_COMPILED = CXX_SOURCES - {".cuh"}
_OTHERS = frozenset(
    {
        *("third_party", "thirdparty", "third-party", "3rdparty", "external", "extern", "vendor"),
        *("vendored", "deps", "_deps", "subprojects"),
    }
)
"""Folders in which projects keep what others wrote."""
_MOST_FILES = 4000
_MOST_BYTES = 1 << 20
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
    """A file that includes a source by its name, from the working folder: one beside it, else one
    of its project that is compiled; empty for none."""
    here = Path(os.path.abspath(source))
    sign = re.compile(rf'^[ \t]*#[ \t]*include[ \t]*"(?:\./)?{re.escape(here.name)}"', re.MULTILINE)
    try:
        beside = sorted(one for one in here.parent.iterdir() if one.suffix in CXX_SOURCES)
    except OSError:
        return ""
    found = (one for one in beside if one != here and sign.search(_read(one)))
    return next((nearby(one) for one in found), "") or _compiled_includer(here)


def _compiled_includer(source: Path) -> str:
    """A file of the project that is compiled and includes a source, itself or by another one."""
    real = Path(os.path.realpath(source))
    every = includers([real], project_texts(real))
    return next((nearby(one) for one in every if one.suffix in _COMPILED and one != real), "")


def is_header(path: Path) -> bool:
    """Whether a file is called like one that others include."""
    return path.suffix in CXX_HEADERS | {".cuh"}


def is_own(header: Path, source: Path) -> bool:
    """Whether a header belongs to the project of a source, as far as its place tells: below the
    folder of its repository, or where there is none below the one that the source's is in; in no
    repository within that, and in no folder for what others wrote."""
    top = _top(Path(os.path.realpath(source)).parent)
    try:
        below = Path(os.path.realpath(header)).relative_to(top)
    except ValueError:
        return False
    between = [top.joinpath(*below.parts[:n]) for n in range(1, len(below.parts))]
    return not any(
        one.name.lower() in _OTHERS | _LEFT_OUT or any((one / sign).exists() for sign in _PROJECT)
        for one in between
    )


def _top(here: Path) -> Path:
    """The folder of the repository that a folder is in, else the one above it."""
    tops = _tops(here)
    whole = any((tops[-1] / sign).exists() for sign in _PROJECT)
    return tops[-1] if whole else tops[:2][-1]


def project_texts(source: Path) -> dict[Path, str]:
    """The C++ of the project of a source, by path: as many files as can be read soon."""
    found: dict[Path, str] = {}
    here = Path(os.path.realpath(source))
    for folder in _folders(_top(here.parent)):
        for one in sorted(_files(folder)):
            if one.suffix in CXX_SOURCES | CXX_HEADERS and is_own(one, here):
                found[one] = _read(one)
            if len(found) == _MOST_FILES:
                return found
    return found


def _files(folder: Path) -> list[Path]:
    try:
        every = [Path(one.path) for one in os.scandir(folder) if one.is_file()]
        return [one for one in every if one.stat().st_size <= _MOST_BYTES]
    except OSError:
        return []


_INCLUDE = re.compile(r"""^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]""", re.MULTILINE)


def includers(headers: Iterable[Path], texts: Mapping[Path, str]) -> list[Path]:
    """The files that include one of some headers, themselves or by another one, as far as names
    tell: one that ends in what is included is taken for it."""
    names = {path: [_plain(one) for one in _INCLUDE.findall(text)] for path, text in texts.items()}
    found: dict[Path, None] = {}
    left = list(headers)
    while left:
        header = left.pop()
        for path, every in names.items():
            meant = (one for one in every if f"/{header}".endswith(f"/{one}"))
            if path not in found and path != header and next(meant, ""):
                found[path] = None
                left.append(path)
    return list(found)


def _plain(name: str) -> str:
    """What is included, without the folders that say where to begin."""
    parts = [one for one in PurePosixPath(name).parts if one not in (".", "..", "/")]
    return "/".join(parts)


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
