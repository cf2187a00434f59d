"""Which of the texts of each shared array is written: each is compiled, what costs least is kept.

plans of an array --spelled--> texts --compiled, followed--> what costs less --judged--> one
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bankwise.ask.array_plans import ArrayPlan, ArrayPlans
from bankwise.ask.array_posed import SizedArray
from bankwise.ask.array_search import ArraySearch
from bankwise.ask.source_text import Author, CompiledText
from bankwise.change.cxx.claim import ArrayClaim
from bankwise.change.cxx.skew import SkewSpelling
from bankwise.change.cxx.spelling import Spelling
from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.read.cxx.tree import CxxSource
from bankwise.show.fixing import SlowerText, Verdict


class WrittenArray(ByIdentity, frozen=True, eq=False):
    """One array as it is written now. ``plan``: what of it was planned. ``skew``: the constant that
    says it; ``beside``: what becomes longer with it; ``note``: why its text says more than that, in
    words."""

    plans: ArrayPlans
    plan: ArrayPlan
    spelling: Spelling
    skew: SkewSpelling | None = None
    beside: tuple[SizedArray, ...] = ()
    note: str = ""

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


class WrittenArrays(ByIdentity, frozen=True, eq=False):
    """What was ``chosen``, and what the compiler ``made`` of it; why other arrays have nothing;
    what was left since it may be slower."""

    chosen: tuple[WrittenArray, ...]
    made: CompiledText
    refusals: tuple[Refusal, ...]
    left: tuple[SlowerText, ...]


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
) -> WrittenArrays:
    """Array by array, the spelling that costs least where it is compiled; what was chosen so far
    stays. And why an array has none. ``heard``: by whom each is judged."""
    try:
        return _chosen(author, before, planned, heard)
    finally:
        author.kept.leave()


def _chosen(
    author: Author,
    before: CompiledText,
    planned: Sequence[ArrayPlans],
    heard: Heard | None,
) -> WrittenArrays:
    chosen: tuple[WrittenArray, ...] = ()
    best, refusals, left, saves = before, list[Refusal](), list[SlowerText](), False
    for plans in planned:
        taken, why = None, ""
        spellings = [c.spelling for c in chosen]
        search = ArraySearch(author, before, best, spellings, plans, sooner=saves)
        for found in search.cheapest():
            one = WrittenArray(plans, found.plan, found.spelling)
            why = rejection(heard((*chosen, one), found.made)) if heard else ""
            if not why:
                taken, best, chosen = found, found.made, (*chosen, one)
                break
        slower, saves = search.slower(taken), saves or any(search.few)
        left += slower
        if taken is None:
            refusals.append(_unwritten(author.source, plans, why, search.paid, slower))
    return WrittenArrays(chosen, best, tuple(refusals), tuple(left))


def _unwritten(
    source: CxxSource,
    plans: ArrayPlans,
    why: str,
    paid: Sequence[str],
    slower: Sequence[SlowerText],
) -> Refusal:
    """An array of which nothing that was planned was good when it was compiled; ``why``: by whom
    the last one was rejected; ``paid``: what others would cost more; ``slower``: what takes fewer
    passes, and may be slower."""
    names = ", ".join(plans.names)
    ways = ", ".join(dict.fromkeys(s.how for p in plans.plans for s in p.spellings))
    many = any(one.others for array in plans.arrays for one in array.kernels)
    if why:
        why = f"the last one that does is rejected: {why}"
    elif slower:
        why = slower[0].told
    else:
        why = "none of these texts costs less" + " in all launches that were tried" * many
        why += f"; with the first one {paid[0]}" if paid else ""
    reason = f"{names}: written as {ways} and compiled, {why}"
    return Refusal(reason, source.place(plans.arrays[0].array.statement.start))
