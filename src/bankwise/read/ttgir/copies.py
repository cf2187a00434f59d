"""Copies from global memory into shared memory: cp.async on NVIDIA, direct-to-LDS on AMD."""

from __future__ import annotations

import re

import numpy as np

from bankwise.counting.access import BoolArray, IntArray
from bankwise.errors import Refusal
from bankwise.hardware.machine import AccessKind, Machine
from bankwise.hardware.policies import WIDEST_BYTES
from bankwise.read.ttgir.lower import Issued, vectors
from bankwise.read.ttgir.placed import PlacedElements
from bankwise.read.ttgir.values import Op

_CONTIGUITY = re.compile(r"contiguity = (\d+)")
_DWORDS = {4: "", 12: "x3", 16: "x4"}
_SMALL = {1: "ubyte", 2: "ushort"}


def lower_copy(machine: Machine, placed: PlacedElements, op: Op) -> tuple[Issued, ...] | Refusal:
    """The instructions of one asynchronous copy; lanes that hold what others hold do nothing.

    The width is the smaller of what the text says of the global side and of what lies side by side
    in shared memory.
    """
    said = _CONTIGUITY.search(op.body)
    most = int(said[1]) * placed.element_bytes if said else WIDEST_BYTES
    note = "" if said else "the text does not say how wide the copy may be"
    offsets, width = vectors(placed, min(most, WIDEST_BYTES))
    first = np.moveaxis(offsets, 2, 1)
    active = ~placed.idle[:, None, :]
    if machine.vendor == "nvidia":
        name = f"cp.async{_past_the_cache(op, width)}.b{8 * width}"
        return _copy_instruction(machine, name, "async", width, first, active, note)
    stem = "global_load_lds_" if "async_copy" in op.name else "buffer_load_"
    tail = f"dword{_DWORDS[width]}" if width in _DWORDS else _SMALL.get(width, f"b{8 * width}")
    name = stem + tail + ("" if "async_copy" in op.name else "_lds")
    filled = _in_lane_order(first, width)
    if filled is None:
        return Refusal(f"{name}: a wave does not fill consecutive bytes, which it has to")
    return _copy_instruction(machine, name, "dma", width, filled, active, note)


def _past_the_cache(op: Op, width: int) -> str:
    """Triton copies 16 bytes with .cg, unless the load asked for .ca; less there is with .ca only.

    Source: AsyncCopyGlobalToLocalOpConversion in LoadStoreOpToLLVM.cpp of Triton's NVIDIA backend.
    """
    return ".cg" if width == WIDEST_BYTES and "cacheModifier = ca" not in op.body else ""


def _copy_instruction(
    machine: Machine,
    name: str,
    kind: AccessKind,
    width: int,
    offsets: IntArray,
    active: BoolArray,
    note: str,
) -> tuple[Issued, ...] | Refusal:
    if name not in machine.instructions:
        return Refusal(f"{machine.name} has no {name}")
    return (Issued(name, kind, "write", width, offsets, active, note),)


def _in_lane_order(offsets: IntArray, width: int) -> IntArray | None:
    """What the hardware fills: the same bytes, but lane after lane; None if they have holes.

    A swizzle is applied on the global side: lanes exchange what they fetch.
    """
    filled = np.sort(offsets, axis=-1)
    expected = filled[..., :1] + np.arange(offsets.shape[-1]) * width
    return expected if np.array_equal(filled, expected) else None
