"""What came of each case, in one SQLite file: written when a case ends, never lost after.

Every case is a transaction of its own. What is killed leaves the cases that had ended; the next run
computes the others. A case that failed is a row like any other, with its error.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar

from msgspec import Struct

from bankwise.errors import InputError, Location
from bankwise.files import check_writable

Row = dict[str, Any]
"""Result columns by name: numbers, texts, None."""

_ALWAYS = "status, seconds, error, result"


class Stored(Protocol):
    """A case as the store knows it. ``key``: what identifies it and decides its result;
    ``columns``: what a person selects by, equally named for all cases of a store."""

    @property
    def key(self) -> str:
        """Of the case."""

    @property
    def columns(self) -> Mapping[str, str]:
        """By name, in order."""


C = TypeVar("C")
S = TypeVar("S", bound=Stored)


class CaseResult(Struct, Generic[C], frozen=True):
    """What came of one case. ``error`` is empty exactly where ``status`` is "done"."""

    case: C
    status: Literal["done", "failed"]
    seconds: float
    row: Any
    error: str = ""


@contextmanager
def open_store(path: Path, columns: Sequence[str], verb: str) -> Iterator[sqlite3.Connection]:
    """The store in ``path``, made if it is not there, of cases with these ``columns``.
    :class:`InputError` if it is none of ``verb``."""
    check_writable(path)
    declared = "".join(f"{name} TEXT NOT NULL, " for name in columns)
    schema = (
        f"CREATE TABLE IF NOT EXISTS cases (key TEXT PRIMARY KEY, {declared}"
        "status TEXT NOT NULL CHECK (status IN ('done', 'failed')), "
        "seconds REAL NOT NULL, error TEXT NOT NULL, result TEXT NOT NULL)"
    )
    try:
        store = sqlite3.connect(path, isolation_level=None)
        store.execute(schema)
        store.execute(f"SELECT {', '.join(('key', *columns))}, {_ALWAYS} FROM cases LIMIT 0")
    except sqlite3.Error as error:
        message = f"cannot be used as a store: {error}"
        hint = f"a file that `bankwise {verb}` made, or a new one"
        raise InputError(message, location=Location(str(path)), hint=hint) from error
    try:
        yield store
    finally:
        store.close()


def record(store: sqlite3.Connection, outcome: CaseResult[S]) -> None:
    """Write one outcome; it is on disk when this returns."""
    columns = outcome.case.columns
    values = (
        *(outcome.case.key, *columns.values()),
        *(outcome.status, outcome.seconds, outcome.error, json.dumps(outcome.row)),
    )
    names = f"{', '.join(('key', *columns))}, {_ALWAYS}"
    places = ", ".join("?" * len(values))
    store.execute(f"INSERT OR REPLACE INTO cases ({names}) VALUES ({places})", values)


def missing(
    store: sqlite3.Connection, cases: Sequence[S], *, retry_failed: bool = False
) -> list[S]:
    """The cases that have not ended yet; with ``retry_failed`` also those that failed."""
    ended = "'done'" if retry_failed else "'done', 'failed'"
    query = f"SELECT key FROM cases WHERE status IN ({ended})"
    known = {key for (key,) in store.execute(query)}
    return [case for case in cases if case.key not in known]


def outcomes(store: sqlite3.Connection, cases: Sequence[S]) -> list[CaseResult[S]]:
    """What is known of ``cases``, in their order; cases that have not ended are left out."""
    found = (outcome_of(store, case) for case in cases)
    return [outcome for outcome in found if outcome is not None]


def outcome_of(store: sqlite3.Connection, case: S) -> CaseResult[S] | None:
    """What is known of one case; None if it has not ended."""
    query = f"SELECT {_ALWAYS} FROM cases WHERE key = ?"
    found = store.execute(query, (case.key,)).fetchone()
    if found is None:
        return None
    status, seconds, error, row = found
    return CaseResult(case, status, seconds, json.loads(row), error)
