"""Counting a kernel: from its accesses, whichever reader found them, to counted accesses.

Instructions of one name are counted together, and what differs by whole rows of the banks only is
counted once: moved by a row, the same lanes meet on the same banks for the same reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import islice

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bankwise.counting.access import BoolArray, IntArray
from bankwise.counting.bound import Bound, exactly
from bankwise.counting.conflict import Witness, count
from bankwise.counting.cost import UNSEEN, UNSEEN_FREE, Cost, Ends, either, one_of
from bankwise.counting.counted import AccessReport, Iteration, Lanes
from bankwise.counting.kernel import IssuedPattern, Kernel, KernelAccess, WaveInstruction
from bankwise.counting.lines import line_ends
from bankwise.counting.places import Somewhere, places
from bankwise.counting.reason import Meeting, Reason, reason
from bankwise.errors import InputError, MisalignedError, Refusal
from bankwise.hardware.machine import BANK_BYTES, PIECEWISE, Instruction, Machine
from bankwise.hardware.policies import paired
from bankwise.identity import ByIdentity

_AT_ONCE = 512
"""Instructions that are counted in one go."""


def count_kernel(
    kernel: Kernel, machine: Machine
) -> tuple[tuple[AccessReport, ...], tuple[Refusal, ...]]:
    """Count every access, in order; and why some are not: no row, or an address that faults."""
    found = _in_pairs(kernel, machine, count_accesses(kernel.accesses, machine, kernel.name))
    counted = [one for one in found if isinstance(one, AccessReport)]
    passes = sum(one.run.passes for one in counted) or 1
    shared = tuple(replace(one, share=one.run.passes / passes) for one in counted)
    return shared, tuple(one for one in found if isinstance(one, Refusal))


def count_accesses(
    accesses: Sequence[KernelAccess], machine: Machine, kernel: str = ""
) -> list[AccessReport | Refusal]:
    """Count accesses of one kernel together; by halves where the machine refuses one of them."""
    known = [_possible(a, machine) for a in accesses if _missing(a, machine) is None]
    counted = iter(_by_halves(known, machine, kernel))
    return [_missing(a, machine) or next(counted) for a in accesses]


def _in_pairs(
    kernel: Kernel, machine: Machine, found: list[AccessReport | Refusal]
) -> list[AccessReport | Refusal]:
    """Accesses counted, those that may be joined with another between both: alone and in a pair."""
    pairs = paired(machine)
    moved = {n for n, row in machine.instructions.items() if pairs.instruction(n) != row}
    joined = [
        number
        for number, access in enumerate(kernel.accesses)
        if access.joins and moved & {i.name for i in access.patterns[0].instructions}
    ]
    some = count_accesses([kernel.accesses[n] for n in joined], pairs, kernel.name)
    for number, two in zip(joined, some, strict=True):
        one = found[number]
        if isinstance(one, AccessReport) and isinstance(two, AccessReport):
            found[number] = _either(one, two, kernel.accesses[number].joins)
    return found


def _either(one: AccessReport, two: AccessReport, joins: str) -> AccessReport:
    if (one.cost, one.run) == (two.cost, two.run):
        return one
    iterations = zip(one.iterations, two.iterations, strict=True)
    return replace(
        one,
        cost=either(one.cost, two.cost),
        run=either(one.run, two.run),
        iterations=tuple(replace(a, cost=either(a.cost, b.cost)) for a, b in iterations),
        joins=joins,
    )


def _missing(access: KernelAccess, machine: Machine) -> Refusal | None:
    for instruction in access.patterns[0].instructions:
        if instruction.name not in machine.instructions:
            why = f"{machine.name} has no row for {instruction.name}: its phases are unknown"
            return Refusal(why, access.location)
    return None


def _possible(access: KernelAccess, machine: Machine) -> KernelAccess:
    """Where nobody knows which lanes take part: without those for which the machine faults, which
    then do not. As it is if that leaves none."""
    if not access.some_lanes:
        return access
    patterns = tuple(
        replace(p, instructions=tuple(_aligned(i, machine) for i in p.instructions))
        for p in access.patterns
    )
    some = any(i.active.any() for p in patterns for i in p.instructions)
    return replace(access, patterns=patterns) if some else access


def _aligned(one: WaveInstruction, machine: Machine) -> WaveInstruction:
    """An instruction in those of its lanes whose addresses the machine takes."""
    step = machine.instruction(one.name).alignment_bytes
    takes = (one.offsets_bytes >= 0) & (one.offsets_bytes % step == 0)
    return one if takes[one.active].all() else replace(one, active=one.active & takes)


def _by_halves(
    accesses: Sequence[KernelAccess], machine: Machine, kernel: str
) -> list[AccessReport | Refusal]:
    try:
        return list(_access_reports(accesses, machine, kernel))
    except InputError as error:
        if len(accesses) == 1:
            fault = isinstance(error, MisalignedError)
            return [Refusal(str(error), accesses[0].location, fault=fault)]
    half = len(accesses) // 2
    first = _by_halves(accesses[:half], machine, kernel)
    return first + _by_halves(accesses[half:], machine, kernel)


def _access_reports(
    accesses: Sequence[KernelAccess], machine: Machine, kernel: str
) -> Iterator[AccessReport]:
    patterns = [p for access in accesses for p in access.patterns]
    placed = [places(i, p.anywhere, machine) for p in patterns for i in p.instructions]
    one = [i for some in placed for wave in some for i in wave.places]
    parts = iter(_counted(one, machine))
    found = (_execution([_somewhere(wave, parts) for wave in some]) for some in placed)
    for access in accesses:
        some = [_execution(islice(found, len(p.instructions))) for p in access.patterns]
        yield _report(access, some, machine, kernel)


class _Why(Struct, frozen=True):
    """The costliest wave of an instruction: its conflict, if any, and what its lanes touch."""

    witness: Witness | None
    reason: Reason | Meeting | None
    lanes: Lanes


class _Counted(Struct, frozen=True):
    """An instruction, or all of one execution, by all waves; ``why`` is asked of one."""

    cost: Cost
    ways: int
    why: Callable[[], _Why]


def _somewhere(waves: Somewhere, parts: Iterator[_Counted]) -> _Counted:
    """Waves that lie at one of some places, nobody knows at which."""
    some = [next(parts) for _ in waves.places]
    worst = max(some, key=lambda part: (part.cost.extra, part.ways))
    cost = one_of([part.cost for part in some]) * waves.count
    return replace(worst, cost=cost)


def _execution(parts: Iterable[_Counted]) -> _Counted:
    """All instructions of one execution together; the worst of them explains it."""
    some = list(parts)
    if len(some) == 1:
        return some[0]
    worst = max(some, key=lambda part: (part.cost.extra > 0, part.ways))
    return replace(worst, cost=sum((part.cost for part in some), Cost()))


def _report(
    access: KernelAccess, counted: Sequence[_Counted], machine: Machine, kernel: str
) -> AccessReport:
    worst = max(counted, key=lambda c: (c.cost.extra, c.ways))
    issued = tuple(i.name for i in access.patterns[0].instructions)
    rows = [machine.instruction(name) for name in issued]
    row = min(rows, key=lambda r: r.confidence)
    across = any(across_words(i, machine) for p in access.patterns for i in p.instructions)
    merges = any(r.merge == "neighbours" for r in rows)
    costs = [c.cost.for_some_lanes(merges) if access.some_lanes else c.cost for c in counted]
    pairs = list(zip(access.patterns, costs, strict=True))
    why = worst.why()
    return AccessReport(
        location=access.location,
        kernel=kernel,
        operation=access.operation,
        kind=access.kind,
        allocations=access.allocations,
        direction=access.direction,
        issued=issued,
        instruction_source=access.source,
        waves=len(access.patterns[0].instructions[0].offsets_bytes),
        executions=sum(p.executions for p in access.patterns),
        times=access.times,
        cost=costs[0],
        run=_run(access, pairs),
        ways=worst.ways,
        witness=why.witness,
        reason=why.reason,
        evidence="unknown" if across else row.evidence,
        confidence=row.confidence,
        note=access.note,
        iterations=tuple(
            Iteration(p.iterations, p.allocation, p.executions, c, p.really) for p, c in pairs
        ),
        lanes=why.lanes,
        one_workgroup=access.one_workgroup,
        address=access.address,
        written=access.written,
        origin=access.origin,
        across_words=across,
    )


def across_words(one: WaveInstruction, machine: Machine) -> bool:
    """Whether a lane touches a word more than it would from the start of one, where the machine
    takes that. It is counted as the words that it touches. LLVM's notes (SIISelLowering,
    allowsMisalignedMemoryAccessesImpl) call such accesses slow; in how many passes nobody says."""
    row = machine.instruction(one.name)
    if row.alignment_bytes % min(row.width_bytes, BANK_BYTES) == 0:
        return False
    needed = -(-row.width_bytes // BANK_BYTES) * BANK_BYTES
    reached = one.offsets_bytes % BANK_BYTES + row.width_bytes
    return bool((one.active & (reached > needed)).any())


def _run(access: KernelAccess, pairs: Sequence[tuple[IssuedPattern, Cost]]) -> Cost:
    """All executions of a workgroup, those that nobody saw among them."""
    known = (cost.executed(p.executions, p.times) for p, cost in pairs)
    unseen = UNSEEN_FREE if access.kind in PIECEWISE else UNSEEN
    return sum(known, unseen if access.unseen else Cost())


def _counted(instructions: Sequence[WaveInstruction], machine: Machine) -> list[_Counted]:
    """Each instruction counted, in order; those of one name, and as many waves, together."""
    names: dict[tuple[str, tuple[int, ...]], list[int]] = {}
    for number, instruction in enumerate(instructions):
        key = (instruction.name, instruction.offsets_bytes.shape)
        names.setdefault(key, []).append(number)
    found: dict[int, _Counted] = {}
    for (name, _), numbers in names.items():
        some = _count_rows([instructions[n] for n in numbers], machine.instruction(name))
        found |= zip(numbers, some, strict=True)
    return [found[number] for number in range(len(instructions))]


class _Near(ByIdentity, frozen=True, eq=False):
    """An instruction moved back by ``rows`` whole rows of the banks; equal ``key``: alike."""

    offsets_bytes: IntArray
    active: BoolArray
    apart_bytes: int | None
    rows: int
    key: tuple[bytes, bytes, int | None]


class _Tally(Struct, frozen=True):
    """What one instruction costs, and its costliest wave."""

    cost: Cost
    ways: int
    wave: int


def _count_rows(instructions: Sequence[WaveInstruction], row: Instruction) -> list[_Counted]:
    """Instructions of one name and equal shape."""
    placed = list(_near_origin(instructions, row))
    unlike = {one.key: one for one in placed}
    tallies = dict(zip(unlike, _tallies(list(unlike.values()), row), strict=True))
    explain = cache(lambda key: _explain(unlike[key], tallies[key], row))

    def why(one: _Near) -> _Why:
        return _at_own_place(explain(one.key), one, row)

    return [
        _Counted(tallies[one.key].cost, tallies[one.key].ways, partial(why, one)) for one in placed
    ]


def _near_origin(instructions: Sequence[WaveInstruction], row: Instruction) -> Iterator[_Near]:
    bank_row = row.banks * BANK_BYTES
    for start in range(0, len(instructions), _AT_ONCE):
        some = instructions[start : start + _AT_ONCE]
        offsets = np.stack([i.offsets_bytes for i in some])
        rows = np.maximum(offsets.min(axis=(1, 2)) // bank_row, 0)
        if (offsets % row.alignment_bytes).any():
            rows[:] = 0  # the refusal names the offset as it is
        offsets -= (rows * bank_row)[:, None, None]
        for one, near, moved in zip(some, offsets, rows.tolist(), strict=True):
            apart = row.width_bytes if one.apart_bytes is None else one.apart_bytes
            second = None if row.addresses == 1 else apart
            key = (near.tobytes(), one.active.tobytes(), second)
            yield _Near(near, one.active, second, moved, key)


def _tallies(instructions: Sequence[_Near], row: Instruction) -> Iterator[_Tally]:
    """Counted many at a time."""
    for start in range(0, len(instructions), _AT_ONCE):
        some = instructions[start : start + _AT_ONCE]
        offsets = np.stack([one.offsets_bytes for one in some])
        active = np.stack([one.active for one in some])
        apart = np.array([one.apart_bytes or 0 for one in some])[:, None, None]
        second = offsets + apart if row.addresses == 2 else None
        found = count(row, offsets, active, second_offsets_bytes=second)
        columns = (
            found.passes.sum(axis=1),
            found.ideal.sum(axis=1),
            found.ways.max(axis=1, initial=1),
            found.extra.argmax(axis=1),
        )
        costs = _costs(row, offsets, active, *(c.tolist() for c in columns[:2]))
        for cost, ways, wave in zip(costs, *(c.tolist() for c in columns[2:]), strict=True):
            yield _Tally(cost, ways, wave)


def _costs(
    row: Instruction, offsets: IntArray, active: BoolArray, passes: list[int], ideal: list[int]
) -> list[Cost]:
    """Of instructions [instructions, waves, lanes]; of copies for all places they may read."""
    every = [Cost(*both) for both in zip(passes, ideal, strict=True)]
    if row.merge == "lines":
        flat = offsets.reshape(-1, row.wave_size), active.reshape(-1, row.wave_size)
        ends = [end.reshape(active.shape[:2]).sum(axis=1) for end in line_ends(row, *flat)]
        between = [Bound(*both) for both in zip(*(end.tolist() for end in ends), strict=True)]
        pairs = zip(every, between, strict=True)
        return [replace(c, span=Ends(some, some, exactly(0))) for c, some in pairs]
    if row.by_source:
        most = active.sum(axis=(1, 2)).tolist()
        return [_up_to(cost, lanes) for cost, lanes in zip(every, most, strict=True)]
    return every


def _up_to(cost: Cost, most: int) -> Cost:
    """At least what is counted, at most so many passes."""
    most = max(most, cost.passes)
    extra = Bound(cost.extra, most - cost.ideal)
    return replace(cost, span=Ends(Bound(cost.passes, most), exactly(cost.ideal), extra))


def _explain(one: _Near, tally: _Tally, row: Instruction) -> _Why:
    """Why the costliest wave of an instruction takes as long as it does."""
    offsets, active = one.offsets_bytes[tally.wave], one.active[tally.wave]
    touched = tuple(offsets.tolist()), tuple(active.tolist())
    lanes = Lanes(row.name, tally.wave, *touched, one.apart_bytes)
    if not tally.cost.extra:
        return _Why(None, None, lanes)
    second = None if one.apart_bytes is None else offsets + one.apart_bytes
    found = count(row, offsets, active, second_offsets_bytes=second).witness
    why = None if found is None or row.serial else reason(row, offsets, active, found)
    return _Why(found, why, lanes)


def _at_own_place(why: _Why, one: _Near, row: Instruction) -> _Why:
    """The same at the instruction's own place."""
    if not one.rows:
        return why
    words = one.rows * row.banks
    offsets = tuple(x + words * BANK_BYTES for x in why.lanes.offsets_bytes)
    lanes = replace(why.lanes, offsets_bytes=offsets)
    if why.witness is None:
        return replace(why, lanes=lanes)
    witness = replace(why.witness, words=tuple(word + words for word in why.witness.words))
    return replace(why, witness=witness, lanes=lanes)
