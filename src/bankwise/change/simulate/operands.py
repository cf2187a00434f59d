"""Operands of PTX statements in a simulated block: registers, numbers, special registers, names."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from bankwise.change.simulate.memory import SHARED, Bytes, Unsupported, Words
from bankwise.change.simulate.terms import Values

Lanes = NDArray[np.int64]
"""Numbers of the threads that execute an instruction."""

_NUMBER = re.compile(r"([+-]?)(0[xX][0-9a-fA-F]+|\d+)U?")
_FLOAT = re.compile(r"0([fFdD])([0-9a-fA-F]{8,16})")
_ADDRESS = re.compile(r"\[\s*([^\s+\]]+)\s*(?:\+\s*(-?\w+))?\s*\]")
_WARP = 32


class SimulatedBlock(Struct, eq=False):
    """A block in the middle of its run. ``registers``: each of all threads, a row of ``rows``;
    ``places``: which one, also of registers that nothing has written yet, and of what is no
    register; ``parameters``: where each lies and the bytes of all; ``symbols``: addresses of
    variables; ``numbers``: the constants that were read; ``passed``: tags of the text that a thread
    came by.
    """

    threads: int
    specials: dict[str, Values]
    parameters: dict[str, int]
    constants: bytes
    symbols: dict[str, int]
    shared: Bytes
    local: Bytes
    memory: Words
    registers: dict[str, Values] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    passed: set[str] = field(default_factory=set)
    rows: Values = field(default_factory=lambda: np.zeros((0, 0), np.uint64))
    places: dict[str, int] = field(default_factory=dict)

    def place(self, name: str) -> int:
        """The row of a register, made where there is none."""
        at = self.places.setdefault(name, len(self.places))
        if at >= len(self.rows):
            more = np.zeros((max(64, 2 * at), self.threads), np.uint64)
            if len(self.rows):
                more[: len(self.rows)] = self.rows
            self.rows = more
            for one in self.registers:
                self.registers[one] = more[self.places[one]]
        return at

    def place_of(self, text: str) -> int:
        """The row of an operand: of a register, a number or the address of a variable."""
        if text not in self.places and (text in self.specials or not text.startswith("%")):
            at = self.place(text)
            self.rows[at] = self.read(text, np.arange(self.threads))
        return self.place(text)

    def begin(self, name: str) -> None:
        """From here on a register has a value."""
        if name not in self.registers:
            at = self.place(name)
            self.registers[name] = self.rows[at]

    def read(self, name: str, lanes: Lanes) -> Values:
        """A register, a number or the address of a variable, in each of some threads; not to be
        written to."""
        if name.startswith("!"):
            return self.read(name[1:], lanes) ^ np.uint64(1)
        kept = self.registers.get(name)
        if kept is None:
            kept = self.specials.get(name)
        if kept is not None:
            return kept[lanes] if len(lanes) < self.threads else kept
        if name.startswith("%"):
            raise Unsupported(f"{name} is read before it is written")
        if name not in self.numbers:
            self.numbers[name] = self._constant(name)
        return np.full(len(lanes), self.numbers[name], np.uint64)

    def _constant(self, text: str) -> int:
        number, real = _NUMBER.fullmatch(text), _FLOAT.fullmatch(text)
        if real:
            return int(real[2], 16)
        if number:
            return int(number[1] + number[2], 0) & (1 << 64) - 1
        if text in self.symbols:
            return self.symbols[text]
        if text == "WARP_SZ":
            return _WARP
        raise Unsupported(f"the operand {text}")

    def write(self, name: str, lanes: Lanes, values: Values) -> None:
        """A register of some threads; ``_`` takes nothing."""
        if name == "_":
            return
        kept = self.registers.get(name)
        if kept is None:
            self.begin(name)
            kept = self.registers[name]
        if len(lanes) < self.threads:
            kept[lanes] = values
        else:
            kept[:] = values

    def address(self, text: str, lanes: Lanes) -> tuple[Values, str]:
        """What ``[%rd1+4]`` points to, and the name in it."""
        name, offset = address_of(text)
        if name in self.parameters:
            at = np.full(len(lanes), self.parameters[name], np.uint64)
        else:
            at = self.read(name, lanes)
        return at + offset, name

    def is_parameter(self, text: str) -> bool:
        """Whether ``[name+4]`` is in a parameter of the kernel, or in what a register points to."""
        name = text.strip("[] ").partition("+")[0].strip()
        return name in self.parameters or name.startswith("%")

    @property
    def warps(self) -> int:
        """Warps of the block, the last one perhaps not full."""
        return -(-self.threads // _WARP)


@cache
def address_of(text: str) -> tuple[str, np.uint64]:
    """``[%rd1+4]``: its register or variable, and the offset."""
    found = _ADDRESS.fullmatch(text)
    if found is None:
        raise Unsupported(f"the address {text}")
    return found[1], np.uint64(int(found[2] or "0", 0) & (1 << 64) - 1)


def listed(text: str) -> list[str]:
    """``{%f1, %f2}`` as names; another operand alone."""
    return [one.strip() for one in text.strip("{} ").split(",")]


def shared_offset(addresses: Values) -> Values:
    """Offsets in shared memory, of addresses in its window or of the flat space."""
    return np.where(addresses >= np.uint64(SHARED), addresses - np.uint64(SHARED), addresses)
