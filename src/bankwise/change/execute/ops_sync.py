"""Barriers, waits and copies to LDS. What counts as which synchronisation:

=============================================  ==========  ==================================
operation                                      rendezvous  outstanding copies
=============================================  ==========  ==================================
gpu.barrier, with or without workgroup fence   all         all complete
gpu.barrier memfence [] or [global] only       all         none
amdgpu.lds_barrier, rocdl.barrier              waves       all complete
rocdl.s.barrier                                waves       none
gpu.barrier scope <subgroup>                   none        the wave's, as its fence says
rocdl.s.waitcnt, amdgpu.memory_counter_wait    none        all but the n youngest (vmcnt, load)
rocdl.s.wait.loadcnt                           none        all but the n youngest
rocdl.asyncmark + rocdl.wait.asyncmark n       none        all but the n youngest groups
nvgpu.device_async_create_group + _wait        none        all but the n youngest groups
=============================================  ==========  ==================================

*All* demands every thread at the same barrier; *waves* may pass alone (``s_barrier`` counts per
wave). A fence of LDS completes direct-to-LDS copies too: they write LDS, and LLVM waits for
``vmcnt(0)`` there (llvm/llvm-project#142018). The load counter counts copies, global loads and
global stores in program order, as the one ``vmcnt`` of gfx9 does; waiting for stores, LDS or
exports (``store(n)``, ``ds(n)``, ``dscnt``) completes no copy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from iree.compiler import ir

from bankwise.change.execute.memory import fetch, note_global_load, store
from bankwise.change.execute.memref import MemrefValue, linear
from bankwise.change.execute.ops_gpu import first_lane
from bankwise.change.execute.places import inside_buffer, locate, placed
from bankwise.change.execute.state import (
    Node,
    Step,
    WorkgroupState,
    close_group,
    meet,
    wait,
    wait_groups,
)
from bankwise.change.execute.values import Array, element
from bankwise.counting.access import IntArray

_DMA_BYTES = (4, 16)
"""Bytes per lane of a direct-to-LDS copy; 1, 2 and 12 are widened by the hardware on the way."""


def gpu_barrier(node: Node) -> Step:
    """``gpu.barrier`` of a workgroup or a subgroup."""
    fences = node.op.attributes.get("address_spaces")
    waits = fences is None or any("workgroup" in str(space) for space in fences)
    scope = str(node.op.attributes.get("scope", "workgroup"))
    if len(node.op.operands) or not ("workgroup" in scope or "subgroup" in scope):
        raise node.refuse("named barriers and barriers of a cluster are not executed")
    if "subgroup" in scope:
        return _waiting(lambda state, waves: wait(state, waves, 0) if waits else None)
    return _meeting(node, waits, everyone=True)


def full_barrier(node: Node) -> Step:
    """``amdgpu.lds_barrier``, ``rocdl.barrier``."""
    return _meeting(node, waits=True, everyone=False)


def bare_barrier(node: Node) -> Step:
    """``rocdl.s.barrier``: the waves meet, memory does not."""
    return _meeting(node, waits=False, everyone=False)


def counter_wait(node: Node) -> Step:
    """``amdgpu.memory_counter_wait``; only its load counter completes copies."""
    if "load" not in node.op.attributes:
        return _nothing
    newest = int(node.op.attributes["load"])
    return _waiting(lambda state, waves: wait(state, waves, newest))


def waitcnt(node: Node) -> Step:
    """``rocdl.s.waitcnt``: vmcnt in bits 3:0 and 15:14 (LLVM, AMDGPU gfx9 waitcnt operand)."""
    bits = int(node.op.attributes["bitfield"])
    newest = (bits & 15) | (bits >> 14 & 3) << 4
    return _waiting(lambda state, waves: wait(state, waves, newest))


def loadcnt(node: Node) -> Step:
    """``rocdl.s.wait.loadcnt``."""
    newest = int(node.op.attributes["count"])
    return _waiting(lambda state, waves: wait(state, waves, newest))


def mark(node: Node) -> Step:
    """``rocdl.asyncmark``: what was issued since the last mark is a group."""
    return _waiting(close_group)


def wait_mark(node: Node) -> Step:
    """``rocdl.wait.asyncmark``."""
    newest = int(node.op.attributes["count"])
    return _waiting(lambda state, waves: wait_groups(state, waves, newest))


def create_group(node: Node) -> Step:
    """``nvgpu.device_async_create_group``."""
    close = _waiting(close_group)

    def run(state: WorkgroupState, *tokens: Any) -> tuple[None]:
        close(state)
        return (None,)

    return run


def wait_group(node: Node) -> Step:
    """``nvgpu.device_async_wait``: without ``numGroups`` for all."""
    newest = int(node.op.attributes.get("numGroups", 0))
    step = _waiting(lambda state, waves: wait_groups(state, waves, newest))
    return lambda state, *tokens: step(state)


def gather_to_lds(node: Node) -> Step:
    """``amdgpu.gather_to_lds``: every lane fetches from its own source; LDS fills in lane order.

    Lane l of a wave writes its n elements at (destination of the first active lane) + l * n,
    linearly, whatever the strides of the destination.
    """
    transfer = ir.TypeAttr(node.op.attributes["transferType"]).value
    count = int(np.prod(ir.VectorType(transfer).shape)) if hasattr(transfer, "shape") else 1
    segments = [int(n) for n in node.op.attributes["operandSegmentSizes"]]
    of = element(transfer, node.location)
    if of.bytes * count not in _DMA_BYTES:
        raise node.refuse(f"copies of {of.bytes * count} bytes per lane are not executed")

    def run(state: WorkgroupState, source: MemrefValue, *operands: Any) -> tuple[()]:
        indices, target = operands[: segments[1]], operands[segments[1]]
        to = operands[segments[1] + 1 :][: segments[3]]
        place = locate(state, node, source, indices, (count,))
        first = first_lane(state, linear(target, to))
        lane = np.arange(state.threads) % state.ids.wave_size
        at = (first + lane * count)[:, None] + np.arange(count)
        note_global_load(state, source, place)
        _copy(state, node, fetch(source, place), target, at)
        return ()

    return run


def device_async_copy(node: Node) -> Step:
    """``nvgpu.device_async_copy`` (``cp.async``); behind ``srcElements`` it fills with 0."""
    count = int(node.op.attributes["dstElements"])
    segments = [int(n) for n in node.op.attributes["operandSegmentSizes"]]

    def run(state: WorkgroupState, target: MemrefValue, *operands: Any) -> tuple[None]:
        to, source = operands[: segments[1]], operands[segments[1]]
        indices = operands[segments[1] + 1 :][: segments[3]]
        wanted = None
        if segments[4]:
            wanted = np.arange(count) < operands[-1].reshape(-1, 1)
        place = locate(state, node, source, indices, (count,), wanted)
        note_global_load(state, source, place)
        values = fetch(source, place)
        at = locate(state, node, target, to, (count,)).at
        _copy(state, node, values, target, at)
        return (None,)

    return run


def _copy(
    state: WorkgroupState, node: Node, values: Array, target: MemrefValue, at: IntArray
) -> None:
    """Write ``values`` at the element offsets ``at`` as a copy that must be waited for."""
    if target.buffer.shadow is None:
        raise node.refuse("the destination of a copy must be shared memory")
    legal = np.ones((1, 1), np.bool_) if state.mask is None else state.mask[:, None]
    inside = inside_buffer(state, node, target, at, legal)
    store(state, node, target, placed(at, legal & inside), values, dma=True)


def _meeting(node: Node, waits: bool, everyone: bool) -> Step:
    def run(state: WorkgroupState) -> tuple[()]:
        meet(state, node, waits, everyone)
        return ()

    return run


def _waiting(action: Callable[[WorkgroupState, Sequence[int]], None]) -> Step:
    """``action`` on the active waves."""

    def run(state: WorkgroupState) -> tuple[()]:
        action(state, state.active_waves())
        return ()

    return run


def _nothing(state: WorkgroupState, *operands: Any) -> tuple[()]:
    return ()


def no_effect(node: Node) -> Step:
    """Hints to the scheduler, and waits that complete no copy."""
    return _nothing


_HINTS = (
    *("amdgpu.sched_barrier", "rocdl.sched.barrier", "rocdl.sched.group.barrier"),
    *("rocdl.iglp.opt", "rocdl.s.setprio", "rocdl.s.nop", "rocdl.s.sleep", "rocdl.wave.barrier"),
    *("rocdl.s.wait.dscnt", "rocdl.s.wait.storecnt", "rocdl.s.wait.expcnt"),
)

TABLE: Mapping[str, Callable[[Node], Step]] = {
    **dict.fromkeys(_HINTS, no_effect),
    "amdgpu.gather_to_lds": gather_to_lds,
    "amdgpu.lds_barrier": full_barrier,
    "amdgpu.memory_counter_wait": counter_wait,
    "gpu.barrier": gpu_barrier,
    "nvgpu.device_async_copy": device_async_copy,
    "nvgpu.device_async_create_group": create_group,
    "nvgpu.device_async_wait": wait_group,
    "rocdl.asyncmark": mark,
    "rocdl.barrier": full_barrier,
    "rocdl.s.barrier": bare_barrier,
    "rocdl.s.wait.loadcnt": loadcnt,
    "rocdl.s.waitcnt": waitcnt,
    "rocdl.wait.asyncmark": wait_mark,
}
