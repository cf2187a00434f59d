"""What came of each case, in one SQLite file: written when a case ends, never lost after.

Every case is a transaction of its own. A sweep that is killed leaves the cases that had ended; the
next run computes the others. A case that failed is a row like any other, with its error.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bankwise.errors import InputError, Location
from bankwise.files import check_writable
from bankwise.sweep.spec import Case

Row = dict[str, Any]
"""Result columns by name: numbers, texts, None."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS cases (
  key TEXT PRIMARY KEY, kernel TEXT NOT NULL, shape TEXT NOT NULL, type TEXT NOT NULL,
  target TEXT NOT NULL, mitigation TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('done', 'failed')),
  seconds REAL NOT NULL, error TEXT NOT NULL, result TEXT NOT NULL
)"""


_COLUMNS = "key, kernel, shape, type, target, mitigation, status, seconds, error, result"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What came of one case. ``error`` is empty exactly where ``status`` is "done"."""

    case: Case
    status: Literal["done", "failed"]
    seconds: float
    row: Row
    error: str = ""


@contextmanager
def open_store(path: Path) -> Iterator[sqlite3.Connection]:
    """The store in ``path``, made if it is not there. :class:`InputError` if it is none."""
    check_writable(path)
    try:
        store = sqlite3.connect(path, isolation_level=None)
        store.execute(_SCHEMA)
        store.execute(f"SELECT {_COLUMNS} FROM cases LIMIT 0")
    except sqlite3.Error as error:
        message = f"cannot be used as a store: {error}"
        hint = "a file that `bankwise sweep` made, or a new one"
        raise InputError(message, location=Location(str(path)), hint=hint) from error
    try:
        yield store
    finally:
        store.close()


def record(store: sqlite3.Connection, outcome: CaseResult) -> None:
    """Write one outcome; it is on disk when this returns."""
    case = outcome.case
    store.execute(
        f"INSERT OR REPLACE INTO cases ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            case.key,
            case.kernel,
            json.dumps(dict(case.shape)),
            case.type,
            case.target,
            case.mitigation,
            outcome.status,
            outcome.seconds,
            outcome.error,
            json.dumps(outcome.row),
        ),
    )


def missing(
    store: sqlite3.Connection, cases: Sequence[Case], *, retry_failed: bool = False
) -> list[Case]:
    """The cases that have not ended yet; with ``retry_failed`` also those that failed."""
    ended = "'done'" if retry_failed else "'done', 'failed'"
    query = f"SELECT key FROM cases WHERE status IN ({ended})"
    known = {key for (key,) in store.execute(query)}
    return [case for case in cases if case.key not in known]


def outcomes(store: sqlite3.Connection, cases: Sequence[Case]) -> list[CaseResult]:
    """What is known of ``cases``, in their order; cases that have not ended are left out."""
    found = {
        key: (status, seconds, error, json.loads(result))
        for key, status, seconds, error, result in store.execute(
            "SELECT key, status, seconds, error, result FROM cases"
        )
    }
    return [
        CaseResult(case, status, seconds, row, error)
        for case in cases
        if (known := found.get(case.key))
        for status, seconds, error, row in [known]
    ]
