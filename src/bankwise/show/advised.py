"""What reports advise: the best layout of a buffer, longer rows, and the text that writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from bankwise.counting.cost import Cost
from bankwise.errors import Location
from bankwise.hardware.machine import BANK_BYTES

if TYPE_CHECKING:
    from bankwise.solver.certificate import Certificate
    from bankwise.solver.known import Known


class RowPitch(Struct, frozen=True):
    """Longer rows for a buffer: ``row_bytes`` become ``pitch_bytes``, ``more_bytes`` in all.

    Its rows are what the accesses step by: several of the author's, where lanes lie so far apart.
    ``run``: what all of its accesses then cost a workgroup, counted; ``address``: on byte offsets.
    """

    row_bytes: int
    pitch_bytes: int
    more_bytes: int
    run: Cost
    address: str

    @property
    def free(self) -> bool:
        """Whether no conflict is left."""
        return self.run.extra == 0

    def __str__(self) -> str:
        words = not (self.row_bytes | self.pitch_bytes) % BANK_BYTES
        unit, size = ("word", BANK_BYTES) if words else ("byte", 1)
        gap = (self.pitch_bytes - self.row_bytes) // size
        says = "free" if self.free else f"{self.run.passes:,} passes"
        return (
            f"pad {gap:,} {unit}{'s' * (gap > 1)} behind every {self.row_bytes // size:,}: "
            f"{says}, {self.more_bytes:,} bytes more: {self.address}"
        )


class Optimum(Struct, frozen=True):
    """The best layout for all accesses of some allocations together, against the present one.

    ``allocations`` share their accesses, and so one layout. Costs are per workgroup, ordinary
    accesses only. ``known``: among what it is the optimum, and how that is known, or not.
    ``address``: the layout in words, empty where it was not asked for; ``notation``: the same in
    the notation of the framework that made the kernel; ``notes``: what restricts or qualifies it.
    ``certificate``: for ``bankwise certify``; None where the optimum is known by counting alone.
    ``pitch``: longer rows that are as good or better, where there are some.
    """

    allocations: tuple[str, ...]
    present: Cost
    best: Cost
    known: Known
    address: str = ""
    notation: str = ""
    notes: tuple[str, ...] = ()
    certificate: Certificate | None = None
    pitch: RowPitch | None = None


AS_FOLLOWED = "workgroup as followed"
"""What the passes of a :class:`Snippet` are of, where not every execution is known."""


class Snippet(Struct, frozen=True):
    """What to write against avoidable conflicts, in the language that the kernel is written in.

    ``text``: what to paste, whole lines, at ``location``; empty where ``command`` writes it.
    ``what`` it is, or stands in for. ``before``, ``after``: passes of what ``each`` names.
    ``counted``: ``after`` was counted with the text in place of the old one; else it is the plan's,
    and what a compiler makes of the text is not known. ``patch``: the same as a unified diff;
    ``notes``: what has to be true beside it. ``buffers``: whose conflicts it is against, where it
    is not against all of the kernel's; ``places``: of their accesses, where an access does not name
    its buffer.
    """

    language: str
    what: str
    text: str
    location: Location
    before: int
    after: int
    counted: bool = False
    each: str = "workgroup"
    command: str = ""
    patch: str = ""
    notes: tuple[str, ...] = ()
    buffers: tuple[str, ...] = ()
    places: tuple[Location, ...] = ()
