"""The entries that hold notations: ``layout``, ``[memory]``, ``[[access]]``, ``[[global]]``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from bankwise.algebra.offset import Shape
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Machine
from bankwise.notation import row_major
from bankwise.notation.framework import Setting
from bankwise.notation.frameworks import languages, notation_of, read_distribution, read_memory
from bankwise.notation.mfma import Operand
from bankwise.read.tile_file import listed, units
from bankwise.read.tile_file.lines import Path
from bankwise.read.tile_file.question import GlobalAccess, Held, WrittenAccess, WrittenLayout
from bankwise.read.tile_file.source import Source, choice, known, optional, required
from bankwise.read.tile_file.views import fits

_BOTH = ("name", "op", "vector", "weight", "layout", "layout_notation")
_HELD = ("distribution", "notation", "operand", "axes")
_ACCESS = (*_BOTH, *_HELD, *listed.KEYS, *units.KEYS)
_GLOBAL = (*_BOTH[:3], *_HELD, *_BOTH[4:], "base_bytes", "cache_swizzle_stride")
_OPERANDS: tuple[Operand, ...] = ("A", "B", "C", "D")
_MOST = 1 << 40


class TileEntries(Struct, frozen=True):
    """The file, and what its entries share.

    ``texts``: the ``[texts]`` that entries may name. ``workgroup``: None for one wave.
    ``stages``: how many leading dimensions no access moves.
    """

    source: Source
    machine: Machine
    shape: tuple[int, ...]
    dims: tuple[str, ...]
    element_bits: int
    symbols: Mapping[str, int]
    texts: Mapping[str, str]
    workgroup: tuple[int, int, int] | None
    stages: int = 0

    def setting(self, operand: Operand = "A") -> Setting:
        """What the texts do not say themselves."""
        workgroup = self.workgroup or (self.machine.wave_size, 1, 1)
        return Setting(self.machine, self.symbols, workgroup, operand)

    @property
    def tile(self) -> Shape:
        """The tile without its stages, which are its first axes."""
        return self.over(tuple(range(self.stages, len(self.shape))))

    def over(self, axes: tuple[int, ...]) -> Shape:
        """The tile seen over these of its axes."""
        dims = tuple((self.dims[a], self.shape[a]) for a in reversed(axes))
        return Shape(dims, self.element_bits)


def _whole_bytes(reader: TileEntries) -> None:
    """Refuse words that know no elements of less than a byte."""
    if reader.element_bits < 8:
        inline: Path = ("tile", "element_bits")
        where = inline if inline in reader.source.lines else inline[1:]
        message = f"element_bits = {reader.element_bits} in the words of a framework"
        hint = "8, 16, 32 or 64; or accesses by lanes or offset, and no layout"
        raise reader.source.error(where, message, hint)


def read_layout(
    table: Mapping[str, Any],
    where: Path,
    axes: tuple[int, ...],
    reader: TileEntries,
    notation_key: str = "notation",
) -> WrittenLayout:
    """The ``layout`` of a table, over these axes of the tile."""
    source = reader.source
    _whole_bytes(reader)
    text, path = _text(table, "layout", where, reader)
    notation = _notation(table, notation_key, text, where, path, reader)
    try:
        memory = read_memory(text, notation, reader.over(axes), reader.setting())
    except InputError as error:
        raise source.inside(path, error) from error
    return WrittenLayout(text, notation, memory, reader.source.place(path))


def is_listed(data: object) -> bool:
    """Whether an ``[[access]]`` is by directions or by an offset."""
    return isinstance(data, dict) and not set(_HELD) & set(data) and not units.is_unit(data)


def read_access(data: object, number: int, reader: TileEntries, held: Held | None) -> WrittenAccess:
    """Read and check ``[[access]]`` number ``number``; ``held``: its distribution, if it has one.

    ``reader.tile``: the tile without its stages.
    """
    where: Path = ("access", number)
    source, table = reader.source, _table(data, _ACCESS, where, reader.source)
    read = units.read_unit if units.is_unit(table) else listed.read_listed
    words = held or read(table, where, reader.machine, reader.tile, source)
    own = None
    if "layout" in table:
        axes = held.axes if held else tuple(range(len(reader.shape)))
        own = read_layout(table, where, axes, reader, "layout_notation")
    weight = optional(table, "weight", int, 1, where, source)
    if not 1 <= weight <= _MOST:
        raise source.error((*where, "weight"), f"weight = {weight}", "1 and more")
    return WrittenAccess(
        required(table, "name", str, where, source),
        choice(table, "op", ("read", "write"), where, source),
        words,
        own,
        _vector(table, where, source) if held else None,
        weight,
        source.place(where),
    )


def read_held(data: object, number: int, reader: TileEntries) -> Held | None:
    """The distribution of ``[[access]]`` number ``number``; None for one by directions."""
    where: Path = ("access", number)
    table = _table(data, _ACCESS, where, reader.source)
    if is_listed(table) or units.is_unit(table):
        return None
    other = next(key for key in _HELD if key in table)
    for key in (*listed.KEYS, *units.KEYS):
        if key in table:
            hint = "either a distribution, or lanes or an offset"
            raise reader.source.error((*where, key), f"{key} and {other} in one access", hint)
    return _distribution(table, where, reader)


def read_global(data: object, number: int, reader: TileEntries) -> GlobalAccess:
    """Read and check ``[[global]]`` number ``number``."""
    where: Path = ("global", number)
    table = _table(data, _GLOBAL, where, reader.source)
    held = _distribution(table, where, reader)
    base = optional(table, "base_bytes", int, 0, where, reader.source)
    if not 0 <= base <= _MOST:
        raise reader.source.error((*where, "base_bytes"), f"base_bytes = {base}", "0 and more")
    return GlobalAccess(
        required(table, "name", str, where, reader.source),
        choice(table, "op", ("read", "write"), where, reader.source),
        held,
        read_layout(table, where, held.axes, reader, "layout_notation"),
        _vector(table, where, reader.source),
        base,
        optional(table, "cache_swizzle_stride", int, None, where, reader.source),
        reader.source.place(where),
    )


def _table(data: object, keys: tuple[str, ...], where: Path, source: Source) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise source.error(where, f"{where[0]} = {data!r} is no table", f"write [[{where[0]}]]")
    known(data, keys, where, source)
    return data


def _distribution(table: Mapping[str, Any], where: Path, reader: TileEntries) -> Held:
    source = reader.source
    _whole_bytes(reader)
    text, path = _text(table, "distribution", where, reader)
    operand = choice({"operand": "A", **table}, "operand", _OPERANDS, where, source)
    axes = _axes(table, where, reader)
    shape = tuple(reader.shape[a] for a in axes)
    notation = _notation(table, "notation", text, where, path, reader)
    try:
        found = read_distribution(text, notation, reader.over(axes), reader.setting(operand))
        if not isinstance(found, Refusal):
            fits(found, shape, reader.machine)
    except InputError as error:
        raise source.inside(path, error) from error
    return Held(text, notation, axes, found)


def _text(table: Mapping[str, Any], key: str, where: Path, reader: TileEntries) -> tuple[str, Path]:
    """A text and where it is written: here, or among the ``[texts]``."""
    text: str = required(table, key, str, where, reader.source)
    if text in reader.texts:
        return reader.texts[text], ("texts", text)
    return text, (*where, key)


def _notation(
    table: Mapping[str, Any], key: str, text: str, where: Path, path: Path, reader: TileEntries
) -> str:
    if key in table and text.strip() != row_major.NAME:
        found: str = choice(table, key, tuple(languages()), where, reader.source)
        return found
    try:
        return notation_of(text)
    except InputError as error:
        raise reader.source.at(path, error) from error


def _axes(table: Mapping[str, Any], where: Path, reader: TileEntries) -> tuple[int, ...]:
    names = optional(table, "axes", list, list(reader.dims), where, reader.source)
    if sorted(map(str, names)) != sorted(reader.dims):
        hint = "the axes of the tile in the order of this access: " + ", ".join(reader.dims)
        raise reader.source.error((*where, "axes"), f"axes = {names!r}", hint)
    return tuple(reader.dims.index(name) for name in names)


def _vector(table: Mapping[str, Any], where: Path, source: Source) -> int | None:
    vector: int | None = optional(table, "vector", int, None, where, source)
    if vector is not None and not 1 <= vector <= 64:
        raise source.error((*where, "vector"), f"vector = {vector}", "1 to 64 elements")
    return vector
