"""What competes with an answer: the best of every family, and the front of all plans.

Whoever only wants the answer needs none of it, so all of this is computed on demand
(:class:`bankwise.solver.answer.Answer` remembers it).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from bankwise.algebra.address import AddressMap, Linear, Padded
from bankwise.notation.frameworks import frameworks, languages, members
from bankwise.notation.padding import PADDING
from bankwise.notation.row_major import ROW_MAJOR
from bankwise.solver.best import Prices, ranked
from bankwise.solver.fit import family
from bankwise.solver.plan import AS_IT_IS, Plan, front, priced, sums_of
from bankwise.solver.price import Workload

Table = Mapping[str, tuple[Plan, ...]]
"""By family, its plans that fit."""


def family_table(work: Workload, lds_bytes: int) -> dict[str, tuple[Plan, ...]]:
    """The plans of every family that fit into so many bytes."""
    known: Prices = {}
    spaces = [family(work, name) for name in frameworks()]
    sums = sums_of(work, chain.from_iterable(space.maps for space in spaces))
    found = {space.name: ranked(space, work, known, sums) for space in spaces}
    return {
        name: tuple(p for p in plans if p.lds_bytes <= lds_bytes) for name, plans in found.items()
    }


def bent(work: Workload) -> Iterator[Plan]:
    """The members of all families that are neither linear nor padded: rotations, odd periods."""
    for name in frameworks():
        for member in members(name, work.ground):
            if not isinstance(member.address, Linear | Padded):
                found = priced(work, name, member.address, member.label)
                if isinstance(found, Plan):
                    yield found


def baselines(work: Workload, present: AddressMap, label: str, lds_bytes: int) -> tuple[Plan, ...]:
    """What an answer must not be worse than: the layout as it is, and what the framework behind the
    width policy does unasked, as far as they are legal and fit."""
    unasked = languages()[work.policy].unasked(work.shape)
    asked = [(AS_IT_IS, present, label)]
    asked += [] if unasked is None else [(PADDING.name, unasked.address, unasked.label)]
    found = (priced(work, space, address, text) for space, address, text in asked)
    return tuple(p for p in found if isinstance(p, Plan) and p.lds_bytes <= lds_bytes)


def front_of(
    plans: Iterable[Plan], tables: Iterable[Table], whole: Plan | None
) -> tuple[Plan, ...]:
    """The plans that no other beats or equals in everything, named where a framework has a name;
    the best with accesses left whole is always among them."""
    listed = [(name, plan) for table in tables for name in table for plan in table[name]]
    known = {name for name, framework in frameworks().items() if framework.notation}
    known.add(ROW_MAJOR.name)
    said = [plan for name, plan in listed if name in known]
    rest = [plan for name, plan in listed if name not in known]
    found = front([*said, *plans, *rest], lambda plan: plan.full_price)
    if whole is None or any(_same(plan, whole) for plan in found):
        return found
    return tuple(sorted((*found, whole), key=lambda plan: plan.full_price))


def _same(one: Plan, other: Plan) -> bool:
    return one.full_price == other.full_price and one.splits == other.splits
