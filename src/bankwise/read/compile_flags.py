"""How the user compiles a source: flags behind ``--``, and compile_commands.json.

    {"directory": "/build", "file": "../k.cu", "command": "nvcc -I../include -DN=4 -c ../k.cu"}

Of a build's command is kept what decides which code a kernel becomes: folders of headers, macros,
the standard, and what nvcc alone knows; what names the output, the host's warnings and the like is
left. Its architecture is taken where ``--target`` names no GPU. What stands behind ``--`` is the
user's own word: it goes to the compiler as it is, behind the others.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from bankwise.errors import InputError, Location
from bankwise.files import nearby, read_text
from bankwise.hardware.machine import names
from bankwise.read.options import Options
from bankwise.read.source import Compilation

_NAME = "compile_commands.json"
_DEEPEST = 4
"""Response files that name response files."""
_LONGEST = 100_000
"""Words of one command."""

_FOLDERS = "-I -isystem -iquote -idirafter -include --include-path --system-include --pre-include"
_PATHS = tuple(_FOLDERS.split())
_VALUES = ("-D", "-U", "-std", "--std", "--define-macro", "--undefine-macro", *_PATHS)
"""With a value, in the same word or in the next; every compiler of CUDA and HIP has the first."""
_SWITCHES = re.compile(
    r"-G|--device-debug|-O[0-3]|-?-use_fast_math|-?-expt-(?:relaxed-constexpr|extended-lambda)"
    r"|-?-extended-lambda|-?-(?:maxrregcount|ftz|fmad|prec-div|prec-sqrt|default-stream)=\S+"
    r"|-?-(?:rdc|relocatable-device-code)=true"
)
"""Of nvcc: what changes the code of a device."""
_NVCC_VALUES = ("-maxrregcount", "--maxrregcount", "-Xptxas", "--ptxas-options", "-ccbin")
_ARCHITECTURE = re.compile(
    r"(?:-arch|--gpu-architecture|--cuda-gpu-arch|--offload-arch|-gencode|--generate-code)"
    r"(?:=|$)(?P<value>.*)"
)
_GPU = re.compile(r"(?:sm_|compute_|\b)(?P<number>\d{2,3})[af]?\b|(?P<amd>gfx[0-9a-f]{3,4})\b")
_RESPONSE = ("--options-file", "-optf")
_REFUSED = ("-o", "-c", "-E", "-S", "-ptx", "-cubin", "-fatbin", "--output-file")


def compilation_of(path: Path, options: Options) -> tuple[Compilation, tuple[str, ...]]:
    """How a source is compiled, and where that is said in the user's build, in words.

    Raises :class:`InputError` for a database that is named and cannot be read, or has no command
    for the file, and for a flag that would change what is asked.
    """
    own = tuple(options.flags)
    refused = next((one for one in own if one in _REFUSED), "")
    if refused:
        hint = "flags of the preprocessor and of the language: -I, -D, -std"
        raise InputError(f"the flag {refused} is not the user's here", hint=hint)
    build, notes = _of_build(path, options.compile_commands)
    target, said = options.target or _own_target(own) or build.target, (*build.flags, *own)
    named = (*said, f"-arch={options.named}")
    flags = (*_without_architecture(said), *_alone(named, target))
    return Compilation(path, target, flags), notes


def _alone(words: Sequence[str], target: str) -> tuple[str, ...]:
    """The flag of a GPU whose own instructions are wanted, as wgmma is sm_90a's, or of its family,
    sm_100f, if words name the target so."""
    said = " ".join(value for _, value in _architectures(words)).replace("compute", "sm")
    named = re.search(rf"\b{re.escape(target)}[af]\b", said) if target else None
    return (f"-arch={named[0]}",) if named else ()


def _own_target(flags: Sequence[str]) -> str:
    target, said = _target(flags), " ".join(value for _, value in _architectures(flags) if value)
    if said and not target:
        raise InputError(f"no machine file for {said}", hint="`bankwise machines` lists them")
    return target


class BuildCommand(Struct, frozen=True):
    """What a build says of a source: ``flags`` with whole paths, and the GPU, "" for none that is
    known here."""

    flags: tuple[str, ...] = ()
    target: str = ""


def _of_build(path: Path, named: str) -> tuple[BuildCommand, tuple[str, ...]]:
    """The command of the user's build: in the file or folder that he names, else in the folders
    around the source, where one that cannot be read is only told."""
    if named:
        database = Path(named) / _NAME if Path(named).is_dir() else Path(named)
        found = build_command(database, path)
        if found is None:
            message = f"no command for {path}"
            raise InputError(message, location=Location(str(database)), hint="flags behind `--`")
        return found, (f"flags of {nearby(database)}",)
    nearest = next(_databases(path), None) if path.is_file() else None
    if nearest is None:
        return BuildCommand(), ()
    try:
        found = build_command(nearest, path)
    except InputError as error:
        return BuildCommand(), (f"{nearby(nearest)} is not read: {error.message}",)
    return (found, (f"flags of {nearby(nearest)}",)) if found else (BuildCommand(), ())


def _databases(path: Path) -> Iterator[Path]:
    for folder in path.resolve().parents:
        for one in (folder / _NAME, folder / "build" / _NAME):
            if one.is_file():
                yield one


def build_command(database: Path, path: Path) -> BuildCommand | None:
    """The command of one source in a compile_commands.json; None if it has none.

    Raises :class:`InputError` for a file that is no such database.
    """
    place = Location(str(database))
    try:
        entries = json.loads(read_text(database))
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"not JSON: {error}", location=place) from error
    if not isinstance(entries, list) or not all(map(_is_entry, entries)):
        message = "not a list of commands with directory, file, and command or arguments"
        raise InputError(message, location=place)
    wanted = os.path.realpath(path)
    for entry in entries:
        folder = os.path.join(database.resolve().parent, entry["directory"])
        if os.path.realpath(os.path.join(folder, entry["file"])) == wanted:
            return _read(_command(entry, place), folder, place)
    return None


def _is_entry(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    texts = (entry.get("directory"), entry.get("file"), entry.get("command", ""))
    words = entry.get("arguments", [])
    plain = all(isinstance(one, str) and "\0" not in one for one in texts)
    return plain and isinstance(words, list) and all(isinstance(one, str) for one in words)


def _command(entry: dict[str, Any], place: Location) -> list[str]:
    if "arguments" in entry:
        return list(entry["arguments"])
    try:
        return shlex.split(entry.get("command", ""))
    except ValueError as error:
        raise InputError(f"a command of {entry['file']}: {error}", location=place) from error


def _read(words: Sequence[str], folder: str, place: Location) -> BuildCommand:
    """What is kept of a command that runs in ``folder``."""
    compiler = os.path.basename(words[0]) if words else ""
    rest = _expanded(words[1:], folder, place, 0)
    is_nvcc = "nvcc" in compiler
    values = (*_VALUES, *(_NVCC_VALUES if is_nvcc else ()))
    flags: list[str] = []
    at = 0
    while at < len(rest):
        word, following = rest[at], rest[at + 1 : at + 2]
        name = next((one for one in sorted(values, key=len, reverse=True) if _is(word, one)), "")
        if name and (word == name) and following:
            flags += [name, _whole(name, following[0], folder)]
            at += 1
        elif name and word != name:
            flags.append(_joined(name, word, folder))
        elif is_nvcc and _SWITCHES.fullmatch(word):
            flags.append(word)
        elif is_nvcc and word in ("-dc", "--device-c"):
            flags.append("-rdc=true")
        at += 1
    target = _target(rest)
    return BuildCommand((*flags, *_alone(rest, target)), target)


def _is(word: str, name: str) -> bool:
    """Whether a word is this option, alone or with its value: ``-DN=4``, ``-std=c++17``."""
    if word == name or word.startswith(f"{name}="):
        return True
    return len(name) == 2 and word.startswith(name)


def _joined(name: str, word: str, folder: str) -> str:
    equals = "=" if word.startswith(f"{name}=") else ""
    value = word[len(name) + len(equals) :]
    return f"{name}{equals}{_whole(name, value, folder)}"


def _whole(name: str, value: str, folder: str) -> str:
    """A path as it is where the command of the user runs, named from the working folder."""
    return nearby(os.path.normpath(os.path.join(folder, value))) if name in _PATHS else value


def _expanded(words: Sequence[str], folder: str, place: Location, depth: int) -> list[str]:
    """The words with those of response files in their places."""
    found: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        name, equals, value = word.partition("=")
        if name in _RESPONSE and (equals or left):
            files = (value if equals else left.pop(0)).split(",")
        elif word.startswith("@") and len(word) > 1:
            files = [word[1:]]
        else:
            found.append(word)
            continue
        for file in files:
            found += _response(os.path.join(folder, file), folder, place, depth)
        if len(found) > _LONGEST:
            raise InputError("a command of too many words", location=place)
    return found


def _response(file: str, folder: str, place: Location, depth: int) -> list[str]:
    if depth == _DEEPEST:
        raise InputError(f"the response file {file} names itself", location=place)
    try:
        words = shlex.split(read_text(file))
    except (ValueError, InputError) as error:
        raise InputError(f"the response file {file}: {error}", location=place) from error
    return _expanded(words, folder, place, depth + 1)


def _architectures(words: Iterable[str]) -> Iterator[tuple[int, str]]:
    """What flags say of the GPU, and the places of the words that say it."""
    given = list(words)
    for at, word in enumerate(given):
        found = _ARCHITECTURE.fullmatch(word)
        if found is None:
            continue
        if found["value"]:
            yield at, found["value"]
        elif at + 1 < len(given) and not word.endswith("="):
            yield at, ""
            yield at + 1, given[at + 1]


def _without_architecture(words: Sequence[str]) -> tuple[str, ...]:
    said = {at for at, _ in _architectures(words)}
    return tuple(word for at, word in enumerate(words) if at not in said)


def _target(words: Sequence[str]) -> str:
    """The first GPU of some flags that has a machine file; "" for none."""
    for _, value in _architectures(words):
        for found in _GPU.finditer(value):
            name = found["amd"] or f"sm_{found['number']}"
            if name in names():
                return name
    return ""
