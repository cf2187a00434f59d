"""Memory instructions of a simulated AMD workgroup: LDS, global memory, and copies from there to
LDS, lane by lane. Copies are done when they are asked for: a kernel that waits for them as it must
sees no difference."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct

from bankwise.change.simulate.accesses import combined
from bankwise.change.simulate.buffers import BufferWindow, buffer_place
from bankwise.change.simulate.group import SimulatedGroup
from bankwise.change.simulate.memory import Bytes, Unsupported, Words
from bankwise.change.simulate.terms import Values, masked, signed, term
from bankwise.read.amd.literals import modifier
from bankwise.read.amd.operands import operand
from bankwise.read.amd.parse import AmdInstruction
from bankwise.read.follow.decoded import DecodedAccess
from bankwise.read.follow.program import ProgramStep
from bankwise.read.follow.state import State
from bankwise.read.follow.values import Unknown, Value

Does = Callable[[SimulatedGroup], None]
Places = Sequence[Values]

_SPACES = r"(?:global|flat|buffer)"
_LOAD = re.compile(_SPACES + r"_load_(ubyte|sbyte|ushort|sshort|short|dword)(x[234])?(.*)")
_STORE = re.compile(_SPACES + r"_store_(byte|short|dword)(x[234])?(.*)")
_ATOMIC = re.compile(r"(?:global|flat)_atomic_(\w+?)(_x2|_f32|_f64)?")
_SHARED_ATOMIC = re.compile(r"ds_(\w+?)_(?:rtn_)?([uibf])(32|64)")
_SIGNED = re.compile(r"_i8|_i16|sbyte|sshort")
_OPERATIONS = {"swap": "exch", "wrxchg": "exch", "cmpswap": "cas", "cmpst": "cas"}
_OPERATIONS |= {"smin": "min", "umin": "min", "smax": "max", "umax": "max"}
_PLAIN = ("add", "and", "or", "xor", "exch", "cas", "min", "max", "inc", "dec")
_COLUMNS = 16
_BYTES = {"ubyte": 1, "sbyte": 1, "byte": 1, "ushort": 2, "sshort": 2, "short": 2, "dword": 4}


def shared_access(op: AmdInstruction, touched: DecodedAccess, step: ProgramStep) -> Does:
    """What an access of LDS does."""
    if step.address is None:
        raise Unsupported(op.name)
    if touched.kind == "dma":
        return _copy(op, touched, step.address)
    if touched.kind == "transpose":
        return _transposed(op, touched, step.address)
    address = step.address
    starts = [0] if touched.apart_bytes is None else [0, touched.apart_bytes]

    def does(group: SimulatedGroup) -> None:
        lanes = group.lanes()
        if not lanes.any():
            return
        at = _found(group, op, address)
        places = [at + np.uint64(one) for one in starts]
        memory = _Row(group.shared)
        if touched.kind == "atomic":
            kind = _SHARED_ATOMIC.fullmatch(op.name)
            if kind is None or kind[3] == "64":
                raise Unsupported(op.name)
            returns = "_rtn" in op.name
            to, data = op.operands[0] if returns else "", op.operands[1 + returns :]
            _atomic(group, kind[1], kind[2], at, to, data, memory)
        elif touched.direction == "read":
            _read(group, op, places, touched.width_bytes, memory)
        else:
            _write(group, op, places, op.operands[1:], touched.width_bytes, memory)

    return does


def _transposed(
    op: AmdInstruction, touched: DecodedAccess, address: Callable[[State], Value]
) -> Does:
    """``ds_read_b64_tr_b16``: 16 lanes read rows of 16 elements, and get a column each.

    Of elements of 16 bits four lanes read a row, of 8 bits two, of 4 bits one. No manual says it:
    Triton takes it to be so, and code that it makes with and without these reads agrees only then.
    """
    bits = {"ds_read_b64_tr_b16": 16, "ds_read_b64_tr_b8": 8, "ds_read_b64_tr_b4": 4}.get(op.name)
    if bits is None:
        raise Unsupported(op.name)

    def does(group: SimulatedGroup) -> None:
        lanes = group.lanes()
        if not lanes.any():
            return
        held = np.zeros(lanes.shape, np.uint64)
        held[lanes] = _Row(group.shared).load(_found(group, op, address), 8)
        columns = _columns(held, bits)
        for part, name in enumerate(operand(op.operands[0]).registers):
            group.put(name, columns >> np.uint64(32 * part))
            group.exact.discard(name)

    return does


def _columns(held: Values, bits: int) -> Values:
    """Of 8 bytes of every lane, [waves, lanes], the column that each of 16 lanes gets."""
    each = 64 // bits
    shifts = (np.arange(each) * bits).astype(np.uint64)
    elements = held[..., None] >> shifts & np.uint64((1 << bits) - 1)
    tiles = elements.reshape(len(held), -1, each, _COLUMNS).swapaxes(2, 3)
    return np.asarray((tiles << shifts).sum(axis=-1, dtype=np.uint64).reshape(held.shape))


def _found(group: SimulatedGroup, op: AmdInstruction, address: Callable[[State], Value]) -> Values:
    """The bytes of LDS at which the lanes that run begin."""
    found, lanes = address(group.state), group.lanes()
    if isinstance(found, Unknown):
        raise Unsupported(f"{op.name}: {found}")
    return np.broadcast_to(found, lanes.shape)[lanes].astype(np.uint64)


def _copy(op: AmdInstruction, touched: DecodedAccess, address: Callable[[State], Value]) -> Does:
    """``buffer_load_dwordx4 .. lds``: whole words of every lane that runs."""
    if touched.width_bytes % 4:
        raise Unsupported(op.name)

    def does(group: SimulatedGroup) -> None:
        lanes = group.lanes()
        if not lanes.any():
            return
        row = _found(group, op, address)
        source, memory = _place(group, op, 0)
        for n in range(0, touched.width_bytes, 4):
            words = memory.load(source + np.uint64(n), 4)
            _Row(group.shared).store(row + np.uint64(n), words, 4)

    return does


class _Row(Struct, frozen=True):
    """Shared memory, reached as :class:`Words` is."""

    shared: Bytes

    def load(self, at: Values, size: int) -> Values:
        return self.shared.load(np.zeros(len(at), np.int64), at, size)

    def store(self, at: Values, words: Values, size: int) -> None:
        self.shared.store(np.zeros(len(at), np.int64), at, words, size)


def global_access(op: AmdInstruction) -> Does:
    """What an access of global memory does, or of a buffer."""
    loaded, stored, atom = (p.fullmatch(op.name) for p in (_LOAD, _STORE, _ATOMIC))
    if not (loaded or stored or atom):
        raise Unsupported(op.name)
    returns = bool(loaded) or bool(atom and {"glc", "sc0"} & set(op.modifiers))
    kind = loaded or stored
    size = 4 * int((kind[2] or "x1")[1:]) if kind and kind[1] == "dword" else 0
    size = size or (_BYTES[kind[1]] if kind else 4)
    data_first = op.name.startswith("buffer")
    first = int(returns or data_first)
    data = op.operands[:1] if data_first else op.operands[1 + returns :]

    def does(group: SimulatedGroup) -> None:
        lanes = group.lanes()
        if not lanes.any():
            return
        at, memory = _place(group, op, first)
        if loaded:
            _read(group, op, [at], size, memory)
        elif stored:
            _write(group, op, [at], data, size, memory)
        elif atom:
            if atom[2] in ("_x2", "_f64"):
                raise Unsupported(op.name)
            what = "f" if atom[2] == "_f32" else "i" if atom[1].startswith("s") else "u"
            to = op.operands[0] if returns else ""
            _atomic(group, atom[1], what, at, to, data[:1], group.memory)

    return does


def _place(
    group: SimulatedGroup, op: AmdInstruction, first: int
) -> tuple[Values, Words | BufferWindow]:
    """Addresses of the lanes that run, and the memory that they are of; ``first``: the position of
    the address among the operands."""
    if op.name.startswith("buffer"):
        return buffer_place(group, op, first)
    return _address(group, op, first)[group.lanes()], group.memory


def _address(group: SimulatedGroup, op: AmdInstruction, first: int) -> Values:
    offset = modifier(op.modifiers, "offset")
    where, last = operand(op.operands[first]), operand(op.operands[-1])
    if offset is None:
        raise Unsupported(f"{op.name}: its offset is not a number")
    at = group.word(where)
    if len(where.registers) == 2:
        at = at | group.word(where, 1) << np.uint64(32)
    elif len(last.registers) == 2:
        at = at + (group.word(last) | group.word(last, 1) << np.uint64(32))
    else:
        raise Unsupported(f"{op.name}: the operands are not the usual ones")
    return at + np.uint64(offset % (1 << 64))


def _read(
    group: SimulatedGroup,
    op: AmdInstruction,
    places: Places,
    size: int,
    memory: Words | BufferWindow | _Row,
) -> None:
    """Registers from memory, of words or of less than one."""
    lanes, names = group.lanes(), iter(operand(op.operands[0]).registers)
    is_signed = bool(_SIGNED.search(op.name))
    for place in places:
        for n in range(0, size, 4):
            name = next(names)
            found = memory.load(place + np.uint64(n), min(size, 4))
            if is_signed:
                found = masked(signed(found, 8 * size).view(np.uint64), 32)
            full = np.zeros(lanes.shape, np.uint64)
            full[lanes] = found
            if "_d16" in op.name:
                full = _half(group, name, full, "_hi" in op.name)
            group.put(name, full)
            group.exact.discard(name)


def _half(group: SimulatedGroup, name: str, found: Values, high: bool) -> Values:
    """16 bits into one half of a register, which keeps the other."""
    old, half = group.word(operand(name)), masked(found, 16)
    if high:
        return old & np.uint64(0xFFFF) | half << np.uint64(16)
    return old & np.uint64(0xFFFF0000) | half


def _write(
    group: SimulatedGroup,
    op: AmdInstruction,
    places: Places,
    data: Sequence[str],
    size: int,
    memory: Words | BufferWindow | _Row,
) -> None:
    lanes = group.lanes()
    for place, text in zip(places, data, strict=False):
        for n in range(0, size, 4):
            words = group.word(operand(text), n // 4)[lanes]
            if "_d16_hi" in op.name:
                words = words >> np.uint64(16)
            memory.store(place + np.uint64(n), masked(words, 8 * min(size, 4)), min(size, 4))


def _atomic(
    group: SimulatedGroup,
    name: str,
    kind: str,
    at: Values,
    to: str,
    data: Sequence[str],
    memory: Words | BufferWindow | _Row,
) -> None:
    """Lane by lane; numbers that are no integers add up as terms."""
    operation = _OPERATIONS.get(name, name)
    if operation not in _PLAIN:
        raise Unsupported(f"the atomic {name}")
    lanes, inexact = group.lanes(), kind == "f"
    words = [
        group.word(operand(text), part)[lanes]
        for text in data
        for part in range(max(1, len(operand(text).registers)))
    ]
    if name == "cmpswap":
        words = words[::-1]  # the new value comes first there
    old = np.zeros(len(at), np.uint64)
    for n in range(len(at)):
        here = at[n : n + 1]
        old[n : n + 1] = memory.load(here, 4)
        given = [int(one[n]) for one in words]
        typed = {"f": "f32", "i": "s32"}.get(kind, "u32")
        new = combined(operation, typed, int(old[n]), given, inexact)
        memory.store(here, np.array([new & 0xFFFFFFFF], np.uint64), 4)
    if to:
        full = np.zeros(lanes.shape, np.uint64)
        full[lanes] = masked(term(name, [at, words[0]]), 32) if inexact else old
        group.put(operand(to).registers[0], full)
