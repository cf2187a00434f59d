"""What the lanes of one phase want of each bank, drawn in text.

    phase 0: lanes 0-3 12-15 20-27
    banks  0-15   4  4  4  4  .  .  .  .  .  .  .  .  .  .  .  .
    banks 16-31   .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
    bank 0: word 0 of lane 0, word 64 of lane 2, word 384 of lane 12, word 448 of lane 14

A number is how many different words a bank has to serve, one in each pass; a point is a bank that
nobody wants. The phase is the worst one, as counting finds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

import numpy as np

from bankwise.counting.conflict import phases, words_touched
from bankwise.counting.counted import Lanes
from bankwise.hardware.lanes import lane_text
from bankwise.hardware.machine import Instruction

_ACROSS = 16
"""Banks in a line."""
_WIDTH = 72
_WORDS = 8
"""Words of the worst bank that are named."""
Wishes = dict[int, dict[int, list[int]]]
"""Of every bank that is wanted the words, and of every word its lanes."""


def bank_picture(row: Instruction, lanes: Lanes) -> tuple[str, ...]:
    """The worst phase of one execution, in lines. Empty where lanes supply nothing, and where the
    hardware does not serve by banks."""
    if row.merge == "lines" or not any(lanes.active):
        return ()
    drawn = (_phase(row, lanes, n, one) for n, one in enumerate(_groups(row, lanes)))
    number, served, found = max(drawn, key=lambda one: _worst(row, one[2])[1])
    bank, _ = _worst(row, found)
    return (
        f"phase {number}: lanes {lane_text(tuple(served))}",
        *_banks(row, found),
        *wrap(f"bank {bank}: {_who(found.get(bank, {}))}", _WIDTH, subsequent_indent="  "),
    )


def _groups(row: Instruction, lanes: Lanes) -> list[list[int]]:
    return phases(row, np.array(lanes.offsets_bytes), np.array(lanes.active))


def _phase(
    row: Instruction, lanes: Lanes, number: int, served: list[int]
) -> tuple[int, list[int], Wishes]:
    """A phase's number, its active lanes, and what they want: of two addresses the worse one."""
    active = sorted(lane for lane in served if lanes.active[lane])
    starts = {0, lanes.apart_bytes or 0} if row.addresses == 2 else {0}
    found = [_wanted(row, lanes, active, more) for more in sorted(starts)]
    return number, active, max(found, key=lambda one: _worst(row, one)[1])


def _wanted(row: Instruction, lanes: Lanes, active: list[int], more: int) -> Wishes:
    wanted: Wishes = {}
    for lane in active:
        for word in words_touched(row, lanes.offsets_bytes[lane] + more):
            wanted.setdefault(word % row.banks, {}).setdefault(word, []).append(lane)
    return wanted


def _turns(row: Instruction, words: dict[int, list[int]]) -> int:
    """Passes of a bank: its words, or where lanes are served one by one its lanes."""
    return sum(map(len, words.values())) if row.serial else len(words)


def _worst(row: Instruction, found: Wishes) -> tuple[int, int]:
    """The bank with the most passes, the first of them, and how many."""
    every = ((bank, _turns(row, words)) for bank, words in sorted(found.items()))
    return max(every, key=lambda one: one[1], default=(0, 0))


def _banks(row: Instruction, found: Wishes) -> Iterator[str]:
    for first in range(0, row.banks, _ACROSS):
        line = range(first, min(first + _ACROSS, row.banks))
        cells = (str(_turns(row, found[bank])) if bank in found else "." for bank in line)
        yield f"banks {first:>2}-{line[-1]:<3}" + "".join(f"{cell:>3}" for cell in cells)


def _who(words: dict[int, list[int]]) -> str:
    said = [
        f"word {word} of lane{'s' * (len(of) > 1)} {lane_text(tuple(of))}"
        for word, of in sorted(words.items())
    ]
    more = [f"{len(said) - _WORDS} more"] * (len(said) > _WORDS)
    return ", ".join((*said[:_WORDS], *more))
