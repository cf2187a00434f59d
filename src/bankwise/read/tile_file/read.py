"""Questions about a tile as TOML: what does it cost, which layout is best?

    machine = "gfx950"
    tile = [64, 32]
    element_bits = 16

    [memory]
    layout = "#iree_codegen.xor_shuffle<32, 8, 64, 4>"

    [[access]]
    name = "write"
    op = "write"
    distribution = "<1 | (1,4,16),(4,8) | (1),(1,2) | (1),(2,0) | 1,2 | 0,1>"

    [[access]]
    name = "read"
    op = "read"
    lanes = "m0 m1 m2 m3 m4 m5"
    registers = "n0 n1 n2 n3 n4"

Without a layout the question is which one is best. Layouts and distributions may be in any notation
(:mod:`bankwise.notation.frameworks`); directions are one more, and an ``offset`` of lane and reg
another. The bits of the last dimension are n0, n1, .., those of the one before m0, m1, .., unless
``dims`` names others. A leading dimension of any size that no access moves (the stages of a
pipeline) is a batch. docs/notations.md has every key. Errors name the line and, inside a text, the
column in the file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from bankwise.algebra.offset import Dims
from bankwise.errors import InputError, Location, Refusal
from bankwise.files import read_text
from bankwise.hardware.machine import Machine
from bankwise.hardware.machine import machine as machine_named
from bankwise.hardware.policies import policies
from bankwise.read.tile_file import tables
from bankwise.read.tile_file.entries import (
    TileEntries,
    is_listed,
    read_access,
    read_global,
    read_held,
    read_layout,
)
from bankwise.read.tile_file.lines import key_lines
from bankwise.read.tile_file.question import Held, TileQuestion, WrittenAccess, WrittenLayout
from bankwise.read.tile_file.source import Source, known, optional
from bankwise.read.tile_file.units import is_unit

_TOP = (
    *("title", "source", "machine", "tile", "dims", "element_bits", "policy", "launch"),
    *("workgroup", "symbols", "texts", "layout", "notation", "memory", "access", "global"),
    *("published", "solve"),
)
_MEMORY = ("layout", "notation")
_BIT = re.compile(r"([A-Za-z_]+)\d+")
_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")


def read_question(file: str | Path | Mapping[str, Any], target: str = "") -> TileQuestion:
    """Read a file, or the mapping that it would parse to. :class:`InputError` for a bad one.

    ``target``: a machine that takes the place of the file's.
    """
    if isinstance(file, Mapping):
        return _question(file, Source("problem", {}), target)
    return parse_question(read_text(file), str(file), target)


def parse_question(text: str, file: str = "question.toml", target: str = "") -> TileQuestion:
    """Read the text of a file; ``file`` names it in errors."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line, column = (int(place[1]), int(place[2])) if place else (0, 0)
        message = f"not TOML: {_PLACE.sub('', str(error))}"
        raise InputError(message, location=Location(file, line, column)) from error
    except RecursionError as error:
        raise InputError("nested too deeply", location=Location(file)) from error
    return _question(data, Source(file, key_lines(text), tuple(text.splitlines())), target)


def _question(data: Mapping[str, Any], source: Source, target: str) -> TileQuestion:
    known(data, _TOP, (), source)
    gpu = machine_named(target) if target else tables.machine(data, source)
    listed = _entries(data, source)
    reader = _reader(data, gpu, listed, source)
    layout = _layout(data, reader)
    if layout is None and listed:
        try:
            tables.fits_machine(reader.over(tuple(range(len(reader.shape)))), gpu)
        except InputError as error:
            where = ("tile", "shape") if isinstance(data["tile"], dict) else ("tile",)
            raise source.at(where, error) from error
    accesses, stages = _accesses(listed, reader)
    shape = reader.over(tuple(range(len(reader.shape))))
    return TileQuestion(
        source.file,
        optional(data, "title", str, "", (), source) or Path(source.file).stem,
        gpu,
        reader.shape,
        reader.dims,
        reader.element_bits,
        stages,
        _policy(data, source),
        layout,
        accesses,
        tuple(read_global(g, i, reader) for i, g in enumerate(_globals(data, source))),
        tables.launch(data, source),
        tables.published(data, source),
        tables.options(data, shape.bytes_of(shape.elements), source),
    )


def _entries(data: Mapping[str, Any], source: Source) -> list[Any]:
    """The ``[[access]]`` tables."""
    listed: list[Any] = optional(data, "access", list, [], (), source)
    if not listed and "global" not in data:
        where = ("access",) if "access" in data else ()
        raise source.error(where, "a question needs at least one [[access]] or [[global]]")
    _each_once(listed, "access", source)
    return listed


def _globals(data: Mapping[str, Any], source: Source) -> list[Any]:
    listed: list[Any] = optional(data, "global", list, [], (), source)
    _each_once(listed, "global", source)
    return listed


def _each_once(listed: Sequence[Any], key: str, source: Source) -> None:
    names = [entry.get("name") if isinstance(entry, dict) else None for entry in listed]
    for number, name in enumerate(names):
        if isinstance(name, str) and name in names[:number]:
            raise source.error((key, number, "name"), f"two accesses are called {name!r}")


def _reader(
    data: Mapping[str, Any], gpu: Machine, listed: list[Any], source: Source
) -> TileEntries:
    shape, dims, bits = tables.tile(data, source, any(map(is_listed, listed)))
    return TileEntries(
        source,
        gpu,
        shape,
        dims,
        bits,
        tables.symbols(data, gpu, source),
        tables.texts(data, source),
        tables.threads(data, source),
    )


def _policy(data: Mapping[str, Any], source: Source) -> str:
    policy: str = optional(data, "policy", str, "", (), source)
    if policy and policy not in policies():
        raise source.error(("policy",), f"policy = {policy!r}", "one of " + ", ".join(policies()))
    return policy


def _layout(data: Mapping[str, Any], reader: TileEntries) -> WrittenLayout | None:
    """The ``layout`` of the file, at its top or in ``[memory]``."""
    axes = tuple(range(len(reader.shape)))
    table = optional(data, "memory", dict, None, (), reader.source)
    if table is None:
        return read_layout(data, (), axes, reader) if "layout" in data else None
    known(table, _MEMORY, ("memory",), reader.source)
    for key in _MEMORY:
        if key in data:
            raise reader.source.error((key,), f"{key} beside a [memory]", "inside it")
    return read_layout(table, ("memory",), axes, reader)


def _accesses(listed: list[Any], reader: TileEntries) -> tuple[tuple[WrittenAccess, ...], Dims]:
    """All accesses, and the leading dimensions that none of them moves, the outermost last."""
    helds = [read_held(data, number, reader) for number, data in enumerate(listed)]
    reader = replace(reader, stages=_stages(listed, helds, reader))
    dims = zip(reader.dims[: reader.stages], reader.shape[: reader.stages], strict=True)
    found = tuple(
        read_access(data, number, reader, held)
        for number, (data, held) in enumerate(zip(listed, helds, strict=True))
    )
    return found, tuple(dims)[::-1]


def _stages(listed: list[Any], helds: list[Held | None], reader: TileEntries) -> int:
    """How many leading dimensions of odd size no access names.

    An access by ``offset`` counts elements of the whole tile, so it may move any.
    """
    if any("offset" in data for data in listed):
        return 0
    texts = [str(data.get(key, "")) for data in listed for key in ("lanes", "vector", "registers")]
    named = set(_BIT.findall(" ".join(texts)))
    for data in filter(is_unit, listed):
        axes = data.get("axes", reader.dims[-2:])
        named |= set(map(str, axes)) if isinstance(axes, list | tuple) else set()
    for held in helds:
        named |= _moved(held, reader.dims) if held else set()
    count = 0
    while count < len(reader.shape) - 1 and _is_odd(reader.shape[count]):
        if reader.dims[count] in named:
            break
        count += 1
    return count


def _is_odd(size: int) -> bool:
    return bool(size & (size - 1))


def _moved(held: Held, dims: tuple[str, ...]) -> set[str]:
    """The axes along which a distribution has more than one element."""
    if isinstance(held.distribution, Refusal):
        return set(dims)
    sizes = zip(held.axes, held.distribution.shape, strict=True)
    return {dims[axis] for axis, size in sizes if size > 1}
