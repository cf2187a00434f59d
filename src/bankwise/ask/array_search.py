"""Which text of a shared array costs least: those that may are compiled, one after the other.

plans of an array --spelled--> texts --may one be preferred?--> compiled, followed --> ranked

A compilation is what ``fix`` waits for. So a text is left uncompiled where one that was compiled
takes no more passes than its plan has, and nothing else speaks for it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest

from msgspec import field
from msgspec.structs import replace

from bankwise.ask.array_alike import Untried, alike, hides_as_much, joins, no_plainer, otherwise
from bankwise.ask.array_plans import ArrayPlan, ArrayPlans
from bankwise.ask.dearer import crowded, heavy, slower, thinly, unrolled, waiting
from bankwise.ask.every_launch import believed, every_launch, over, paying, shown
from bankwise.ask.few_kernels import few_kernels, fewer, whole_text
from bankwise.ask.source_text import Author, CompiledText
from bankwise.change.cxx.spelling import Spelling, edited
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Machine, machine
from bankwise.identity import ByIdentity
from bankwise.read.ahead import spare
from bankwise.read.cxx.tree import CxxSource
from bankwise.read.names import short
from bankwise.show.fixing import SlowerText

_WHOLE = 2
"""Texts that are compiled whole before it pays to ask how the array's kernels are without others:
that takes a compilation or more, and so does the text that is chosen."""

_ENOUGH = 0.75
"""Of the passes that were to be saved: a text that leaves accesses wide and saves so many is enough
for none to be compiled that parts them and is planned with as many passes."""

FEWEST = "fewest-passes"
"""The preference by which a text is written that may be slower."""

_DEAR = "more instructions would be executed than the passes that they save are worth"


class RankedText(ByIdentity, frozen=True, eq=False):
    """A text with what it is ranked by. ``price``: passes and executed instructions of shared
    memory, less than in the source as it is; ``heavy``, ``crowded``, ``waiting``: as of
    :mod:`bankwise.ask.dearer`; ``near``: the instructions around, ``dear``: too many for what they
    save; ``unrolled``: many more that are not executed more often; ``why``: it may be slower, since
    it takes so much more besides."""

    plan: ArrayPlan
    spelling: Spelling
    made: CompiledText
    price: tuple[int, int]
    heavy: bool
    crowded: bool
    waiting: bool
    near: int
    dear: bool
    laden: bool
    unrolled: bool
    why: str

    @property
    def text(self) -> Untried:
        """As it was before it was compiled."""
        return self.plan, self.spelling

    @property
    def rank(self) -> tuple[tuple[int, int], bool, bool, bool, int]:
        """The least first."""
        return self.price, self.heavy, self.waiting, self.crowded, self.near


class ArraySearch(ByIdentity, frozen=True, eq=False):
    """The texts of one array. ``best``: the text with what was chosen so far, its ``spellings``.

    What was ``found`` costs less than ``best``. ``left``: what may be slower, and is written by the
    preference for fewest passes alone; ``busy``: of these, what issues for too long; ``paid``: what
    others would cost more, in words; ``worse``: the plans of those that take more passes; ``lost``:
    texts that take more than planned, as accesses became narrower; ``tried``: what was compiled;
    ``few``: by whom with the array's kernels alone, None for whole texts, once that was asked;
    ``sooner``: it is asked before the first text, as it is known to save something."""

    author: Author
    before: CompiledText
    best: CompiledText
    spellings: Sequence[Spelling]
    plans: ArrayPlans
    found: list[RankedText] = field(default_factory=list)
    left: list[RankedText] = field(default_factory=list)
    busy: list[RankedText] = field(default_factory=list)
    paid: list[str] = field(default_factory=list)
    worse: list[ArrayPlan] = field(default_factory=list)
    lost: list[Untried] = field(default_factory=list)
    tried: list[Untried] = field(default_factory=list)
    few: list[Author | None] = field(default_factory=list)
    sooner: bool = False

    def cheapest(self) -> Iterator[RankedText]:
        """The one that costs least, the next one, ..; what parts accesses is none of them where
        that is dear."""
        untried, given = self._in_order(), list[Spelling]()
        many, name = len(untried), self.plans.arrays[0].array.name
        while True:
            while may := [one for one in untried if self._may_win(one)]:
                # Behind one that may be slower another plan that is as good is the likelier one.
                one = min(may, key=self._likely)
                self.author.phase(f"compiling {name}, text {many - len(untried) + 1} of {many}")
                untried.remove(one)
                self._begin(other for other in may if other is not one)
                self._try(one)
            if not self.found:
                return
            least = self._least()
            self.found.remove(least)
            whole = self._whole(least)
            if whole is None:
                untried = self._again(given)
                continue
            given.append(whole.spelling)
            yield whole

    def _trying(self) -> Author:
        """By whom the next text is compiled: behind a few ones with the array's kernels alone."""
        if not self.few and (self.sooner or len(self.tried) >= _WHOLE):
            self.few.append(few_kernels(self.author, self.best, self.plans.arrays))
        return next(filter(None, self.few), self.author)

    def _whole(self, one: RankedText) -> RankedText | None:
        """A text as the compiler makes it whole; None where that is other code."""
        if one.made.whole:
            return one
        self.author.phase("compiling the whole text")
        made = whole_text(self.author, self._trying(), one.made)
        return None if made is None else replace(one, made=made)

    def _again(self, given: Sequence[Spelling]) -> list[Untried]:
        """All texts but those that were ``given``, as if none had been compiled; whole this time.
        Those that were are remembered."""
        for known in (self.found, self.left, self.busy, self.paid, self.worse, self.lost):
            known.clear()
        self.few[:] = [None]
        return [one for one in self._in_order() if one[1] not in given]

    def _in_order(self) -> list[Untried]:
        """What may be compiled, the likely best first: one XOR takes the compiler accesses that it
        joined of single elements, a sum does not."""
        joined = any(joins(self.author.source, one) for one in self.plans.arrays)
        ways = {"xor": 2, "sum": 0, "step": 1} if joined else {}
        return [
            (plan, one)
            for plan in self.plans.plans
            for one in sorted(plan.spellings, key=lambda s: ways.get(s.how, 3 * joined))
        ]

    def _likely(self, one: Untried) -> tuple[bool, int, bool]:
        """The least is the likeliest."""
        plan = one[0]
        return plan.late, plan.total, self._disappoints(plan)

    def _disappoints(self, plan: ArrayPlan) -> bool:
        """Whether a text of a plan that was compiled may be slower, or takes more passes; or of one
        with fewer folds, or as many."""
        known = (*self.worse, *(one.plan for one in self.found if one.why))
        many = len(plan.map.folds)
        return any(one is plan or 0 < len(one.map.folds) <= many for one in known)

    def slower(self, taken: RankedText | None) -> tuple[SlowerText, ...]:
        """What takes fewer passes than the text that is ``taken``, the fewest of those that were
        compiled; none where nothing does, and where that is preferred."""
        most = self._cost[0] if taken is None else taken.price[0]
        ranked = [one for one in (*self.left, *self.found) if one.price[0] < most]
        in_order = sorted(() if self._fewest else ranked, key=lambda each: each.rank)
        one = next(filter(None, map(self._whole, in_order)), None)
        if one is None:
            return ()
        keys = shown(every_launch(self.before.kernels))
        now = (self.best if taken is None else taken.made).emitted.passes
        passes = over(now, keys), over(one.made.emitted.passes, keys)
        names = self.plans.names
        fewer = passes[1] < passes[0]
        return (SlowerText(names, one.spelling.text, *passes, one.why),) if fewer else ()

    @property
    def _fewest(self) -> bool:
        return self.author.options.prefer == FEWEST

    @property
    def _cost(self) -> tuple[int, int]:
        return self.best.emitted.beside(self.before.emitted)

    @property
    def _gpu(self) -> Machine:
        return machine(self.before.kernels[0].target)

    def _saved(self, one: RankedText) -> int:
        """The passes that a text saves beside what was chosen so far."""
        return self._cost[0] - one.price[0]

    def _is_wide(self, one: RankedText) -> bool:
        """Whether the compiler leaves accesses as wide as in what was chosen so far."""
        return one.price[1] <= self._cost[1]

    def _planned(self, plan: ArrayPlan) -> int:
        """The passes that a plan saves."""
        return sum(self.plans.present.values()) - plan.total

    def _plain(self, one: RankedText) -> bool:
        """Whether nothing but instructions around speaks against a text."""
        more = sys.maxsize if self.plans.plans[0].parts else 0
        return not (one.why or one.heavy) and one.price[1] <= self._cost[1] + more

    def _may_win(self, one: Untried) -> bool:
        """Whether a text that takes what was planned could be preferred to each that was found."""
        saved = self._planned(one[0])
        wide = (self._saved(one) for one in self.found if self._is_wide(one))
        if one[0].late and _ENOUGH * self._planned(self.plans.plans[0]) <= max(wide, default=0):
            return False
        if any(hides_as_much(one, other) for other in self.lost):
            return False
        behind = any(saved <= self._saved(b) and self._no_faster(one, b) for b in self.left)
        return not behind and not any(self._beaten(one, saved, other) for other in self.found)

    def _no_faster(self, one: Untried, left: RankedText) -> bool:
        """Whether a text may be slower for what speaks against one that was left: it is written as
        that is, or that one issues for too long, and adds no less to each index. What becomes of
        accesses in parts is not foreseen."""
        as_slow = alike(one[1], left.spelling) or left in self.busy
        return not left.plan.parts and as_slow and no_plainer(one, left.text)

    def _beaten(self, one: Untried, saved: int, other: RankedText) -> bool:
        """Whether a text that saves so many passes is not preferred to another one."""
        known = self._saved(other)
        if other.why:
            as_slow = (
                saved <= known and alike(one[1], other.spelling) and no_plainer(one, other.text)
            )
            return as_slow or (saved if self._fewest else 2 * saved) < known
        if saved < known:
            return not self._stands_behind(saved)
        if other.unrolled and saved == known and not alike(one[1], other.spelling):
            return False
        if saved > known or not self._plain(other):
            return False
        padded = bool(one[0].map.pad) != bool(other.plan.map.pad)
        another = other.dear or (other.laden and otherwise(one[0], other.plan))
        return not (another or (other.waiting and padded)) or no_plainer(one, other.text)

    def _stands_behind(self, saved: int) -> bool:
        """Whether what costs least may be slower, and a plain text that saves so many passes would
        put it behind all that are not."""
        if self._fewest:
            return False
        least = self._least()
        return bool(least.why) and 2 * saved >= self._saved(least)

    def _least(self) -> RankedText:
        """The text that costs least; one that may be slower stands behind each that is not, saves
        at least half as many passes, and has no more instructions of shared memory than before:
        vectors that are split issue more than a longer text does (3.7 times as fast whole, and 2.7
        times as long: ``pool_stages`` of docs/cuda.md)."""
        if self._fewest:
            return min(self.found, key=lambda one: (one.price[0], bool(one.why), one.rank))
        plain = (one for one in self.found if not one.why and one.price[1] <= self._cost[1])
        most = max(map(self._saved, plain), default=0)
        return min(
            worth_parting(self.found),
            key=lambda one: (bool(one.why) and 2 * most >= self._saved(one), one.rank),
        )

    def _begin(self, may: Iterable[Untried]) -> None:
        """Start to compile those that are likely the next ones, where cores are left; of whole
        texts no more than are compiled whole."""
        author = self._trying()
        few = not self.few and fewer(self.author, self.best, self.plans.arrays) is not None
        most = min(spare(), _WHOLE - 1 - len(self.tried)) if few else spare()
        for one in nsmallest(most, may, key=self._likely):
            text = _text(author.source, (*self.spellings, one[1]))
            if isinstance(text, str):
                author.begin(text)

    def _try(self, one: Untried) -> None:
        """Compile a text, and put it where it belongs."""
        made = compiled_with(self._trying(), self.before, (*self.spellings, one[1]))
        self.tried.append(one)
        if isinstance(made, str):
            self.paid.append(made)
            self.worse.append(one[0])
            self.lost.append(one)
        elif made is not None and (why := self._guessed(made)):
            self.paid.append(why)
        elif made is not None:
            self._place(self._ranked(one, made))

    def _place(self, one: RankedText) -> None:
        """Put a text where it belongs: what costs less, what may be slower, what lost accesses."""
        wide = self._is_wide(one)
        if not wide and self._saved(one) < self._planned(one.plan):
            self.lost.append(one.text)
        busy = "" if self._fewest else self._longer_busy(one.made)
        why = busy or ("" if self._fewest else self._dearly(one))
        if why:
            self.paid.append(why)
            self.left.append(replace(one, why=why))
            if busy and wide:
                self.busy.append(self.left[-1])
        elif one.price < self._cost:
            self.found.append(one)

    def _ranked(self, one: Untried, made: CompiledText) -> RankedText:
        texts, last = (self.before.kernels, made.kernels), (self.before.kernels, self.best.kernels)
        more = self.best.kernels, made.kernels
        return RankedText(
            *one,
            made,
            made.emitted.beside(self.before.emitted),
            heavy(*texts) and (heavy(*more) or not heavy(*last)),
            crowded(*texts),
            waiting(*more),
            made.emitted.nearer(self.before.emitted),
            made.emitted.is_dear(self.best.emitted, self._gpu),
            made.emitted.is_laden(self.best.emitted, self._gpu),
            unrolled(*texts),
            # What an array chosen before takes already speaks against no other one.
            slower(*texts) if slower(*more) or not slower(*last) else "",
        )

    def _guessed(self, made: CompiledText) -> str:
        """That the passes that a text saves are none in launches that are believed; else empty."""
        keys = believed(every_launch(self.before.kernels))
        then, now = made.emitted, self.best.emitted
        if then.beside(now)[0] < 0 and over(then.passes, keys) >= over(now.passes, keys):
            return "a block would take fewer passes in guessed launches alone"
        return ""

    def _longer_busy(self, made: CompiledText) -> str:
        """Which launch issues for too long for the passes that are saved, in words; or empty."""
        since = (self.before.emitted, self.best.emitted)
        each = (made.emitted.longer_busy(one, self._gpu) for one in since)
        return next(filter(None, each), "")

    def _dearly(self, one: RankedText) -> str:
        """Why the passes that a text saves are not worth the blocks that no longer fit a unit, or
        the instructions of accesses in parts: as many of shared memory as passes are saved, or more
        at all than that is worth; or empty."""
        then, now = one.made.emitted, self.best.emitted
        few = thinly(self.best.kernels, one.made.kernels, (now.passes, then.passes))
        passes, executed = then.beside(now)
        parts = one.plan.parts and (executed >= -passes or one.dear)
        return few or _DEAR * bool(parts) or self._needless(one)

    def _needless(self, one: RankedText) -> str:
        """Why a text may be slower than the one with what was chosen so far, where that is not, and
        saves at least half as many passes by itself; or empty."""
        more = slower(self.best.kernels, one.made.kernels)
        return more if -2 * self._cost[0] >= -one.price[0] else ""


def worth_parting(found: Sequence[RankedText]) -> list[RankedText]:
    """The texts but for those that part accesses, and beside one that was planned to keep them
    execute as many instructions of shared memory more as they save passes, or more."""
    whole = [one for one in found if not one.plan.parts]
    return [
        one for one in found if not (one.plan.parts and any(_for_nothing(one, w) for w in whole))
    ]


def _for_nothing(parts: RankedText, whole: RankedText) -> bool:
    saved, executed = (whole.price[0] - parts.price[0], parts.price[1] - whole.price[1])
    return saved <= executed and bool(whole.why) <= bool(parts.why)


def _text(source: CxxSource, spellings: Sequence[Spelling]) -> str | Refusal:
    return edited(source, tuple(edit for one in spellings for edit in one.edits))


def compiled_with(
    author: Author, before: CompiledText, spellings: Sequence[Spelling]
) -> CompiledText | str | None:
    """A text with some spellings, compiled; None where it does not compile; where a launch takes
    more than before, or cannot be compared with it, which one."""
    text = _text(author.source, spellings)
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
