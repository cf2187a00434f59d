"""The execution verdict: both kernels run on the CPU on random inputs, and leave the same bits."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from bankwise.ask.reference import Buffers, Expect, against, load
from bankwise.errors import InputError
from bankwise.show.fixing import Verdict

if TYPE_CHECKING:
    from bankwise.ask.analysis import Analysis
    from bankwise.change.execute import Fault
    from bankwise.read.mlir.module import Opened

Progress = Callable[[int, int], None]
Grid = tuple[int, int, int]
FaultKey = tuple[str, str, int]
"""What makes two faults the same one: kind, operation, and which operation of that name."""

_BUDGET = 3 << 24
"""Operations times threads: after so many no further workgroup of the kernel before is begun; then
the kernel after runs the same ones. About ten seconds on a quiet core, and the same number of
workgroups on any: the verdict tells how many."""
_LEAST = 1 << 14
"""What a workgroup costs at least: beginning one takes as long as so much work."""
_SEED = 20_26
_LARGEST_ELEMENTS = 1 << 27


@dataclass(frozen=True, slots=True)
class _Runs:
    """Both kernels after the same workgroups on the same inputs: buffers and distinct faults."""

    workgroups: tuple[Grid, ...]
    inputs: Buffers
    before: Buffers
    after: Buffers
    faults_before: Mapping[FaultKey, Fault]
    faults_after: Mapping[FaultKey, Fault]


def judge_execution(
    before: Opened,
    after: Opened,
    old: Sequence[Analysis],
    new: Sequence[Analysis],
    reference: str = "",
    progress: Progress | None = None,
) -> Verdict:
    """Run every kernel before and after; compare all buffers bit for bit.

    The corners of the grid run first, then workgroups in a fixed random order until a fixed amount
    of work is done; the verdict says how many. ``reference``: ``FILE.py:FUNCTION`` that maps the
    input buffers to the expected ones; :class:`InputError` if it does not.
    """
    expect = load(reference) if reference else None
    verdicts: list[Verdict] = []
    for a, b in zip(old, new, strict=True):
        try:
            runs = _run_both(before, after, a, b, progress)
        except InputError as error:
            return Verdict("execution", "not available", str(error), complete=False)
        verdicts.append(_judge(a, runs, expect))
        if verdicts[-1].status != "passed":
            return verdicts[-1]
    told = "; ".join(verdict.detail for verdict in verdicts)
    return Verdict("execution", "passed", told, complete=all(v.complete for v in verdicts))


def _run_both(
    before: Opened, after: Opened, a: Analysis, b: Analysis, progress: Progress | None
) -> _Runs:
    from bankwise.change.execute import random_buffers

    inputs = random_buffers(a.kernel.op, _SEED, _sizes(before, a))
    one, two = [x.copy() for x in inputs], [x.copy() for x in inputs]
    order = _order(a.kernel.grid or (1, 1, 1), _BUDGET // _LEAST)
    old, ran = _run(before, a, one, order, _half(progress, 0), _BUDGET)
    new, _ = _run(after, b, two, ran, _half(progress, 1))
    return _Runs(tuple(ran), inputs, one, two, old, new)


def _judge(a: Analysis, runs: _Runs, expect: Expect | None) -> Verdict:
    from bankwise.change.execute import compare

    added = runs.faults_after.keys() - runs.faults_before.keys()
    if added:
        first = _first({key: runs.faults_after[key] for key in added})
        return Verdict("execution", "failed", f"{a.kernel.name}: {first}")
    differences = compare(runs.before, runs.after)
    if differences:
        return Verdict("execution", "failed", f"{a.kernel.name}: {differences[0]}")
    seen, complete = _coverage(a.kernel.grid, runs.workgroups)
    detail = f"{a.kernel.name}: bit-identical{seen}"
    if runs.faults_before:
        old = runs.faults_before
        detail += f"; faults that the kernel had before: {len(old)}, the first {_first(old)}"
    if expect is not None and a.kernel.grid is not None and not complete:
        detail += "; not compared with the reference: not all workgroups ran"
    elif expect is not None:
        close, told = against(expect, runs.inputs, runs.after)
        if not close:
            return Verdict("execution", "failed", f"{a.kernel.name}: {told}")
        detail += f"; {told}"
    return Verdict("execution", "passed", detail, complete=complete)


def _coverage(grid: Grid | None, ran: Sequence[Grid]) -> tuple[str, bool]:
    """The words for which workgroups were executed, and whether these are all of the launch."""
    if grid is None:
        names = ", ".join(str(workgroup) for workgroup in ran)
        return f"; the grid is not in the text, workgroup {names} stands for it", False
    total = grid[0] * grid[1] * grid[2]
    if len(ran) == total:
        return f" over {total:,} of {total:,} workgroups", True
    return f"; sampled {len(ran):,} of {total:,} workgroups", False


def _half(progress: Progress | None, which: int) -> Progress | None:
    """The part of the progress that one of two runs makes: the first half, or the second."""
    if progress is None:
        return None
    return lambda done, total: progress(which * total + done, 2 * total)


def _run(
    opened: Opened,
    analysis: Analysis,
    buffers: Buffers,
    workgroups: Sequence[Grid],
    progress: Progress | None,
    budget: int | None = None,
) -> tuple[dict[FaultKey, Fault], list[Grid]]:
    """Run workgroups until ``budget`` is used up: (distinct faults, the workgroups that ran)."""
    from bankwise.change.execute import execute

    ran: list[Grid] = []
    spent = 0
    threads = int(np.prod(analysis.workgroup_size))
    faults: dict[FaultKey, Fault] = {}
    for workgroup in workgroups:
        done = execute(
            analysis.kernel.op,
            buffers,
            workgroup_size=analysis.workgroup_size,
            wave_size=analysis.machine.wave_size,
            grid=analysis.kernel.grid or (1, 1, 1),
            workgroups=[workgroup],
            locate=opened.location_of,
        )
        faults = {(f.kind, f.operation, f.site): f for f in done.faults} | faults
        ran.append(workgroup)
        spent += max(_LEAST, threads * sum(done.operations.values()))
        if progress:
            progress(len(ran), _expected(len(ran), len(workgroups), spent, budget))
        if budget is not None and spent >= budget:
            break
    return faults, ran


def _expected(ran: int, workgroups: int, spent: int, budget: int | None) -> int:
    """How many workgroups will run before the budget is used up, judged by those that ran."""
    if budget is None:
        return workgroups
    return min(workgroups, max(ran, round(ran * budget / spent)))


def _first(faults: Mapping[FaultKey, Fault]) -> Fault:
    return min(faults.values(), key=lambda fault: fault.location)


def _order(grid: Grid, most: int) -> list[Grid]:
    """At most ``most`` workgroups: the corners of the grid, then others in a fixed random order.

    So a run that is cut short has seen the edges, where bounds are, and all regions.
    """
    x, y, z = grid
    corners = dict.fromkeys((i, j, k) for k, j, i in product((0, z - 1), (0, y - 1), (0, x - 1)))
    total = x * y * z
    draws = random.Random(_SEED).sample(range(total), min(total, most))
    others = dict.fromkeys((n % x, n // x % y, n // (x * y)) for n in draws)
    return list(corners | others)[:most]


def _sizes(opened: Opened, analysis: Analysis) -> dict[int, int]:
    """Elements of each binding, from the dispatch in the module that calls the kernel, if any."""
    from bankwise.read.mlir.dispatches import dispatch_sizes

    sizes = dispatch_sizes(opened, analysis.kernel)
    too_large = [n for n in sizes.values() if n > _LARGEST_ELEMENTS]
    if too_large:
        raise InputError(f"a buffer of {too_large[0]:,} elements is too large to execute here")
    return sizes
