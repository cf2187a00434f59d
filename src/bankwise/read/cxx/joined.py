"""A source and those of its own headers that declare shared memory, as one text.

    kernel.cu     #include "gemm.cuh"          #line 1 "kernel.cu"
                  void run() {..}              #line 1 "gemm.cuh"
    gemm.cuh      __global__ void gemm() {..}  __global__ void gemm() {..}
                                               #line 2 "kernel.cu"
                                               void run() {..}

What is known of one text is known of all of them then, and the compiler says each place in the file
that the author knows. Nothing here knows whether both are one program: who joins them compares what
the compiler makes of them. A text in the place of the joined one is taken apart at the same lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from bankwise.errors import InputError
from bankwise.files import read_text
from bankwise.identity import ByIdentity
from bankwise.read.cxx.headers import declares_shared
from bankwise.read.cxx.tree import without_comments
from bankwise.read.launch.headers import header_at
from bankwise.read.line_marks import line_mark

Own = Callable[[Path], bool]
"""Whether a header is one of the author's project, which may be edited."""

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)[^\n]*', re.M)
_ONCE = re.compile(
    rb"^[ \t]*#[ \t]*pragma[ \t]+once\b"
    rb"|\A\s*#[ \t]*if(?:ndef|[ \t]*!\s*defined)\W+(\w+)\W*\n\s*#[ \t]*define[ \t]+\1\b",
    re.MULTILINE,
)
"""What a header has that is read once, however often it is included."""
_MOST_FILES = 256


class TextPiece(Struct, frozen=True):
    """Lines of one file, which are a ``text`` behind a ``mark``, where the file ``of`` has what is
    said ``instead``."""

    file: Path
    text: str
    mark: str
    instead: str = ""
    of: Path | None = None


class JoinedText(ByIdentity, frozen=True, eq=False):
    """A source with headers in it. ``headers``: those, in the order in which they are read;
    ``beside``: others that are found by where the files are that include them."""

    file: Path
    pieces: tuple[TextPiece, ...]
    headers: tuple[Path, ...]
    beside: tuple[Path, ...]

    @property
    def text(self) -> str:
        """All pieces, one behind the other."""
        return "".join(f"{one.mark}{one.text}" for one in self.pieces)

    def apart(self, text: str) -> dict[Path, str]:
        """The files of a text in the place of this one; as they are where its marks are others."""
        every = [text] if text.startswith(self.pieces[0].mark) else []
        for one in self.pieces if every else ():
            *before, last = every
            first, mark, rest = last.partition(one.mark)
            every = [*before, first, rest] if mark else [*before, last]
        if len(every) <= len(self.pieces):
            return self.apart(self.text)
        files: dict[Path, list[str]] = {}
        for one, part in zip(self.pieces, every[1:], strict=True):
            if one.of is not None:
                files.setdefault(one.of, []).append(one.instead)
            files.setdefault(one.file, []).append(part)
        return {file: "".join(parts) for file, parts in files.items()}


class _Included(Struct, frozen=True):
    """An ``#include`` with its whole line or lines: its bytes, the line behind it, and the header
    that it means, where that is found, as a compiler calls it and as it ``real``ly is; ``quoted``:
    not in angle brackets; ``beside``: found by the place of who includes it."""

    start: int
    stop: int
    next: int
    path: Path | None
    real: Path | None
    quoted: bool
    beside: bool


class _Headers(ByIdentity, frozen=True, eq=False):
    """What a source includes, by real paths: the ``files`` that are its own, or stand beside what
    includes them, and their ``texts``; those ``wanted`` in the text; those that are ``done``, as
    they are called."""

    flags: Sequence[str]
    own: Own
    files: dict[Path, Path]
    texts: dict[Path, bytes]
    wanted: set[Path]
    done: dict[Path, Path]


def joined_text(text: str, file: Path, flags: Sequence[str], own: Own) -> JoinedText | None:
    """The text of ``file`` with those of its own headers in it that declare shared memory, and
    those between; None where there are none."""
    found = _Headers(flags, own, {}, {}, set(), {})
    every: list[Path] = []
    _look(found, text.encode(), file, every)
    several = {one for one in found.wanted if every.count(one) > 1}
    once = {one for one in several if _ONCE.search(without_comments(found.texts[one]))}
    found.wanted.difference_update(several - once)
    if any(c in str(p) for p in (*found.wanted, file) for c in '"\\\n'):
        return None
    pieces = tuple(_pieces(found, text.encode(), file, (line_mark(file, 1), "", None)))
    beside = tuple(path for real, path in found.files.items() if real not in found.done)
    return JoinedText(file, pieces, tuple(found.done.values()), beside) if found.done else None


def _look(found: _Headers, data: bytes, file: Path, every: list[Path]) -> bool:
    """Find the headers of a text; whether one of them is wanted. ``every``: the author's own, once
    for each ``#include``."""
    wanted = False
    for one in _includes(found, data, file):
        if one.path is None or one.real is None:
            continue
        own = found.own(one.real)
        new = one.real not in found.files and len(found.files) < _MOST_FILES
        if new and (own or one.beside):
            found.files[one.real] = one.path
            mine = found.texts[one.real] = _read(one.path)
            inside = _look(found, mine, one.path, every)
            if own and (inside or declares_shared(mine.decode())):
                found.wanted.add(one.real)
        every += [one.real] * own
        wanted = wanted or one.real in found.wanted
    return wanted


def _read(path: Path) -> bytes:
    try:
        return read_text(path).encode()
    except InputError:
        return b""


def _includes(found: _Headers, data: bytes, file: Path) -> Iterator[_Included]:
    for one in _INCLUDE.finditer(without_comments(data)):
        quoted, name = one[1] is not None, (one[1] or one[2]).decode()
        path = header_at(name, file.parent if quoted else None, found.flags)
        stop = data.find(b"\n", one.end()) + 1 or len(data)
        behind = data.count(b"\n", 0, stop) + 1
        real = None if path is None else path.resolve()
        beside = quoted and path == file.parent / name
        yield _Included(one.start(), stop, behind, path, real, quoted, beside)


def _pieces(
    found: _Headers, data: bytes, file: Path, before: tuple[str, str, Path | None]
) -> Iterator[TextPiece]:
    """The pieces of a text, with those of the headers in it. ``before``: what the first of them has
    beside its lines."""
    at, inside = 0, file in found.done.values()
    for one in _includes(found, data, file):
        line, joined = line_mark(file, one.next), one.real in found.wanted
        if one.path is None or one.real is None or not (joined or (one.quoted and inside)):
            continue
        yield TextPiece(file, data[at : one.start].decode(), *before)
        before, at = (line, data[one.start : one.stop].decode(), file), one.stop
        if not joined:
            before = (f'#include "{one.real}"\n{line}', *before[1:])
        elif one.real not in found.done:
            found.done[one.real] = one.path
            text = found.texts[one.real]
            yield from _pieces(found, text, one.path, (line_mark(one.path, 1), *before[1:]))
            before = ("\n" * (not text.endswith(b"\n")) + line, "", None)
    yield TextPiece(file, data[at:].decode(), *before)
