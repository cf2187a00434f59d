"""Lanes of warps as a GPU parts and joins them, one warp at a time, by barriers alone.

A warp is a set of groups, each at an instruction of its own. A branch parts a group; lanes that
come to BSYNC wait until all of its barrier are there that have not left it (BREAK) or ended;
nothing else joins lanes. What an instruction does to registers is the reader's, control flow not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from bankwise.read.follow.decoded import Decoded
from bankwise.read.follow.state import State, read, write
from bankwise.read.follow.values import Unknown, Value
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.operands import predicate
from bankwise.read.sass.parse import SassKernel

_PREDICATE = re.compile(r"U?P\d+")
Lanes = NDArray[np.bool_]
Made = tuple[int, tuple[tuple[int, int], ...]]
"""An access: the number of its instruction, its lanes and their bytes."""


class UnsureError(Exception):
    """A condition or an address is not known."""


class _Warp:
    def __init__(
        self, kernel: SassKernel, decoded: Decoded, state: State, warp: int, seed: int
    ) -> None:
        self.kernel, self.steps, self.state = kernel, decoded.program.steps, state
        self.warp, self.budget = warp, 200_000
        self.random = np.random.default_rng(seed)
        self.targets = kernel.code.targets
        self.members: dict[str, Lanes] = {}
        self.waits: dict[str, tuple[int, Lanes]] = {}
        self.groups: list[tuple[int, Lanes]] = [(0, state.active[warp].copy())]

    def run(self) -> Iterator[Made]:
        while self.groups:
            at, lanes = self.groups.pop()
            while at < len(self.kernel.instructions) and lanes.any():
                self.budget -= 1
                assert self.budget, "it does not end"
                one = self.kernel.instructions[at]
                word = one.parts[0]
                name = next((t for t in one.operands if re.fullmatch(r"B\d+", t)), "")
                if word == "BSSY":
                    self.members[name] = lanes.copy()
                elif word == "BREAK":
                    self._leaves(name, lanes & self._guard(at, one, lanes))
                elif word == "BSYNC":
                    self._waits(name, at, lanes)
                    lanes = np.zeros_like(lanes)
                    break
                elif self.steps[at].flow != "next":
                    at, lanes = self._flow(at, lanes)
                    continue
                else:
                    yield from self._do(at, lanes)
                at += 1
            if lanes.any():
                self._ended(lanes)
        assert not self.waits, "lanes wait for ever"

    def _flow(self, at: int, lanes: Lanes) -> tuple[int, Lanes]:
        step = self.steps[at]
        assert step.flow in ("jump", "branch"), step.flow
        taken = (
            lanes
            if step.flow == "jump"
            else lanes & self._known(step.condition, lanes, *step.reads)
        )
        if not taken.any():
            return at + 1, lanes
        rest = lanes & ~taken
        if rest.any():
            self.groups.append((at + 1, rest))
        return step.target, taken

    def _do(self, at: int, lanes: Lanes) -> Iterator[Made]:
        step = self.steps[at]
        self._only(lanes)
        if step.address is not None:
            part = (
                lanes if step.guard is None else lanes & self._known(step.guard, lanes, *step.reads)
            )
            if part.any():
                self._only(lanes)
                places = step.address(self.state)
                if isinstance(places, Unknown):
                    raise UnsureError(f"line {step.line}: {places}")
                own = np.broadcast_to(places, self.state.active.shape)[self.warp]
                yield at, tuple((int(n), int(own[n])) for n in np.flatnonzero(part))
        if step.run is not None:
            guard = self.kernel.instructions[at].guard
            if guard:
                self._known(lambda state: predicate(state, guard), lanes, guard)
            step.run(self.state)

    def _guard(self, at: int, one: SassInstruction, lanes: Lanes) -> Lanes:
        """Lanes that leave: under the guard, and under a predicate that stands before the name."""
        found = np.ones_like(lanes)
        before = [t for t in one.operands if re.fullmatch(r"!?U?P(\d+|T)", t)]
        for text in filter(None, (one.guard, *before)):
            found &= self._known(lambda state, text=text: predicate(state, text), lanes, text)
        return found

    def _known(self, asked: Callable[[State], Value] | None, lanes: Lanes, *names: str) -> Lanes:
        """A condition; predicates that the data decide are thrown."""
        assert asked is not None
        self._only(lanes)
        for name in (text.lstrip("!") for text in names):
            if _PREDICATE.fullmatch(name) and isinstance(read(self.state, name), Unknown):
                one = name.startswith("U")
                shape = (1, 1) if one else self.state.active.shape
                write(self.state, name, self.random.random(shape) < 0.5)
        value = asked(self.state)
        if isinstance(value, Unknown):
            raise UnsureError(str(value))
        return np.asarray(np.broadcast_to(value, self.state.active.shape)[self.warp], bool)

    def _only(self, lanes: Lanes) -> None:
        active = np.zeros_like(self.state.active)
        active[self.warp] = lanes
        self.state.active = active

    def _waits(self, name: str, at: int, lanes: Lanes) -> None:
        assert not (lanes & ~self.members[name]).any(), "it waits for a barrier that it is not of"
        before = self.waits.get(name)
        assert before is None or before[0] == at
        self.waits[name] = at, lanes | (before[1] if before else False)
        self._released(name)

    def _released(self, name: str) -> None:
        found = self.waits.get(name)
        if found is not None and np.array_equal(found[1], self.members[name]):
            del self.waits[name]
            if found[1].any():
                self.groups.append((found[0] + 1, found[1]))

    def _leaves(self, name: str, lanes: Lanes) -> None:
        self.members[name] = self.members[name] & ~lanes
        self._released(name)

    def _ended(self, lanes: Lanes) -> None:
        for name in self.members:
            self._leaves(name, lanes)


def accesses(kernel: SassKernel, decoded: Decoded, start: State, seed: int = 0) -> list[list[Made]]:
    """What each warp accesses, in some order. Raises :class:`UnsureError`."""
    return [
        list(_Warp(kernel, decoded, start.copy(), warp, seed + warp).run())
        for warp in range(len(start.active))
    ]
