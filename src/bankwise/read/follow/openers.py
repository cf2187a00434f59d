"""What would answer the accesses of a kernel that stay open: which facts of its launch, and how
many accesses each opens.

The follower names the facts that unknown addresses, masks and branches are made of. Whether giving
one helps is tried: the kernel is followed again with a usual value, first with all of them, then
with each alone. So "opens 478" is what was seen with that value, not a guess.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bankwise.read.assembly import ArgumentValues, AssemblyKernel, Opener

Again = Callable[[ArgumentValues], AssemblyKernel]
"""Follows the kernel with more arguments."""

_USUAL = (1_024, 16)
"""Of an argument: a length, or a small count, where the length opens less."""
_PLACE, _COUNT = 0, 64
"""Of a workgroup's number, of the workgroups of a grid."""
_ROUNDS = 3


def with_openers(found: AssemblyKernel, again: Again, trials: int) -> AssemblyKernel:
    """``found`` with what would open it, the most first, and as followed with all that opens an
    address. ``trials``: how often the kernel may be followed."""
    if not found.facts or _open(found) == (0, 0):
        return found
    long, short = _USUAL
    tried = [_all(found, again, short if trials == 1 else long)]
    if _open(tried[0])[0] and trials > 1:
        tried.append(_all(found, again, short))
    best = min(tried, key=_open)
    values = {n: v for n, v in best.launch.arguments.items() if n not in found.launch.arguments}
    together = _opener(found, best, values)
    if together is None:
        return found
    alone: list[tuple[Opener, AssemblyKernel]] = []
    for fact in list(values)[: trials - _ROUNDS] if len(values) > 1 else ():
        one = {fact: values[fact]}
        run = again({**found.launch.arguments, **one})
        alone += [(opener, run) for opener in (_opener(found, run, one),) if opener]
    alone.sort(key=lambda one: (-one[0].opens, -one[0].counts))
    enough = bool(alone) and alone[0][0].opens >= together.opens
    enough &= bool(together.opens) or (bool(alone) and alone[0][0].counts >= together.counts)
    kept = alone if enough else [(together, best), *alone]
    sampled = kept[0][1] if together.opens else None
    return replace(found, openers=tuple(opener for opener, _ in kept), sampled=sampled)


def _all(found: AssemblyKernel, again: Again, usual: int) -> AssemblyKernel:
    """The kernel with a value for every fact that is named, and for those named then."""
    values: dict[str | int, int] = {}
    best, given = found, found.launch.arguments
    for _ in range(_ROUNDS):
        more = [fact for fact in best.facts if fact not in values]
        if not more or (best is not found and _open(best) == (0, 0)):
            break
        values |= {fact: _value(fact, usual) for fact in more}
        best = again({**given, **values})
    return best


def _value(fact: str, usual: int) -> int:
    if "nctaid" in fact or "block_count" in fact:
        return _COUNT
    return _PLACE if fact.startswith(("ctaid", "workgroup_id")) else usual


def _open(found: AssemblyKernel) -> tuple[int, int]:
    """How many accesses are refused, and of how many the executions are not known."""
    partly = sum(bool(a.unknown) for a in found.accesses)
    return len(found.refusals) + partly, sum(not a.counted for a in found.accesses)


def _opener(found: AssemblyKernel, tried: AssemblyKernel, values: ArgumentValues) -> Opener | None:
    """None if it opens nothing."""
    refused, uncounted = _open(found)
    still, unknown = _open(tried)
    counted = sum(a.counted for a in tried.accesses) - sum(a.counted for a in found.accesses)
    opens = refused - still
    if opens <= 0 and (counted <= 0 or still > refused):
        return None
    return Opener(values, max(0, opens), max(0, min(uncounted, uncounted - unknown)))
