"""One tile of a sweep: the price of every layout that means something for all, and its own best.

A layout is priced in the cheapest of the ways to issue the accesses, as ``solve`` does; where no
machine file states issue cycles (NVIDIA) accesses are left whole, since nobody knows what a split
costs, and what would split them by its alignment is refused. The best of the tile itself is what
``solve`` answers, or a layout of the list that is cheaper.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np

from bankwise.algebra.address import AddressMap, Identity, Linear, Padded, Rotated
from bankwise.ask.solve import answer_of
from bankwise.ask.tile_problem import TileProblem, tile_problem
from bankwise.errors import InputError, Refusal
from bankwise.notation.fold import fold_of
from bankwise.notation.framework import Ground, Setting
from bankwise.notation.frameworks import fault, languages, notation_of, read_memory
from bankwise.notation.iree.attributes import RotateRows
from bankwise.notation.iree.framework import ROTATE_ROWS
from bankwise.notation.padding import PADDING
from bankwise.notation.rotation import ROTATION
from bankwise.notation.values import Memory, tabulate
from bankwise.read.tile_file.question import TileQuestion
from bankwise.read.tile_file.read import parse_question
from bankwise.solver.answer import Limits
from bankwise.solver.choices import issue_choices
from bankwise.solver.general import listed_workload
from bankwise.solver.plan import AS_IT_IS, Plan, Prefer, plan_in, spent, staged
from bankwise.solver.price import Workload, costs
from bankwise.sweep.rules import layout_rules
from bankwise.sweep.spec import Case
from bankwise.sweep.store import Row
from bankwise.tile import spread

Placed = Mapping[str, AddressMap | Refusal]
"""By name of the layout, where it puts the elements of one tile."""

Rank = tuple[Fraction | int, ...]

_PREFERRED: tuple[Prefer, ...] = ("cheapest", "fewest-passes", "fewest-instructions")
_NEVER = 1 << 60
_AT_ONCE = 1 << 22
"""Addresses that are counted together."""


def run_tile(case: Case) -> Row:
    """The row of a case of a tile: what each layout takes, or why it does not fit; the best of the
    tile; what the framework does unasked. Raises :class:`InputError` for a question that has no
    answer."""
    question = parse_question(case.text, "question", case.target)
    stated = tile_problem(question)
    if isinstance(stated, Refusal):
        raise InputError(stated.reason, location=stated.location)
    _check(question, stated)
    answer = answer_of(question)
    if isinstance(answer, Refusal):
        raise InputError(answer.reason, location=answer.location)
    work = listed_workload(stated.machine, stated.shape, stated.accesses, question.policy or "iree")
    placed = {rule.name: rule.place(stated.shape) for rule in layout_rules()}
    placed |= dict(_asked(case, question, stated))
    default = _unasked(placed, work)
    plans = _plans(placed, work, stated, answer.limits)
    prefer = answer.limits.prefer
    name, own = _best({answer.layout.name: answer.layout, **plans}, prefer)
    proved = answer.standing.proved and own is answer.layout
    by_cycles = own.cycles is not None and prefer != "fewest-passes"
    return {
        "unit": "cycles" if by_cycles else "passes",
        "default": default,
        "own": {**_entry(own, prefer), "name": name, "proved": proved},
        "tile": {"dims": stated.shape.dims, "element_bits": stated.shape.element_bits},
        "layouts": dict(_entries(placed, plans, prefer)),
    }


def _check(question: TileQuestion, stated: TileProblem) -> None:
    if question.layout is not None:
        message, hint = "a tile of a sweep has a layout", "put its text into `layouts`"
    elif stated.units:
        message, hint = "asynchronous units take canonical layouts alone", "`bankwise solve` it"
    elif stated.options.prefer not in ("", *_PREFERRED):
        message, hint = f"prefer = {stated.options.prefer!r}", "one of " + ", ".join(_PREFERRED)
    else:
        return
    raise InputError(message, hint=hint)


def _asked(
    case: Case, question: TileQuestion, stated: TileProblem
) -> Iterator[tuple[str, AddressMap | Refusal]]:
    """The layouts that the sweep's file names."""
    setting = Setting(stated.machine, {}, (stated.machine.wave_size, 1, 1))
    for name, text in zip(case.called, case.layouts, strict=True):
        notation = notation_of(text)
        try:
            memory = read_memory(text, notation, stated.shape, setting)
        except InputError as error:
            yield name, Refusal(error.message)
            continue
        if not isinstance(memory, Refusal):
            why = fault(memory, notation)
            memory = Refusal(why) if why else memory
        yield name, memory if isinstance(memory, Refusal) else _address(memory, stated)


def _address(memory: Memory, stated: TileProblem) -> AddressMap | Refusal:
    """A memory as a map of row-major offsets: linear, padded, a fold or rotated rows."""
    shape, images = stated.shape, tabulate(memory).table.reshape(-1)
    bases = tuple(int(images[1 << bit]) for bit in range(len(images).bit_length() - 1))
    if len(images) == 1 << len(bases) and np.array_equal(images, spread(bases)):
        return Linear(bases)
    for way in (PADDING, ROTATION, ROTATE_ROWS):
        found = way.write(memory, Ground(shape))
        if isinstance(found, RotateRows):
            return Rotated(found.row_width, found.access_width)
        if isinstance(found, Padded | Rotated):
            return found
    fold = fold_of(memory)
    return Identity() if fold is None else fold


def _unasked(placed: Placed, work: Workload) -> str:
    """The name of what the framework does to a tile that nobody lays out."""
    member = languages()[work.policy].unasked(work.shape)
    address = placed["row-major"] if member is None else member.address
    return next((name for name, known in placed.items() if known == address), "row-major")


def _plans(
    placed: Placed, work: Workload, stated: TileProblem, limits: Limits
) -> dict[str, Plan | Refusal]:
    """Each layout with the cheapest way to issue the accesses under it."""
    maps = list(dict.fromkeys(m for m in placed.values() if not isinstance(m, Refusal)))
    whole, *parted = issue_choices(work, limits.prefer, split=limits.split)
    found = _counted(whole.work, maps)
    if any(isinstance(p, Plan) and p.issue_cycles is None for p in found.values()):
        found, parted = _left_whole(found, stated), []
    for choice in parted if limits.prefer != "fewest-instructions" else []:
        again = [m for m in maps if _rank(found[m], limits.prefer) > choice.bound]
        for address, plan in _counted(choice.work, again).items():
            if _rank(plan, limits.prefer) < _rank(found[address], limits.prefer):
                found[address] = plan
    fit = {m: _fitting(plan, stated, limits) for m, plan in found.items()}
    return {n: m if isinstance(m, Refusal) else fit[m] for n, m in placed.items()}


def _counted(work: Workload, maps: Sequence[AddressMap]) -> dict[AddressMap, Plan | Refusal]:
    found: dict[AddressMap, Plan | Refusal] = {}
    step = max(1, _AT_ONCE // sum(use.elements[..., 0].size for use in work.uses))
    for start in range(0, len(maps), step):
        part = maps[start : start + step]
        for address, each in zip(part, costs(work, part), strict=True):
            if not isinstance(each, Refusal):
                found[address] = plan_in(work, AS_IT_IS, address, each)
            else:
                found[address] = each
    return found


def _left_whole(
    found: Mapping[AddressMap, Plan | Refusal], stated: TileProblem
) -> dict[AddressMap, Plan | Refusal]:
    """Without those whose alignment splits an access, which nobody can compare."""
    fewest = min((p.instructions for p in found.values() if isinstance(p, Plan)), default=0)
    gpu = stated.machine.name
    split = Refusal(f"its alignment splits accesses, and nobody knows what that costs on {gpu}")
    more = (m for m, p in found.items() if isinstance(p, Plan) and p.instructions > fewest)
    return {**found, **dict.fromkeys(more, split)}


def _fitting(plan: Plan | Refusal, stated: TileProblem, limits: Limits) -> Plan | Refusal:
    """With all stages, if they fit."""
    if isinstance(plan, Refusal):
        return plan
    whole = staged(plan, stated.stages) if stated.stages else plan
    most = limits.lds_bytes * stated.batch
    if whole.lds_bytes > most:
        return Refusal(f"it takes {whole.lds_bytes:,} bytes of {most:,}")
    return whole


def _rank(plan: Plan | Refusal, prefer: Prefer) -> Rank:
    if isinstance(plan, Refusal):
        return (_NEVER,)
    return spent(prefer, plan.passes, plan.issue_cycles, plan.instructions)


def _best(plans: Mapping[str, Plan | Refusal], prefer: Prefer) -> tuple[str, Plan]:
    """The cheapest; the first of equals."""
    known = [(name, plan) for name, plan in plans.items() if isinstance(plan, Plan)]
    return min(known, key=lambda pair: _rank(pair[1], prefer))


def _entries(
    placed: Placed, plans: Mapping[str, Plan | Refusal], prefer: Prefer
) -> Iterator[tuple[str, Row]]:
    """By name; one that is the same map as one before says which."""
    first: dict[AddressMap, str] = {}
    for name, plan in plans.items():
        address = placed[name]
        same = name if isinstance(address, Refusal) else first.setdefault(address, name)
        yield name, _entry(plan, prefer) if same == name else {"as": same}


def _entry(plan: Plan | Refusal, prefer: Prefer) -> Row:
    if isinstance(plan, Refusal):
        return {"refused": plan.reason}
    passes, cycles = (None if n is None else _plain(n) for n in (plan.passes, plan.cycles))
    return {
        "price": passes if cycles is None or prefer == "fewest-passes" else cycles,
        "passes": passes,
        "cycles": cycles,
        "instructions": plan.instructions,
        "lds_bytes": plan.lds_bytes,
        "operations": plan.operations,
        "splits": ", ".join(plan.splits),
        "assumed": ", ".join(plan.assumed),
    }


def _plain(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(value)
