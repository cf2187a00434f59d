"""A layout with its price, and which layouts of a space are worth pricing.

:func:`priced` counts one layout on every access and makes a :class:`Plan` of it; :func:`worth`
looks at all maps of a space first, as many at once as can be, and keeps those that may be the best.
Whoever ranks layouts (:mod:`bankwise.solver.best`, and :mod:`bankwise.solver.answer` for a table of
all families) does it with these two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any, Literal, cast, get_args

from msgspec import Struct
from msgspec.structs import replace

from bankwise.algebra.address import AddressMap, Fold, Identity, Linear, Padded, RowFolds
from bankwise.algebra.offset import Dims, Shape, footprint, offset_text, operations
from bankwise.counting.cost import Cost
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Machine
from bankwise.solver.linear_totals import linear_totals
from bankwise.solver.price import LayoutCost, Workload, cost, fills_rows
from bankwise.solver.spaces import Space
from bankwise.solver.stacked import MOST_LANES, lanes, totals
from bankwise.solver.variants import joinable_parts
from bankwise.tile import Tile

AS_IT_IS = "as it is"
"""The space of a layout that is there already."""


class Plan(Struct, frozen=True):
    """One layout of a tile with its price. ``cost`` holds, by access, what it becomes.

    ``space``: of which it is the best, or a member; ``label``: which, in words or a notation;
    ``tried``: how many layouts were counted to find it. ``lds_bytes``: its footprint, with all
    ``stages`` (the outermost last); ``addresses``: that its accesses issue, a two-address
    instruction two. ``splits``: which accesses are issued in parts, in words; ``assumed``: its
    instructions whose rule nobody knows.
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
    splits: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()

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
    def issue_cycles(self) -> int | None:
        """Weight times issue cycles; None where those of some instruction are not known."""
        return self.cost.issue_cycles

    @property
    def cycles(self) -> Fraction | None:
        """Data and issue cycles together; None where issue cycles are not known."""
        return None if self.issue_cycles is None else self.passes + self.issue_cycles

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
        """The label, or the address, and what is split."""
        return ", ".join((self.label or self.offset, *self.splits))

    @property
    def price(self) -> tuple[Fraction, int, int]:
        """What plans are compared by: passes, addresses, bytes."""
        return self.passes, self.addresses, self.lds_bytes

    @property
    def full_price(self) -> tuple[Fraction, int, int, int, int]:
        """The same where the address is written anew: passes, issue cycles, instructions, bytes,
        operations."""
        issue = self.issue_cycles or 0
        return self.passes, issue, self.instructions, self.lds_bytes, self.operations


Prefer = Literal["cheapest", "fewest-passes", "fewest-instructions", "least-lds"]
"""By what plans are ranked; *cheapest* is data and issue cycles together."""

Rank = tuple[Fraction | int, ...]
"""What plans are ranked by, the least first."""


def preference(text: str) -> Prefer:
    """A preference by its name, "" for the usual one; InputError for a text that is none."""
    for known in get_args(Prefer):
        if text in (known, ""):
            return cast("Prefer", text or "cheapest")
    raise InputError(f"unknown preference {text!r}", hint="known: " + ", ".join(get_args(Prefer)))


def spent(
    prefer: Prefer, passes: Fraction | int, issue: int | None, instructions: int, size: int = 0
) -> Rank:
    """What plans are ranked by, but for their addresses.

    Of equal cycles the fewest passes come first: passes keep the memory of a whole unit busy, issue
    cycles the port of one of its SIMDs. Where issue cycles are not known nobody can say what a
    split costs: the fewest instructions, then the fewest passes, are the cheapest.
    """
    time = (instructions, passes) if issue is None else (passes + issue, passes, instructions)
    first: Mapping[Prefer, Rank] = {
        "cheapest": (),
        "fewest-passes": (passes,),
        "fewest-instructions": (instructions,),
        "least-lds": (size,),
    }
    return (*first[prefer], *time)


def rank_of(plan: Plan, prefer: Prefer) -> Rank:
    """The same of a plan; of equals the one with fewer bytes, then with the cheaper address."""
    passes, _, instructions, size, operations = plan.full_price
    return (*spent(prefer, passes, plan.issue_cycles, instructions, size), size, operations)


def stage_pitch(shape: Shape, layout: AddressMap) -> int:
    """Elements from one stage to the next: its last row keeps its pad."""
    if isinstance(layout, Padded):
        return shape.elements + shape.elements // layout.row * layout.pad
    return shape.elements


def per_unit(plan: Plan, machine: Machine) -> int | None:
    """How many tiles with all their stages fit into the shared memory of a compute unit or SM.

    None where the machine file does not say. A kernel's other memory and registers are not in it.
    """
    unit = machine.facts.get("lds_bytes_per_unit")
    return None if unit is None else int(unit) // plan.lds_bytes


def staged(plan: Plan, stages: Dims) -> Plan:
    """A plan for so many tiles behind each other; rows of the last one keep their pad, too."""
    if plan.stages:
        return plan
    elements = stage_pitch(plan.shape, plan.layout) * prod(size for _, size in stages)
    return replace(plan, lds_bytes=plan.shape.bytes_of(elements), stages=stages)


def plan_of(
    machine: Machine,
    shape: Shape,
    space: str,
    layout: AddressMap,
    found: LayoutCost,
    label: str = "",
    batch: int = 1,
) -> Plan:
    """The plan of a layout that is priced already; ``batch``: how many tiles there are."""
    size = shape.bytes_of(footprint(shape, layout)) * batch
    more: dict[str, Any] = {"splits": split_texts(found), "assumed": assumed_of(machine, found)}
    return Plan(space, shape, layout, found, size, found.addresses(machine), label, **more)


def split_texts(found: LayoutCost) -> tuple[str, ...]:
    """Which accesses are issued in parts: ``store as 2 x ds_write_b64``."""
    return tuple(
        f"{use.name} as {use.parts} x {' + '.join(i.instruction for i in use.issues)}"
        for use in found.uses
        if use.parts > 1
    )


def assumed_of(machine: Machine, found: LayoutCost) -> tuple[str, ...]:
    """The instructions whose rule is of the evidence *unknown*."""
    names = dict.fromkeys(issue.instruction for use in found.uses for issue in use.issues)
    return tuple(n for n in names if machine.instruction(n).evidence == "unknown")


def priced(work: Workload, space: str, layout: AddressMap, label: str = "") -> Plan | Refusal:
    """Count one layout on every access; a Refusal where it is not legal."""
    found = cost(work, layout)
    return found if isinstance(found, Refusal) else plan_in(work, space, layout, found, label)


def plan_in(
    work: Workload, space: str, layout: AddressMap, found: LayoutCost, label: str = ""
) -> Plan:
    """The plan of a layout of a workload that is priced already."""
    plan = plan_of(work.machine, work.shape, space, layout, found, label, work.tile.batch)
    joined = (joinable_parts(work.machine, work.tile, use, layout) for use in work.uses)
    return replace(plan, assumed=tuple(dict.fromkeys((*plan.assumed, *filter(None, joined)))))


def front(plans: Iterable[Plan], price: Callable[[Plan], Rank]) -> tuple[Plan, ...]:
    """The plans that no other beats or equals in everything, the fewest passes first."""
    kept: list[tuple[Rank, Plan]] = []
    for mine, plan in sorted(((price(p), p) for p in plans), key=lambda pair: pair[0]):
        if not any(all(a <= b for a, b in zip(k, mine, strict=True)) for k, _ in kept):
            kept.append((mine, plan))
    return tuple(plan for _, plan in kept)


def number(value: Fraction) -> str:
    """A mean of passes, without a fraction where it has none."""
    return f"{value.numerator:,}" if value.denominator == 1 else f"{float(value):,.2f}"


def worth(
    space: Space,
    work: Workload,
    issued: Workload | None = None,
    sums: Mapping[Linear, int] | None = None,
) -> tuple[int, tuple[AddressMap, ...]]:
    """How many maps of a space were looked at, and those to be priced.

    Of maps that can be counted all at once only the best, the first of equals or, where legality
    was looked at besides, the one with the cheapest address. ``issued``: the same work with every
    access as it is written now; ``sums``: the :func:`sums_of` linear maps, where they are known.
    """
    if space.together:
        return _together(space.maps, work, issued or work)
    alike = work.linear
    quick = [m for m in space.maps if alike and isinstance(m, Linear)]
    slow = [m for m in space.maps if not (alike and isinstance(m, Linear))]
    return len(space.maps), (*slow, *_cheapest(work, quick, sums or sums_of(work, quick)))


def sums_of(work: Workload, maps: Iterable[AddressMap]) -> Mapping[Linear, int]:
    """Weighted passes of those maps that can be counted all at once; -1 where not legal."""
    linear = [m for m in dict.fromkeys(maps) if isinstance(m, Linear)] if work.linear else []
    totals = linear_totals(work, linear).tolist() if linear else []
    return dict(zip(linear, totals, strict=True))


def _cheapest(work: Workload, maps: Sequence[Linear], sums: Mapping[Linear, int]) -> list[Linear]:
    """Of linear maps those with the fewest passes; of these, the one with the cheapest text."""
    least = min((sums[m] for m in maps if sums[m] >= 0), default=None)
    if least is None:
        return []
    among = [m for m in maps if sums[m] == least]
    return [min(among, key=lambda m: operations(work.shape, m))]


def _together(
    maps: Sequence[AddressMap], work: Workload, issued: Workload
) -> tuple[int, tuple[AddressMap, ...]]:
    """Folds leave every access its instructions, so they are counted all at once."""
    padded = _keep_issues([m for m in maps if isinstance(m, Padded)], work.tile)
    fast = [m for m in maps if not isinstance(m, Padded) or m in padded]
    slow = tuple(m for m in maps if m not in fast) if len(fast) < len(maps) else ()
    stacks = issued.reduced if all(map(_is_linear, fast)) else issued.stacks
    fast = fast[: MOST_LANES // max(1, lanes(stacks))]
    if not fast:
        return len(slow), slow
    sums = totals(stacks, fast, work.shape.element_bits)
    return len(fast) + len(slow), (fast[int(sums.argmin())], *slow)


def _keep_issues(paddings: Sequence[Padded], tile: Tile) -> frozenset[Padded]:
    """Those under which every access keeps its instructions, and every copy its rows."""
    if not paddings or not all((u.issues and u.named) or not u.counted for u in tile.uses):
        return frozenset()
    unit = 1 << (tile.span - 1).bit_length()
    even = (m for m in paddings if not (m.pad % unit or m.row % unit))
    return frozenset(m for m in even if all(fills_rows(use, m.row) for use in tile.uses))


def _is_linear(address: AddressMap) -> bool:
    """Whether a map is linear over F2 by its form."""
    if isinstance(address, Fold | RowFolds):
        return address.binary
    return isinstance(address, Identity | Linear)
