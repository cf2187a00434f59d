"""A kernel ready to be followed: its steps, and what touches shared memory. One form for all
languages of machine code; what an instruction *is* each of them says itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from msgspec import Struct

from bankwise.errors import Location, Refusal
from bankwise.hardware.machine import AccessKind, Direction
from bankwise.identity import ByIdentity
from bankwise.read.follow.program import Program, ProgramStep, program
from bankwise.read.follow.units import AsyncUnit


class CodeInstruction(Protocol):
    """One instruction of a text. ``line``: from 1; ``source``: its place in the source text."""

    @property
    def line(self) -> int:
        """In the text, from 1."""

    @property
    def name(self) -> str:
        """As written, without operands."""

    @property
    def source(self) -> Location | None:
        """The place in the source text, if the text names one."""


I = TypeVar("I", bound=CodeInstruction)  # noqa: E741 - an instruction


class Address(Struct, frozen=True):
    """A sum of registers and a constant: ``v0 offset:64``, ``[%r1+16]``, ``[R4.X4+UR6+0x10]``.

    ``terms``: (register, factor) pairs; a variable of PTX stands like a register. ``offset_bytes``:
    the constant.
    """

    terms: tuple[tuple[str, int], ...]
    offset_bytes: int

    @property
    def registers(self) -> tuple[str, ...]:
        """What it is made of, in order."""
        return tuple(name for name, _ in self.terms)


class DecodedAccess(Struct, frozen=True):
    """How one instruction touches shared memory.

    ``name``: in the machine files. ``width_bytes``: of one address.
    ``immediate_bytes``: the constant added to a register; ``apart_bytes``: how far a
    second address lies behind the first, None if there is one. ``variant``: of a matrix load.
    ``generic``: it is shared memory only if the address is; the name does not say. ``unit``: what
    an asynchronous unit makes of ``numbers``, operands that are followed in the address's place;
    None where lanes touch ``width_bytes`` each.
    """

    name: str
    kind: AccessKind
    direction: Direction
    width_bytes: int
    address: Address
    immediate_bytes: int = 0
    apart_bytes: int | None = None
    variant: str = ""
    generic: bool = False
    unit: AsyncUnit | None = None
    numbers: tuple[str, ...] = ()


Touches = DecodedAccess | Refusal | None
"""What an instruction does to shared memory: something, nobody knows what, nothing."""


class Decoded(ByIdentity, frozen=True, eq=False):
    """A kernel as steps. ``touches`` and ``refusals``: what touches shared memory, understood or
    not, by the number of the instruction; ``strange``: instructions of no known family."""

    program: Program
    touches: Mapping[int, DecodedAccess]
    refusals: Mapping[int, Refusal]
    strange: tuple[int, ...]


def decode(
    instructions: Sequence[I],
    line: int,
    touch: Callable[[I], Touches],
    step: Callable[[I, Touches], ProgramStep],
    known: Callable[[I], bool],
    barriers: bool = False,
) -> Decoded:
    """Decode ``instructions``; one more step ends the kernel, which begins at ``line``.

    ``touch``: how an instruction touches shared memory; ``step``: what it reads, writes and does;
    ``known``: whether it is of a family whose results are known; ``barriers``: the language says
    where lanes meet.
    """
    touches: dict[int, DecodedAccess] = {}
    refusals: dict[int, Refusal] = {}
    steps: list[ProgramStep] = []
    for number, instruction in enumerate(instructions):
        found = touch(instruction)
        if isinstance(found, DecodedAccess):
            touches[number] = found
        elif isinstance(found, Refusal):
            refusals[number] = found
        steps.append(step(instruction, found))
    steps.append(ProgramStep(steps[-1].line if steps else line, "end of the kernel", flow="end"))
    strange = tuple(n for n, one in enumerate(instructions) if not known(one))
    return Decoded(program(steps, barriers), touches, refusals, strange)
