"""A launch of ``bankwise bench attention`` and ``bench gemm`` as a row, and as a line of CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from msgspec import Struct, structs

from bankwise.errors import InputError, Location


class BenchRow(Struct, frozen=True):
    """One kernel, shape and variant. Passes and conflicts are those of the whole launch.

    ``group``: the element type, and how f32 attention deals out its rows. ``resident``: workgroups
    on one SM. ``max_error``: against float64; None where it was not run. Counters and times are
    None where they were not taken. ``measured``: the launch as it is. ``alone``: the same code, one
    workgroup on an SM at a time. ``attributed``: passes that the profiler attributes to the
    instructions (``sm__sass_*``). ``same_lds_ms``: the time when the launch asks for as much shared
    memory as padding does (swizzle only). ``local_bytes``: spilled, per thread.
    """

    kernel: str
    group: str
    shape: str
    variant: str
    layouts: str
    workgroups: int
    flops: int
    lds_bytes: int
    predicted_read_passes: int
    predicted_read_extra: int
    predicted_write_passes: int
    predicted_write_extra: int
    measured_read_passes: int | None = None
    measured_read_extra: int | None = None
    measured_write_passes: int | None = None
    measured_write_extra: int | None = None
    alone_read_passes: int | None = None
    alone_read_extra: int | None = None
    alone_write_passes: int | None = None
    alone_write_extra: int | None = None
    attributed_read_passes: int | None = None
    attributed_write_passes: int | None = None
    arbitration: int | None = None
    registers: int | None = None
    local_bytes: int | None = None
    resident: int | None = None
    max_error: float | None = None
    tolerance: float | None = None
    median_ms: float | None = None
    best_ms: float | None = None
    repeats: int | None = None
    same_lds_ms: float | None = None

    @property
    def predicted_extra(self) -> int:
        """Predicted conflicts."""
        return self.predicted_read_extra + self.predicted_write_extra

    @property
    def predicted(self) -> tuple[int, ...]:
        """Read passes and conflicts, write passes and conflicts."""
        return self._four("predicted")

    @property
    def measured_extra(self) -> int | None:
        """Counted conflicts, the fewest of the ways to count.

        Whatever else uses shared memory's data path can add to a counter, nothing can take away.
        """
        found = [
            self._four(way)[1] + self._four(way)[3]
            for way in ("measured", "alone")
            if getattr(self, f"{way}_read_passes") is not None
        ]
        if self.attributed_read_passes is not None and self.attributed_write_passes is not None:
            passes = self.attributed_read_passes + self.attributed_write_passes
            ideal = self.predicted[0] + self.predicted[2] - self.predicted_extra
            found.append(passes - ideal)
        return min(found) if found else None

    @property
    def exact_as_launched(self) -> bool | None:
        """Whether all four counters of the launch are the predicted numbers; None: not counted."""
        counted = self.measured_read_passes is not None
        return self._four("measured") == self.predicted if counted else None

    @property
    def exact_alone(self) -> bool | None:
        """The same with one workgroup on an SM at a time."""
        counted = self.alone_read_passes is not None
        return self._four("alone") == self.predicted if counted else None

    @property
    def exact_attributed(self) -> bool | None:
        """Whether the passes attributed to instructions are the predicted ones."""
        if self.attributed_read_passes is None:
            return None
        found = (self.attributed_read_passes, self.attributed_write_passes)
        return found == (self.predicted_read_passes, self.predicted_write_passes)

    @property
    def agrees(self) -> bool | None:
        """Whether some way to count gives the prediction exactly, and none gives less."""
        ways = (self.exact_as_launched, self.exact_alone, self.exact_attributed)
        if set(ways) == {None}:
            return None
        below = any(
            found < wanted
            for way in ("measured", "alone")
            if getattr(self, f"{way}_read_passes") is not None
            for found, wanted in zip(self._four(way), self.predicted, strict=True)
        )
        return True in ways and not below

    def _four(self, way: str) -> tuple[int, ...]:
        names = ("read_passes", "read_extra", "write_passes", "write_extra")
        return tuple(getattr(self, f"{way}_{name}") for name in names)

    @property
    def correct(self) -> bool | None:
        """Whether the result is within the tolerance; a NaN is not."""
        if self.max_error is None or self.tolerance is None:
            return None
        return self.max_error <= self.tolerance


def bench_csv(rows: Sequence[BenchRow]) -> str:
    """The rows as CSV; empty where a number was not taken."""
    out = io.StringIO()
    writer = csv.DictWriter(out, BenchRow.__struct_fields__, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({k: "" if v is None else v for k, v in structs.asdict(row).items()})
    return out.getvalue()


def bench_rows(text: str, file: str) -> tuple[BenchRow, ...]:
    """Read what :func:`bench_csv` wrote; InputError, with the line, for anything else."""
    reader = csv.DictReader(io.StringIO(text))
    kinds = BenchRow.__annotations__
    if list(reader.fieldnames or ()) != list(kinds):
        raise InputError("not a bench's table: other columns", location=Location(file, 1))
    rows = []
    for row in reader:
        try:
            rows.append(BenchRow(**{name: _value(kinds[name], row[name]) for name in kinds}))
        except (TypeError, ValueError, AttributeError) as error:
            place = Location(file, reader.line_num)
            raise InputError(f"cannot read this row: {error}", location=place) from error
    return tuple(rows)


def _value(kind: str, text: str) -> Any:
    if "None" in kind and not text:
        return None
    return int(text) if "int" in kind else float(text) if "float" in kind else text
