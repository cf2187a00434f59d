"""What one access touches, noted every time that it runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.counting.access import BoolArray, IntArray, distinct
from bankwise.read.follow.marks import xored
from bankwise.read.follow.mixing import LET_GO, TOGETHER
from bankwise.read.follow.paths import Path, groups_at
from bankwise.read.follow.program import ProgramStep
from bankwise.read.follow.spaces import NOT_SHARED
from bankwise.read.follow.state import State, running, running_key
from bankwise.read.follow.values import Array, Unknown

Counts = Mapping[int, Sequence[int]]
"""By the number of an access, ``~number`` for its ``anywhere``: how often each pattern was."""


class Touched(Struct):
    """What one access touched: distinct (offsets, active lanes) in the order they came.

    ``counts``: how often each was followed; ``sure``: how often of these on ways that are taken for
    certain, which is all where ``counted``. ``apart``: lanes ran in groups of which several may run
    together, and nothing else is uncounted. ``unknown``: why an execution gave no address.
    ``maybe``: the condition, where the active lanes are only a bound. ``xored``: the bits of some
    address that came out of an XOR. ``anywhere``: executions whose address is known but for one
    number of each wave; its ``unknown`` says why that is not known, and each bit of ``multiples``
    is a power of two that divides it in some execution.
    """

    patterns: list[tuple[IntArray, BoolArray]] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    sure: list[int] = field(default_factory=list)
    counted: bool = True
    apart: bool = False
    unknown: Unknown | None = None
    maybe: Unknown | None = None
    xored: int = 0
    anywhere: Touched | None = None
    multiples: int = 0
    index: dict[tuple[bytes, bytes], int] = field(default_factory=dict)

    @property
    def causes(self) -> tuple[Unknown | None, ...]:
        """Why not all of it is known."""
        elsewhere = None if self.anywhere is None else self.anywhere.unknown
        return self.unknown, self.maybe, elsewhere


def touch(
    found: dict[int, Touched], number: int, step: ProgramStep, path: Path
) -> tuple[Touched, int] | None:
    """Note what the access ``number`` touches now; which of its patterns that is, -1 where its
    address is not known, None where no lane takes part."""
    state = path.state
    assert step.address is not None
    active, maybe, lanes = _taking_part(step, state)
    if not lanes:
        return None
    touched = found.get(number)
    if touched is None:
        touched = found[number] = Touched()
    certain = path.certain and all(one.known for one in groups_at(path))
    _sure(touched, path.certain, certain)
    touched.maybe = touched.maybe or maybe
    address = step.address(state)
    if isinstance(address, Unknown) and address.instead is None:
        touched.unknown = touched.unknown or address
        return touched, -1
    known = not isinstance(address, Unknown) and touched.maybe is None
    if isinstance(address, Unknown):
        assert address.instead is not None
        touched.anywhere = touched.anywhere or Touched(unknown=address)
        touched, unknown, address = touched.anywhere, address, address.instead
        _sure(touched, path.certain, certain)
        touched.maybe = touched.maybe or maybe
        touched.multiples |= unknown.multiple_of
    touched.xored |= xored(address)
    at = _add(touched, address, active, lanes, certain)
    _add_beside(touched, number, address, active, path)
    return touched, at if known else -1


def _add_beside(
    touched: Touched, number: int, address: Array, active: BoolArray, path: Path
) -> None:
    """Note what the lanes touch with those of other groups that may run with them."""
    groups = groups_at(path)
    certain = path.certain and all(one.known for one in groups)
    for one in groups:
        if path.block in one.lost:
            touched.unknown = touched.unknown or Unknown(LET_GO)
            continue
        try:
            both = one.beside(number, np.broadcast_to(address, active.shape), active)
        except ValueError:
            touched.unknown = touched.unknown or (None if one.known else Unknown(TOGETHER))
            continue
        if both is not None and not one.known:
            _add(touched, *both, both[1].tobytes(), certain)


def forget_together(parts: Iterable[Touched]) -> None:
    """Let nothing be known of what any of several groups of lanes may touch together."""
    for one in parts:
        if one.unknown is not None and one.unknown.reason in (TOGETHER, LET_GO):
            for held in (one.patterns, one.counts, one.sure, one.index):
                held.clear()


def _sure(touched: Touched, followed: bool, certain: bool) -> None:
    """Note whether an execution is sure; ``followed``: but for who runs it together."""
    touched.apart = followed and not certain if touched.counted else touched.apart and followed
    touched.counted &= certain


def _add(touched: Touched, address: Array, active: BoolArray, lanes: bytes, sure: bool) -> int:
    at = touched.index.setdefault((address.tobytes(), lanes), len(touched.patterns))
    if at == len(touched.patterns):
        touched.patterns.append((_offsets(address, active), active))
        touched.counts.append(0)
        touched.sure.append(0)
    touched.counts[at] += 1
    touched.sure[at] += sure
    return at


def touch_again(touched: Touched, at: int, path: Path) -> None:
    """Note that an access touches a pattern that it has touched before, by lanes that have no
    others beside them."""
    _sure(touched, path.certain, path.certain)
    touched.counts[at] += 1
    touched.sure[at] += path.certain


def counts_of(found: Mapping[int, Touched], numbers: Iterable[int]) -> Counts:
    """How often each pattern of some accesses was touched so far."""
    held = [(n, found[n]) for n in numbers if n in found]
    held += [(~n, each.anywhere) for n, each in held if each.anywhere is not None]
    return {n: list(each.counts) for n, each in held}


def repeat(found: Mapping[int, Touched], before: Counts, times: int) -> None:
    """Let what happened since the counts were ``before`` happen ``times`` times more."""
    for number, old in before.items():
        touched = found[number] if number >= 0 else found[~number].anywhere
        assert touched is not None
        for at, count in enumerate(touched.counts):
            more = times * (count - (old[at] if at < len(old) else 0))
            touched.counts[at] += more
            touched.sure[at] += more


def together(parts: Sequence[Touched]) -> Touched:
    """What copies of one instruction touch (a function that is called twice), as of one."""
    if len(parts) == 1:
        return parts[0]
    found = Touched(counted=all(part.counted for part in parts))
    found.apart = not found.counted and all(part.counted or part.apart for part in parts)
    anywhere = [part.anywhere for part in parts if part.anywhere is not None]
    found.anywhere = together(anywhere) if anywhere else None
    for part in parts:
        found.unknown = found.unknown or part.unknown
        found.maybe = found.maybe or part.maybe
        found.xored |= part.xored
        found.multiples |= part.multiples
        rows = zip(part.index, part.patterns, part.counts, part.sure, strict=True)
        for key, pattern, count, sure in rows:
            at = found.index.setdefault(key, len(found.patterns))
            if at == len(found.patterns):
                found.patterns.append(pattern)
                found.counts.append(0)
                found.sure.append(0)
            found.counts[at] += count
            found.sure[at] += sure
    return found


def of_shared(touched: Touched, bytes_before: int = 0) -> Touched:
    """Of generic accesses the lanes that touch shared memory, their bytes counted from behind
    ``bytes_before``; a pattern without any such lane is none."""
    found = replace(touched, patterns=[], counts=[], sure=[], index={})
    rows = zip(touched.patterns, touched.counts, touched.sure, strict=True)
    for (offsets, active), count, sure in rows:
        inside = active & (offsets != NOT_SHARED)
        if inside.any():
            found.patterns.append((np.where(inside, offsets - bytes_before, 0), inside))
            found.counts.append(count)
            found.sure.append(sure)
    return found


def by_window(touched: Touched, names: Mapping[int, str], size: int) -> dict[str, Touched]:
    """What is touched of each shared variable, from its start. ``names``: of windows of ``size``
    bytes, by their number. What lies in none of them, or in several, has the name "": where those
    lie to one another is not known."""
    found: dict[str, Touched] = {}
    rows = zip(touched.patterns, touched.counts, touched.sure, strict=True)
    for (offsets, active), count, sure in rows:
        windows = distinct(offsets[active] // size)
        window = int(windows[0]) if len(windows) == 1 else -1
        empty = replace(touched, patterns=[], counts=[], sure=[], index={})
        part = found.setdefault(names.get(window, ""), empty)
        part.patterns.append((np.where(active, offsets - window * size, 0), active))
        part.counts.append(count)
        part.sure.append(sure)
    return found


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
    lanes = part.tobytes()
    return part, state.maybe, lanes if b"\1" in lanes else b""
