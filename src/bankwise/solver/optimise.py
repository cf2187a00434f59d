"""One optimiser for tiles of any kind: which way to issue the accesses, under which layout.

:func:`bankwise.solver.best.best` finds the best layout of each space for accesses as they are.
Here the accesses may be issued in parts as well, and what is there already is priced first: the
layout as it is and the baselines that the caller names (what a framework does unasked). ``spaces``
is asked anew for each choice, since what keeps a lane's elements together depends on it.

    found = optimise(tile, machine, lambda t: [Space(LINEAR, bit_folds(t, machine), linear=True)],
                     baselines=[("IREE pads", Padded(128, 4))], prefer="cheapest")
    found.chosen        64 cycles (24 + 40)   store as 2 x ds_write_b64
    found.whole         76 cycles (40 + 36)
    found.baselines     300 as it is, 68 padded

The plan that is chosen takes no more passes and no more cycles than any baseline that fits, where
there is such a plan; a baseline may be it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from bankwise.algebra.address import AddressMap, Identity
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.identity import ByIdentity
from bankwise.solver.best import Best, best
from bankwise.solver.choices import issue_choices, most_promising, standing_of
from bankwise.solver.colouring import NODES
from bankwise.solver.known import Known, Standing, known_of, no_worse
from bankwise.solver.plan import AS_IT_IS, Plan, Prefer, Rank, front, priced, rank_of
from bankwise.solver.price import Workload
from bankwise.solver.spaces import Space
from bankwise.tile import Tile

SpacesOf = Callable[[Tile], Sequence[Space]]


class Optimised(ByIdentity, frozen=True, eq=False):
    """``chosen``: the plan; ``whole``: the best one that leaves every access whole; ``present`` and
    ``baselines``: what was there. ``tried``: for each choice of parts the best of every space."""

    chosen: Plan
    whole: Plan
    present: Plan
    baselines: tuple[Plan, ...]
    tried: tuple[Best, ...]
    standing: Standing

    @property
    def plans(self) -> tuple[Plan, ...]:
        """All of them."""
        found = (plan for best in self.tried for plan in best.plans)
        return (self.present, *self.baselines, *found)

    @property
    def front(self) -> tuple[Plan, ...]:
        """The plans that no other beats or equals in everything, and the best whole one."""
        found = front(self.plans, lambda plan: plan.full_price)
        kept = found if self.whole in found else (*found, self.whole)
        return tuple(sorted(kept, key=lambda plan: plan.full_price))

    def best_of(self, plan: Plan) -> Best:
        """The question that a plan answers: with its accesses issued in parts, or whole."""
        return next((b for b in self.tried if plan in b.plans), self.tried[0])

    def known(self, plan: Plan) -> Known:
        """How good the layout of a plan is known to be, with its accesses issued as they are."""
        best = self.best_of(plan)
        return known_of(best.work, plan, best.proof, plan.splits)


def optimise(
    tile: Tile,
    machine: Machine,
    spaces: SpacesOf,
    *,
    policy: str = "iree",
    prefer: Prefer = "cheapest",
    baselines: Sequence[tuple[str, AddressMap]] = (),
    split: bool = True,
    lds_bytes: int | None = None,
    nodes: int = NODES,
) -> Optimised | Refusal:
    """The best plan of a tile. A Refusal where an access has no instruction as it is.

    ``baselines``: layouts that the answer must not be worse than, with what they are called;
    ``split``: whether accesses may be issued in parts; ``lds_bytes``: of every plan that is chosen.
    """
    work = Workload(machine, tile, policy)
    present = priced(work, AS_IT_IS, Identity())
    if isinstance(present, Refusal):
        return present
    asked = (priced(work, name, address) for name, address in baselines)
    there = tuple(plan for plan in asked if not isinstance(plan, Refusal))
    choices = issue_choices(work, prefer, split=split)

    def attempt(issued: Workload) -> Best | Refusal:
        return best(issued.tile, machine, spaces(issued.tile), policy=policy, nodes=nodes)

    found = most_promising(choices, attempt, partial(_least, prefer, lds_bytes))
    tried = tuple(each for each in found if isinstance(each, Best))
    every = [plan for best in tried for plan in best.plans]
    chosen = _chosen([*every, present, *there], [present, *there], prefer, lds_bytes)
    whole = min((present, *tried[0].plans), key=lambda plan: rank_of(plan, prefer))
    at = next((b for b in tried if chosen in b.plans), tried[0])
    known = known_of(at.work, chosen, at.proof, chosen.splits)
    standing = standing_of(chosen, known, prefer, choices, "the spaces that were searched")
    fitting = [plan for plan in every if _fits(plan, lds_bytes)]
    if any(rank_of(plan, prefer) < rank_of(chosen, prefer) for plan in fitting):
        standing = no_worse(standing)
    return Optimised(chosen, whole, present, there, tried, standing)


def _least(prefer: Prefer, lds_bytes: int | None, found: Sequence[Best | Refusal]) -> Rank | None:
    """The best rank of what was tried, but for the address."""
    plans = (plan for best in found if isinstance(best, Best) for plan in best.plans)
    ranks = (rank_of(plan, prefer)[:-2] for plan in plans if _fits(plan, lds_bytes))
    return min(ranks, default=None)


def _fits(plan: Plan, lds_bytes: int | None) -> bool:
    return lds_bytes is None or plan.lds_bytes <= lds_bytes


def _chosen(
    plans: Sequence[Plan], there: Sequence[Plan], prefer: Prefer, lds_bytes: int | None
) -> Plan:
    """The first in rank that is no worse than what is there and fits, in passes and in cycles."""
    ranked = sorted(plans, key=lambda plan: rank_of(plan, prefer))
    fitting = [plan for plan in ranked if _fits(plan, lds_bytes)] or ranked
    held = [plan for plan in there if _fits(plan, lds_bytes)] or there
    passes = min(plan.passes for plan in held)
    cycles = min((plan.cycles for plan in held if plan.cycles is not None), default=None)
    no_worse = [p for p in fitting if p.passes <= passes]
    quick = [p for p in no_worse if cycles is None or p.cycles is None or p.cycles <= cycles]
    return (quick or no_worse or fitting)[0]
