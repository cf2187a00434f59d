"""One case of a sweep: lower a model, put a mitigation on it, count it, read its emitted code.

    none      IREE without padding, without direct loads
    padding   IREE's padding of LDS rows, without direct loads
    swizzle   the kernels of ``none``, rewritten by ``bankwise fix``
    pr23778   the kernels of ``none``, rewritten by the rule of iree-org/iree#23778
    best      what ``bankwise fix`` makes of the model: the cheapest of all ways to lower and to
              fix each kernel that is no worse than ``iree``, in the text and in emitted code
    iree      IREE's own defaults for the target: what every case is compared with

The row adds up all dispatches with workgroup memory. Nothing is executed: a sweep counts. The case
of a tile is one of :mod:`bankwise.ask.sweep_tile`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from bankwise.ask.check_mlir import check_opened
from bankwise.ask.cost import kernel_cost
from bankwise.ask.fix import fix_kernels
from bankwise.ask.fix_judged import judged
from bankwise.ask.model_best import LoweredDispatch, best
from bankwise.ask.sweep_tile import run_tile
from bankwise.ask.text_price import TextPrice, launch_price
from bankwise.change.compile.compile import compile_text
from bankwise.change.compile.lower import IREE_DEFAULT, Dispatch, Lowering, lower
from bankwise.errors import InputError, Refusal
from bankwise.read.emitted import Listing
from bankwise.read.options import Judges, Options
from bankwise.show.costing import KernelCost
from bankwise.show.values import KernelReport
from bankwise.sweep.spec import Case
from bankwise.sweep.store import Row

MITIGATIONS = ("none", "padding", "swizzle", "pr23778", "best", "iree")

_LOWERINGS = {
    "none": Lowering(),
    "padding": Lowering(padding=True),
    "swizzle": Lowering(),
    "pr23778": Lowering(),
    "iree": IREE_DEFAULT,
}
_WAYS_OF_BEST = ("iree", "none")
"""IREE's own first."""


class _DispatchResult(Struct, frozen=True):
    """One dispatch: its kernels, the code emitted for them, and what its accesses take in a launch,
    None where that is not known."""

    costs: tuple[KernelCost, ...]
    listings: tuple[Listing, ...]
    price: TextPrice | None


def run_case(case: Case) -> Row:
    """The row of a case. Raises :class:`InputError` where a kernel cannot be compiled or counted:
    a number that leaves out a part of the model would be no result."""
    if case.is_tile:
        return run_tile(case)
    ways = _WAYS_OF_BEST if case.mitigation == "best" else (case.mitigation,)
    first, *others = (_lowered(case, way) for way in ways)
    every = [(d, *(o[name] for o in others if name in o)) for name, d in first.items()]
    shared = [together for together in every if together[0].uses_shared_memory]
    return _row([_counted(case, together) for together in shared], len(every))


def _lowered(case: Case, way: str) -> dict[str, Dispatch]:
    """Every dispatch of the model by name, lowered for a mitigation."""
    dispatches = lower(case.text, case.target, _LOWERINGS[way], file=str(case))
    for dispatch in dispatches:
        if dispatch.refusal is not None:
            raise InputError(str(dispatch.refusal))
    return {dispatch.executable: dispatch for dispatch in dispatches}


def _counted(case: Case, ways: Sequence[Dispatch]) -> _DispatchResult:
    """One dispatch, lowered in several ways; the first has workgroup memory."""
    if case.mitigation != "best":
        return _text_counted(case, ways[0], _mitigated(case, ways[0]))
    return _text_counted(case, *_best(case, [way for way in ways if way.uses_shared_memory]))


def _best(case: Case, ways: Sequence[Dispatch]) -> tuple[Dispatch, str]:
    """What ``fix`` answers for a dispatch of a model, proved and not executed: its text, and the
    way to lower that it comes from."""
    with TemporaryDirectory(prefix="bankwise-") as folder:
        group = []
        for name, dispatch in zip(_WAYS_OF_BEST, ways, strict=False):
            path = Path(folder) / f"{dispatch.executable}.{name}.mlir"
            path.write_text(dispatch.text, "utf-8")
            group.append(LoweredDispatch(_LOWERINGS[name], dispatch, path))
        judge = partial(judged, judges=Judges(execute=False, isa=False))
        found = best(group[::-1], Options(case.target), judge, code=True)
    if found.linked:
        return found.lowered.dispatch, found.report.fixed_text
    return ways[0], ways[0].text


def _text_counted(case: Case, dispatch: Dispatch, text: str) -> _DispatchResult:
    from bankwise.read.mlir.module import open_text

    name = f"{case}: {dispatch.executable}"
    report = check_opened(open_text(text, name), Options(case.target))
    if report.refusals:
        raise InputError(f"not analysed: {report.refusals[0]}")
    listings = dispatch.listings
    if text != dispatch.text:
        listings = tuple(_compiled(text, kernel, name) for kernel in report.kernels)
    found = {one.kernel: one for one in listings}
    costs = tuple(kernel_cost(k, found[k.name]) for k in report.kernels)
    return _DispatchResult(costs, listings, launch_price(report))


def _mitigated(case: Case, dispatch: Dispatch) -> str:
    """The kernel's text with the mitigation; as it is where IREE has already put it there."""
    if case.mitigation == "swizzle":
        return _fixed(case, dispatch)
    if case.mitigation == "pr23778":
        from bankwise.change.passes.by_rule import by_rule
        from bankwise.change.passes.values import PassOptions
        from bankwise.read.mlir.module import open_text

        return by_rule(open_text(dispatch.text, str(case)), PassOptions(case.target)).text
    return dispatch.text


def _fixed(case: Case, dispatch: Dispatch) -> str:
    with TemporaryDirectory(prefix="bankwise-") as folder:
        path = Path(folder) / f"{dispatch.executable}.mlir"
        path.write_text(dispatch.text, "utf-8")
        return fix_kernels(path, Options(case.target), Judges(execute=False, isa=False)).fixed_text


def _compiled(text: str, kernel: KernelReport, name: str) -> Listing:
    size = kernel.workgroup_size
    found = compile_text(text, kernel.target, kernel=kernel.name, workgroup_size=size, file=name)
    if isinstance(found, Refusal):
        raise InputError(f"the rewritten kernel does not compile: {found.reason}")
    return found


def _row(counted: Sequence[_DispatchResult], dispatches: int) -> Row:
    """All dispatches in one row. The columns are listed in docs/sweep.md."""
    costs = [cost for one in counted for cost in one.costs]
    largest = max(costs, key=lambda c: c.run.passes, default=None)
    row: Row = {
        "dispatches": dispatches,
        "kernels": len(costs),
        "workgroups": _launches(costs, [1] * len(costs)),
        "passes_launch": _launches(costs, [c.run.passes for c in costs]),
        "ideal_launch": _launches(costs, [c.run.ideal for c in costs]),
        "extra_launch": _launches(costs, [c.run.extra for c in costs]),
        "cycles_launch": _cycles(counted),
        "lds_instructions": _launches(costs, [c.executed for c in costs]),
        "v_static": _family(counted, "v_*"),
        "s_static": _family(counted, "s_*"),
        "full_drains": sum(c.waits.full for c in costs),
        "partial_waits": sum(c.waits.partial for c in costs),
        "matrix_static": sum(len(c.waits.matrix) for c in costs),
        "mix": " ".join(f"{u.name}:{u.outside}+{u.inside}" for c in costs for u in c.mix),
    }
    return row | _largest(largest)


def _largest(cost: KernelCost | None) -> Row:
    """Sizes and occupancy of the kernel with the most passes."""
    if cost is None:
        return {"lds_bytes": 0}
    return {
        "threads": cost.usage.threads,
        "lds_bytes": cost.usage.lds_bytes,
        "vgprs": cost.usage.vgprs,
        "sgprs": cost.usage.sgprs,
        "resident_waves": cost.occupancy.resident_waves,
        "limited_by": " and ".join(cost.occupancy.limited_by),
        "trips": cost.trips,
    }


def _launches(costs: Sequence[KernelCost], per_workgroup: Sequence[int | None]) -> int | None:
    """A number of one workgroup for the whole launch, added up; None if any of it is unknown."""
    total = 0
    for cost, value in zip(costs, per_workgroup, strict=True):
        if cost.workgroups is None or value is None:
            return None
        total += cost.workgroups * value
    return total


def _cycles(counted: Sequence[_DispatchResult]) -> int | None:
    """Data and issue cycles of the loads and stores of all dispatches."""
    known = [one.price.cycles for one in counted if one.price is not None]
    return sum(known) if len(known) == len(counted) else None


def _family(counted: Sequence[_DispatchResult], name: str) -> int:
    return sum(one.totals.get(name, 0) for c in counted for one in c.listings)
