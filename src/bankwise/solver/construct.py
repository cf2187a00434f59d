"""The constructive algorithm for two accesses, as steps that a person can replay.

One store and one load; which layout is best for both? The answer is built, not searched:

1. *vectorise*: directions that both sides move inside one instruction become the low offset bits,
   and fill at least one word;
2. *sizes*: so many bank bits, so many segment bits are left;
3. *phase lanes*: of each side, the lane directions served together (XORed lanes on AMD);
4. *sort*: shared by both sides (I), only in the smaller (A), only in the larger (B);
5. *pair*: A[i] ^ B[i] lies in neither side, so a step along it can change the segment: it changes
   the lane of both accesses at once;
6. *complement* C: directions that neither side moves, free as well;
7. *top up*: the segment takes C, the pairs, the rest of B, then A, then I, as many as it needs.
   Only what comes after the pairs costs passes, and no layout avoids that: a subspace that meets
   neither side has at most d - max(dim A side, dim B side) dimensions;
8. *banks last*: any directions that complete the rest. They cannot create a conflict.

Every prefix of step 7 is optimal for both sides, so sides that see different numbers of banks (64
and 32 on gfx950) are served by one list. Doing all of it modulo the word is what keeps sub-word
elements right: a pair must not use a direction that step 1 has put inside the word.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from msgspec import Struct

from bankwise.algebra import f2
from bankwise.algebra.layout import Layout
from bankwise.errors import Refusal
from bankwise.solver.certificate import Certificate
from bankwise.solver.claims import certificate
from bankwise.solver.problem import Problem
from bankwise.solver.search import WORD_CHOICES, offsets, word_pins
from bankwise.solver.theorem import Load, Pins, floor, load, pins


class Step(Struct, frozen=True):
    """One step: what is done (``text``) and what comes out, as (label, directions) pairs."""

    name: str
    text: str
    values: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        values = ", ".join(f"{label} = {value or 'nothing'}" for label, value in self.values)
        return f"{self.name}: {self.text}: {values}"


class Construction(Struct, frozen=True):
    """The steps, and the layout they end in with its certificate."""

    steps: tuple[Step, ...]
    layout: Layout
    certificate: Certificate


class _Sides(Struct, frozen=True):
    """Step 4, in the free part of the frame."""

    shared: f2.Basis
    small: f2.Basis
    large: f2.Basis

    @property
    def pairs(self) -> f2.Basis:
        return tuple(a ^ b for a, b in zip(self.small, self.large, strict=False))


def construct(problem: Problem) -> Construction | Refusal:
    """Build the optimum of a problem with exactly two plain accesses; a Refusal for any other."""
    plain = [a for a in problem.accesses if a.kind == "plain"]
    if len(plain) != 2:
        return Refusal(
            f"the construction pairs two accesses, and there are {len(plain)}: use the solver"
        )
    pinned = pins(problem)
    if isinstance(pinned, Refusal):
        return pinned
    word = _fill_word(problem, pinned)
    loads = [load(problem.tile, word, a) for a in plain]
    sides = _sort(loads)
    dimension = len(word.free)
    used = (*sides.shared, *sides.small, *sides.large)
    outside = f2.complement(used, dimension)
    rest = (*sides.large[len(sides.small) :], *sides.small, *sides.shared)
    order = (*outside, *sides.pairs, *rest)
    images = _memory(order, dimension, [x.bits for x in loads])
    bases = f2.compose(word.frame, _above(len(word.vector), images))
    stated = certificate(problem, pinned, bases, "lemma")
    if stated.total_passes != stated.total_floor:
        stated = certificate(problem, pinned, bases, "budget", 1)
    steps = _steps(problem, word, loads, sides, order)
    return Construction(steps, offsets(problem, bases), stated)


def _fill_word(problem: Problem, pinned: Pins) -> Pins:
    """The first way to share a word that costs least: two accesses always reach their floors."""
    accesses = problem.accesses
    lowest = sum(a.weight * floor(problem.tile, pinned, a) for a in accesses)
    best, best_cost = pinned, -1
    for shared in islice(word_pins(problem, pinned), WORD_CHOICES):
        cost = sum(a.weight * load(problem.tile, shared, a).floor for a in accesses)
        if best_cost < 0 or cost < best_cost:
            best, best_cost = shared, cost
        if cost <= lowest:
            break
    return best


def _sort(loads: list[Load]) -> _Sides:
    small, large = sorted((x.space for x in loads), key=len)
    shared = f2.intersection(small, large)
    return _Sides(shared, f2.independent(small, shared), f2.independent(large, shared))


def _memory(order: f2.Basis, dimension: int, bits: list[int]) -> tuple[f2.Vector, ...]:
    """The offset bits of every free direction: segments from the front of ``order``, banks last.

    Bank bits that only one side sees come from ``order`` too, right after the segments.
    """
    most, least = (min(dimension, b) for b in (max(bits), min(bits)))
    segment, high = order[: dimension - most], order[dimension - most : dimension - least]
    banks = f2.complement((*segment, *high), dimension)
    images = f2.inverse((*banks, *high, *segment))
    assert images is not None, "banks complete the segments"
    return images


def _above(low: int, images: tuple[f2.Vector, ...]) -> tuple[f2.Vector, ...]:
    """The same map on the bits above the lowest ``low``, which stay."""
    return (*(1 << i for i in range(low)), *(image << low for image in images))


def _steps(
    problem: Problem, word: Pins, loads: list[Load], sides: _Sides, order: f2.Basis
) -> tuple[Step, ...]:
    tile, dimension = problem.tile, len(word.free)
    plain = [a for a in problem.accesses if a.kind == "plain"]

    def text(vectors: tuple[f2.Vector, ...]) -> str:
        return tile.text([f2.apply(word.free, x) for x in vectors])

    bits = min(dimension, max(x.bits for x in loads))
    segment = order[: dimension - bits]
    banks = f2.complement(segment, dimension)
    outside = f2.complement((*sides.shared, *sides.small, *sides.large), dimension)
    phases = [(a.name, tile.text(a.phase)) for a in plain]
    free = [(a.name, text(x.space)) for a, x in zip(plain, loads, strict=True)]
    sizes = (("vector", len(word.vector)), ("bank", bits), ("segment", len(segment)))
    sorted_sides = (("I", sides.shared), ("A", sides.small), ("B", sides.large))
    return (
        Step("vectorise", "the low offset bits", (("vector", tile.text(word.vector)),)),
        Step("sizes", "offset bits of each kind", tuple((n, str(v)) for n, v in sizes)),
        Step("phase lanes", "the lanes served together", tuple(phases)),
        Step("split", "of these, what the vector leaves to the banks", tuple(free)),
        Step("sort", "shared, smaller only, larger only", _texts(sorted_sides, text)),
        Step("pair", "in neither side", _texts((("H", sides.pairs),), text)),
        Step("complement", "moved by neither side", _texts((("C", outside),), text)),
        Step("top up", "C, H, then what must conflict", _texts((("segment", segment),), text)),
        Step("banks", "what completes the rest", _texts((("bank", banks),), text)),
    )


def _texts(
    values: tuple[tuple[str, f2.Basis], ...], text: Callable[[f2.Basis], str]
) -> tuple[tuple[str, str], ...]:
    return tuple((label, text(vectors)) for label, vectors in values)
