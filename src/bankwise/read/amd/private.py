"""Private memory: what a kernel spills, or keeps there because nothing optimised it away.

    scratch_store_dword off, v1, s32 offset:4      4 bytes of each lane, at s32 + 4
    flat_load_dword v1, v[2:3]                     the same, if v3 is the aperture of private memory

A word of it is a register of its own, ``scratch4``, as long as all lanes name the same one. Where
they do not, or where nobody knows which, every word may have changed. Memory that nothing has
written yet is taken as 0 beside bytes that are written: no program may look at it.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from bankwise.read import bits as b
from bankwise.read.amd.flat import PRIVATE, WIDTHS, flat_access, in_memory
from bankwise.read.amd.literals import modifier
from bankwise.read.amd.operands import Operand, operand, value
from bankwise.read.amd.parse import AmdInstruction, AmdKernel
from bankwise.read.follow.decoded import DecodedAccess
from bankwise.read.follow.functions import apply
from bankwise.read.follow.state import UNWRITTEN, State, read, running, write
from bankwise.read.follow.values import Unknown, Value, because, constant
from bankwise.read.integers import add
from bankwise.regex import regex

_MOST_BYTES, _MOST_SPILLED = 1024, 16 << 10
_SCRATCH = regex(r"scratch_(load|store)_([a-z]+(?:x\d)?)(_d16)?(_hi)?")
_FLAT = regex(r"flat_(load|store|atomic)_([a-z]+(?:x\d)?)(_d16)?(_hi)?")
_SOME_LANES = "a place in private memory that differs between lanes"


class PrivateAccess(Struct, frozen=True):
    """``width`` bytes of each lane. ``data``: where they come from, or go to; ``plain``: that they
    are all of a register. ``address``: registers and a constant that are added; or ``flat``."""

    op: AmdInstruction
    stores: bool
    width: int
    data: Operand
    plain: bool
    address: tuple[Operand, ...] = ()
    offset: int = 0
    flat: DecodedAccess | None = None

    @property
    def registers(self) -> tuple[str, ...]:
        """What it reads, beside private memory."""
        names = [name for part in self.address for name in part.registers]
        names += self.flat.address.registers if self.flat else ()
        names += self.data.registers if self.stores else ()
        return tuple(names)

    def words(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Those of private memory (``names``) that it may touch: a spill says which."""
        if self.flat is not None or self.address or not self.width:
            return names
        first, behind = self.offset // 4 * 4, self.offset + self.width
        touched = {f"scratch{n}" for n in range(first, behind, 4)}
        return tuple(name for name in names if name in touched)


def cells(kernel: AmdKernel) -> tuple[str, ...]:
    """The names of the words of private memory; none where there are too many to follow. Where all
    accesses say which words they touch, as spills do, more can be followed."""
    size = kernel.bits("private_segment_fixed_size")
    found = filter(None, map(private_access, kernel.operations)) if size > _MOST_BYTES else ()
    most = _MOST_SPILLED if all(one.flat is None and not one.address for one in found) else 0
    return tuple(f"scratch{n}" for n in range(0, size, 4)) if size <= max(_MOST_BYTES, most) else ()


def private_access(op: AmdInstruction) -> PrivateAccess | None:
    """What ``op`` does to private memory, if that is what it reaches; None if it never does."""
    found = _SCRATCH.fullmatch(op.name) or _FLAT.fullmatch(op.name)
    width = WIDTHS.get(found[2], 0) if found else 0
    if found is None:
        return None
    stores, plain = found[1] != "load", bool(width) and not found[3] and not found[4]
    if op.name.startswith("flat_"):
        touched = flat_access(op)
        if not isinstance(touched, DecodedAccess) or len(op.operands) < 2:
            return None
        data = operand(op.operands[1 if stores else 0])
        return PrivateAccess(op, stores, touched.width_bytes, data, plain, flat=touched)
    if len(op.operands) != 3:
        return None
    at = (op.operands[0] if stores else op.operands[1], op.operands[2])
    data = operand(op.operands[1 if stores else 0])
    offset = modifier(op.modifiers, "offset")
    if offset is None or abs(offset) >= 1 << 31:
        return PrivateAccess(op, stores, width, data, plain, (Operand("offset"),))
    parts = tuple(operand(text) for text in at if text != "off")
    return PrivateAccess(op, stores, width, data, plain, parts, offset)


def run_private(
    access: PrivateAccess, names: tuple[str, ...], memory: Unknown, state: State
) -> None:
    """Load or store; ``memory``: what a load from anywhere else gives."""
    where = _place(access, state)
    if access.stores:
        _store(access, names, where, state)
        return
    if not isinstance(where, int) or not access.plain or not _inside(access, where, names):
        parts: list[Value] = [memory] * len(access.data.registers)
    else:
        parts = _loaded(access, where, state)
    for name, part in zip(access.data.registers, parts, strict=False):
        write(state, name, part, running(state))


def _place(access: PrivateAccess, state: State) -> int | Unknown | None:
    """The byte of private memory, equal in all lanes; None if it is other memory."""
    lanes = running(state)
    if access.flat is not None:
        private = in_memory(PRIVATE, access.flat, state)
        if isinstance(private, Unknown):
            return private
        if not (private & lanes).any():
            return None
        if (~private & lanes).any():
            return Unknown(_SOME_LANES, access.op.line)
        total = read(state, access.flat.address.registers[0], lanes)
        offset = access.flat.address.offset_bytes
    else:
        total, offset = constant(0), access.offset
        for part in access.address:
            total = apply(add, total, value(state, part, 0, lanes))
    if isinstance(total, Unknown):
        return total
    named = np.broadcast_to(np.asarray(total), lanes.shape)[lanes]
    if named.size == 0:
        return None
    if (named != named[0]).any():
        return Unknown(_SOME_LANES, access.op.line)
    return int(named[0]) + offset


def _inside(access: PrivateAccess, where: int, names: tuple[str, ...]) -> bool:
    """Whether it is a part of a word that is followed, or whole ones."""
    whole = where % 4 == 0 if access.width >= 4 else where % 4 + access.width <= 4
    return whole and where >= 0 and where + access.width <= 4 * len(names)


def _loaded(access: PrivateAccess, where: int, state: State) -> list[Value]:
    lanes = running(state)
    words = [
        read(state, f"scratch{n}", lanes) for n in range(where // 4 * 4, where + access.width, 4)
    ]
    if access.width >= 4:
        return words
    shift, bits = np.uint32(8 * (where % 4)), 8 * access.width
    ones = np.uint32((1 << bits) - 1)
    part = apply(lambda x: (x >> shift) & ones, words[0])
    signed = "_s" in access.op.name
    return [apply(lambda x: b.sign_extend(x, bits), part) if signed else part]


def _store(
    access: PrivateAccess, names: tuple[str, ...], where: int | Unknown | None, state: State
) -> None:
    if where is None:
        return
    lanes = running(state)
    if isinstance(where, Unknown) or not access.plain or not _inside(access, where, names):
        lost = where if isinstance(where, Unknown) else Unknown("private memory", access.op.line)
        for name in _reached(access, where, names):
            write(state, name, because(lost), lanes)
    elif access.width >= 4:
        for part in range(access.width // 4):
            write(
                state, f"scratch{where + 4 * part}", value(state, access.data, part, lanes), lanes
            )
    else:
        name = f"scratch{where // 4 * 4}"
        old = read(state, name, lanes)
        known: Value = constant(0) if old is UNWRITTEN else old
        start, width = constant(8 * (where % 4)), constant(8 * access.width)
        new = value(state, access.data, 0, lanes)
        write(state, name, apply(lambda x, y: b.insert(x, y, start, width), new, known), lanes)


def _reached(
    access: PrivateAccess, where: int | Unknown, names: tuple[str, ...]
) -> tuple[str, ...]:
    """The words that a store may change."""
    if isinstance(where, Unknown) or not access.width:
        return names
    first, last = max(0, where // 4), max(0, (where + access.width + 3) // 4)
    return names[first:last]
