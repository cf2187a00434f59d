"""Outcomes as a table: rows of plain columns, CSV, Parquet, and numbers of many rows."""

from __future__ import annotations

import csv
import io
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bankwise.errors import InputError
from bankwise.files import write_atomically
from bankwise.sweep.spec import Case
from bankwise.sweep.store import CaseResult, Row

FIRST = ("kernel", "shape", "type", "target", "mitigation", "status", "error")
"""Columns of every table, before those of the results. Seconds are left out: they are no result,
and would make two tables of the same sweep differ."""


@dataclass(frozen=True, slots=True)
class Summary:
    """All cases of one kernel, type, target and mitigation.

    ``conflict_free`` of ``done`` cases have a counter of 0; the medians are over the done ones,
    None where there are none.
    """

    kernel: str
    type: str
    target: str
    mitigation: str
    done: int
    failed: int
    conflict_free: int
    extra: float | None
    lds_bytes: float | None
    waves: float | None
    instructions: float | None


def rows(outcomes: Iterable[CaseResult[Case]]) -> list[Row]:
    """One flat row per outcome, all with the same columns."""
    found = [_row(outcome) for outcome in outcomes]
    columns = dict.fromkeys(name for row in found for name in row)
    return [{name: row.get(name) for name in columns} for row in found]


def csv_text(table: Sequence[Row]) -> str:
    """The table as CSV, with a header."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(table[0]) if table else list(FIRST), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return out.getvalue()


def write_parquet(table: Sequence[Row], path: Path) -> None:
    """The table as Parquet; :class:`InputError` if pyarrow is missing or the path unwritable."""
    try:
        import pyarrow
        import pyarrow.parquet as parquet
    except ModuleNotFoundError as error:
        raise InputError("Parquet needs pyarrow", hint="pip install 'bankwise[sweep]'") from error
    content = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(list(table)), content)
    write_atomically(path, content.getvalue())


def summaries(outcomes: Sequence[CaseResult[Case]]) -> list[Summary]:
    """One :class:`Summary` per kernel, type, target and mitigation, in order of appearance."""
    groups: dict[tuple[str, str, str, str], list[CaseResult[Case]]] = {}
    for o in outcomes:
        key = (o.case.kernel, o.case.type, o.case.target, o.case.mitigation)
        groups.setdefault(key, []).append(o)
    return [_summary(key, group) for key, group in groups.items()]


def saved(
    outcomes: Sequence[CaseResult[Case]], column: str, *, by: str, against: str, kind: str
) -> list[float]:
    """For each shape of type ``kind``: 1 - ``by`` / ``against`` of a column, of two mitigations.

    Shapes for which either is unknown are left out.
    """
    values: dict[tuple[Any, ...], dict[str, float]] = {}
    for o in outcomes:
        if o.case.type == kind and o.row.get(column) is not None:
            key = (o.case.kernel, o.case.shape, o.case.target)
            values.setdefault(key, {})[o.case.mitigation] = o.row[column]
    pairs = [(v[by], v[against]) for v in values.values() if by in v and against in v]
    return [1 - new / old for new, old in pairs if old]


def _row(outcome: CaseResult[Case]) -> Row:
    case = outcome.case
    first = (case.kernel, case.size, case.type, case.target, case.mitigation)
    head: Row = dict(zip(FIRST, (*first, outcome.status, outcome.error), strict=True))
    found: Row = head | dict(case.shape) | outcome.row
    return found


def _summary(key: tuple[str, str, str, str], group: Sequence[CaseResult[Case]]) -> Summary:
    done = [o.row for o in group if o.status == "done"]
    return Summary(
        *key,
        done=len(done),
        failed=len(group) - len(done),
        conflict_free=sum(row.get("extra_launch") == 0 for row in done),
        extra=_median(done, "extra_launch"),
        lds_bytes=_median(done, "lds_bytes"),
        waves=_median(done, "resident_waves"),
        instructions=_median(done, "lds_instructions"),
    )


def _median(group: Sequence[Row], column: str) -> float | None:
    values = [row[column] for row in group if row.get(column) is not None]
    return statistics.median(values) if values else None
