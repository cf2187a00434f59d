"""Which SASS instructions touch shared memory, and at which bytes.

    LDS.128 R4, [R2+0x10]                     16 bytes at R2 + 16
    LDSM.16.MT88.4 R4, [R5+UR4]               the row whose address the lane gives, 16 bytes
    LDGSTS.E.BYPASS.128 [R7], desc[...][...]  16 bytes at R7, written

    LD.E R4, desc[UR4][R4.64]                 4 bytes, if the address is one of shared memory

Rows are named as in PTX, whose instructions these are: ``ld.shared.b32`` and, generic, ``ld.b32``;
atomics are named alike. What asynchronous units touch (wgmma, tensor copies, barriers) is in
:mod:`bankwise.read.sass.units`.
"""

from __future__ import annotations

import re

from bankwise.errors import Refusal
from bankwise.hardware.machine import AccessKind, Direction
from bankwise.read.follow.decoded import Address, DecodedAccess, Touches
from bankwise.read.sass.generic import pointer_of
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.operands import address
from bankwise.read.sass.units import is_unit, touch_unit

_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "32": 4, "64": 8, "S64": 8, "F64": 8, "128": 16}
_PLAIN = {"LDS": "ld", "STS": "st", "ATOMS": "atom"}
_GENERIC = {"LD": "ld", "ST": "st", "ATOM": "atom", "RED": "atom"}


def touch(i: SassInstruction) -> Touches:
    """How an instruction touches shared memory; None if it does not."""
    if is_unit(i):
        return touch_unit(i)
    word = i.parts[0]
    if word in _PLAIN:
        return _plain(i, word)
    if word in ("LDSM", "STSM"):
        return _matrix(i, word)
    return _copy(i) if word == "LDGSTS" else None


def touch_generic(i: SassInstruction) -> DecodedAccess | Refusal | None:
    """How an instruction touches shared memory if its address lies there; None if it is of another
    kind."""
    word = _GENERIC.get(i.parts[0])
    if word is None:
        return None
    at = pointer_of(i)
    if at is None:
        return Refusal(f"{i.name}: its address is not understood")
    kind: AccessKind = "atomic" if word == "atom" else "plain"
    width = _width(i)
    where = Address(((at[0], 1),), at[1])
    direction: Direction = "read" if word == "ld" else "write"
    name = f"{word}.shared.b{8 * width}" if kind == "atomic" else f"{word}.b{8 * width}"
    return DecodedAccess(name, kind, direction, width, where, generic=True)


def _width(i: SassInstruction) -> int:
    return next((_BYTES[p] for p in i.parts[1:] if p in _BYTES), 4)


def _address(i: SassInstruction) -> Address | None:
    text = next((t for t in i.operands if t.startswith("[")), "")
    return address(text)


def _plain(i: SassInstruction, word: str) -> DecodedAccess | Refusal:
    at = _address(i)
    if at is None:
        return Refusal(f"{i.name}: its address is not understood")
    width = _width(i)
    kind: AccessKind = "atomic" if word == "ATOMS" else "plain"
    direction: Direction = "read" if word == "LDS" else "write"
    return DecodedAccess(f"{_PLAIN[word]}.shared.b{8 * width}", kind, direction, width, at)


def _matrix(i: SassInstruction, word: str) -> DecodedAccess | Refusal:
    at = _address(i)
    found = re.fullmatch(r"(?:LDSM|STSM)\.16\.(M|MT)88(?:\.([24]))?", i.name)
    if found is None or at is None:
        return Refusal(f"{i.name}: its shape or address is not understood")
    variant = f"x{found[2] or 1}" + (".trans" if found[1] == "MT" else "")
    direction: Direction = "read" if word == "LDSM" else "write"
    name = f"{'ldmatrix' if word == 'LDSM' else 'stmatrix'}.{variant}"
    return DecodedAccess(name, "matrix", direction, 16, at, variant=variant)


def _copy(i: SassInstruction) -> DecodedAccess | Refusal:
    at = _address(i)
    if at is None:
        return Refusal(f"{i.name}: its address is not understood")
    width = next((_BYTES[p] for p in i.parts[1:] if p in ("64", "128")), 4)
    return DecodedAccess(f"cp.async.b{8 * width}", "async", "write", width, at)
