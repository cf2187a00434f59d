"""Another encoding for a shared buffer: what the best one would take, for all accesses together.

Three sources of candidates: the exact solver (:mod:`bankwise.solver`), which knows the optimum for
the instructions at hand and writes it as ``shared_linear`` or more specific; all swizzles that
``swizzled_shared`` can say; and, on AMD, paddings. Each is judged by choosing instructions and
counting again: another layout may allow wider ones, or cost some.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator
from itertools import permutations
from math import prod

from msgspec.structs import replace

from bankwise.algebra.address import Linear
from bankwise.ask.ttgir_counted import BufferQuestion, plan_of, uses_of
from bankwise.ask.ttgir_problem import tile_of
from bankwise.errors import InputError, Location, Refusal
from bankwise.hardware.machine import Machine
from bankwise.hardware.policies import WIDEST_BYTES, Issue
from bankwise.identity import ByIdentity
from bankwise.notation.linear import LinearMemory
from bankwise.notation.padding import block_pads
from bankwise.notation.triton import Shared, memory
from bankwise.notation.triton.encodings import PaddedShared
from bankwise.notation.triton.fit import swizzles, to_triton_shared
from bankwise.notation.triton.shared import Encoded
from bankwise.notation.values import Mapped
from bankwise.read.ttgir.accesses import Moved, Reader
from bankwise.read.ttgir.follow import Followed
from bankwise.read.ttgir.values import Buffer
from bankwise.solver.certificate import HOW_TEXT
from bankwise.solver.known import ALL, LINEAR_MAPS, THIS_LDS, WHOLE, Known
from bankwise.solver.linear_form import linear_form
from bankwise.solver.plan import Plan
from bankwise.solver.search import Solution, solve

SOLVER_NODES = 20_000
_MOST_PAD_BYTES = 128
_SHORTEST_BLOCK_BYTES = 64
_COUNTED_IN_FULL, _MOST_IN_FULL = 3, 8
"""Encodings that are counted for all waves: so many, and those that one wave cannot tell from them,
up to so many; none after one that is free of conflicts."""
_ROUNDS = 3
"""How often the optimum is asked for the instructions that the best encoding so far has."""
_THESE = "with the instructions of this encoding"
_CUT_OFF = (
    f"the search ended after {_ROUNDS} changes of the instructions: `fix` of what is written may "
    "find a better one"
)


class Better(ByIdentity, frozen=True, eq=False):
    """What is known of one buffer. ``encoding``: a better one, None if none was found.

    ``best``: its plan, or the present one; ``plans``: all that are better, the best first;
    ``known``: how good the best is. ``tried``: encodings that were counted. ``notes``: what
    restricts the answer.
    """

    buffer: Buffer
    present: Plan
    best: Plan
    encoding: Shared | None
    known: Known
    tried: int
    notes: tuple[str, ...] = ()
    solution: Solution | None = None
    plans: tuple[Plan, ...] = ()

    @property
    def encodings(self) -> tuple[Shared, ...]:
        """All that are better, the best first."""
        return tuple(map(_encoding, self.plans))


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
    uses = uses_of(mine, reader.machine)
    present = plan_of(buffer, buffer.type.encoding, uses, reader.machine)
    only = replace(followed, touches=tuple(touched))
    found = _searched(present, mine, BufferQuestion(buffer, only, reader))
    best = _best(present, found.legal)
    encoding = None if best is present else _encoding(best)
    proved = found.solution if _is_optimum(found.solution, best) else None
    return Better(
        buffer,
        present,
        best,
        encoding,
        _known(found, present, best),
        found.tried,
        (*_saved(present, best), *_notes(encoding, mine), *found.notes),
        proved if isinstance(proved, Solution) else None,
        tuple(p for p in found.legal if p.passes < present.passes),
    )


class _Searched(ByIdentity, frozen=True, eq=False):
    """What a search found: ``legal``: the best few plans, counted for all waves; ``solution``: the
    optimum for the instructions of the best of them; ``tried``: encodings that were counted."""

    tried: int
    legal: tuple[Plan, ...]
    solution: Solution | Refusal
    notes: tuple[str, ...] = ()


def _searched(present: Plan, accesses: list[Moved], asked: BufferQuestion) -> _Searched:
    """All candidates, and the optimum for the instructions that the best of them has: another
    encoding may allow wider ones, and these another encoding still."""
    buffer, machine = asked.buffer, asked.reader.machine
    solution, posed = _solved(buffer, accesses, machine), present
    tried, legal = _ranked(asked, solution)
    for _ in range(_ROUNDS):
        best = _best(present, legal)
        if _settled(best, posed):
            return _Searched(len(tried), tuple(legal), solution)
        moved = asked.accesses(_encoding(best))
        assert moved is not None, "it was counted"
        solution, posed = _solved(_with(buffer, best), moved, machine), best
        written = _written(buffer, solution)
        if written is not None and _key(written, buffer) not in tried:
            tried.add(_key(written, buffer))
            full = asked.plan(written)
            legal = sorted([*legal, *([] if full is None else [full])], key=lambda p: p.price)
    cut = () if _settled(_best(present, legal), posed) else (_CUT_OFF,)
    return _Searched(len(tried), tuple(legal), solution, cut)


def _with(buffer: Buffer, plan: Plan) -> Buffer:
    """The buffer under the encoding of a plan: its accesses are told in that one's bytes."""
    return replace(buffer, type=replace(buffer.type, encoding=_encoding(plan)))


def _best(present: Plan, legal: Iterable[Plan]) -> Plan:
    return min([present, *legal], key=lambda p: (p.passes, p is not present, p.price))


def _settled(best: Plan, posed: Plan) -> bool:
    """Whether an optimum for other instructions need not be asked for."""
    return best.passes == best.ideal or _issues(best) == _issues(posed)


def _issues(plan: Plan) -> list[tuple[Issue, ...]]:
    """The instructions that the accesses become under a plan."""
    return [use.issues for use in plan.cost.uses]


def _encoding(plan: Plan) -> Shared:
    assert isinstance(plan.layout, Encoded), "only encodings are tried"
    return plan.layout.encoding


def _ranked(asked: BufferQuestion, solution: Solution | Refusal) -> tuple[set[object], list[Plan]]:
    """What tells the encodings apart that were tried, and the best few, counted for all waves: with
    those that one wave does not tell from them."""
    buffer, reader = asked.buffer, asked.reader
    one = Reader(reader.module, reader.types, reader.machine, one_wave=True)
    tried = list(_candidates(buffer, solution, reader))
    quick = BufferQuestion(buffer, asked.only, one)
    legal: list[Plan] = []
    for each in tried:
        most = legal[-1].passes if len(legal) == _MOST_IN_FULL else None
        plan = quick.plan(each, most)
        if plan is not None:
            insort(legal, plan, key=lambda p: p.price)
            del legal[_MOST_IN_FULL:]
    found: list[Plan] = []
    for number, plan in enumerate(legal):
        free = any(p.passes == p.ideal for p in found)
        if number >= _COUNTED_IN_FULL and (free or plan.passes > legal[0].passes):
            break
        full = asked.plan(_encoding(plan))
        found += [] if full is None else [full]
    return {_key(c, buffer) for c in tried}, sorted(found, key=lambda p: p.price)


def _is_optimum(solution: Solution | Refusal, best: Plan) -> bool:
    if isinstance(solution, Refusal) or not solution.certificate.optimal:
        return False
    return best.passes == solution.certificate.total_passes


def _known(found: _Searched, present: Plan, best: Plan) -> Known:
    """How good an encoding is known to be; it may give accesses other instructions."""
    accesses = WHOLE if _issues(best) == _issues(present) else _THESE
    if best.passes == best.ideal:
        return Known("optimal", ALL, (accesses,), "every access is ideal", best.passes)
    space, solution = f"{found.tried} encodings", found.solution
    if isinstance(solution, Refusal):
        return Known("best found", space, (), f"no proof: {solution.reason}")
    stated = solution.certificate
    if _is_optimum(solution, best):
        how = HOW_TEXT[stated.how]
        return Known("optimal", LINEAR_MAPS, (accesses, THIS_LDS), how, best.passes)
    whose = "the present instructions" if accesses is WHOLE else "its instructions"
    how = f"with {whose} a linear layout takes {stated.total_passes:,}"
    return Known("best found", space, (), how)


def _saved(present: Plan, best: Plan) -> Iterator[str]:
    """Where the passes are saved, if some accesses keep their conflicts."""
    if best is present or best.passes == best.ideal:
        return
    each = []
    for name in dict.fromkeys(use.name for use in present.cost.uses):
        old, new = (
            sum(int(u.passes) * int(u.weight) for u in p.cost.uses if u.name == name)
            for p in (present, best)
        )
        each.append(f"{name} {old:,} -> {new:,}" if old != new else f"{name} {old:,} as before")
    yield f"passes: {', '.join(each)}"


def _notes(encoding: Shared | None, accesses: list[Moved]) -> tuple[str, ...]:
    if encoding is None:
        return ()
    kinds = {i.kind for a in accesses for i in a.issued}
    notes = []
    if "dma" in kinds:
        notes.append(
            "direct copies fill consecutive bytes of it: whether Triton still makes them so, `fix` "
            "sees, which compiles and counts the text"
        )
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
    """What reads best first."""
    tile, bits = buffer.tile, buffer.type.bits
    orders = tuple(permutations(range(2))) if len(tile) == 2 else ()
    for order in orders:
        yield from _swizzles(tile, order, bits)
    written = _written(buffer, solution)
    if written is not None:
        yield written
    for order in orders if machine.vendor == "amd" else ():
        yield from _paddings(tile, order, bits)


def _written(buffer: Buffer, solution: Solution | Refusal) -> Shared | None:
    """The encoding of a solution, if Triton can say it."""
    if isinstance(solution, Refusal):
        return None
    found = to_triton_shared(Mapped(buffer.tile, Linear(solution.layout.columns)), buffer.type.bits)
    return None if isinstance(found, Refusal) else found


def _swizzles(tile: tuple[int, ...], order: tuple[int, ...], bits: int) -> Iterator[Shared]:
    """Those whose chunks are no wider than the widest access."""
    return (one for one in swizzles(tile, order) if one.vec * bits <= 8 * WIDEST_BYTES)


def _paddings(tile: tuple[int, ...], order: tuple[int, ...], bits: int) -> Iterator[Shared]:
    """Pads that keep the widest access aligned."""
    elements, unit = prod(tile), 8 * WIDEST_BYTES // bits
    blocks = (_SHORTEST_BLOCK_BYTES, elements * bits // 8)
    for padded in block_pads(elements, bits, unit, blocks, _MOST_PAD_BYTES):
        yield PaddedShared(((padded.row, padded.pad),), order, tile)


def _key(encoding: Shared, buffer: Buffer) -> LinearMemory | None:
    try:
        return memory(encoding, buffer.tile)
    except InputError:
        # nvmma_shared has a smallest tile: on a smaller one it is no candidate.
        return None
