"""Running the cases: a pool of processes here, or an existing Dask cluster.

Both hand out outcomes in the order in which they end. A case that raises is a failed outcome with
its error; so is a case that ends its worker process (a native crash, or the memory). The others go
on. ``dask://HOST:PORT`` is the address of a ``dask scheduler`` whose workers have bankwise
installed; a worker that dies is the cluster's business: its cases run again on another one.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait

from bankwise.errors import InputError, Location
from bankwise.sweep.spec import Case
from bankwise.sweep.store import CaseResult, Row

Work = Callable[[Case], Row]
"""Computes the row of a case. Importable by name, so that another process can call it."""

DASK = "dask://"
_DASK_PORT = 8786
_CONNECT_S = 10


def run(
    cases: Sequence[Case], work: Work, *, engine: str = "local", workers: int = 0
) -> Iterator[CaseResult]:
    """The outcomes of ``cases`` as they end.

    ``engine``: ``local`` or ``dask://HOST[:PORT]``; ``workers``: local processes, 0 for one per
    core. Raises :class:`InputError` for an unknown engine or a cluster that cannot be reached.
    """
    if engine == "local":
        return _local(cases, work, workers or os.cpu_count() or 1)
    if engine.startswith(DASK):
        return _dask(cases, work, engine)
    raise InputError(f"unknown engine {engine!r}", hint=f"local, or {DASK}HOST:{_DASK_PORT}")


def timed(work: Work, case: Case) -> tuple[Row, float]:
    """The row and the seconds it took. Runs in the worker."""
    start = time.perf_counter()
    row = work(case)
    return row, time.perf_counter() - start


def _local(cases: Sequence[Case], work: Work, workers: int) -> Iterator[CaseResult]:
    """A pool; what a broken pool leaves undone runs again, one case and one process at a time."""
    left = dict.fromkeys(cases)
    with _pool(min(workers, max(len(cases), 1))) as pool:
        try:
            for future, case in _submitted(pool, work, cases):
                error = future.exception()
                if isinstance(error, BrokenProcessPool):
                    break
                yield _outcome(case, future, error)
                del left[case]
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    for case in left:
        yield _alone(case, work)


def _submitted(
    pool: ProcessPoolExecutor, work: Work, cases: Sequence[Case]
) -> Iterator[tuple[Future[tuple[Row, float]], Case]]:
    futures = {pool.submit(timed, work, case): case for case in cases}
    for future in as_completed(futures):
        yield future, futures[future]


def _alone(case: Case, work: Work) -> CaseResult:
    """The outcome of a case in a process of its own: if it dies, this case killed it."""
    with _pool(1) as pool:
        future = pool.submit(timed, work, case)
        return _outcome(case, future, future.exception())


def _outcome(
    case: Case, future: Future[tuple[Row, float]], error: BaseException | None
) -> CaseResult:
    if error is None:
        row, seconds = future.result()
        return CaseResult(case, "done", seconds, row)
    return CaseResult(case, "failed", 0.0, {}, error_text(error))


def error_text(error: BaseException) -> str:
    """An error in one piece: what it says, with its kind where it is no :class:`InputError`."""
    if isinstance(error, BrokenProcessPool):
        return "its worker process died (a crash of native code, or out of memory)"
    if isinstance(error, InputError):
        return str(error)
    return f"{type(error).__name__}: {error}"


def _pool(workers: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_end_with_parent)


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for work for ever; it ends instead."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _dask(cases: Sequence[Case], work: Work, engine: str) -> Iterator[CaseResult]:
    try:
        from distributed import Client
        from distributed import as_completed as completed
    except ModuleNotFoundError as error:
        message = "sweeping on a cluster needs Dask"
        raise InputError(message, hint="pip install 'bankwise[dask]'") from error
    address = _address(engine)
    try:
        client = Client(address, timeout=_CONNECT_S)
    except (OSError, ValueError) as error:
        message = f"no Dask scheduler answers: {error}"
        raise InputError(message, location=Location(engine)) from error
    with client:
        futures = {client.submit(timed, work, case, pure=False): case for case in cases}
        for future in completed(list(futures)):
            if future.cancelled():
                message = "the cluster dropped a case: its scheduler ended"
                raise InputError(
                    message, location=Location(engine), hint="run the same command to resume"
                )
            yield _outcome(futures[future], future, future.exception())


def _address(engine: str) -> str:
    host = engine.removeprefix(DASK).rstrip("/")
    if not host:
        raise InputError(f"{engine!r} names no host", hint=f"{DASK}HOST:{_DASK_PORT}")
    return f"tcp://{host}" if ":" in host else f"tcp://{host}:{_DASK_PORT}"
