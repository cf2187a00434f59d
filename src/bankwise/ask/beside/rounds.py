"""How often a workgroup did what was followed, as told by the instructions that a profile counted.

    executed = workgroups * (what ran as counted + N * what was followed)

Each counter of executed instructions that takes in some of the second gives an N. Only where every
one of them is the same whole number, and those that take in none of it have what is predicted, is
it taken: then it is inferred, and said so with the counters that it comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from bankwise.ask.beside.counters import Counter, counters
from bankwise.counting.counted import AccessReport, repeated
from bankwise.hardware.machine import machine
from bankwise.profile.values import Launch
from bankwise.show.beside import CounterRow
from bankwise.show.values import KernelReport

_SAID = (
    "{names} {tell} that the accesses whose executions nobody knows ran {often} in a workgroup: "
    "inferred, and predicted is that, if other rounds are like those that were followed (--arg "
    "gives what decides them)"
)


class Rounds(Struct, frozen=True):
    """``kernel``: with all of a workgroup's executions; ``times``: what was followed, so often;
    ``executions``: of each access then, 0 where they differ; ``counters``: that tell so."""

    kernel: KernelReport
    times: int
    executions: int
    counters: tuple[Counter, ...]

    def __str__(self) -> str:
        names = " and ".join(counter.name for counter in self.counters)
        tell = "tells" if len(self.counters) == 1 else "tell alike"
        often = "as often as followed"
        if self.times > 1:
            often = f"{self.times:,} times {often}"
        if self.executions:
            often = f"{self.executions:,} times" if self.executions > 1 else "once"
        return _SAID.format(names=names, tell=tell, often=often)


def summed(counter: Counter, launches: Sequence[Launch]) -> float | None:
    """What a counter has in all launches; None where some have it not."""
    values = [launch.counters.get(counter.name) for launch in launches]
    return None if None in values else sum(v.value for v in values if v is not None)


def rounds_of(
    kernel: KernelReport,
    launches: Sequence[Launch],
    groups: int,
    again: Callable[[AccessReport], bool],
) -> Rounds | None:
    """The kernel with as many executions as were measured; None where the counters do not tell.

    ``again``: which accesses ran in rounds, the others ran as counted.
    """
    looped, rest = (
        replace(kernel, accesses=tuple(a for a in kernel.accesses if again(a) is which))
        for which in (True, False)
    )
    told: dict[Counter, float] = {}
    for counter in counters(machine(kernel.target).vendor):
        measured = summed(counter, launches) if counter.quality == "instructions" else None
        if measured is None:
            continue
        left, each = measured - counter.predict(rest) * groups, counter.predict(looped) * groups
        if each:
            told[counter] = left / each
        elif left:
            return None
    times = set(told.values())
    if len(times) != 1 or not (often := times.pop()).is_integer() or often < 1:
        return None
    accesses = tuple(repeated(a, int(often)) if again(a) else a for a in kernel.accesses)
    ran = {a.executions * int(often) for a in looped.accesses}
    each_ = ran.pop() if len(ran) == 1 else 0
    return Rounds(replace(kernel, accesses=accesses), int(often), each_, tuple(told))


def unconfirmed(rows: Sequence[CounterRow], told: Sequence[Counter], what: str) -> list[CounterRow]:
    """The rows, without a prediction by the counter that is itself the scale: it confirms nothing.
    Several that agree confirm each other."""
    alone = {counter.name for counter in told} if len(told) == 1 else set()
    said = f"it says how many {what} there were, and no more"
    return [replace(r, predicted=None, cause=said) if r.counter in alone else r for r in rows]
