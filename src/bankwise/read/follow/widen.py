"""Loops of unknown length: registers that only count are given up, so that their states repeat.

    s_add_i32 s21, s21, 64          1, 65, 129, ...: no round is like one before, and nobody knows
    v_cmp_gt_i32 vcc, s20, v1       when it ends; s20 = n - s21 is unknown, and so are the lanes

Between an open branch and its join every state that may occur is followed once. A register that
grows by the same step in round after round makes a new state of each, although nothing may depend
on it but how many rounds there are. It is called unknown then, which is true of it whatever it
holds; what is computed from it becomes unknown, too, and the next state is one that was seen. Where
addresses are computed from it, it is followed for longer, and for longest while new places appear.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.read.follow.program import Program, ProgramStep
from bankwise.read.follow.slicing import cut
from bankwise.read.follow.state import State
from bankwise.read.follow.values import Array, Unknown, because, in_step

ROUNDS, ROUNDS_OF_ADDRESSES, MOST_ROUNDS = 4, 8, 256
"""Equal steps of a register, one after the other, that make it a counter: of one that addresses do
not come from; of one that they do, while no new place is touched; and in any case."""

_MASKS = frozenset({"exec_lo", "exec_hi"})


class LoopCounters(Struct):
    """What was seen at the heads of loops. ``held``: by block and register its last value, its
    step (None before there is one), how often that step was taken; ``places``: by block how many
    places the kernel had touched, and for how many rounds it has been so many."""

    held: dict[tuple[int, str], tuple[Array, Array | None, int]] = field(default_factory=dict)
    places: dict[int, tuple[int, int]] = field(default_factory=dict)


def address_registers(program: Program) -> tuple[frozenset[str], ...]:
    """The registers that addresses are computed from, at the start of every block, whatever lanes
    run and however often. Only how soon a register is given up depends on it."""
    steps = tuple(
        replace(step, reads=tuple(n for n in step.reads if n not in _MASKS), partial=False)
        for step in program.steps
    )
    open_lines = {step.line for step in steps if step.flow == "branch"}
    return tuple(map(frozenset, cut(replace(program, steps=steps), open_lines).live))


def loop_heads(program: Program) -> frozenset[int]:
    """Blocks that control comes back to from behind."""
    return frozenset(
        after for n, block in enumerate(program.blocks) for after in block.after if after <= n
    )


def busiest(
    program: Program, visits: Mapping[int, int], opened: Collection[int]
) -> ProgramStep | None:
    """The branch that was decided most often, of those that are not open; ``visits``: of blocks."""
    ends = {b: program.steps[program.blocks[b].stop - 1] for b in visits}
    closed = [b for b, s in ends.items() if s.flow == "branch" and s.line not in opened]
    best = max(closed, key=lambda b: visits[b], default=None)
    return None if best is None else ends[best]


def widen(
    counters: LoopCounters,
    block: int,
    why: Unknown,
    state: State,
    names: Collection[str],
    addresses: Collection[str],
    places: int,
) -> None:
    """Let the registers of ``names`` that only count be unknown, at the head of a loop; the lanes
    that run are never given up, since they are known apart from the registers that say so.
    ``why``: why nobody knows how often it runs; ``places``: how many the kernel has touched."""
    was, rounds = counters.places.get(block, (0, 0))
    counters.places[block] = (places, rounds + 1 if places == was else 0)
    quiet = rounds >= ROUNDS_OF_ADDRESSES and places == was
    slow = ROUNDS_OF_ADDRESSES if quiet else MOST_ROUNDS
    for name in names:
        value = None if name in _MASKS else state.registers.get(name)
        over = value.over if isinstance(value, Unknown) else None
        first = value if over is None else over.first
        if not isinstance(first, np.ndarray) or first.dtype == np.bool_:
            continue
        times = _steps(counters, (block, name), first)
        if isinstance(value, Unknown):
            state.registers[name] = replace(value, over=None) if times > ROUNDS else value
        elif times > (slow if name in addresses else ROUNDS):
            found, step = because(why, uniform=first.shape[-1] == 1), counters.held[block, name][1]
            assert step is not None, "it was taken"
            state.registers[name] = in_step(found, (first, first + step))


def _steps(counters: LoopCounters, at: tuple[int, str], value: Array) -> int:
    """How often ``value`` has grown by the same step, one time after the other; several ways of one
    round bring the same value."""
    old = counters.held.get(at)
    if old is None or old[0].shape != value.shape or old[0].dtype != value.dtype:
        counters.held[at] = (value, None, 0)
        return 0
    if old[0] is value:
        return old[2]
    step = value - old[0]
    if not np.count_nonzero(step):
        return old[2]
    same = old[1] is not None and not np.count_nonzero(step != old[1])
    times = old[2] + 1 if same else 1
    counters.held[at] = (value, step, times)
    return times
