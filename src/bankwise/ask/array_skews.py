"""Longer rows said by the author's own padding constants, where these say nothing else.

    s[BM][BK + PAD]  ->  s[BM][BK + PAD + 8]      what was chosen
    PAD = 0          ->  PAD = 8                  the same, and one number is another one

An array whose rows are as long by the same constant becomes longer with it. So the text is compiled
again, and taken only where it costs no more than what was chosen, and where it is proved.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from bankwise.ask.advice import unseen_addresses
from bankwise.ask.array_plans import ArrayPlan, ArrayPlans
from bankwise.ask.array_posed import SizedArray, sized
from bankwise.ask.array_texts import WrittenArray, claims_of
from bankwise.ask.dearer import crowded
from bankwise.ask.every_launch import LaunchKey, believed, every_launch, over, paying
from bankwise.ask.header_users import named_elsewhere
from bankwise.ask.source_text import Author, CompiledText
from bankwise.change.cxx.prove import prove_text
from bankwise.change.cxx.skew import SkewSpelling, by_skews
from bankwise.change.cxx.spelling import Spelling, edited
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine
from bankwise.identity import ByIdentity
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.cxx.arrays import SharedArray, shared_arrays
from bankwise.read.cxx.sizes import Sizes, sizes
from bankwise.read.cxx.tree import CxxSource, parse
from bankwise.read.instances import ChangedArgument
from bankwise.read.launch.headers import own_headers
from bankwise.read.names import listed
from bankwise.read.source import Compilation


def by_constants(
    author: Author, before: CompiledText, chosen: tuple[WrittenArray, ...], after: CompiledText
) -> tuple[tuple[WrittenArray, ...], CompiledText]:
    """What was chosen, by constants of the author wherever these can say it; and the text."""
    measure = partial(sizes, language=author.language, what=author.what)
    asked = _sayable(author.source, author.what, before.kernels, chosen, measure)
    for skew in by_skews(author.source, asked.arrays, asked.pads):
        tried = _with_constant(asked, skew, chosen)
        found = _compiled(author, before, after, tried, asked.keys) if tried else None
        if found is not None:
            chosen, after = tried, found
    return chosen, after


def foreseen(
    source: CxxSource,
    what: Compilation,
    kernels: Sequence[AssemblyKernel],
    planned: Sequence[ArrayPlans],
    measured: Sizes,
) -> tuple[WrittenArray, ...]:
    """What is written of the best plan of each array if it compiles to what was planned: by
    constants of the author where these can say it."""
    chosen = tuple(WrittenArray(p, p.plans[0], p.plans[0].spellings[0]) for p in planned)
    asked = _sayable(source, what, kernels, chosen, lambda *_: measured)
    for skew in by_skews(source, asked.arrays, asked.pads):
        tried = _with_constant(asked, skew, chosen)
        if tried and _proved(source, tried) is not None:
            chosen = tried
    return chosen


class _Sayable(ByIdentity, frozen=True, eq=False):
    """What constants could say: ``plans``, the pads and the ``rows`` of arrays by their number, in
    the launches of ``keys``. ``measure``: how large the arrays of a source are."""

    source: CxxSource
    what: Compilation
    kernels: Sequence[AssemblyKernel]
    arrays: tuple[SharedArray, ...]
    keys: Collection[LaunchKey]
    plans: Mapping[int, ArrayPlan]
    rows: Mapping[int, int]
    measure: Callable[[CxxSource, Sequence[SharedArray]], Sizes | Refusal]

    @property
    def pads(self) -> dict[int, int]:
        """How much longer each row becomes."""
        return {number: plan.map.pad for number, plan in self.plans.items()}


def _sayable(
    source: CxxSource,
    what: Compilation,
    kernels: Sequence[AssemblyKernel],
    chosen: Sequence[WrittenArray],
    measure: Callable[[CxxSource, Sequence[SharedArray]], Sizes | Refusal],
) -> _Sayable:
    arrays = shared_arrays(source)
    keys = believed(every_launch(kernels))
    plans = {number: plan for one in chosen for number, plan in _longer(one, arrays, keys)}
    rows = {
        one.number: plans[one.number].map.row or one.sizes[0].columns
        for c in chosen
        for one in c.plans.arrays
        if one.number in plans
    }
    return _Sayable(source, what, kernels, arrays, keys, plans, rows, measure)


def _with_constant(
    asked: _Sayable, skew: SkewSpelling, chosen: tuple[WrittenArray, ...]
) -> tuple[WrittenArray, ...]:
    """What was chosen, with a constant that says a part of it; none where it may not."""
    said = {number for one in chosen if one.skew for number in one.skew.names}
    if said & skew.names.keys() or not _pads(skew, asked.rows) or _in_headers(asked, skew):
        return ()
    measured = asked.measure(asked.source, asked.arrays)
    if isinstance(measured, Refusal):
        return ()
    beside = _beside(asked.source, skew, asked.pads, asked.arrays, asked.kernels, measured)
    return () if beside is None else _said_by(skew, asked.plans, chosen, beside)


def _pads(skew: SkewSpelling, rows: Mapping[int, int]) -> bool:
    """Whether a constant is a padding, the smaller part of a row, and no length of its own."""
    mine = [columns for number, columns in rows.items() if number in skew.names]
    return 2 * (skew.skew.number + skew.pad) < min(mine, default=0) + skew.pad


def _in_headers(asked: _Sayable, skew: SkewSpelling) -> bool:
    """Whether a header of the author's says the name of a constant, by a macro perhaps; of one
    that stands in a header itself, any other file."""
    headers = own_headers(asked.source.text, asked.what.path, asked.what.flags)
    names = "|".join(map(re.escape, skew.skew.constants))
    said = bool(names) and any(re.search(rf"\b(?:{names})\b", text) for text in headers)
    return said or named_elsewhere(asked.source, asked.what.path, skew.skew.constants)


def _beside(
    source: CxxSource,
    skew: SkewSpelling,
    pads: dict[int, int],
    arrays: Sequence[SharedArray],
    kernels: Sequence[AssemblyKernel],
    measured: Sizes,
) -> tuple[SizedArray, ...] | None:
    """The arrays that become longer as well; None where it is not known what that costs: a kernel
    that has one is not looked at, or some of its accesses are not known."""
    gpu = machine(kernels[0].target)
    others = [number for number in skew.names if number not in pads]
    known = {one.name for one in kernels if not unseen_addresses(one)}
    having = {name for name, each in measured.items() if each.keys() & set(others)}
    if having - known:
        return None
    return tuple(sized(n, arrays[n], source, kernels, measured, gpu) for n in others)


def _longer(
    one: WrittenArray, arrays: Sequence[SharedArray], keys: Collection[LaunchKey]
) -> Iterator[tuple[int, ArrayPlan]]:
    """The plan of longer rows that takes no more passes than what was chosen, for each array, in
    the launches that are believed: to serve a guessed one as well is worth no index. Of one
    dimension with rows that its indices count."""
    most = over(one.plan.passes, keys)
    every = (one.plan, *one.plans.plans)
    as_good = [p for p in every if p.map.pad and over(p.passes, keys) <= most]
    for each in one.plans.arrays:
        size, uses = each.sizes[0], range(len(arrays[each.number].uses))
        counted = {multiple for use in uses for multiple, _ in size.facts(use)}
        fits = (p for p in as_good if not p.map.row or (size.flat and p.map.row in counted))
        if (plan := next(fits, None)) is not None:
            yield each.number, plan


def _said_by(
    skew: SkewSpelling,
    plans: Mapping[int, ArrayPlan],
    chosen: tuple[WrittenArray, ...],
    beside: tuple[SizedArray, ...],
) -> tuple[WrittenArray, ...]:
    """What was chosen, with a constant for the pads that it says; none if it says a part of them
    alone."""
    told: list[WrittenArray] = []
    for one in chosen:
        mine = [each for each in one.plans.arrays if each.number in skew.names]
        maps = {plans[each.number].map for each in mine if each.number in plans}
        if mine and (len(mine) < len(one.plans.arrays) or len(maps) != 1):
            return ()
        if mine:
            text = f"{_named(one, beside)}: {skew.text}"
            plan = plans[mine[0].number]
            array = mine[0].array
            spelling = Spelling(array, plan.map, skew.edits, "constant", text)
            one = WrittenArray(one.plans, plan, spelling, skew, beside)
            beside = ()
        told.append(one)
    return tuple(told)


def _named(one: WrittenArray, beside: Sequence[SizedArray]) -> str:
    """The arrays of one text, and those that become longer with them."""
    names = ", ".join(one.plans.names)
    return f"{names}, and {listed([each.array.name for each in beside])}" if beside else names


def _compiled(
    author: Author,
    before: CompiledText,
    after: CompiledText,
    chosen: tuple[WrittenArray, ...],
    keys: Collection[LaunchKey],
) -> CompiledText | None:
    """The text with what is chosen, compiled; None where it costs more than ``after`` in some
    launches, or than before in any, is not proved, or cannot be compared."""
    changed, text = changed_by(chosen), _proved(author.source, chosen)
    if text is None:
        return None
    try:
        made = author.compiled(text, changed).under(before.emitted.passes.keys())
    except InputError:
        return None
    old, new = before.emitted, made.emitted
    same = [one.name for one in made.kernels] == [one.name for one in before.kernels]
    if (
        not same
        or new.passes.keys() != after.emitted.passes.keys()
        or paying(old.passes, new.passes)
    ):
        return None
    cost, most = (
        (over(one.passes, keys), over(one.executed, keys)) for one in (new, after.emitted)
    )
    return None if cost > most or crowded(after.kernels, made.kernels) else made


def _proved(source: CxxSource, chosen: Sequence[WrittenArray]) -> str | None:
    """The text with what is chosen; None where it is not proved."""
    text = edited(source, tuple(edit for one in chosen for edit in one.spelling.edits))
    if isinstance(text, Refusal):
        return None
    proved = prove_text(source, parse(text, source.file, beside=source.beside), claims_of(chosen))
    return None if isinstance(proved, Refusal) else text


def changed_by(chosen: Sequence[WrittenArray]) -> tuple[ChangedArgument, ...]:
    """The arguments of templates that are other numbers."""
    found = (change for one in chosen if one.skew for change in one.skew.changed)
    return tuple(dict.fromkeys(found))
