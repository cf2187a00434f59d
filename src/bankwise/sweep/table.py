"""Outcomes as a table: rows of plain columns, CSV, Parquet, and numbers of many rows.

A case of a kernel is a row; a case of a tile has one for each layout that was tried. Every row is
compared with the framework's default for the same shape, ``passes_to_default`` and so on.
"""

from __future__ import annotations

import csv
import io
import statistics
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from bankwise.errors import InputError
from bankwise.files import write_atomically
from bankwise.read.extra import install
from bankwise.sweep.one_layout import entry
from bankwise.sweep.spec import DEFAULT, Case
from bankwise.sweep.store import CaseResult, Row

FIRST = ("kernel", "shape", "type", "target", "mitigation", "status", "error")
"""Columns of every table, before those of the results. Seconds are left out: they are no result,
and would make two tables of the same sweep differ."""

COMPARED = {
    "passes_to_default": ("passes_launch", "passes"),
    "cycles_to_default": ("cycles_launch", "cycles"),
    "lds_to_default": ("lds_bytes",),
    "waves_to_default": ("resident_waves",),
}
"""Ratios to the framework's default, with the columns (of kernels, of tiles) that they are of."""
_TIME = ("passes_to_default", "cycles_to_default")
_SAME = ("kernel", "shape", "type", "target")


class Summary(Struct, frozen=True):
    """All cases of one kernel, type, target and mitigation.

    ``conflict_free`` of ``done`` cases have a counter of 0; the medians are over the done ones,
    None where there are none; ``passes_to_default``, ``cycles_to_default`` those of the ratios to
    the framework's default of the same shape; ``worse``: cases that take more
    passes or cycles than that.
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
    passes_to_default: float | None
    cycles_to_default: float | None
    worse: int


def rows(outcomes: Iterable[CaseResult[Case]]) -> list[Row]:
    """A flat row per kernel and mitigation, per tile and layout, all with the same columns."""
    found = [row for outcome in outcomes for row in _rows(outcome)]
    defaults = {_same(row): row for row in found if row.pop("is_default", False)}
    found = [row | _compared(row, defaults.get(_same(row), {})) for row in found]
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
        raise InputError("Parquet needs pyarrow", hint=install("sweep")) from error
    content = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(list(table)), content)
    write_atomically(path, content.getvalue())


def summaries(outcomes: Sequence[CaseResult[Case]]) -> list[Summary]:
    """One :class:`Summary` per kernel, type, target and mitigation, in order of appearance."""
    groups: dict[tuple[str, str, str, str], list[Row]] = {}
    for row in rows(o for o in outcomes if not o.case.is_tile):
        key = (row["kernel"], row["type"], row["target"], row["mitigation"])
        groups.setdefault(key, []).append(row)
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


def _rows(outcome: CaseResult[Case]) -> Iterator[Row]:
    case, found = outcome.case, outcome.row
    if not case.is_tile or outcome.status == "failed":
        yield _head(outcome) | found | {"is_default": case.mitigation == DEFAULT}
        return
    known = {name: entry(found, name) or {} for name in found["layouts"]}
    own = {k: v for k, v in found["own"].items() if k not in ("name", "proved")}
    best = found["own"]["price"]
    for name, each in {**known, "own": {**own, "layout": found["own"]["name"]}}.items():
        row = _head(outcome) | {"mitigation": name, "layout": name} | each
        ratio = {} if "refused" in each else {"price_to_best": each["price"] / best}
        yield row | ratio | {"is_default": name == found["default"]}


def _head(outcome: CaseResult[Case]) -> Row:
    case = outcome.case
    first = (case.kernel, case.size, case.type, case.target, case.mitigation)
    head: Row = dict(zip(FIRST, (*first, outcome.status, outcome.error), strict=True))
    return head | dict(case.shape)


def _same(row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in _SAME)


def _compared(row: Row, default: Row) -> Row:
    """The ratios to the default, None where either is unknown or the default is 0; and whether it
    takes more passes or cycles."""
    found: Row = {"worse_than_default": False}
    for name, columns in COMPARED.items():
        mine, theirs = (next((r[c] for c in columns if c in r), None) for r in (row, default))
        found[name] = 1.0 if mine == theirs == 0 else None
        if mine is not None and theirs is not None:
            found[name] = mine / theirs if theirs else found[name]
            found["worse_than_default"] |= name in _TIME and mine > theirs
    return found


def _summary(key: tuple[str, str, str, str], group: Sequence[Row]) -> Summary:
    done = [row for row in group if row["status"] == "done"]
    return Summary(
        *key,
        done=len(done),
        failed=len(group) - len(done),
        conflict_free=sum(row.get("extra_launch") == 0 for row in done),
        extra=_median(done, "extra_launch"),
        lds_bytes=_median(done, "lds_bytes"),
        waves=_median(done, "resident_waves"),
        instructions=_median(done, "lds_instructions"),
        passes_to_default=_median(done, "passes_to_default"),
        cycles_to_default=_median(done, "cycles_to_default"),
        worse=sum(row["worse_than_default"] for row in done),
    )


def _median(group: Sequence[Row], column: str) -> float | None:
    values = [row[column] for row in group if row.get(column) is not None]
    return statistics.median(values) if values else None
