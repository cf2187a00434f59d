"""Vector instructions that look across lanes, and what all vector instructions share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bankwise.read.amd.masks import LANES
from bankwise.read.amd.operands import Operand, value
from bankwise.read.amd.parse import AmdInstruction
from bankwise.read.bits import ones
from bankwise.read.follow.functions import apply, choose
from bankwise.read.follow.state import Partly, State, copy_lanes, lose_lane, running, write
from bankwise.read.follow.values import Array, Unknown, Value, because, constant, of_one_lane
from bankwise.read.integers import halves

Run = Callable[[State], None]
Sources = Callable[[State], tuple[Value, ...]]
Make = Callable[[AmdInstruction, Operand, tuple[Operand, ...]], Run | None]

_LANE = np.arange(LANES, dtype=np.uint32)[None, :]


def plain_sources(sources: Sequence[Operand]) -> Sources:
    """The first 32 bits of each source, for the lanes that run."""

    known = [(None if s.number is None else constant(s.number), s) for s in sources]

    def values(state: State) -> tuple[Value, ...]:
        lanes = running(state)
        return tuple([value(state, s, 0, lanes) if c is None else c for c, s in known])

    return values


def put(state: State, to: Operand, result: Value, part: int = 0) -> None:
    """Write a result in the lanes that run."""
    write(state, to.registers[part], result, running(state))


def first_lane(op: AmdInstruction, to: Operand, sources: tuple[Operand, ...]) -> Run | None:
    """v_readfirstlane: the value of the lowest lane that runs (of lane 0 if none does)."""
    if len(sources) != 1:
        return None

    def run(state: State) -> None:
        mask = running(state)
        found = value(state, sources[0], 0, mask)
        write(state, to.registers[0], _first_of(state, found, op.line))

    return run


def _first_of(state: State, found: Value, line: int) -> Value:
    mask = running(state)
    if isinstance(found, Unknown):
        return of_one_lane(found)
    if found.shape[-1] == 1:
        return found
    full = np.broadcast_to(found, mask.shape)
    first = np.take_along_axis(full, mask.argmax(1)[:, None], axis=1)
    if state.maybe is not None and (choose(mask, full, first) != first).any():
        return Unknown("which lane is the first that runs", line, uniform=True)
    return np.asarray(first)


def one_lane(op: AmdInstruction, to: Operand, sources: tuple[Operand, ...]) -> Run | None:
    """v_readlane: the value of one lane, whether it runs or not."""
    if len(sources) != 2:
        return None

    def run(state: State) -> None:
        number = value(state, sources[1])
        wanted = np.ones_like(state.active)
        if not isinstance(number, Unknown):
            wanted &= number & np.uint32(LANES - 1) == _LANE
        found = value(state, sources[0], 0, wanted)
        picked = found if isinstance(found, Unknown) else apply(_pick, found, number)
        if isinstance(picked, Unknown):
            picked = of_one_lane(picked)
        write(state, to.registers[0], picked)

    return run


def _pick(found: Array, number: Array) -> Array:
    waves = max(len(found), len(number))
    full = np.broadcast_to(found, (waves, LANES))
    index = np.broadcast_to(number & np.uint32(LANES - 1), (waves, 1)).astype(np.int64)
    return np.asarray(np.take_along_axis(full, index, axis=1))


def write_lane(op: AmdInstruction, to: Operand, sources: tuple[Operand, ...]) -> Run | None:
    """v_writelane: one lane of a register, whatever the execution mask says."""
    if len(sources) != 2:
        return None

    def run(state: State) -> None:
        new, number = (value(state, s) for s in sources)
        if isinstance(number, Unknown):
            write(state, to.registers[0], because(number, number.uniform))
            return
        only = number & np.uint32(LANES - 1) == _LANE
        if isinstance(new, Unknown) and only.shape[0] == 1:
            lose_lane(state, to.registers[0], int(only.argmax()), new)
            return
        held, state.conditions = state.conditions, ()
        write(state, to.registers[0], new, np.broadcast_to(only, state.active.shape))
        state.conditions = held

    return run


def copy(op: AmdInstruction, to: Operand, sources: tuple[Operand, ...]) -> Run | None:
    """v_mov and its like: what is known of single lanes goes along."""
    if len(sources) != 1:
        return None
    plain, names = plain_sources(sources), sources[0].registers

    def run(state: State) -> None:
        held = state.registers.get(names[0]) if names else None
        whole = not state.conditions and not (state.active & ~running(state)).any()
        if isinstance(held, Partly) and not held.tag and whole:
            copy_lanes(state, to.registers[0], held)
        else:
            put(state, to, plain(state)[0])

    return run


def count_below(high: bool) -> Make:
    """v_mbcnt: set bits of a mask below the own lane, plus an addend."""
    below = (np.uint64(1) << _LANE.astype(np.uint64)) - np.uint64(1)
    mine = halves(below)[1 if high else 0]

    def set_below(mask: Array, more: Array, lanes: Array) -> Array:
        return ones(mask & lanes) + more

    def make(op: AmdInstruction, to: Operand, sources: tuple[Operand, ...]) -> Run | None:
        if len(sources) != 2:
            return None
        plain = plain_sources(sources)
        return lambda state: put(state, to, apply(set_below, *plain(state), mine))

    return make


def swap(op: AmdInstruction, to: Operand, sources: tuple[Operand, ...]) -> Run | None:
    """v_swap_b32: two registers change places."""

    def run(state: State) -> None:
        other = sources[0]
        mine, theirs = plain_sources((to, other))(state)
        put(state, to, theirs)
        put(state, other, mine)

    return run if _other_register(sources) else None


def _other_register(sources: tuple[Operand, ...]) -> bool:
    return len(sources) == 1 and len(sources[0].registers) == 1


def swap_rows(rows: int) -> Make:
    """v_permlane16_swap, v_permlane32_swap: odd rows of the first register against even rows of
    the second, for rows of 16 or 32 lanes. Source: AMD CDNA4 ISA."""
    odd = (_LANE // rows) % 2 == 1

    def make(op: AmdInstruction, to: Operand, sources: tuple[Operand, ...]) -> Run | None:
        def run(state: State) -> None:
            everywhere = np.ones_like(state.active)
            first, second = (value(state, o, 0, everywhere) for o in (to, sources[0]))
            put(state, to, apply(choose, odd, _rotate_lanes(second, rows), first))
            put(state, sources[0], apply(choose, odd, second, _rotate_lanes(first, -rows)))

        return run if _other_register(sources) else None

    return make


def _rotate_lanes(x: Value, lanes: int) -> Value:
    """Every lane's value, ``lanes`` further up."""
    return apply(lambda v: np.roll(np.broadcast_to(v, (len(v), LANES)), lanes, 1), x)
