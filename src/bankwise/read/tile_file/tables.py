"""The small tables of a question: tile, symbols, texts, threads, launch, published, solve."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, get_args

from bankwise.algebra.offset import Shape
from bankwise.errors import InputError
from bankwise.hardware.machine import Machine
from bankwise.hardware.machine import machine as machine_named
from bankwise.notation import ck
from bankwise.notation.frameworks import framework
from bankwise.notation.values import MAX_POINTS, axis_names
from bankwise.read.tile_file.lines import Path
from bankwise.read.tile_file.question import SolveOptions, TileTrips
from bankwise.read.tile_file.source import Source, known, optional, required
from bankwise.solver.plan import Prefer

TILE = ("shape", "element_bits", "dims")
LAUNCH = ("workgroups", "iterations")
SOLVE = ("family", "budget_s", "allow_narrowing", "max_lds_bytes", "prefer")
_NAME = re.compile(r"[A-Za-z_]+")
_MAX_RANK = 8
_MOST = 1 << 40


def machine(data: Mapping[str, Any], source: Source) -> Machine:
    """The ``machine`` of the file."""
    name = required(data, "machine", str, (), source)
    try:
        return machine_named(name)
    except InputError as error:
        raise source.at(("machine",), error) from error


def tile(
    data: Mapping[str, Any], source: Source, bits_named: bool
) -> tuple[tuple[int, ...], tuple[str, ...], int]:
    """(sizes, names, element bits): ``tile = [16, 32]`` with ``dims`` and ``element_bits`` beside
    it, or all of them in one table.

    ``bits_named``: accesses name bits of the dimensions, so that more than two need names.
    """
    inline = isinstance(data.get("tile"), dict)
    table: Mapping[str, Any] = data["tile"] if inline else data
    where: Path = ("tile",) if inline else ()
    if inline:
        known(table, TILE, where, source)
        for key in TILE[1:]:
            if key in data:
                raise source.error((key,), f"{key} beside a tile that is a table", "inside it")
    sizes = _sizes(table, "shape" if inline else "tile", where, source)
    bits = required(table, "element_bits", int, where, source)
    if bits not in (4, 6, 8, 16, 32, 64):
        message = f"element_bits = {bits}: bankwise knows 4, 6, 8, 16, 32 and 64"
        raise source.error((*where, "element_bits"), message)
    return sizes, _dims(table, len(sizes), where, source, bits_named), bits


def _sizes(table: Mapping[str, Any], key: str, where: Path, source: Source) -> tuple[int, ...]:
    sizes = required(table, key, list, where, source)
    place = (*where, key)
    if not 1 <= len(sizes) <= _MAX_RANK or any(type(s) is not int or s < 1 for s in sizes):
        hint = "positive sizes, the contiguous dimension last: [16, 32]"
        raise source.error(place, f"{key} = {sizes!r}", hint)
    if prod(sizes) > MAX_POINTS:
        message = f"a tile of {prod(sizes)} elements; {MAX_POINTS} are the most looked at"
        raise source.error(place, message)
    return tuple(sizes)


def _dims(
    table: Mapping[str, Any], rank: int, where: Path, source: Source, bits_named: bool
) -> tuple[str, ...]:
    if "dims" not in table and rank > 2 and bits_named:
        hint = 'name them: dims = ["b", ...]'
        key = "shape" if where else "tile"
        raise source.error((*where, key), f"{rank} dimensions", hint)
    names: Sequence[Any] = optional(table, "dims", list, list(axis_names(rank)), where, source)
    where = (*where, "dims")
    if len(names) != rank:
        raise source.error(where, f"dims = {names!r}", f"one name for each of {rank} dimensions")
    for name in names:
        if not isinstance(name, str) or not _NAME.fullmatch(name) or names.count(name) > 1:
            raise source.error(where, f"bad dimension name {name!r}", "letters only, each once")
    return tuple(names)


def fits_machine(shape: Shape, gpu: Machine) -> None:
    """Raise :class:`InputError` for a tile that no workgroup has room for."""
    size = shape.bytes_of(shape.elements)
    if size > gpu.lds_bytes:
        raise InputError(
            f"the tile takes {size} bytes, a workgroup of {gpu.name} "
            f"has {gpu.lds_bytes} bytes of shared memory"
        )


def symbols(data: Mapping[str, Any], gpu: Machine, source: Source) -> dict[str, int]:
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


def texts(data: Mapping[str, Any], source: Source) -> dict[str, str]:
    """Texts that entries name instead of repeating them."""
    table: dict[str, str] = optional(data, "texts", dict, {}, (), source)
    for name in table:
        required(table, name, str, ("texts",), source)
    return table


def threads(data: Mapping[str, Any], source: Source) -> tuple[int, int, int] | None:
    """The ``workgroup``: threads in x, y, z."""
    sizes = optional(data, "workgroup", list, None, (), source)
    if sizes is None:
        return None
    good = 1 <= len(sizes) <= 3 and all(type(s) is int and s >= 1 for s in sizes)
    if not good or prod(sizes) > 1024:
        hint = "threads in x, y, z, at most 1024 together: [256, 1, 1]"
        raise source.error(("workgroup",), f"workgroup = {sizes!r}", hint)
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def launch(data: Mapping[str, Any], source: Source) -> TileTrips | None:
    """``launch = N`` passes over the tile, or ``workgroups`` and ``iterations``."""
    if "launch" not in data:
        return None
    table = data["launch"]
    given = {"workgroups": table} if type(table) is int else table
    if not isinstance(given, dict):
        hint = "passes over the tile in all, or workgroups and iterations"
        raise source.error(("launch",), f"launch = {table!r}", hint)
    known(given, LAUNCH, ("launch",), source)
    numbers = []
    for key in LAUNCH:
        number = given.get(key, 1)
        if type(number) is not int or not 1 <= number <= _MOST:
            raise source.error(("launch", key), f"{key} = {number!r}", "a positive number")
        numbers.append(number)
    return TileTrips(*numbers)


def published(data: Mapping[str, Any], source: Source) -> dict[str, int | float | str]:
    """The ``[published]`` numbers and texts."""
    table: dict[str, int | float | str] = optional(data, "published", dict, {}, (), source)
    for name, value in table.items():
        if type(value) not in (int, float, str):
            raise source.error(("published", name), f"{name} = {value!r}", "a number or a text")
    return table


def options(data: Mapping[str, Any], size: int, source: Source) -> SolveOptions:
    """The ``[solve]`` table; ``size``: of the whole tile in bytes."""
    table = data.get("solve", {})
    if not isinstance(table, dict):
        raise source.error(("solve",), f"solve = {table!r} is no table")
    known(table, SOLVE, ("solve",), source)
    name = optional(table, "family", str, "", ("solve",), source)
    if name:
        try:
            framework(name)
        except InputError as error:
            raise source.at(("solve", "family"), error) from error
    budget = table.get("budget_s")
    if budget is not None and (type(budget) not in (int, float) or not 0 < budget < 1e6):
        raise source.error(("solve", "budget_s"), f"budget_s = {budget!r} is no positive number")
    narrow = optional(table, "allow_narrowing", bool, None, ("solve",), source)
    prefer = optional(table, "prefer", str, "", ("solve",), source)
    if prefer not in ("", *get_args(Prefer)):
        told = f"prefer = {prefer!r}", "one of " + ", ".join(get_args(Prefer))
        raise source.error(("solve", "prefer"), *told)
    most = optional(table, "max_lds_bytes", int, None, ("solve",), source)
    if most is not None and most < size:
        raise source.error(
            ("solve", "max_lds_bytes"), f"max_lds_bytes = {most}, and the tile takes {size} bytes"
        )
    return SolveOptions(name, budget, narrow, most, prefer)
