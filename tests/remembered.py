"""Compilers that many tests ask the same: they answer once, and all workers and later runs know it.

A question is the program, its words, the environment that it heeds and all that it reads: sources
with the headers that they include, the folder that it runs in, what is on its standard input. Where
that is not certain the program runs. A refusal is not remembered. Folders of tests and temporary
ones count as one where their names are equally long, so that one can stand for another in a binary.

Tests of compiling itself have the mark ``compiles``: there every program runs. ``pytest
--cache-clear`` forgets everything, and what nobody asked for a month is forgotten anyway.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import quick_nvcc
import warm
from bankwise.change.compile import compile as compiling
from bankwise.change.compile import lower
from bankwise.read import toolkit
from bankwise.read.sass import disassemble
from bankwise.read.ttgir import wheel

asked = False
"""Whether what is remembered may answer now."""
_folder: Path | None = None
_passing = re.compile(rb"(?!)")
"""Names of folders that are another one in each test."""

_run, _run_program = subprocess.run, toolkit.run_program
_HEEDED = re.compile(
    r"PATH$|LANG$|LC_|LD_|TRITON|NVCC|CUDA|CPATH|C_INCLUDE|CPLUS|ROCM|HIP|LLVM|MLIR|IREE|TZ$|SOURCE_"
)
_INCLUDED = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
_UNCERTAIN = re.compile(
    rb"#[ \t]*include[ \t]+[^\"<\s]|__has_include|#[ \t]*embed|__(?:DATE|TIME)__"
)
_OTHER_FILES = re.compile(r"@|-+(?:optf|options-file|ccbin|compiler-bindir|config)|-f?plugin|-B")
_QUESTIONS = ("verify", "lower")
"""Of Triton: those that are asked of a text, and not of a user's module."""
_WORKER = "bankwise.read.ttgir.worker"
_KEPT = 30 * 24 * 3600
"""Seconds that an answer is kept for after it was last asked for."""


class Remembered(NamedTuple):
    """``said``: the exit status, standard output and error; ``files`` that it wrote below its
    folder; ``passing``: folders that these speak of."""

    said: tuple[int, str, str]
    files: tuple[tuple[str, bytes], ...]
    passing: tuple[bytes, ...]


class Uncertain(Exception):  # noqa: N818
    """Nobody knows all that a program reads."""


def start(own: Path, shared: Path) -> None:
    """Remember in ``shared``. ``own``: the folder of this worker's tests."""
    global _folder, _passing
    _folder = shared
    _folder.mkdir(parents=True, exist_ok=True)
    _forget(shared)
    tests = re.sub(r"gw\d|pytest\\-\d+", _any_number, re.escape(str(own)))
    mine = re.escape(tempfile.gettempdir())
    _passing = re.compile(rf"{tests}/[\w.\[\]-]+|{mine}/(?:bankwise-|tmp)\w{{8}}\b".encode())
    toolkit.run_program = run_program
    for name, module in list(sys.modules.items()):  # those that took its name before
        if name.startswith("bankwise.") and vars(module).get("run_program") is _run_program:
            vars(module)["run_program"] = run_program
    apart = SimpleNamespace(**vars(subprocess))
    apart.run = run
    for module in (compiling, lower, disassemble, wheel):
        module.subprocess = apart  # type: ignore[attr-defined]


def _any_number(found: re.Match[str]) -> str:
    """Of a worker or a session: answers of another name folders of theirs."""
    return f"{found[0].rstrip('0123456789')}\\d+"


def _forget(shared: Path) -> None:
    """Answers that were not asked for in a long time."""
    before = time.time() - _KEPT
    for place in shared.iterdir():
        with suppress(FileNotFoundError):  # another worker was faster
            if place.stat().st_mtime < before:
                place.unlink()


def run_program(words: Sequence[str], folder: Path, file: str) -> tuple[int, str]:
    """:func:`bankwise.read.toolkit.run_program`."""

    def ask() -> tuple[int, str, str]:
        if asked and (fewer := _fewer_headers(words)):
            assert _folder is not None
            told = quick_nvcc.compiled(fewer, folder, _folder)
            if told is not None:
                return 0, told, ""
            code, said = _run_program(fewer, folder, file)
            if not code:
                return code, said, ""
        return (*_run_program(words, folder, file), "")

    try:
        what = _question(words, Path.cwd(), b"") if asked else None
    except (Uncertain, OSError):
        what = None
    return ask()[:2] if what is None else _answered(what, folder, ask)[:2]


def _fewer_headers(words: Sequence[str]) -> list[str]:
    """How nvcc, where no language is said, makes the same code of a source of C++14, in two thirds
    of the time: from C++17 on its own headers bring the standard's mathematics; [] of others."""
    kind = next((word for word in words if word in ("-cubin", "-ptx")), None)
    said = any(word.lstrip("-").startswith(("std", "optf")) for word in words)
    if Path(words[0]).name != "nvcc" or kind is None or said or _passing.search(words[0].encode()):
        return []
    return [words[0], "-std=c++14", *words[1:]]


def run(words: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """:func:`subprocess.run`."""
    if not asked or subprocess.run is not _run:
        return subprocess.run(words, **options)
    words = list(map(str, words))
    given, folder = options.get("input", ""), options.get("cwd")
    worker = _WORKER in words
    ran = [warm.python(*warm.TRITON), *words[1:]] if worker else words
    if worker and (json.loads(given)["task"] not in _QUESTIONS or _passing.search(given.encode())):
        return subprocess.run(ran, **options)

    def ask() -> tuple[int, str, str]:
        done = subprocess.run(ran, **options)
        return done.returncode, done.stdout, done.stderr

    try:
        what = _question(words, folder or Path.cwd(), given.encode(), whole=folder is not None)
    except (Uncertain, OSError):
        return subprocess.run(ran, **options)
    return subprocess.CompletedProcess(words, *_answered(what, folder, ask))


def _answered(
    what: tuple[str, tuple[bytes, ...]],
    folder: Path | None,
    ask: Callable[[], tuple[int, str, str]],
) -> tuple[int, str, str]:
    """What it said, and what it wrote in a folder where it has one of its own."""
    assert _folder is not None
    key, passing = what
    place = _folder / key
    with suppress(FileNotFoundError):
        found = Remembered(*pickle.loads(place.read_bytes()))
        os.utime(place)
        return _again(found, passing, folder)
    before = dict(_files(folder))
    said = ask()
    if said[0] == 0:
        made = tuple((n, data) for n, data in _files(folder) if before.get(n) != data)
        with tempfile.NamedTemporaryFile(dir=_folder, delete=False) as file:
            file.write(pickle.dumps(tuple(Remembered(said, made, passing))))
        os.replace(file.name, place)
    return said


def _again(
    found: Remembered, passing: tuple[bytes, ...], folder: Path | None
) -> tuple[int, str, str]:
    """An answer with the names of the folders of now."""
    now = dict(zip(found.passing, passing, strict=True))

    def renamed(data: bytes) -> bytes:
        return _passing.sub(lambda one: now.get(one[0], one[0]), data)

    for name, data in found.files:
        assert folder is not None
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(renamed(data))
    code, *texts = found.said
    out, err = (renamed(one.encode("utf-8", "surrogateescape")) for one in texts)
    return code, *(one.decode("utf-8", "surrogateescape") for one in (out, err))  # type: ignore[return-value]


def _files(folder: Path | None) -> Iterator[tuple[str, bytes]]:
    if folder is None:
        return
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(folder)), path.read_bytes()


def _question(
    words: Sequence[str], folder: Path, given: bytes, whole: bool = False
) -> tuple[str, tuple[bytes, ...]]:
    """Its key, and the passing folders that it names. ``whole``: all of the folder is read."""
    program = Path(words[0]).resolve()
    state = program.stat()
    if any(_OTHER_FILES.match(word) for word in words[1:]):
        raise Uncertain
    heeded: Mapping[str, str] = {n: v for n, v in sorted(os.environ.items()) if _HEEDED.match(n)}
    read = dict(_files(folder)) if whole else _read_by(words[1:], folder)
    texts = [
        *(str(program), str(state.st_size), str(state.st_mtime_ns), sys.version, repr(heeded)),
        *(str(folder), *words[1:]),
        *(_asked_of_triton() if _WORKER in words else ()),
    ]
    parts = [*(one.encode() for one in texts), given]
    parts += [one for name, data in read.items() for one in (name.encode(), data)]
    return _key(parts)


@cache
def _asked_of_triton() -> tuple[str, ...]:
    """What else the answers of Triton's worker depend on: Triton, and our side of the question."""
    try:
        triton = version("triton")
    except PackageNotFoundError:
        triton = ""
    own = sorted(Path(wheel.__file__).parent.glob("*.py"))
    return triton, *(hashlib.sha256(path.read_bytes()).hexdigest() for path in own)


def _key(parts: Sequence[bytes]) -> tuple[str, tuple[bytes, ...]]:
    numbers: dict[bytes, int] = {}

    def numbered(found: re.Match[bytes]) -> bytes:
        number = numbers.setdefault(found[0], len(numbers))
        return b"\0%d,%d\0" % (number, len(found[0]))

    digest = hashlib.sha256()
    for part in parts:
        plain = _passing.sub(numbered, part)
        digest.update(b"%d:" % len(plain) + plain)
    return digest.hexdigest(), tuple(numbers)


def _read_by(words: Sequence[str], folder: Path) -> dict[str, bytes]:
    """The files that a program is given, with all that these include."""
    given = [word for word, before in zip(words, ("", *words), strict=False) if before != "-o"]
    folders = [folder, *_include_folders(words)]
    waiting = [folder / word for word in given if (folder / word).is_file()]
    found: dict[str, bytes] = {}
    while waiting:
        path = waiting.pop()
        if str(path) in found:
            continue
        data = found[str(path)] = path.read_bytes()
        if data[:4] == b"\x7fELF":
            continue
        if _UNCERTAIN.search(data):
            raise Uncertain
        names = [(a or b).decode() for a, b in _INCLUDED.findall(data)]
        every = (one / name for name in names for one in (path.parent, *folders))
        waiting += [one for one in every if one.is_file()]
    return found


def _include_folders(words: Sequence[str]) -> Iterator[Path]:
    for word, after in zip(words, (*words[1:], ""), strict=True):
        for flag in ("-I", "-isystem", "-iquote", "-idirafter", "--include-path"):
            if word.startswith(flag):
                yield Path(word.removeprefix(flag).lstrip("=") or after)
        if word in ("-include", "--pre-include", "-imacros") and not Path(after).is_file():
            raise Uncertain
