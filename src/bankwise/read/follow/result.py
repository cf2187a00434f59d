"""From what a run touched to accesses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from bankwise.counting.access import Access, BoolArray, Pattern
from bankwise.counting.bound import Bound
from bankwise.errors import InputError, Location, Refusal
from bankwise.read.assembly import MOST_BYTES, AssemblyAccess, AssemblyKernel, NotFollowed
from bankwise.read.follow.decoded import Decoded, DecodedAccess
from bankwise.read.follow.program import Program, ProgramStep
from bankwise.read.follow.run import Trace
from bankwise.read.follow.touched import Touched
from bankwise.read.follow.values import Array, Unknown
from bankwise.read.launch.boxes import Box, Cut, Residues

_MOST_ALIGNMENT = 16
_APART = "several groups of its lanes may run together or apart: ptxas decides"
MOST_THREADS = 1024
"""Of a workgroup, on every GPU. Source: CUDA programming guide; HIP device properties."""

ALLOCATION = "shared"
"""Where the text names no variables: all shared memory of the workgroup."""


def access(
    touched: Touched,
    touch: DecodedAccess,
    location: Location,
    source: Location | None,
    kernel: str,
    index: int,
    allocation: str,
) -> AssemblyAccess:
    """The access of one instruction, the number ``index`` of its kernel, in one allocation.
    ``touched`` has at least one pattern, or its ``anywhere`` has."""
    parts = [part for part in (touched, touched.anywhere) if part is not None]
    counted = touched.unknown is None and all(part.counted for part in parts)
    apart = touched.unknown is None and all(part.counted or part.apart for part in parts)
    why = next((part.unknown for part in parts if part.unknown is not None), None)
    found = Access(
        operation=touch.name,
        direction=touch.direction,
        kind=touch.kind,
        width_bytes=touch.width_bytes,
        element_bytes=min(4, touch.width_bytes),
        alignment_bytes=_alignment(touched, touch.apart_bytes or 0),
        location=location,
        kernel=kernel,
        patterns=tuple(p for part in parts for p in _patterns(part, allocation, counted, apart)),
        shared_index=index,
        note=_note(touched),
        variant=touch.variant,
    )
    return AssemblyAccess(
        access=found,
        instruction=touch.name,
        apart_bytes=touch.apart_bytes,
        source=source,
        counted=counted,
        unknown="" if why is None else str(why),
        immediate_bytes=touch.immediate_bytes,
        xored=touched.xored,
        some_lanes=any(part.maybe is not None for part in parts),
        anywhere=len(parts) > 1 and touched.unknown is None,
    )


def _patterns(touched: Touched, allocation: str, counted: bool, apart: bool) -> Iterator[Pattern]:
    """What cannot be counted is followed once at least, and runs as often as is sure at least; no
    more often than it was followed where groups of lanes are ``apart`` or together."""
    rows = zip(touched.patterns, touched.counts, touched.sure, strict=True)
    multiple = touched.multiples & -touched.multiples
    for (offsets, active), count, sure in rows:
        times, really = (count, None)
        if not counted:
            times, really = max(1, sure), Bound(sure, count if apart else None)
        yield Pattern(offsets, active, allocation, times, really=really, anywhere=multiple)


def _note(touched: Touched) -> str:
    notes = [_APART] if touched.apart else []
    if touched.maybe is not None:
        notes.append(f"counted for all lanes that may run; which do depends on {touched.maybe}")
    if touched.anywhere is not None:
        notes.append(f"where it lies depends on {touched.anywhere.unknown}; counted at every place")
    if touched.unknown is not None:
        notes.append(f"some executions have an unknown address: it depends on {touched.unknown}")
    farthest = max((int(offsets.max(initial=0)) for offsets, _ in touched.patterns), default=0)
    if farthest >= MOST_BYTES:
        notes.append(f"one way leads to byte {farthest:,}, which no GPU has: perhaps none runs it")
    return "; ".join(notes)


def _alignment(touched: Touched, apart: int) -> int:
    """The largest power of two that divides every offset; lanes that touch nothing hold 0."""
    patterns = touched.patterns or (touched.anywhere.patterns if touched.anywhere else [])
    bits = apart | _MOST_ALIGNMENT
    for offsets, _ in patterns:
        bits |= int(np.bitwise_or.reduce(offsets, axis=None))
    return bits & -bits


def not_followed(program: Program, trace: Trace, strange: Iterable[int]) -> tuple[NotFollowed, ...]:
    """Instructions that decided something and were not computed, and those of no known family."""
    steps = program.steps
    unread = (n for n in trace.executed if not steps[n].followed and steps[n].address is None)
    numbers = {*unread, *strange}
    listed = [steps[n] for n in sorted(numbers)]
    counts = Counter(step.name for step in listed)
    first: dict[str, int] = {}
    for step in listed:
        first.setdefault(step.name, step.line)
    return tuple(sorted(NotFollowed(first[name], name, n) for name, n in counts.items()))


def threads(size: Sequence[int], wave: int) -> tuple[tuple[Array, Array, Array], BoolArray]:
    """x, y, z of every thread, uint32 [waves, lanes], and which threads exist."""
    x, y, z = size
    total = x * y * z
    waves = -(-total // wave)
    flat = np.arange(waves * wave, dtype=np.int64).reshape(waves, wave)
    place = np.minimum(flat, total - 1)
    kind = np.uint32
    parts = (place % x).astype(kind), (place // x % y).astype(kind), (place // (x * y)).astype(kind)
    return parts, np.asarray(flat < total)


def whole_size(
    size: Sequence[int] | None, what: str, kernel: str, location: Location
) -> tuple[int, int, int]:
    """The threads of ``what`` (a block, a workgroup) along x, y, z. Raises :class:`InputError`."""
    if size is None or not 1 <= len(size) <= 3 or min(size) < 1:
        raise InputError(
            f"kernel {kernel} does not say how many threads a {what} has",
            location=location,
            hint="pass --workgroup-size, for example --workgroup-size 256,1,1",
        )
    x, y, z = (*size, 1, 1)[:3]
    if x * y * z > MOST_THREADS:
        raise InputError(f"a {what} of {x * y * z} threads; {MOST_THREADS} is the most a GPU takes")
    return x, y, z


def open_reasons(trace: Trace) -> dict[int, str]:
    """Lines of branches whose condition is unknown, in order, and why."""
    return {line: str(why) for line, why in sorted(trace.open_branches.items())}


def lost_places(lost: Iterable[ProgramStep], where: Callable[[int], Location]) -> Iterator[Refusal]:
    """Where control flow cannot be followed. ``where``: the place of a line of the text."""
    for step in lost:
        reason = f"{step.name}: where control goes from here is not followed"
        yield Refusal(reason, where(step.line), access=False)


def unseen(trace: Trace, number: int) -> str:
    """Why not all that the access ``number`` touches is known; empty if it is."""
    touched = trace.touched.get(number)
    if touched is None:
        unsure = "no way to this instruction was followed" if trace.lost or trace.stopped else ""
        return f"{unsure}: {trace.stopped}" if trace.stopped else unsure
    if touched.unknown is not None and not touched.patterns and touched.anywhere is None:
        return f"its address depends on {touched.unknown}"
    return f"{trace.stopped}; more may occur" if trace.stopped else ""


def moved(trace: Trace, again: Iterable[Trace]) -> str:
    """Why nothing is known for sure, if another run touched other places."""
    first = {n: _places(part) for n, part in trace.touched.items()}
    if all({n: _places(part) for n, part in t.touched.items()} == first for t in again):
        return ""
    return "its addresses depend on numbers that only the machine knows"


def executed(program: Program, runs: Mapping[int, int]) -> int:
    """Instructions that the waves execute in the blocks that touch shared memory: such a block runs
    as often as its accesses, by :func:`wave_runs`."""
    return sum(
        (block.stop - block.start)
        * max((runs[n] for n in range(block.start, block.stop) if n in runs), default=0)
        for block in program.blocks
    )


def wave_runs(touched: Mapping[int, Touched]) -> dict[int, int]:
    """How often waves execute each access, all together."""
    waves: dict[int, int] = {}
    runs = dict.fromkeys(touched, 0)
    for number, part in touched.items():
        for (_, active), count in zip(part.patterns, part.counts, strict=True):
            if id(active) not in waves:  # most accesses have the mask of others
                waves[id(active)] = int(active.any(axis=1).sum())
            runs[number] += count * waves[id(active)]
    return runs


def _places(touched: Touched) -> list[tuple[bytes, bytes, int]]:
    rows = zip(touched.patterns, touched.counts, strict=True)
    return [(offsets.tobytes(), active.tobytes(), count) for (offsets, active), count in rows]


def unread(decoded: Decoded, trace: Trace) -> tuple[NotFollowed, ...]:
    """Where nothing stayed unknown, no result that is not computed decided anything."""
    parts = trace.touched.values()
    unknown = bool(trace.open_branches or trace.lost)
    unknown |= any(part.unknown is not None or part.maybe is not None for part in parts)
    seen = trace if unknown else replace(trace, executed=frozenset())
    return not_followed(decoded.program, seen, decoded.strange)


def facts_of(trace: Trace) -> tuple[str, ...]:
    """The facts of the launch that stayed unknown and decided a branch, an address or a mask."""
    return tuple(dict.fromkeys(one.fact for one in _causes(trace) if one.fact))


def _causes(trace: Trace) -> list[Unknown]:
    """Why branches, addresses and masks are open."""
    parts = trace.touched.values()
    found = [*trace.open_branches.values(), *(p.unknown for p in parts), *(p.maybe for p in parts)]
    found += [part.anywhere.unknown for part in parts if part.anywhere is not None]
    return [one for one in found if one is not None]


def cut_of(trace: Trace, places: Sequence[str], box: Box) -> Cut | Residues | None:
    """Where to cut a part of a grid, since its blocks differ; None where nothing that is open
    depends on a block's own ``places``."""
    own = [one for one in _causes(trace) if one.fact in places]
    exact = next((one.cut for one in own if one.cut is not None), None)
    if exact is not None:
        return exact
    axis = next((a for one in own if len(box[a := places.index(one.fact)]) > 1), -1)
    return None if axis < 0 else (axis, len(box[axis]) // 2)


def not_answered(name: str, place: Location, gpu: str, error: InputError) -> AssemblyKernel:
    """A kernel of which nothing is known but why."""
    hint = f"; {error.hint}" if error.hint else ""
    refusal = Refusal(f"{name}: {error.message}{hint}", error.location or place)
    return AssemblyKernel(name, gpu, place, None, None, (0, 0, 0), (), (), (refusal,), {})
