"""An ``[[access]]`` by directions of lane bits, or by an expression of lane and reg."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from bankwise.algebra import f2
from bankwise.algebra.expression import Expression
from bankwise.algebra.expression import parse as parse_expression
from bankwise.algebra.layout import vector
from bankwise.algebra.offset import Shape
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Machine
from bankwise.hardware.policies import select
from bankwise.read.tile_file.lines import Path
from bankwise.read.tile_file.source import Source, choice, optional, required
from bankwise.solver.general import (
    VARIABLES,
    Listed,
    is_linear,
    linear_directions,
    listed_workload,
)
from bankwise.solver.linear_form import dimensions
from bankwise.solver.problem import BitTile, Request, problem
from bankwise.solver.units import UNIT_ROWS

KEYS = ("lanes", "registers", "offset", "active", "instruction", "kind")
"""Keys that an access has in these words alone."""
_MAX_EXECUTIONS = 4096
_MOST_SPAN = 64


def read_listed(
    data: Mapping[str, Any], where: Path, gpu: Machine, shape: Shape, source: Source
) -> Listed:
    """Read and check one access. InputError with the line of the bad key.

    ``shape``: the tile without its stages.
    """
    name = required(data, "name", str, where, source)
    op = choice(data, "op", ("read", "write"), where, source)
    kind = choice({"kind": "plain", **data}, "kind", ("plain", "dma"), where, source)
    weight = optional(data, "weight", int, 1, where, source)
    if weight < 1:
        raise source.error((*where, "weight"), f"weight = {weight}; weights are 1 or more")
    if ("lanes" in data) == ("offset" in data):
        raise source.error(
            where,
            f"access {name!r} needs either lanes or offset",
            "or a distribution, in the words of a framework",
        )
    instruction = read_instruction(data, gpu, where, source)
    request = Request(name, op, (), None, (), weight, instruction, kind)
    expressions = [_expression(data, key, where, source) for key in ("active", "offset")]
    if expressions[1] is not None:
        return _by_offset(data, request, expressions, gpu, shape, source, where)
    return _by_directions(data, request, expressions[0], gpu, shape, source, where)


def _by_directions(
    data: Mapping[str, Any],
    request: Request,
    active: Expression | None,
    gpu: Machine,
    shape: Shape,
    source: Source,
    where: Path,
) -> Listed:
    if shape.bits is None:
        name, size = next((n, s) for n, s in shape.dims if s & (s - 1))
        raise source.error(
            ("tile", "shape"),
            f"dimension {name} has {size} elements, and the lanes of access {request.name!r} are "
            "directions: they need powers of two",
            "describe the accesses of an odd tile by offset = ...",
        )
    if 8 * (shape.element_bits // 8) != shape.element_bits and shape.element_bits > 4:
        message = f"elements of {shape.element_bits} bits by directions: no bit of them is a bank's"
        hint = 'offset = "..", with vector = 16: 12 bytes'
        raise source.error((*where, "lanes"), message, hint)
    found = {
        key: _directions(data, key, shape, source, where)
        for key in ("lanes", "vector", "registers")
        if key in data
    }
    _check_lanes(len(found["lanes"]), request, gpu, source, where)
    if request.kind == "dma" and request.instruction is None:
        width = shape.element_bits << len(found.get("vector", ()))
        request = replace(request, instruction=_copy(gpu, request, width, source, where))
    listed = Listed(replace(request, **found), active)
    _judge(listed, found, gpu, shape, source, where)
    return listed


def _check_lanes(given: int, request: Request, gpu: Machine, source: Source, where: Path) -> None:
    """One direction for each lane bit."""
    lane_bits = gpu.wave_size.bit_length() - 1
    if given == lane_bits:
        return
    unit = request.instruction in UNIT_ROWS
    raise source.error(
        (*where, "lanes"),
        f"access {request.name!r} gives {given} lane directions; {gpu.name} "
        f"has {gpu.wave_size} lanes in a wave, so {lane_bits} lane bits",
        f"{request.instruction} of a whole tile names no lanes: leave them out"
        if unit
        else 'a lane bit that moves nothing is written "0"',
    )


def _by_offset(
    data: Mapping[str, Any],
    request: Request,
    expressions: list[Expression | None],
    gpu: Machine,
    shape: Shape,
    source: Source,
    where: Path,
) -> Listed:
    if request.kind == "dma":
        raise source.error((*where, "offset"), "a copy in lane order needs lanes, not offset")
    span = _span(data, shape, source, where)
    registers = data.get("registers", 1)
    if isinstance(registers, str):
        registers = 2 ** len(registers.split())
    if type(registers) is not int or not 1 <= registers <= _MAX_EXECUTIONS:
        raise source.error((*where, "registers"), f"registers = {data['registers']!r} executions")
    listed = Listed(request, expressions[0], expressions[1], span, registers)
    try:
        listed_workload(gpu, shape, [listed])
    except InputError as error:
        raise source.at((*where, "offset"), error) from error
    found = linear_directions(gpu, shape, listed)
    linear = None if found is None else Listed(found)
    return linear if linear is not None and _solvable(linear, gpu, shape) else listed


def _span(data: Mapping[str, Any], shape: Shape, source: Source, where: Path) -> int:
    """Elements that a lane moves side by side: a number, or the bits of the last dimension."""
    found, column = data.get("vector", ""), shape.dims[0][0]
    if type(found) is int and 1 <= found <= _MOST_SPAN:
        return found
    words = found.split() if isinstance(found, str) else [None]
    if words != [f"{column}{i}" for i in range(len(words))]:
        message = f"vector = {found!r} of an access with an offset"
        hint = f'elements side by side: 3, or "{column}0 {column}1 ..", in order'
        raise source.error((*where, "vector"), message, hint)
    return int(2 ** len(words))


def _solvable(listed: Listed, gpu: Machine, shape: Shape) -> bool:
    dims = dimensions(shape)
    assert dims is not None, "a linear offset has bits"
    try:
        problem(gpu, BitTile(dims, shape.element_bits), [listed.request], widen=False)
    except InputError:
        return False
    return is_linear(gpu, listed)


def _judge(
    listed: Listed,
    found: Mapping[str, tuple[int, ...]],
    gpu: Machine,
    shape: Shape,
    source: Source,
    where: Path,
) -> None:
    """Ask the checks of proof and counting, and blame the first key with which they fail."""
    request = listed.request
    if shape.element_bits < 8 and request.vector is None:
        request = _byte_wide(request, shape)
        listed = replace(listed, request=request)
    if is_linear(gpu, listed) and _solvable(listed, gpu, shape):
        return
    stages: dict[str, Request] = {}
    bare = replace(request, vector=None, registers=(), instruction=None)
    if shape.element_bits >= 8:
        stages["lanes"] = bare
    if "vector" in found:
        stages["vector"] = replace(bare, vector=request.vector)
    if "registers" in found:
        stages["registers"] = replace(bare, vector=request.vector, registers=request.registers)
    if request.instruction or not stages:
        stages["instruction" if request.instruction else "lanes"] = request
    if listed.active is not None and f2.rank(request.lanes) < len(request.lanes):
        # Lanes that repeat others may be those that do not take part: only all of it can tell.
        stages = {}
    for key, stage in stages.items():
        try:
            listed_workload(gpu, shape, [replace(listed, request=stage, active=None)])
        except InputError as error:
            raise source.at((*where, key), error) from error
    try:
        listed_workload(gpu, shape, [listed])
    except InputError as error:
        raise source.at((*where, "active"), error) from error


def _byte_wide(request: Request, shape: Shape) -> Request:
    """The request with registers in its vector until a lane moves a byte: the least it may."""
    missing = (8 // shape.element_bits).bit_length() - 1
    moved = request.registers[:missing]
    return replace(request, vector=moved, registers=request.registers[missing:])


def read_instruction(
    data: Mapping[str, Any], gpu: Machine, where: Path, source: Source
) -> str | None:
    """The row that an access names; its ``op`` has been read."""
    name: str | None = optional(data, "instruction", str, None, where, source)
    if name is None:
        return None
    try:
        row = gpu.instruction(name)
    except InputError as error:
        raise source.at((*where, "instruction"), error) from error
    if row.direction != data["op"]:
        message = f"{name} is a {row.direction}, the access a {data['op']}"
        raise source.error((*where, "instruction"), message)
    if "st64" in name:
        hint = "describe it as two accesses"
        raise source.error((*where, "instruction"), f"{name} has two distant addresses", hint)
    return name


def _copy(gpu: Machine, request: Request, width: int, source: Source, where: Path) -> str:
    """The direct-to-shared copy of this width, in bits per lane."""
    key = (*where, "kind")
    if gpu.vendor != "amd":
        raise source.error(
            key,
            f"{gpu.name} has no copy in lane order: cp.async takes an address from every lane",
            'a write with instruction = "cp.async.b128"',
        )
    if request.op != "write":
        raise source.error(key, "a direct-to-shared copy writes", 'op = "write"')
    issues = select(gpu, "write", max(1, width // 8), 16, kind="dma")
    if isinstance(issues, Refusal):
        raise source.error(key, issues.reason, "vector: the elements that one lane copies")
    return issues[0].instruction


def _directions(
    data: Mapping[str, Any], key: str, shape: Shape, source: Source, where: Path
) -> tuple[int, ...]:
    text = optional(data, key, str, "", where, source)
    dims = dimensions(shape)
    assert dims is not None, "checked before"
    try:
        return tuple(vector(word, dims) for word in text.split())
    except InputError as error:
        raise source.at((*where, key), error) from error


def _expression(
    data: Mapping[str, Any], key: str, where: Path, source: Source
) -> Expression | None:
    text = optional(data, key, str, None, where, source)
    if text is None:
        return None
    try:
        return parse_expression(text, VARIABLES)
    except InputError as error:
        raise source.at((*where, key), error) from error
