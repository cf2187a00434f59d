"""What is known of a layout, and under which conditions: the one home of the word "optimal".

"Optimal" is said of a space and of conditions, by all verbs in this sentence:

    optimal among all layouts, with accesses left whole: every access is ideal
    optimal among linear layouts, with accesses left whole, in this LDS: exhausted search (52 nodes)
    best found among 130 layouts, with accesses left whole, in this LDS: some lanes are masked;
    none of them takes less than 16

What the pigeonhole principle proves (:mod:`bankwise.solver.floors`) holds for every layout, in any
memory. What the exact search proves holds for linear maps of the tile into its own bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from bankwise.errors import Refusal
from bankwise.solver.certificate import HOW_TEXT
from bankwise.solver.floors import Floors, floors, leaves_whole
from bankwise.solver.plan import Plan, Prefer, number
from bankwise.solver.price import Workload
from bankwise.solver.search import Solution

ALL = "all layouts"
IN_PARTS = "all layouts with accesses whole or in parts"
LINEAR_MAPS = "linear layouts"
WHOLE = "with accesses left whole"
SPLIT = "with accesses split"
THIS_LDS = "in this LDS"


Word = Literal["optimal", "not optimal", "best found"]
"""What is said of a layout; "not optimal" where a better one is known."""


class Standing(Struct, frozen=True):
    """How a plan stands among all: what it is the best of, by ``prefer``, and how that is known.

    ``space``: layouts, pitches and ways to issue the accesses; ``proved``: none of it ranks better;
    ``least``: cycles (passes, where issue cycles are not known) that no plan at all undercuts.
    """

    prefer: Prefer
    space: str
    proved: bool
    least: Fraction | int | None = None

    def __str__(self) -> str:
        word = _PREFERRED[self.prefer]
        if self.proved:
            return f"{word} of {self.space}"
        more = (
            "" if self.least is None else f"; none takes less than {number(Fraction(self.least))}"
        )
        return f"{word} found of {self.space}{more}"


def no_worse(standing: Standing) -> Standing:
    """The same of a plan where one that ranks before it takes more passes than what is there."""
    space = f"plans that take no more passes than what is there, {standing.space}"
    return replace(standing, space=space, proved=False)


_PREFERRED: Mapping[Prefer, str] = {
    "cheapest": "the cheapest plan",
    "fewest-passes": "the plan of the fewest passes",
    "fewest-instructions": "the plan of the fewest instructions",
    "least-lds": "the cheapest plan of the fewest bytes",
}


class Known(Struct, frozen=True):
    """Optimal: no layout of the ``space`` takes fewer passes under the ``conditions``.

    ``how``: by which argument, or why it is not known. ``at_least``: weighted passes that the space
    is proved to need; None if nothing is. Accesses are *whole* while each keeps the instructions
    that it is stated with, aligned as these want it.
    """

    word: Word
    space: str
    conditions: tuple[str, ...]
    how: str
    at_least: Fraction | None = None

    @property
    def optimal(self) -> bool:
        """Whether that is proved."""
        return self.word == "optimal"

    @property
    def within(self) -> str:
        """Among what, and under which conditions."""
        return ", ".join((f"among {self.space}", *self.conditions))

    def __str__(self) -> str:
        return f"{self.word} {self.within}: {self.how}"


def known_of(
    work: Workload, plan: Plan, proof: Solution | Refusal, split: tuple[str, ...] = ()
) -> Known:
    """How good a plan is known to be.

    ``proof``: the exact solver's answer, or why there is none; ``split``: which accesses were
    narrowed before, in words.
    """
    whole = leaves_whole(work, plan.layout)
    accesses = f"{SPLIT} ({', '.join(split)})" if split else WHOLE if whole else SPLIT
    if plan.passes == plan.ideal:
        return Known("optimal", ALL, (accesses,), "every access is ideal", plan.passes)
    found = floors(work)
    least = found.passes if isinstance(found, Floors) and whole else None
    if least is not None and plan.passes <= least:
        return Known("optimal", ALL, (accesses,), HOW_TEXT["floor"], least)
    same = plan.lds_bytes <= work.shape.bytes_of(work.shape.elements) * work.tile.batch
    conditions = (accesses, THIS_LDS) if same else (accesses,)
    if isinstance(proof, Solution) and whole and same:
        return _searched(work.shape.elements, plan, proof, conditions)
    reason = proof.reason if isinstance(proof, Refusal) else "it takes more memory"
    space = f"{plan.tried:,} layouts" if plan.tried > 1 else plan.space
    return Known("best found", space, conditions, _unproved(reason, least), least)


def known_solved(plan: Plan, proof: Solution) -> Known:
    """The same of a linear layout of a problem that is solved; accesses as the problem has them."""
    accesses = f"{SPLIT} ({', '.join(plan.splits)})" if plan.splits else WHOLE
    stated = proof.certificate
    if plan.passes == plan.ideal:
        return Known("optimal", ALL, (accesses,), "every access is ideal", plan.passes)
    if plan.passes == stated.total_floor:
        return Known("optimal", ALL, (accesses,), HOW_TEXT["floor"], plan.passes)
    return _searched(plan.shape.elements, plan, proof, (accesses, THIS_LDS))


def _searched(elements: int, plan: Plan, proof: Solution, conditions: tuple[str, ...]) -> Known:
    """By what the solver says of all linear layouts."""
    stated, least = proof.certificate, Fraction(proof.at_least)
    if not stated.optimal:
        how = _unproved(HOW_TEXT[stated.how], least)
        return Known("best found", LINEAR_MAPS, conditions, how, least)
    if plan.passes == stated.total_passes:
        nodes = f" ({stated.nodes:,} nodes)" if stated.how == "search" else ""
        return Known("optimal", LINEAR_MAPS, conditions, f"{HOW_TEXT[stated.how]}{nodes}", least)
    how = f"the best linear layout takes {stated.total_passes:,}"
    if elements & (elements - 1):
        how += " on the next power of two of elements"
        return Known("best found", LINEAR_MAPS, conditions, how, least)
    word: Word = "not optimal" if plan.passes > stated.total_passes else "best found"
    return Known(word, LINEAR_MAPS, conditions, how, least)


def _unproved(why: str, least: Fraction | None) -> str:
    if least is None:
        return why
    return f"{why}; none of them takes less than {number(least)}"
