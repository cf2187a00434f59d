"""Whether the indices of arrays stay inside their extents: no map is proved where one does not. On
the flat memory behind an array ``s[0][40]`` of rows of 32 is ``s[1][8]``; under longer or folded
rows it is another element.

    the compiler finds it    whatever a launch gives, in blocks as large as those that are known
    blocks that run          come by the index and it stays inside, as far as they tell
    neither                  a refusal where every index before it is a constant; else it is said

Where neither is so, launches with other numbers of the text, for what a condition may ask, are
tried: an index that leaves in one is known to leave, and one that does not proves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from msgspec import field
from msgspec.structs import replace

from bankwise.ask.array_posed import SizedArray
from bankwise.ask.every_launch import every_launch
from bankwise.ask.extents_early import early_of
from bankwise.ask.judge_emitted import SIMULATORS, settings_of, simulated
from bankwise.ask.source_text import Author
from bankwise.change.simulate.launches import SimulatedLaunch
from bankwise.change.simulate.memory import TOO_LONG, Unsupported
from bankwise.errors import InputError, Location, Refusal
from bankwise.identity import ByIdentity
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.constants import named_numbers
from bankwise.read.cxx.extents import (
    AskedIndex,
    asked_indices,
    guards_of,
    staying,
    told_below,
    with_tags,
)
from bankwise.read.cxx.sizes import CALLS, ArraySize
from bankwise.read.cxx.tree import CxxSource
from bankwise.read.launch.facts import Size

_MOST_TRIALS = 32
"""Launches of a kernel that are tried for indices that no other one comes by."""

_NUMBER = re.compile(r"(?<![\w.])(?:0[xX][\da-fA-F]{1,8}|0|[1-9]\d{0,8})(?=[uUlL]*(?![\w.]))")
_NAME = re.compile(r"[A-Za-z_]\w*")

Trial = tuple[AssemblyKernel, SimulatedLaunch, str]
"""A launch in which an index leaves its row, and in words when."""


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

    def beside(self, other: ExtentFacts) -> ExtentFacts:
        """Both together."""
        return ExtentFacts(
            self.source,
            (*self.asked, *other.asked),
            (*self.outside, *other.outside),
            (*self.open, *other.open),
            {**self.unseen, **other.unseen},
            (*self.blocks, *other.blocks),
        )

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
            line=self._places({self.source.place(one.index.start)}),
        )

    @property
    def unproved(self) -> tuple[str, ...]:
        """That indices may leave their rows though nothing looks like it, or only what ran says
        that one of a constant row does not; in words."""
        left = [one for one in self.open if one.fixed != (one in self.unseen)]
        return (f"whether each index stays in its row is not known ({self._lines(left)})",) * bool(
            left
        )

    @property
    def said(self) -> str:
        """Behind what is proved of maps; empty where every index is a number."""
        if not self.asked:
            return ""
        most = " x ".join(str(max(lengths)) for lengths in zip(*self.blocks, strict=True))
        if not self.open:
            return _ALL.format(blocks=most)
        found, seen = len(self.asked) - len(self.open), set(self.open).difference(self.unseen)
        text = _SOME.format(found=found, asked=len(self.asked), blocks=most)
        text += _SEEN.format(lines=self._lines(seen)) * bool(seen)
        left = "; ".join(self.told(one, _UNSEEN) for one in self.unseen if not one.fixed)
        return text + f"; {left}" * bool(left)

    def _lines(self, some: Iterable[AskedIndex]) -> str:
        return self._places({self.source.place(one.index.start) for one in some})

    def _places(self, places: Collection[Location]) -> str:
        """Lines by their number, those of headers with the name of their file."""
        home = self.source.file
        lines = sorted({(at.file != home, Path(at.file).name, at.line) for at in places})
        own = [str(line) for other, _, line in lines if not other]
        said = [f"line{'s' * (len(own) > 1)} {', '.join(own)}"] * bool(own)
        return ", ".join((*said, *(f"{file}:{line}" for other, file, line in lines if other)))


def extents_of(
    author: Author, kernels: Sequence[AssemblyKernel], arrays: Sequence[SizedArray]
) -> ExtentFacts:
    """What is known of the indices of arrays. ``kernels``: under all launches that are known. Those
    are asked about together in which the arrays have the same extents."""
    launches, source = every_launch(kernels), author.source
    found = ExtentFacts(source)
    for names, having in _alike(arrays).items():
        asked = asked_indices(source, having)
        mine = tuple(one for one in launches if one.name in names)
        blocks = tuple(sorted({one.workgroup_size for one in mine or launches}))
        if asked and blocks:
            text = with_tags(source, asked, author.language, blocks)
            made_of = text, names, tuple((one.name, str(one.launch)) for one in mine)
            group = _TaggedKernels(
                author, text, names, {k.name for k in launches}, mine, asked, blocks
            )
            found = found.beside(author.kept.once("extents", made_of, group.facts, 16))
    return found


_Having = dict[int, tuple[SharedArray, Sequence[ArraySize]]]


def _alike(arrays: Sequence[SizedArray]) -> dict[tuple[str, ...], _Having]:
    """The arrays, by number, of kernels that have them alike; by no name those of the kernels that
    were not asked for."""
    sizes: dict[str, dict[int, ArraySize]] = {}
    for number, one in enumerate(arrays):
        for kernel, size in zip(one.kernels, one.sizes, strict=True):
            sizes.setdefault(kernel.name, {})[number] = size
    names: dict[tuple[object, ...], list[str]] = {}
    for name, each in sizes.items():
        key = tuple((n, its.extents[1:], its.element_bytes, its.scales) for n, its in each.items())
        names.setdefault(key, []).append(name)
    found: dict[tuple[str, ...], _Having] = {
        tuple(some): {n: (arrays[n].array, [size]) for n, size in sizes[some[0]].items()}
        for some in names.values()
    }
    others = {n: (one.array, one.others) for n, one in enumerate(arrays) if one.others}
    return found | ({(): {**others}} if others else {})


class _TaggedKernels(ByIdentity, frozen=True, eq=False):
    """Kernels of a ``text`` with tags, by their ``names``: those that are not ``known``, if none;
    and the ``launches`` under which they run."""

    author: Author
    text: str
    names: tuple[str, ...]
    known: set[str]
    launches: tuple[AssemblyKernel, ...]
    asked: tuple[AskedIndex, ...]
    blocks: tuple[Size, ...]

    def facts(self) -> ExtentFacts:
        """What the compiler finds of a text with tags, and what blocks that run do of the rest."""
        author, asked, source = self.author, self.asked, self.author.source
        try:
            tagged, numbers = self._early() or self._compiled()
        except InputError:
            unknown: dict[AskedIndex, Trial | None] = dict.fromkeys(asked)
            return ExtentFacts(source, asked, (), asked, unknown, self.blocks)
        text, called = self._part(tagged)
        found = staying(text, asked, numbers, sure=not called)
        kinds = list(zip(asked, found, strict=True))
        outside, open_ = (
            tuple(one for one, its in kinds if its == kind) for kind in ("outside", "open")
        )
        unseen: dict[AskedIndex, Trial | None] = {}
        if open_ and not outside:
            parts = {one.kernel for one in author.language.parts(tagged)}
            launches = tuple(one for one in self.launches if one.name in parts)
            wanted = {n: one for n, one in zip(numbers, asked, strict=True) if one in open_}
            unseen = _Running(author, tagged, launches).unseen(wanted)
        return ExtentFacts(source, asked, outside, open_, unseen, self.blocks)

    def _compiled(self) -> tuple[str, Sequence[int]]:
        """What is emitted of the text, and the numbers of the indices."""
        what = replace(self.author.what, text=self.text)
        return self.author.language.emitted(what), range(len(self.asked))

    def _early(self) -> tuple[str, Sequence[int]] | None:
        """The same of the text in which the sizes of arrays were asked, where that asks the same of
        all these indices."""
        early = early_of(self.author, self.blocks)
        if early is None or not all(one.index in early.numbers for one in self.asked):
            return None
        numbers = [early.numbers[one.index] for one in self.asked]
        below = told_below(self._part(early.emitted)[0])
        pairs = zip(numbers, self.asked, strict=True)
        same = all(below.get(n, {one.below}) == {one.below} for n, one in pairs)
        return (early.emitted, numbers) if same else None

    def _part(self, tagged: str) -> tuple[str, bool]:
        """What is emitted of these kernels, of all where some call functions; and if they do."""
        parts = {one.kernel: one.text for one in self.author.language.parts(tagged)}
        mine = self.names or tuple(name for name in parts if name not in self.known)
        text = "\n".join(parts.get(name, "") for name in mine)
        called = bool(CALLS.search(text))
        return (tagged if called else text), called


class _Running(ByIdentity, frozen=True, eq=False):
    """A text with tags, and the launches under which it runs. ``ran``: what blocks came by, each
    behind all that it is given: another number for those that nobody says is none where all are."""

    author: Author
    tagged: str
    launches: tuple[AssemblyKernel, ...]
    ran: dict[object, tuple[frozenset[str], str]] = field(default_factory=dict)

    def unseen(self, open_: Mapping[int, AskedIndex]) -> dict[AskedIndex, Trial | None]:
        """The indices that no block of the known launches comes by, or one comes by outside; each
        with a launch of other numbers in which one leaves, where that is found."""
        simulator = SIMULATORS[self.author.language.emits]
        passed: set[str] = set()
        left: dict[int, Trial] = {}
        for kernel in self.launches:
            for setting in settings_of(simulator, self.tagged, kernel):
                mine, _ = self._passed(kernel, setting)
                passed |= mine
                left |= {n: (kernel, setting, _RAN) for n in open_ if f"out {n}" in mine}
        unseen = {n: one for n, one in open_.items() if n in left or f"at {n}" not in passed}
        left |= self._leaving({n: one for n, one in unseen.items() if n not in left})
        return {one: left.get(n) for n, one in unseen.items()}

    def _leaving(self, unseen: Mapping[int, AskedIndex]) -> dict[int, Trial]:
        """Launches with other numbers in which indices leave their rows."""
        found: dict[int, Trial] = {}
        for kernel in {one.name: one for one in reversed(self.launches)}.values():
            for setting in islice(self._trials(kernel, unseen.values()), _MOST_TRIALS):
                if len(found) == len(unseen):
                    return found
                passed, long = self._passed(kernel, setting)
                given = _GIVEN.format(number=setting.assumed)
                for n in unseen:
                    if f"out {n}" in passed:
                        found.setdefault(n, (kernel, setting, given))
                if long:
                    break
        return found

    def _passed(self, kernel: AssemblyKernel, setting: SimulatedLaunch) -> tuple[set[str], bool]:
        """The tags that blocks of a launch come by, and whether one goes on for too long."""
        passed, long = set[str](), False
        for index in setting.blocks:
            tags, why = self._came_by(kernel.name, setting, index)
            passed |= tags
            long = long or TOO_LONG in why
        return passed, long

    def _came_by(
        self, name: str, setting: SimulatedLaunch, index: Size
    ) -> tuple[frozenset[str], str]:
        """The tags that one block comes by, and why it does not end."""
        simulator = SIMULATORS[self.author.language.emits]
        try:
            given = simulator.given(self.tagged, name, setting)
        except Unsupported:
            return simulator.passed(self.tagged, name, setting, index)
        key = name, given, setting.block, setting.grid, setting.shared_bytes, index
        if key not in self.ran:
            self.ran[key] = simulator.passed(self.tagged, name, setting, index)
        return self.ran[key]

    def _trials(
        self, kernel: AssemblyKernel, unseen: Collection[AskedIndex]
    ) -> Iterator[SimulatedLaunch]:
        """Launches of a kernel with other numbers: for those that nobody says, and for all."""
        numbers = tuple(_numbers(self.author.source, unseen))
        simulator = SIMULATORS[self.author.language.emits]
        first = next(iter(settings_of(simulator, self.tagged, kernel)))
        said = any(isinstance(one, int) for one in first.numbers)
        nothing = tuple(None if isinstance(one, int) else one for one in first.numbers)
        for number in numbers:
            yield replace(first, assumed=number)
            if said:
                yield replace(first, numbers=nothing, assumed=number)


def _leaves(trial: Trial | None) -> str:
    return _MAY if trial is None else _LEAVES.format(when=trial[2])


def trials_differ(author: Author, facts: ExtentFacts, before: str, after: str) -> str:
    """Where an index leaves its row and what is emitted of a changed text writes other values, in
    words; empty where none is seen."""
    simulator = SIMULATORS[author.language.emits]
    for one, trial in facts.unseen.items():
        if trial is not None:
            made = simulated(simulator, before, after, trial[0], (trial[1],))
            if not isinstance(made, Refusal) and made.differs:
                return f"{facts.told(one, _DIFFERS)}, {trial[2]}: {made.differs}"
    return ""


def _numbers(source: CxxSource, unseen: Collection[AskedIndex]) -> Iterator[int]:
    """What conditions may ask for: the numbers in those around an index, and their neighbours, then
    those of the whole text."""
    guards = " ".join(text for one in unseen for text in guards_of(source, one.index))
    named = named_numbers(source)
    near = [int(one, 0) for one in _NUMBER.findall(guards)]
    near += [named[name] for name in _NAME.findall(guards) if name in named]
    lengths = sorted({one.below for one in unseen})
    far = [int(one, 0) for one in _NUMBER.findall(source.text)]
    every = [n + step for n in dict.fromkeys(near) for step in (1, *lengths, 0, -1)]
    every += [n + step for n in dict.fromkeys(far) for step in (1, 0)]
    yield from (n for n in dict.fromkeys(every) if 0 <= n < 1 << 31)


def _flat(text: str) -> str:
    return " ".join(text.split())


_ALL = "; the compiler finds that none does, in blocks of up to {blocks} threads"
_SOME = "; the compiler finds it of {found} of {asked} indices, in blocks of up to {blocks} threads"
_SEEN = ", and blocks that ran show it of others ({lines})"
_MEANT = "; in longer or folded rows another element would be meant"
_OUTSIDE = (
    "{use} leaves its row wherever it is reached: the compiler finds that {index} is never from 0 "
    "up and below {below}" + _MEANT
)
_RAN, _GIVEN = "in a block that ran", "where {number} is given"
_LEAVES = (
    "{{use}} leaves its row: it is reached{{guard}}, and {when} {{index}} is not from 0 up and "
    "below {{below}}" + _MEANT
)
_MAY = (
    "{use} may leave its row: it is reached{guard}, which no known launch shows, and nothing else "
    "shows that {index} stays below {below} there" + _MEANT
)
_UNSEEN = (
    "{line}: {use} is reached{guard}, which no known launch shows, and {index} has to stay "
    "below {below} there"
)
_DIFFERS = "{line}: {use} is reached{guard} and leaves its row"
