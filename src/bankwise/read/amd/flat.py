"""Flat accesses: the upper half of the address says which memory they reach.

    s_mov_b64 s[2:3], src_shared_base      s3: the aperture of shared memory
    v_mov_b32_e32 v3, s3
    flat_store_dword v[2:3], v4            LDS, at byte v2 of the workgroup's
    flat_load_dword v5, v[6:7] offset:8    a pointer that the launch passed: global memory

The apertures are numbers of the machine that no text gives, so two invented pairs stand for them:
what a kernel touches must be the same with either (:data:`APERTURE_PAIRS`). A kernel that reads no
aperture makes no generic address of shared memory, and whoever launches it cannot pass one.
Sources: AMD CDNA3 ISA, chapter on flat memory instructions; LLVM, "User Guide for AMDGPU Backend",
address spaces.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from bankwise.errors import Refusal
from bankwise.hardware.machine import AccessKind, Direction
from bankwise.read.amd.literals import modifier
from bankwise.read.amd.operands import operand
from bankwise.read.amd.parse import AmdInstruction, AmdKernel
from bankwise.read.follow.decoded import Address, DecodedAccess
from bankwise.read.follow.functions import apply
from bankwise.read.follow.state import State, read, running
from bankwise.read.follow.values import Array, Unknown, Value
from bankwise.read.integers import halves, join
from bankwise.regex import regex

APERTURE_PAIRS = ((0x5A3C0000, 0x9D170000), (0xA5C30000, 0x62E80000))
"""Upper halves of the addresses of shared and of private memory, twice; as
:data:`bankwise.read.follow.values.APERTURES` has them."""

SHARED, PRIVATE = "src_shared_base_hi", "src_private_base_hi"
"""Registers that hold them."""

WIDTHS = {"ubyte": 1, "sbyte": 1, "byte": 1, "ushort": 2, "sshort": 2, "short": 2, "dword": 4}
WIDTHS |= {"dwordx2": 8, "dwordx3": 12, "dwordx4": 16}
"""Bytes, by the end of a name."""

_PLAIN = regex(r"flat_(load|store)_([a-z]+(?:x\d)?)(?:_d16)?(?:_hi)?")
_ATOMIC = regex(r"flat_atomic_\w+?(_x2|_f64)?")
_MAKERS = frozenset(("src_shared_base", "shared_base", "src_shared_limit", "shared_limit"))
_APERTURES = _MAKERS | {maker.replace("shared", "private") for maker in _MAKERS}
_BASES = "MEM_BASES"
"""The register that holds both apertures, as ``s_getreg_b32`` names it."""
_HALF = 1 << 32


def makes_shared_addresses(kernel: AmdKernel) -> bool:
    """Whether some instruction can learn the aperture of shared memory."""
    made = (_reads(op, _MAKERS) for op in kernel.operations)
    return bool(kernel.bits("user_sgpr_queue_ptr")) or any(made)


def reads_aperture(op: AmdInstruction) -> bool:
    """Whether an instruction itself reads an aperture. What it loads by the pointer to its queue is
    not known, whatever the apertures are."""
    return _reads(op, _APERTURES)


def _reads(op: AmdInstruction, names: Collection[str]) -> bool:
    return any(text in names or _BASES in text for text in op.operands)


def flat_access(op: AmdInstruction) -> DecodedAccess | Refusal:
    """What a ``flat_`` instruction touches if its address is one of shared memory."""
    shape = _shape(op)
    if shape is None:
        return Refusal(f"{op.name}: it is not known whether and where it touches LDS")
    kind, direction, width = shape
    returns = direction == "read" or (kind == "atomic" and {"glc", "sc0"} & set(op.modifiers))
    at = operand(op.operands[1 if returns else 0]) if len(op.operands) > 1 else operand("off")
    if len(at.registers) != 2:
        return Refusal(f"{op.name}: the operands are not the usual ones")
    low, high = at.registers
    first = modifier(op.modifiers, "offset")
    if first is None:
        return Refusal(f"{op.name}: its offset is not a number")
    where = Address(((low, 1), (high, _HALF)), first)
    return DecodedAccess(op.name, kind, direction, width, where, first)


def _shape(op: AmdInstruction) -> tuple[AccessKind, Direction, int] | None:
    if found := _PLAIN.fullmatch(op.name):
        width = WIDTHS.get(found[2])
        direction: Direction = "read" if found[1] == "load" else "write"
        return None if width is None else ("plain", direction, width)
    if found := _ATOMIC.fullmatch(op.name):
        return "atomic", "write", 8 if found[1] else 4
    return None


def in_shared(found: DecodedAccess, state: State) -> Value:
    """The lanes whose address is one of shared memory."""
    return in_memory(SHARED, found, state)


def first_shared_byte(found: DecodedAccess, state: State) -> Value:
    """The first byte of LDS of each lane that reaches it."""
    chosen = in_shared(found, state)
    if isinstance(chosen, Unknown):
        reason = f"{chosen.reason}, and so does whether it is in LDS"
        return Unknown(reason, chosen.line, fact=chosen.fact)
    return _halves(found, state)[0]


def in_memory(aperture: str, found: DecodedAccess, state: State) -> Value:
    """The lanes whose address begins with an aperture; unknown where that is not decided."""
    _, high = _halves(found, state)
    if isinstance(high, Unknown):
        return np.zeros((1, 1), np.bool_) if high.space else high
    first = read(state, aperture)
    assert not isinstance(first, Unknown)
    lanes = running(state)
    if (lanes & np.isin(high - first, (1, 0xFFFFFFFF))).any():
        return Unknown("an address beside an aperture")
    return np.asarray(high == first)


def _halves(found: DecodedAccess, state: State) -> tuple[Value, Value]:
    """The address in two halves; each may be known without the other."""
    lanes = running(state)
    low, high = (read(state, name, lanes) for name in found.address.registers)
    if isinstance(low, Unknown) or isinstance(high, Unknown):
        return low, high
    offset = np.uint64(found.address.offset_bytes % (1 << 64))
    whole = apply(lambda x, y: _sum(x, y, offset), low, high)
    assert not isinstance(whole, Unknown)
    return halves(whole)


def _sum(low: Array, high: Array, offset: np.uint64) -> Array:
    return np.asarray(join(low, high) + offset)
