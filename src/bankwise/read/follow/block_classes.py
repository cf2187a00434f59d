"""The blocks of a launch whose grid is known, in classes that run alike.

A block's own index decides guards, rounds and lanes. The grid is followed as a whole first, every
number as it grows with the index (:mod:`bankwise.read.follow.blocks`). Where its blocks differ it
is cut, at the index at which they do, or by what the indices leave modulo a power of two, and all
parts are followed, down to single blocks if need be. Parts that touch the same bytes, with the same
lanes and as often, are one class:

    32 x 16 blocks of 32 x 32 threads, 1000 x 500 elements
        x 0-30, y 0-14      all lanes
        x 31, y 0-14        lanes 0 to 7 of each row
        x 0-30, y 15        the first 20 rows
        x 31, y 15          both

What is said of a part holds for each block in it, so the classes together are the whole launch.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from msgspec.structs import replace

from bankwise.read.assembly import AssemblyAccess, AssemblyKernel
from bankwise.read.launch.boxes import Box, Cut, Residues

MOST_PARTS = 256
MOST_WORK = 300_000
"""How many parts of a grid are followed, and how many steps they are worth together. Beyond, its
blocks are of more kinds than are told apart."""

Under = Callable[[Box], AssemblyKernel]
"""Follows a kernel in the blocks of a part of its grid."""


def block_classes(
    any_block: AssemblyKernel, under: Under, most: int = MOST_WORK
) -> tuple[AssemblyKernel, ...]:
    """The kernel once for each class of its blocks, the largest first; as it is for ``any_block``
    where its grid is not known, or its blocks are of too many kinds. ``most``: steps that all this
    is worth."""
    grid = any_block.launch.grid
    if grid is None or any_block.launch.assumed:
        return (any_block,)
    x, y, z = (range(count) for count in grid)
    parts = _parts((x, y, z), under, most)
    if parts is None:
        return (replace(any_block, notes=(*any_block.notes, _TOO_MANY)),)
    if any(len(one.refusals) > len(any_block.refusals) for one in parts):
        return (any_block,)
    alike: dict[Hashable, list[AssemblyKernel]] = {}
    for one in parts:
        alike.setdefault(_behaviour(one), []).append(one)
    found = [_together(some) for some in alike.values()]
    if len(found) == 1 and all(one.counted and not one.unknown for one in found[0].accesses):
        told = _ALIKE.format(many=found[0].blocks)
        return (replace(found[0], notes=(*found[0].notes, told)),)
    return tuple(sorted(found, key=lambda one: -one.blocks))


_ALIKE = "all {many:,} blocks of the launch run so: what their index decides is followed"
_TOO_MANY = "the blocks of the launch are of more kinds than are followed"


def _parts(grid: Box, under: Under, most: int) -> list[AssemblyKernel] | None:
    """The kernel in parts of a grid whose blocks run alike each; None where that takes too long."""
    waiting, found, work, many = [grid], list[AssemblyKernel](), 0, 0
    while waiting:
        box = waiting.pop()
        one = under(box)
        work, many = work + one.work, many + 1
        if one.cut is None:
            found.append(one)
            continue
        if work > most or many >= MOST_PARTS:
            return None
        waiting += reversed(_cut(box, one.cut))
    return found


def _cut(box: Box, cut: Cut | Residues) -> list[Box]:
    """The parts, the one in front first."""
    if isinstance(cut, Residues):
        axis, along = cut.axis, box[cut.axis]
        pieces = [along[n :: cut.modulus] for n in range(min(cut.modulus, len(along)))]
    else:
        axis, at = cut
        pieces = [box[axis][:at], box[axis][at:]]
    plain = (p if len(p) > 1 else range(p.start, p.start + 1) for p in pieces)
    return [_along(box, axis, piece) for piece in plain]


def _together(alike: Sequence[AssemblyKernel]) -> AssemblyKernel:
    boxes = _joined(sorted((box for one in alike for box in one.boxes), key=_first))
    return replace(alike[0], boxes=tuple(sorted(boxes, key=_first)))


def _joined(boxes: Sequence[Box]) -> list[Box]:
    """Parts that lie side by side as one, along x first: few, and the same however they were
    cut."""
    found = list(boxes)
    for axis in (0, 1, 2, 0, 1, 2):
        rows: dict[Hashable, list[Box]] = {}
        for box in found:
            rows.setdefault((*box[:axis], *box[axis + 1 :]), []).append(box)
        found = [one for row in rows.values() for one in _in_row(row, axis)]
    return found


def _in_row(row: Sequence[Box], axis: int) -> Iterator[Box]:
    """Parts that differ along one axis alone, those that touch, or alternate, joined."""
    alongs = sorted((box[axis] for box in row), key=lambda along: along.start)
    while (pair := _first_pair(alongs)) is not None:
        one, other, both = pair
        alongs = [both, *(a for a in alongs if a not in (one, other))]
        alongs.sort(key=lambda along: along.start)
    yield from (_along(row[0], axis, along) for along in alongs)


def _first_pair(alongs: Sequence[range]) -> tuple[range, range, range] | None:
    """Two parts along an axis that are one, and that one; parts that touch stand side by side."""
    apart = any(along.step > 1 for along in alongs)
    for n, one in enumerate(alongs):
        for other in alongs[n + 1 :] if apart else alongs[n + 1 : n + 2]:
            both = _as_one(one, other)
            if both is not None:
                return one, other, both
    return None


def _as_one(one: range, other: range) -> range | None:
    """Indices of which one part goes on where the other ends, or every second one is its own."""
    step, last = one.step, max(one[-1], other[-1])
    if step != other.step:
        return None
    if other.start == one[-1] + step:
        return range(one.start, last + step, step)
    if 2 * (other.start - one.start) == step and 0 <= len(one) - len(other) <= 1:
        return range(one.start, last + step // 2, step // 2)
    return None


def _along(box: Box, axis: int, along: range) -> Box:
    """A part with other indices along one axis."""
    x, y, z = (along if n == axis else one for n, one in enumerate(box))
    return x, y, z


def _first(box: Box) -> tuple[int, int, int]:
    """The first block of a part, in the order in which a grid counts them."""
    x, y, z = (along.start for along in box)
    return z, y, x


def _behaviour(one: AssemblyKernel) -> Hashable:
    """Equal for parts that run alike, as far as their accesses tell."""
    accesses = tuple(map(_touched, one.accesses))
    refusals = tuple((r.reason, r.location) for r in one.refusals)
    return accesses, refusals, tuple(one.open_branches.items()), one.executed


def _touched(one: AssemblyAccess) -> Hashable:
    patterns = tuple(
        (p.offsets_bytes.tobytes(), p.active.tobytes(), p.allocation, p.executions, p.really)
        for p in one.access.patterns
    )
    known = one.counted, one.unknown, one.some_lanes, one.anywhere, one.unit
    return one.access.shared_index, one.access.allocations, patterns, known
