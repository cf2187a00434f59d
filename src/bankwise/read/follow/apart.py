"""Pieces of work of one kind on all cores of this computer, each in a process of its own.

A process is a copy of this one, so nothing has to be sent there; what comes back is pickled. Where
copies are not safe (beside other threads) or not there (Linux alone has all that is needed), the
pieces are done here, one after the other, with the same results.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from bankwise.cores import cores

T = TypeVar("T")
R = TypeVar("R")

WORTH = 2_000
"""How much all pieces together weigh, in instructions, that copies of this process pay."""

_DIE_WITH_PARENT = 1
"""``PR_SET_PDEATHSIG`` of ``prctl``: a copy is of no use when nobody waits for it."""

_work: Callable[[Any], Any] | None = None
_pieces: Sequence[Any] = ()
_told: Callable[[int, int], None] | None = None


@contextmanager
def telling(progress: Callable[[int, int], None]) -> Iterator[None]:
    """``progress`` is called with how many pieces are done, and of how many, whoever asks for them:
    between the command and its kernels stand readers of a dozen kinds of files."""
    global _told
    before, _told = _told, progress
    try:
        yield
    finally:
        _told = before


def each_apart(
    work: Callable[[T], R], pieces: Sequence[T], weight: Callable[[T], int]
) -> tuple[R, ...]:
    """The results of ``work`` for all ``pieces``, in their order; heavy ones begin first."""
    weights = [weight(one) for one in pieces]
    count = min(len(pieces), cores())
    if count < 2 or sum(weights) < WORTH or not _may_copy():
        return _here(work, pieces)
    return _copied(work, pieces, weights, count)


def _here(work: Callable[[T], R], pieces: Sequence[T]) -> tuple[R, ...]:
    done: list[R] = []
    for one in pieces:
        _tell(len(done), len(pieces))
        done.append(work(one))
    return tuple(done)


def _tell(done: int, every: int) -> None:
    if _told is not None and every > 1:
        _told(done, every)


def _copied(
    work: Callable[[T], R], pieces: Sequence[T], weights: Sequence[int], count: int
) -> tuple[R, ...]:
    global _work, _pieces
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import active_children, get_context

    heavy_first = sorted(range(len(pieces)), key=lambda number: -weights[number])
    others = set(active_children())
    _work, _pieces = work, pieces
    pool = ProcessPoolExecutor(count, get_context("fork"), _begin)
    try:
        begun = {number: pool.submit(_do, number) for number in heavy_first}
        for done, _ in enumerate(as_completed(begun.values())):
            _tell(done + 1, len(pieces))
        return tuple(begun[number].result() for number in range(len(pieces)))
    except BrokenProcessPool:  # a copy was killed, for want of memory most likely
        return _here(work, pieces)
    except BaseException:  # nobody waits any more for what the copies do
        for one in set(active_children()) - others:
            one.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        _work, _pieces = None, ()


def _do(number: int) -> Any:
    assert _work is not None
    return _work(_pieces[number])


def _begin() -> None:
    """In a copy: an interrupt ends it without a word, and so does the end of who waits for it."""
    import ctypes

    signal.signal(signal.SIGINT, lambda *_: os._exit(1))
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def _may_copy() -> bool:
    """A copy has one thread: what another one holds at that moment, nobody ever gives back."""
    from multiprocessing import current_process

    return threading.active_count() == 1 and not current_process().daemon
