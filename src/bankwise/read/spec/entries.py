"""The entries of a spec file that hold notations: ``[memory]``, ``[[access]]``, ``[[global]]``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bankwise.algebra.offset import Shape
from bankwise.errors import InputError, Location, Refusal
from bankwise.hardware.machine import Machine
from bankwise.notation import row_major
from bankwise.notation.framework import Setting
from bankwise.notation.frameworks import languages, notation_of, read_distribution, read_memory
from bankwise.notation.mfma import Operand
from bankwise.read.problem.lines import Path, line_of
from bankwise.read.problem.source import Source, choice, known, optional, required
from bankwise.read.spec.place import blamed
from bankwise.read.spec.values import GlobalAccess, Held, SpecAccess, SpecLayout
from bankwise.read.spec.views import fits

_HELD = ("name", "op", "distribution", "notation", "operand", "axes", "vector")
_ACCESS = (*_HELD, "layout", "layout_notation", "weight")
_GLOBAL = (*_HELD, "layout", "layout_notation", "base_bytes", "cache_swizzle_stride")
_OPERANDS: tuple[Operand, ...] = ("A", "B", "C", "D")
_MOST = 1 << 40


@dataclass(frozen=True, slots=True)
class SpecEntries:
    """The file, and what its entries share.

    ``texts``: the ``[texts]`` that entries may name. ``workgroup``: None for one wave.
    """

    source: Source
    lines: tuple[str, ...]
    machine: Machine
    shape: tuple[int, ...]
    dims: tuple[str, ...]
    element_bits: int
    symbols: Mapping[str, int]
    texts: Mapping[str, str]
    workgroup: tuple[int, int, int] | None

    def setting(self, operand: Operand = "A") -> Setting:
        """What the texts do not say themselves."""
        workgroup = self.workgroup or (self.machine.wave_size, 1, 1)
        return Setting(self.machine, self.symbols, workgroup, operand)

    def over(self, axes: tuple[int, ...]) -> Shape:
        """The tile seen over these of its axes."""
        dims = tuple((self.dims[a], self.shape[a]) for a in reversed(axes))
        return Shape(dims, self.element_bits)

    def place(self, path: Path) -> Location:
        """Where a key stands."""
        return Location(self.source.file, line_of(self.source.lines, path))


def read_layout(
    table: Mapping[str, Any],
    where: Path,
    axes: tuple[int, ...],
    reader: SpecEntries,
    notation_key: str = "notation",
) -> SpecLayout:
    """The ``layout`` of a table, over these axes of the tile."""
    source = reader.source
    text, path = _text(table, "layout", where, reader)
    notation = _notation(table, notation_key, text, where, path, reader)
    try:
        memory = read_memory(text, notation, reader.over(axes), reader.setting())
    except InputError as error:
        raise blamed(source, reader.lines, path, error) from error
    return SpecLayout(text, notation, memory, reader.place(path))


def read_access(data: object, number: int, reader: SpecEntries) -> SpecAccess:
    """Read and check ``[[access]]`` number ``number``."""
    where: Path = ("access", number)
    table = _table(data, _ACCESS, where, reader.source)
    held = _distribution(table, where, reader)
    own = None
    if "layout" in table:
        own = read_layout(table, where, held.axes, reader, "layout_notation")
    weight = optional(table, "weight", int, 1, where, reader.source)
    if not 1 <= weight <= _MOST:
        raise reader.source.error((*where, "weight"), f"weight = {weight}", "1 and more")
    return SpecAccess(
        required(table, "name", str, where, reader.source),
        choice(table, "op", ("read", "write"), where, reader.source),
        held,
        own,
        _vector(table, where, reader.source),
        weight,
        reader.place(where),
    )


def read_global(data: object, number: int, reader: SpecEntries) -> GlobalAccess:
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
        reader.place(where),
    )


def _table(data: object, keys: tuple[str, ...], where: Path, source: Source) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise source.error(where, f"{where[0]} = {data!r} is no table", f"write [[{where[0]}]]")
    known(data, keys, where, source)
    return data


def _distribution(table: Mapping[str, Any], where: Path, reader: SpecEntries) -> Held:
    source = reader.source
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
        raise blamed(source, reader.lines, path, error) from error
    return Held(text, notation, axes, found)


def _text(table: Mapping[str, Any], key: str, where: Path, reader: SpecEntries) -> tuple[str, Path]:
    """A text and where it is written: here, or among the ``[texts]``."""
    text: str = required(table, key, str, where, reader.source)
    if text in reader.texts:
        return reader.texts[text], ("texts", text)
    return text, (*where, key)


def _notation(
    table: Mapping[str, Any], key: str, text: str, where: Path, path: Path, reader: SpecEntries
) -> str:
    if key in table and text.strip() != row_major.NAME:
        found: str = choice(table, key, tuple(languages()), where, reader.source)
        return found
    try:
        return notation_of(text)
    except InputError as error:
        raise reader.source.at(path, error) from error


def _axes(table: Mapping[str, Any], where: Path, reader: SpecEntries) -> tuple[int, ...]:
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
