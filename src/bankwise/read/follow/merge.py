"""When two states behave alike, and one state that stands for several."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import reduce

import numpy as np

from bankwise.read.follow.keys import content, key
from bankwise.read.follow.state import UNWRITTEN, Guarded, Partly, State, common
from bankwise.read.follow.values import (
    Tags,
    Unknown,
    Value,
    because,
    in_step,
    is_uniform,
    space_of,
)


def snapshot(
    state: State, names: tuple[str, ...], waiting: tuple[str, ...] = ()
) -> tuple[bytes, tuple[int, ...], tuple[object, ...]]:
    """Equal for two states that behave alike as far as ``names`` decide, and those that matter to
    ``waiting`` lanes alone."""
    words: dict[Hashable, int] = {}
    conditions = tuple(_renamed(tag, words) for tag in state.conditions)
    held = [_key(state.registers.get(name), words) for name in names]
    held += [_key_outside(state, state.registers.get(name), words) for name in waiting]
    return (state.active.tobytes(), conditions, tuple(held))


def merged(
    states: Sequence[State],
    names: tuple[str, ...],
    waiting: tuple[str, ...],
    cause: Unknown | None = None,
) -> State | None:
    """One state for all of ``states``, as far as ``names`` decide, and those that matter to
    ``waiting`` lanes; None if there is none.

    They may differ in registers that are not wholly known in one of them; if there is a ``cause``
    of their being several, in any register: it becomes unknown for that cause.
    """
    found = [snapshot(state, names, waiting) for state in states]
    if len({one[:2] for one in found}) != 1:
        return None
    out = states[0].copy()
    for at, name in enumerate((*names, *waiting)):
        if len({held[at] for _, _, held in found}) == 1:
            continue
        values = [state.registers.get(name, UNWRITTEN) for state in states]
        value = _any_of(values, cause)
        if value is None:
            return None
        out.registers[name] = value
    return out if _alike(states) else _apart(out, states, cause, (*names, *waiting))


def _any_of(values: Sequence[Value | Partly], cause: Unknown | None) -> Unknown | None:
    """One of ``values``, nobody knows which; None where that would lose something."""
    unknown = [v for v in values if isinstance(v, Unknown)]
    if len(unknown) == len(values):
        return reduce(common, unknown)
    why = next(filter(None, map(_cause, values)), cause)
    if why is None or (cause is None and not unknown):
        return None
    whole = [v for v in values if not isinstance(v, Partly)]
    uniform = len(whole) == len(values) and all(map(is_uniform, whole))
    space = space_of(whole) if len(whole) == len(values) else ""
    found = because(why, uniform, space)
    return in_step(found, tuple(whole)) if len(whole) == len(values) else found


def _cause(value: Value | Partly) -> Unknown | None:
    """Why a value is not wholly known."""
    if isinstance(value, Partly):
        return value.otherwise
    return value if isinstance(value, Unknown) else None


def _alike(states: Sequence[State]) -> bool:
    """Whether the same lanes run in all of ``states``, under the same conditions."""
    first = states[0]
    return all(one.conditions == first.conditions and _same_lanes(one, first) for one in states[1:])


def _same_lanes(one: State, other: State) -> bool:
    if one.lanes is None or other.lanes is None:
        return one.lanes is other.lanes
    return one.lanes is other.lanes or np.array_equal(one.lanes, other.lanes)


def _apart(
    out: State, states: Sequence[State], cause: Unknown | None, names: Sequence[str]
) -> State:
    """``out`` where other lanes run in one of ``states``, or under other conditions: all lanes may
    run that run in one of them, and what was written under one of the conditions is lost. Of those
    conditions that stand for states that met earlier the ones are left under which one of ``names``
    was written: the others decide nothing, and a loop would add one in each round."""
    held = {tag for name in names for tag in _tags(out.registers.get(name))}
    known = (tag for tag in out.conditions if type(tag) is not object or tag in held)
    kept = tuple(tag for tag in known if all(tag in one.conditions for one in states))
    for name, value in out.registers.items():
        if isinstance(value, Partly) and value.tag and value.tag not in kept:
            out.registers[name] = value.otherwise
    out.conditions = (*kept, object())
    out.maybe = next((one.maybe for one in states if one.maybe is not None), cause)
    lanes = [one.lanes for one in states if one.lanes is not None]
    out.lanes = reduce(np.logical_or, lanes) if lanes else None
    return out


def _tags(value: Value | Partly | None) -> Tags:
    """The conditions that a value knows of."""
    if isinstance(value, Partly):
        return (value.tag,)
    return value.subset_of if isinstance(value, Unknown) else ()


def _renamed(tag: Hashable, words: dict[Hashable, int]) -> int:
    """A condition by its place among those that came before: the same in every round of a loop."""
    return words.setdefault(("condition", tag), len(words)) if tag else -1


def _key(value: Value | Partly | None, words: dict[Hashable, int]) -> object:
    if not isinstance(value, Partly):
        return key(value, words)
    tag = value.tag if isinstance(value.tag, Guarded) else _renamed(value.tag, words)
    known = (content(value.array), content(value.lanes), tag)
    apart = tuple((lane, key(why, words)) for lane, why in sorted(value.apart.items()))
    return (*known, key(value.otherwise, words), apart)


def _key_outside(state: State, value: Value | Partly | None, words: dict[Hashable, int]) -> object:
    """The key of a value in the lanes that do not run, where it is known in all of them."""
    outside = ~state.active
    if isinstance(value, Partly) and not value.tag and not (outside & ~value.lanes).any():
        value = value.array
    if isinstance(value, np.ndarray):
        return "outside", value.dtype, np.where(outside, value, 0).tobytes()
    return _key(value, words)
