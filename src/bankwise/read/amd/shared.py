"""Which AMD instructions touch LDS, and at which bytes.

    ds_read_b128 v[2:5], v0 offset:64          lane's v0 + 64
    ds_read2_b64 v[2:5], v0 offset1:4          v0, and v0 + 4 * 8
    ds_write2st64_b32 v0, v1, v2 offset1:2     v0, and v0 + 2 * 4 * 64
    buffer_load_dwordx4 v1, s[8:11], 0 lds     M0 + lane * 16     (dword and narrower: lane * 4)

Lane exchanges (``ds_bpermute``, ``ds_swizzle``) use the LDS unit but no storage: no access.
Source: AMD CDNA3 and CDNA4 ISA, chapter on data share; direct loads: CDNA4 9.1.9.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from bankwise.errors import Refusal
from bankwise.hardware.machine import AccessKind, Direction
from bankwise.read.amd.directives import is_directive
from bankwise.read.amd.literals import modifier
from bankwise.read.amd.masks import LANES
from bankwise.read.amd.operands import operand, unclear
from bankwise.read.amd.parse import AmdInstruction
from bankwise.read.follow.decoded import Address, DecodedAccess, Touches
from bankwise.read.follow.functions import LaneSum, apply
from bankwise.read.follow.marks import behind
from bankwise.read.follow.state import State, read, running
from bankwise.read.follow.units import from_somewhere
from bankwise.read.follow.values import Unknown, Value
from bankwise.regex import regex

EXCHANGES = ("ds_bpermute", "ds_permute", "ds_swizzle", "ds_nop")
"""LDS instructions that use no LDS storage: they move data between lanes."""

OTHERS = regex(r"(?:s|v|t?buffer|global|flat|scratch|image)_|exp$")
"""Instructions that touch LDS only where they say "lds", or by their address."""
_LDS_OPERANDS = frozenset({"lds_direct", "src_lds_direct"})
_NO_NUMBER = "its offset is not a number"
_INSTEAD = "put what `llvm-mc -filetype=obj` and `llvm-objdump -d` make of it in its place"
_AS_NUMBER = f"what this makes of the code is not known; {_INSTEAD}"
_COMPUTED = f"which register that is is not known; {_INSTEAD}"

_WIDTHS = {"b8": 1, "u8": 1, "i8": 1, "b16": 2, "u16": 2, "i16": 2, "b32": 4, "u32": 4, "i32": 4}
_WIDTHS |= {"f32": 4, "b64": 8, "u64": 8, "i64": 8, "f64": 8, "b96": 12, "b128": 16, "f16": 2}
_WIDTHS |= {"bf16": 4}
_READ = regex(r"ds_(?:read|load)_([ui]8|[ui]16|b\d+)(_d16)?(_hi)?")
_WRITE = regex(r"ds_(?:write|store)_(b\d+)(_d16_hi)?")
_TRANSPOSE = regex(r"ds_read_b(64|96)_tr_b\d+")
_ATOMIC = regex(
    r"ds_(?:add|sub|rsub|inc|dec|min|max|and|or|xor|mskor|cmpst|cmpstore|wrxchg|wrap|pk_add|condxchg32)"
    r"(?:_rtn)?_([a-z]+\d+)"
)
_DMA = regex(r"(?:buffer_load_|global_load_lds_|global_load_|scratch_load_)(?:lds_)?(\w+)")
_DMA_BYTES = {"ubyte": 1, "sbyte": 1, "ushort": 2, "sshort": 2, "dword": 4}
_DMA_BYTES |= {"dwordx3": 12, "dwordx4": 16}


def touch(op: AmdInstruction) -> Touches:
    """How ``op`` touches LDS; None if it does not, a refusal if that is not understood."""
    if text := unclear(op.operands):
        return Refusal(f"{op.name}: {text}: {_COMPUTED}")
    if op.name.startswith(EXCHANGES):
        return None
    if op.name.startswith("ds_"):
        return _local(op)
    if "lds" in op.modifiers or "_lds" in op.name:
        return _direct(op)
    if is_directive(op.name):
        words = " ".join((op.name, *op.operands))
        return Refusal(f"{words}: {_AS_NUMBER}")
    known = OTHERS.match(op.name) and not _LDS_OPERANDS.intersection(op.operands)
    return None if known else Refusal(f"{op.name}: it is not known whether it touches LDS")


def registers(found: DecodedAccess) -> tuple[str, ...]:
    """What the address is made of."""
    return (*(found.address.registers or ("m0",)), "exec_lo", "exec_hi")


def first_byte(found: DecodedAccess, state: State) -> Value:
    """The first byte of each lane, uint32 [waves, lanes]; a direct load counts from M0."""
    at = found.address
    offset = np.uint32(at.offset_bytes & 0xFFFFFFFF)
    if at.terms:
        base = read(state, at.terms[0][0], running(state))
        if not isinstance(base, Unknown):
            return behind(base, offset) if offset else base
        place = apply(LaneSum(lambda x: x + offset), base) if offset else base
        return from_somewhere(place, state)
    step = 16 if found.width_bytes > 4 else 4
    lane = np.arange(LANES, dtype=np.uint32)[None, :] * np.uint32(step) + offset
    return from_somewhere(apply(_IN_LANE_ORDER, read(state, "m0"), lane), state)


_IN_LANE_ORDER = LaneSum(lambda base, lane: (base & np.uint32(0x3FFFF)) + lane, (0,))


def _local(op: AmdInstruction) -> DecodedAccess | Refusal:
    shape = _shape(op.name)
    if shape is None or "gds" in op.modifiers:
        return Refusal(f"{op.name}: it is not known which bytes of LDS this instruction touches")
    kind, direction, width = shape
    at = operand(op.operands[_address_position(op, kind, direction)]) if op.operands else None
    if at is None or len(at.registers) != 1:
        return Refusal(f"{op.name}: the operands are not the usual ones")
    offsets = _offsets(op, width)
    if offsets is None:
        return Refusal(f"{op.name}: {_NO_NUMBER}")
    first, apart = offsets
    where = Address(((at.registers[0], 1),), first)
    return DecodedAccess(op.name, kind, direction, width, where, first, apart)


@lru_cache(maxsize=256)
def _shape(name: str) -> tuple[AccessKind, Direction, int] | None:
    two = _two_address_form(name)
    if two is not None:
        return "plain", two[0], two[1]
    if found := _TRANSPOSE.fullmatch(name):
        return "transpose", "read", int(found[1]) // 8
    if (found := _READ.fullmatch(name)) and found[1] in _WIDTHS:
        return "plain", "read", _WIDTHS[found[1]]
    if (found := _WRITE.fullmatch(name)) and found[1] in _WIDTHS:
        return "plain", "write", _WIDTHS[found[1]]
    if (found := _ATOMIC.fullmatch(name)) and found[1] in _WIDTHS:
        return "atomic", "write", max(4, _WIDTHS[found[1]])
    return None


@lru_cache(maxsize=256)
def _two_address_form(name: str) -> tuple[Direction, int, int] | None:
    """Two-address forms: direction, bytes of an address, bytes of an offset's unit."""
    found = re.fullmatch(r"ds_(read|write)2(st64)?_b(32|64)", name)
    found = found or re.fullmatch(r"ds_(load|store)_2addr(_stride64)?_b(32|64)", name)
    if found is None:
        return None
    width = int(found[3]) // 8
    direction: Direction = "read" if found[1] in ("read", "load") else "write"
    return direction, width, width * (64 if found[2] else 1)


def _address_position(op: AmdInstruction, kind: AccessKind, direction: Direction) -> int:
    """Stores begin with the address, everything that returns a value with its destination."""
    returns = direction == "read" or (kind == "atomic" and "_rtn" in op.name)
    return min(1 if returns else 0, len(op.operands) - 1)


def _offsets(op: AmdInstruction, width: int) -> tuple[int, int | None] | None:
    """Of the first address, and from there to the second; None where one is not a number."""
    two = _two_address_form(op.name)
    if two is None:
        only = modifier(op.modifiers, "offset")
        return None if only is None else (only, None)
    first, second = (modifier(op.modifiers, name) for name in ("offset0", "offset1"))
    if first is None or second is None:
        return None
    return first * two[2], (second - first) * two[2]


def _direct(op: AmdInstruction) -> DecodedAccess | Refusal:
    found = _DMA.fullmatch(op.name)
    width = _DMA_BYTES.get(found[1]) if found else None
    if width is None:
        return Refusal(f"{op.name}: it is not known how many bytes this copy to LDS has")
    first = modifier(op.modifiers, "offset")
    if first is None:
        return Refusal(f"{op.name}: {_NO_NUMBER}")
    name = op.name if op.name.startswith("global_load_lds_") else f"{op.name}_lds"
    return DecodedAccess(name, "dma", "write", width, Address((), first))
