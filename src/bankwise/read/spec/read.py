"""Spec files as TOML: "does (writer, memory layout, reader) give zero conflicts?"

    machine = "gfx950"
    tile = [64, 32]
    element_bits = 16

    [memory]
    layout = "#iree_codegen.xor_shuffle<32, 8, 64, 4>"

    [[access]]
    name = "write"
    op = "write"
    distribution = "<1 | (1,4,16),(4,8) | (1),(1,2) | (1),(2,0) | 1,2 | 0,1>"

Texts may be in any notation (:mod:`bankwise.notation.frameworks`); docs/notations.md has an example
of each, and every key. Errors name the line and the column in the file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

from bankwise.errors import InputError, Location
from bankwise.files import read_text
from bankwise.hardware.machine import Machine
from bankwise.hardware.machine import machine as machine_named
from bankwise.hardware.policies import policies
from bankwise.notation import ck
from bankwise.notation.values import MAX_POINTS, axis_names
from bankwise.read.problem.lines import key_lines
from bankwise.read.problem.source import Source, known, optional, required
from bankwise.read.spec.entries import SpecEntries, read_access, read_global, read_layout
from bankwise.read.spec.values import GlobalAccess, Spec, SpecAccess, SpecLayout, TileTrips

_TOP = (
    *("title", "source", "machine", "tile", "dims", "element_bits", "policy", "launch"),
    *("workgroup", "symbols", "texts", "memory", "access", "global", "published"),
)
_LAUNCH = ("workgroups", "iterations")
_NAME = re.compile(r"[A-Za-z_]+")
_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")
_MAX_RANK = 8
_MOST = 1 << 40


def read_spec(file: str | Path, target: str = "") -> Spec:
    """Read a spec file. :class:`InputError` with the place of what is wrong.

    ``target``: a machine that takes the place of the file's.
    """
    return parse_spec(read_text(file), str(file), target)


def parse_spec(text: str, file: str = "spec.toml", target: str = "") -> Spec:
    """Read the text of a spec file; ``file`` names it in errors."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line, column = (int(place[1]), int(place[2])) if place else (0, 0)
        message = f"not TOML: {_PLACE.sub('', str(error))}"
        raise InputError(message, location=Location(file, line, column)) from error
    except RecursionError as error:
        raise InputError("nested too deeply", location=Location(file)) from error
    source = Source(file, key_lines(text))
    known(data, _TOP, (), source)
    gpu = machine_named(target) if target else _machine(data, source)
    return _spec(data, gpu, source, tuple(text.splitlines()))


def _spec(data: Mapping[str, Any], gpu: Machine, source: Source, lines: tuple[str, ...]) -> Spec:
    shape = _shape(data, source)
    bits = required(data, "element_bits", int, (), source)
    if bits not in (8, 16, 32, 64):
        raise source.error(("element_bits",), f"element_bits = {bits}", "8, 16, 32 or 64")
    policy = optional(data, "policy", str, "", (), source)
    if policy and policy not in policies():
        raise source.error(("policy",), f"policy = {policy!r}", "one of " + ", ".join(policies()))
    dims = _dims(data, len(shape), source)
    reader = SpecEntries(
        source,
        lines,
        gpu,
        shape,
        dims,
        bits,
        _symbols(data, gpu, source),
        _texts(data, source),
        _threads(data, source),
    )
    accesses = _accesses(data, reader)
    if accesses and "memory" not in data:
        raise source.error(("access",), "the accesses need a [memory] with a layout")
    return Spec(
        source.file,
        optional(data, "title", str, "", (), source) or Path(source.file).stem,
        gpu,
        shape,
        dims,
        bits,
        policy,
        _memory(data, reader),
        accesses,
        _globals(data, reader),
        _launch(data, source),
        _published(data, source),
    )


def _accesses(data: Mapping[str, Any], reader: SpecEntries) -> tuple[SpecAccess, ...]:
    source = reader.source
    listed = optional(data, "access", list, [], (), source)
    if not listed and "global" not in data:
        raise source.error((), "a spec needs at least one [[access]] or [[global]]")
    found = tuple(read_access(a, i, reader) for i, a in enumerate(listed))
    _each_once([a.name for a in found], "access", source)
    return found


def _globals(data: Mapping[str, Any], reader: SpecEntries) -> tuple[GlobalAccess, ...]:
    listed = optional(data, "global", list, [], (), reader.source)
    found = tuple(read_global(g, i, reader) for i, g in enumerate(listed))
    _each_once([g.name for g in found], "global", reader.source)
    return found


def _each_once(names: list[str], key: str, source: Source) -> None:
    for number, name in enumerate(names):
        if name in names[:number]:
            raise source.error((key, number, "name"), f"two accesses are called {name!r}")


def _memory(data: Mapping[str, Any], reader: SpecEntries) -> SpecLayout | None:
    table = optional(data, "memory", dict, None, (), reader.source)
    if table is None:
        return None
    known(table, ("layout", "notation"), ("memory",), reader.source)
    axes = tuple(range(len(reader.shape)))
    return read_layout(table, ("memory",), axes, reader)


def _machine(data: Mapping[str, Any], source: Source) -> Machine:
    name = required(data, "machine", str, (), source)
    try:
        return machine_named(name)
    except InputError as error:
        raise source.at(("machine",), error) from error


def _shape(data: Mapping[str, Any], source: Source) -> tuple[int, ...]:
    if isinstance(data.get("tile"), dict):
        hint = "`bankwise solve` reads it; a spec has tile = [64, 32] and a [memory]"
        raise source.error(("tile",), "tile is a table: this is a problem file", hint)
    sizes = required(data, "tile", list, (), source)
    if not 1 <= len(sizes) <= _MAX_RANK or any(type(s) is not int or s < 1 for s in sizes):
        hint = "positive sizes, the fastest axis last: [64, 32]"
        raise source.error(("tile",), f"tile = {sizes!r}", hint)
    if prod(sizes) > MAX_POINTS:
        message = f"a tile of {prod(sizes)} elements; {MAX_POINTS} are the most looked at"
        raise source.error(("tile",), message)
    return tuple(sizes)


def _dims(data: Mapping[str, Any], rank: int, source: Source) -> tuple[str, ...]:
    names = optional(data, "dims", list, list(axis_names(rank)), (), source)
    if len(names) != rank:
        raise source.error(("dims",), f"dims = {names!r}", f"one name for each of {rank} axes")
    for name in names:
        if not isinstance(name, str) or not _NAME.fullmatch(name) or names.count(name) > 1:
            raise source.error(("dims",), f"bad axis name {name!r}", "letters only, each once")
    return tuple(names)


def _symbols(data: Mapping[str, Any], gpu: Machine, source: Source) -> dict[str, int]:
    """The ``[symbols]``; a text names something that the machine knows."""
    table = optional(data, "symbols", dict, {}, (), source)
    asked = ck.machine_symbols(gpu) if gpu.vendor == "amd" else {}
    found = dict(asked)
    for name, value in table.items():
        number = asked.get(value) if isinstance(value, str) else value
        if type(number) is not int or abs(number) > _MOST:
            hint = "a whole number" + "".join(f', or "{known}"' for known in asked)
            raise source.error(("symbols", name), f"{name} = {value!r}", hint)
        found[name] = number
    return found


def _texts(data: Mapping[str, Any], source: Source) -> dict[str, str]:
    """Texts that entries name instead of repeating them."""
    table: dict[str, str] = optional(data, "texts", dict, {}, (), source)
    for name in table:
        required(table, name, str, ("texts",), source)
    return table


def _threads(data: Mapping[str, Any], source: Source) -> tuple[int, int, int] | None:
    sizes = optional(data, "workgroup", list, None, (), source)
    if sizes is None:
        return None
    good = 1 <= len(sizes) <= 3 and all(type(s) is int and s >= 1 for s in sizes)
    if not good or prod(sizes) > 1024:
        hint = "threads in x, y, z, at most 1024 together: [256, 1, 1]"
        raise source.error(("workgroup",), f"workgroup = {sizes!r}", hint)
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def _launch(data: Mapping[str, Any], source: Source) -> TileTrips | None:
    """``launch = N`` passes over the tile, or ``workgroups`` and ``iterations``."""
    if "launch" not in data:
        return None
    table = data["launch"]
    given = {"workgroups": table} if type(table) is int else table
    if not isinstance(given, dict):
        hint = "passes over the tile in all, or workgroups and iterations"
        raise source.error(("launch",), f"launch = {table!r}", hint)
    known(given, _LAUNCH, ("launch",), source)
    numbers = []
    for key in _LAUNCH:
        number = given.get(key, 1)
        if type(number) is not int or not 1 <= number <= _MOST:
            raise source.error(("launch", key), f"{key} = {number!r}", "a positive number")
        numbers.append(number)
    return TileTrips(*numbers)


def _published(data: Mapping[str, Any], source: Source) -> dict[str, int | float | str]:
    table: dict[str, int | float | str] = optional(data, "published", dict, {}, (), source)
    for name, value in table.items():
        if type(value) not in (int, float, str):
            raise source.error(("published", name), f"{name} = {value!r}", "a number or a text")
    return table
