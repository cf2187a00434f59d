"""Running many cases: a pool of processes here, or an existing Dask cluster.

Both take cases as they come, from a list or from whoever is still finding them, and hand out what
came of each in the order in which they end. A case that raises has failed, with its error; so has a
case that ends its worker process (a native crash, or the memory). The others go on.
``dask://HOST:PORT`` is the address of a ``dask scheduler`` whose workers have bankwise installed; a
worker that dies is the cluster's business: its cases run again on another one.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from math import inf
from multiprocessing.connection import wait
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any, TypeVar

from bankwise.errors import InputError, Location
from bankwise.read.extra import install
from bankwise.sweep.store import CaseResult

C = TypeVar("C")
Tried = tuple[Any, float, str]
"""What the work returned, {} where it failed; its seconds; its error, "" where it has none."""

DASK = "dask://"
_DASK_PORT = 8786
_CONNECT_S = 10
_LEAST_THREADS = 8
"""Of a cluster: more workers may join."""
_AHEAD = 4
"""Chunks that are handed out for each process: none waits for work, few wait in memory."""


def run(
    cases: Iterable[C],
    work: Callable[[C], Any],
    *,
    engine: str = "local",
    workers: int = 0,
    chunk: int = 1,
    until: float = inf,
) -> Generator[CaseResult[C], None, None]:
    """What comes of ``cases``, as they end.

    ``work``: importable by name, so that another process can call it. ``engine``: ``local``,
    ``dask://HOST[:PORT]``, or ``here``: this process, which a case can then end. ``workers``: local
    processes, 0 for one per core; ``chunk``: cases that travel together, where one takes little
    longer than its way; ``until``: the ``time.monotonic()`` at which local processes are ended,
    whatever they are at. Raises :class:`InputError` for an unknown engine or a cluster that cannot
    be reached.
    """
    if engine == "local":
        return _local(_chunks(iter(cases), chunk), work, workers or os.cpu_count() or 1, until)
    if engine == "here":
        return (_result(case, tried) for case in cases for tried in attempt(work, (case,)))
    if engine.startswith(DASK):
        return _dask(_chunks(iter(cases), chunk), work, engine)
    raise InputError(f"unknown engine {engine!r}", hint=f"local, or {DASK}HOST:{_DASK_PORT}")


def _chunks(cases: Iterator[C], size: int) -> Iterator[tuple[C, ...]]:
    while part := tuple(islice(cases, size)):
        yield part


@contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """SIGTERM is Ctrl-C here, so that what was found until then can be told. In the main thread,
    which alone has signals; elsewhere nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def attempt(work: Callable[[C], Any], cases: tuple[C, ...]) -> list[Tried]:
    """What comes of each case. Runs in the worker."""
    found: list[Tried] = []
    for case in cases:
        start = time.perf_counter()
        try:
            found.append((work(case), time.perf_counter() - start, ""))
        except Exception as error:
            found.append(({}, time.perf_counter() - start, error_text(error)))
    return found


def _local(
    parts: Iterator[tuple[C, ...]], work: Callable[[C], Any], workers: int, until: float
) -> Generator[CaseResult[C], None, None]:
    """A pool; what a broken pool leaves undone runs again, one case and one process at a time."""
    waiting: dict[Future[Any], tuple[C, ...]] = {}
    left: list[C] = []
    pool = _pool(workers)
    try:
        while not left:
            for part in islice(parts, workers * _AHEAD - len(waiting)):
                waiting[_submitted(pool, work, part)] = part
            if not waiting:
                return
            rest = None if until == inf else max(0.0, until - time.monotonic())
            ended = wait_for(waiting, rest, FIRST_COMPLETED).done
            if not ended:
                return
            for future in ended:
                if isinstance(future.exception(), BrokenProcessPool):
                    left += waiting.pop(future)
                else:
                    yield from _ended(waiting.pop(future), future)
    finally:
        _end(pool)
    for case in (*left, *(case for part in waiting.values() for case in part)):
        yield _alone(case, work)
    yield from _local(parts, work, workers, until)


def _submitted(
    pool: ProcessPoolExecutor, work: Callable[[C], Any], part: tuple[C, ...]
) -> Future[Any]:
    """Of a pool that has just broken: a future that says so."""
    try:
        return pool.submit(attempt, work, part)
    except BrokenProcessPool as error:
        future: Future[Any] = Future()
        future.set_exception(error)
        return future


def _ended(part: tuple[C, ...], future: Any) -> Iterator[CaseResult[C]]:
    error = future.exception()
    if error is not None:  # the case or its row cannot travel
        yield from (_result(case, ({}, 0.0, error_text(error))) for case in part)
        return
    for case, tried in zip(part, future.result(), strict=True):
        yield _result(case, tried)


def _result(case: C, tried: Tried) -> CaseResult[C]:
    row, seconds, error = tried
    return CaseResult(case, "failed" if error else "done", seconds, row, error)


def _alone(case: C, work: Callable[[C], Any]) -> CaseResult[C]:
    """A case in a process of its own: if it dies, this case killed it."""
    pool = _pool(1)
    try:
        return next(_ended((case,), _settled(pool.submit(attempt, work, (case,)))))
    finally:
        _end(pool)


def _settled(future: Future[Any]) -> Future[Any]:
    wait_for([future])
    return future


def error_text(error: BaseException) -> str:
    """An error in one piece: what it says, with its kind where it is no :class:`InputError`."""
    if isinstance(error, BrokenProcessPool):
        return "its worker process died (a crash of native code, or out of memory)"
    if isinstance(error, InputError):
        return str(error)
    return f"{type(error).__name__}: {error}"


def _pool(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, mp_context=_WithoutScript(), initializer=_begin)


class _WorkerProcess(SpawnProcess):
    """A worker that does not run the user's script again, as spawned processes else do: its work is
    bankwise's own, and a script without ``if __name__ == "__main__":`` would start workers too."""

    def start(self) -> None:
        """Start it, while what it takes for the script is empty."""
        script = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            super().start()
        finally:
            sys.modules["__main__"] = script


class _WithoutScript(SpawnContext):
    Process = _WorkerProcess


def _end(pool: ProcessPoolExecutor) -> None:
    """Without waiting for cases that nobody wants any more: they would run to their end."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
    for process in processes:
        process.join()


def _begin() -> None:
    """A worker leaves Ctrl-C to its parent. One whose parent was killed would wait for work for
    ever; it ends instead."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _dask(
    parts: Iterator[tuple[C, ...]], work: Callable[[C], Any], engine: str
) -> Generator[CaseResult[C], None, None]:
    try:
        from distributed import Client
        from distributed import as_completed as completed
    except ModuleNotFoundError as error:
        message = "work on a cluster needs Dask"
        raise InputError(message, hint=install("dask")) from error
    address = _address(engine)
    try:
        client = Client(address, timeout=_CONNECT_S)
    except (OSError, ValueError) as error:
        message = f"no Dask scheduler answers: {error}"
        raise InputError(message, location=Location(engine)) from error
    with client:
        ahead = _AHEAD * max(sum(client.nthreads().values()), _LEAST_THREADS)
        futures: dict[Any, tuple[C, ...]] = {}
        ends = completed()

        def submit(many: int) -> None:
            for part in islice(parts, many):
                futures[future := client.submit(attempt, work, part, pure=False)] = part
                ends.add(future)

        submit(ahead)
        for future in ends:
            if future.cancelled():
                message = "the cluster dropped a case: its scheduler ended"
                raise InputError(
                    message, location=Location(engine), hint="run the same command to resume"
                )
            yield from _ended(futures.pop(future), future)
            submit(1)


def _address(engine: str) -> str:
    host = engine.removeprefix(DASK).rstrip("/")
    if not host:
        raise InputError(f"{engine!r} names no host", hint=f"{DASK}HOST:{_DASK_PORT}")
    return f"tcp://{host}" if ":" in host else f"tcp://{host}:{_DASK_PORT}"
