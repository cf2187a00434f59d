"""Which layout is best: the one home of that question.

:func:`best` takes a tile with its accesses, a machine and the spaces of layouts to choose from
(:mod:`bankwise.solver.spaces`), and returns a plan of each space: the layout with the fewest
passes, counted on every access as it will be issued. The layout as it is (the baseline) is priced
first, and no plan is worse. Where the accesses are linear over F2 the exact solver says besides
what no linear layout can undercut.

    found = best(tile, machine, [Space(LINEAR, folds, linear=True), Space(ROWS, folds, rows)])
    found.present          480 passes
    found.plans[0]         128 passes     Linear(...)     optimal among all layouts, ..
    found.plans[1]         160 passes     RowFolds(...)   not optimal: 128 exist

"Optimal" always names its space and its conditions (:mod:`bankwise.solver.known`). A plan of
another space (padding, split accesses) may take fewer passes, at a price in bytes or instructions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np
from msgspec.structs import replace

from bankwise.algebra.address import AddressMap, Fold, Identity, Linear, RowFolds
from bankwise.errors import MisalignedError, Refusal
from bankwise.hardware.machine import Machine
from bankwise.identity import ByIdentity
from bankwise.solver.address import xor_terms
from bankwise.solver.certificate import Certificate
from bankwise.solver.claims import certificate
from bankwise.solver.colouring import NODES
from bankwise.solver.known import Known, known_of
from bankwise.solver.linear_form import linear_form, with_rows
from bankwise.solver.plan import Plan, front, plan_in, worth
from bankwise.solver.price import LayoutCost, UseCost, Workload, cost, costs
from bankwise.solver.rows import best_masks
from bankwise.solver.search import Solution, solve
from bankwise.solver.spaces import Space
from bankwise.solver.theorem import pins
from bankwise.tile import Tile, Use, spread

Prices = dict[AddressMap, LayoutCost | Refusal]
"""What is known of the maps of one tile."""


class Best(ByIdentity, frozen=True, eq=False):
    """``present``: the baseline; ``plans``: the best of each space, as they were asked for.

    ``proof``: the exact solver's answer, or why there is none; ``work``: with every access as it is
    written now, ``asked``: as it was given; ``prices``: of the maps that were counted.
    """

    work: Workload
    present: Plan
    plans: tuple[Plan, ...]
    proof: Solution | Refusal
    asked: Workload
    prices: Prices

    @property
    def front(self) -> tuple[Plan, ...]:
        """The plans that no other beats or equals in everything, the fewest passes first."""
        return front((self.present, *self.plans), lambda plan: plan.price)

    def known(self, plan: Plan) -> Known:
        """How good a plan is known to be, and among what."""
        return known_of(self.work, plan, self.proof)


def legal(found: Best | Refusal) -> Best:
    """What was found of a tile whose accesses name their instruction.

    Raises :class:`MisalignedError` where the machine faults on one of them as it is.
    """
    if isinstance(found, Refusal) and found.fault:
        raise MisalignedError(found.reason)
    assert isinstance(found, Best), "every access names its instruction"
    return found


def best(
    tile: Tile,
    machine: Machine,
    spaces: Sequence[Space],
    *,
    policy: str = "iree",
    nodes: int = NODES,
    certify: bool = True,
    proof: Solution | Refusal | None = None,
) -> Best | Refusal:
    """The best plan of each space. A Refusal where an access has no instruction as it is.

    ``policy``: which instructions accesses become that name none; ``nodes``: of the exact search;
    ``certify``: ask the exact solver also where every access is ideal as it is; ``proof``: its
    answer, or why it is not asked.
    """
    work = Workload(machine, tile, policy)
    now = cost(work, Identity())
    if isinstance(now, Refusal):
        return now
    present = plan_in(work, "as it is", Identity(), now)
    if present.passes == present.ideal and not certify:
        ideal = Refusal("every access is ideal")
        return Best(work, present, (present,) * len(spaces), ideal, work, {})
    issued = replace(work, tile=replace(tile, uses=tuple(map(_issued, tile.uses, now.uses))))
    if proof is None:
        proof = _proof(issued, spaces, nodes)
    return more(Best(issued, present, (), proof, work, {}), spaces)


def more(found: Best, spaces: Sequence[Space]) -> Best:
    """The best plan of each of other spaces, for a tile that was priced before."""
    work, known = found.asked, found.prices
    looked = {s.maps: worth(s, work, found.work) for s in {s.maps: s for s in spaces}.values()}
    plans = (_chosen(s, looked[s.maps], work, found.present, found.proof, known) for s in spaces)
    return replace(found, plans=tuple(plans))


def _proof(issued: Workload, spaces: Sequence[Space], nodes: int) -> Solution | Refusal:
    """The exact solver's answer, if some space wants it."""
    if not any(space.linear or space.rows for space in spaces):
        return Refusal("only the maps of the space were tried")
    stated = linear_form(issued.tile, issued.machine)
    return stated if isinstance(stated, Refusal) else solve(stated, nodes=nodes)


def _issued(use: Use, now: UseCost) -> Use:
    """The access as it is written now, each instruction named."""
    return use if use.issues or not use.counted else replace(use, issues=now.issues)


def _chosen(
    space: Space,
    looked: tuple[int, tuple[AddressMap, ...]],
    work: Workload,
    present: Plan,
    proof: Solution | Refusal,
    known: Prices,
) -> Plan:
    """The present layout, the best map that was counted, or what was searched: the first of the
    fewest passes."""
    found = [present]
    tried, maps = looked
    found += _priced(space, work, maps, known)
    if isinstance(proof, Solution):
        least = min(p.passes for p in found)
        for layout in _searched(space, work.tile, proof, least):
            plans = tuple(_priced(space, work, [layout], known))
            found += plans
            # Masks of other rows issue the same instructions, in as many bytes.
            reached = (p.passes <= proof.certificate.total_floor for p in plans)
            if isinstance(layout, RowFolds) and any(reached):
                break
    chosen = min(found, key=lambda p: p.price)
    return replace(chosen, space=space.name, tried=1 + tried)


def ranked(
    space: Space, work: Workload, known: Prices, sums: Mapping[Linear, int] | None = None
) -> tuple[Plan, ...]:
    """The maps of a space that may be the best of it, priced; none where none is legal.

    ``sums``: the :func:`bankwise.solver.plan.sums_of` its maps, where they are known.
    """
    return tuple(_priced(space, work, worth(space, work, sums=sums)[1], known))


def _priced(
    space: Space, work: Workload, maps: Sequence[AddressMap], known: Prices
) -> Iterator[Plan]:
    """The maps that are legal, as plans; ``known`` remembers their prices for other spaces."""
    fresh = [m for m in maps if m not in known]
    known.update(zip(fresh, costs(work, fresh), strict=True))
    labels = dict(zip(space.maps, space.labels, strict=True)) if space.labels else {}
    for layout in maps:
        found = known[layout]
        if not isinstance(found, Refusal):
            yield plan_in(work, space.name, layout, found, labels.get(layout, ""))


def _searched(space: Space, tile: Tile, proof: Solution, least: Fraction) -> Iterator[AddressMap]:
    """The optimum where the space holds it, and the best masks inside its rows.

    Nothing, if what was counted takes no more passes than the optimum.
    """
    shape = tile.shape
    if least <= proof.certificate.total_passes:
        return
    if space.linear and not shape.elements & (shape.elements - 1):
        yield Linear(proof.layout.columns)
    elif space.linear:
        masks = best_masks(proof.problem, proof.pins)
        yield from () if masks is None else (masks,)
    for row in space.rows:
        if not row & (row - 1):
            stated = replace(proof.problem, tile=with_rows(shape, row))
            masks = best_masks(stated, proof.pins)
            folded = None if masks is None else row_folds_of(masks, row)
            yield from () if folded is None else (folded,)


def row_folds_of(address: Linear, row: int) -> RowFolds | None:
    """A linear map as row bits folded into columns; None if it moves rows or folds column bits."""
    terms = xor_terms(address.bases)
    if not terms or any((mask << shift) & (row - 1) or mask >= row for shift, mask in terms):
        return None
    return RowFolds(row, tuple(fold for shift, mask in terms for fold in folds_of(shift, mask)))


def folds_of(shift: int, mask: int) -> list[Fold]:
    """A fold for every contiguous run of bits of ``(offset >> shift) & mask``."""
    found, bit = [], 0
    while mask >> bit:
        start = bit
        while mask >> bit & 1:
            bit += 1
        if bit > start:
            found.append(Fold(1 << (shift + start), 1 << start, 1 << (bit - start)))
        bit += 1
    return found


def certified(found: Best, address: AddressMap) -> Certificate | None:
    """What the theorem claims of a layout of the tile.

    None where the accesses were only counted, or the map is not linear over F2. A layout that takes
    more passes than the optimum is certified without a claim of optimality.
    """
    if isinstance(found.proof, Refusal):
        return None
    bits = found.proof.problem.tile.bits
    images = address(np.arange(1 << bits, dtype=np.int64))
    bases = tuple(int(images[1 << i]) for i in range(bits))
    return claimed(found.proof, bases) if np.array_equal(images, spread(bases)) else None


def claimed(proof: Solution, bases: tuple[int, ...]) -> Certificate:
    """What the theorem claims of a linear layout of a problem that is solved."""
    pinned, known = pins(proof.problem), proof.certificate
    assert not isinstance(pinned, Refusal), "it was solved"
    stated = certificate(proof.problem, pinned, bases, known.how, known.nodes)
    if stated.total_passes == stated.total_floor:
        return replace(stated, how="floor", nodes=0)
    if stated.total_passes == known.total_passes:
        return stated
    return replace(stated, how="budget", nodes=max(1, known.nodes))
