"""``bankwise count``: the passes of one instruction whose offsets are an expression of the lane."""

from __future__ import annotations

import numpy as np

from bankwise.algebra import expression
from bankwise.ask.spelled import spelled
from bankwise.counting.conflict import Witness, count, phases, words_touched
from bankwise.counting.reason import reason
from bankwise.hardware.machine import Instruction, machine
from bankwise.show.counting import CountReport


def count_expression(
    target: str, instruction: str, offsets: str, active: str = "", second: str = ""
) -> CountReport:
    """Count ``instruction`` on ``target`` for byte ``offsets``, an expression of ``lane``.

    ``active``: an expression, non-zero for active lanes. ``second``: second address of two-address
    forms. Raises InputError for anything unknown or unreadable.
    """
    row = spelled(target, instruction)
    gpu = machine(row.machine)
    lane = np.arange(gpu.wave_size)
    values = expression.parse(offsets, ["lane"])(lane=lane)
    mask = np.ones(gpu.wave_size, np.bool_)
    if active:
        mask = expression.parse(active, ["lane"])(lane=lane) != 0
    other = expression.parse(second, ["lane"])(lane=lane) if second else None
    result = count(row, values, mask, second_offsets_bytes=other)
    seen = result.witness
    why = reason(row, _wanted(row, seen, values, other), mask, seen) if seen else None
    return CountReport(
        target=gpu.name,
        counter=gpu.counter,
        instruction=row,
        active_lanes=int(mask.sum()),
        phases=tuple(map(tuple, phases(row, values, mask))),
        passes=int(result.passes),
        ideal=int(result.ideal),
        ways=int(result.ways),
        witness=seen,
        reason=why,
    )


def _wanted(
    row: Instruction, seen: Witness, first: expression.Value, second: expression.Value | None
) -> expression.Value:
    """The addresses at which the lanes of a witness want its words: the first or the second."""
    wishes = list(zip(seen.lanes, seen.words, strict=True))
    at_first = all(word in words_touched(row, int(first[lane])) for lane, word in wishes)
    return first if at_first or second is None else second
