"""Floors by the pigeonhole principle, of accesses of any kind: masked, odd sizes, two addresses.

A floor holds for every layout, linear or not and of any size, that leaves each access the
instructions it is issued with. What is used of such a layout:

* it puts every element in a place of its own, and what a lane moves at once side by side;
* a vector that has to be aligned, to A bytes, fixes the place of each of its elements modulo A.

A phase that touches n different elements at one place modulo A needs n words in each of the banks'
residue classes that it covers, and such a class has banks * 4 / A banks:

    passes >= ceil(n * A / (4 * banks))

The worked case, 48 x 80 f16 on gfx942, written by 16 bytes and read by 8: every read of a phase of
32 lanes starts at byte 0 or 8 modulo 16, 16 lanes each; 16 * 16 / 128 = 2 passes, where 1 is ideal.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from msgspec import Struct

from bankwise.algebra.address import AddressMap
from bankwise.counting.access import BoolArray, IntArray, distinct, row_bytes
from bankwise.counting.conflict import phases
from bankwise.errors import Refusal
from bankwise.hardware.machine import BANK_BYTES, Instruction
from bankwise.hardware.policies import Issue
from bankwise.identity import ByIdentity
from bankwise.solver.price import MOST_ALIGNMENT, Workload, selected
from bankwise.tile import COPIES, Use, times_of

Whole = tuple[tuple[Issue, ...], int]
"""The instructions of an access that is aligned well, and the bytes that they want."""


ExecutionFloors = dict[object, int]
"""What executions take at least, by what they have in common."""


class Floor(Struct, frozen=True):
    """Passes that an access takes at least, as the mean of its executions, while it is ``issues``.

    ``alignment_bytes``: the least that these instructions are chosen for.
    """

    issues: tuple[Issue, ...]
    alignment_bytes: int
    passes: Fraction
    weight: int


class Floors(Struct, frozen=True):
    """Of all accesses of a tile."""

    uses: tuple[Floor, ...]

    @property
    def passes(self) -> Fraction:
        """Weight times passes."""
        return sum((u.weight * u.passes for u in self.uses), Fraction())


class _Places(ByIdentity, frozen=True, eq=False):
    """Of each element: it lies at ``place`` modulo ``step`` bytes, in every layout."""

    step: IntArray
    place: IntArray


def floors(work: Workload, prices: ExecutionFloors | None = None) -> Floors | Refusal:
    """The floor of every access; a Refusal where one has no instruction at all. ``prices``: known
    ones of the same machine and elements, which get those that are computed here."""
    whole: list[Whole] = []
    known: dict[object, Whole | Refusal] = {}
    for use in work.uses:
        alike = use.op, use.span, use.kind, use.named, use.operation
        key = *alike, use.issues, use.alignment_bytes
        if key not in known:
            known[key] = _whole(work, use)
        issued = known[key]
        if isinstance(issued, Refusal):
            return issued
        whole.append(issued)
    places = _places(work, whole)
    known_prices = {} if prices is None else prices
    found = (
        Floor(issues, alignment, _passes(work, use, issues, places, known_prices), use.weight)
        for use, (issues, alignment) in zip(work.uses, whole, strict=True)
    )
    return Floors(tuple(found))


def _whole(work: Workload, use: Use) -> Whole | Refusal:
    """The instructions of an access that is aligned as well as can be, and what they need."""
    if use.kind in COPIES or use.named:
        return use.issues, max(1, use.alignment_bytes)
    issues = use.issues or selected(work, use, MOST_ALIGNMENT)
    if isinstance(issues, Refusal):
        return issues
    least = MOST_ALIGNMENT
    while least > 1 and _same(work, use, issues, least // 2):
        least //= 2
    return issues, least


def _same(work: Workload, use: Use, issues: tuple[Issue, ...], alignment: int) -> bool:
    if use.issues and alignment >= use.alignment_bytes:
        return True
    return selected(work, use, alignment) == issues


def _places(work: Workload, whole: list[Whole]) -> _Places:
    """What the alignment of some access says of the elements that it touches.

    Copies say nothing: between padded rows they may begin anywhere.
    """
    bits = work.shape.element_bits
    step = np.ones(work.shape.elements, np.int64)
    place = np.zeros(work.shape.elements, np.int64)
    for use, (_, alignment) in zip(work.uses, whole, strict=True):
        touched = use.elements[use.active]
        for number in range(0 if use.kind in COPIES else use.span):
            elements = touched[:, number]
            elements = elements[step[elements] < alignment]
            step[elements] = alignment
            place[elements] = number * bits // 8 % alignment
    return _Places(step, place)


def _passes(
    work: Workload, use: Use, issues: tuple[Issue, ...], places: _Places, prices: ExecutionFloors
) -> Fraction:
    """The mean over the executions of an access."""
    rows = [work.machine.instruction(issue.instruction) for issue in issues]
    if use.kind in COPIES:
        return Fraction(sum(len(row.phases) for row in rows))
    times = times_of(use)
    total = 0
    for number, (key, often) in enumerate(zip(_keys(use, places), times.tolist(), strict=True)):
        alike = issues, use.elements.shape, key
        if alike not in prices:
            wave, active = use.elements[number], use.active[number]
            prices[alike] = _execution(work, wave, active, issues, rows, places)
        total += often * prices[alike]
    return Fraction(total, int(times.sum()))


def _execution(
    work: Workload,
    wave: IntArray,
    active: BoolArray,
    issues: tuple[Issue, ...],
    rows: list[Instruction],
    places: _Places,
) -> int:
    """What one execution takes at least."""
    total = 0
    for issue, row in zip(issues, rows, strict=True):
        for part in range(row.addresses):
            first = issue.offset_bytes + part * row.width_bytes
            for lanes in phases(row, wave[:, 0], active):
                moved = wave[[lane for lane in lanes if active[lane]]]
                total += _phase(row, first, moved, places, work.shape.element_bits)
    return total


def _keys(use: Use, places: _Places) -> Iterator[tuple[bytes, bytes, bytes]]:
    """What executions have in common that differ by no more than a shift that keeps all places."""
    lead = np.take_along_axis(use.elements[..., 0], use.active.argmax(axis=1)[:, None], axis=1)
    starts = np.where(use.active, use.elements[..., 0], lead)
    moved = np.where(use.active[..., None], use.elements - starts[:, :1, None], -1)
    alike = moved, places.step[starts], places.place[starts]
    return zip(*map(row_bytes, alike), strict=True)


def _phase(row: Instruction, first: int, moved: IntArray, places: _Places, bits: int) -> int:
    """What one phase takes at least; ``moved``: [lanes, elements], ``first``: byte of the lane."""
    if not len(moved):
        return 0
    window = moved[:, 8 * first // bits : max(1, 8 * (first + row.width_bytes) // bits)]
    words = -(-len(distinct(window)) * bits // (8 * BANK_BYTES))
    starts = distinct(moved[:, 0])
    steps = places.step[starts]
    classes = steps * int(steps.max()) + (places.place[starts] + first) % steps
    lanes = np.bincount(classes)[classes]
    fixed = int((lanes * np.where(steps > BANK_BYTES, steps, 0)).max())
    return max(1, -(-words // row.banks), -(-fixed // (row.banks * BANK_BYTES)))


def leaves_whole(work: Workload, layout: AddressMap) -> bool:
    """Whether every access keeps its instructions under a layout, aligned as they want it."""
    for use in work.uses:
        whole = _whole(work, use)
        places = layout(use.elements[..., 0][use.active]) * work.shape.element_bits
        aligned = isinstance(whole, tuple) and not (places % (8 * whole[1])).any()
        if not aligned and use.kind not in COPIES:
            return False
    return True
