"""What the lanes of an AMD wave tell each other: data-parallel primitives and their kin.

Semantics: the AMDGPU dialect of MLIR for the operations, the AMD CDNA3 ISA for what they become
(sections on DPP, ``ds_bpermute_b32``, ``v_readfirstlane_b32``, ``v_readlane_b32``). Rows have 16
lanes, banks 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from iree.compiler import ir

from bankwise.change.execute.ops_gpu import first_lane
from bankwise.change.execute.state import Node, Step, WorkgroupState
from bankwise.change.execute.values import Array, rows
from bankwise.counting.access import BoolArray, IntArray
from bankwise.read.amd.dpp import MOVES, NOWHERE

_LANES = 64
_INSIDE_ROWS = frozenset({"quad_perm", "row_shl", "row_shr", "row_ror"}) | frozenset(
    {"row_mirror", "row_half_mirror", "row_newbcast"}
)
_CONTROLS: Sequence[tuple[range, str, int]] = (
    # numbers of dpp_ctrl, movement, the number that stands for an amount of 0
    (range(0x101, 0x110), "row_shl", 0x100),
    (range(0x111, 0x120), "row_shr", 0x110),
    (range(0x121, 0x130), "row_ror", 0x120),
    (range(0x130, 0x131), "wave_shl", 0x12F),
    (range(0x134, 0x135), "wave_rol", 0x133),
    (range(0x138, 0x139), "wave_shr", 0x137),
    (range(0x13C, 0x13D), "wave_ror", 0x13B),
    (range(0x142, 0x143), "row_bcast", 0x142 - 15),
    (range(0x143, 0x144), "row_bcast", 0x143 - 31),
    (range(0x150, 0x160), "row_newbcast", 0x150),
)
_MIRRORS = {0x140: "row_mirror", 0x141: "row_half_mirror"}


def dpp(node: Node) -> Step:
    """``amdgpu.dpp``: the source of another lane; the old value where there is none to write.

    A lane without a source gets 0 with ``bound_ctrl``; the lanes that the row and bank masks
    switch off keep the old value.
    """
    attributes = node.op.attributes
    name = str(attributes["kind"]).split("<")[-1].rstrip(">").split()[-1]
    amount = attributes.get("permArgument")
    numbers = [1] if name.startswith("wave_") else []
    if isinstance(amount, ir.ArrayAttr):
        numbers = [int(ir.IntegerAttr(n).value) for n in amount]
    elif isinstance(amount, ir.IntegerAttr):
        numbers = [int(amount.value)]
    if name.startswith("row_bcast_"):
        name, numbers = "row_bcast", [int(name.removeprefix("row_bcast_"))]
    masks = [int(attributes[f"{which}_mask"]) for which in ("row", "bank")]
    return _moved(node, name, numbers, masks, bool(attributes["bound_ctrl"].value))


def update_dpp(node: Node) -> Step:
    """``rocdl.update.dpp``: the same with the number that the instruction holds."""
    attributes = node.op.attributes
    control = int(attributes["dppCtrl"])
    masks = [int(attributes[f"{which}Mask"]) for which in ("row", "bank")]
    name, numbers = _movement(node, control)
    return _moved(node, name, numbers, masks, bool(attributes["boundCtrl"].value))


def _movement(node: Node, control: int) -> tuple[str, list[int]]:
    if 0 <= control <= 0xFF:
        return "quad_perm", [control >> 2 * i & 3 for i in range(4)]
    if control in _MIRRORS:
        return _MIRRORS[control], []
    for numbers, name, zero in _CONTROLS:
        if control in numbers:
            return name, [control - zero]
    raise node.refuse(f"the control {control} is not known")


def _moved(node: Node, name: str, numbers: Sequence[int], masks: Sequence[int], zero: bool) -> Step:
    if name not in MOVES:
        raise node.refuse(f"the movement {name} is not known")
    source = np.asarray(MOVES[name](*numbers), np.int64)
    lane = np.arange(_LANES)
    enabled = (masks[0] >> lane // 16 & 1) & (masks[1] >> lane % 16 // 4 & 1) != 0

    def run(state: WorkgroupState, old: Array, value: Array) -> tuple[Array]:
        size = state.ids.wave_size
        if size != _LANES and name not in _INSIDE_ROWS:
            raise node.refuse(f"{name} needs waves of {_LANES} lanes, not {size}")
        wave = state.wave_of * size
        lanes = np.arange(state.threads) % size
        giver, writes = source[lanes], enabled[lanes]
        some = giver != NOWHERE
        thread = wave + np.where(some, giver, 0)
        _only_active(node, state, thread[writes & some & state.active])
        got = rows(value, state.threads)[thread]
        got = np.where(_along(some, got), got, np.zeros_like(got))
        keeps = ~(writes & (some | zero))
        return (np.where(_along(keeps, got), rows(old, state.threads), got),)

    return run


def _only_active(node: Node, state: WorkgroupState, givers: IntArray) -> None:
    if not state.active[givers].all():
        raise node.refuse("a lane reads from one that does not run")


def _along(condition: BoolArray, values: Array) -> Array:
    return condition.reshape(-1, *(1 for _ in values.shape[1:]))


def bpermute(node: Node) -> Step:
    """``rocdl.ds_bpermute``: from lane (index / 4) mod the wave's size; 0 from inactive lanes."""

    def run(state: WorkgroupState, index: IntArray, value: Array) -> tuple[Array]:
        size = state.ids.wave_size
        wanted = rows(index, state.threads) // 4 % size
        thread = state.wave_of * size + wanted
        got = rows(value, state.threads)[thread]
        return (np.where(_along(state.active[thread], got), got, np.zeros_like(got)),)

    return run


def read_lane(node: Node) -> Step:
    """``rocdl.readlane``: the value of one lane for its whole wave."""

    def run(state: WorkgroupState, value: Array, lane: IntArray) -> tuple[Array]:
        size = state.ids.wave_size
        asked = rows(lane, state.threads).reshape(-1, size)
        running = state.active.reshape(-1, size)
        first = asked[np.arange(len(asked)), running.argmax(1)]
        if (running & (asked != first[:, None])).any():
            raise node.refuse("the lanes of a wave ask for different lanes")
        thread = state.wave_of * size + np.repeat(first % size, size)
        _only_active(node, state, thread[state.active])
        return (rows(value, state.threads)[thread],)

    return run


def intrinsic(node: Node) -> Step:
    """``llvm.call_intrinsic`` of a function that is executed."""
    name = str(ir.StringAttr(node.op.attributes["intrin"]).value)
    if name.removesuffix(".i32") != "llvm.amdgcn.readfirstlane":
        raise node.refuse(f"{name} cannot be executed")
    return lambda state, value: (first_lane(state, value),)


TABLE: Mapping[str, Callable[[Node], Step]] = {
    "amdgpu.dpp": dpp,
    "llvm.call_intrinsic": intrinsic,
    "rocdl.ds_bpermute": bpermute,
    "rocdl.readlane": read_lane,
    "rocdl.update.dpp": update_dpp,
}
