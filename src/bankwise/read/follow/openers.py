"""What would answer the accesses of a kernel that stay open: which facts of its launch, and how
many accesses each opens.

The follower names the facts that unknown addresses, masks and branches are made of. Whether giving
one helps is tried: the kernel is followed again with usual values, first with all, then with
each alone. So "opens 478" is what was seen with that value, not a guess: so many refused accesses
have an address then.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.read.assembly import ArgumentValues, AssemblyAccess, AssemblyKernel, Opener
from bankwise.read.follow.side_by_side import is_long
from bankwise.read.launch.facts import Given, argument_bytes, holds

Again = Callable[[Given, int | None], AssemblyKernel]
"""Follows the kernel with more arguments, for so many steps; None for what its size is worth."""

_USUAL = (16, 20, 2, 1, 64, 1_024)
"""Of an argument, one after the other while accesses are left: ways through unrolled loops."""
_PLACE, _COUNT = 0, 64
"""Of a workgroup's number, of the workgroups of a grid."""
_ROUNDS = 3
_MOST_WORK = 120_000
"""Steps that a run with further facts is worth, where one without them is there, which is told
else: with 1,024 of everything, loops run in each other."""
_DEAR = 20_000
"""Steps of a run that is not made with further values where two of them brought the same."""
_CUT = (
    "values of what is open were tried for {:,} steps, its share of a file of so many kernels; "
    "--kernel NAME gives it more"
)


class _Trying(Struct):
    """Trials of one kernel. ``again`` follows it; what is asked again is not followed again: a
    block's own number has one value that is usual, whatever arguments have. ``most``: steps that
    all of them are worth; ``cut``: whether there were more to make."""

    again: Again
    most: int | None
    spent: int = 0
    cut: bool = False
    seen: dict[tuple[frozenset[tuple[str | int, object]], int | None], AssemblyKernel] = field(
        default_factory=dict
    )

    def may(self) -> bool:
        """Whether one more is worth it; it is to be made, if so."""
        over = self.most is not None and self.spent > self.most
        self.cut = self.cut or over
        return not over

    def run(self, given: Given, steps: int | None) -> AssemblyKernel:
        """The kernel with these arguments."""
        key = frozenset(given.items()), steps
        if key not in self.seen:
            self.seen[key] = found = self.again(given, steps)
            self.spent += found.work
        return self.seen[key]


def with_openers(
    found: AssemblyKernel,
    again: Again,
    trials: int,
    sizes: Mapping[str | int, int] = MappingProxyType({}),
    most: int | None = None,
) -> AssemblyKernel:
    """``found`` with what would open it, the most first, and as followed with what opens an
    address. ``trials``: how often the kernel may be followed, at the last; ``sizes``: of its
    arguments, in bytes, as far as they are known; ``most``: steps that all trials are worth, None
    for any, after which no more are made, which is told."""
    if not found.facts or not _is_open(found):
        return found
    known, trying = found.launch.arguments, _Trying(again, most)
    tried = _usual_runs(found, trying, sizes)
    if not all(_stays_open(found, run) for run in tried):
        runs = [(_opener(found, run, _more(run, known)), run) for run in tried]
        values = _more(max(runs, key=lambda one: _worth(one[0]))[1], known)
        for fact in list(values)[: trials - _ROUNDS] if len(values) > 1 else ():
            decides = fact in found.facts or found.boxes  # alone, another one decides nothing
            if decides and trying.may():
                one = {fact: values[fact]}
                run = trying.run({**known, **one}, None)
                runs.append((_opener(found, run, one), run))
        ranked = sorted(runs, key=lambda one: _worth(one[0]), reverse=True)
        sampled = tuple(run for opener, run in ranked if opener.opens)
        found = replace(found, openers=tuple(one for one, _ in _least(ranked)), sampled=sampled)
    return replace(found, notes=(*found.notes, _CUT.format(most))) if trying.cut else found


def _usual_runs(
    found: AssemblyKernel, trying: _Trying, sizes: Mapping[str | int, int]
) -> list[AssemblyKernel]:
    """The kernel with all facts, with one usual value after the other while accesses are left, and
    while a dear run brings something that none before it did."""
    tried: list[AssemblyKernel] = []
    for usual in _USUAL if _is_refused(found) else _USUAL[:1]:
        if tried and not trying.may():
            break
        run, is_cut = _all(found, trying, usual, sizes)
        tried.append(run)
        again = run.work > _DEAR and any(_is_alike(one, run) for one in tried[:-1])
        if is_cut or is_long(run) or not _left(found, tried) or _is_alike(found, run) or again:
            break
    return tried


def _more(run: AssemblyKernel, known: Given) -> dict[str | int, int]:
    """The arguments of a run that are not known."""
    given = run.launch.arguments.items()
    return {k: n for k, n in given if k not in known and isinstance(n, int)}


def _worth(opener: Opener) -> tuple[int, int, int]:
    """The more is open the better, and with fewer facts."""
    return opener.opens, opener.counts, -len(opener.arguments)


def _least(runs: list[tuple[Opener, AssemblyKernel]]) -> list[tuple[Opener, AssemblyKernel]]:
    """Those that open anything; of several values of the same facts the best."""
    seen: set[frozenset[str | int]] = set()
    kept = []
    for opener, run in runs:
        names = frozenset(opener.arguments)
        if (opener.opens or opener.counts) and not any(one <= names for one in seen):
            kept.append((opener, run))
            seen.add(names)
    return kept


def _all(
    found: AssemblyKernel, trying: _Trying, usual: int, sizes: Mapping[str | int, int]
) -> tuple[AssemblyKernel, bool]:
    """The kernel with a value for every fact that is named, and for those named then; whether the
    last of these took too long, and is left out."""
    values: dict[str | int, int] = {}
    best, given = found, found.launch.arguments
    for _ in range(_ROUNDS):
        more = [fact for fact in best.facts if fact not in values]
        if not more or not _is_open(best) or (best is not found and not trying.may()):
            break
        values |= {fact: _value(fact, usual, argument_bytes(fact, sizes)) for fact in more}
        run = trying.run({**given, **values}, None if best is found else _MOST_WORK)
        if best is not found and is_long(run) and not is_long(best):
            return best, True
        best = run
    return best, False


def _value(fact: str, usual: int, size: int) -> int:
    """What a fact is tried with; an argument of ``size`` bytes with what it holds, and one of a
    byte, which may be a truth, with that."""
    if "nctaid" in fact or "block_count" in fact:
        return _COUNT
    if fact.startswith(("ctaid", "workgroup_id")):
        return _PLACE
    return usual if size != 1 and holds(size, usual) else 1


def place_of(access: AssemblyAccess) -> Hashable:
    """Which instruction of its kernel, and which allocation."""
    return (access.access.shared_index, *access.access.allocations)


def _left(found: AssemblyKernel, tried: Sequence[AssemblyKernel]) -> bool:
    """Whether accesses are left that no run has an address of."""
    before = {place_of(one) for one in found.accesses}
    opened = {place_of(one) for run in tried for one in run.accesses} - before
    return len(opened) < len(found.refusals)


def _is_alike(found: AssemblyKernel, run: AssemblyKernel) -> bool:
    """Whether the facts of a run decided nothing that shows: the same branches are open, the same
    accesses known and counted. Other values of them, or some of them alone, decide no more: what is
    open waits for data."""
    alike = found.open_branches.keys() == run.open_branches.keys()
    return alike and len(found.refusals) == len(run.refusals) and _known(found) == _known(run)


def _stays_open(found: AssemblyKernel, run: AssemblyKernel) -> bool:
    """Whether all that is open was come to with all facts given, and stays open: with some of them
    no less does."""
    places = {one for one in _known(found) if not all(one[1:])}
    alike = places <= _known(run) and len(found.refusals) <= len(run.refusals)
    return alike and not is_long(run)


def _known(found: AssemblyKernel) -> set[tuple[Hashable, bool, bool]]:
    return {(place_of(one), one.counted, not one.unseen) for one in found.accesses}


def _is_refused(found: AssemblyKernel) -> bool:
    return bool(found.refusals) or any(a.unseen for a in found.accesses)


def _is_open(found: AssemblyKernel) -> bool:
    return _is_refused(found) or any(not a.counted for a in found.accesses)


def _opener(found: AssemblyKernel, tried: AssemblyKernel, values: ArgumentValues) -> Opener:
    """What a run opens: accesses that have an address in it alone, and executions that do."""
    numbered, before = (
        {place_of(a) for a in run.accesses if not a.unseen} for run in (tried, found)
    )
    counted = {place_of(a) for a in tried.accesses if a.counted}
    uncounted = {place_of(a) for a in found.accesses if not a.counted}
    return Opener(values, len(numbered - before), len(counted & uncounted & before))
