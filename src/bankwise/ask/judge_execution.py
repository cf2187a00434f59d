"""The execution verdict: both kernels run on the CPU on random inputs, and leave the same bits.

A verdict is about what ran, and says so: all workgroups, or which sample; sizes that only
``--dim`` or ``--workgroup-size`` gave are part of it. Only a whole launch whose facts all stand in
the text is ``complete``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from bankwise.ask.reference import Buffers, Expect, against, load
from bankwise.ask.workgroups import Grid, WorkgroupOrder, workgroup_order
from bankwise.errors import InputError
from bankwise.show.fixing import Verdict

if TYPE_CHECKING:
    from bankwise.ask.analysis import Analysis
    from bankwise.change.execute import ExecutableKernel, Fault
    from bankwise.change.execute.launch import LaunchFacts
    from bankwise.change.execute.several import Allowance
    from bankwise.change.execute.side_by_side import Bindings
    from bankwise.read.mlir.indexing import ThreadIds
    from bankwise.read.mlir.module import Opened

Progress = Callable[[int, int], None]
FaultKey = tuple[str, str, int]
"""What makes two faults the same one: kind, operation, and which operation of that name."""

_BUDGET = 3 << 24
"""Operations times threads: after so many no further workgroup of the kernel before is begun; then
the kernel after runs the same ones. About ten seconds on a quiet core, and the same number of
workgroups on any: the verdict tells how many."""
_LEAST = 1 << 14
"""What a workgroup costs at least: beginning one takes as long as so much work."""
_SEED = 20_26


class _Runnable(Struct, frozen=True):
    """One of the two kernels, ready to run: its program, its facts, its buffers."""

    analysis: Analysis
    program: ExecutableKernel
    facts: LaunchFacts
    buffers: Buffers


class _Runs(Struct, frozen=True):
    """Both kernels after the same workgroups on the same inputs: buffers and distinct faults."""

    order: WorkgroupOrder
    facts: LaunchFacts
    ran: tuple[Grid, ...]
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
    dims: Mapping[str, int] | None = None,
    budget: int | None = None,
) -> Verdict:
    """Run every kernel before and after; compare all buffers bit for bit.

    :mod:`bankwise.ask.workgroups` says which workgroups run; a fixed amount of work, not of time,
    says how many, and the verdict tells. ``reference``: ``FILE.py:FUNCTION`` that maps the input
    buffers to the expected ones; :class:`InputError` if it does not. ``dims``: numbers that only
    the launch knows, by name. ``budget``: operations times threads,
    a fixed number where it is not given.
    """
    expect = load(reference) if reference else None
    budget = _BUDGET if budget is None else budget
    verdicts: list[Verdict] = []
    inner = _called(old)
    for a, b in zip(old, new, strict=True):
        if a.kernel.name in inner:
            verdicts.append(Verdict("execution", "passed", f"{a.kernel.name}: where it is called"))
            continue
        try:
            runs = _run_both(before, after, a, b, progress, dims or {}, budget)
        except InputError as error:
            return Verdict("execution", "not available", str(error), complete=False)
        verdicts.append(_judge(a, runs, expect))
        if verdicts[-1].status != "passed":
            return verdicts[-1]
    told = "; ".join(verdict.detail for verdict in verdicts)
    return Verdict("execution", "passed", told, complete=all(v.complete for v in verdicts))


def _called(analyses: Sequence[Analysis]) -> frozenset[str]:
    """The functions that are no kernels of their own: kernels of the file call them."""
    from bankwise.read.mlir.kernels import operations

    return frozenset(
        str(op.attributes["callee"]).lstrip("@").strip('"')
        for a in analyses
        for op in operations(a.kernel.op)
        if op.name == "func.call"
    )


def _run_both(
    before: Opened,
    after: Opened,
    a: Analysis,
    b: Analysis,
    progress: Progress | None,
    dims: Mapping[str, int],
    budget: int,
) -> _Runs:
    from bankwise.change.execute import random_buffers
    from bankwise.change.execute.launch import launch_facts
    from bankwise.change.execute.several import Allowance
    from bankwise.change.execute.side_by_side import Bindings

    facts = launch_facts(before, a.kernel, a.workgroup_size, dims)
    facts_after = launch_facts(after, b.kernel, b.workgroup_size, dims)
    inputs = random_buffers(a.kernel.op, _SEED, _sizes(before, a), facts.number)
    chosen = workgroup_order(a, budget // _LEAST, facts.number)
    one = _runnable(before, a, facts, inputs)
    two = _runnable(after, b, facts_after, inputs)
    bindings, within = Bindings(), Allowance(budget, _LEAST)
    first = _run if chosen.grid else _tried
    old, ran = first(one, chosen.workgroups, bindings, within, _half(progress, 0))
    new, _ = _run(two, ran, bindings, Allowance(None, _LEAST), _half(progress, 1))
    return _Runs(chosen, facts, tuple(ran), inputs, one.buffers, two.buffers, old, new)


def _runnable(opened: Opened, kernel: Analysis, facts: LaunchFacts, inputs: Buffers) -> _Runnable:
    from bankwise.change.execute import compiled

    program = compiled(kernel.kernel.op.operation, opened.location_of, facts.number)
    return _Runnable(kernel, program, facts, [x.copy() for x in inputs])


def _judge(a: Analysis, runs: _Runs, expect: Expect | None) -> Verdict:
    from bankwise.change.execute import compare

    name = a.kernel.name
    added = runs.faults_after.keys() - runs.faults_before.keys()
    if added:
        return _failed(f"{name}: {_first({key: runs.faults_after[key] for key in added})}")
    differences = compare(runs.before, runs.after)
    if differences:
        return _failed(f"{name}: {differences[0]}")
    if not compare(runs.inputs, runs.before):
        return Verdict("execution", "not available", f"{name}: {_NOT_COMPARED}", complete=False)
    whole = runs.order.complete(runs.ran)
    shared = any(fault.shared for fault in runs.faults_before.values())
    detail = f"{name}: bit-identical{runs.order.words(runs.ran)}{runs.facts.words}"
    detail += _faults_before(runs.faults_before, shared)
    if expect is not None and not whole:
        detail += "; not compared with the reference: not all workgroups ran"
    elif expect is not None:
        close, told = against(expect, runs.inputs, runs.after)
        if not close:
            return _failed(f"{name}: {told}")
        detail += f"; {told}"
    complete = whole and not runs.facts.words and not shared
    return Verdict("execution", "passed", detail, complete=complete)


_NOT_COMPARED = "nothing was compared, as neither text changes a buffer"


def _failed(detail: str) -> Verdict:
    return Verdict("execution", "failed", detail)


def _faults_before(faults: Mapping[FaultKey, Fault], shared: bool) -> str:
    """The words for faults that are the kernel's own, on these inputs. Under those of shared memory
    its results are not defined: they may depend on the schedule, or on what was there before."""
    if not faults:
        return ""
    told = f"; faults that the kernel had before: {len(faults)}, the first {_first(faults)}"
    return told + ("; so its results are not defined, before or after" if shared else "")


def _half(progress: Progress | None, which: int) -> Progress | None:
    """The part of the progress that one of two runs makes: the first half, or the second."""
    if progress is None:
        return None
    return lambda done, total: progress(which * total + done, 2 * total)


def _run(
    side: _Runnable,
    workgroups: Sequence[Grid],
    bindings: Bindings,
    allowance: Allowance,
    progress: Progress | None,
) -> tuple[dict[FaultKey, Fault], list[Grid]]:
    """Run workgroups until ``allowance`` is used up: (distinct faults, the workgroups that ran)."""
    from bankwise.change.execute.several import run_several

    ran: list[Grid] = []
    spent = 0
    faults: dict[FaultKey, Fault] = {}
    ids = [_ids(side, workgroup) for workgroup in workgroups]
    for one in run_several(side.program, side.buffers, ids, bindings, allowance):
        faults = _by_key(one.faults) | faults
        ran.append(workgroups[len(ran)])
        spent += one.price
        if progress:
            progress(len(ran), _expected(len(ran), len(workgroups), spent, allowance.work))
    return faults, ran


def _tried(
    side: _Runnable,
    workgroups: Sequence[Grid],
    bindings: Bindings,
    allowance: Allowance,
    progress: Progress | None,
) -> tuple[dict[FaultKey, Fault], list[Grid]]:
    """The same where it is not known whether the launch has these workgroups: those behind the
    first that leave a buffer are taken back."""
    from bankwise.change.execute.several import run_alone

    ran: list[Grid] = []
    spent = 0
    faults: dict[FaultKey, Fault] = {}
    for workgroup in workgroups:
        kept = [x.copy() for x in side.buffers] if ran else None
        one = run_alone(side.program, side.buffers, _ids(side, workgroup), bindings, allowance)
        spent += one.price
        if kept and any(fault.kind == "bounds" and not fault.shared for fault in one.faults):
            for buffer, old in zip(side.buffers, kept, strict=True):
                buffer[:] = old
        else:
            faults = _by_key(one.faults) | faults
            ran.append(workgroup)
        if progress:
            progress(len(ran), _expected(len(ran), len(workgroups), spent, allowance.work))
        if allowance.work is not None and spent >= allowance.work:
            break
    return faults, ran


def _ids(side: _Runnable, workgroup: Grid) -> ThreadIds:
    from bankwise.read.mlir.indexing import ThreadIds

    kernel = side.analysis
    wave, grid = kernel.machine.wave_size, kernel.kernel.grid
    return ThreadIds(kernel.workgroup_size, wave, workgroup, grid)


def _by_key(faults: Sequence[Fault]) -> dict[FaultKey, Fault]:
    return {(f.kind, f.operation, f.site): f for f in faults}


def _expected(ran: int, workgroups: int, spent: int, budget: int | None) -> int:
    """How many workgroups will run before the budget is used up, judged by those that ran."""
    if budget is None:
        return workgroups
    return min(workgroups, max(ran, round(ran * budget / spent)))


def _first(faults: Mapping[FaultKey, Fault]) -> Fault:
    return min(faults.values(), key=lambda fault: fault.location)


def _sizes(opened: Opened, analysis: Analysis) -> dict[int, int]:
    """Elements of each binding, from the dispatch in the module that calls the kernel, if any."""
    from bankwise.change.execute.run import LARGEST_ELEMENTS
    from bankwise.read.mlir.dispatches import dispatch_sizes

    sizes = dispatch_sizes(opened, analysis.kernel)
    too_large = [n for n in sizes.values() if n > LARGEST_ELEMENTS]
    if too_large:
        raise InputError(f"a buffer of {too_large[0]:,} elements is too large to execute here")
    return sizes
