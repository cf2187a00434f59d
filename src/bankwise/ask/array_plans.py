"""The plans of one shared array of a source: maps of its rows, priced on the machine code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from bankwise.ask.array_better import alone, index_map
from bankwise.ask.array_common import common_maps, moves_matrices
from bankwise.ask.array_narrowed import narrowed
from bankwise.ask.array_posed import PosedArray, SizedArray, posed_of, sized
from bankwise.ask.array_units import placed_in
from bankwise.ask.array_unpadded import unpadded
from bankwise.ask.every_launch import (
    Passes,
    believed,
    block,
    key_of,
    launches_together,
    none_worse,
    over,
    paying,
    planned,
    shown,
    summed,
)
from bankwise.change.cxx.index_map import IndexMap
from bankwise.change.cxx.matrices import torn
from bankwise.change.cxx.spell import hides, spellings
from bankwise.change.cxx.spelling import Spelling, said, together
from bankwise.change.cxx.tile import as_tile
from bankwise.errors import Location, Refusal
from bankwise.hardware.machine import Machine
from bankwise.identity import ByIdentity
from bankwise.read.assembly import AssemblyAccess, AssemblyKernel
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.sizes import ArraySize, Sizes
from bankwise.read.cxx.tree import CxxSource
from bankwise.read.toolkit import of_compiler


class ArrayPlan(ByIdentity, frozen=True, eq=False):
    """One map of an array, with the ways to write it and the passes it takes in each launch;
    ``parts``: it leaves some accesses narrower, and so more of them; ``late``: for no fewer passes
    than one that leaves them wide; ``hides``: its text may, since the compiler joined them, and may
    not see how any more."""

    map: IndexMap
    spellings: tuple[Spelling, ...]
    passes: Passes
    optimum: str
    parts: bool = False
    hides: bool = False
    late: bool = False

    @property
    def total(self) -> int:
        """The passes of all launches together."""
        return sum(self.passes.values())


class ArrayPlans(ByIdentity, frozen=True, eq=False):
    """What can be done for an array, or for several that one function is given and that have one
    map therefore, the best first. ``present`` and ``ideal``: passes of the arrays as they are, and
    without conflicts. ``unpadded``: what would take fewer without a padding that is there.
    """

    arrays: tuple[SizedArray, ...]
    plans: tuple[ArrayPlan, ...]
    present: Passes
    ideal: Passes
    unpadded: str = ""

    @property
    def kernels(self) -> frozenset[str]:
        """The names of those that have the arrays."""
        return frozenset(kernel.name for one in self.arrays for kernel in one.kernels)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the arrays: each once, also where several kernels have one of it."""
        return _names(self.arrays)

    @property
    def longer(self) -> str:
        """Why rows are made longer where a fold takes as few passes; empty where none does."""
        first, *others = self.plans
        whole = (one for one in others if one.parts == first.parts)
        as_few = any(not one.map.pad and one.total == first.total for one in whole)
        places = max(1 + len(one.array.rows) for one in self.arrays)
        change = f"{places} places change" if places > 1 else "one place changes"
        return f"{change}; {_LONGER}" if first.map.pad and not first.map.row and as_few else ""

    @property
    def saved(self) -> int:
        """By the best plan, in all launches together."""
        return sum(self.present.values()) - self.plans[0].total


def _names(arrays: Iterable[SizedArray]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.array.name for one in arrays))


def plans_of(
    source: CxxSource,
    arrays: Mapping[int, SharedArray],
    kernels: Sequence[AssemblyKernel],
    sizes: Sizes,
    gpu: Machine,
    accessor: bool = False,
    only: str = "",
) -> ArrayPlans | Refusal | None:
    """The plans of an array, or of several that have one map; None where they have no conflicts, a
    Refusal where nothing is done. ``arrays``: by their number in the text; ``accessor``: write the
    map as a type wherever that can be done, not only where nothing else can; ``only``: names of the
    kernels that are asked about, as ``--kernel`` takes them."""
    found = tuple(sized(n, one, source, kernels, sizes, gpu) for n, one in arrays.items())
    posed = _all_posed(source, found, gpu, only)
    if isinstance(posed, Refusal):
        return posed
    if not any(one.shown_extra for one in posed):
        return None
    for one in found:
        if one.array.refusals:
            return _by_hand(source, one.array, one.array.refusals[0], posed, gpu)
    plans = _plans(source, sorted(posed, key=lambda one: -one.extra), gpu, accessor)
    present = summed(one.present for one in posed)
    least = sum(present.values()) if isinstance(plans, Refusal) else plans[0].total
    shorter = unpadded(source, posed, least, gpu)
    if isinstance(plans, Refusal):
        names = ", ".join(_names(found))
        why = replace(plans, reason="; ".join(filter(None, (f"{names}: {plans.reason}", shorter))))
        return _by_hand(source, found[0].array, why, posed, gpu)
    if any(one.elsewhere for one in found):
        plans = tuple(replace(one, optimum=f"{one.optimum}{_ELSEWHERE}") for one in plans)
    ideal = (planned(one.now, one.owners, "ideal") for one in posed)
    return ArrayPlans(found, plans, present, summed(ideal), shorter)


def _all_posed(
    source: CxxSource, found: Sequence[SizedArray], gpu: Machine, only: str
) -> list[PosedArray] | Refusal:
    """Arrays that have one map as questions, or why one of them is none."""
    posed: list[PosedArray] = []
    for one in found:
        some = posed_of(one, gpu)
        if isinstance(some, Refusal):
            return replace(some, reason=f"{one.array.name}: {some.reason}")
        posed += some
    for one in found:
        if not one.kernels and (one.array.uses or one.array.refusals):
            left = f"no kernel of --kernel {only} has it; the others are left out"
            reason = left if only else _UNKNOWN[one.array.unsized]
            at = source.place(one.array.statement.start)
            return Refusal(f"{one.array.name}: {reason}", at)
    return posed


def _by_hand(
    source: CxxSource,
    array: SharedArray,
    refused: Refusal,
    posed: Sequence[PosedArray],
    gpu: Machine,
) -> Refusal:
    """Why an array is not edited, and what its author could write at each of its lines."""
    mine = sorted((one for one in posed if one.array == array), key=lambda one: -one.extra)
    units = placed_in(mine, gpu)
    if units:
        return replace(refused, reason="; ".join((refused.reason, *units)))
    first = next((one for one in mine if one.extra), None)
    present = summed(one.present for one in mine)
    every = () if first is None else common_maps(mine, gpu)
    fit = (one for one in every if not any(torn(array, each.size, one.map) for each in mine))
    better = next((one for one in fit if none_worse(present, one.passes)), None)
    if first is None or better is None:
        return refused
    text, keys = said(source, array, better.map), shown(first.kernels)
    now, then = (over(one, keys) for one in (first.present, first.passes(better.plans[0])))
    where = _used(source, array, mine)
    return replace(
        refused,
        reason=f"{refused.reason}; by hand, wherever it is used ({where}): {text}: "
        f"{now:,} -> {then:,} passes by the plan, which nothing has proved",
    )


def _used(source: CxxSource, array: SharedArray, posed: Sequence[PosedArray]) -> str:
    """The lines that name an array, and those that reach it through a pointer, in words; of a call
    that was inlined from another file of the author's the lines there, where its index stands; of
    one from a compiler's header the line that calls it: there is nothing to be edited there."""
    every = {(_line(a.access.location), a.source) for one in posed for a in _inlined(one)}
    inner = {(line, at) for line, at in every if at is None or not of_compiler(at.file)}
    places = {_line(one.location) for one in array.refusals if one.location is not None}
    places.difference_update(line for line, _ in inner)
    places |= {_line(source.place(use.span.start)) for use in array.uses}
    lines = {one.line for one in places if one.file == source.file}
    text = _own_lines(source)
    named = [n for n in sorted(lines) if re.search(rf"\b{re.escape(array.name)}\b", text[n])]
    through = sorted(lines.difference(named))
    parts = [_lines(named)] if named else []
    if through:
        parts.append(f"through a pointer in {_lines(through)}, i counted from {array.name}[0]")
    called = {line.line for line, _ in every - inner if line.file == source.file}
    library = sorted(called.difference(named, through))
    if library:
        parts.append(f"by what {_lines(library)} calls")
    elsewhere = {at for _, at in inner if at is not None}
    elsewhere |= {one for one in places if one.file != source.file}
    for file in sorted({at.file for at in elsewhere}):
        there = sorted({at.line for at in elsewhere if at.file == file})
        parts.append(f"{_lines(there)} of {file}")
    return "; ".join(parts)


def _line(place: Location) -> Location:
    return Location(place.file, place.line)


def _own_lines(source: CxxSource) -> dict[int, str]:
    """The lines of the author's file by their number there."""
    every = enumerate(source.data.decode().split("\n"), 1)
    placed = ((source.line(number), text) for number, text in every)
    return {at.line: text for at, text in placed if at.file == source.file}


def _inlined(posed: PosedArray) -> Iterator[AssemblyAccess]:
    """The accesses of an array that were inlined from another file."""
    first = posed.size.start
    behind = first + posed.size.bytes_
    for access in (a for kernel in posed.kernels for a in kernel.accesses if a.source is not None):
        touched = [p.offsets_bytes[p.active] for p in access.access.patterns if p.active.any()]
        if touched and all(first <= t.min() and t.max() < behind for t in touched):
            yield access


def _lines(numbers: Sequence[int]) -> str:
    return f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"


def _plans(
    source: CxxSource, posed: Sequence[PosedArray], gpu: Machine, accessor: bool
) -> tuple[ArrayPlan, ...] | Refusal:
    """The plans of the size that costs most, as far as they suit the others."""
    first, now = posed[0], summed(one.present for one in posed)
    plans: list[ArrayPlan] = []
    why: Refusal | None = None
    keys = believed([kernel for one in posed for kernel in one.kernels])
    every = (posed, *narrowed(posed, gpu))
    for one in (one for tried in every for one in common_maps(tried, gpu)):
        map_, total = one.map, one.passes
        ways, dear = _spelled(source, map_, posed, accessor), paying(now, total)
        if isinstance(ways, Refusal):
            why = why or ways
        elif dear or over(total, keys) >= over(now, keys):
            text = said(source, first.array, map_).removeprefix(f"{first.array.name}: ")
            guessed = f"{text} helps in guessed launches alone"
            text = f"what serves one costs another ({text}): {dear}" if dear else guessed
            why = why or Refusal(text, source.place(first.array.statement.start))
        else:
            optimum = f"{one.known}{launches_together(first.owners)}"
            hidden = not ways[0].typed and any(_hides(source, map_, one) for one in posed)
            least = min((p.total for p in plans if not p.parts), default=None)
            behind = one.parted and least is not None and sum(total.values()) >= least
            plans.append(ArrayPlan(map_, ways, total, optimum, one.parted, hidden, behind))
    if plans:
        late = accessor or any(_scattered(one.array) for one in posed)
        order = sorted(plans, key=lambda p: (p.late, p.total, late and p.map.pad > 0, p.hides))
        return tuple(order)
    if why is None and moves_matrices(posed):
        return Refusal(_NO_ROWS)
    if why is None and first.size.element_bytes > _WIDEST:
        return Refusal(_STRUCTURES.format(first.size.element_bytes))
    nothing = _NOTHING_OF_UNSIZED if first.array.unsized else _NOTHING
    return why or Refusal(nothing + _of_each(source, first, gpu))


def _scattered(array: SharedArray) -> bool:
    """Whether longer rows change more places of the text than a fold does."""
    return len(array.rows) >= sum(bool(use.indices) for use in array.uses) > 0


def _hides(source: CxxSource, map_: IndexMap, posed: PosedArray) -> bool:
    """Whether accesses that the compiler joined may be narrow under the text of a map."""
    widest = posed.tile.span * posed.tile.shape.element_bits // 8
    return widest > posed.size.element_bytes and hides(source, posed.array, map_, [posed.size])


_LONGER = "a fold takes as few passes and no bytes, and changes each index"
_NO_ROWS = (
    "wmma moves matrices of it, whose rows have no swizzle, and none of the longer rows that were "
    "tried takes fewer passes"
)
_ELSEWHERE = "; what is not analysed is of other arrays, by its lines"
_WIDEST = 16
"""Bytes that one access moves."""
_STRUCTURES = (
    "its elements are structures of {:,} bytes, and none of the maps that move whole ones takes "
    "fewer passes; what lies in one stays: arrays that are declared by themselves can be changed"
)
_NOTHING = "none of the folds of its rows and of the longer rows that were tried takes fewer passes"
_NOTHING_OF_UNSIZED = (
    "none of the folds of its rows takes fewer passes; longer rows are not written, since the "
    "launch says how many bytes it has"
)


def _of_each(source: CxxSource, posed: PosedArray, gpu: Machine) -> str:
    """What would serve some launch alone, where nothing serves all of them; in words."""
    now, each = posed.present, list(alone(posed))
    told: list[str] = []
    for kernel in posed.kernels:
        key = key_of(kernel)
        mine = [(posed.passes(plan)[key], plan) for one, plan in each if one is kernel]
        least, plan = min(mine, key=lambda one: one[0], default=(now[key], None))
        map_ = None if plan is None else index_map(plan.layout, posed)
        if map_ is not None and least < now[key]:
            text = said(source, posed.array, map_)
            told.append(f"{text} takes {now[key]:,} -> {least:,} with {block(kernel)} threads")
    if not told:
        return ""
    say = _SAY.format(block(posed.kernels[0])) if posed.kernels[0].launch.assumed else ""
    return f" without taking more in another launch: {'; '.join(told)}{say}"


_SAY = "; if it is launched so: --workgroup-size {}"


_UNKNOWN = {
    True: "which bytes it takes is not known: pieces begin at one byte, or no kernel has it",
    False: "which bytes it takes is not known: it is in no kernel that was compiled",
}
"""Why nobody knows where an array lies, by whether it is unsized."""


def _spelled(
    source: CxxSource, map_: IndexMap, posed: Sequence[PosedArray], accessor: bool
) -> tuple[Spelling, ...] | Refusal:
    """The ways to write a map that suits every array and size: as their types where that is
    wanted, or where it is the only one."""
    sizes: dict[SharedArray, list[ArraySize]] = {}
    for one in posed:
        sizes.setdefault(one.array, []).append(one.size)
        if map_.folds and map_.unit * one.size.element_bytes % one.size.kept_bytes:
            return Refusal("the best fold takes apart what the source moves together")
    written, typed = (
        [way(source, array, map_, its) for array, its in sizes.items()]
        for way in (spellings, as_tile)
    )
    refused = next((one for one in written if isinstance(one, Refusal)), None)
    if (accessor or refused) and not any(isinstance(one, Refusal) for one in typed):
        written, refused = typed, None
    ways = [one for one in written if not isinstance(one, Refusal)]
    return refused or tuple(map(together, zip(*ways, strict=True)))
