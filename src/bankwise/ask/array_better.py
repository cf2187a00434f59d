"""Which plans of a shared array take fewer passes, and what they do to its indices."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from msgspec.structs import replace

from bankwise.algebra.address import AddressMap, Fold, Identity, Padded, RowFolds
from bankwise.ask.advice import address_fold
from bankwise.ask.array_posed import PosedArray, spaces_of
from bankwise.ask.every_launch import key_of, serves
from bankwise.change.cxx.index_map import IndexMap
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.hardware.occupancy import Usage, occupancy
from bankwise.read.assembly import AssemblyKernel
from bankwise.solver.best import Best, best
from bankwise.solver.plan import Plan, priced


def better(posed: PosedArray, gpu: Machine) -> list[tuple[Plan, IndexMap]]:
    """The plans that take fewer passes, the fewest first, as the indices can say them; of equals a
    pitch where it costs no resident block, since it changes one place of the text (of an array of
    one dimension, and inside rows, it changes each index, as a fold does, and comes last), and what
    stays in its row before what does not."""

    def inside(plan: Plan) -> bool:
        return posed.size.flat or getattr(plan.layout, "row", posed.tile.row) != posed.tile.row

    def order(plan: Plan) -> tuple[object, ...]:
        padded = isinstance(plan.layout, Padded)
        short = not padded or inside(plan) or _crowds(plan, posed, gpu)
        return plan.passes, short, padded

    every = tuple(one for one in posed.best.plans if not isinstance(one.layout, Identity))
    if not any(serves(posed.present, posed.passes(plan)) for plan in every):
        every = every if posed.parted else (*every, *(plan for _, plan in alone(posed)))
    better = sorted((p for p in every if serves(posed.present, posed.passes(p))), key=order)
    said_ = {index_map(plan.layout, posed): plan for plan in reversed(better)}
    return [(plan, map_) for map_, plan in reversed(said_.items()) if map_ is not None]


def alone(posed: PosedArray) -> Iterator[tuple[AssemblyKernel, Plan]]:
    """The plans for each launch by itself, with what they take in all of them."""
    keys, gpu = dict.fromkeys(posed.owners), posed.best.work.machine
    for kernel in (one for one in posed.kernels if key_of(one) in keys and len(keys) > 1):
        owned = zip(posed.tile.uses, posed.owners, strict=True)
        mine = tuple(use for use, owner in owned if owner == key_of(kernel))
        tile = replace(posed.tile, uses=mine)
        told = best(tile, gpu, spaces_of(tile, posed.size, gpu), certify=False)
        assert isinstance(told, Best), "every access names its instruction"
        for one in told.plans:
            plan = priced(posed.best.work, one.space, one.layout)
            if not isinstance(plan, Refusal):
                yield kernel, plan


def _crowds(plan: Plan, posed: PosedArray, gpu: Machine) -> bool:
    """Whether fewer blocks fit a unit with a plan, in some launch."""
    more = plan.lds_bytes - posed.now.lds_bytes
    return any(_fewer(kernel, more, gpu) for kernel in posed.kernels)


def _fewer(kernel: AssemblyKernel, more_bytes: int, gpu: Machine) -> bool:
    """Whether fewer blocks fit a unit with more shared memory; registers are not considered."""
    used = (kernel.lds_bytes or 0) + (kernel.launch.shared_bytes or 0)
    now, then = (
        occupancy(gpu, Usage(prod(kernel.workgroup_size), used + more)).workgroups
        for more in (0, more_bytes)
    )
    return then < now


def index_map(layout: AddressMap, posed: PosedArray) -> IndexMap | None:
    """What a map of the tile does to the last indices of the array; None where they cannot say it.

    That of places is one of rows where it says no more than that.
    """
    scale, row, flat = posed.scale, posed.tile.row, len(posed.size.extents) == 1
    if isinstance(layout, Padded):
        if layout.pad % scale or layout.row % scale:
            return None
        whole = not flat and layout.row == row
        return IndexMap(pad=layout.pad // scale, row=0 if whole else layout.row // scale)
    folds = layout.folds if isinstance(layout, RowFolds) else _folds(layout)
    if folds is None or any(fold.unit % scale or fold.divisor % scale for fold in folds):
        return None
    rows = not flat and all(f.divisor % row == 0 and f.block <= row for f in folds)
    each = row if rows else scale
    known = tuple(Fold(f.divisor // each, f.unit // scale, f.phases) for f in folds)
    return IndexMap(known, columns=0 if rows or flat else row // scale)


def _folds(layout: AddressMap) -> tuple[Fold, ...] | None:
    """A linear map as folds of which none changes what another reads."""
    made = address_fold(layout, 1)
    return None if made is None else made.folds
