"""The plans of one shared array of a CUDA source: maps of its rows, priced on the machine code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from bankwise.algebra.address import Fold, Padded, RowFolds
from bankwise.algebra.offset import Shape
from bankwise.ask.advice import unseen_addresses, use_of
from bankwise.change.cxx.spell import Spelling, spellings
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.hardware.occupancy import Usage, occupancy
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.buffers import AddressPattern, uses_of
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.sizes import ArraySize, Sizes
from bankwise.read.cxx.tree import Source
from bankwise.solver.best import Best, best
from bankwise.solver.plan import Plan
from bankwise.solver.spaces import LAST_INDEX, PADDING, Space, bank_row, row_folds
from bankwise.tile import Tile


@dataclass(frozen=True, slots=True, eq=False)
class ArrayPlan:
    """One map of an array, in its elements, with the ways to write it and the passes it takes."""

    spellings: tuple[Spelling, ...]
    passes: int
    optimum: str


@dataclass(frozen=True, slots=True, eq=False)
class ArrayPlans:
    """What can be done for an array, the best first. ``number``: among the arrays of the text;
    ``sizes``: in each of its ``kernels``. ``present`` and ``ideal``: passes of the array as it is,
    and without conflicts.
    """

    number: int
    array: SharedArray
    sizes: tuple[ArraySize, ...]
    kernels: tuple[str, ...]
    plans: tuple[ArrayPlan, ...]
    present: int
    ideal: int


def plans_of(
    source: Source,
    number: int,
    array: SharedArray,
    kernels: Sequence[AssemblyKernel],
    sizes: Sizes,
    gpu: Machine,
) -> ArrayPlans | Refusal | None:
    """The plans of an array; None where it has no conflicts, a Refusal where nothing is done."""
    having = [k for k in kernels if number in sizes.get(k.name, {})]
    mine = tuple(sizes[k.name][number] for k in having)
    tile = _posed(having, mine, gpu)
    if not isinstance(tile, Tile):
        return tile
    found = best(tile, gpu, _spaces(tile, mine[0], gpu), certify=False)
    assert isinstance(found, Best), "every access names its instruction"
    if found.present.passes == found.present.ideal:
        return None
    if array.refusals:
        return array.refusals[0]
    spelled = [
        _spelled(source, array, plan, found, mine[0]) for plan in _better(found, having, gpu)
    ]
    plans = tuple(one for one in spelled if isinstance(one, ArrayPlan))
    if not plans:
        none = Refusal(f"{array.name}: no fold of its rows and no pitch takes fewer passes")
        return next((one for one in spelled if isinstance(one, Refusal)), none)
    now = found.present.run
    names = tuple(kernel.name for kernel in having)
    return ArrayPlans(number, array, mine, names, plans, now.passes, now.ideal)


def _posed(
    having: Sequence[AssemblyKernel], mine: Sequence[ArraySize], gpu: Machine
) -> Tile | Refusal | None:
    """The array and all that the kernels do to it; None where no kernel has it or touches it."""
    if not having:
        return None
    for kernel in having:
        why = unseen_addresses(kernel)
        if why:
            return Refusal(f"{kernel.name}: {why}", kernel.location)
    if len({replace(size, start=0) for size in mine}) > 1:
        return Refusal("its extents differ between the kernels of this source", having[0].location)
    if not mine[0].bytes_:
        return Refusal("the launch decides how large it is", having[0].location)
    patterns: list[AddressPattern] = []
    for kernel, size in zip(having, mine, strict=True):
        found = uses_of(kernel.accesses, gpu, size.start, size.start + size.bytes_)
        if isinstance(found, Refusal):
            return found
        patterns += found
    return _tile(patterns, mine[0], gpu) if patterns else None


def _tile(patterns: Sequence[AddressPattern], size: ArraySize, gpu: Machine) -> Tile:
    """The array in the largest units that it and all accesses consist of."""
    bits = size.element_bytes
    for one in patterns:
        bits |= one.access.access.width_bytes
        bits |= int(np.bitwise_or.reduce(one.offsets_bytes[one.active], initial=0))
    unit = bits & -bits
    row = size.extents[-1] * size.element_bytes // unit
    uses = tuple(use_of(one, gpu, unit) for one in patterns)
    return Tile(Shape((("n", row), ("m", prod(size.extents[:-1]))), 8 * unit), uses)


def _spaces(tile: Tile, size: ArraySize, gpu: Machine) -> list[Space]:
    """Folds of rows and pitches that take nothing apart which the source moves together, and the
    sums of folds that are searched exactly."""
    row, unit = tile.row, size.kept_bytes * 8 // tile.shape.element_bits
    folds = [f for f in row_folds(tile, [row]) if f.binary and f.unit % unit == 0]
    spaces = [Space(LAST_INDEX, tuple(folds))]
    if not row & (row - 1):
        spaces.append(Space(LAST_INDEX, rows=(row,)))
    pads = tuple(Padded(row, pad) for pad in range(unit, bank_row(tile, gpu), unit))
    return [*spaces, Space(PADDING, pads)]


def _better(found: Best, having: Sequence[AssemblyKernel], gpu: Machine) -> list[Plan]:
    """The plans that take fewer passes, the fewest first; of equals a pitch where it costs no
    resident block, since it changes one place of the text."""

    def order(plan: Plan) -> tuple[object, ...]:
        more = plan.lds_bytes - found.present.lds_bytes
        free = isinstance(plan.layout, Padded) and not any(_fewer(k, more, gpu) for k in having)
        return plan.passes, not free, isinstance(plan.layout, Padded)

    better = {p.layout: p for p in found.plans if p.passes < found.present.passes}
    return sorted(better.values(), key=order)


def _fewer(kernel: AssemblyKernel, more_bytes: int, gpu: Machine) -> bool:
    """Whether fewer blocks fit a unit with more shared memory; registers are not considered."""
    used = (kernel.lds_bytes or 0) + (kernel.launch.shared_bytes or 0)
    now, then = (
        occupancy(gpu, Usage(prod(kernel.workgroup_size), used + more)).workgroups
        for more in (0, more_bytes)
    )
    return then < now


def _spelled(
    source: Source, array: SharedArray, plan: Plan, found: Best, size: ArraySize
) -> ArrayPlan | Refusal:
    scale = size.element_bytes * 8 // plan.shape.element_bits
    layout = _in_elements(plan, scale)
    if isinstance(layout, RowFolds) and layout.unit * size.element_bytes % size.kept_bytes:
        return Refusal(f"{array.name}: {layout} takes apart what the source moves together")
    rows = size.extents[-2] if len(size.extents) > 2 else 0
    ways = spellings(source, array, layout, rows)
    if isinstance(ways, Refusal):
        return replace(ways, reason=f"{array.name}: {ways.reason}")
    return ArrayPlan(ways, plan.run.passes, str(found.known(plan)))


def _in_elements(plan: Plan, scale: int) -> RowFolds | Padded:
    """The map in elements of the array, which are ``scale`` of the tile's."""
    layout = plan.layout
    if isinstance(layout, Padded):
        return Padded(layout.row // scale, layout.pad // scale)
    assert isinstance(layout, RowFolds), "the spaces have no others"
    folds = (Fold(f.divisor // scale, f.unit // scale, f.phases) for f in layout.folds)
    return RowFolds(layout.row // scale, tuple(folds))
