"""The headers of a project that a source includes: constants and macros of launches stand there.

Those in quotation marks are looked for as a compiler does: beside the file that includes them, then
in the folders of ``-I``. Those in angle brackets are looked for in these folders alone, and belong
to the project where they lie in its own part: a library includes itself so. What is not found, or
is too long, is left out: then what it would say is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bankwise.files import with_any_bytes
from bankwise.read.launch.tokens import SourceWord, tokens
from bankwise.read.project_files import is_own

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
_LIBRARY = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([^>\n]+)>", re.MULTILINE)
_MOST_FILES = 256
_MOST_BYTES = 1 << 20


def own_headers(source: str, file: Path, flags: Sequence[str] = ()) -> tuple[str, ...]:
    """What stands before ``source``, the text of ``file``: the macros of ``-D``, then the texts of
    its headers, each once, behind those that it includes itself."""
    return (*defined_macros(flags), *header_texts(source, file, flags).values())


def defined_macros(flags: Sequence[str]) -> tuple[str, ...]:
    """The macros of ``-D``, as a header would define them."""
    macros = (name.partition("=") for name in _values("-D", flags))
    return tuple(f"#define {name} {value or '1'}\n" for name, _, value in macros)


def header_texts(source: str, file: Path, flags: Sequence[str] = ()) -> dict[Path, str]:
    """The headers of ``source``, the text of ``file``: each once, behind those that it includes."""
    folders = tuple(map(Path, _values("-I", flags)))
    found: dict[Path, str] = {}
    _collect(source, file, _Folders(file, folders), found, set())
    return found


def header_at(name: str, beside: Path | None, flags: Sequence[str] = ()) -> Path | None:
    """The file that a name in quotation marks means, ``beside`` the file that includes it or in the
    folders of ``-I``; in the latter alone where that is None; None where there is none."""
    folders = map(Path, _values("-I", flags))
    return _found(name, folders if beside is None else (beside, *folders))


def others_folders(flags: Sequence[str] = ()) -> tuple[Path, ...]:
    """The folders that flags name as those of headers by others."""
    return tuple(
        Path(one) for option in ("-isystem", "--system-include") for one in _values(option, flags)
    )


class _Folders(Struct, frozen=True):
    """Where headers of a ``source`` are looked for."""

    source: Path
    named: tuple[Path, ...]

    def header(self, name: str, own: str, includes: Path) -> Path | None:
        """The file that a ``name`` in quotation marks means in one that ``includes`` it; or one of
        the project's ``own`` in angle brackets."""
        if name:
            return _found(name, (includes.parent, *self.named))
        path = _found(own, self.named)
        return path if path is not None and is_own(path, self.source) else None


def _collect(
    text: str, file: Path, folders: _Folders, found: dict[Path, str], seen: set[Path]
) -> None:
    for name, own in _INCLUDE.findall(text):
        path = folders.header(name, own, file)
        if path is None or len(seen) >= _MOST_FILES or path.resolve() in seen:
            continue
        seen.add(path.resolve())
        if path.stat().st_size > _MOST_BYTES:
            continue
        header = with_any_bytes(path.read_bytes())
        _collect(header, path, folders, found, seen)
        found[path] = header


def long_headers(source: str, file: Path, flags: Sequence[str] = ()) -> tuple[str, ...]:
    """The headers of others, below folders that flags name, with which more than a megabyte is
    included: in ``source``, the text of ``file``, or in its own headers."""
    folders = tuple(Path(f) for option in ("-I", "-isystem") for f in _values(option, flags))
    texts = (source, *header_texts(source, file, flags).values())
    names = dict.fromkeys(name for text in texts for name in _LIBRARY.findall(text))
    places = {name: _found(name, folders) for name in names} if folders else {}
    return tuple(n for n, at in places.items() if at is not None and _is_long(at, folders))


def _is_long(header: Path, folders: Sequence[Path]) -> bool:
    """Whether a header has so many bytes, with all that it includes."""
    left, seen, size = [header], {header}, 0
    while left and size <= _MOST_BYTES:
        path = left.pop()
        text = with_any_bytes(path.read_bytes())
        size += len(text)
        for quoted, other in _INCLUDE.findall(text):
            found = _found(quoted or other, (path.parent, *folders))
            if found is not None and found not in seen:
                seen.add(found)
                left.append(found)
    return size > _MOST_BYTES


def _found(name: str, folders: Iterable[Path]) -> Path | None:
    return next((p for p in (folder / name for folder in folders) if p.is_file()), None)


def _values(option: str, flags: Sequence[str]) -> Iterator[str]:
    """``-Ifolder``, ``-I folder``."""
    for at, flag in enumerate(flags):
        if flag == option and at + 1 < len(flags):
            yield flags[at + 1]
        elif flag.startswith(option) and flag != option:
            yield flag[2:]


def header_words(headers: Sequence[str], most: int) -> list[SourceWord]:
    """The words of headers, in line 0; none of more than ``most``, nor of a header in which braces
    are not closed: what follows would stand in a block of its."""
    every = ([replace(word, line=0) for word in tokens(text)] for text in headers)
    words = [word for some in every if _is_closed(some) for word in some]
    return words if len(words) <= most else []


def _is_closed(words: Sequence[SourceWord]) -> bool:
    return not sum((word.text == "{") - (word.text == "}") for word in words)
