"""Lane masks: 64 bits in two scalar registers, and the execution mask with its conditions."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from bankwise.counting.access import BoolArray
from bankwise.read.follow.choices import bound, common_tags, tag_of
from bankwise.read.follow.functions import apply, choose
from bankwise.read.follow.state import State, parted, read, write
from bankwise.read.follow.values import Array, Tags, Unknown, Value

EXEC = ("exec_lo", "exec_hi")
LANES = 64

_MOST_CONDITIONS = 6
"""One within the other; in a loop they would become more and more."""


def pack(mask: BoolArray, waves: int) -> tuple[Array, Array]:
    """Boolean [waves, lanes] as two words [waves, 1]."""
    full = np.broadcast_to(mask, (waves, LANES))
    words = np.packbits(full, axis=1, bitorder="little").view("<u4").astype(np.uint32)
    return words[:, :1], words[:, 1:]


def unpack(low: Array, high: Array) -> BoolArray:
    """The inverse of :func:`pack`."""
    low, high = np.broadcast_arrays(low[:, :1], high[:, :1])
    words = np.concatenate([low, high], axis=1).astype("<u4")
    return np.unpackbits(words.view(np.uint8), axis=1, bitorder="little").astype(bool)


def lanes(low: Value, high: Value) -> Value:
    """A mask as a boolean value of each lane; one that is not known differs from lane to lane."""
    found = apply(unpack, low, high)
    return parted(found) if isinstance(found, Unknown) else found


def set_exec(state: State, low: Value, high: Value) -> None:
    """Let the execution mask be ``low``, ``high``.

    A mask that is not known narrows the lanes to its bound, and is a condition: what is written
    under it is known as long as no other lanes run.
    """
    write(state, EXEC[0], low)
    write(state, EXEC[1], high)
    low, high = read(state, EXEC[0]), read(state, EXEC[1])
    cause = next((half for half in (low, high) if isinstance(half, Unknown)), None)
    if cause is None:
        state.conditions, state.maybe = (), None
    else:
        tag = tag_of(low, high)
        outer = [one for one in _tags(low, high) if one != tag]
        state.conditions, state.maybe = (*outer[1 - _MOST_CONDITIONS :], tag), cause
        for name, half in zip(EXEC, (low, high), strict=True):
            if isinstance(half, Unknown):
                state.registers[name] = replace(half, subset_of=state.conditions)
    new = unpack(bound(low), bound(high))
    state.lanes = new if state.lanes is None else choose(state.active, new, state.lanes)


def _tags(low: Value, high: Value) -> Tags:
    """The conditions that hold in every lane; a half without lanes fulfils all."""
    halves = [half for half in (low, high) if isinstance(half, Unknown) or half.any()]
    return common_tags(halves[0], halves[-1])
