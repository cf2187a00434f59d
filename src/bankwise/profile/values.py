"""A user's profile as values: launches of kernels, their counters, their instructions.

Nothing is compared here, and nothing renamed: a counter keeps the profiler's name and unit.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from bankwise.hardware.machine import Vendor

Size = tuple[int, int, int]
"""Along x, y, z."""


class Quantity(Struct, frozen=True):
    """A number as the profiler printed it, with the unit it printed ("" for a plain count)."""

    value: float
    unit: str = ""


class CountedInstruction(Struct, frozen=True):
    """One shared-memory instruction of a launch, counted at its own address.

    ``address``: in the code, as the profiler prints it; ``text``: the instruction; ``line``: of the
    source file ``file``, 0 if the export has none; ``executed``: by how many waves; ``passes`` and
    ``ideal``: of all of them.
    """

    address: int
    text: str
    executed: int
    passes: int
    ideal: int
    line: int = 0
    file: str = ""

    @property
    def extra(self) -> int:
        """``passes - ideal``: what the profiler calls excessive."""
        return self.passes - self.ideal


class Launch(Struct, frozen=True):
    """One launch of a kernel.

    ``kernel``: its name, mangled or not. ``workgroups``, ``threads``: of the grid, of a workgroup;
    None where the export does not say. ``entered``: waves that executed the first instruction.
    ``grid``, ``block``: the same along x, y, z; ``shared_bytes``: dynamic shared memory.
    ``absent``: counters of shared memory for which the export has no value; ``capability``: compute
    capability of NVIDIA's GPU, "" where it is not said.
    """

    kernel: str
    number: str
    workgroups: int | None = None
    threads: int | None = None
    counters: Mapping[str, Quantity] = field(default_factory=dict)
    instructions: tuple[CountedInstruction, ...] = ()
    entered: int | None = None
    grid: Size | None = None
    block: Size | None = None
    shared_bytes: int | None = None
    absent: tuple[str, ...] = ()
    capability: str = ""

    @property
    def values(self) -> Mapping[str, float]:
        """The counters without their units."""
        return {name: quantity.value for name, quantity in self.counters.items()}

    def first(self, *names: str) -> tuple[str, Quantity] | None:
        """The first of the counters ``names`` that was measured."""
        return next(((n, self.counters[n]) for n in names if n in self.counters), None)


class Profile(Struct, frozen=True):
    """One export. ``tool``: the profiler and the shape of its file; ``notes``: what was done;
    ``others``: the kernels of the export whose launches were left out, by name."""

    file: str
    tool: str
    vendor: Vendor
    launches: tuple[Launch, ...]
    notes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def kernels(self) -> tuple[str, ...]:
        """The names of all kernels, in order."""
        return tuple(dict.fromkeys(launch.kernel for launch in self.launches))
