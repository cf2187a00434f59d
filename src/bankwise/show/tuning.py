"""The report of ``bankwise.triton.tune``: settings of a kernel's knobs, ranked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True)
class KnobRow:
    """One setting of the knobs. Numbers are of a workgroup, of the code that is emitted.

    ``work``: what a workgroup does, as the caller says; ``counted``: whether it is known how often
    everything runs; ``refusal``: why there are no numbers, empty else.
    """

    knobs: Mapping[str, Any]
    work: float
    passes: int = 0
    conflicts: int = 0
    instructions: int = 0
    shared_bytes: int = 0
    registers: int = 0
    counted: bool = False
    refusal: str = ""

    @property
    def price(self) -> Fraction:
        """Passes for one unit of work."""
        return self.passes / Fraction(self.work)

    @property
    def passes_per_work(self) -> float:
        """The same as JSON has it."""
        return float(self.price)


@dataclass(frozen=True, slots=True)
class TuneReport:
    """All settings, the fewest passes for one unit of work first; those without numbers last.

    ``code``: which code was counted.
    """

    kernel: str
    target: str
    rows: tuple[KnobRow, ...]
    code: str = ""

    @property
    def best(self) -> KnobRow | None:
        """The first row, if it has numbers."""
        return next((row for row in self.rows if not row.refusal), None)

    def document(self) -> dict[str, Any]:
        """``bankwise.tune/1``, for :func:`json.dumps`."""
        from bankwise.show.documents.parts import view
        from bankwise.show.documents.tuning import TuneDocument
        from bankwise.show.schema import plain

        return plain(view(TuneDocument, self))

    def __str__(self) -> str:
        """A table. Passes are no time."""
        names = list(dict.fromkeys(name for row in self.rows for name in row.knobs))
        heads = [*names, "passes/work", "passes", "conflicts", "shared", "registers", ""]
        cells = [heads, *(_cells(row, names) for row in self.rows)]
        widths = [max(len(line[n]) for line in cells) for n in range(len(heads))]
        lines = ["  ".join(c.rjust(w) for c, w in zip(x, widths, strict=True)) for x in cells]
        told = f"{self.kernel}, {self.target}: passes of a workgroup in its {self.code}; not time"
        return "\n".join((told, *(line.rstrip() for line in lines)))


def _cells(row: KnobRow, names: Sequence[str]) -> list[str]:
    said = [str(row.knobs.get(name, "")) for name in names]
    if row.refusal:
        return [*said, *[""] * 5, row.refusal.splitlines()[0][:60]]
    doubt = "" if row.counted else "as followed"
    numbers = (row.passes, row.conflicts, row.shared_bytes, row.registers)
    return [*said, f"{row.passes_per_work:.4g}", *(f"{n:,}" for n in numbers), doubt]
