"""What the threads of a warp of NVIDIA tell one another: shuffles, votes, matches.

Source: PTX ISA, shfl.sync, vote.sync, match.sync, activemask. What a thread reads of one that does
not run is not defined; here it is unknown. Which threads run together is taken to be all that
control flow brought to the instruction; of these a vote and a match ask those of their mask.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bankwise.read.follow.functions import apply
from bankwise.read.follow.state import State
from bankwise.read.follow.values import Array, Unknown, Value, because, is_uniform
from bankwise.read.integers import fit

LANES = 32
_ALL = 31

_SOURCES: Mapping[str, Callable[[Array, Array, Array], Array]] = {
    "idx": lambda own, count, kept: (own & kept) | (count & ~kept),
    "bfly": lambda own, count, kept: own ^ count,
    "up": lambda own, count, kept: own - count,
    "down": lambda own, count, kept: own + count,
}
"""The lane that is read. ``kept``: the bits of one's own lane that name the part of the warp."""
SHUFFLES = tuple(_SOURCES)


def parts_of_warp(end: int) -> int:
    """Of a shuffle's last operand the lane bits that never change: 0 if the warp is one part."""
    return end >> 8 & _ALL


def shuffle(
    state: State, mode: str, value: Value, count: Value, part: Value, line: int
) -> tuple[Value, Value]:
    """The value of another lane, one's own where that is outside; whether it is inside.

    ``part``: the last operand: the last lane, and from bit 8 on the lane bits that never change.
    """
    where = apply(lambda n, c: np.stack(np.broadcast_arrays(*_places(mode, n, c))), count, part)
    if isinstance(where, Unknown):
        moved = value if isinstance(value, Unknown) and is_uniform(value) else where
        return moved, where
    source, inside = where[0], where[1].astype(np.bool_)
    if isinstance(value, Unknown):
        return because(value, value.uniform, value.space), inside
    rows = len(state.active)
    index = np.broadcast_to(source, (rows, LANES))
    runs = np.take_along_axis(state.active, index, axis=1)
    if not is_uniform(value) and (state.active & ~runs).any():
        return Unknown("a lane that does not run", line), inside
    full = np.broadcast_to(value, (rows, LANES))
    return np.take_along_axis(full, index, axis=1), inside


def _places(mode: str, count: Array, part: Array) -> tuple[Array, Array]:
    own = np.arange(LANES, dtype=np.int64)[None, :]
    steps, last = count.astype(np.int64) & _ALL, part.astype(np.int64)
    kept, end = last >> 8 & _ALL, last & _ALL
    most = (own & kept) | (end & ~kept)
    source = _SOURCES[mode](own, steps, kept)
    inside = source >= most if mode == "up" else source <= most
    return np.where(inside, source, own), inside


def ballot(state: State, holds: Value, line: int) -> Value:
    """The running lanes for which a predicate holds, as a word, one a warp."""
    if state.maybe is not None:
        return Unknown(f"which lanes vote, which depends on {state.maybe}", line, uniform=True)
    if isinstance(holds, Unknown):
        return because(holds, uniform=True)
    return _bits(state.active & holds)


def elected(state: State, line: int) -> tuple[Value, Value]:
    """One running lane of each warp: its number, and whether it is this one. Which one the hardware
    takes is not documented; here the first. Source: PTX ISA, elect.sync."""
    if state.maybe is not None:
        reason = f"which lane is elected, which depends on {state.maybe}"
        return Unknown(reason, line, uniform=True), Unknown(reason, line)
    first = state.active.argmax(axis=1)[:, None]
    return first.astype(np.uint32), np.arange(LANES)[None, :] == first


def alike(state: State, value: Value, line: int) -> Value:
    """The running lanes that hold the same value, as a word for every lane."""
    if state.maybe is not None:
        return Unknown(f"which lanes are asked, which depends on {state.maybe}", line)
    if isinstance(value, Unknown):
        return because(value, value.uniform)
    full = np.broadcast_to(value, state.active.shape)
    same = (full[:, :, None] == full[:, None, :]) & state.active[:, None, :]
    return _bits(same)[..., 0]


def among(state: State, found: Value, members: Value) -> Value:
    """Of lanes as a word those that are ``members`` for the lane that asks, a word as well."""
    if not isinstance(members, Unknown):
        members = fit(members)
        every = _bits(state.active)
        all_asked = np.broadcast_to(members & every == every, state.active.shape)
        if all_asked[state.active].all():
            return found
    return apply(np.bitwise_and, found, members)


def _bits(lanes: Array) -> Array:
    """Truth values along the last axis as a word, uint32 [..., 1]."""
    weights = np.uint64(1) << np.arange(lanes.shape[-1], dtype=np.uint64)
    total = (lanes * weights).sum(axis=-1, keepdims=True)
    return np.asarray(total.astype(np.uint32))
