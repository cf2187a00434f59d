"""Instructions of whole warps: shuffles, votes, matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bankwise.change.simulate.memory import Unsupported
from bankwise.change.simulate.operands import Lanes, SimulatedBlock, listed, shared_offset
from bankwise.change.simulate.terms import Values, masked, mixed, number_of
from bankwise.read.ptx.parse import Statement

_WARP = 32


def of_warps(block: SimulatedBlock, values: Values, lanes: Lanes) -> Values:
    """What all threads have, [warps, 32]; 0 where a thread takes no part."""
    full = np.zeros(block.warps * _WARP, np.uint64)
    full[lanes] = values
    return full.reshape(-1, _WARP)


def complete(
    block: SimulatedBlock, statement: Statement, lanes: Lanes, live: NDArray[np.bool_]
) -> Lanes:
    """Those of ``lanes`` whose warp has all its living members here; the instruction's mask says
    which are, matrices take all."""
    mask = np.full(len(lanes), 0xFFFFFFFF, np.uint64)
    if statement.parts[0] in ("shfl", "vote", "redux", "match", "bar"):
        mask = masked(block.read(statement.operands[-1], lanes), 32)
    weights = np.uint64(1) << np.arange(_WARP, dtype=np.uint64)
    alive = np.zeros(block.warps * _WARP, np.uint64)
    alive[: len(live)] = live
    here = of_warps(block, np.ones(len(lanes), np.uint64), lanes)
    missing = ((alive.reshape(-1, _WARP) > here) * weights).sum(axis=1, dtype=np.uint64)
    return np.asarray(lanes[(missing[lanes // _WARP] & mask) == 0])


def shuffle(block: SimulatedBlock, statement: Statement, lanes: Lanes) -> None:
    """``shfl.sync.bfly.b32 d|p, a, b, c, mask`` (PTX ISA, 9.7.9.6)."""
    mode, texts = statement.parts[2], statement.operands
    results = [one.strip() for one in texts[0].split("|")]
    source, by, clamp = (block.read(text, lanes) for text in texts[1:4])
    lane = lanes % _WARP
    top = (clamp & np.uint64(31)).astype(np.int64)
    segment = (clamp >> np.uint64(8) & np.uint64(31)).astype(np.int64)
    step = (by & np.uint64(31)).astype(np.int64)
    most = lane & segment | top & ~segment
    least = lane & segment
    at = {
        "up": lane - step,
        "down": lane + step,
        "bfly": lane ^ step,
        "idx": least | step & ~segment,
    }[mode]
    inside = at >= most if mode == "up" else at <= most
    at = np.where(inside, at, lane)
    whole = of_warps(block, source, lanes)
    block.write(results[0], lanes, masked(whole[lanes // _WARP, at], 32))
    if len(results) > 1:
        block.write(results[1], lanes, inside.astype(np.uint64))


def vote(block: SimulatedBlock, statement: Statement, lanes: Lanes) -> None:
    """``vote.sync.ballot.b32``, ``.any``, ``.all``: of the lanes that each lane's mask names."""
    mode = next(p for p in statement.parts if p in ("ballot", "any", "all", "uni"))
    value = block.read(statement.operands[1], lanes) & np.uint64(1)
    asked = block.read(statement.operands[2], lanes)
    weights = np.uint64(1) << np.arange(_WARP, dtype=np.uint64)
    yes, there = (
        (of_warps(block, one, lanes) * weights).sum(axis=1, dtype=np.uint64)[lanes // _WARP] & asked
        for one in (value, np.ones_like(value))
    )
    found = {
        "ballot": yes,
        "any": (yes != 0).astype(np.uint64),
        "all": (yes == there).astype(np.uint64),
    }
    if mode not in found:
        raise Unsupported(statement.name)
    block.write(statement.operands[0], lanes, found[mode])


def active_mask(block: SimulatedBlock, statement: Statement, lanes: Lanes) -> None:
    """``activemask.b32``."""
    there = of_warps(block, np.ones(len(lanes), np.uint64), lanes)
    weights = np.uint64(1) << np.arange(_WARP, dtype=np.uint64)
    masks = (there * weights).sum(axis=1, dtype=np.uint64)
    block.write(statement.operands[0], lanes, masks[lanes // _WARP])


def reduce(block: SimulatedBlock, statement: Statement, lanes: Lanes) -> None:
    """``redux.sync.add.s32``: the whole warp's, as a term that no order changes."""
    whole = mixed(of_warps(block, masked(block.read(statement.operands[1], lanes), 32), lanes))
    found = masked(mixed(whole.sum(axis=1, dtype=np.uint64) ^ number_of(statement.name)), 32)
    block.write(statement.operands[0], lanes, found[lanes // _WARP])


def matrix(block: SimulatedBlock, statement: Statement, lanes: Lanes) -> None:
    """``mma``, ``wmma.mma``, ``movmatrix``: each result a term of all that the warp gives."""
    results, *given = (listed(text) for text in statement.operands)
    seen = np.full(block.warps, number_of(statement.name))
    for number, name in enumerate(one for group in given for one in group):
        whole = of_warps(block, block.read(name, lanes), lanes)
        places = np.arange(_WARP, dtype=np.uint64) + np.uint64(_WARP * number)
        seen = mixed(seen ^ mixed(whole ^ mixed(places)).sum(axis=1, dtype=np.uint64))
    for number, name in enumerate(results):
        place = lanes.astype(np.uint64) % np.uint64(_WARP) + np.uint64(_WARP * number)
        block.write(name, lanes, masked(mixed(seen[lanes // _WARP] ^ mixed(place)), 32))


def load_matrix(block: SimulatedBlock, statement: Statement, lanes: Lanes) -> None:
    """``ldmatrix.sync.aligned.m8n8.x4[.trans].shared.b16``: 8 rows of 16 bytes a matrix, of which
    lane l gets elements 2 (l mod 4) and the next of row l / 4; transposed, of column l / 4."""
    if "m8n8" not in statement.parts or statement.parts[-1] != "b16":
        raise Unsupported(statement.name)
    names = listed(statement.operands[0])
    at = of_warps(block, shared_offset(block.address(statement.operands[1], lanes)[0]), lanes)
    lane = lanes % _WARP
    for matrix_, name in enumerate(names):
        rows = at[lanes // _WARP]
        found = np.zeros(len(lanes), np.uint64)
        for half in range(2):
            row, column = lane // 4, 2 * (lane % 4) + half
            if "trans" in statement.parts:
                row, column = column, row
            start = rows[np.arange(len(lanes)), 8 * matrix_ + row]
            places = start + (2 * column).astype(np.uint64)
            two = block.shared.load(np.zeros_like(lanes), places, 2)
            found |= two << np.uint64(16 * half)
        block.write(name, lanes, found)


def store_matrix(block: SimulatedBlock, statement: Statement, lanes: Lanes) -> None:
    """``stmatrix``: the other way round."""
    if "m8n8" not in statement.parts or statement.parts[-1] != "b16":
        raise Unsupported(statement.name)
    at = of_warps(block, shared_offset(block.address(statement.operands[0], lanes)[0]), lanes)
    lane = lanes % _WARP
    for matrix_, name in enumerate(listed(statement.operands[1])):
        value, rows = block.read(name, lanes), at[lanes // _WARP]
        for half in range(2):
            row, column = lane // 4, 2 * (lane % 4) + half
            if "trans" in statement.parts:
                row, column = column, row
            start = rows[np.arange(len(lanes)), 8 * matrix_ + row]
            places = start + (2 * column).astype(np.uint64)
            two = value >> np.uint64(16 * half) & np.uint64(0xFFFF)
            block.shared.store(np.zeros_like(lanes), places, two, 2)
