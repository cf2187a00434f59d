"""Who runs, and what the lanes of a wave tell each other.

Semantics: the MLIR language reference of the gpu dialect. Reductions over lanes combine from the
lowest lane to the highest, so that their result does not depend on a schedule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bankwise.change.execute.ops_reduce import Combine, reducer
from bankwise.change.execute.state import Node, Step, WorkgroupState
from bankwise.change.execute.values import Array, element, rows
from bankwise.counting.access import IntArray
from bankwise.read.mlir.indexing import thread_results

_SWIZZLE_LANES = 32
"""ds_swizzle in bit mode works inside groups of 32 lanes."""


def thread_value(node: Node) -> Step:
    """Thread, lane, wave and workgroup numbers and sizes."""

    def run(state: WorkgroupState) -> tuple[IntArray]:
        found = []
        for ids in state.beside:
            known = thread_results(node.op, ids)
            if known is None:
                raise node.refuse("its value is not known")
            found.append(np.atleast_1d(known[0]))
        if len(found) == 1:
            return (found[0],)
        each = state.threads // len(found)
        return (np.concatenate([rows(value, each) for value in found]),)

    return run


def broadcast(node: Node) -> Step:
    """``gpu.subgroup_broadcast``, ``rocdl.readfirstlane``: of the first active or a given lane."""
    given = "specific_lane" in str(node.op.attributes.get("broadcast_type", ""))

    def run(state: WorkgroupState, value: Array, *lane: IntArray) -> tuple[Array]:
        return (_of_lane(state, value, lane[0]) if given else first_lane(state, value),)

    return run


def first_lane(state: WorkgroupState, value: Array) -> Array:
    """For every thread the value of the first active lane of its wave (lane 0 if none is)."""
    lane = state.active.reshape(-1, state.ids.wave_size).argmax(1)
    return rows(value, state.threads)[np.repeat(lane, state.ids.wave_size) + _first_thread(state)]


def _of_lane(state: WorkgroupState, value: Array, lane: IntArray) -> Array:
    asked = rows(lane, state.threads)[_first_thread(state)]
    return rows(value, state.threads)[asked % state.ids.wave_size + _first_thread(state)]


def _first_thread(state: WorkgroupState) -> IntArray:
    """For every thread the first one of its wave."""
    return state.wave_of * state.ids.wave_size


def shuffle(node: Node) -> Step:
    """``gpu.shuffle``; where the lane asked for is outside, the value is the thread's own."""
    mode = str(node.op.attributes["mode"]).split("<")[-1].rstrip(">")
    if mode not in ("xor", "up", "down", "idx"):
        raise node.refuse(f"the mode {mode} is not known")

    def run(
        state: WorkgroupState, value: Array, offset: IntArray, width: IntArray
    ) -> tuple[Array, Array]:
        lane = np.arange(state.threads) % state.ids.wave_size
        inside = lane % width
        wanted = {
            "xor": inside ^ offset,
            "up": inside - offset,
            "down": inside + offset,
            "idx": offset + 0 * inside,
        }[mode]
        valid = (wanted >= 0) & (wanted < width)
        return (_from_lanes(state, value, lane - inside + wanted, valid), valid.astype(np.int64))

    return run


def rotate(node: Node) -> Step:
    """``gpu.rotate``: from lane (l + offset) mod width of the cluster."""
    offset, width = int(node.op.attributes["offset"]), int(node.op.attributes["width"])

    def run(state: WorkgroupState, value: Array) -> tuple[Array, Array]:
        lane = np.arange(state.threads) % state.ids.wave_size
        wanted = lane - lane % width + (lane + offset) % width
        valid = np.ones(state.threads, np.bool_)
        return (_from_lanes(state, value, wanted, valid), valid.astype(np.int64))

    return run


def swizzle_bits(node: Node) -> Step:
    """``amdgpu.swizzle_bitmode``: from lane ((l and and_mask) or or_mask) xor xor_mask of 32."""
    keep, set_, flip = (int(node.op.attributes[f"{m}_mask"]) for m in ("and", "or", "xor"))

    def run(state: WorkgroupState, value: Array) -> tuple[Array]:
        lane = np.arange(state.threads) % state.ids.wave_size
        inside = lane % _SWIZZLE_LANES
        wanted = lane - inside + (((inside & keep) | set_) ^ flip)
        return (_from_lanes(state, value, wanted, np.ones(state.threads, np.bool_)),)

    return run


def ballot(node: Node) -> Step:
    """``gpu.ballot``: bit l is the predicate of lane l, 0 for inactive lanes."""

    def run(state: WorkgroupState, predicate: Array) -> tuple[Array]:
        votes = ((rows(predicate, state.threads) != 0) & state.active).astype(np.uint64)
        by_wave = votes.reshape(-1, state.ids.wave_size)
        bits = by_wave << np.arange(state.ids.wave_size, dtype=np.uint64)
        masks = np.bitwise_or.reduce(bits, axis=1).view(np.int64)
        return (np.repeat(masks, state.ids.wave_size),)

    return run


def subgroup_reduce(node: Node) -> Step:
    """``gpu.subgroup_reduce``: all lanes, or clusters of lanes ``cluster_stride`` apart."""
    combine = reducer(node, element(node.op.operands[0].type, node.location), "op")
    size = int(node.op.attributes.get("cluster_size", 0))
    stride = int(node.op.attributes.get("cluster_stride", 1))

    def run(state: WorkgroupState, value: Array) -> tuple[Array]:
        members = size or state.ids.wave_size
        lane = np.arange(state.threads)
        first = lane - lane // stride % members * stride
        return (_combined(state, combine, value, first[:, None] + np.arange(members) * stride),)

    return run


def all_reduce(node: Node) -> Step:
    """``gpu.all_reduce`` with an operation attribute: over the threads of the workgroup."""
    if "op" not in node.op.attributes:
        raise node.refuse("only reductions by a named operation are executed")
    combine = reducer(node, element(node.op.operands[0].type, node.location), "op")

    def run(state: WorkgroupState, value: Array) -> tuple[Array]:
        each = state.threads // len(state.beside)
        first = np.arange(0, state.threads, each)[:, None]
        everyone = first + np.arange(state.ids.count)
        return (np.repeat(_combined(state, combine, value, everyone), each, axis=0),)

    return run


def _from_lanes(state: WorkgroupState, value: Array, lane: IntArray, valid: Array) -> Array:
    """The value that another lane of the same wave holds; the thread's own where not valid."""
    thread = np.arange(state.threads)
    first = thread - thread % state.ids.wave_size
    return rows(value, state.threads)[np.where(valid, first + lane, thread)]


def _combined(state: WorkgroupState, combine: Combine, value: Array, members: IntArray) -> Array:
    """``value`` combined over the threads ``members`` [groups, n]; inactive ones are left out."""
    value, active = rows(value, state.threads), state.active
    total = value[members[:, 0]]
    seen = active[members[:, 0]]
    for n in range(1, members.shape[1]):
        thread = members[:, n]
        joins = active[thread]
        lifted = _lift(joins & seen, value)
        total = np.where(lifted, combine(total, value[thread]), total)
        total = np.where(_lift(joins & ~seen, value), value[thread], total)
        seen = seen | joins
    return total.astype(value.dtype, copy=False)


def _lift(condition: Array, value: Array) -> Array:
    return condition.reshape(-1, *(1 for _ in value.shape[1:]))


_WHO = (
    *("gpu.thread_id", "gpu.block_id", "gpu.block_dim", "gpu.grid_dim", "gpu.global_id"),
    *("gpu.lane_id", "gpu.subgroup_id", "gpu.subgroup_size", "gpu.num_subgroups"),
    *("hal.interface.workgroup.id", "hal.interface.workgroup.size"),
    *("hal.interface.workgroup.count", "rocdl.wavefrontsize"),
    *(f"rocdl.{what}.id.{axis}" for what in ("workitem", "workgroup") for axis in "xyz"),
)

TABLE: Mapping[str, Callable[[Node], Step]] = {
    **dict.fromkeys(_WHO, thread_value),
    "amdgpu.swizzle_bitmode": swizzle_bits,
    "gpu.all_reduce": all_reduce,
    "gpu.ballot": ballot,
    "gpu.rotate": rotate,
    "gpu.shuffle": shuffle,
    "gpu.subgroup_broadcast": broadcast,
    "gpu.subgroup_reduce": subgroup_reduce,
    "rocdl.readfirstlane": broadcast,
}
