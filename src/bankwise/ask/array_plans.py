"""The plans of one shared array of a source: maps of its rows, priced on the machine code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import prod

import numpy as np

from bankwise.algebra.address import AddressMap, Fold, Padded, RowFolds
from bankwise.algebra.offset import Shape
from bankwise.ask.advice import unseen_addresses, use_of
from bankwise.change.cxx.spell import IndexMap, Spelling, said, spellings, together
from bankwise.change.cxx.tile import as_tile
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.hardware.occupancy import Usage, occupancy
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.buffers import AddressPattern, uses_of
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.sizes import ArraySize, Sizes, ended
from bankwise.read.cxx.tree import CxxSource
from bankwise.solver.best import Best, best
from bankwise.solver.plan import Plan, priced
from bankwise.solver.spaces import (
    LAST_INDEX,
    LINEAR,
    PADDING,
    Space,
    bank_row,
    bit_folds,
    row_folds,
)
from bankwise.tile import Tile


@dataclass(frozen=True, slots=True, eq=False)
class ArrayPlan:
    """One map of an array, with the ways to write it and the passes it takes."""

    map: IndexMap
    spellings: tuple[Spelling, ...]
    passes: int
    optimum: str


@dataclass(frozen=True, slots=True, eq=False)
class SizedArray:
    """An array with its sizes in each of its ``kernels``; ``others``: in kernels of the text that
    were not asked for. ``number``: among those of the text."""

    number: int
    array: SharedArray
    sizes: tuple[ArraySize, ...]
    kernels: tuple[AssemblyKernel, ...]
    others: tuple[ArraySize, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ArrayPlans:
    """What can be done for an array, or for several that one function is given and that have one
    map therefore, the best first. ``present`` and ``ideal``: passes of the arrays as they are, and
    without conflicts.
    """

    arrays: tuple[SizedArray, ...]
    plans: tuple[ArrayPlan, ...]
    present: int
    ideal: int


@dataclass(frozen=True, slots=True, eq=False)
class _Posed:
    """The array in those kernels in which it has one size. ``scale``: elements of the tile in one
    of the array."""

    array: SharedArray
    size: ArraySize
    tile: Tile
    best: Best
    kernels: tuple[AssemblyKernel, ...]

    @property
    def scale(self) -> int:
        return self.size.element_bytes * 8 // self.tile.shape.element_bits

    @property
    def extra(self) -> Fraction:
        return self.best.present.passes - self.best.present.ideal


def plans_of(
    source: CxxSource,
    arrays: Mapping[int, SharedArray],
    kernels: Sequence[AssemblyKernel],
    sizes: Sizes,
    gpu: Machine,
    accessor: bool = False,
    only: str = "",
) -> ArrayPlans | Refusal | None:
    """The plans of an array, or of several that have one map; None where they have no conflicts, a
    Refusal where nothing is done. ``arrays``: by their number in the text; ``accessor``: write the
    map as a type wherever that can be done, not only where nothing else can; ``only``: names of the
    kernels that are asked about, as ``--kernel`` takes them."""
    found = tuple(_sized(number, array, kernels, sizes) for number, array in arrays.items())
    posed: list[_Posed] = []
    for one in found:
        some = _posed_of(one, gpu)
        if isinstance(some, Refusal):
            return replace(some, reason=f"{one.array.name}: {some.reason}")
        posed += some
    for one in found:
        if not one.kernels and (one.array.uses or one.array.refusals):
            left = f"no kernel of --kernel {only} has it; the others are left out"
            return Refusal(f"{one.array.name}: {left if only else _UNKNOWN[one.array.unsized]}")
    if not any(one.extra for one in posed):
        return None
    for one in found:
        if one.array.refusals:
            return _by_hand(source, one.array, one.array.refusals[0], posed, gpu)
    plans = _plans(source, sorted(posed, key=lambda one: -one.extra), gpu, accessor)
    if isinstance(plans, Refusal):
        names = ", ".join(one.array.name for one in found)
        why = replace(plans, reason=f"{names}: {plans.reason}")
        return _by_hand(source, found[0].array, why, posed, gpu)
    now = [one.best.present.run for one in posed]
    passes, ideal = (sum(getattr(run, what) for run in now) for what in ("passes", "ideal"))
    return ArrayPlans(found, plans, passes, ideal)


def _by_hand(
    source: CxxSource,
    array: SharedArray,
    refused: Refusal,
    posed: Sequence[_Posed],
    gpu: Machine,
) -> Refusal:
    """Why an array is not edited, and what its author could write at each of its lines."""
    mine = [one for one in posed if one.array == array and one.extra]
    first = max(mine, key=lambda one: one.extra, default=None)
    better = [] if first is None else _better(first, gpu)
    if first is None or not better:
        return refused
    lines = {source.place(use.span.start).line for use in array.uses}
    lines |= {one.location.line for one in array.refusals if one.location is not None}
    text = said(source, array, _index_map(better[0].layout, first))
    now, then = first.best.present.run.passes, better[0].run.passes
    return replace(
        refused,
        reason=f"{refused.reason}; by hand, wherever it is used (lines "
        f"{', '.join(map(str, sorted(lines)))}): {text}: {now:,} -> {then:,} passes by the plan, "
        "which nothing has proved",
    )


def _sized(
    number: int, array: SharedArray, kernels: Sequence[AssemblyKernel], sizes: Sizes
) -> SizedArray:
    having = tuple(k for k in kernels if number in sizes.get(k.name, {}))
    sized = tuple(_ended(sizes[k.name][number], k) for k in having)
    names = {k.name for k in having}
    others = (each[number] for name, each in sizes.items() if number in each and name not in names)
    return SizedArray(number, array, sized, having, tuple(others))


def _posed_of(found: SizedArray, gpu: Machine) -> list[_Posed] | Refusal:
    """An array, once for each size that it has."""
    alike: dict[ArraySize, list[tuple[AssemblyKernel, int]]] = {}
    for kernel, size in zip(found.kernels, found.sizes, strict=True):
        alike.setdefault(replace(size, start=0, room=(0, 0)), []).append((kernel, size.start))
    posed: list[_Posed] = []
    for size, same in alike.items():
        one = _posed(found.array, size, same, gpu)
        if isinstance(one, Refusal):
            return one
        posed += [one] if one is not None else []
    return posed


def _ended(size: ArraySize, kernel: AssemblyKernel) -> ArraySize:
    """An array that the launch sizes, up to the whole blocks of folds that its accesses reach."""
    long = ended(size, kernel.launch.shared_bytes or 0)
    if size.bytes_ or not long.bytes_:
        return long
    reached = max(
        (
            int(p.offsets_bytes[p.active].max()) + a.access.width_bytes - size.start
            for a in kernel.accesses
            for p in a.access.patterns
            if p.active.any()
        ),
        default=0,
    )
    whole = (-(-reached >> bits << bits) for bits in range(14, 6, -1))
    fits = next((n for n in whole if 0 < n <= long.bytes_), long.bytes_)
    return ended(replace(size, room=(size.start, size.start + fits)), 0)


_UNKNOWN = {
    True: "which bytes it takes is not known: pieces begin at one byte, or no kernel has it",
    False: "which bytes it takes is not known: it is in no kernel that was compiled",
}
"""Why nobody knows where an array lies, by whether it is unsized."""


def _plans(
    source: CxxSource, posed: Sequence[_Posed], gpu: Machine, accessor: bool
) -> tuple[ArrayPlan, ...] | Refusal:
    """The plans of the size that costs most, as far as they suit the others."""
    first, *others = posed
    plans: list[ArrayPlan] = []
    why: Refusal | None = None
    for plan in _better(first, gpu):
        map_ = _index_map(plan.layout, first)
        passes = [plan.run.passes, *(_passes(map_, one) for one in others)]
        ways = _spelled(source, map_, posed, accessor)
        if isinstance(ways, Refusal):
            why = why or ways
        elif None not in passes:
            known = first.best.known(plan)
            total = sum(n for n in passes if n is not None)
            plans.append(ArrayPlan(map_, ways, total, str(known)))
    if plans:
        return tuple(sorted(plans, key=lambda one: (one.passes, accessor and one.map.pad > 0)))
    return why or Refusal("no fold of its rows and no pitch takes fewer passes")


def _posed(
    array: SharedArray,
    size: ArraySize,
    kernels: Sequence[tuple[AssemblyKernel, int]],
    gpu: Machine,
) -> _Posed | Refusal | None:
    """The array and all that kernels do to it, each with its first byte there; None where none
    touches it."""
    if not size.bytes_:
        return Refusal("the launch decides how large it is", kernels[0][0].location)
    patterns: list[AddressPattern] = []
    for kernel, start in kernels:
        why = unseen_addresses(kernel)
        if why:
            return Refusal(why, kernel.location)
        found = uses_of(kernel.accesses, gpu, start, start + size.bytes_)
        if isinstance(found, Refusal):
            return found
        patterns += found
    if not patterns:
        return None
    tile = _tile(patterns, size, gpu)
    told = best(tile, gpu, _spaces(tile, size, gpu), certify=False)
    assert isinstance(told, Best), "every access names its instruction"
    return _Posed(array, size, tile, told, tuple(kernel for kernel, _ in kernels))


def _tile(patterns: Sequence[AddressPattern], size: ArraySize, gpu: Machine) -> Tile:
    """The array in the largest units that it and all accesses consist of."""
    bits = size.element_bytes
    for one in patterns:
        bits |= one.access.access.width_bytes
        bits |= int(np.bitwise_or.reduce(one.offsets_bytes[one.active], initial=0))
    unit = bits & -bits
    row = size.extents[-1] * size.element_bytes // unit
    uses = tuple(use_of(one, gpu, unit) for one in patterns)
    dims = (("n", row), ("m", prod(size.extents[:-1])))
    return Tile(Shape(dims[: len(size.extents)], 8 * unit), uses)


def _spaces(tile: Tile, size: ArraySize, gpu: Machine) -> list[Space]:
    """Folds and pitches that take nothing apart which the source, or the compiler, moves together;
    of rows also the sums of folds, searched exactly."""
    row, unit = tile.row, size.kept_bytes * 8 // tile.shape.element_bits
    if len(size.extents) == 1:
        flat = tuple(fold for fold in bit_folds(tile, gpu) if fold.unit % unit == 0)
        two = (RowFolds(row, pair) for pair in combinations(flat, 2) if _beside(*pair))
        return [Space(LINEAR, flat), Space(LINEAR, tuple(two))]
    folds = [f for f in row_folds(tile, [row]) if f.binary and f.unit % unit == 0]
    spaces = [Space(LAST_INDEX, tuple(folds))]
    if not row & (row - 1):
        spaces.append(Space(LAST_INDEX, rows=(row,)))
    wide = max(unit, tile.span)
    pads = tuple(Padded(row, pad) for pad in range(wide, bank_row(tile, gpu), wide))
    return [*spaces, Space(PADDING, pads)]


def _beside(one: Fold, other: Fold) -> bool:
    """Whether two folds change the same bits, and read others; then their order is no matter."""
    return (one.unit, one.phases) == (other.unit, other.phases)


def _better(posed: _Posed, gpu: Machine) -> list[Plan]:
    """The plans that take fewer passes, the fewest first; of equals a pitch where it costs no
    resident block, since it changes one place of the text."""
    present = posed.best.present

    def order(plan: Plan) -> tuple[object, ...]:
        more = plan.lds_bytes - present.lds_bytes
        padded = isinstance(plan.layout, Padded)
        free = padded and not any(_fewer(kernel, more, gpu) for kernel in posed.kernels)
        return plan.passes, not free, padded

    better = {p.layout: p for p in posed.best.plans if p.passes < present.passes}
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
    source: CxxSource, map_: IndexMap, posed: Sequence[_Posed], accessor: bool
) -> tuple[Spelling, ...] | Refusal:
    """The ways to write a map that suits every array and size: as their types where that is
    wanted, or where it is the only one."""
    sizes: dict[SharedArray, list[ArraySize]] = {}
    for one in posed:
        sizes.setdefault(one.array, []).append(one.size)
        if map_.folds and map_.unit * one.size.element_bytes % one.size.kept_bytes:
            return Refusal("the best fold takes apart what the source moves together")
    written, typed = (
        [way(source, array, map_, its) for array, its in sizes.items()]
        for way in (spellings, as_tile)
    )
    refused = next((one for one in written if isinstance(one, Refusal)), None)
    if (accessor or refused) and not any(isinstance(one, Refusal) for one in typed):
        written, refused = typed, None
    ways = [one for one in written if not isinstance(one, Refusal)]
    return refused or tuple(map(together, zip(*ways, strict=True)))


def _index_map(layout: AddressMap, posed: _Posed) -> IndexMap:
    """What a map of the tile does to the last index of the array."""
    scale, flat = posed.scale, len(posed.size.extents) == 1
    if isinstance(layout, Padded):
        return IndexMap(pad=layout.pad // scale)
    folds = layout.folds if isinstance(layout, RowFolds) else (layout,)
    each = scale if flat else posed.tile.row
    binary = (fold for fold in folds if isinstance(fold, Fold))
    return IndexMap(tuple(Fold(f.divisor // each, f.unit // scale, f.phases) for f in binary))


def _passes(map_: IndexMap, posed: _Posed) -> int | None:
    """What a map costs another size; None where it cannot have it."""
    scale, row = posed.scale, posed.tile.row
    if map_.pad:
        layout: AddressMap = Padded(row, map_.pad * scale)
    else:
        flat = len(posed.size.extents) == 1
        each = scale if flat else row
        folds = tuple(Fold(f.divisor * each, f.unit * scale, f.phases) for f in map_.folds)
        if any(row % fold.block for fold in folds):
            return None
        layout = folds[0] if flat and len(folds) == 1 else RowFolds(row, folds)
    plan = priced(posed.best.work, LAST_INDEX, layout)
    return None if isinstance(plan, Refusal) else plan.run.passes
