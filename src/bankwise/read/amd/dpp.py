"""Data-parallel primitives: vector instructions whose first source comes from another lane.

    v_mov_b32_dpp v1, v0 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
    v_add_u32_dpp v1, v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0

Rows have 16 lanes, banks 4. A lane without a source is 0 with ``bound_ctrl`` (LLVM prints it as 0
or 1 and means the same), else its destination stays. Sources that do not run are not followed:
what they give depends on the machine. Source: AMD CDNA3 ISA, section on DPP.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np

from bankwise.counting.access import BoolArray, IntArray
from bankwise.read.amd.lanes import Run
from bankwise.read.amd.literals import integer
from bankwise.read.amd.masks import LANES
from bankwise.read.amd.operands import Operand, value
from bankwise.read.amd.parse import AmdInstruction
from bankwise.read.follow.functions import apply
from bankwise.read.follow.state import State, parted, running, write
from bankwise.read.follow.values import Array, Unknown, Value

ENCODINGS = ("dpp", "e64_dpp")

_LANE = np.arange(LANES, dtype=np.int64)
_ROW = _LANE // 16 * 16
NOWHERE = -1
"""The source of a lane that has none."""


def dpp(
    op: AmdInstruction, to: Operand, sources: tuple[Operand, ...], function: Callable[..., Array]
) -> Run | None:
    """``function`` of the sources, the first moved between lanes; None if it is not followed."""
    source, enabled = _movement(op.modifiers), _enabled(op.modifiers)
    if source is None or enabled is None or len(to.registers) != 1:
        return None
    if "bound_ctrl" not in op.modifiers:
        enabled = enabled & (source != NOWHERE)

    def run(state: State) -> None:
        mask = running(state) & enabled
        moved = _lane_values(state, sources[0], source, mask, op.line)
        rest = (value(state, s, 0, mask) for s in sources[1:])
        write(state, to.registers[0], apply(function, moved, *rest), mask)

    return run


def _lane_values(
    state: State, operand: Operand, source: IntArray, mask: BoolArray, line: int
) -> Value:
    """What the lanes of ``mask`` get."""
    read = np.zeros_like(state.active)
    taken = np.broadcast_to(source != NOWHERE, mask.shape) & mask
    wave, lane = np.nonzero(taken)
    read[wave, source[lane]] = True
    if (read & ~running(state)).any():
        return Unknown("a lane that does not run", line)
    found = apply(lambda x: _picked(x, source), value(state, operand, 0, read))
    zeros = isinstance(found, Unknown) and (mask & ~taken).any()
    return parted(found) if isinstance(found, Unknown) and zeros else found


def _picked(x: Array, source: IntArray) -> Array:
    full = np.broadcast_to(np.asarray(x), (len(x), LANES))
    return np.where(source == NOWHERE, np.uint32(0), full[:, np.maximum(source, 0)])


def _enabled(modifiers: Mapping[str, str]) -> BoolArray | None:
    """The lanes whose row and bank may be written."""
    rows, banks = (integer(modifiers.get(name, "0xf")) for name in ("row_mask", "bank_mask"))
    if rows is None or banks is None:
        return None
    return np.asarray((rows >> _LANE // 16 & 1) & (banks >> _LANE % 16 // 4 & 1) == 1)


def _movement(modifiers: Mapping[str, str]) -> IntArray | None:
    """The lane that each lane reads, -1 where there is none; None for an unknown movement."""
    found = [(name, modifiers[name]) for name in modifiers if name in MOVES]
    if len(found) != 1:
        return None
    name, text = found[0]
    numbers = [integer(word) for word in re.findall(r"\w+", text)]
    if None in numbers or len(numbers) != (
        4 if name == "quad_perm" else 0 if name.endswith("mirror") else 1
    ):
        return None
    return np.asarray(MOVES[name](*numbers), np.int64)


def _inside(lane: IntArray, first: IntArray, length: int) -> IntArray:
    """``lane``, where it lies in the group that begins at ``first``."""
    return np.where((lane >= first) & (lane < first + length), lane, NOWHERE)


_WAVE = np.zeros_like(_LANE)
MOVES: Mapping[str, Callable[..., IntArray]] = {
    "quad_perm": lambda a, b, c, d: _LANE // 4 * 4 + np.array([a, b, c, d])[_LANE % 4],
    "row_shl": lambda n: _inside(_LANE + n, _ROW, 16),
    "row_shr": lambda n: _inside(_LANE - n, _ROW, 16),
    "row_ror": lambda n: _ROW + (_LANE - n) % 16,
    "wave_shl": lambda n: _inside(_LANE + n, _WAVE, LANES),
    "wave_shr": lambda n: _inside(_LANE - n, _WAVE, LANES),
    "wave_rol": lambda n: (_LANE + n) % LANES,
    "wave_ror": lambda n: (_LANE - n) % LANES,
    "row_mirror": lambda: _ROW + 15 - _LANE % 16,
    "row_half_mirror": lambda: _LANE // 8 * 8 + 7 - _LANE % 8,
    "row_bcast": lambda n: np.where(n < _LANE, (_LANE // (n + 1)) * (n + 1) - 1, NOWHERE),
    "row_newbcast": lambda n: _ROW + n,
}
"""By modifier: the lane of 64 that each lane reads, or ``NOWHERE``. row_bcast:15 gives lane 15 of
each row to the next row, row_bcast:31 lane 31 to the upper half."""
