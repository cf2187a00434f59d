"""What one access touches, noted every time that it runs."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bankwise.counting.access import BoolArray, IntArray
from bankwise.read.follow.marks import xored
from bankwise.read.follow.paths import Path
from bankwise.read.follow.program import ProgramStep
from bankwise.read.follow.state import State, running, running_key
from bankwise.read.follow.values import Array, Unknown


@dataclass(slots=True)
class Touched:
    """What one access touched: distinct (offsets, active lanes) in the order they came.

    ``counts``: how often each was followed; ``sure``: how often of these on ways that are taken for
    certain, which is all where ``counted``. ``unknown``: why an execution gave no address.
    ``maybe``: the condition, where the active lanes are only a bound. ``xored``: the bits of some
    address that came out of an XOR.
    """

    patterns: list[tuple[IntArray, BoolArray]] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    sure: list[int] = field(default_factory=list)
    counted: bool = True
    unknown: Unknown | None = None
    maybe: Unknown | None = None
    xored: int = 0
    index: dict[tuple[bytes, bytes], int] = field(default_factory=dict)


def touch(found: dict[int, Touched], number: int, step: ProgramStep, path: Path) -> None:
    """Note what the access ``number`` touches now."""
    state = path.state
    assert step.address is not None
    active, maybe, lanes = _taking_part(step, state)
    if not lanes:
        return
    touched = found.get(number)
    if touched is None:
        touched = found[number] = Touched()
    touched.counted &= path.certain
    touched.maybe = touched.maybe or maybe
    address = step.address(state)
    if isinstance(address, Unknown):
        touched.unknown = touched.unknown or address
        return
    touched.xored |= xored(address)
    key = (address.tobytes(), lanes)
    at = touched.index.setdefault(key, len(touched.patterns))
    if at == len(touched.patterns):
        touched.patterns.append((_offsets(address, active), active))
        touched.counts.append(0)
        touched.sure.append(0)
    touched.counts[at] += 1
    touched.sure[at] += path.certain


def _offsets(address: Array, active: BoolArray) -> IntArray:
    """The bytes of each lane, 0 where none is touched."""
    plain = address.view(np.ndarray).astype(np.int64)
    if plain.shape != active.shape or not active.all():
        return np.where(active, plain, 0)
    return plain


def _taking_part(step: ProgramStep, state: State) -> tuple[BoolArray, Unknown | None, bytes]:
    """The lanes of an access, an upper bound where there is a reason; the same lanes as bytes,
    empty if there are none."""
    active, lanes = running(state), running_key(state)
    if step.guard is None:
        return active, state.maybe, lanes
    guard = step.guard(state)
    if isinstance(guard, Unknown):
        return active, guard, lanes
    part = active & guard
    return part, state.maybe, part.tobytes() if part.any() else b""
