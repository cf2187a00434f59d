"""A layout with its price, and which layouts of a space are worth pricing.

:func:`priced` counts one layout on every access and makes a :class:`Plan` of it; :func:`worth`
looks at all maps of a space first, as many at once as can be, and keeps those that may be the best.
Whoever ranks layouts (:mod:`bankwise.solver.best`, and :mod:`bankwise.solver.answer` for a table of
all families) does it with these two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from bankwise.algebra.address import AddressMap, Fold, Identity, Linear, Padded, RowFolds
from bankwise.algebra.offset import Dims, Shape, footprint, offset_text, operations
from bankwise.counting.cost import Cost
from bankwise.errors import Refusal
from bankwise.solver.price import LayoutCost, Workload, cost, fills_rows, linear_totals
from bankwise.solver.spaces import Space
from bankwise.solver.stacked import MOST_LANES, lanes, stacked, totals
from bankwise.tile import Tile


@dataclass(frozen=True, slots=True)
class Plan:
    """One layout of a tile with its price. ``cost`` holds, by access, what it becomes.

    ``space``: of which it is the best, or a member; ``label``: which, in words or a notation;
    ``tried``: how many layouts were counted to find it. ``lds_bytes``: its footprint, with all
    ``stages`` (the outermost last); ``addresses``: that its accesses issue, a two-address
    instruction two.
    """

    space: str
    shape: Shape
    layout: AddressMap
    cost: LayoutCost
    lds_bytes: int
    addresses: int
    label: str = ""
    tried: int = 1
    stages: Dims = ()

    @property
    def passes(self) -> Fraction:
        """Weight times passes of all accesses."""
        return self.cost.passes

    @property
    def ideal(self) -> Fraction:
        """Weight times passes without conflicts."""
        return self.cost.ideal

    @property
    def instructions(self) -> int:
        """Weight times executed instructions."""
        return self.cost.instructions

    @property
    def run(self) -> Cost:
        """The passes of a kernel, whose accesses weigh what they are executed."""
        assert self.passes.denominator == self.ideal.denominator == 1, "executed so many times"
        return Cost(self.passes.numerator, self.ideal.numerator)

    @property
    def pitch(self) -> int | None:
        """Elements from row to row, where rows are padded."""
        return self.layout.row + self.layout.pad if isinstance(self.layout, Padded) else None

    @property
    def offset(self) -> str:
        """The element offset as an expression of the coordinates, in Python."""
        text = offset_text(self.shape, self.layout)
        if not self.stages:
            return text
        terms, step = [f"({text})"], stage_pitch(self.shape, self.layout)
        for name, size in self.stages:
            terms.insert(0, f"{step} * {name}")
            step *= size
        return " + ".join(terms)

    @property
    def operations(self) -> int:
        """Integer operations of the address of one stage, beyond row-major."""
        return operations(self.shape, self.layout)

    @property
    def name(self) -> str:
        """The label, or the address."""
        return self.label or self.offset

    @property
    def price(self) -> tuple[Fraction, int, int]:
        """What plans are compared by: passes, addresses, bytes."""
        return self.passes, self.addresses, self.lds_bytes

    @property
    def full_price(self) -> tuple[Fraction, int, int, int]:
        """The same where the address is written anew: passes, instructions, bytes, operations."""
        return self.passes, self.instructions, self.lds_bytes, self.operations


def stage_pitch(shape: Shape, layout: AddressMap) -> int:
    """Elements from one stage to the next: its last row keeps its pad."""
    if isinstance(layout, Padded):
        return shape.elements + shape.elements // layout.row * layout.pad
    return shape.elements


def plan_of(
    work: Workload, space: str, layout: AddressMap, found: LayoutCost, label: str = ""
) -> Plan:
    """The plan of a layout that is priced already."""
    size = work.shape.bytes_of(footprint(work.shape, layout)) * work.tile.batch
    return Plan(space, work.shape, layout, found, size, found.addresses(work.machine), label)


def priced(work: Workload, space: str, layout: AddressMap, label: str = "") -> Plan | Refusal:
    """Count one layout on every access; a Refusal where it is not legal."""
    found = cost(work, layout)
    return found if isinstance(found, Refusal) else plan_of(work, space, layout, found, label)


def front(
    plans: Iterable[Plan], price: Callable[[Plan], tuple[Fraction | int, ...]]
) -> tuple[Plan, ...]:
    """The plans that no other beats or equals in everything, the fewest passes first."""
    kept: list[tuple[tuple[Fraction | int, ...], Plan]] = []
    for mine, plan in sorted(((price(p), p) for p in plans), key=lambda pair: pair[0]):
        if not any(all(a <= b for a, b in zip(k, mine, strict=True)) for k, _ in kept):
            kept.append((mine, plan))
    return tuple(plan for _, plan in kept)


def number(value: Fraction) -> str:
    """A mean of passes, without a fraction where it has none."""
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.2f}"


def worth(
    space: Space, work: Workload, issued: Workload | None = None
) -> tuple[int, tuple[AddressMap, ...]]:
    """How many maps of a space were looked at, and those to be priced.

    Of maps that can be counted all at once only the best, the first of equals or, where legality
    was looked at besides, the one with the cheapest address. ``issued``: the same work with every
    access as it is written now.
    """
    if space.together:
        return _together(space.maps, work, issued or work)
    quick = [m for m in space.maps if work.linear and isinstance(m, Linear)]
    slow = [m for m in space.maps if not (work.linear and isinstance(m, Linear))]
    return len(space.maps), (*slow, *_cheapest(work, quick))


def _cheapest(work: Workload, maps: Sequence[Linear]) -> list[Linear]:
    """Of linear maps those with the fewest passes; of these, the one with the cheapest text."""
    sums = linear_totals(work, maps) if maps else ()
    least = min((int(total) for total in sums if total >= 0), default=None)
    if least is None:
        return []
    among = [m for m, total in zip(maps, sums, strict=True) if total == least]
    return [min(among, key=lambda m: operations(work.shape, m))]


def _together(
    maps: Sequence[AddressMap], work: Workload, issued: Workload
) -> tuple[int, tuple[AddressMap, ...]]:
    """Folds leave every access its instructions, so they are counted all at once."""
    fast = [m for m in maps if _keeps_issues(m, work.tile)]
    slow = tuple(m for m in maps if m not in fast) if len(fast) < len(maps) else ()
    stacks = stacked(issued.tile, work.machine, translates=all(map(_is_linear, fast)))
    fast = fast[: MOST_LANES // max(1, lanes(stacks))]
    if not fast:
        return len(slow), slow
    sums = totals(stacks, fast, work.shape.element_bits)
    return len(fast) + len(slow), (fast[int(sums.argmin())], *slow)


def _keeps_issues(address: AddressMap, tile: Tile) -> bool:
    """Whether every access keeps its instructions, and every copy its rows, under a map."""
    if not isinstance(address, Padded):
        return True
    unit = 1 << (tile.span - 1).bit_length()
    whole = all((use.issues and use.named) or not use.counted for use in tile.uses)
    whole = whole and not (address.pad % unit or address.row % unit)
    return whole and all(fills_rows(use, address.row) for use in tile.uses)


def _is_linear(address: AddressMap) -> bool:
    """Whether a map is linear over F2 by its form."""
    if isinstance(address, Fold | RowFolds):
        return address.binary
    return isinstance(address, Identity | Linear)
