"""SASS of asynchronous units: matrix instructions with descriptors, bulk copies, barriers.

    HGMMA.64x64x16.F32 R24, gdesc[UR8].tnspB, R24, UP0     A: UR8, UR9; B: UR10, UR11
    HGMMA.64x64x16.F32 R24, R56, gdesc[UR4], R24           A in registers; B: UR6, UR7
    UTCHMMA gdesc[UR44], gdesc[UR38], tmem[UR36], tmem[UR10], idesc[UR11], UP4
    UTMALDG.2D [UR28], [UR4], desc[UR10]                   to UR28; the barrier is UR29
    UBLKCP.S.G [UR4], [UR12], UR7                          to UR4, 16 * UR7 bytes
    UBLKCP.G.S [UR4], [UR7], UR6, desc[UR8]                from UR7, with a hint to the cache
    SYNCS.ARRIVE.TRANS64 RZ, [UR28+0x18000], R46           a barrier of 8 bytes

A warp issues each of them once, a warpgroup a GMMA. Source: what ptxas 13.0 makes of PTX whose
operands are known; CUTLASS, include/cute/arch/mma_sm100_desc.hpp (the instruction descriptor).
"""

from __future__ import annotations

import re

from bankwise.errors import Refusal
from bankwise.hardware.machine import Direction
from bankwise.read.follow.decoded import Address, DecodedAccess, Touches
from bankwise.read.follow.units import AsyncUnit, MatrixOperand
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.operands import address, names

_UNITS = re.compile(
    r"(?:[HIQB]GMMA|UTC\w+|UTMA\w+|UBLK\w+|LDTM|STTM|SYNCS|STAS|REDAS|ATOMS\.ARRIVE|ARRIVES)(?:\.|$)"
)
_NOTHING = re.compile(
    r"(?:LDTM|STTM|UTMACMDFLUSH|UTMACCTL|UTMAPF|UBLKPF|UTCATOMSWS|UTCSHIFT)(?:\.|$)|SYNCS\.FLUSH"
)
_SHAPE = re.compile(r"[HIQB]GMMA\.64x(\d{1,3})x\d+\.")
_GDESC = re.compile(r"gdesc\[(UR\w+)\](.*)")
_WARPGROUP, BARRIER_BYTES = 4, 8
_ELEMENTS = {"UTCHMMA": 2}


def is_unit(i: SassInstruction) -> bool:
    """Whether an instruction belongs to an asynchronous unit."""
    return _UNITS.match(i.name) is not None


def touch_unit(i: SassInstruction) -> Touches:
    """What an instruction of an asynchronous unit touches; None for no shared memory."""
    word = i.parts[0]
    if _NOTHING.match(i.name):
        return None
    if word.endswith("GMMA"):
        return _gmma(i)
    if word.startswith("UTC") and word.endswith("MMA"):
        return _utc_mma(i)
    if word == "UTCCP":
        return _utc_copy(i)
    if word.startswith(("UTMA", "UBLK")):
        return _bulk(i)
    if word in ("SYNCS", "UTCBAR"):
        return _barrier(i)
    return Refusal(f"{i.name}: what it touches of another block's shared memory is not modelled")


def _gmma(i: SassInstruction) -> Touches:
    shape = _SHAPE.match(i.name)
    at = next((n for n, text in enumerate(i.operands) if text.startswith("gdesc")), -1)
    found = _GDESC.fullmatch(i.operands[at]) if at > 0 else None
    if shape is None or found is None or "SP" in i.parts:
        return Refusal(f"{i.name}: a sparse operand, or a form, that is not modelled")
    if found[1] == "URZ":
        return None  # ptxas closes a group with an instruction without operands
    first, width = int(found[1][2:]), _width(i)
    sides = (("B", int(shape[1])),) if at > 1 else (("A", 64), ("B", int(shape[1])))
    operands = tuple(
        MatrixOperand(side, n, rows, 2, f"tnsp{side}" in found[2], width)
        for n, (side, rows) in enumerate(sides)
    )
    numbers = tuple(f"UR{first + (0 if side == 'A' else 2)}.64" for side, _ in sides)
    return _access("wgmma", numbers, operands, _WARPGROUP)


def _width(i: SassInstruction) -> int:
    """Bytes of an element."""
    return (4 if "TF32" in i.parts else 2) if i.parts[0] == "HGMMA" else 1


def _access(
    row: str, numbers: tuple[str, ...], operands: tuple[MatrixOperand, ...], waves: int
) -> DecodedAccess:
    where = Address(tuple((name, 1) for text in numbers for name in names(text)), 0)
    unit = AsyncUnit(operands, waves)
    return DecodedAccess(row, "operand", "read", 16, where, unit=unit, numbers=numbers)


def _utc_mma(i: SassInstruction) -> DecodedAccess | Refusal:
    texts = [found[1] for text in i.operands if (found := _GDESC.fullmatch(text))]
    shape = next((t[6:-1] for t in i.operands if t.startswith("idesc[")), "")
    if not texts or len(texts) > 2 or not shape or "SP" in i.parts:
        return Refusal(f"{i.name}: a form that is not modelled")
    blocks, width = 2 if "2CTA" in i.parts else 1, _ELEMENTS.get(i.parts[0], 1)
    operands = tuple(
        MatrixOperand(side, n, element_bytes=width, blocks=blocks)
        for n, side in enumerate("AB"[-len(texts) :])
    )
    return _access("tcgen05", (*(f"{text}.64" for text in texts), shape), operands, 1)


def _utc_copy(i: SassInstruction) -> DecodedAccess | Refusal:
    """UTCCP.T.S.4x32dp128bit tmem[UR4], gdesc[UR6]: 32 rows of 128 bits, to four places."""
    shape = re.search(r"(\d+)dp(\d+)bit", i.name)
    text = next((found[1] for t in i.operands if (found := _GDESC.fullmatch(t))), "")
    if shape is None or not text:
        return Refusal(f"{i.name}: its shape is not understood")
    copied = MatrixOperand("copied", 0, int(shape[1]), max(1, int(shape[2]) // 128))
    return _access("tcgen05", (f"{text}.64",), (copied,), 1)


def _bulk(i: SassInstruction) -> DecodedAccess | Refusal:
    """UTMALDG and UBLKCP.S write shared memory; UTMASTG, UTMAREDG, UBLKCP.G.S and .S.S read it."""
    block = i.parts[0].startswith("UBLK")
    spaces = [part for part in i.parts[1:] if part in ("S", "G")]
    reads = i.parts[0] in ("UTMASTG", "UTMAREDG") or (block and spaces[1:] == ["S"])
    told = [text for text in i.operands if not text.startswith("desc[")]  # how caches keep it
    known = block and len(spaces) == 2 and len(told) == 3
    if not (known or i.parts[0] in ("UTMALDG", "UTMASTG", "UTMAREDG")):
        return Refusal(f"{i.name}: a form that is not modelled")
    place = re.fullmatch(r"\[(UR\d+)\]", i.operands[int(block and reads)])
    if place is None:
        return Refusal(f"{i.name}: its address is not understood")
    numbers = (place[1], i.operands[2]) if block else (place[1],)
    direction: Direction = "read" if reads else "write"
    where = Address(tuple((name, 1) for text in numbers for name in names(text)), 0)
    unit = AsyncUnit(waves=1, size_bytes=16)
    row = "tma.store" if reads else "tma.load"
    return DecodedAccess(row, "bulk", direction, 16, where, unit=unit, numbers=numbers)


def _barrier(i: SassInstruction) -> DecodedAccess | Refusal:
    at = next((found for text in i.operands if (found := address(text))), None)
    if at is None:
        return Refusal(f"{i.name}: its address is not understood")
    return DecodedAccess("mbarrier", "barrier", "write", BARRIER_BYTES, at)
