"""What is said of random PTX, beside what it does in runs that nobody told bankwise about.

Whatever the numbers of the launch and of memory are: an access that is not refused touches what one
of its patterns says, at its place or, where that is not known, at some multiple behind; as often as
is said where that is a count, and no less often than is sure.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from bankwise.read.follow.prepared import prepared
from bankwise.read.follow.run import follow
from bankwise.read.follow.touched import Touched
from bankwise.read.ptx.dialect import PTX
from isa_texts import ptx_text
from random_ptx import MASK, THREADS, Run, known, program, runs, text

_Row = list[int | None]


def touched(body: str) -> dict[int, Touched]:
    """By the line of the body."""
    source = ptx_text("@@", threads=THREADS)
    before = source[: source.index("@@")].count("\n")
    source = source.replace("k_param_1\n", "k_param_1,\n\t.param .u32 k_param_2\n")
    (kernel,) = PTX.kernels(source.replace("@@", body), "k.ptx", "")
    decoded = PTX.decode(kernel)
    start = PTX.start(kernel, (THREADS, 1, 1), {})
    trace = follow(prepared(decoded.program, start), start)
    assert not trace.stopped
    lines = {n: one.line for n, one in enumerate(PTX.instructions(kernel))}
    return {lines[n] - before - 2: found for n, found in trace.touched.items()}


def parts(found: Touched) -> list[Touched]:
    return [part for part in (found, found.anywhere) if part is not None]


def is_said(row: _Row, found: Touched, warp: int) -> bool:
    return any(
        _is_pattern(row, np.broadcast_to(offsets, active.shape)[warp], active[warp], part, n)
        for n, part in enumerate(parts(found))
        for offsets, active in part.patterns
    )


def _is_pattern(
    row: _Row, offsets: np.ndarray, active: np.ndarray, part: Touched, somewhere: int
) -> bool:
    runs_ = np.array([place is not None for place in row])
    if (runs_ & ~active).any() or (part.maybe is None and (runs_ != active).any()):
        return False
    apart = {(x - int(o)) & MASK for x, o in zip(row, offsets, strict=True) if x is not None}
    if not somewhere:
        return apart == {0}
    multiple = part.multiples & -part.multiples
    return len(apart) == 1 and apart.pop() % multiple == 0


def often(found: Touched, warp: int, sure: bool) -> int:
    return sum(
        count
        for part in parts(found)
        for (_, active), count in zip(
            part.patterns, part.sure if sure else part.counts, strict=True
        )
        if active[warp].any()
    )


def judge(said: dict[int, Touched], stores: dict[int, int], run: Run) -> None:
    for (store, warp), rows in run.touched.items():
        found = said[stores[store]]
        if found.unknown is None:
            assert all(is_said(row, found, warp) for row in rows)
    for store, line in stores.items():
        for warp in range(THREADS // 32) if line in said else ():
            found, times = said[line], len(run.touched.get((store, warp), ()))
            maybe = any(part.maybe is not None for part in parts(found))
            counted = found.unknown is None and all(part.counted for part in parts(found))
            most = often(found, warp, sure=False)
            if counted:
                assert times <= most if maybe else times == most
            elif not maybe:
                assert times >= often(found, warp, sure=True)


@pytest.mark.parametrize("seed", range(12))
def test_every_run_is_what_was_said(seed: int) -> None:
    pick = random.Random(seed)
    answered = 0
    for _ in range(20):
        nodes = program(pick, 5)
        body, stores = text(nodes)
        said = touched(body)
        answered += sum(found.unknown is None for found in said.values())
        for run in runs(nodes, pick, 3):
            judge(said, stores, run)
    assert answered > 20


@pytest.mark.parametrize("seed", range(6))
def test_lanes_that_end_anywhere_are_waited_for_no_more(seed: int) -> None:
    pick = random.Random(seed)
    answered = 0
    for _ in range(20):
        nodes = known(program(pick, 5, returns=True), pick)
        body, stores = text(nodes)
        said = touched(body)
        answered += sum(found.counted for found in said.values())
        for run in runs(nodes, pick, 1):
            judge(said, stores, run)
    assert answered > 40
