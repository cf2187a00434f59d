"""``bankwise sweep``: read the spec, run what is missing, hand out what is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from bankwise.ask.sweep_case import MITIGATIONS, run_case
from bankwise.errors import InputError, Location
from bankwise.files import write_atomically
from bankwise.read.recognise import require
from bankwise.show.sweeping import SweepReport
from bankwise.sweep.engine import run
from bankwise.sweep.plot import SUFFIXES, plot
from bankwise.sweep.spec import COLUMNS, Case, read_spec
from bankwise.sweep.store import Row, missing, open_store, outcomes, record
from bankwise.sweep.table import csv_text, rows, write_parquet

Progress = Callable[[int, int], None]


def sweep(
    spec_file: Path,
    *,
    store_file: Path | None = None,
    engine: str = "local",
    workers: int = 0,
    retry_failed: bool = False,
    progress: Progress | None = None,
    work: Callable[[Case], Row] = run_case,
) -> SweepReport:
    """Run the cases of ``spec_file`` that ``store_file`` does not have yet, and report all.

    ``store_file``: by default beside the spec, ending in ``.sqlite``. ``progress`` is called with
    (ended, all) cases. Safe to kill: run it again to go on.
    """
    require(spec_file, "sweep")
    spec = read_spec(spec_file, MITIGATIONS)
    path = store_file or spec_file.with_suffix(".sqlite")
    with open_store(path, COLUMNS, "sweep") as store:
        todo = missing(store, spec.cases, retry_failed=retry_failed)
        known = len(spec.cases) - len(todo)
        for number, outcome in enumerate(run(todo, work, engine=engine, workers=workers), 1):
            record(store, outcome)
            if progress is not None:
                progress(known + number, len(spec.cases))
        found = tuple(outcomes(store, spec.cases))
    return SweepReport(spec.name, str(path), found, resumed=known)


def check_outputs(paths: Sequence[Path]) -> None:
    """Say before the work, not after it, that a file cannot be written as its suffix wants."""
    for path in paths:
        if path.suffix not in (".csv", ".parquet", *SUFFIXES):
            known = ", ".join((".csv", ".parquet", *SUFFIXES))
            message = f"{path.suffix!r} is no kind of table or plot"
            raise InputError(message, location=Location(str(path)), hint=known)
        if not path.parent.is_dir():
            raise InputError("its folder does not exist", location=Location(str(path)))


def export(report: SweepReport, path: Path) -> None:
    """Write the report to ``path``; its suffix says how: CSV, Parquet, PNG, SVG or PDF.

    Raises :class:`bankwise.errors.InputError` for another suffix or an unwritable path.
    """
    if path.suffix == ".csv":
        write_atomically(path, csv_text(rows(report.outcomes)))
    elif path.suffix == ".parquet":
        write_parquet(rows(report.outcomes), path)
    else:
        plot(report.outcomes, path, report.name)
