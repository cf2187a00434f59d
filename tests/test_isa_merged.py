"""One state that stands for several: under which conditions it holds what."""

from __future__ import annotations

import numpy as np

from bankwise.read.follow.merge import merged
from bankwise.read.follow.state import BranchCondition, State, enter, read, write
from bankwise.read.follow.values import Unknown

WHY = Unknown("a value loaded from memory")
LANES = np.arange(32, dtype=np.uint32)[None, :]


def met(state: State, names: tuple[str, ...]) -> State:
    """The state where lanes meet that came by two open branches."""
    sides = [state.copy(), state.copy()]
    for line, side in enumerate(sides, 6):
        enter(side, BranchCondition(line), WHY)
    found = merged(sides, names, (), WHY)
    assert found is not None
    return found


def start() -> State:
    return State(np.ones((1, 32), np.bool_), {"R1": LANES})


def test_a_loop_adds_no_condition_in_each_round() -> None:
    state = start()
    for _ in range(9):
        state = met(state, ("R1",))
        assert len(state.conditions) == 1
        assert np.array_equal(read(state, "R1"), LANES)


def test_what_was_written_under_one_is_known_as_long_as_it_matters() -> None:
    state = met(start(), ("R1",))
    write(state, "R1", LANES + 1)
    for many in (2, 2):
        state = met(state, ("R1",))
        assert len(state.conditions) == many
        assert np.array_equal(read(state, "R1"), LANES + 1)
    state = met(state, ("R2",))
    assert len(state.conditions) == 1
    assert isinstance(read(state, "R1"), Unknown)


def test_what_was_written_on_one_way_alone_is_lost() -> None:
    one, other = start(), start()
    enter(one, BranchCondition(6), WHY)
    enter(other, BranchCondition(7), WHY)
    write(other, "R1", LANES + 1)
    found = merged([one, other], ("R1",), (), WHY)
    assert found is not None
    assert isinstance(read(found, "R1"), Unknown)
