"""``bankwise.toml``: what a project says once about its kernels, to editors, agents and verbs.

    target = "sm_90"
    flags = ["-Iinclude", "-DTILE=64"]

    [[file]]
    match = "amd/**"
    target = "gfx950"

Keys are options of the command line. A ``[[file]]`` says more, or otherwise, of files whose path
from the folder of the ``bankwise.toml`` it matches; the last one that says something wins. The
nearest ``bankwise.toml`` at or above a file is read, no other.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from bankwise.errors import InputError, Location
from bankwise.files import read_bytes, read_text
from bankwise.read.format import Format
from bankwise.read.options import FLAG_OF, Options

NAME = "bankwise.toml"
Texts = tuple[str, ...]


class SaidOfFiles(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Options, spelled as on the command line with ``_`` for ``-``; what is not said is unset."""

    target: str | UnsetType = UNSET
    kernel: str | UnsetType = UNSET
    dim: Texts | UnsetType = UNSET
    workgroup_size: str | UnsetType = UNSET
    policy: str | UnsetType = UNSET
    arg: Texts | UnsetType = UNSET
    launch: Texts | UnsetType = UNSET
    prefer: str | UnsetType = UNSET
    flags: Texts | UnsetType = UNSET
    compile_commands: str | UnsetType = UNSET
    fix: bool | UnsetType = UNSET
    match: str = "*"


class Settings(SaidOfFiles, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A whole ``bankwise.toml``."""

    file: tuple[SaidOfFiles, ...] = ()


_UNSAID = Options()
_FIELDS = {"dim": "dims", "arg": "arguments", "launch": "launches"}
"""Fields of :class:`Options` that are not called as the command line calls them."""


class FileSettings(Struct, frozen=True):
    """What holds for one file. ``folder``: that of the settings, from which paths in them count.
    ``fix``: whether fixes are looked for unasked. ``file``: the ``bankwise.toml``, if there is."""

    options: Options
    folder: Path
    fix: bool = True
    file: Path | None = None


def settings_of(
    file: Path, given: Mapping[str, Any] | None = None, top: Path | None = None
) -> FileSettings:
    """What is said of a file. ``given``: the same keys from elsewhere; a ``bankwise.toml`` wins.
    ``top``: the folder, links followed, outside of which none is read.

    Raises :class:`InputError`, at the place in the ``bankwise.toml``, for what none can hold.
    """
    places = (folder / NAME for folder in file.parents)
    found = next((p for p in places if p.is_file() and _below(p, top)), None)
    said = [*_said(dict(given or {}), "the settings of the editor")]
    said += _said(_toml(found), str(found)) if found else []
    folder = found.parent if found else file.parent
    path = file.relative_to(folder).as_posix()
    every = [one for one in said if fnmatchcase(path, one.match)]
    options, fix = Options(), True
    for one in every:
        known = _known(one)
        fix = known.pop("fix", fix)
        options = replace(options, **known)
    return FileSettings(options, folder, fix, found)


def _below(path: Path, top: Path | None) -> bool:
    return top is None or path.resolve().is_relative_to(top)


def _known(said: SaidOfFiles) -> dict[str, Any]:
    """What is said, by the fields of :class:`Options`, and ``fix``."""
    every = ((f.name, getattr(said, f.name)) for f in msgspec.structs.fields(SaidOfFiles))
    return {_FIELDS.get(k, k): v for k, v in every if v is not UNSET and k != "match"}


def _toml(path: Path) -> dict[str, Any]:
    if not read_bytes(path).strip():
        return {}
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"this is no TOML: {error}", location=Location(str(path))) from error


def _said(values: dict[str, Any], where: str) -> tuple[SaidOfFiles, ...]:
    """The whole first, then what it says of some files."""
    try:
        whole = msgspec.convert(values, Settings)
    except msgspec.ValidationError as error:
        keys = ", ".join(field.name for field in msgspec.structs.fields(Settings))
        message = str(error).replace(" - at `$.", " at `").replace(" - at `$`", "")
        raise InputError(message, location=Location(where), hint=f"keys: {keys}") from error
    return (whole, *whole.file)


def fitting(options: Options, kind: Format, users: tuple[Format, ...]) -> Options:
    """The options without those that say nothing about such a file, but about other ``users`` of
    the verb: settings of a project are of files of many kinds."""
    for name, flag in FLAG_OF.items():
        if flag not in kind.options and any(flag in one.options for one in users):
            options = replace(options, **{name: getattr(_UNSAID, name)})
    if kind.preferences and options.prefer not in kind.preferences:
        options = replace(options, prefer=_UNSAID.prefer)
    return options
