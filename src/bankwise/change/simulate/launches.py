"""How a simulated kernel is launched, and what two simulations of it are compared by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bankwise.change.simulate.memory import POINTERS, Unsupported
from bankwise.errors import Refusal
from bankwise.read.launch.facts import Size


@dataclass(frozen=True, slots=True)
class SimulatedLaunch:
    """One launch of a kernel. ``numbers``: of its parameters by position, None for one that nobody
    says: pointers lie apart, and others are ``assumed``. ``blocks``: which are run."""

    block: Size
    grid: Size
    numbers: tuple[int | float | None, ...]
    assumed: int
    blocks: tuple[Size, ...]
    shared_bytes: int


@dataclass(frozen=True, slots=True)
class Simulated:
    """What was compared: ``words`` that both texts wrote alike, in ``blocks`` blocks; ``differs``:
    the first word that differs, in words; empty if none does."""

    words: int
    blocks: int
    steps: int
    differs: str = ""


Written = Callable[[str, str, SimulatedLaunch, Size, int], tuple[dict[int, int], int]]
"""Run one block of a kernel, of a text and by its name: what it writes to global memory, by word,
and how many steps that takes. The number tells one unwritten shared memory from another."""


def compared(
    written: Written, before: str, after: str, kernel: str, settings: Sequence[SimulatedLaunch]
) -> Simulated | Refusal:
    """Run a kernel of both texts. A Refusal where one cannot be simulated."""
    words = blocks = steps = 0
    for setting in settings:
        for index in setting.blocks:
            try:
                old, taken = written(before, kernel, setting, index, 1)
                new, more = written(after, kernel, setting, index, 2)
            except Unsupported as error:
                return Refusal(f"{kernel}: not simulated: {error}")
            words, blocks, steps = words + len(old), blocks + 1, steps + taken + more
            if old != new:
                return Simulated(words, blocks, steps, _first(old, new, index))
    return Simulated(words, blocks, steps)


def _first(old: dict[int, int], new: dict[int, int], index: Size) -> str:
    differing = [at for at in sorted(old.keys() | new.keys()) if old.get(at) != new.get(at)]
    at = differing[0]
    parameter, byte = divmod(4 * at, POINTERS)
    return (
        f"block {','.join(map(str, index))} writes another value {byte} bytes behind pointer "
        f"{parameter}, and to {len(differing) - 1:,} more words"
    )
