"""Loads, stores, atomics and copies of a simulated block."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bankwise.change.simulate.memory import LOCAL, SHARED, Unsupported
from bankwise.change.simulate.operands import Lanes, SimulatedBlock, listed, shared_offset
from bankwise.change.simulate.terms import Values, masked, mixed, signed, term
from bankwise.read.ptx.parse import BYTES, Statement

_FIRST = np.zeros(1, np.int64)
"""The row of shared memory, of which there is one."""
_SPACES = ("global", "shared", "local", "param", "const")


def space_of(statement: Statement) -> str:
    """The space that an access names; empty for a generic one."""
    return next((part for part in statement.parts if part in _SPACES), "")


def load_bytes(block: SimulatedBlock, space: str, at: Values, lanes: Lanes, size: int) -> Values:
    """So many bytes, at most 8, from each address; ``lanes``: whose each access is."""
    if space == "param":
        return _parameters(block, at, size)
    if space == "shared":
        return block.shared.load(_FIRST, shared_offset(at), size)
    local = at >= np.uint64(LOCAL)
    shared = (at >= np.uint64(SHARED)) & ~local
    if not space and shared.all():
        return block.shared.load(_FIRST, shared_offset(at), size)
    if space == "local" or (not space and local.all()):
        return block.local.load(lanes, masked(at, 56), size)
    if not space and (shared.any() or local.any()):
        raise Unsupported("one access to several spaces")
    return block.memory.load(at, size)


def store_bytes(
    block: SimulatedBlock, space: str, at: Values, lanes: Lanes, values: Values, size: int
) -> None:
    """So many bytes to each address."""
    local = at >= np.uint64(LOCAL)
    shared = (at >= np.uint64(SHARED)) & ~local
    if space == "shared" or (not space and shared.all()):
        block.shared.store(np.zeros_like(lanes), shared_offset(at), values, size)
    elif space == "local" or (not space and local.all()):
        block.local.store(lanes, masked(at, 56), values, size)
    elif not space and (shared.any() or local.any()):
        raise Unsupported("one access to several spaces")
    else:
        block.memory.store(at, values, size)


def _parameters(block: SimulatedBlock, at: Values, size: int) -> Values:
    where = int(at[0])
    data = block.constants[where : where + size]
    return np.full(len(at), int.from_bytes(data, "little"), np.uint64)


def _call_parameter(
    block: SimulatedBlock,
    text: str,
    names: list[str],
    size: int,
    lanes: Lanes,
    *,
    written: bool,
) -> None:
    """What a call hands over, kept like registers: each is loaded as it was stored."""
    name, _, offset = text.strip("[] ").partition("+")
    for n, one in enumerate(names):
        place = f"%{name.strip()}+{int(offset or 0) + n * size}.{size}"
        if written:
            block.write(place, lanes, masked(block.read(one, lanes), 8 * size))
        else:
            block.write(one, lanes, block.read(place, lanes))


def load(block: SimulatedBlock, statement: Statement, lanes: Lanes) -> None:
    """``ld.shared.v4.f32 {..}, [%r1+16]``; signed numbers are extended."""
    kind = statement.parts[-1]
    size, names = BYTES[kind], listed(statement.operands[0])
    space = space_of(statement)
    if space == "param" and not block.is_parameter(statement.operands[1]):
        _call_parameter(block, statement.operands[1], names, size, lanes, written=False)
        return
    at, _ = block.address(statement.operands[1], lanes)
    for n, name in enumerate(names):
        found = _load_wide(block, space, at + np.uint64(n * size), lanes, size)
        if kind.startswith("s") and size < 8:
            found = signed(found, 8 * size).view(np.uint64)
        block.write(name, lanes, found)


def _load_wide(block: SimulatedBlock, space: str, at: Values, lanes: Lanes, size: int) -> Values:
    if size > 8:
        raise Unsupported(f"registers of {size} bytes")
    return load_bytes(block, space, at, lanes, size)


def store(block: SimulatedBlock, statement: Statement, lanes: Lanes) -> None:
    """``st.shared.v4.f32 [%r1+16], {..}``."""
    size, names = BYTES[statement.parts[-1]], listed(statement.operands[1])
    if space_of(statement) == "param":
        _call_parameter(block, statement.operands[0], names, size, lanes, written=True)
        return
    at, _ = block.address(statement.operands[0], lanes)
    for n, name in enumerate(names):
        values = masked(block.read(name, lanes), 8 * size)
        store_bytes(block, space_of(statement), at + np.uint64(n * size), lanes, values, size)


def copy(block: SimulatedBlock, statement: Statement, lanes: Lanes) -> None:
    """``cp.async.cg.shared.global [%r1], [%rd1], 16, %r2``: done at once; zeros behind a size."""
    to, source = (block.address(text, lanes)[0] for text in statement.operands[:2])
    size = int(statement.operands[2], 0)
    kept = np.full(len(lanes), size, np.uint64)
    if len(statement.operands) > 3 and statement.operands[3].startswith("%p"):
        kept = np.where(block.read(statement.operands[3], lanes), 0, kept).astype(np.uint64)
    elif len(statement.operands) > 3:
        kept = masked(block.read(statement.operands[3], lanes), 32)
    for n in range(0, size, 4):
        found = load_bytes(block, "global", source + np.uint64(n), lanes, 4)
        found = np.where(kept > np.uint64(n), found, 0).astype(np.uint64)
        store_bytes(block, "shared", to + np.uint64(n), lanes, found, 4)


_COMBINE: Mapping[str, Callable[[int, int, int], int]] = {
    "add": lambda old, new, last: old + new,
    "and": lambda old, new, last: old & new,
    "or": lambda old, new, last: old | new,
    "xor": lambda old, new, last: old ^ new,
    "exch": lambda old, new, last: new,
    "cas": lambda old, new, last: last if old == new else old,
    "inc": lambda old, new, last: 0 if old >= new else old + 1,
    "dec": lambda old, new, last: new if old == 0 or old > new else old - 1,
}


def atomic(block: SimulatedBlock, statement: Statement, lanes: Lanes) -> None:
    """``atom`` and ``red``, thread by thread; numbers that are no integers add up as terms, in
    which the order does not matter."""
    returns = statement.parts[0] == "atom"
    operands = statement.operands[1:] if returns else statement.operands
    kind = statement.parts[-1]
    operation = next((p for p in statement.parts if p in (*_COMBINE, "min", "max")), "")
    size = BYTES.get(kind, 0)
    if not operation or not size or len(listed(operands[1])) > 1:
        raise Unsupported(f"the atomic {statement.name}")
    at, _ = block.address(operands[0], lanes)
    values = [masked(block.read(text, lanes), 8 * size) for text in operands[1:]]
    space = space_of(statement)
    inexact = kind[0] == "f" or kind.startswith("bf")
    old = np.zeros(len(lanes), np.uint64)
    for n in range(len(lanes)):
        one, here = lanes[n : n + 1], at[n : n + 1]
        now = load_bytes(block, space, here, one, size)
        old[n] = now[0]
        given = [int(v[n]) for v in values]
        new = combined(operation, kind, int(now[0]), given, inexact)
        store_bytes(block, space, here, one, np.array([new & (1 << 8 * size) - 1], np.uint64), size)
    if returns:
        if inexact and operation == "add":
            old = masked(term(statement.name, [at, values[0]]), 8 * size)
        block.write(statement.operands[0], lanes, old)


def combined(operation: str, kind: str, old: int, given: list[int], inexact: bool) -> int:
    """What an atomic leaves, of a type as PTX calls it; sums of numbers are terms."""
    if inexact and operation == "add":
        return old + int(mixed(np.array([given[0]], np.uint64))[0])
    if inexact:
        return int(
            term(operation, [np.array([n], np.uint64) for n in (old, given[0])], together=2)[0]
        )
    if operation in ("min", "max"):
        bits = 8 * BYTES[kind]
        pick = min if operation == "min" else max
        key = (lambda n: n - (n >> bits - 1 << bits)) if kind[0] == "s" else (lambda n: n)
        return pick(old, given[0], key=key)
    return _COMBINE[operation](old, given[0], given[-1])
