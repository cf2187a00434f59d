"""An ``[[access]]`` of an asynchronous unit: an operand of wgmma or tcgen05, a copy by TMA."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bankwise.algebra.offset import Shape
from bankwise.hardware.machine import Machine
from bankwise.notation.cute.canonical import DEPTH_BYTES
from bankwise.read.tile_file.lines import Path
from bankwise.read.tile_file.listed import read_instruction
from bankwise.read.tile_file.source import Source, choice, optional, required
from bankwise.solver.units import MOST_BOX, UNIT_ROWS, UNIT_TYPES, UnitType, UnitUse, type_faults

KEYS = ("shape", "major", "type")
"""Keys that an access has in these words alone, beside ``axes`` and ``instruction``."""
_COMMON = ("name", "op", "instruction", "axes", *KEYS)


def is_unit(data: object) -> bool:
    """Whether an ``[[access]]`` is a unit's: it names one, and no lanes."""
    if not isinstance(data, dict) or data.get("instruction") not in tuple(UNIT_ROWS):
        return False
    return not {"lanes", "offset", "distribution"} & set(data)


def read_unit(
    data: Mapping[str, Any], where: Path, gpu: Machine, shape: Shape, source: Source
) -> UnitUse:
    """Read and check one. ``shape``: the tile without its stages. InputError at the bad key."""
    for key in data:
        if key not in _COMMON:
            hint = "known: " + ", ".join(_COMMON)
            raise source.error((*where, key), f"{key} of a unit's access", hint)
    op = choice(data, "op", ("read", "write"), where, source)
    name = read_instruction(data, gpu, where, source)
    assert name is not None, "it names a unit"
    axes = _axes(data, where, shape, source)
    lengths = dict(shape.dims)
    element = _type(data, where, shape, source)
    operand = UNIT_ROWS[name] == "operand"
    major = choice({"major": "", **data}, "major", ("", "K", "MN"), where, source)
    rows = _rows(data, where, lengths[axes[0]], element, source) if operand else 0
    for key in ("shape", "major") if not operand else ():
        if key in data:
            hint = "axes = [outer, inner]: the box is as long as its mode"
            raise source.error((*where, key), f"{key} of a copy by TMA", hint)
    unit = UnitUse(required(data, "name", str, where, source), op, name, axes, element, rows, major)
    for key, message in type_faults(unit, lengths):
        raise source.error((*where, key) if key in data else where, f"{unit.name}: {message}")
    return unit


def _axes(data: Mapping[str, Any], where: Path, shape: Shape, source: Source) -> tuple[str, str]:
    """M or N and K of an operand, outer and inner of a box; the last two dimensions by default."""
    names = [name for name, _ in shape.dims]
    if len(names) < 2:
        raise source.error(where, "a unit's tile has two dimensions or more")
    found = optional(data, "axes", list, [names[1], names[0]], where, source)
    known = len(found) == 2 and all(isinstance(n, str) and n in names for n in found)
    if not known or found[0] == found[1]:
        hint = "[M or N, K] of an operand, [outer, inner] of a box: two of " + ", ".join(names)
        raise source.error((*where, "axes"), f"axes = {found!r}", hint)
    return found[0], found[1]


def _type(data: Mapping[str, Any], where: Path, shape: Shape, source: Source) -> UnitType:
    by_width = [name for name, one in UNIT_TYPES.items() if one.bits == shape.element_bits]
    if UNIT_ROWS[data["instruction"]] == "operand" and "type" not in data:
        by_width = [n for n in by_width if data["instruction"] in UNIT_TYPES[n].taken]
    if not by_width:
        message = f"element_bits = {shape.element_bits} of a unit's tile"
        raise source.error(("tile",), message, "8, 16 or 32; packed 4 and 6 bits count 8")
    return UNIT_TYPES[choice({"type": by_width[0], **data}, "type", tuple(by_width), where, source)]


def _rows(
    data: Mapping[str, Any], where: Path, length: int, element: UnitType, source: Source
) -> int:
    """M or N of one instruction: the first of ``shape``, whose second is K."""
    depth = DEPTH_BYTES * 8 // element.bits
    found = optional(data, "shape", list, [min(length, MOST_BOX), depth], where, source)
    if len(found) != 2 or any(type(n) is not int for n in found) or found[1] != depth:
        hint = f"M or N and K of one instruction: K is {depth} of {element.name}"
        raise source.error((*where, "shape"), f"shape = {found!r}", hint)
    return int(found[0])
