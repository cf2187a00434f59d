"""A shared array of a source as a question to the solver: all that machine code does to it.

Once for each size that it has, under every launch in which its accesses are known.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, islice
from math import prod

import numpy as np
from msgspec.structs import replace

from bankwise.algebra.address import Fold, Padded, RowFolds
from bankwise.algebra.offset import Shape
from bankwise.ask.advice import unseen_addresses, use_of
from bankwise.ask.advice_pitch import MOST_ROWS
from bankwise.ask.array_lines import without_others
from bankwise.ask.every_launch import (
    LaunchKey,
    Passes,
    every_launch,
    key_of,
    other_launches,
    over,
    planned,
    shown,
)
from bankwise.ask.judge_emitted import shorter_launch
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.hardware.policies import one_by_one
from bankwise.identity import ByIdentity
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.buffers import AddressPattern, uses_of
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.sizes import ArraySize, Sizes, ended
from bankwise.read.cxx.tree import CxxSource
from bankwise.read.follow.side_by_side import WORK
from bankwise.solver.best import Best, best
from bankwise.solver.known import Known, known_of
from bankwise.solver.plan import Plan
from bankwise.solver.spaces import (
    LAST_INDEX,
    LINEAR,
    PADDING,
    Space,
    bank_row,
    bit_folds,
    pitches,
    row_folds,
)
from bankwise.tile import Tile


class SizedArray(ByIdentity, frozen=True, eq=False):
    """An array with its sizes in each of its ``kernels``; ``others``: in kernels of the text that
    were not asked for. ``number``: among those of the text; ``elsewhere``: accesses whose addresses
    are not known are taken to be of other arrays, by their lines."""

    number: int
    array: SharedArray
    sizes: tuple[ArraySize, ...]
    kernels: tuple[AssemblyKernel, ...]
    others: tuple[ArraySize, ...]
    elsewhere: bool = False


class PosedArray(ByIdentity, frozen=True, eq=False):
    """The array in those kernels in which it has one size, under all launches that are planned for.
    ``owners``: by access of the tile whose it is. ``now``: the array as it is; ``parted``: which of
    its accesses the tile has narrower than they are, in words."""

    array: SharedArray
    size: ArraySize
    tile: Tile
    best: Best
    kernels: tuple[AssemblyKernel, ...]
    owners: tuple[LaunchKey, ...]
    now: Plan
    parted: tuple[str, ...] = ()

    @property
    def scale(self) -> int:
        """Elements of the tile in one of the array."""
        return self.size.element_bytes * 8 // self.tile.shape.element_bits

    @property
    def extra(self) -> Fraction:
        """Of all launches together, as the array is."""
        return self.now.passes - self.now.ideal

    @property
    def present(self) -> Passes:
        """As the array is."""
        return self.passes(self.now)

    @property
    def shown_extra(self) -> int:
        """Of the launches that are shown."""
        keys, ideal = shown(self.kernels), planned(self.now, self.owners, "ideal")
        return over(self.present, keys) - over(ideal, keys)

    def passes(self, plan: Plan) -> Passes:
        """What a plan takes in each launch."""
        return planned(plan, self.owners)

    def known(self, plan: Plan) -> Known:
        """How good a plan of it is known to be."""
        return known_of(self.best.work, plan, self.best.proof, self.parted)


def sized(
    number: int,
    array: SharedArray,
    source: CxxSource,
    kernels: Sequence[AssemblyKernel],
    sizes: Sizes,
    gpu: Machine,
) -> SizedArray:
    """An array under all launches in which it can be priced; the shown ones in any case."""
    whole = [k for k in kernels if number in sizes.get(k.name, {})]
    having = [_without_others(one, source, array) for one in whole]
    mine = {k.name: sizes[k.name][number] for k in having}
    known = other_launches(having, lambda one: _is_known(one, mine[one.name], gpu))
    launches = every_launch(known)
    found = tuple(_ended(mine[k.name], k) for k in launches)
    others = (each[number] for name, each in sizes.items() if number in each and name not in mine)
    elsewhere = any(one is not k for one, k in zip(having, whole, strict=True))
    return SizedArray(number, array, found, launches, tuple(others), elsewhere)


def _without_others(
    kernel: AssemblyKernel, source: CxxSource, array: SharedArray
) -> AssemblyKernel:
    """A kernel, and what stands beside it, without what is not known of accesses to other arrays;
    itself where that is nothing."""
    first, *others = (without_others(one, source, array) for one in (kernel, *kernel.others))
    same = first is kernel and all(map(operator.is_, others, kernel.others))
    return kernel if same else replace(first, others=tuple(others))


def _is_known(kernel: AssemblyKernel, size: ArraySize, gpu: Machine) -> bool:
    """Whether all that a kernel does to an array is known under a launch."""
    long = _ended(size, kernel)
    return bool(long.bytes_) and not unseen_addresses(kernel) and not _leaves(kernel, long, gpu)


def can_be(kernel: AssemblyKernel, sizes: Sizes, gpu: Machine) -> bool:
    """Whether a kernel may be launched so: under an assumed launch no access leaves an array."""
    mine = sizes.get(kernel.name, {}).values() if kernel.launch.assumed else ()
    return not any(size.bytes_ and _leaves(kernel, size, gpu) for size in mine)


def _leaves(kernel: AssemblyKernel, size: ArraySize, gpu: Machine) -> bool:
    """Whether an access reaches beyond an array into what is no part of it."""
    stop = size.start + size.bytes_
    return isinstance(uses_of(kernel.accesses, gpu, size.start, stop), Refusal)


def posed_of(found: SizedArray, gpu: Machine) -> list[PosedArray] | Refusal:
    """An array, once for each size that it has."""
    alike: dict[ArraySize, list[tuple[AssemblyKernel, int]]] = {}
    for kernel, size in zip(found.kernels, found.sizes, strict=True):
        alike.setdefault(replace(size, start=0, room=(0, 0)), []).append((kernel, size.start))
    posed: list[PosedArray] = []
    for size, same in alike.items():
        one = _posed(found.array, size, same, gpu)
        if isinstance(one, Refusal):
            return one
        posed += [one] if one is not None else []
    return posed


def _ended(size: ArraySize, kernel: AssemblyKernel) -> ArraySize:
    """An array that the launch sizes, up to the whole blocks of folds that its accesses reach;
    where nobody says how large it is, up to the whole rows that they reach: it has these."""
    long = ended(size, kernel.launch.shared_bytes or 0)
    reached = _reached(size, kernel)
    if kernel.launch.shared_bytes is None and not long.bytes_:
        row = prod(size.extents[1:]) * size.element_bytes
        return ended(replace(size, room=(size.start, size.start + -(-reached // row) * row)), 0)
    if size.bytes_ or not long.bytes_:
        return long
    whole = (-(-reached >> bits << bits) for bits in range(14, 6, -1))
    fits = next((n for n in whole if 0 < n <= long.bytes_), long.bytes_)
    return ended(replace(size, room=(size.start, size.start + fits)), 0)


def _reached(size: ArraySize, kernel: AssemblyKernel) -> int:
    """Bytes from an array's first one to the last that any access of the kernel touches."""
    return max(
        (
            int(p.offsets_bytes[p.active].max()) + a.access.width_bytes - size.start
            for a in kernel.accesses
            for p in a.access.patterns
            if p.active.any()
        ),
        default=0,
    )


def _posed(
    array: SharedArray,
    size: ArraySize,
    kernels: Sequence[tuple[AssemblyKernel, int]],
    gpu: Machine,
) -> PosedArray | Refusal | None:
    """The array and all that kernels do to it, each with its first byte there; None where none
    touches it."""
    if not size.bytes_:
        return Refusal(
            "the launch decides how large it is, and gives no bytes", kernels[0][0].location
        )
    patterns: list[AddressPattern] = []
    owners: list[LaunchKey] = []
    for kernel, start in kernels:
        why = unseen_addresses(kernel)
        if why:
            way_on = shorter_launch(kernel.launch) * (WORK in why)
            return Refusal(f"{why}{way_on}", kernel.location)
        found = uses_of(kernel.accesses, gpu, start, start + size.bytes_)
        if isinstance(found, Refusal):
            return found
        patterns += found
        owners += [key_of(kernel)] * len(found)
    if not patterns:
        return None
    single = one_by_one(gpu)
    tile = _tile(patterns, size, single)
    told = best(tile, single, spaces_of(tile, size, single), certify=False)
    if isinstance(told, Refusal):  # the machine faults on it as it is
        return told
    every = tuple(k for k, _ in kernels)
    return PosedArray(array, size, tile, told, every, tuple(owners), told.present)


_LONGEST = 8
"""Bytes of an element of a tile, at most."""


def _tile(patterns: Sequence[AddressPattern], size: ArraySize, gpu: Machine) -> Tile:
    """The array in the largest units that it and all accesses consist of."""
    bits = size.element_bytes | _LONGEST
    for one in patterns:
        bits |= one.access.access.width_bytes
        bits |= int(np.bitwise_or.reduce(one.offsets_bytes[one.active], initial=0))
    unit = bits & -bits
    row = size.extents[-1] * size.element_bytes // unit
    uses = tuple(use_of(one, gpu, unit) for one in patterns)
    dims = (("n", row), ("m", prod(size.extents[:-1])))
    return Tile(Shape(dims[: len(size.extents)], 8 * unit), uses)


def spaces_of(tile: Tile, size: ArraySize, gpu: Machine) -> list[Space]:
    """Folds and pitches that take nothing apart which the source, or the compiler, moves together;
    also the sums of folds, searched exactly: inside rows, and across them, as ``check`` does."""
    row, unit = tile.row, size.kept_bytes * 8 // tile.shape.element_bits
    if len(size.extents) == 1:
        flat = tuple(fold for fold in bit_folds(tile, gpu) if fold.unit % unit == 0)
        two = (RowFolds(row, pair) for pair in combinations(flat, 2) if _beside(*pair))
        return [
            Space(LINEAR, flat, linear=True),
            Space(LINEAR, tuple(two)),
            *_flat(tile, size, gpu),
            *_behind_banks(tile, max(unit, tile.span), gpu),
        ]
    folds = [f for f in row_folds(tile, [row]) if _by_rows(f, row) and f.unit % unit == 0]
    spaces = [Space(LAST_INDEX, tuple(folds))]
    if not row & (row - 1):
        spaces.append(Space(LAST_INDEX, rows=(row,)))
        within = row * size.extents[-2] if len(size.extents) > 2 else 0
        places = (f for f in bit_folds(tile, gpu) if f.unit % unit == 0)
        inside = tuple(f for f in places if not within or within % (f.divisor * f.phases) == 0)
        spaces.append(Space(LINEAR, inside, linear=not within))
    if not size.extents[0]:  # the launch gives its bytes, and no more
        return spaces
    wide = max(unit, tile.span)
    pads = tuple(Padded(row, pad) for pad in range(wide, bank_row(tile, gpu), wide))
    return [*spaces, Space(PADDING, pads), *_behind_banks(tile, wide, gpu)]


def _behind_banks(tile: Tile, wide: int, gpu: Machine) -> Iterator[Space]:
    """Pads behind all that lies side by side in the banks, inside rows and in an array of one
    dimension, of powers of two times what has to stay together: what lanes do along a row no longer
    row makes better, and of accesses that go on from row to row nothing else is a row."""
    part = bank_row(tile, gpu)
    pads = tuple(Padded(part, wide << n) for n in range(part.bit_length()) if wide << n < part)
    if pads and part < tile.row and tile.row % part == part % wide == 0:
        yield Space(PADDING, pads)


def _flat(tile: Tile, size: ArraySize, gpu: Machine) -> Iterator[Space]:
    """Pitches of one dimension: behind rows that the lanes step by, in whole units of what the
    source moves together."""
    unit = size.kept_bytes * 8 // tile.shape.element_bits
    for maps in islice(pitches(tile, gpu), MOST_ROWS):
        whole = tuple(m for m in maps if m.row % unit == m.pad % unit == 0)
        if whole and tile.shape.elements % whole[0].row == 0:
            yield Space(PADDING, whole)


def _by_rows(layout: RowFolds, row: int) -> bool:
    """Whether folds read bits of the number of the row, or of the element: of rows of any length,
    like 40, they exchange chunks in the part of the row that is a power of two."""
    return all(replace(f, divisor=f.divisor // row).binary for f in layout.folds) or layout.binary


def _beside(one: Fold, other: Fold) -> bool:
    """Whether two folds change the same bits, and read others; then their order is no matter."""
    return (one.unit, one.phases) == (other.unit, other.phases)
