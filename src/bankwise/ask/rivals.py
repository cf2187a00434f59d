"""Rival rules for one instruction: which lanes a machine may serve together, on how many banks.

All tables are of machine files: those of the package, and whichever a user names. Beside them
stands the plainest guess, lanes in consecutive groups. A rule under which a full wave can never be
free of conflicts is none that code could be tuned for, and is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from bankwise.counting.access import BoolArray, IntArray
from bankwise.counting.conflict import count
from bankwise.hardware.machine import BANK_BYTES, Instruction, Machine


class BelievedRule(Struct, frozen=True):
    """A rule for an instruction that whoever tuned code may have believed in. ``name``: where it is
    from; ``own``: of the machine's own file.

    ``instruction``: a row with these phases and banks. ``joined``: of a two-address form, that both
    addresses of a lane are served in one phase; the phases then have the lanes of the second
    address behind those of the first.
    """

    name: str
    instruction: Instruction
    own: bool = False
    joined: bool = False

    def free(self, offsets: IntArray, active: BoolArray, apart: int) -> npt.NDArray[np.bool_]:
        """Which accesses are free of conflicts: [accesses] of offsets [accesses, lanes].

        ``apart``: of a two-address form, from the first to the second address, in bytes.
        """
        if self.joined:
            both = np.concatenate([offsets, offsets + apart], axis=1)
            found = count(self.instruction, both, np.concatenate([active, active], axis=1))
        else:
            second = offsets + apart if self.instruction.addresses == 2 else None
            found = count(self.instruction, offsets, active, second_offsets_bytes=second)
        return np.asarray(found.extra == 0)


def rivals_of(row: Instruction, machines: Sequence[Machine]) -> tuple[BelievedRule, ...]:
    """The machine's own rule for ``row`` first, then every other one, each once.

    ``machines``: whose rows of the same width are rivals, whatever they are called.
    """
    found = {_table(row): BelievedRule(f"{row.machine} {row.name}", row, own=True)}
    for rival in _others(row, machines):
        if _fits(rival.instruction):
            found.setdefault(_table(rival.instruction), rival)
    return tuple(found.values())


def _others(row: Instruction, machines: Iterable[Machine]) -> Iterator[BelievedRule]:
    yield BelievedRule("consecutive lanes", replace(row, phases=_consecutive(row)))
    for machine in machines:
        for other in machine.instructions.values():
            if other.wave_size != row.wave_size or other.merge != row.merge:
                continue
            name = f"{machine.name} {other.name}"
            if (other.width_bytes, other.addresses) == (row.width_bytes, row.addresses):
                yield BelievedRule(name, replace(row, phases=other.phases, banks=other.banks))
            elif other.addresses == 1 and other.width_bytes == row.width_bytes * row.addresses:
                yield BelievedRule(f"both at once, as {name}", _joined(row, other), joined=True)


def _consecutive(row: Instruction) -> tuple[tuple[int, ...], ...]:
    lanes, size = sorted(lane for phase in row.phases for lane in phase), len(row.phases[0])
    return tuple(tuple(lanes[n : n + size]) for n in range(0, len(lanes), size))


def _joined(row: Instruction, wide: Instruction) -> Instruction:
    """Both addresses in the phases of an instruction that moves as many bytes at one."""
    lanes = row.wave_size
    phases = tuple((*phase, *(lane + lanes for lane in phase)) for phase in wide.phases)
    return replace(row, wave_size=2 * lanes, addresses=1, phases=phases, banks=wide.banks)


def _fits(row: Instruction) -> bool:
    """Whether a full phase finds room on the banks."""
    return max(map(len, row.phases)) * row.width_bytes <= row.banks * BANK_BYTES


def _table(row: Instruction) -> tuple[int, int, int, frozenset[frozenset[int]]]:
    phases = frozenset(frozenset(phase) for phase in row.phases)
    return row.wave_size, row.addresses, row.banks, phases
