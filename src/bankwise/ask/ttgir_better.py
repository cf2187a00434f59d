"""Another encoding for a shared buffer: what the best one would take, for all accesses together.

Three sources of candidates: the exact solver (:mod:`bankwise.solver`), which knows the optimum for
the instructions at hand and writes it as ``shared_linear`` or more specific; all swizzles that
``swizzled_shared`` can say; and, on AMD, paddings. Each is judged by choosing instructions and
counting again: another layout may allow wider ones, or cost some.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from bankwise.algebra.address import Linear
from bankwise.ask.ttgir_problem import tile_of
from bankwise.counting.conflict import count
from bankwise.errors import InputError, Location, Refusal
from bankwise.hardware.machine import Machine
from bankwise.notation.linear import LinearMemory
from bankwise.notation.triton import Shared, memory
from bankwise.notation.triton.encodings import PaddedShared
from bankwise.notation.triton.fit import paddings, swizzles, to_triton_shared
from bankwise.notation.values import Mapped
from bankwise.read.ttgir.accesses import Moved, Reader
from bankwise.read.ttgir.follow import Followed
from bankwise.read.ttgir.values import Buffer
from bankwise.solver.certificate import HOW_TEXT
from bankwise.solver.linear_form import linear_form
from bankwise.solver.search import Solution, solve

SOLVER_NODES = 20_000
_PAD_BYTES = (16, 32, 64, 128)
_LEAST_INTERVAL_BYTES = 64
_WIDEST_BITS = 128
_COUNTED_IN_FULL = 3


@dataclass(frozen=True, slots=True)
class Sum:
    """Passes of all accesses of a buffer, each executed as often as it is known to be."""

    passes: int
    ideal: int
    instructions: int


@dataclass(frozen=True, slots=True, eq=False)
class Better:
    """What is known of one buffer. ``encoding``: a better one, None if none was found.

    ``best``: its sum, or the present one. ``optimal``: no layout takes fewer passes with the same
    instructions. ``tried``: encodings that were counted. ``notes``: what restricts the answer.
    """

    buffer: Buffer
    present: Sum
    best: Sum
    encoding: Shared | None
    optimal: bool
    how: str
    tried: int
    notes: tuple[str, ...] = ()
    solution: Solution | None = None


def better(
    buffer: Buffer, followed: Followed, reader: Reader, accesses: Iterable[Moved]
) -> Better | Refusal:
    """The best encoding of one buffer; ``accesses``: of the kernel, as they are now.

    A Refusal where something else than its accesses decides the encoding.
    """
    place = Location(reader.module.file, buffer.line)
    if buffer.name in followed.fixed:
        return Refusal(f"{buffer.name} keeps its encoding: {followed.fixed[buffer.name]}", place)
    mine = [a for a in accesses if a.buffer == buffer.name]
    touched = [t for t in followed.touches if t.view is not None and t.view.buffer == buffer]
    if len({a.touch.op for a in mine}) < len({t.op for t in touched}):
        return Refusal(f"{buffer.name}: not all of its accesses are counted", place)
    present = total(mine, reader.machine)
    only = replace(followed, touches=tuple(touched))
    solution = _solved(buffer, mine, reader.machine)
    tried, legal = _ranked(buffer, solution, only, reader)
    chosen = min(legal, key=lambda found: (found[1].passes, found[1].instructions), default=None)
    found = chosen is not None and chosen[1].passes < present.passes
    best = chosen[1] if found and chosen is not None else present
    optimal = best.passes == best.ideal or _is_optimum(solution, best)
    how = _how(solution, best, tried)
    encoding = chosen[0] if found and chosen is not None else None
    known = solution if _is_optimum(solution, best) else None
    return Better(
        buffer,
        present,
        best,
        encoding,
        optimal,
        how,
        tried,
        _notes(encoding, mine),
        known if isinstance(known, Solution) else None,
    )


def _ranked(
    buffer: Buffer, solution: Solution | Refusal, only: Followed, reader: Reader
) -> tuple[int, list[tuple[Shared, Sum]]]:
    """How many encodings were tried, and the best few, counted for all waves."""
    quick = Reader(reader.module, reader.types, reader.machine, one_wave=True)
    candidates = list(_candidates(buffer, solution, reader))
    sums = [(c, _judged(c, buffer, only, quick)) for c in candidates]
    legal = [(c, s) for c, s in sums if s is not None]
    legal.sort(key=lambda found: (found[1].passes, found[1].instructions))
    full = [(c, _judged(c, buffer, only, reader)) for c, _ in legal[:_COUNTED_IN_FULL]]
    return len(candidates), [(c, s) for c, s in full if s is not None]


def total(accesses: Iterable[Moved], machine: Machine) -> Sum:
    """All passes of these accesses."""
    passes = ideal = instructions = 0
    for access in accesses:
        for issued in access.issued:
            active = np.broadcast_to(issued.active, issued.offsets_bytes.shape)
            row = machine.instruction(issued.instruction)
            counted = count(row, issued.offsets_bytes, active)
            times = access.touch.executions
            passes += times * int(counted.passes.sum())
            ideal += times * int(counted.ideal.sum())
            instructions += times * issued.instructions
    return Sum(passes, ideal, instructions)


def _is_optimum(solution: Solution | Refusal, best: Sum) -> bool:
    if isinstance(solution, Refusal) or not solution.certificate.optimal:
        return False
    return best.passes == solution.certificate.total_passes


def _how(solution: Solution | Refusal, best: Sum, tried: int) -> str:
    if _is_optimum(solution, best) and isinstance(solution, Solution):
        return f"{HOW_TEXT[solution.certificate.how]}, for the instructions at hand"
    if best.passes == best.ideal:
        return f"every access is ideal, by counting ({tried} encodings tried)"
    if isinstance(solution, Refusal):
        return f"best of {tried} encodings; no proof: {solution.reason}"
    least = solution.certificate.total_passes
    return f"best of {tried} encodings; with the present instructions {least} is the optimum"


def _notes(encoding: Shared | None, accesses: list[Moved]) -> tuple[str, ...]:
    if encoding is None:
        return ()
    kinds = {i.kind for a in accesses for i in a.issued}
    notes = []
    if "dma" in kinds:
        notes.append("the copy's own layout has to follow: a wave fills consecutive bytes")
    if isinstance(encoding, PaddedShared):
        notes.append("padding takes more shared memory")
    return tuple(notes)


def _solved(buffer: Buffer, accesses: list[Moved], machine: Machine) -> Solution | Refusal:
    tile = tile_of(buffer, accesses)
    problem = tile if isinstance(tile, Refusal) else linear_form(tile, machine, names=True)
    if isinstance(problem, Refusal):
        return problem
    return solve(problem, nodes=SOLVER_NODES, address_nodes=0)


def _candidates(buffer: Buffer, solution: Solution | Refusal, reader: Reader) -> Iterator[Shared]:
    """Every encoding once, told apart by what it does to the tile."""
    seen: set[object] = {_key(buffer.type.encoding, buffer)}
    for found in _every(buffer, solution, reader.machine):
        key = _key(found, buffer)
        if key is not None and key not in seen:
            seen.add(key)
            yield found


def _every(buffer: Buffer, solution: Solution | Refusal, machine: Machine) -> Iterator[Shared]:
    tile, bits = buffer.tile, buffer.type.bits
    if isinstance(solution, Solution):
        written = to_triton_shared(Mapped(tile, Linear(solution.layout.columns)), bits)
        if not isinstance(written, Refusal):
            yield written
    if len(tile) != 2:
        return
    for order in permutations(range(2)):
        yield from _swizzles(tile, order, bits)
        if machine.vendor == "amd":
            yield from _paddings(tile, order, bits)


def _swizzles(tile: tuple[int, ...], order: tuple[int, ...], bits: int) -> Iterator[Shared]:
    """Those whose chunks are no wider than the widest access."""
    return (one for one in swizzles(tile, order) if one.vec * bits <= _WIDEST_BITS)


def _paddings(tile: tuple[int, ...], order: tuple[int, ...], bits: int) -> Iterator[Shared]:
    least = max(1, 8 * _LEAST_INTERVAL_BYTES // bits)
    intervals = [1 << n for n in range((tile[0] * tile[1]).bit_length() - 1) if 1 << n >= least]
    return paddings(tile, order, intervals, [8 * pad // bits for pad in _PAD_BYTES])


def _key(encoding: Shared, buffer: Buffer) -> LinearMemory | None:
    try:
        return memory(encoding, buffer.tile)
    except InputError:
        # nvmma_shared has a smallest tile: on a smaller one it is no candidate.
        return None


def _judged(encoding: Shared, buffer: Buffer, only: Followed, reader: Reader) -> Sum | None:
    """The sum under another encoding; None where it does not fit or an access has no way."""
    instead = {buffer.name: replace(buffer.type, encoding=encoding)}
    if memory(encoding, buffer.type.shape).size * buffer.type.bits // 8 > reader.machine.lds_bytes:
        return None
    moved = list(reader.accesses(only, instead))
    found = [a for a in moved if isinstance(a, Moved)]
    return total(found, reader.machine) if len(found) == len(moved) else None
