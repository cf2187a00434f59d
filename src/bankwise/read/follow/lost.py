"""What certainly nobody knows, worked out before anything runs: the data of a kernel.

A number that memory gave stays unknown through all arithmetic. Such steps need not be executed, and
what only they read need not be followed: a step whose result is unknown whatever the rest holds
says so at once, and a branch on such a result is open from the start.

    global_load_dword v1, ...      v1 unknown
    v_mul_f32 v2, v1, v3           v2 unknown, and v3 is not asked
    v_and_b32 v4, 0xff, v2         followed: bits of v4 are known

A forward analysis: a register is *lost* where it is on every way. What a step makes of lost
registers is tried on it, with zeros, ones, other numbers and pointers for the rest. To take a
result for unknown is never wrong, so a trial that misses a case costs an answer at most. What may
be equal in all lanes, if the rest is, is left to the run; so is what is not lanewise on a machine
with an execution mask.
"""

from __future__ import annotations

import re
from collections.abc import Hashable

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.read.follow.program import Program, ProgramStep
from bankwise.read.follow.state import UNWRITTEN, Partly, State, common, lose, running
from bankwise.read.follow.values import Array, Unknown, Value, constant

Lost = dict[str, Unknown]
"""The registers that are lost, and why."""

_POINTER = Unknown("a pointer of the launch", space="global")
_PREDICATE = re.compile(r"(?:%p|U?P)\d|scc")
_Rest = int | Unknown | None
_TRIALS: tuple[_Rest, ...] = (None, _POINTER, 0, 0xFFFFFFFF, 0x9E3779B9, 0x3F800000)


class _Trials(Struct):
    """``start``: the state of the kernel's start; ``names``: what is lost behind a step, by what of
    its operands was; ``found``: and why, by why these were."""

    start: State
    names: dict[Hashable, tuple[str, ...]] = field(default_factory=dict)
    found: dict[Hashable, Lost] = field(default_factory=dict)

    def takes(self, step: ProgramStep) -> bool:
        """Whether a step is tried."""
        return step.lanewise or self.start.lanes is None


def without_lost(program: Program, start: State) -> tuple[Program, dict[int, Unknown]]:
    """``program``, in which steps with lost results read nothing; the branches, by their lines,
    that a lost register decides."""
    running(start)  # worked out once, for the copies of all trials
    trials = _Trials(start)
    steps = list(program.steps)
    open_branches: dict[int, Unknown] = {}
    for block, lost in _at_starts(program, trials).items():
        for number in range(program.blocks[block].start, program.blocks[block].stop):
            step = steps[number]
            if step.flow == "branch":
                why = _undecided(step, trials, lost)
                open_branches |= {} if why is None else {step.line: why}
            else:
                results = _results(step, trials, lost)
                steps[number] = _shortened(step, results, lost)
                _hold(step, results, lost)
    return replace(program, steps=tuple(steps)), open_branches


def _at_starts(program: Program, trials: _Trials) -> dict[int, Lost]:
    """What is lost at the start of every block that control may reach."""
    names = {name for step in program.steps for name in (*step.reads, *step.writes)}
    held = trials.start.registers
    first = {n: v for n in names if (v := _plain(held.get(n, UNWRITTEN))) is not None}
    found: dict[int, Lost] = {0: first}
    waiting = {0}
    while waiting:
        number = min(waiting, key=lambda b: program.order[b])
        waiting.discard(number)
        lost = dict(found[number])
        block = program.blocks[number]
        for step in program.steps[block.start : block.stop]:
            _after(step, trials, lost)
        for after in block.after:
            if after < len(program.blocks) and _joined(found, after, lost):
                waiting.add(after)
    return found


def _joined(found: dict[int, Lost], block: int, lost: Lost) -> bool:
    """Let only that be lost at ``block`` which is so on this way, too; whether that changes it."""
    known = found.get(block)
    if known is None:
        found[block] = dict(lost)
        return True
    gone = known.keys() - lost.keys()
    for name in gone:
        del known[name]
    narrower = [n for n, why in known.items() if why.uniform and not lost[n].uniform]
    known.update({name: common(known[name], lost[name]) for name in narrower})
    return bool(gone or narrower)


def _after(step: ProgramStep, trials: _Trials, lost: Lost) -> None:
    """What is lost behind a step."""
    if step.writes:
        _hold(step, _results(step, trials, lost), lost)


def _hold(step: ProgramStep, results: Lost, lost: Lost) -> None:
    """Let what a step writes be lost where its results are."""
    for name in step.writes:
        if name not in results:
            lost.pop(name, None)
        elif not step.partial or name in lost:
            lost[name] = results[name]


def _shortened(step: ProgramStep, results: Lost, lost: Lost) -> ProgramStep:
    """A step that says at once what is lost."""
    whole = all(
        n in results and not results[n].uniform and (not step.partial or n in lost)
        for n in step.writes
    )
    if not step.writes or not whole or step.address is not None or not step.reads:
        return step

    def run(state: State) -> None:
        lose(state, results)

    return replace(step, reads=(), run=run, partial=False)


def _results(step: ProgramStep, trials: _Trials, lost: Lost) -> Lost:
    """The registers that are unknown behind a step whatever else it reads, and why."""
    if step.run is None:
        return {}
    asked = tuple(name for name in step.reads if name in lost)
    if step.followed and not (asked and trials.takes(step)):
        return {}
    place = (id(step), *map(lost.get, step.reads), *map(lost.get, step.writes))
    found = trials.found.get(place)
    if found is None:
        found = trials.found[place] = _worked_out(step, trials, lost, asked)
    return found


def _worked_out(step: ProgramStep, trials: _Trials, lost: Lost, asked: tuple[str, ...]) -> Lost:
    """As :func:`_results`; ``asked``: what it reads of ``lost``. Why operands are lost does not
    decide which results are, so that is tried once."""
    place = (id(step), asked, tuple(lost[name].uniform for name in asked))
    names, start = trials.names.get(place), trials.start
    if names is None:
        held = start.registers
        fixed = (n in lost or isinstance(held.get(n), np.ndarray) for n in step.reads)
        first, *more = _TRIALS[-1:] if not step.followed or all(fixed) else _TRIALS
        found = _tried(step, start, lost, first)
        for rest in more:
            if not found:
                break
            again = _tried(step, start, lost, rest)
            found = {name: why for name, why in found.items() if name in again}
        trials.names[place] = tuple(found)
        return found
    last = _tried(step, start, lost, _TRIALS[-1]) if names else {}
    return {name: last[name] for name in names if name in last}


def _tried(step: ProgramStep, start: State, lost: Lost, rest: _Rest) -> Lost:
    """What is unknown behind a step where all that is not lost is ``rest``, or begins so."""
    state = _around(step, start, lost, rest)
    assert step.run is not None
    for name in step.writes:
        if name not in step.reads:
            state.registers[name] = lost.get(name, UNWRITTEN)
    try:
        step.run(state)
    except (TypeError, ValueError, IndexError):
        return {}
    if state.lanes is not start.lanes or state.conditions or state.active is not start.active:
        return {}
    values = {name: _plain(state.registers.get(name, UNWRITTEN)) for name in step.writes}
    return {name: why for name, why in values.items() if why is not None}


def _around(step: ProgramStep, start: State, lost: Lost, rest: _Rest) -> State:
    """A state before ``step``; without a ``rest``, registers hold what they do at the start."""
    state = start.copy()
    for at, name in enumerate(step.reads):
        if name in lost:
            state.registers[name] = lost[name]
        elif rest is None:
            state.registers.setdefault(name, _number(name, 0))
        elif not isinstance(start.registers.get(name), np.ndarray):
            fixed = isinstance(rest, Unknown) or rest < 2
            number = rest if isinstance(rest, Unknown) else _number(name, rest + at * (not fixed))
            state.registers[name] = number
    return state


def _number(name: str, number: int) -> Array:
    if _PREDICATE.match(name):
        return constant(number & 1, np.bool_)
    return constant(number, np.uint64 if name.startswith("%rd") else np.uint32)


def _plain(value: Value | Partly) -> Unknown | None:
    """A value of which nothing is known at all."""
    if not isinstance(value, Unknown) or value.choices is not None or value.subset_of:
        return None
    known = value.pointer is not None or value.space or value.lanes is not None
    known = known or value.over is not None
    return None if known else value


def _undecided(step: ProgramStep, trials: _Trials, lost: Lost) -> Unknown | None:
    """Why the condition of a branch is unknown whatever else it reads; None if it need not be."""
    found: Value | None = None
    for rest in _TRIALS:
        state = _around(step, trials.start, lost, rest)
        found = step.condition(state) if step.condition is not None else None
        if not isinstance(found, Unknown) or found.uniform:
            return None
    return found if isinstance(found, Unknown) else None
