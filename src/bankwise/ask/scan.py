"""``bankwise scan``: every kernel of files and folders, answered once, kept as soon as it is."""

from __future__ import annotations

import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.ask.scan_case import COLUMNS, ScanCase, answer, launches_said
from bankwise.ask.scan_open import ScanFile, check_paths, files_of, open_file
from bankwise.errors import InputError, Location, Refusal
from bankwise.read.options import Options
from bankwise.read.recognise import suffixes
from bankwise.show.scanning import (
    OpenReason,
    ScannedKernel,
    ScanReport,
    kernel_of_row,
    ranked,
    summaries,
)
from bankwise.sweep.engine import run, sigterm_interrupts
from bankwise.sweep.store import CaseResult, open_store, outcome_of, record

Progress = Callable[[int, int], None]

_FEW = 4
"""Files that are opened in this process: others would take longer to begin."""
_CHUNK = 4
"""Kernels that travel together: most take some hundredths of a second."""


class ScanLimits(Struct, frozen=True):
    """How a scan is run. ``seconds``: of the wall clock, 0 for no end; ``engine``: see
    :func:`bankwise.sweep.engine.run`; ``workers``: processes, 1 for this one, 0 for one per core;
    ``retry_failed``: try again what failed."""

    seconds: float = 0.0
    engine: str = "local"
    workers: int = 0
    retry_failed: bool = False


class ScanState(Struct):
    """What a run of a scan has met so far. ``places``: of a case, everywhere that it stands;
    ``ended``: what came of it. ``why``: why the run was ended early, "" if it was not."""

    files: int = 0
    places: dict[str, list[ScanCase]] = field(default_factory=dict)
    ended: dict[str, CaseResult[ScanCase]] = field(default_factory=dict)
    broken: list[Refusal] = field(default_factory=list)
    resumed: int = 0
    why: str = ""


def scan(
    paths: Sequence[Path],
    options: Options,
    *,
    store_file: Path | None = None,
    limits: ScanLimits | None = None,
    least_extra: int = 0,
    progress: Progress | None = None,
) -> ScanReport:
    """Answer every kernel of ``paths`` that ``store_file`` does not have yet, and report all.

    ``store_file``: None keeps nothing. ``least_extra``: leaves kernels out of the report that
    surely waste fewer passes. ``progress`` is called with (ended, found so far) kernels. Safe to
    kill, and to interrupt: run it again to go on. Raises :class:`InputError` for a path that is not
    there, if there is no file to read or none could be, and if none has a kernel that was asked
    for.
    """
    seen = gather(paths, options, answer, store_file, limits, progress)
    kept = str(store_file) if store_file else ""
    report = _report(tuple(map(str, paths)), kept, seen, least_extra)
    if report.nothing_read:
        raise unreadable(report.broken)
    if not (seen.files or seen.why):
        hint = f"`scan` reads {' '.join(suffixes('scan'))}"
        place = Location(", ".join(report.paths))
        raise InputError("no file that may hold a kernel", location=place, hint=hint)
    if options.kernel and seen.files and not (seen.places or seen.broken or seen.why):
        message = f"no kernel {options.kernel!r} in {seen.files} files"
        place, hint = Location(report.paths[0]), "without --kernel all that are there are listed"
        raise InputError(message, location=place, hint=hint)
    return report


def gather(
    paths: Sequence[Path],
    options: Options,
    work: Callable[[ScanCase], list[dict[str, Any]]],
    store_file: Path | None = None,
    limits: ScanLimits | None = None,
    progress: Progress | None = None,
    only: str = "",
) -> ScanState:
    """What ``work`` makes of every kernel of ``paths``, each once, or of those for ``only`` one
    GPU. Other arguments as of :func:`scan`; a store is of one ``work``."""
    check_paths(paths)
    launches_said(options)  # what cannot be read of them is told before the work
    seen = ScanState()
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        path = store_file or Path(folder) / "scan.sqlite"
        with open_store(path, COLUMNS, "scan") as store:
            files = files_of(paths, options)
            bounds = limits or ScanLimits()
            until = time.monotonic() + bounds.seconds if bounds.seconds else float("inf")
            cases = _cases(files, store, seen, bounds, only, until)
            with sigterm_interrupts():
                seen.why = _run(cases, work, store, seen, bounds, progress, until)
    return seen


def _run(
    cases: Generator[ScanCase, None, None],
    work: Callable[[ScanCase], list[dict[str, Any]]],
    store: Connection,
    seen: ScanState,
    limits: ScanLimits,
    progress: Progress | None,
    until: float,
) -> str:
    """Answer what is missing; why that was ended early, "" if it was not."""
    alone = limits.engine == "local" and limits.workers == 1
    engine = "here" if alone else limits.engine
    many = limits.workers
    results = run(cases, work, engine=engine, workers=many, chunk=_CHUNK, until=until)
    try:
        with closing(cases), closing(results):
            for outcome in results:
                record(store, outcome)
                seen.ended[outcome.case.key] = replace(outcome, case=_light(outcome.case))
                if progress is not None:
                    progress(len(seen.ended), len(seen.places))
                if time.monotonic() > until:
                    break
    except KeyboardInterrupt:
        return "interrupted"
    return f"--time {limits.seconds:g} is over" if time.monotonic() > until else ""


def _cases(
    files: Iterator[ScanFile],
    store: Connection,
    seen: ScanState,
    limits: ScanLimits,
    only: str,
    until: float,
) -> Generator[ScanCase, None, None]:
    """The cases that nobody has answered, as files are opened, each once."""
    some = list(files)
    engine = "here" if limits.workers == 1 or len(some) <= _FEW else "local"
    many = limits.workers
    with closing(run(some, open_file, engine=engine, workers=many, until=until)) as opened:
        for one in _in_order(opened):
            seen.files += 1
            if one.error:
                seen.broken.append(_refusal(one))
                continue
            for case in (case for case in one.row if only in ("", case.target)):
                places = seen.places.setdefault(case.key, [])
                places.append(_light(case))
                known = None if len(places) > 1 else outcome_of(store, case)
                if known is not None and not (limits.retry_failed and known.error):
                    seen.ended[case.key] = replace(known, case=places[0])
                    seen.resumed += 1
                elif len(places) == 1:
                    yield case


def _in_order(opened: Iterator[CaseResult[ScanFile]]) -> Iterator[CaseResult[ScanFile]]:
    """As the files were named: which of two copies is answered must not be chance."""
    early: dict[int, CaseResult[ScanFile]] = {}
    wanted = 0
    for one in opened:
        early[one.case.number] = one
        while wanted in early:
            yield early.pop(wanted)
            wanted += 1


def _light(case: ScanCase) -> ScanCase:
    """Without its code, which nobody needs any more."""
    return replace(case, content=b"")


def _refusal(failed: CaseResult[ScanFile]) -> Refusal:
    return _broken(failed.error, Location(str(failed.case.stages[0])))


def _broken(error: str, place: Location) -> Refusal:
    """What is not read, at the line and column that the error names in this file."""
    at = re.match(rf"{re.escape(place.file)}:(\d+)(?::(\d+))?(?=: )", error)
    if at is not None:
        line, column = int(at[1]), int(at[2] or 0)
        error = f"{place.file}{error[at.end() :]}"
        place = replace(place, line=line, column=column)
    return Refusal(_told(error, place.file), place)


def _told(error: str, file: str) -> str:
    """An error in one line, without the file, which stands before it."""
    message, _, hint = error.removeprefix(f"{file}: ").partition("\n  hint: ")
    return f"{message} ({hint})" if hint else message


def unreadable(broken: Sequence[Refusal]) -> InputError:
    """What to say if nothing could be read."""
    more = f"; and {len(broken) - 1} more are not read" if len(broken) > 1 else ""
    return InputError(f"{broken[0].reason}{more}", location=broken[0].location)


def _report(paths: tuple[str, ...], store: str, seen: ScanState, least_extra: int) -> ScanReport:
    kernels: list[ScannedKernel] = []
    broken = list(seen.broken)
    without: Counter[str] = Counter()
    copies = 0
    for key, places in seen.places.items():
        result = seen.ended.get(key)
        if result is None:
            continue
        if result.error and not places[0].kernel:
            broken += [_broken(result.error, c.place) for c in places]
        elif result.error:
            kernels.append(_failed(places, result.error))
        else:
            kernels += [_placed(row, places) for row in result.row]
            if not result.row:
                without[places[0].target] += 1
                copies += len(places) - 1
    shown = [k for k in kernels if k.extra.high is None or k.extra.high >= least_extra]
    return ScanReport(
        paths=paths,
        store=store,
        kernels=ranked(shown),
        without=without.total() + copies,
        files=seen.files,
        broken=tuple(broken),
        unfinished=seen.why,
        waiting=len(seen.places) - len(seen.ended),
        resumed=seen.resumed,
        hidden=len(kernels) - len(shown),
        summary=summaries(kernels, without),
    )


def _placed(row: dict[str, object], places: Sequence[ScanCase]) -> ScannedKernel:
    """A kernel as it was answered once, under the name that it has here."""
    first = places[0]
    name = first.kernel or str(row["name"])
    copies = tuple(f"{one.file}: {one.kernel or name}" for one in places[1:])
    here = row["source"] or row["file"] == first.file
    line = row["line"] if here else 0
    place = {"file": first.file, "member": first.member, "line": line}
    return kernel_of_row(row, name=name, copies=copies, **place)


def _failed(places: Sequence[ScanCase], error: str) -> ScannedKernel:
    """A kernel of which nothing is known but that it is there."""
    first = places[0]
    reason = _told(error, first.file)
    return ScannedKernel(
        *(first.kernel, first.file, first.target, None, 0, 1, 0, 0, 0, 0, 0, None, 0, "none"),
        reasons=(OpenReason(reason, 1),),
        copies=tuple(f"{one.file}: {one.kernel}" for one in places[1:]),
        member=first.member,
    )
