"""States that came to a block, beside which lanes may come once more.

A register that holds something else in one of them is unknown in the lanes that come now. Most
states of a loop hold the same arrays; one that was compared for one branch is not for another; and
once no more states are told apart, what they have in common is worked out once for each register.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable

import numpy as np
from msgspec import Struct, field

from bankwise.counting.access import BoolArray
from bankwise.read.follow.state import State, lose, read
from bankwise.read.follow.values import Array, Unknown, Value, is_uniform

_MOST_COMPARED = 16
"""How many states that came to a block are told apart."""


class Arrival(Struct, eq=False):
    """A ``state`` that came; ``held``: what was read of it so far."""

    state: State
    held: dict[str, Value] = field(default_factory=dict)

    def read(self, name: str) -> Value:
        """What a register holds."""
        value = self.held.get(name)
        if value is None:
            value = self.held[name] = read(self.state, name)
        return value


class Coming(Struct):
    """A ``state`` that comes, with what is ``known`` of its registers; ``reason``: why that is
    unknown of which others hold something else. ``met``: those that it was compared with, as lanes
    that may be the same, or not; ``copy``: what is left of it, if nothing was lost since."""

    state: State
    known: dict[str, Array]
    reason: str
    met: set[tuple[int, bool]] = field(default_factory=set)
    copy: Arrival | None = None
    waves: dict[str, Hashable] = field(default_factory=dict)

    def arrival(self) -> Arrival:
        """What others may be compared with."""
        if self.copy is None:
            self.copy = Arrival(self.state.copy())
        return self.copy

    def lose(self, lost: Collection[str]) -> None:
        """Let registers be unknown; what a predicate among them guards is unknown as well."""
        again = not self.state.guards.isdisjoint(lost)
        lose(self.state, dict.fromkeys(lost, Unknown(self.reason)))
        left = [name for name in self.known if name not in lost]
        known = self.known
        self.known = known_of(self.state, left) if again else {name: known[name] for name in left}
        self.copy = None

    def compare(self, one: Arrival, apart: bool) -> None:
        """Lose what one that came holds otherwise; ``apart``: it has lanes of its own, and so has
        this one, so that they have to hold one number."""
        if (id(one), apart) in self.met:
            return
        self.met.add((id(one), apart))
        lost = {
            name
            for name, new in self.known.items()
            if (old := one.held.get(name)) is not new
            and not _same(one.read(name) if old is None else old, new)
        }
        if apart or _apart(one.state.active, self.state.active):
            lost.update(n for n, new in self.known.items() if not is_uniform(new))
        if lost:
            self.lose(lost)


class Arrivals(Struct):
    """The states that came to a block, in order. ``common``: of a register what all lanes of each
    wave hold in the first of them, None if they do not, and which state is the first that holds
    something else, None if all hold that; once no more come to these."""

    came: list[Arrival] = field(default_factory=list)
    common: dict[str, tuple[Hashable, int | None]] = field(default_factory=dict)

    @property
    def full(self) -> bool:
        """Whether no more states are told apart."""
        return len(self.came) > _MOST_COMPARED

    def meet(self, new: Coming) -> None:
        """One more comes; it is one of these from now on, where more are told apart."""
        if not self.full:
            met = new.met
            for one in self.came:
                if (id(one), False) not in met:
                    new.compare(one, apart=False)
            self.came.append(new.arrival())
        elif new.state.guards:
            for one in self.came:
                new.compare(one, apart=True)
        else:
            self._meet_all(new)

    def _meet_all(self, new: Coming) -> None:
        """The same beside all states together, where no register hangs on another."""
        lost: dict[int, list[str]] = {}
        for name in new.known:
            number = self._first_other(name, new)
            if number is not None:
                lost.setdefault(number, []).append(name)
        for number in sorted(lost):
            new.lose(lost[number])

    def _first_other(self, name: str, new: Coming) -> int | None:
        """The first state that holds something else; None if none does."""
        waves = new.state.active.shape[0]
        if name not in self.common:
            held = [_of_waves(one.read(name), waves) for one in self.came]
            others = (n for n, one in enumerate(held) if one is None or one != held[0])
            self.common[name] = held[0], next(others, None)
        first, other = self.common[name]
        if first is None:
            return 0
        if name not in new.waves:
            new.waves[name] = _of_waves(new.known[name], waves)
        return other if first == new.waves[name] else 0


def known_of(state: State, names: Iterable[str]) -> dict[str, Array]:
    """What registers hold, of those that are known."""
    held = ((name, read(state, name)) for name in names)
    return {name: value for name, value in held if not isinstance(value, Unknown)}


def _of_waves(value: Value, waves: int) -> Hashable:
    """Equal for values that hold the same number in all lanes of each wave; None for any other."""
    if isinstance(value, Unknown) or not is_uniform(value):
        return None
    held = value[:, :1].tobytes()
    return value.dtype, held if value.shape[0] == waves else held * waves


def _apart(some: BoolArray, others: BoolArray) -> bool:
    """Whether each of them has lanes that the other does not have."""
    if some is others:
        return False
    return bool(np.count_nonzero(some & ~others) and np.count_nonzero(others & ~some))


def _same(old: Value, new: Array) -> bool:
    """Whether a register holds the same for both sides."""
    if isinstance(old, Unknown) or old.dtype != new.dtype:
        return False
    return old is new or not np.count_nonzero(old != new)
