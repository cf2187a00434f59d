"""Whether the indices of arrays stay inside their extents: no map is proved where one does not. On
the flat memory behind an array ``s[0][40]`` of rows of 32 is ``s[1][8]``; under longer or folded
rows it is another element.

    the compiler finds it    whatever a launch gives, in blocks as large as those that are known
    blocks that run          come by the index and it stays inside, as far as they tell
    trials                   numbers of the text for what a condition may ask, where none comes by
    neither                  a refusal where every index before it is a constant; else it is said
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from msgspec.structs import replace

from bankwise.ask.every_launch import every_launch
from bankwise.ask.judge_emitted import SIMULATORS, settings_of, simulated
from bankwise.ask.source_text import Author
from bankwise.change.simulate.launches import SimulatedLaunch
from bankwise.change.simulate.memory import TOO_LONG
from bankwise.errors import InputError, Refusal
from bankwise.identity import ByIdentity
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.constants import named_numbers
from bankwise.read.cxx.extents import AskedIndex, asked_indices, guards_of, staying, with_marks
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.tree import CxxSource
from bankwise.read.launch.facts import Size

_MOST_TRIALS = 32
"""Launches of a kernel that are tried for indices that no other one comes by."""

_NUMBER = re.compile(r"(?<![\w.])(?:0[xX][\da-fA-F]{1,8}|0|[1-9]\d{0,8})(?=[uUlL]*(?![\w.]))")
_NAME = re.compile(r"[A-Za-z_]\w*")

SizedExtents = tuple[SharedArray, Sequence[ArraySize]]
"""An array with its sizes in all kernels."""

Trial = tuple[AssemblyKernel, SimulatedLaunch]
"""A launch that is tried."""


class ExtentFacts(ByIdentity, frozen=True, eq=False):
    """What is known of indices that may leave a row. ``outside``: those that always do; ``open``:
    those of which the compiler does not know it; ``unseen``: of these, those that no block that
    ran came by and stayed inside, each with a trial in which it did not, or None; ``blocks``: of
    the launches."""

    source: CxxSource
    asked: tuple[AskedIndex, ...] = ()
    outside: tuple[AskedIndex, ...] = ()
    open: tuple[AskedIndex, ...] = ()
    unseen: Mapping[AskedIndex, Trial | None] = {}
    blocks: tuple[Size, ...] = ()

    def refused(self, arrays: Sequence[SharedArray]) -> dict[int, Refusal]:
        """The arrays, by their place among those asked about, whose rows stay as they are: an index
        leaves one, or may and nothing speaks against it."""
        found: dict[int, Refusal] = {}
        suspect = [(one, _leaves(trial)) for one, trial in self.unseen.items() if one.fixed]
        for one, why in (*((one, _OUTSIDE) for one in self.outside), *suspect):
            said = f"{arrays[one.array].name}: {self.told(one, why)}"
            found.setdefault(one.array, Refusal(said, self.source.place(one.index.start)))
        return found

    def told(self, one: AskedIndex, text: str) -> str:
        """An index in words."""
        of, guards = self.source.of, guards_of(self.source, one.index)
        return text.format(
            use=_flat(of(one.whole)),
            index=_flat(of(one.index)),
            below=one.below,
            guard=f" only if {guards[0]}" if guards else "",
            line=self.source.place(one.index.start).line,
        )

    @property
    def unproved(self) -> tuple[str, ...]:
        """What may leave its row though nothing looks like it, in words."""
        return tuple(self.told(one, _UNSEEN) for one in self.unseen if not one.fixed)

    @property
    def said(self) -> str:
        """Behind what is proved of maps; empty where every index is a number."""
        if not self.asked:
            return ""
        most = " x ".join(str(max(lengths)) for lengths in zip(*self.blocks, strict=True))
        if not self.open:
            return _ALL.format(blocks=most)
        lines = sorted({self.source.place(one.index.start).line for one in self.open})
        where = f"line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))}"
        found = len(self.asked) - len(self.open)
        seen = _SEEN if len(self.unseen) < len(self.open) else _NOTHING
        return seen.format(found=found, asked=len(self.asked), blocks=most, where=where)


def extents_of(
    author: Author, kernels: Sequence[AssemblyKernel], arrays: Sequence[SizedExtents]
) -> ExtentFacts:
    """What is known of the indices of arrays. ``kernels``: under all launches that are known."""
    asked = asked_indices(author.source, arrays)
    if not asked:
        return ExtentFacts(author.source)
    launches = every_launch(kernels)
    blocks = tuple(sorted({one.workgroup_size for one in launches}))
    text = with_marks(author.source, asked, author.language, blocks)
    made_of = text, tuple((one.name, str(one.launch)) for one in launches)
    return author.kept.once(
        "extents", made_of, lambda: _facts(author, text, launches, asked, blocks), 8
    )


def _facts(
    author: Author,
    text: str,
    launches: Sequence[AssemblyKernel],
    asked: tuple[AskedIndex, ...],
    blocks: tuple[Size, ...],
) -> ExtentFacts:
    """What the compiler finds of a text with marks, and what blocks that run do of the rest."""
    try:
        marked = author.language.emitted(replace(author.what, text=text))
    except InputError:
        unknown: dict[AskedIndex, Trial | None] = dict.fromkeys(asked)
        return ExtentFacts(author.source, asked, (), asked, unknown, blocks)
    found = staying(marked, asked)
    outside, open_ = (
        tuple(one for one, its in zip(asked, found, strict=True) if its == kind)
        for kind in ("outside", "open")
    )
    unseen: dict[AskedIndex, Trial | None] = {}
    if open_ and not outside:
        running = _Running(author, marked, tuple(_emitted_ones(author, marked, launches)))
        unseen = running.unseen({n: one for n, one in enumerate(asked) if one in open_})
    return ExtentFacts(author.source, asked, outside, open_, unseen, blocks)


def _emitted_ones(
    author: Author, marked: str, launches: Sequence[AssemblyKernel]
) -> Iterator[AssemblyKernel]:
    names = {part.kernel for part in author.language.parts(marked)}
    yield from (one for one in launches if one.name in names)


class _Running(ByIdentity, frozen=True, eq=False):
    """A text with marks, and the launches under which it runs."""

    author: Author
    marked: str
    launches: tuple[AssemblyKernel, ...]

    def unseen(self, open_: Mapping[int, AskedIndex]) -> dict[AskedIndex, Trial | None]:
        """The indices that no block comes by, or comes by outside: under the launches that are
        known, then with other numbers."""
        simulator = SIMULATORS[self.author.language.emits]
        passed: set[str] = set()
        for kernel in self.launches:
            for setting in settings_of(simulator, self.marked, kernel):
                passed |= self._passed(kernel, setting)[0]
        left = {n: one for n, one in open_.items() if not _inside(n, passed)}
        leaves: dict[int, Trial] = {}
        for kernel in {one.name: one for one in reversed(self.launches)}.values():
            for setting in islice(self._trials(kernel, left.values()), _MOST_TRIALS):
                if not left:
                    break
                passed, long = self._passed(kernel, setting)
                left = {n: one for n, one in left.items() if not _inside(n, passed)}
                for n in left:
                    if f"out {n}" in passed:
                        leaves.setdefault(n, (kernel, setting))
                if long:
                    break
        return {one: leaves.get(n) for n, one in left.items()}

    def _passed(self, kernel: AssemblyKernel, setting: SimulatedLaunch) -> tuple[set[str], bool]:
        """The marks that blocks of a launch come by, and whether one goes on for too long."""
        passed, long = set[str](), False
        for index in setting.blocks:
            simulator = SIMULATORS[self.author.language.emits]
            marks, why = simulator.passed(self.marked, kernel.name, setting, index)
            passed |= marks
            long = long or TOO_LONG in why
        return passed, long

    def _trials(
        self, kernel: AssemblyKernel, unseen: Iterable[AskedIndex]
    ) -> Iterator[SimulatedLaunch]:
        """Launches of a kernel with other numbers: for those that nobody says, and for all."""
        numbers = tuple(_numbers(self.author.source, unseen))
        simulator = SIMULATORS[self.author.language.emits]
        first = next(iter(settings_of(simulator, self.marked, kernel)))
        said = any(isinstance(one, int) for one in first.numbers)
        nothing = tuple(None if isinstance(one, int) else one for one in first.numbers)
        for number in numbers:
            yield replace(first, assumed=number)
            if said:
                yield replace(first, numbers=nothing, assumed=number)


def _leaves(trial: Trial | None) -> str:
    return _MAY if trial is None else _LEAVES.format(number=trial[1].assumed)


def _inside(number: int, passed: set[str]) -> bool:
    return f"at {number}" in passed and f"out {number}" not in passed


def trials_differ(author: Author, facts: ExtentFacts, before: str, after: str) -> str:
    """Where an index leaves its row and what is emitted of a changed text writes other values, in
    words; empty where none is seen."""
    simulator = SIMULATORS[author.language.emits]
    for one, trial in facts.unseen.items():
        if trial is not None:
            made = simulated(simulator, before, after, trial[0], (trial[1],))
            if not isinstance(made, Refusal) and made.differs:
                return facts.told(one, _DIFFERS) + f"{trial[1].assumed} is given: {made.differs}"
    return ""


def _numbers(source: CxxSource, unseen: Iterable[AskedIndex]) -> Iterator[int]:
    """What conditions may ask for: the numbers in those around an index, and their neighbours, then
    those of the whole text."""
    guards = " ".join(text for one in unseen for text in guards_of(source, one.index))
    named = named_numbers(source)
    near = [int(one, 0) for one in _NUMBER.findall(guards)]
    near += [named[name] for name in _NAME.findall(guards) if name in named]
    far = [int(one, 0) for one in _NUMBER.findall(source.text)]
    every = [n + step for n in dict.fromkeys(near) for step in (1, 0, -1)]
    every += [n + step for n in dict.fromkeys(far) for step in (1, 0)]
    yield from (n for n in dict.fromkeys(every) if 0 <= n < 1 << 31)


def _flat(text: str) -> str:
    return " ".join(text.split())


_ALL = "; the compiler finds that none does, in blocks of up to {blocks} threads"
_SOME = "; the compiler finds it of {found} of {asked} indices, in blocks of up to {blocks} threads"
_SEEN = _SOME + ", and blocks that ran show no other ({where})"
_NOTHING = _SOME
_MEANT = "; in longer or folded rows another element would be meant"
_OUTSIDE = (
    "{use} leaves its row wherever it is reached: the compiler finds that {index} is never from 0 "
    "up and below {below}" + _MEANT
)
_LEAVES = (
    "{{use}} leaves its row: it is reached{{guard}}, and where {number} is given {{index}} is not "
    "from 0 up and below {{below}}" + _MEANT
)
_MAY = (
    "{use} may leave its row: it is reached{guard}, and no launch that was tried shows that "
    "{index} stays below {below} there" + _MEANT
)
_UNSEEN = (
    "line {line}: {use} is reached{guard}, and no launch that was tried shows that {index} stays "
    "below {below} there"
)
_DIFFERS = "line {line}: {use} is reached{guard} and leaves its row where "
