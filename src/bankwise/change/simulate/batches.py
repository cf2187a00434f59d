"""Statements that are alike, done at once for all threads: see :mod:`schedule`."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from bankwise.change.simulate.accesses import load_bytes, store_bytes
from bankwise.change.simulate.computed import Alike, Does, made
from bankwise.change.simulate.operands import Lanes, SimulatedBlock
from bankwise.change.simulate.schedule import Accesses, StatementPart, needed, scheduled
from bankwise.change.simulate.terms import Values, masked, number_of, signed
from bankwise.read.ptx.parse import Statement

_AT_ONCE = 1 << 15
"""Numbers that are computed at once: so many stay near the processor."""

_Rows = NDArray[np.int64]

Alone = Callable[[int, Lanes], None]
"""Runs one statement, by its number, for some threads."""


class Straight(Struct, eq=False):
    """``count`` statements that all threads run, one behind the other: ``steps`` are what several
    do at once, and numbers of statements that are done alone; ``needs`` the registers that have to
    be written before, ``makes`` those that are."""

    count: int
    steps: Sequence[Does | int]
    needs: Sequence[str]
    makes: Sequence[str]
    begun: bool = False

    def may_run(self, block: SimulatedBlock) -> bool:
        """Whether all that is read has been written."""
        if self.begun:
            return True
        if any(name not in block.registers and name not in block.specials for name in self.needs):
            return False
        for name in self.makes:
            block.begin(name)
        self.begun = True
        return True

    def run(self, block: SimulatedBlock, lanes: Lanes, alone: Alone) -> None:
        """Run them for some threads."""
        for step in self.steps:
            if isinstance(step, int):
                alone(step, lanes)
            else:
                step(block, lanes)


def straight(
    block: SimulatedBlock,
    statements: Sequence[Statement],
    plain: Sequence[bool],
    first: int,
    only: Container[str] | None,
) -> Straight:
    """``statements`` made ready, the ``first`` one by its number in the kernel. ``only``: the
    registers whose values are asked for, of what is computed; None for all."""
    items = scheduled(statements, plain)
    makes = dict.fromkeys(part.writes for item in items for part in item.parts if part.writes)
    steps: list[Does | int] = []
    for item in items:
        if item.alone >= 0:
            steps.append(first + item.alone)
            continue
        parts = [one for one in item.parts if only is None or _matters(one, only)]
        most = max(1, _AT_ONCE // (block.threads * len(item.parts[0].reads)))
        for at in range(0, len(parts), most):
            steps.append(_at_once(block, parts[at : at + most]))
    return Straight(len(statements), steps, needed(items, statements), tuple(makes))


def _matters(part: StatementPart, only: Container[str]) -> bool:
    """Whether a part touches memory, or computes one of these registers."""
    return not isinstance(part.what, Alike) or part.writes in only


def _at_once(block: SimulatedBlock, parts: Sequence[StatementPart]) -> Does:
    """What parts that have all in common do; of loads and stores, in their order."""
    what = parts[0].what
    reads = np.array([[block.place_of(text) for text in part.reads] for part in parts])
    writes = np.array([block.place(part.writes) for part in parts if part.writes], np.int64)
    if not isinstance(what, Alike):
        offsets = np.array([[part.offset] for part in parts], np.uint64)
        return _accesses(what, reads, writes, offsets)
    make = made(what, np.array([[number_of(part.name)] for part in parts], np.uint64))

    def does(block: SimulatedBlock, lanes: Lanes) -> None:
        if len(lanes) == block.threads:
            block.rows[writes] = make(block.rows[reads])
        else:
            block.rows[writes[:, None], lanes] = make(block.rows[reads[..., None], lanes])

    return does


def _accesses(what: Accesses, reads: _Rows, writes: _Rows, offsets: Values) -> Does:
    def does(block: SimulatedBlock, lanes: Lanes) -> None:
        given = block.rows[reads[..., None], lanes]
        at = (given[:, 0] + offsets).reshape(-1)
        whose = np.tile(lanes, len(given))
        if what.word == "st":
            values = masked(given[:, 1], 8 * what.size).reshape(-1)
            store_bytes(block, what.space, at, whose, values, what.size)
            return
        found = load_bytes(block, what.space, at, whose, what.size)
        if what.signed and what.size < 8:
            found = signed(found, 8 * what.size).view(np.uint64)
        block.rows[writes[:, None], lanes] = found.reshape(len(given), -1)

    return does
