"""Which of the texts of each shared array is written: each is compiled, what costs least is kept.

plans of an array --spelled--> texts --compiled, followed--> what costs less --judged--> one
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from bankwise.ask.array_plans import ArrayPlan, ArrayPlans
from bankwise.ask.array_posed import SizedArray
from bankwise.ask.dearer import is_long, is_slower, thinly
from bankwise.ask.every_launch import believed, every_launch, fitting, over, paying
from bankwise.ask.source_text import Author, CompiledText
from bankwise.change.cxx.claim import ArrayClaim
from bankwise.change.cxx.skew import SkewSpelling
from bankwise.change.cxx.spelling import Spelling, edited
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Machine, machine
from bankwise.identity import ByIdentity
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.cxx.tree import CxxSource
from bankwise.read.names import short
from bankwise.show.fixing import Verdict

_DEAR = "more instructions would be executed than the passes that they save are worth"


class WrittenArray(ByIdentity, frozen=True, eq=False):
    """One array as it is written now. ``plan``: what of it was planned. ``skew``: the constant that
    says it; ``beside``: what becomes longer with it."""

    plans: ArrayPlans
    plan: ArrayPlan
    spelling: Spelling
    skew: SkewSpelling | None = None
    beside: tuple[SizedArray, ...] = ()

    @property
    def arrays(self) -> tuple[SizedArray, ...]:
        """All that are other ones in its text."""
        return *self.plans.arrays, *self.beside


def claims_of(chosen: Sequence[WrittenArray]) -> list[ArrayClaim]:
    """What a text is said to do, one array a claim."""
    return [
        ArrayClaim(
            *(one.number, one.array.name, c.plan.map.folds, c.plan.map.pad),
            (*one.sizes, *one.others),
            typed=c.spelling.typed,
            columns=c.plan.map.columns,
            row=c.plan.map.row,
            constant=c.skew.names[one.number] if c.skew else "",
        )
        for c in chosen
        for one in c.arrays
    ]


Heard = Callable[[Sequence[WrittenArray], CompiledText], tuple[Verdict, ...]]
"""The judges of what was chosen, and of what the compiler makes of it."""


def rejection(verdicts: Iterable[Verdict]) -> str:
    """Who rejects a text, and why; empty if nobody does."""
    return "; ".join(f"{v.judge}: {v.detail}" for v in verdicts if v.status == "failed")


def written_arrays(
    author: Author,
    before: CompiledText,
    planned: Sequence[ArrayPlans],
    heard: Heard | None,
) -> tuple[tuple[WrittenArray, ...], CompiledText, tuple[Refusal, ...]]:
    """Array by array, the spelling that costs least where it is compiled; what was chosen so far
    stays. And why an array has none. ``heard``: by whom each is judged."""
    chosen: tuple[WrittenArray, ...] = ()
    best, refusals = before, list[Refusal]()
    for plans in planned:
        taken, why, paid = None, "", list[str]()
        for one, found in _cheapest(author, before, best, chosen, plans, paid):
            why = rejection(heard((*chosen, one), found)) if heard else ""
            if not why:
                taken, best = one, found
                break
        if taken is not None:
            chosen = (*chosen, taken)
        else:
            refusals.append(_unwritten(author.source, plans, why, paid))
    return chosen, best, tuple(refusals)


_Rank = tuple[tuple[int, int], bool, bool, int]
"""The least first: what is taken, whether it is heavy, or crowded, the instructions around."""


class _Ranked(ByIdentity, frozen=True, eq=False):
    """A text with its rank; ``slower``: it takes so much more besides that it may be slower."""

    rank: _Rank
    slower: bool
    one: WrittenArray
    made: CompiledText

    def saved(self, cost: tuple[int, int]) -> int:
        """The passes that it saves beside what was chosen so far, which takes ``cost``."""
        return cost[0] - self.rank[0][0]


def _least(found: Sequence[_Ranked], cost: tuple[int, int]) -> _Ranked:
    """The text that costs least; one that may be slower stands behind each that is not, saves at
    least half as many passes, and has no more instructions of shared memory than ``cost``: vectors
    that are split issue more than a longer text does (3.7 times as fast whole, and 2.7 times as
    long: ``pool_stages`` of docs/cuda.md)."""
    whole = (one for one in found if not one.slower and one.rank[0][1] <= cost[1])
    plain = max((one.saved(cost) for one in whole), default=0)
    return min(found, key=lambda one: (one.slower and 2 * plain >= one.saved(cost), one.rank))


def _cheapest(
    author: Author,
    before: CompiledText,
    best: CompiledText,
    chosen: Sequence[WrittenArray],
    plans: ArrayPlans,
    paid: list[str],
) -> Iterator[tuple[WrittenArray, CompiledText]]:
    """The spellings of an array that cost less than ``best``, compiled: the one that costs least,
    the next one, .. A text as cheap as the plan says ends the search, unless its instructions are
    dear, or its code or its registers are many: then a plainer one that saves half as much comes
    first, of equals one of which as many blocks fit a unit, then the one with the fewest.
    What parts accesses is none of them where that is dear. ``paid`` gets what others would cost
    more."""
    cost = best.emitted.beside(before.emitted)
    more = sys.maxsize if plans.plans[0].parts else 0
    wanted = cost[0] - plans.saved, cost[1] + more
    gpu = machine(before.kernels[0].target)
    left = [WrittenArray(plans, plan, one) for plan in plans.plans for one in plan.spellings]
    many = len(left)
    found: list[_Ranked] = []

    def ends(one: _Ranked) -> bool:
        dear = one.made.emitted.is_dear(best.emitted, gpu) or one.rank[1] or one.slower
        return one.rank[0] <= wanted and not dear

    while left or found:
        while left and not any(map(ends, found)):
            one = left.pop(0)
            author.phase(
                f"compiling {plans.arrays[0].array.name}, text {many - len(left)} of {many}"
            )
            made = _tried(author, before, [*(c.spelling for c in chosen), one.spelling])
            if isinstance(made, str):
                paid.append(made)
            elif made is not None and (why := _dear(one, made, before, best, gpu)):
                paid.append(why)
            elif made is not None and (price := made.emitted.beside(before.emitted)) < cost:
                texts = before.kernels, made.kernels
                rank = price, _heavy(*texts), crowded(*texts), made.emitted.nearer(before.emitted)
                found.append(_Ranked(rank, is_slower(*texts), one, made))
        if found:
            least = _least(found, cost)
            found.remove(least)
            yield least.one, least.made


def _dear(
    one: WrittenArray, made: CompiledText, before: CompiledText, best: CompiledText, gpu: Machine
) -> str:
    """Why the instructions of a text are not worth the passes that they save, or why those are
    none; empty if they are."""
    keys, now, then = believed(every_launch(before.kernels)), best.emitted, made.emitted
    if then.beside(now)[0] < 0 and over(then.passes, keys) >= over(now.passes, keys):
        return "a block would take fewer passes in guessed launches alone"
    parts = one.plan.parts and _parts_dearly(made, best, gpu)
    busy = then.longer_busy(before.emitted, gpu) or then.longer_busy(now, gpu)
    few = thinly(best.kernels, made.kernels, (now.passes, then.passes))
    return busy or few or _DEAR * bool(parts)


def _parts_dearly(made: CompiledText, best: CompiledText, gpu: Machine) -> bool:
    """Whether accesses in parts add as many instructions of shared memory as they save passes, or
    more instructions at all than that is worth."""
    passes, executed = made.emitted.beside(best.emitted)
    return executed >= -passes or made.emitted.is_dear(best.emitted, gpu)


def crowded(before: Sequence[AssemblyKernel], after: Sequence[AssemblyKernel]) -> bool:
    """Whether fewer blocks of a kernel fit a unit."""
    return any(fitting(new) < fitting(old) for old, new in zip(before, after, strict=True))


def _heavy(before: Sequence[AssemblyKernel], after: Sequence[AssemblyKernel]) -> bool:
    """Whether fewer than half as many blocks of a kernel fit a unit, or it is twice as long."""
    both = list(zip(before, after, strict=True))
    return any(2 * fitting(new) < fitting(old) or is_long(old, new) for old, new in both)


def _unwritten(source: CxxSource, plans: ArrayPlans, why: str, paid: Sequence[str]) -> Refusal:
    """An array of which nothing that was planned was good when it was compiled; ``why``: by whom
    the last one was rejected; ``paid``: what others would cost more."""
    names = ", ".join(one.array.name for one in plans.arrays)
    ways = ", ".join(dict.fromkeys(s.how for p in plans.plans for s in p.spellings))
    why = f"the last one that does is rejected: {why}" if why else "none of these texts costs less"
    many = any(one.others for array in plans.arrays for one in array.kernels)
    why += " in all launches that were tried" * many
    why += f"; with the first one {paid[0]}" if paid else ""
    reason = f"{names}: written as {ways} and compiled, {why}"
    return Refusal(reason, source.place(plans.arrays[0].array.statement.start))


def _tried(
    author: Author, before: CompiledText, spellings: Sequence[Spelling]
) -> CompiledText | str | None:
    """A text with some spellings, compiled; None where it does not compile; where a launch takes
    more than before, or cannot be compared with it, which one."""
    text = edited(author.source, tuple(edit for one in spellings for edit in one.edits))
    if isinstance(text, Refusal):
        return None
    try:
        made = author.compiled(text).under(before.emitted.passes.keys())
    except InputError:
        return None
    lost = sorted(made.emitted.open - before.emitted.open)
    if lost:
        return f"the rounds of a block of {short(lost[0][0])} are too many to follow them again"
    return paying(before.emitted.passes, made.emitted.passes) or made
