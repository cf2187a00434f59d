"""The ways to issue all accesses of a tile of any kind, the most promising first.

What :mod:`bankwise.solver.cheapest` does with directions, for index arrays: accesses that are moved
alike share their number of parts, and a choice is bounded by its floors
(:mod:`bankwise.solver.floors`), which hold for every layout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from typing import TypeVar

from msgspec.structs import replace

from bankwise.identity import ByIdentity
from bankwise.solver.floors import ExecutionFloors, Floors, floors
from bankwise.solver.known import ALL, IN_PARTS, Known, Standing
from bankwise.solver.plan import Plan, Prefer, Rank, rank_of, spent
from bankwise.solver.price import Workload, issued_cycles
from bankwise.solver.variants import split as split_tile
from bankwise.solver.variants import splits
from bankwise.tile import COPIES, Use

MOST_RANKED = 64
"""Choices whose floors are computed; beyond, all stores share their parts, and all loads."""

MOST_TRIED = 4
"""Choices whose layouts are searched or counted: each takes tens of milliseconds."""

T = TypeVar("T")


class IssueChoice(ByIdentity, frozen=True, eq=False):
    """One way to issue all accesses: no layout ranks better than ``bound`` with it, and none than
    ``joined`` where a compiler joins parts into instructions of two addresses."""

    bound: Rank
    joined: Rank
    work: Workload


def issue_choices(work: Workload, prefer: Prefer, *, split: bool = True) -> list[IssueChoice]:
    """All accesses whole first, then the others by what no layout undercuts with them."""
    found = list(_bounded(work, prefer))
    if not split:
        return [replace(whole, joined=min(c.joined for c in found)) for whole in found[:1]]
    return [*found[:1], *sorted(found[1:], key=lambda choice: choice.bound)]


def most_promising(
    choices: Sequence[IssueChoice],
    attempt: Callable[[Workload], T],
    best: Callable[[Sequence[T]], Rank | None],
) -> list[T]:
    """The choices that are tried: as long as one may rank before the ``best`` of those before."""
    found: list[T] = []
    for choice in choices[:MOST_TRIED]:
        least = best(found)
        if least is not None and choice.bound >= least:
            break
        found.append(attempt(choice.work))
    return found


def standing_of(
    plan: Plan, known: Known, prefer: Prefer, choices: Sequence[IssueChoice], looked_at: str
) -> Standing:
    """By the floors of all choices; or, where no other can rank better, by what is ``known`` of the
    layout with accesses whole; else the plan is the best of what was ``looked_at``."""
    spent_now = rank_of(plan, prefer)[:-2]
    ways = f"{len(choices)} ways to issue the accesses" if len(choices) > 1 else "accesses whole"
    if spent_now <= min(choice.joined for choice in choices):
        return Standing(prefer, f"{ALL}, {ways}", proved=True)
    least = min(choice.bound for choice in choices)
    by_itself = known.optimal and known.space == ALL
    if by_itself and spent_now <= least:
        return Standing(prefer, f"{IN_PARTS}, {looked_at}, {ways}", proved=True)
    alone = not plan.splits and all(spent_now <= choice.bound for choice in choices[1:])
    if known.optimal and alone:
        return Standing(prefer, f"{known.space}, {looked_at}, {ways}", proved=True)
    return Standing(prefer, f"{looked_at}, {ways}", proved=False, least=least[0])


def _choices(work: Workload) -> Iterator[Workload]:
    """Every number of parts for each group of accesses, at most what each can be split into."""
    every = splits(work.tile, work.machine, work.policy)
    groups = _groups(work, lambda use: (use.op, use.span, use.kind, use.named))
    if prod(max(len(every[n]) for n in group) for group in groups) > MOST_RANKED:
        groups = _groups(work, lambda use: use.op)
    sizes = [max((every[n] for n in group), key=len) for group in groups]
    for numbers in product(*sizes):
        parts = [1] * len(work.uses)
        for group, chosen in zip(groups, numbers, strict=True):
            for number in group:
                parts[number] = min(chosen, every[number][-1])
        yield replace(work, tile=split_tile(work.tile, parts, work.machine, work.policy))


def _groups(work: Workload, key: Callable[[Use], object]) -> list[list[int]]:
    found: dict[object, list[int]] = {}
    for number, use in enumerate(work.uses):
        found.setdefault(key(use), []).append(number)
    return list(found.values())


def _bounded(work: Workload, prefer: Prefer) -> Iterator[IssueChoice]:
    whole: Floors | None = None
    prices: ExecutionFloors = {}
    for issued in _choices(work):
        least = floors(issued, prices)
        if isinstance(least, Floors):
            whole = whole or least
            bound = _bound(issued, least, least, prefer)
            yield IssueChoice(bound, _bound(work, least, whole, prefer), issued)


def _bound(work: Workload, least: Floors, issued: Floors, prefer: Prefer) -> Rank:
    """What no layout undercuts that takes the passes of some floors and is ``issued`` as others."""
    issue: int | None = 0
    for use, floor in zip(work.uses, issued.uses, strict=True):
        each = 0 if use.kind in COPIES else issued_cycles(work.machine, floor.issues)
        issue = None if issue is None or each is None else issue + each * floor.weight
    instructions = sum(floor.weight * len(floor.issues) for floor in issued.uses)
    size = work.shape.bytes_of(work.shape.elements) * work.tile.batch
    return spent(prefer, least.passes, issue, instructions, size)
