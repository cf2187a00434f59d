"""Which ``iree-compile`` makes the code that is counted: the wheel's own, a named one, or Wave's.

A text is read by the wheel that bankwise depends on. What runs is what the user's own release makes
of it, and releases join other accesses of the same text. So emitted code is asked of the compiler
that is named, of Wave's where Wave wrote the text and its environment is found, else of the wheel.
Programs are run, no Python of another environment is imported.

Nothing that lies beside a kernel names a program: whoever only looks at a kernel runs none of its
author's. So there is an option and a variable, and no key of ``bankwise.toml``.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from bankwise.errors import InputError
from bankwise.read.extra import install
from bankwise.read.mlir.parse import WANTED
from bankwise.read.mlir.source import SourceText

VARIABLE = "BANKWISE_IREE_COMPILE"
"""Names the program where ``--iree-compile`` does not."""

HOST_FUNCTION = "func.func @isolated_benchmark"
"""What Wave writes around its kernels, if nobody names it otherwise (``func_name``)."""

_NAME = "iree-compile"
_BINARY = f"iree/compiler/_mlir_libs/{_NAME}"
"""Below ``site-packages``: what the script of that name in ``bin`` starts."""
_RELEASE = re.compile(r"\bIREE compiler version (\d+)\.(\d+)\.(\S+)")
_ROCM_TARGET = (3, 11)
"""The release from which on the GPU is named by ``--iree-rocm-target``; before: by its old name.
Source: the commands of tests/data/dumps."""
_NO_PIPELINE = (3, 12)
"""The release from which on a lowered function says ``no_pipeline``; before: ``None``."""


class Compiler(Struct, frozen=True):
    """A program that compiles kernels. ``release``: as its package, else as it itself says it;
    ``wave``: the release of wave-lang in its environment, "" if there is none."""

    program: Path
    release: str
    wave: str = ""

    def __str__(self) -> str:
        return f"{_NAME} {self.release}" + f" (wave-lang {self.wave})" * bool(self.wave)

    @property
    def number(self) -> tuple[int, ...]:
        """The release, to compare."""
        return tuple(int(part) for part in re.findall(r"\d+", self.release)[:2])

    def text_of(self, source: SourceText) -> str:
        """What it gets of a text: what the wheel reads, or, of another release, what was written
        before older syntax was made the wheel's."""
        return source.parsed if self.release.startswith(WANTED) else source.written

    def spelled(self, text: str) -> str:
        """A text in which bankwise said that a function is lowered, as this release says it."""
        new, old = "pipeline = #iree_codegen.no_pipeline", "pipeline = None"
        return text if self.number >= _NO_PIPELINE else text.replace(new, old)

    def flag(self, name: str) -> str:
        """A flag, as this release calls it."""
        renamed = name == "--iree-rocm-target" and self.number < _ROCM_TARGET
        return "--iree-hip-target" if renamed else name


def by_wave(text: str) -> bool:
    """Whether Wave wrote a text."""
    return HOST_FUNCTION in text


def compiler_of(text: str, named: str = "") -> Compiler:
    """The compiler of a text. ``named``: a program, or the folder of an environment that has one.

    Raises :class:`InputError` where that is none, or where there is none at all.
    """
    if named:
        return named_compiler(named)
    wave = waves_compiler() if by_wave(text) else None
    return wave or own_compiler()


@lru_cache(maxsize=1)
def own_compiler() -> Compiler:
    """The program of the installed wheel; :class:`InputError` if there is none."""
    spec = importlib.util.find_spec("iree.compiler") if importlib.util.find_spec("iree") else None
    folders = spec.submodule_search_locations if spec else None
    for folder in folders or ():
        program = Path(folder) / "_mlir_libs" / _NAME
        if program.exists():
            site = program.parents[3]
            release = _package(site, "iree_base_compiler") or _installed("iree-base-compiler")
            return Compiler(program, release, _package(site, "wave_lang"))
    raise InputError("the emitted instructions need the IREE compiler", hint=install("ir"))


@lru_cache(maxsize=8)
def named_compiler(named: str) -> Compiler:
    """The compiler that a user names; :class:`InputError` if it is none, or does not run."""
    given = Path(named).expanduser()
    inside = (given / "bin" / _NAME, given / _NAME)
    program = next((p for p in inside if p.is_file()), given) if given.is_dir() else given
    hint = f"--iree-compile or {VARIABLE} names the program, or the environment that has it in bin"
    if not program.is_file():
        missing = f"no {_NAME} in" if given.is_dir() else "no such compiler:"
        raise InputError(f"{missing} {named}", hint=hint)
    found = _asked(program)
    if isinstance(found, str):
        raise InputError(f"{named} is no {_NAME}: {found}", hint=hint)
    return found


def waves_compiler() -> Compiler | None:
    """The compiler beside wave-lang, in an environment that is active or on PATH; None if none."""
    return _first_beside_wave(tuple(_environments()))


@lru_cache(maxsize=8)
def _first_beside_wave(folders: tuple[Path, ...]) -> Compiler | None:
    for folder in folders:
        program = folder / _NAME
        if not (program.is_file() and _beside(program, "wave_lang")):
            continue
        found = _asked(program)
        if isinstance(found, Compiler):
            return found
    return None


def _environments() -> Iterator[Path]:
    """Where the user's programs are."""
    active = filter(None, map(os.environ.get, ("VIRTUAL_ENV", "CONDA_PREFIX")))
    yield from (Path(folder) / "bin" for folder in active)
    yield from map(Path, filter(None, os.environ.get("PATH", "").split(os.pathsep)))


def _asked(program: Path) -> Compiler | str:
    """A program that says that it is a compiler; what is wrong with it, if it does not."""
    site = _beside(program, "iree")
    binary = program if site is None else site / _BINARY
    binary = binary.resolve() if binary.is_file() else program.resolve()
    words = [str(binary), "--version"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = _RELEASE.search(done.stdout)
    if said is None:
        return "--version names no release of IREE's compiler"
    site = site or binary.parents[min(3, len(binary.parents) - 1)]
    release = _package(site, "iree_base_compiler") or ".".join(said.groups())
    return Compiler(binary, release, _package(site, "wave_lang"))


def _beside(program: Path, package: str) -> Path | None:
    """The ``site-packages`` of the environment of a program, if they have a package."""
    try:
        found = sorted(program.parent.parent.glob("lib/python3*/site-packages"))
    except OSError:
        return None
    return next((folder for folder in found if (folder / package).is_dir()), None)


def _installed(package: str) -> str:
    """The release of a package that lies elsewhere than its metadata; to look takes a while."""
    from importlib.metadata import version

    return version(package)


def _package(site: Path, package: str) -> str:
    """The release of a package, as its folder of metadata says it; "" if it has none."""
    try:
        found = sorted(site.glob(f"{package}-*.dist-info"))
    except OSError:
        return ""
    return found[0].name.removeprefix(f"{package}-").removesuffix(".dist-info") if found else ""
