"""What an encoding of one buffer takes, all of its accesses together; alike encodings are counted
once.

The images of the index bits (:class:`bankwise.read.ttgir.placed.PlacedElements`) decide everything
about an access under a linear layout, and less of them than all: once it is known which
instructions it becomes, what counts is which sums of the images of lane bits lie in one word, and
which on one bank (:func:`layout_class`). All other instructions and waves are moved by an XOR, and
that permutes the banks. So of layouts that agree in this, one is counted:

    f16, 32 banks, 16 bytes a lane, a lane for every row of 64 elements. Plain, all rows start on
    bank 0: every sum of lane bits meets. Whichever three lane bits a swizzle XORs into the groups
    of 16 bytes, and in which order, no two of their eight rows meet: layouts are told apart by
    which three.

Copies past the cache are served by lines, so the places in a line have to agree; what direct copies
on AMD fill depends on all of the images, and padding is no XOR: there each layout is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np
from msgspec import field
from msgspec.structs import replace

from bankwise.algebra import f2
from bankwise.ask.ttgir_problem import shape_of
from bankwise.counting.conflict import count
from bankwise.counting.lines import LINE_BYTES
from bankwise.errors import Refusal
from bankwise.hardware.machine import BANK_BYTES, Machine
from bankwise.hardware.policies import Issue
from bankwise.identity import ByIdentity
from bankwise.notation.linear import LinearMemory
from bankwise.notation.triton import Shared, memory
from bankwise.notation.triton.shared import Encoded
from bankwise.read.ttgir.accesses import Moved, Reader, moved_direction
from bankwise.read.ttgir.follow import Followed
from bankwise.read.ttgir.lower import Issued, special_form, vector_bytes
from bankwise.read.ttgir.placed import PlacedElements, ViewedElements
from bankwise.read.ttgir.values import Buffer, SharedOperation
from bankwise.solver.plan import Plan
from bankwise.solver.price import LayoutCost, UseCost

SPACE = "shared encodings"


class BufferQuestion(ByIdentity, frozen=True, eq=False, dict=True):
    """A buffer, what touches it, and who makes accesses of that. ``known``: what was counted, by
    the operation's number and the class of its layout; None where that has no instructions."""

    buffer: Buffer
    only: Followed
    reader: Reader
    known: dict[object, tuple[UseCost, ...] | None] = field(default_factory=dict)

    @cached_property
    def viewed(self) -> tuple[ViewedElements | Refusal, ...]:
        """What each operation moves, whatever the encoding."""
        return tuple(self.reader.viewed(touch) for touch in self.only.touches)

    def accesses(self, encoding: Shared) -> list[Moved] | None:
        """Its accesses under another encoding; None where one has no way."""
        instead = {self.buffer.name: replace(self.buffer.type, encoding=encoding)}
        moved = list(self.reader.accesses(self.only, instead))
        found = [a for a in moved if isinstance(a, Moved)]
        return found if len(found) == len(moved) else None

    def plan(self, encoding: Shared, most: Fraction | None = None) -> Plan | None:
        """The plan of another encoding; None where it does not fit, an access has no way, or it
        takes more than ``most`` passes."""
        laid, bits = memory(encoding, self.buffer.type.shape), self.buffer.type.bits
        if laid.size * bits // 8 > self.reader.machine.lds_bytes:
            return None
        uses: list[UseCost] = []
        for number, elements in enumerate(self.viewed):
            found = None if isinstance(elements, Refusal) else self._counted(number, elements, laid)
            if found is None:
                return None
            uses += found
            if most is not None and sum(use.weight * use.passes for use in uses) > most:
                return None
        return plan_of(self.buffer, encoding, uses, self.reader.machine)

    def _counted(
        self, number: int, elements: ViewedElements, laid: LinearMemory
    ) -> tuple[UseCost, ...] | None:
        touch = self.only.touches[number]
        placed = PlacedElements(elements, laid, self.buffer.type.bits)
        alike = layout_class(touch, placed, self.reader.machine)
        if alike is None:
            return self._uses(touch, placed)
        if (number, alike) not in self.known:
            self.known[number, alike] = self._uses(touch, placed)
        return self.known[number, alike]

    def _uses(self, touch: SharedOperation, placed: PlacedElements) -> tuple[UseCost, ...] | None:
        issued = self.reader.issued(touch, placed)
        if isinstance(issued, Refusal):
            return None
        return tuple(use_cost(touch, each, self.reader.machine) for each in issued)


def layout_class(
    touch: SharedOperation, placed: PlacedElements, machine: Machine
) -> tuple[object, ...] | None:
    """What is the same of all layouts under which an operation becomes as many of the same
    instructions, with the same passes; None where that is not known."""
    numbers, laid = placed.elements.numbers, placed.laid
    if numbers is None or laid.paddings or numbers[3] % prod(laid.tile):
        return None
    if not touch.op.name.startswith("ttg.local_"):
        return _copy_class(placed) if machine.vendor == "nvidia" else None
    form = special_form(machine, placed, moved_direction(touch))
    if form is not None:
        found = _meeting(form.addresses(placed), placed, form.width_bytes, machine)
        return (form.instruction, *found)
    width, alignment = vector_bytes(placed)
    return (width, alignment, *_meeting(placed.lanes, placed, width, machine))


def _meeting(
    images: Iterable[int], placed: PlacedElements, width: int, machine: Machine
) -> Iterator[f2.Basis]:
    """Which sums of images, in elements, lie in one word, and which on one bank."""
    unit = max(width, BANK_BYTES)
    bytes_ = [image * placed.element_bytes for image in images]
    yield f2.kernel([image // unit for image in bytes_])
    for banks in sorted({row.banks for row in machine.instructions.values()}):
        yield f2.kernel([image % (banks * BANK_BYTES) // unit for image in bytes_])


def _copy_class(placed: PlacedElements) -> tuple[object, ...]:
    """Places within a line of 128 bytes, and which elements lie in one."""
    line = LINE_BYTES // placed.element_bytes
    images = (placed.registers, placed.lanes, placed.waves)
    inside = tuple(tuple(image % line for image in some) for some in images)
    return (*inside, placed.laid.bases[: line.bit_length() - 1])


def plan_of(buffer: Buffer, encoding: Shared, uses: Iterable[UseCost], machine: Machine) -> Plan:
    """What an encoding takes, each access executed as often as it is known to be."""
    cost, laid = LayoutCost(tuple(uses)), memory(encoding, buffer.type.shape)
    size = laid.size * buffer.type.bits // 8
    layout, addresses = Encoded(encoding, buffer.tile), cost.addresses(machine)
    return Plan(SPACE, shape_of(buffer), layout, cost, size, addresses, str(encoding))


def uses_of(accesses: Iterable[Moved], machine: Machine) -> list[UseCost]:
    """What accesses take as they are, an instruction after the other."""
    return [use_cost(a.touch, issued, machine) for a in accesses for issued in a.issued]


def use_cost(touch: SharedOperation, issued: Issued, machine: Machine) -> UseCost:
    """What instructions of one shape take in one execution of an operation."""
    active = np.broadcast_to(issued.active, issued.offsets_bytes.shape)
    counted = count(machine.instruction(issued.instruction), issued.offsets_bytes, active)
    passes, ideal = Fraction(int(counted.passes.sum())), Fraction(int(counted.ideal.sum()))
    issues = (Issue(issued.instruction, 0),) * issued.instructions
    return UseCost(touch.op.name, issues, passes, ideal, touch.executions)


def access_cost(access: Moved, machine: Machine) -> int:
    """Passes of all executions of an access."""
    found = uses_of((access,), machine)
    return sum(int(use.passes) * access.touch.executions for use in found)
