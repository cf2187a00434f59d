"""The registers of all threads of a workgroup, and which threads are running.

Writes touch the running lanes only. What a register holds can therefore be known for some lanes
and not for others (:class:`Partly`). A write where the running lanes are *themselves unknown*
(under a condition that nobody knows) is good under that condition alone: it carries the
condition's tag, and reads as unknown wherever the condition does not hold.

A write of one instruction that a predicate guards carries the predicate's tag likewise, until that
is written: what the same predicate guards reads it.

    @!P0 IMAD R9, R8, 0x8, R0       R9 known where P0 does not hold
    @!P0 STS [R9], R2               which is where it is read
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.counting.access import BoolArray
from bankwise.identity import ByIdentity
from bankwise.read.follow.values import (
    Array,
    Tags,
    Unknown,
    Value,
    because,
    beside,
    in_step,
    of_one_lane,
    single,
)

T = TypeVar("T")

UNWRITTEN = Unknown("a register that nothing has written")
_SOME_LANES = Unknown("a value that some lanes may have and others not")


class BranchCondition(Struct, frozen=True):
    """The condition of the branch in a line of the text."""

    line: int


class Guarded(Struct, frozen=True):
    """The condition that a predicate holds, or does not, which nobody knows."""

    name: str
    negated: bool


class Partly(ByIdentity, frozen=True, eq=False):
    """``array`` in ``lanes``, while the condition ``tag`` holds (0: always); else ``otherwise``.

    ``apart``: lanes that were written one by one, to why they are unknown.
    """

    array: Array
    lanes: BoolArray
    tag: Hashable
    otherwise: Unknown
    apart: Mapping[int, Unknown] = field(default_factory=dict)


class _Mask(ByIdentity, frozen=True, eq=False):
    """The lanes that run, for one ``active`` and ``exec``; whether that is all of them, or some;
    ``alone``: at most one of each wave; ``key``: their bytes."""

    active: BoolArray
    exec: BoolArray | None
    lanes: BoolArray
    every_lane: bool
    every_thread: bool
    some: bool
    alone: bool
    key: bytes


def _nothing(*asked: object) -> Any:
    raise AssertionError(f"no launch lays down {asked}")


class State(Struct):
    """Registers by name.

    ``active``: bool [waves, lanes], the threads that control flow runs. ``lanes``: of these, what
    an execution mask lets through (AMD); None where there is no such mask. ``conditions``: the
    unknown conditions that hold now, the innermost last; ``maybe`` is the cause of that.
    ``guards``: predicates under whose tag something is held.
    ``memory``: what the launch lays down beside registers, constant banks or arguments, as the
    language asks for it. ``threads``: those that this is the state of, None if of all."""

    active: BoolArray
    registers: dict[str, Value | Partly] = field(default_factory=dict)
    lanes: BoolArray | None = None
    conditions: Tags = ()
    maybe: Unknown | None = None
    memory: Callable[..., Any] = _nothing
    guards: frozenset[str] = frozenset()
    threads: BoolArray | None = None
    _mask: _Mask | None = None

    def copy(self) -> State:
        """An independent copy; values are never changed in place."""
        held = dict(self.registers)
        known = self.active, held, self.lanes, self.conditions, self.maybe, self.memory
        return State(*known, self.guards, self.threads, self._mask)


def running(state: State) -> BoolArray:
    """The lanes that run; an upper bound where a condition is unknown."""
    return _mask(state).lanes


def running_key(state: State) -> bytes:
    """The lanes that run as bytes; empty if there are none."""
    held = _mask(state)
    return held.key if held.some else b""


def runs_everywhere(state: State) -> bool:
    """Whether all lanes of all waves run."""
    held = _mask(state)
    return held.every_lane and held.every_thread


def _mask(state: State) -> _Mask:
    """The lanes that run, worked out once for each pair of masks: every instruction asks."""
    found = state._mask
    if found is None or found.active is not state.active or found.exec is not state.lanes:
        lanes = state.active if state.lanes is None else state.active & state.lanes
        key = lanes.tobytes()
        every, some = b"\0" not in key, b"\1" in key
        threads = every or _covers(state, state.active)
        alone = not some or (not every and single(lanes)) or lanes.shape[1] <= 1
        found = _Mask(state.active, state.lanes, lanes, every, threads, some, alone, key)
        state._mask = found
    return found


def _some(mask: BoolArray) -> bool:
    """``mask.any()`` of numpy, which takes three times as long for the lanes of a block."""
    return bool(np.count_nonzero(mask))


def _covers(state: State, mask: BoolArray) -> bool:
    """Whether ``mask`` has all threads that this is the state of."""
    return _every(mask) if state.threads is None else not _some(state.threads & ~mask)


def _every(mask: BoolArray) -> bool:
    return bool(np.count_nonzero(mask) == mask.size)


def limited(state: State, active: BoolArray, conditions: Tags, evaluate: Callable[[State], T]) -> T:
    """``evaluate`` while other lanes run, under other conditions."""
    kept = state.active, state.conditions, state._mask
    state.active, state.conditions = active, conditions
    try:
        return evaluate(state)
    finally:
        state.active, state.conditions, state._mask = kept


def read(state: State, name: str, lanes: BoolArray | None = None) -> Value:
    """What ``name`` holds in ``lanes`` (default: running threads); elsewhere it is arbitrary."""
    value = state.registers.get(name, UNWRITTEN)
    if isinstance(value, Unknown):
        value = _over_in(value, state.active if lanes is None else lanes)
        lonely = (state.lanes is None or lanes is not None) and _mask(state).alone
        return of_one_lane(value) if lonely and not value.uniform else value
    if not isinstance(value, Partly):
        return value
    if value.tag and value.tag not in state.conditions:
        return value.otherwise
    wanted = state.active if lanes is None else lanes
    missing = wanted & ~value.lanes
    if not _some(missing):
        return value.array
    columns: list[int] = np.flatnonzero(missing.any(0)).tolist() if value.apart else []
    why = value.apart.get(columns[0], value.otherwise) if len(columns) == 1 else value.otherwise
    known = wanted & value.lanes
    why = _over_in(why, wanted)
    return parted(why) if _share_a_wave(missing, known) else beside(why, value.array, known)


def _over_in(value: Unknown, wanted: BoolArray) -> Unknown:
    """What is read in the ``wanted`` lanes: a number over blocks, if it is known in all of them."""
    over = value.over
    if over is None or over.lanes is None:
        return value
    known = not (wanted & ~over.lanes).any()
    return replace(value, over=replace(over, lanes=None) if known else None)


def parted(why: Unknown) -> Unknown:
    """The same for lanes of a wave that have not one number of it."""
    if not why.uniform and why.lanes is None and why.over is None:
        return why
    return replace(why, uniform=False, lanes=None, multiple_of=1, over=None)


def lose_lane(state: State, name: str, lane: int, why: Unknown) -> None:
    """Let one lane of ``name`` be unknown, whether it runs or not; the others stay."""
    old = _register_value(state, name)
    if isinstance(old, Partly):
        array, lanes, otherwise, apart = old.array, old.lanes.copy(), old.otherwise, old.apart
    else:
        array, lanes, otherwise = _known_lanes(old, why, np.ones_like(state.active))
        lanes, apart = np.array(lanes), {}
    waves = state.active.any(1)
    lanes[waves, lane] = False
    if not waves.all():
        why = common(apart.get(lane, otherwise), why)
    otherwise = parted(common(otherwise, why))
    state.registers[name] = Partly(array, lanes, _tag(old), otherwise, {**apart, lane: why})


def copy_lanes(state: State, name: str, held: Partly) -> None:
    """Let ``name`` be what another register holds, in all lanes of the running threads' waves."""
    if state.active.all():
        state.registers[name] = held
        return
    write(state, name, held.otherwise, ~held.lanes)
    write(state, name, held.array, held.lanes)
    for lane, why in held.apart.items():
        lose_lane(state, name, lane, why)


def common(one: Unknown, other: Unknown) -> Unknown:
    """Unknown for one reason in some lanes, for another in others."""
    if one is other:
        return other
    uniform = one.uniform and other.uniform
    space = one.space if one.space == other.space else ""
    return in_step(because(other, uniform, space), (one, other))


def write(state: State, name: str, value: Value, lanes: BoolArray | None = None) -> None:
    """Let ``name`` be ``value`` in ``lanes`` (default: all) of the running threads.

    On a machine with an execution mask a write without ``lanes`` is a scalar one, which the mask
    and its conditions do not concern.
    """
    if name in state.guards:
        forget_guard(state, name)
    held = _mask(state)
    concerned = lanes is not None or state.lanes is None
    tag = state.conditions[-1] if concerned and state.conditions else 0
    if not tag and (
        held.every_thread if lanes is None else lanes is held.lanes and held.every_lane
    ):
        state.registers[name] = value
        return
    mask = state.active if lanes is None else state.active & lanes
    if tag or not _covers(state, mask):
        why = state.maybe or _SOME_LANES
        state.registers[name] = _merged(_register_value(state, name), value, mask, tag, why)
    else:
        state.registers[name] = value


def lose(state: State, lost: Mapping[str, Unknown]) -> None:
    """Let registers be unknown in all lanes."""
    for name in state.guards & lost.keys():
        forget_guard(state, name)
    state.registers.update(lost)


def hold_guarded(state: State, name: str, value: Array, guard: Guarded) -> None:
    """``name``, just written and unknown for want of a predicate, is ``value`` in the lanes that
    run where that holds."""
    otherwise = state.registers.get(name)
    if not isinstance(otherwise, Unknown) or state.conditions or name == guard.name:
        return
    state.registers[name] = Partly(value, state.active, guard, otherwise)
    state.guards |= {guard.name}


def forget_guard(state: State, name: str) -> None:
    """A predicate is another one now."""
    state.guards -= {name}
    forget(state, Guarded(name, False), Guarded(name, True))


def enter(state: State, tag: Hashable, why: Unknown) -> None:
    """From here on only those lanes run for which an unknown condition holds."""
    forget(state, tag)
    state.conditions = (*(one for one in state.conditions if one != tag), tag)
    state.maybe = why


def leave(state: State, conditions: Tags) -> None:
    """Where lanes meet again ``conditions`` hold. What was written under others is lost: they are
    decided anew before they hold again."""
    gone = [tag for tag in state.conditions if tag not in conditions]
    forget(state, *(tag for tag in gone if isinstance(tag, BranchCondition)))
    state.conditions = conditions


def forget(state: State, *tags: Hashable) -> None:
    """Conditions are decided anew: what was written under their last outcome becomes unknown."""
    held = state.registers
    tagged = [
        (name, value)
        for name, value in held.items()
        if (type(value) is Partly and value.tag) or (type(value) is Unknown and value.subset_of)
    ]
    for tag in tags:
        for name, _ in tagged:
            value = held[name]
            if isinstance(value, Partly):
                if value.tag == tag:
                    held[name] = value.otherwise
            elif isinstance(value, Unknown) and tag in value.subset_of:
                held[name] = replace(value, subset_of=(), pointer=None)


def _register_value(state: State, name: str) -> Value | Partly:
    """What ``name`` holds, for as many lanes as possible."""
    value = state.registers.get(name, UNWRITTEN)
    if isinstance(value, Partly) and value.tag and value.tag not in state.conditions:
        return value.otherwise
    return value


def _merged(
    old: Value | Partly, new: Value, mask: BoolArray, tag: Hashable, maybe: Unknown
) -> Value | Partly:
    """``new`` where ``mask`` (under the condition ``tag``, which is unknown for the reason of
    ``maybe``), ``old`` elsewhere."""
    if not _some(mask):
        return old
    if tag and isinstance(new, Unknown):
        new = parted(new)  # nobody knows in which lanes of a wave it is
    was, known, otherwise = _known_lanes(old, new, mask)
    apart = _apart(old, mask)
    if isinstance(new, Unknown):
        kept = known & ~mask
        why = _in_parts(otherwise, new, ~known & ~mask, mask)
        if new.over is not None:
            why = replace(why, over=replace(new.over, lanes=mask))
        return Partly(was, kept, _tag(old), why, apart) if _some(kept) or apart else why
    known = known | mask
    if tag:
        otherwise = because(maybe)
    array = _select(was, new, mask)
    return array if not tag and _every(known) else Partly(array, known, tag, otherwise, apart)


def _in_parts(old: Unknown, new: Unknown, others: BoolArray, mask: BoolArray) -> Unknown:
    """Unknown as ``old`` in the lanes ``others``, as ``new`` in those of ``mask``: one number of a
    wave only where no wave has both."""
    if not _some(others):
        return new
    why = common(old, new)
    return parted(why) if _share_a_wave(others, mask) else why


def _share_a_wave(some: BoolArray, others: BoolArray) -> bool:
    return bool((some.any(axis=-1) & others.any(axis=-1)).any())


def _apart(old: Value | Partly, mask: BoolArray) -> Mapping[int, Unknown]:
    """The single lanes of ``old`` that a write to ``mask`` leaves."""
    if not isinstance(old, Partly) or not old.apart:
        return {}
    return {lane: why for lane, why in old.apart.items() if not mask[:, lane].any()}


def _known_lanes(
    old: Value | Partly, new: Value, mask: BoolArray
) -> tuple[Array, BoolArray, Unknown]:
    """What is known so far, in which lanes, and why not elsewhere."""
    if isinstance(old, Partly):
        return old.array, old.lanes, old.otherwise
    if isinstance(old, Unknown):
        kind = np.uint32 if isinstance(new, Unknown) else new.dtype
        return np.zeros((1, 1), kind), np.zeros_like(mask), old
    return old, np.ones_like(mask), UNWRITTEN


def _select(old: Array, new: Array, mask: BoolArray) -> Array:
    """A scalar stays one number a wave where whole waves are running or not."""
    whole = mask.shape[1] == 1 or _every(mask == mask[:, :1])
    if whole and new.shape[-1] == 1 and old.shape[-1] == 1:
        mask = mask[:, :1]
    return np.where(mask, new, old)


def _tag(old: Value | Partly) -> Hashable:
    return old.tag if isinstance(old, Partly) else 0
