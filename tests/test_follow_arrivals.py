"""States that come to a block one after the other: a register is unknown in the lanes that come
where one of those before holds something else. Held against the same, lane by lane."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from bankwise.counting.access import BoolArray
from bankwise.read.follow.mixing import Groups, meet_others
from bankwise.read.follow.state import Guarded, Partly, State, lose, read
from bankwise.read.follow.values import Array, Unknown, Value

WAVES, LANES, TOLD_APART = 2, 4, 16
NAMES = ("r0", "r1", "r2", "r3")


def _numbers(value: Value) -> list[list[int]] | None:
    if isinstance(value, Unknown):
        return None
    whole: list[list[int]] = np.broadcast_to(value, (WAVES, LANES)).tolist()
    return whole


def _alike(old: State, new: State, name: str, apart: bool) -> bool:
    mine, others = (_numbers(read(one, name)) for one in (new, old))
    if mine is None:
        return True
    if apart and any(len(set(wave)) > 1 for wave in mine):
        return False
    return mine == others


def _meets(before: Sequence[State], new: State) -> None:
    """One register after the other, one state after the other."""
    for old in before:
        mine, theirs = (set(np.flatnonzero(one.active)) for one in (new, old))
        apart = len(before) > TOLD_APART or bool(mine - theirs and theirs - mine)
        lost = [name for name in NAMES if not _alike(old, new, name, apart)]
        lose(new, {name: Unknown("another") for name in lost})


def _lanes(chance: random.Random) -> BoolArray:
    return np.array([[chance.random() < 0.8 for _ in range(LANES)] for _ in range(WAVES)])


def _value(chance: random.Random, known: Sequence[Array]) -> Value | Partly:
    kind = chance.randrange(8)
    if kind == 0:
        return Unknown("nobody says it")
    if kind == 1:
        numbers = np.arange(WAVES * LANES, dtype=np.uint32).reshape(WAVES, LANES)
        return Partly(numbers, _lanes(chance), 0, Unknown("not there"))
    if kind == 2:
        return Partly(known[0], _lanes(chance), Guarded("r0", False), Unknown("a predicate"))
    shape = chance.choice([(1, 1), (WAVES, 1), (WAVES, LANES)])
    new = np.full(shape, chance.randrange(2), np.uint32)
    if shape == (WAVES, LANES) and chance.random() < 0.3:
        new[0, chance.randrange(LANES)] = 7
    return chance.choice([*known, *known, new])


def _state(chance: random.Random, known: Sequence[Array]) -> State:
    registers = {name: _value(chance, known) for name in NAMES}
    held = [one for one in registers.values() if isinstance(one, Partly) and one.tag]
    guards = frozenset({"r0"}) if held else frozenset[str]()
    active = np.ones((WAVES, LANES), bool) if chance.random() < 0.5 else _lanes(chance)
    return State(active, registers, guards=guards)


def _unknown(state: State) -> list[str]:
    return [name for name in NAMES if isinstance(read(state, name), Unknown)]


@pytest.mark.parametrize("seed", range(40))
def test_what_another_state_holds_otherwise_is_unknown(seed: int) -> None:
    chance = random.Random(seed)
    known = [np.full((1, 1), 1, np.uint32), np.full((WAVES, 1), 1, np.uint32)]
    groups = {n: Groups(frozenset({5}), opened=True) for n in range(2)}
    before: list[list[State]] = [[], []]
    for number in range(24):
        new = _state(chance, known)
        expected, compared = new.copy(), 0
        some = groups if number % 3 else {0: groups[0]}
        for group in some:
            compared += len(before[group]) * len(NAMES)
            _meets(before[group], expected)
            if len(before[group]) <= TOLD_APART:
                before[group].append(expected.copy())
        assert meet_others(some, 5, new, NAMES) == compared
        assert _unknown(new) == _unknown(expected)
        assert new.guards == expected.guards


def test_what_all_states_hold_stays_known() -> None:
    value = np.arange(WAVES, dtype=np.uint32)[:, np.newaxis]
    groups = {1: Groups(frozenset({3}), opened=True)}
    for _ in range(30):
        new = State(np.ones((WAVES, LANES), bool), dict.fromkeys(NAMES, value.copy()))
        meet_others(groups, 3, new, NAMES)
        assert not _unknown(new)


def test_groups_elsewhere_or_not_open_say_nothing() -> None:
    groups = {1: Groups(frozenset({3})), 2: Groups(frozenset({4}), opened=True)}
    for number in range(3):
        new = State(np.ones((WAVES, LANES), bool), dict.fromkeys(NAMES, np.full((1, 1), number)))
        assert not meet_others(groups, 3, new, NAMES)
        assert not _unknown(new)
