"""Which PTX instructions touch shared memory, and at which bytes.

    ld.shared.v4.b32 {...}, [%r1+16]            16 bytes at %r1 + 16
    ldmatrix.sync.aligned.m8n8.x4.shared.b16    16 bytes: the row whose address the lane gives
    cp.async.cg.shared.global [%r1], [%rd1], 16 16 bytes at %r1, written

What asynchronous units touch (wgmma, tcgen05, cp.async.bulk, mbarrier) is in
:mod:`bankwise.read.ptx.units`.
"""

from __future__ import annotations

import re

from bankwise.errors import Refusal
from bankwise.hardware.machine import Direction
from bankwise.read.follow.decoded import DecodedAccess, Touches
from bankwise.read.ptx.operands import address, integer
from bankwise.read.ptx.parse import BYTES, Statement
from bankwise.read.ptx.units import is_unit, touch_unit

_ELSEWHERE = ("global", "local", "param", "const")


def touch(statement: Statement) -> Touches:
    """How a statement touches shared memory; None if it does not."""
    name, parts = statement.name, statement.parts
    if is_unit(statement):
        return touch_unit(statement)
    if name.startswith(("cp.async.ca", "cp.async.cg")):
        return _copy(statement)
    if parts[0] == "call":
        return Refusal(
            "call: the called function is not followed: it is not in the file, not named"
        )
    if parts[0] in ("ldmatrix", "stmatrix"):
        return _matrix(statement)
    if parts[0] not in ("ld", "st", "atom", "red") or any(p in _ELSEWHERE for p in parts):
        return None
    return _plain(statement)


def is_generic(statement: Statement) -> bool:
    """Whether its address decides the memory that a statement touches."""
    found = touch(statement)
    return isinstance(found, DecodedAccess) and found.generic


def _plain(statement: Statement) -> DecodedAccess | Refusal:
    parts = statement.parts
    at = next((a for text in statement.operands if (a := address(text)) is not None), None)
    kind = next((p for p in reversed(parts) if p in BYTES), None)
    if at is None or kind is None:
        return Refusal(f"{statement.name}: its address or type is not understood")
    lanes = next((int(p[1:]) for p in parts if re.fullmatch(r"v[248]", p)), 1)
    width = lanes * BYTES[kind]
    atomic, generic = parts[0] in ("atom", "red"), "shared" not in parts
    space = "" if generic and not atomic else ".shared"
    return DecodedAccess(
        name=f"{parts[0]}{space}.b{8 * width}",
        kind="atomic" if atomic else "plain",
        direction="read" if parts[0] == "ld" else "write",
        width_bytes=width,
        address=at,
        immediate_bytes=at.offset_bytes,
        generic=generic,
    )


def _matrix(statement: Statement) -> DecodedAccess | Refusal:
    parts = statement.parts
    shape = next((p for p in parts if re.fullmatch(r"x[124]", p)), None)
    at = next((a for text in statement.operands if (a := address(text)) is not None), None)
    if shape is None or at is None or "m8n8" not in parts:
        return Refusal(f"{statement.name}: its shape or address is not understood")
    variant = shape + (".trans" if "trans" in parts else "")
    direction: Direction = "read" if parts[0] == "ldmatrix" else "write"
    return DecodedAccess(
        name=f"{parts[0]}.{variant}",
        kind="matrix",
        direction=direction,
        width_bytes=16,
        address=at,
        immediate_bytes=at.offset_bytes,
        variant=variant,
        generic="shared" not in parts,
    )


def _copy(statement: Statement) -> DecodedAccess | Refusal:
    at = address(statement.operands[0]) if statement.operands else None
    size = statement.operands[2] if len(statement.operands) > 2 else ""
    width = integer(size)
    if at is None or width not in (4, 8, 16):
        return Refusal(f"{statement.name}: its address or size is not understood")
    return DecodedAccess(f"cp.async.b{8 * width}", "async", "write", width, at, at.offset_bytes)
