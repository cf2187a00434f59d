"""A workgroup of AMD assembly in the middle of its run: what it begins with, what it remembers.

Registers are those that machine code is followed with (:class:`bankwise.read.follow.state.State`),
with one difference: nothing in them is unknown. Arguments lie in the simulated memory, pointers
apart from each other; what nobody wrote is a term.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from bankwise.change.simulate.launches import SimulatedLaunch
from bankwise.change.simulate.memory import POINTERS, Bytes, Unsupported, Words, poisoned
from bankwise.change.simulate.terms import Values
from bankwise.read.amd.flat import makes_shared_addresses
from bankwise.read.amd.operands import Operand, bare, operand, value
from bankwise.read.amd.parse import AmdInstruction, AmdKernel
from bankwise.read.amd.start import GROUPS, WORKGROUP_IDS, known_memory, start
from bankwise.read.follow.decoded import Decoded
from bankwise.read.follow.state import UNWRITTEN, State, running, write
from bankwise.read.follow.values import Unknown, Value
from bankwise.read.launch.facts import Size

_KERNARG, _DISPATCH = 1 << 60, 1 << 61
"""Where the arguments and the dispatch packet lie."""
_UNSTATED_BYTES = 64 * 1024
"""Of LDS whose size neither the code nor a launch that is known says."""


class SimulatedGroup(Struct, eq=False):
    """One workgroup. ``exact``: registers with a number of 32-bit floating point that integers
    made, which is computed where others are terms; ``passed``: tags of the text that a lane came
    by; ``read`` and the like see the lanes that run."""

    kernel: AmdKernel
    decoded: Decoded
    state: State
    shared: Bytes
    memory: Words
    exact: set[str] = field(default_factory=set)
    passed: set[str] = field(default_factory=set)

    def lanes(self) -> NDArray[np.bool_]:
        """The lanes that run, [waves, lanes]."""
        return running(self.state)

    def word(self, source: Operand, part: int = 0) -> Values:
        """A 32-bit part of an operand in every lane, [waves, lanes]."""
        lanes = self.lanes()
        found = value(self.state, source, part, lanes)
        if isinstance(found, Unknown):
            raise Unsupported(f"{source.text}: {found}")
        if found.shape == lanes.shape:
            return found.astype(np.uint64)
        full = np.empty(lanes.shape, np.uint64)
        full[...] = found
        return full

    def put(self, name: str, found: Values) -> None:
        """32 bits of every lane that runs."""
        write(self.state, name, found.astype(np.uint32), self.lanes())


def simulated_group(
    kernel: AmdKernel, decoded: Decoded, setting: SimulatedLaunch, index: Size, salt: int
) -> SimulatedGroup:
    """A workgroup at its first instruction."""
    flat = any(op.name.startswith("flat_") for op in kernel.operations)
    if flat and makes_shared_addresses(kernel):
        raise Unsupported("generic addresses of LDS")
    memory = Words(0x5EED, setting.bits)
    args: dict[str | int, int] = dict(
        zip((*GROUPS, *WORKGROUP_IDS), (*setting.grid, *index), strict=True)
    )
    known = argument_bytes(kernel, setting, known_memory(kernel, setting.block, args))
    for (where, at), byte in known.items():
        base = _KERNARG if where == "kernarg" else _DISPATCH
        memory.store(np.array([base + at], np.uint64), np.array([byte], np.uint64), 1)
    state = start(kernel, setting.block, args, known)
    _registers(kernel, state)
    state.memory = _loads(memory)
    stated = kernel.lds_bytes + max(setting.shared_bytes, 0)
    shared = poisoned(1, stated or _UNSTATED_BYTES, salt << 60)
    return SimulatedGroup(kernel, decoded, state, shared, memory)


def argument_bytes(
    kernel: AmdKernel, setting: SimulatedLaunch, known: Mapping[tuple[str, int], int]
) -> dict[tuple[str, int], int]:
    """All arguments: those of the author as they are said or assumed, the rest as the launch makes
    them; and the dispatch packet."""
    found = dict(known)
    visible = [one for one in kernel.arguments if not one.kind.startswith("hidden_")]
    for position, one in enumerate(visible):
        said = setting.numbers[position] if position < len(setting.numbers) else None
        if one.kind == "global_buffer":
            said = POINTERS * (position + 1)
        elif one.size not in (1, 2, 4, 8):
            raise Unsupported(f"the parameter {position}, which is a structure")
        number = setting.unsaid(position, one.size) if said is None else int(said)
        for n in range(one.size):
            found["kernarg", one.offset + n] = number >> 8 * n & 0xFF
    return found


def _registers(kernel: AmdKernel, state: State) -> None:
    """Pointers as numbers; a register that nothing writes is 0."""
    for name, held in list(state.registers.items()):
        if isinstance(held, Unknown) and held.pointer is not None:
            base = _KERNARG if held.pointer[0] == "kernarg" else _DISPATCH
            for part in range(2):
                half = np.uint32(base >> 32 * part & 0xFFFFFFFF)
                state.registers[f"s{int(name[1:]) + part}"] = np.full((1, 1), half)
    for op in kernel.operations:
        for text in op.operands:
            for name in operand(bare(text)).registers:
                if isinstance(state.registers.get(name, UNWRITTEN), Unknown):
                    state.registers[name] = np.zeros((1, 1), np.uint32)
    for name in ("vcc_lo", "vcc_hi", "m0"):
        state.registers.setdefault(name, np.zeros((1, 1), np.uint32))
    state.registers.setdefault("scc", np.zeros((1, 1), np.bool_))


def _loads(memory: Words) -> Callable[[State, AmdInstruction], tuple[Value, ...] | None]:
    """Scalar loads of the simulated memory."""

    def loads(state: State, op: AmdInstruction) -> tuple[Value, ...] | None:
        to, base, offset = (operand(text) for text in op.operands[:3])
        low, high = (value(state, base, part) for part in range(2))
        more = value(state, offset)
        if isinstance(low, Unknown) or isinstance(high, Unknown) or isinstance(more, Unknown):
            raise Unsupported(f"{op.name}: {base.text} is not known")
        address = low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)
        address = (address + more.astype(np.uint64)).reshape(-1)
        words = (memory.load(address + np.uint64(4 * n), 4) for n in range(len(to.registers)))
        return tuple(one.astype(np.uint32).reshape(-1, 1) for one in words)

    return loads
