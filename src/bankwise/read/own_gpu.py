"""The GPUs that a file names itself: a target said of many files is for those that name none."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from bankwise.files import read_text
from bankwise.hardware.folders import machine_files
from bankwise.hardware.machine import canonical, machine
from bankwise.read.options import Options
from bankwise.read.recognise import load, recognise

if TYPE_CHECKING:
    from bankwise.read.follow.dialect import Dialect


def of_one_among_many(file: Path, options: Options) -> Options:
    """What is said of many files, for one of them: it is counted for a GPU that it names, and for
    the target where it names none or that one is among those it names.

    Raises :class:`bankwise.errors.InputError` for what cannot be read.
    """
    if not options.target or file.is_dir():
        return options
    kind = recognise(file)
    named = set(load(kind.gpus)(file)) if kind.gpus else set()
    own = named and options.target not in named
    return replace(options, target="") if own else options


def of_code(file: Path) -> Iterable[str]:
    """Of machine code as text."""
    dialect: Dialect[Any, Any] = load(recognise(file).reader)
    said = dialect.target(read_text(file))
    return (canonical(said),) if said else ()


def of_ptx(file: Path) -> Iterable[str]:
    """Of PTX, which names the oldest GPU that it runs on: all that run PTX."""
    from bankwise.read.follow.driver import followed
    from bankwise.read.ptx.dialect import PTX

    said = of_code(file)
    return (*said, *followed(PTX)) if said else ()


def of_binary(file: Path) -> Iterable[str]:
    """Of a cubin, a code object, a library; for several, those of all."""
    from bankwise.read.binary.container import members

    return {one.target for one in members(file, []) if one.target}


def of_ttgir(file: Path) -> Iterable[str]:
    """Of a TTGIR module: every machine that Triton calls so, or the name where none is."""
    from bankwise.read.ttgir.module import named_by_triton, said_target

    said = said_target(read_text(file))
    return named_by_triton(said) or (said,) if said else ()


def of_mlir(file: Path) -> Iterable[str]:
    """Of the kernels of an MLIR text, with machine files of the user's for that GPU; nothing where
    one of them names none."""
    from bankwise.read.mlir.kernels import kernels
    from bankwise.read.mlir.module import open_module

    said = [one.target for one in kernels(open_module(file))]
    known = [canonical(name) for name in said if name]
    if len(known) < len(said):
        return ()
    tools = ((name, machine(name).tools.iree) for name in machine_files())
    return {*known, *(name for name, one in tools if one and one.target in known)}


def of_question(file: Path) -> Iterable[str]:
    """Of a tile question: its ``machine``."""
    try:
        said = tomllib.loads(read_text(file)).get("machine")
    except tomllib.TOMLDecodeError:  # whoever reads it says so
        return ()
    return (canonical(said),) if isinstance(said, str) else ()
