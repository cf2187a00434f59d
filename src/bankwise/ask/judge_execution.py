"""The execution verdict: both kernels run on the CPU on random inputs, and leave the same bits."""

from __future__ import annotations

import math
import runpy
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bankwise.errors import InputError
from bankwise.show.fixing import Verdict

if TYPE_CHECKING:
    from bankwise.ask.analysis import Analysis
    from bankwise.change.execute import Fault
    from bankwise.read.mlir.module import Opened

Progress = Callable[[int, int], None]
Grid = tuple[int, int, int]
Buffers = list[np.ndarray[Any, Any]]
Expect = Callable[[Buffers], Sequence[np.ndarray[Any, Any] | None]]
FaultKey = tuple[str, str, int]
"""What makes two faults the same one: kind, operation, and which operation of that name."""

_BUDGET_S = 10.0
"""After so many seconds no further workgroup of the kernel before is begun; then the kernel after
runs the same ones. The verdict tells how many."""
_SEED = 20_26
_TOLERANCE = 1e-2
"""The most relative distance (Euclidean norms) to a reference: half precision sums stay below."""
_LARGEST_ELEMENTS = 1 << 27


def judge_execution(
    before: Opened,
    after: Opened,
    old: Sequence[Analysis],
    new: Sequence[Analysis],
    reference: str = "",
    progress: Progress | None = None,
) -> Verdict:
    """Run every kernel before and after; compare all buffers bit for bit.

    Workgroups run in a fixed random order until the time is used up; the verdict says how many.
    ``reference``: ``FILE.py:FUNCTION`` that maps the input buffers to the expected ones.
    """
    details: list[str] = []
    expect = _load(reference) if reference else None
    try:
        for a, b in zip(old, new, strict=True):
            verdict = _judge(before, after, a, b, expect, progress)
            if verdict.status != "passed":
                return verdict
            details.append(verdict.detail)
    except InputError as error:
        return Verdict("execution", "not available", str(error))
    return Verdict("execution", "passed", "; ".join(details))


def _judge(
    before: Opened,
    after: Opened,
    a: Analysis,
    b: Analysis,
    expect: Expect | None,
    progress: Progress | None,
) -> Verdict:
    from bankwise.change.execute import compare, random_buffers

    sizes = _sizes(before, a)
    inputs = random_buffers(a.kernel.op, _SEED, sizes)
    grid = a.kernel.grid or (1, 1, 1)
    one, two = [x.copy() for x in inputs], [x.copy() for x in inputs]
    end = time.monotonic() + _BUDGET_S
    old, ran = _run(before, a, one, _order(grid), _half(progress, 0), end)
    new, _ = _run(after, b, two, ran, _half(progress, 1))
    added = new.keys() - old.keys()
    if added:
        first = _first({key: new[key] for key in added})
        return Verdict("execution", "failed", f"{a.kernel.name}: {first}")
    differences = compare(one, two)
    if differences:
        return Verdict("execution", "failed", f"{a.kernel.name}: {differences[0]}")
    total = grid[0] * grid[1] * grid[2]
    known = "" if a.kernel.grid else " (the grid is unknown: one workgroup)"
    detail = f"{a.kernel.name}: bit-identical over {len(ran)} of {total} workgroups{known}"
    if old:
        detail += f"; faults that the kernel had before: {len(old)}, the first {_first(old)}"
    if expect is not None and len(ran) < total:
        detail += "; not compared with the reference: not all workgroups ran"
    elif expect is not None:
        close, told = _against(expect, inputs, two)
        if not close:
            return Verdict("execution", "failed", f"{a.kernel.name}: {told}")
        detail += f"; {told}"
    return Verdict("execution", "passed", detail)


def _half(progress: Progress | None, which: int) -> Progress | None:
    """The part of the progress that one of two runs makes: the first half, or the second."""
    if progress is None:
        return None
    return lambda done, total: progress(which * total + done, 2 * total)


def _run(
    opened: Opened,
    analysis: Analysis,
    buffers: list[np.ndarray[Any, Any]],
    workgroups: Sequence[Grid],
    progress: Progress | None,
    end: float = math.inf,
) -> tuple[dict[FaultKey, Fault], list[Grid]]:
    """Run workgroups until the time ``end``: (distinct faults, the workgroups that ran)."""
    from bankwise.change.execute import execute

    ran: list[Grid] = []
    began = time.monotonic()
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
        now = time.monotonic()
        if progress:
            progress(len(ran), _expected(len(ran), len(workgroups), now - began, end - began))
        if now > end:
            break
    return faults, ran


def _expected(ran: int, workgroups: int, spent_s: float, allowed_s: float) -> int:
    """How many workgroups will run before the time is up, judged by those that ran."""
    if math.isinf(allowed_s):
        return workgroups
    return min(workgroups, max(ran, round(ran * allowed_s / max(spent_s, 1e-6))))


def _first(faults: Mapping[FaultKey, Fault]) -> Fault:
    return min(faults.values(), key=lambda fault: fault.location)


def _order(grid: Grid) -> list[Grid]:
    """All workgroups in a fixed random order: a run that is cut short has seen all regions."""
    x, y, z = grid
    every = [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]
    np.random.default_rng(_SEED).shuffle(every)
    return [(int(i), int(j), int(k)) for i, j, k in every]


def _sizes(opened: Opened, analysis: Analysis) -> dict[int, int]:
    """Elements of each binding, from the dispatch in the module that calls the kernel, if any."""
    from bankwise.read.mlir.dispatches import dispatch_sizes

    sizes = dispatch_sizes(opened, analysis.kernel)
    too_large = [n for n in sizes.values() if n > _LARGEST_ELEMENTS]
    if too_large:
        raise InputError(f"a buffer of {too_large[0]:,} elements is too large to execute here")
    return sizes


def _load(reference: str) -> Expect:
    path, _, name = reference.rpartition(":")
    try:
        function: Expect = runpy.run_path(path)[name]
    except (OSError, KeyError, SyntaxError, ImportError) as error:
        message = f"--reference {reference}: no function {name!r} in {path!r}: {error}"
        raise InputError(message, hint="--reference FILE.py:FUNCTION") from error
    return function


def _against(expect: Expect, inputs: Buffers, outputs: Buffers) -> tuple[bool, str]:
    """Whether the outputs are close to what the reference makes of the inputs, and how close."""
    expected = expect([x.copy() for x in inputs])
    sizes = [None if e is None else np.size(e) for e in expected]
    if len(sizes) != len(outputs) or not any(sizes):
        return False, f"the reference gives {len(sizes)} buffers, the kernel has {len(outputs)}"
    if any(n not in (None, o.size) for n, o in zip(sizes, outputs, strict=True)):
        return False, f"the reference gives {sizes} elements, not {[o.size for o in outputs]}"
    pairs = zip(expected, outputs, strict=True)
    worst = float(np.max([_distance(e, o) for e, o in pairs if e is not None]))
    return worst <= _TOLERANCE, f"relative distance to the reference {worst:.1e}"


def _distance(expected: np.ndarray[Any, Any], got: np.ndarray[Any, Any]) -> float:
    wide = np.asarray(expected, np.float64).ravel()
    norm = float(np.linalg.norm(wide)) or 1.0
    return float(np.linalg.norm(wide - got.astype(np.float64).ravel()) / norm)
