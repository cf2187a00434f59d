"""Fragments of ``wmma`` as terms: PTX does not say which register holds which element.

So each register of a fragment is a term of all elements that were loaded, each with its place in
the matrix, of the lane and of the register's number; a product is a term of all that the warp
gives; an element that is stored is a term of all registers and of its place. What is equal so is
equal on every GPU.
"""

from __future__ import annotations

import re

import numpy as np

from bankwise.change.simulate import warps
from bankwise.change.simulate.accesses import load_bytes, space_of, store_bytes
from bankwise.change.simulate.memory import Unsupported
from bankwise.change.simulate.operands import Lanes, SimulatedBlock, listed
from bankwise.change.simulate.terms import Values, masked, mixed, number_of
from bankwise.counting.access import distinct
from bankwise.read.ptx.parse import Statement

_WARP = 32
_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")
_BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "f32": 4, "f64": 8, "s8": 1, "u8": 1, "s32": 4}


def fragment(block: SimulatedBlock, statement: Statement, lanes: Lanes) -> None:
    """``wmma.load``, ``wmma.mma``, ``wmma.store`` (PTX ISA, "wmma")."""
    {"load": _load, "mma": warps.matrix, "store": _store}[statement.parts[1]](
        block, statement, lanes
    )


def _load(block: SimulatedBlock, statement: Statement, lanes: Lanes) -> None:
    """``wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {..}, [%r1], %r2``."""
    results, at, *stride = statement.operands
    own, places = _elements(block, statement, lanes, at, stride)
    size = _BYTES[statement.parts[-1]]
    each = np.repeat(own, places.shape[1])
    values = load_bytes(block, space_of(statement), places.ravel(), each, size)
    seen = _seen(statement, values.reshape(places.shape))
    bits = max(32, 8 * size)
    for number, name in enumerate(listed(results)):
        place = lanes.astype(np.uint64) % np.uint64(_WARP) + np.uint64(_WARP * number)
        warp = np.searchsorted(own // _WARP, lanes // _WARP)
        block.write(name, lanes, masked(mixed(seen[warp] ^ mixed(place)), bits))


def _store(block: SimulatedBlock, statement: Statement, lanes: Lanes) -> None:
    """``wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r1], {..}, %r2``."""
    at, given, *stride = statement.operands
    own, places = _elements(block, statement, lanes, at, stride)
    size = _BYTES[statement.parts[-1]]
    held = [warps.of_warps(block, block.read(one, lanes), lanes) for one in listed(given)]
    seen = _seen(statement, np.concatenate(held, axis=1)[own // _WARP])
    place = mixed(np.arange(places.shape[1], dtype=np.uint64))
    values = masked(mixed((seen[:, None] ^ place).ravel()), 8 * size)
    each = np.repeat(own, places.shape[1])
    store_bytes(block, space_of(statement), places.ravel(), each, values, size)


def _seen(statement: Statement, values: Values) -> Values:
    """A term of all values of each warp, each with its place: [warps, values]."""
    places = mixed(np.arange(values.shape[1], dtype=np.uint64))
    summed = mixed((values ^ places).ravel()).reshape(values.shape).sum(axis=1, dtype=np.uint64)
    return mixed(summed ^ number_of(statement.name))


def _elements(
    block: SimulatedBlock, statement: Statement, lanes: Lanes, at: str, stride: list[str]
) -> tuple[Lanes, Values]:
    """The first thread of each warp, and the addresses of all elements of its matrix, row after
    row: [warps, elements]. All threads of a warp have to name one."""
    rows, columns = _shape(statement)
    by_columns = "col" in statement.parts
    starts = block.address(at, lanes)[0]
    default = str(rows if by_columns else columns)
    apart = block.read(stride[0] if stride else default, lanes) & np.uint64(0xFFFFFFFF)
    numbers = distinct(lanes // _WARP)
    first, warp = np.searchsorted(lanes // _WARP, numbers), np.searchsorted(numbers, lanes // _WARP)
    if (starts[first][warp] != starts).any() or (apart[first][warp] != apart).any():
        raise Unsupported("a matrix of a warp at several addresses")
    row, column = np.divmod(np.arange(rows * columns, dtype=np.uint64), np.uint64(columns))
    outer, inner = (column, row) if by_columns else (row, column)
    offsets = apart[first][:, None] * outer + inner
    places = starts[first][:, None] + offsets * np.uint64(_BYTES[statement.parts[-1]])
    return lanes[first], places


def _shape(statement: Statement) -> tuple[int, int]:
    """Rows and columns of the matrix that is moved."""
    shape = next(filter(None, map(_SHAPE.fullmatch, statement.parts)), None)
    which = next((one for one in statement.parts if one in ("a", "b", "c", "d")), "")
    if shape is None or not which or statement.parts[-1] not in _BYTES:
        raise Unsupported(statement.name)
    m, n, k = map(int, shape.groups())
    return {"a": (m, k), "b": (k, n)}.get(which, (m, n))
