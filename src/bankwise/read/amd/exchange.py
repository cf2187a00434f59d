"""Exchanges between lanes through the LDS unit: ds_bpermute, ds_permute, ds_swizzle.

    ds_bpermute_b32 v1, v2, v3      each lane takes v3 of the lane v2 / 4
    ds_permute_b32 v1, v2, v3       each lane gives v3 to the lane v2 / 4, the highest giver wins
    ds_swizzle_b32 v1, v3 offset:swizzle(SWAP,1)

A lane that does not run gives nothing: whoever takes from it, or is given nothing, gets 0. They
touch no storage. Source: AMD CDNA3 ISA, chapter on data share; LLVM, "AMDGPU modifier syntax", for
the words of a swizzle.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np

from bankwise.counting.access import IntArray
from bankwise.read.amd.lanes import Run
from bankwise.read.amd.literals import integer, modifier
from bankwise.read.amd.masks import LANES
from bankwise.read.amd.operands import Operand, operand, value
from bankwise.read.amd.parse import AmdInstruction
from bankwise.read.follow.functions import apply
from bankwise.read.follow.state import State, parted, running, write
from bankwise.read.follow.values import Array, Unknown, Value, because

_LANE = np.arange(LANES, dtype=np.int64)


def exchange(op: AmdInstruction) -> Run | None:
    """What an exchange gives; None if it is not one that is followed."""
    operands = [operand(text) for text in op.operands]
    if op.name == "ds_swizzle_b32" and len(operands) == 2:
        source = _swizzle(op.modifiers.get("offset", "0"))
        return None if source is None else _swizzled(operands, source)
    offset = modifier(op.modifiers, "offset")
    if len(operands) != 3 or offset is None:
        return None
    function = {"ds_bpermute_b32": _taken, "ds_permute_b32": _given}.get(op.name)
    return None if function is None else _permuted(operands, function, offset)


def _permuted(operands: list[Operand], function: Callable[..., Array], offset: int) -> Run:
    to, address, data = operands

    def run(state: State) -> None:
        lanes = running(state)
        at, what = value(state, address, 0, lanes), value(state, data, 0, lanes)
        found = apply(lambda x, y: function(_lane(x, offset, lanes), y, lanes), at, what)
        found = parted(found) if isinstance(found, Unknown) else found
        write(state, to.registers[0], _certain(state, found), lanes)

    return run if to.registers else _nothing


def _swizzled(operands: list[Operand], source: IntArray) -> Run:
    to, data = operands

    def run(state: State) -> None:
        lanes = running(state)
        at = np.broadcast_to(source, lanes.shape)
        found = apply(lambda x, at: _taken(at, x, lanes), value(state, data, 0, lanes), at)
        write(state, to.registers[0], _certain(state, found), lanes)

    return run if to.registers else _nothing


def _nothing(state: State) -> None:
    return None


def _certain(state: State, found: Value) -> Value:
    """Unknown if it is not known which lanes run."""
    return found if state.maybe is None else because(state.maybe)


def _lane(address: Array, offset: int, lanes: Array) -> IntArray:
    places = (np.broadcast_to(address, lanes.shape).astype(np.int64) + offset) // 4
    return np.asarray(places % LANES)


def _taken(source: IntArray, data: Array, lanes: Array) -> Array:
    full = np.where(lanes, np.broadcast_to(data, lanes.shape), 0).astype(np.uint32)
    return np.take_along_axis(full, source, axis=1)


def _given(place: IntArray, data: Array, lanes: Array) -> Array:
    out = np.zeros(lanes.shape, np.uint32)
    full = np.broadcast_to(data, lanes.shape)
    waves = np.arange(len(out))
    for lane in range(LANES):
        on = lanes[:, lane]
        out[waves[on], place[on, lane]] = full[on, lane]
    return out


def _swizzle(text: str) -> IntArray | None:
    """The lane that each lane takes from; None for rotations and transforms."""
    number = integer(text)
    if number is not None:
        return _encoded(number)
    found = re.fullmatch(r"swizzle\((\w+),(.*)\)", text.replace(" ", ""))
    if found is None:
        return None
    name, parts = found[1], found[2].split(",")
    if name == "BITMASK_PERM":
        return _bit_mask(parts[0].strip('"'))
    numbers = [n for part in parts if (n := integer(part)) is not None]
    count, function = _NAMED.get(name, (-1, None))
    if function is None or len(numbers) != count or len(parts) != count:
        return None
    if name != "QUAD_PERM" and numbers[0] not in (1, 2, 4, 8, 16, 32):
        return None
    return np.asarray(function(*numbers))


def _encoded(offset: int) -> IntArray | None:
    if offset & 0x8000:
        picks = np.array([offset >> 2 * n & 3 for n in range(4)])
        return _LANE // 4 * 4 + picks[_LANE % 4] if offset < 0xC000 else None
    kept, set_, turned = offset & 31, offset >> 5 & 31, offset >> 10 & 31
    return _LANE // 32 * 32 + ((_LANE % 32 & kept | set_) ^ turned)


def _bit_mask(mask: str) -> IntArray | None:
    """Five signs, the highest bit first: 0, 1, p (stays), i (inverted)."""
    if not re.fullmatch("[01pi]{5}", mask):
        return None
    words = ("".join("01"[sign in signs] for sign in mask) for signs in ("pi", "1", "i"))
    kept, set_, turned = (int(word, 2) for word in words)
    return _LANE // 32 * 32 + ((_LANE % 32 & kept | set_) ^ turned)


_NAMED: Mapping[str, tuple[int, Callable[..., IntArray]]] = {
    "QUAD_PERM": (4, lambda a, b, c, d: _LANE // 4 * 4 + np.array([a, b, c, d])[_LANE % 4] % 4),
    "SWAP": (1, lambda n: _LANE ^ n),
    "REVERSE": (1, lambda n: _LANE ^ (n - 1)),
    "BROADCAST": (2, lambda size, lane: _LANE // size * size + lane % size),
}
"""By name: how many numbers it takes, and what it does."""
