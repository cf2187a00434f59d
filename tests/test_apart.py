"""Kernels that are followed on several cores: the same answers, in the same order, and an end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bankwise.errors import InputError
from bankwise.read.follow import apart
from bankwise.read.follow.apart import each_apart, telling
from bankwise.read.follow.driver import check_code
from bankwise.read.ptx.dialect import PTX
from bankwise.show.schema import dumps

linux = pytest.mark.skipif(sys.platform != "linux", reason="copies of a process: Linux alone")
PTX_TEXT = (Path(__file__).parent / "data" / "profile" / "tiles.ptx").read_text("utf-8")


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any work is worth copies, as many as there are pieces."""
    monkeypatch.setattr(apart, "WORTH", 0)
    monkeypatch.setattr(apart, "cores", lambda: 8)
    monkeypatch.setattr(threading, "active_count", lambda: 1)


@linux
def test_pieces_come_back_in_their_order_from_other_processes(copies: None) -> None:
    found = each_apart(lambda n: (n * n, os.getpid()), range(6), lambda n: n)
    assert [square for square, _ in found] == [0, 1, 4, 9, 16, 25]
    assert os.getpid() not in {pid for _, pid in found}


def test_little_work_stays_here() -> None:
    assert set(each_apart(lambda n: os.getpid(), range(6), lambda n: 1)) == {os.getpid()}


def test_beside_another_thread_nothing_is_copied(
    monkeypatch: pytest.MonkeyPatch, copies: None
) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    assert set(each_apart(lambda n: os.getpid(), range(6), lambda n: n)) == {os.getpid()}


@linux
def test_what_one_piece_raises_is_raised(copies: None) -> None:
    def work(n: int) -> int:
        if n == 3:
            raise InputError("no", hint="yes")
        return n

    with pytest.raises(InputError, match="no") as told:
        each_apart(work, range(6), lambda n: 1)
    assert told.value.hint == "yes"


@linux
def test_a_copy_that_is_killed_costs_time_and_no_answer(copies: None) -> None:
    here = os.getpid()

    def work(n: int) -> int:
        if n == 2 and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return n

    assert each_apart(work, range(4), lambda n: 1) == (0, 1, 2, 3)


@linux
def test_kernels_are_answered_alike_here_and_apart(
    monkeypatch: pytest.MonkeyPatch, copies: None
) -> None:
    found = check_code(PTX, PTX_TEXT, "k.ptx", "sm_90")
    assert len(found) > 1
    monkeypatch.setattr(apart, "cores", lambda: 1)
    here = check_code(PTX, PTX_TEXT, "k.ptx", "sm_90")
    for one, other in zip(found, here, strict=True):
        assert (one.name, one.launch, one.refusals) == (other.name, other.launch, other.refusals)
        for mine, its in zip(one.accesses, other.accesses, strict=True):
            assert dumps(mine.access.location) == dumps(its.access.location)
            pairs = zip(mine.access.patterns, its.access.patterns, strict=True)
            assert all(
                (a.offsets_bytes == b.offsets_bytes).all() and a.executions == b.executions
                for a, b in pairs
            )


@pytest.mark.parametrize("count", [1, 8])
def test_who_waits_is_told_how_many_are_done(
    monkeypatch: pytest.MonkeyPatch, copies: None, count: int
) -> None:
    monkeypatch.setattr(apart, "cores", lambda: count)
    told: list[tuple[int, int]] = []
    with telling(lambda done, every: told.append((done, every))):
        each_apart(lambda n: n, range(3), lambda n: 1)
        assert len(told) == 3
        each_apart(lambda n: n, range(1), lambda n: 1)
    each_apart(lambda n: n, range(3), lambda n: 1)
    assert told == [(n + (count > 1), 3) for n in range(3)]


_SLOW = """
import sys, time
from bankwise.read.follow import apart
apart.WORTH, apart.cores = 0, lambda: 2
print("begun", flush=True)
apart.each_apart(lambda n: time.sleep(60), range(2), lambda n: 1)
"""


@linux
@pytest.mark.parametrize(
    ("end", "sign"),
    [(os.killpg, signal.SIGINT), (os.kill, signal.SIGINT), (os.kill, signal.SIGKILL)],
)
def test_copies_end_with_who_waits_for_them(
    end: Callable[[int, int], None], sign: signal.Signals
) -> None:
    own = subprocess.Popen(
        [sys.executable, "-c", _SLOW], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert own.stdout is not None
    own.stdout.readline()
    children = Path(f"/proc/{own.pid}/task/{own.pid}/children")
    while len(children.read_text().split()) < 2:
        time.sleep(0.05)
    mine = [int(pid) for pid in children.read_text().split()]
    time.sleep(0.2)  # they have said with whom they end
    end(own.pid, sign)
    own.wait(timeout=30)
    for pid in mine:
        for _ in range(200):
            if not _runs(pid):
                break
            time.sleep(0.05)
        assert not _runs(pid)


def _runs(pid: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
