"""PTX of asynchronous units: matrix instructions with descriptors, bulk copies, barriers.

    wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {..}, %rd1, %rd2, p, 1, 1, 0, 1
    tcgen05.mma.cta_group::1.kind::f16 [%r6], %rd1, %rd2, %r1, p
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 4096, [%r2]
    cp.async.bulk.tensor.2d.shared::cluster.global.. [%r1], [%rd1, {%r3, %r4}], [%r2]
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 8192

Source: PTX ISA, wgmma, tcgen05, cp.async.bulk, mbarrier.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from bankwise.errors import Refusal
from bankwise.hardware.machine import Direction
from bankwise.read.follow.decoded import Address, DecodedAccess, Touches
from bankwise.read.follow.units import AsyncUnit, MatrixOperand
from bankwise.read.ptx.operands import address, registers
from bankwise.read.ptx.parse import Statement
from bankwise.regex import regex

_UNITS = regex(
    r"wgmma\.|tcgen05\.|cp\.async\.bulk\.|cp\.reduce\.async\.bulk|mbarrier\.|cp\.async\.mbarrier"
    r"|st\.async|red\.async|st\.bulk|clusterlaunchcontrol\.try_cancel"
)
_NOTHING = regex(
    r"wgmma\.(?:fence|commit_group|wait_group)|mbarrier\.pending_count"
    r"|tcgen05\.(?:ld|st|wait|fence|dealloc|relinquish_alloc_permit|shift)"
    r"|cp\.async\.bulk\.(?:commit_group|wait_group|prefetch)"
)
_SHAPE = regex(r"m64n(\d{1,3})k(\d{1,3})")
_CHUNKED = regex(r"(\d+)x(\d+)b")
_NUMBER_BYTES = {"f16": 2, "tf32": 4, "bf16": 2}
_WARPGROUP, BARRIER_BYTES, _PLACE_BYTES = 4, 8, 4
"""Waves of a warpgroup; bytes of an mbarrier, of the place that tcgen05.alloc writes."""


def is_unit(statement: Statement) -> bool:
    """Whether a statement belongs to an asynchronous unit."""
    return _UNITS.match(statement.name) is not None


def touch_unit(statement: Statement) -> Touches:
    """What a statement of an asynchronous unit touches; None for no shared memory."""
    name = statement.name
    if _NOTHING.match(name):
        return None
    if name.startswith("wgmma.mma_async"):
        return _wgmma(statement)
    if name.startswith("tcgen05."):
        return _tcgen05(statement)
    if name.startswith(("cp.async.bulk", "cp.reduce.async.bulk")):
        return _bulk(statement)
    if name.startswith(("mbarrier.", "cp.async.mbarrier")):
        return one_place(statement, "mbarrier", BARRIER_BYTES)
    return Refusal(f"{name}: what it touches of another block's shared memory is not modelled")


def in_window(found: Touches, known: Mapping[str, int]) -> Touches:
    """With the variable whose bytes a descriptor names: it has the lowest 18 bits of an address, so
    that a kernel that names several variables does not say which."""
    if not isinstance(found, DecodedAccess) or found.unit is None or not found.unit.operands:
        return found
    if len(known) > 1:
        return Refusal(
            f"{found.name}: which of the shared variables its descriptors name is not known"
        )
    return replace(found, unit=replace(found.unit, base_bytes=next(iter(known.values()), 0)))


def one_place(statement: Statement, row: str, width: int) -> DecodedAccess | Refusal:
    """A few bytes at an address that lanes give."""
    at = next((a for text in statement.operands if (a := address(text)) is not None), None)
    if at is None:
        return Refusal(f"{statement.name}: its address is not understood")
    generic = not any("shared" in part for part in statement.parts)
    return DecodedAccess(row, "barrier", "write", width, at, at.offset_bytes, generic=generic)


def _wgmma(statement: Statement) -> DecodedAccess | Refusal:
    shape = _SHAPE.search(statement.name)
    texts = statement.operands
    if shape is None or "sp" in statement.parts or len(texts) < 4:
        return Refusal(f"{statement.name}: a sparse operand, or a shape, that is not modelled")
    both = "{" not in texts[1]
    kinds = [part for part in statement.parts if part in _NUMBER_BYTES]
    turned = [text == "1" for text in texts[6:]] if set(kinds[-2:]) <= {"f16", "bf16"} else []
    turned = turned or [False, False]
    width = _NUMBER_BYTES.get(kinds[-1] if kinds else "", 1)
    b = MatrixOperand("B", int(both), int(shape[1]), transposed=turned[-1], element_bytes=width)
    a = MatrixOperand("A", 0, 64, transposed=turned[0], element_bytes=width)
    operands = (a, b) if both else (b,)
    return operand_access("wgmma", texts[1:3] if both else texts[2:3], operands, _WARPGROUP)


def operand_access(
    row: str, numbers: tuple[str, ...], operands: tuple[MatrixOperand, ...], waves: int
) -> DecodedAccess:
    """The operands that descriptors name, as one access."""
    where = Address(tuple((name, 1) for text in numbers for name in registers(text)), 0)
    unit = AsyncUnit(operands, waves)
    return DecodedAccess(row, "operand", "read", 16, where, unit=unit, numbers=numbers)


def _tcgen05(statement: Statement) -> DecodedAccess | Refusal:
    parts, texts = statement.parts, statement.operands
    if parts[1] == "alloc":
        return one_place(statement, "tcgen05.alloc", _PLACE_BYTES)
    if parts[1] == "commit":
        return one_place(statement, "mbarrier", BARRIER_BYTES)
    if parts[1] == "cp" and len(texts) == 2:
        shape = _CHUNKED.search(statement.name)
        if shape is None:
            return Refusal(f"{statement.name}: its shape is not understood")
        copied = MatrixOperand("copied", 0, int(shape[1]), int(shape[2]) // 128)
        return operand_access("tcgen05", texts[1:2], (copied,), 0)
    if parts[1] != "mma" or len(texts) < 5 or "sp" in parts:
        return Refusal(f"{statement.name}: a form that is not modelled")
    return _tcgen05_mma(parts, texts)


def _tcgen05_mma(parts: list[str], texts: tuple[str, ...]) -> DecodedAccess:
    kind = parts[parts.index("kind") + 1] if "kind" in parts else ""
    width = _NUMBER_BYTES.get(kind, 1)
    blocks = int(parts[parts.index("cta_group") + 1]) if "cta_group" in parts else 1
    both = "[" not in texts[1]
    sides = ("A", "B") if both else ("B",)
    operands = tuple(
        MatrixOperand(side, n, element_bytes=width, blocks=blocks) for n, side in enumerate(sides)
    )
    return operand_access("tcgen05", (*texts[1:3], texts[3]) if both else texts[2:4], operands, 0)


def _bulk(statement: Statement) -> DecodedAccess | Refusal | None:
    """A copy: to shared memory it is a write, from there a read."""
    parts, texts = statement.parts, statement.operands
    spaces = [part for part in parts if part in ("shared", "global")]
    if "shared" not in spaces or len(texts) < 2:
        return None
    reads = spaces[0] == "global" or spaces.count("shared") == 2
    at = 1 if reads else 0
    place = address(texts[at])
    if place is None:
        return Refusal(f"{statement.name}: its address is not understood")
    numbers = (texts[at],) if "tensor" in parts else (texts[at], texts[2])
    direction: Direction = "read" if reads else "write"
    where = Address(tuple((n, 1) for text in numbers for n in registers(text)), 0)
    row = "tma.store" if reads else "tma.load"
    return DecodedAccess(row, "bulk", direction, 16, where, unit=AsyncUnit(), numbers=numbers)
