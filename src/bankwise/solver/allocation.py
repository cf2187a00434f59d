"""The optimum of an allocation, from the accesses of a kernel: what ``check`` and ``fix`` compare.

A kernel's accesses come as offsets of lanes, not as directions. Where all lanes are active, every
wave's elements are a translate (over F2) of one linear map of the lane, and the sizes are powers
of two, the exact solver answers, with a certificate. Otherwise the XOR folds of
:mod:`bankwise.solver.folds` are tried and counted, and the answer says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bankwise.algebra.address import AddressMap, Linear
from bankwise.counting.access import IntArray
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Machine
from bankwise.solver.certificate import HOW_TEXT, Certificate
from bankwise.solver.claims import certificate
from bankwise.solver.folds import Demand, Piece, Tile, best_fold
from bankwise.solver.problem import Problem, Request, problem
from bankwise.solver.problem import Tile as ProofTile
from bankwise.solver.rows import best_masks
from bankwise.solver.search import Solution, solve
from bankwise.solver.theorem import pins
from bankwise.solver.tile import spread

MAX_ACCESSES = 64
"""Different linear accesses that the exact solver is given; kernels have a handful."""


@dataclass(frozen=True, slots=True)
class Best:
    """The best layout of an allocation. Passes are those of all demands, weighted.

    ``how``: in what way it is known, or why it is only the best found. ``optimal``: whether no
    layout of the same footprint with the same instructions takes fewer. ``rows``: the best layout
    that permutes every row within itself, None if none is known to help. ``certificate``: of
    ``address``; with ``problem`` None where the accesses are not linear, so were only counted.
    """

    address: AddressMap
    passes: int
    passes_before: int
    ideal: int
    optimal: bool
    how: str
    certificate: Certificate | None = None
    rows: Linear | None = None
    problem: Problem | None = None


def best_layout(
    demands: Sequence[Demand], tile: Tile, machine: Machine, fixed: Sequence[Piece] = ()
) -> Best:
    """The best layout for all ``demands`` together; ``fixed``: what must stay in one piece besides.

    The passes of the present layout are counted, never derived.
    """
    fold = best_fold(demands, tile, fixed)
    before, ideal = fold.passes_before, fold.ideal
    found = _exact(demands, tile, machine, fixed)
    if isinstance(found, Refusal):
        optimal = fold.passes == ideal
        how = "every access is ideal" if optimal else f"best of {fold.members}: {found.reason}"
        return Best(fold.address, fold.passes, before, ideal, optimal, how)
    stated, rows = found.certificate, best_masks(found.problem, found.pins)
    address: AddressMap = Linear(found.layout.columns)
    passes = stated.total_passes
    if fold.passes <= passes:
        address, passes = fold.address, fold.passes
    how = HOW_TEXT[stated.how]
    found_best = Best(
        address, passes, before, ideal, stated.optimal, how, stated, rows, found.problem
    )
    return replace(found_best, certificate=certified(found_best, address) or stated)


def certified(best: Best, address: AddressMap) -> Certificate | None:
    """What the theorem claims of ``address``, another layout of the same accesses.

    None where the accesses were only counted, or the map is not linear over F2. A layout that takes
    more passes than the optimum is certified without a claim of optimality.
    """
    if best.problem is None or best.certificate is None:
        return None
    images = address(np.arange(1 << best.problem.tile.bits, dtype=np.int64))
    bases = tuple(int(images[1 << i]) for i in range(best.problem.tile.bits))
    pinned = pins(best.problem)
    if not np.array_equal(images, spread(bases)) or isinstance(pinned, Refusal):
        return None
    known = best.certificate
    stated = certificate(best.problem, pinned, bases, known.how, known.nodes)
    if stated.total_passes == stated.total_floor:
        return replace(stated, how="floor", nodes=0)
    if stated.total_passes == known.total_passes:
        return stated
    return replace(stated, how="budget", nodes=max(1, known.nodes))


def _exact(
    demands: Sequence[Demand], tile: Tile, machine: Machine, fixed: Sequence[Piece]
) -> Solution | Refusal:
    stated = linear_problem(demands, tile, machine, fixed)
    return stated if isinstance(stated, Refusal) else solve(stated)


def linear_problem(
    demands: Sequence[Demand], tile: Tile, machine: Machine, fixed: Sequence[Piece] = ()
) -> Problem | Refusal:
    """The demands as directions; a Refusal that says what is not linear about them."""
    if tile.row & (tile.row - 1) or tile.elements & (tile.elements - 1):
        return Refusal(f"rows of {tile.row} in {tile.elements} elements are no powers of two")
    requests: dict[Request, int] = {}
    for demand in demands:
        found = _requests(demand, tile)
        if isinstance(found, Refusal):
            return found
        for request in found:
            requests[request] = requests.get(request, 0) + demand.weight
    widest = max((d.span for d in demands), default=1)
    if any(p.span > widest or (p.elements % p.span).any() for p in fixed):
        return Refusal("copies fill units that are wider than every other access, or not aligned")
    if not requests or len(requests) > MAX_ACCESSES:
        return Refusal(f"{len(requests)} different accesses")
    row, bits = tile.row.bit_length() - 1, tile.elements.bit_length() - 1
    shape = ProofTile((("n", row), ("m", bits - row)), 8 * tile.element_bytes)
    named = [
        replace(request, name=f"access {number}", weight=weight)
        for number, (request, weight) in enumerate(requests.items())
    ]
    try:
        return problem(machine, shape, named, widen=False)
    except InputError as error:
        return Refusal(error.message)


def _requests(demand: Demand, tile: Tile) -> list[Request] | Refusal:
    """One request for every wave."""
    row, span = demand.instruction, demand.span
    if row.addresses != 1 or demand.offset_bytes or span * tile.element_bytes != row.width_bytes:
        return Refusal(f"{row.name} is one of several addresses of its access")
    if not demand.active.all():
        return Refusal("some lanes are masked")
    if span & (span - 1) or (demand.elements % span).any():
        return Refusal(f"{span} elements are no aligned power of two")
    vector = tuple(1 << i for i in range(span.bit_length() - 1))
    found = []
    for wave in demand.elements:
        lanes = _directions(wave)
        if lanes is None:
            return Refusal("an index is not linear over F2")
        found.append(Request("", row.direction, lanes, vector, (), 1, row.name))
    return found


def _directions(wave: IntArray) -> tuple[int, ...] | None:
    """What each lane bit moves; None unless the elements are a translate of a linear map."""
    moved = wave ^ wave[0]
    lanes = tuple(int(moved[1 << i]) for i in range(len(wave).bit_length() - 1))
    return lanes if np.array_equal(moved, spread(lanes)) else None
