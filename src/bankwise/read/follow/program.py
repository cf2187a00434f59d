"""A kernel as steps: what each reads and writes, how control flows, and where lanes meet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.identity import ByIdentity
from bankwise.read.follow.entries import blocks_of_many_entries
from bankwise.read.follow.gathers import NO_GATHERS, Gather, Gathers, gathers

if TYPE_CHECKING:
    from bankwise.read.follow.state import State
    from bankwise.read.follow.values import Unknown, Value

Flow = Literal["next", "jump", "branch", "end", "lost"]
"""Where control goes: on; to ``target``; to ``target`` if ``condition`` holds, else on; nowhere; to
a place that the text does not give (an indirect jump)."""


class ProgramStep(ByIdentity, frozen=True, eq=False):
    """One instruction.

    ``run`` changes the registers (None: nothing to do). ``condition`` of a branch: a boolean value
    for every lane. ``address`` of an access: the bytes, for every lane. ``guard``: the lanes that
    take part in the access. ``partial``: inactive lanes
    keep what ``writes`` held before, those where ``predicate`` does not hold ("P0", "!P0") if it is
    said. ``followed`` is False where ``run`` only says "unknown";
    ``made_of``: the registers that such a result is made of; ``data``: what memory gives here.
    ``alike``: a result that is not computed is one of what it reads, lane by lane. ``asks``: the
    registers of which lanes have to hold the same to get the same, None: all that it reads;
    ``own``: they need not get the same even so.
    ``lanewise``: on a machine with an execution mask, of what it reads only the lanes matter that
    run; ``masks``: it changes that mask. ``gather``: what it does to a convergence barrier.
    """

    line: int
    name: str
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    run: Callable[[State], None] | None = None
    flow: Flow = "next"
    target: int = -1
    condition: Callable[[State], Value] | None = None
    address: Callable[[State], Value] | None = None
    guard: Callable[[State], Value] | None = None
    partial: bool = False
    predicate: str = ""
    followed: bool = True
    alike: bool = False
    asks: tuple[str, ...] | None = None
    own: bool = False
    lanewise: bool = False
    masks: bool = False
    made_of: tuple[str, ...] = ()
    data: Unknown | None = None
    gather: Gather | None = None


class Strand(Struct, frozen=True):
    """Steps of a block that take nothing from the others. ``numbers``: theirs. ``reads``: the
    registers whose values at the block's start decide them; ``leaves``: those whose last value in
    the block is one of theirs."""

    numbers: tuple[int, ...]
    reads: tuple[str, ...]
    leaves: tuple[str, ...]


class Block(Struct, frozen=True):
    """Steps ``start`` to ``stop`` (not included), and the blocks that may follow."""

    start: int
    stop: int
    after: tuple[int, ...]


class EarlyJoin(Struct, frozen=True):
    """Of a branch: the block ``join`` where all its lanes come that do not end before, None if they
    come to one of several. ``towards``: the blocks that lead there, or those where lanes of both
    ways may be. ``lines``: of the branches on the way on which lanes may end; where one of them is
    open, nobody knows which did."""

    join: int | None
    towards: frozenset[int]
    lines: frozenset[int]


class Reunion(Struct, frozen=True):
    """Of lanes that part at the end of a block, on a machine with barriers. ``places``: where they
    wait for each other, the innermost last; none if they meet no more. ``inside``: the blocks
    before that; ``common``: those to which several groups may come, of which they may run together
    or apart the ``unsure`` in any case, and what is behind one of ``chosen`` where several have
    branched to that. ``lost``: where the groups may be at copies of one instruction."""

    places: tuple[int, ...]
    inside: frozenset[int]
    common: frozenset[int]
    chosen: frozenset[int]
    unsure: frozenset[int]
    lost: frozenset[int]


class Program(ByIdentity, frozen=True, eq=False):
    """Steps in blocks. ``joins[b]``: the block that every way from ``b`` leads through (its
    immediate post-dominator, or a later one where a barrier waits for the lanes); ``len(blocks)``
    stands for the end of the kernel. ``order[b]``: lower
    for a block that leads to another than for that one, apart from the ways back of loops.
    ``endings``: that end, and the blocks that do nothing else. ``gathers``: where the text says
    that lanes meet. ``early``, ``common``, ``meetings``, ``skips``: what was asked of
    :func:`early.early_join`, :func:`mixing.common_blocks`, :func:`merging.meeting_of`,
    :func:`skips.skippable`."""

    steps: tuple[ProgramStep, ...]
    blocks: tuple[Block, ...]
    joins: tuple[int, ...]
    order: tuple[int, ...]
    endings: frozenset[int]
    gathers: Gathers = NO_GATHERS
    early: dict[int, EarlyJoin | None] = field(default_factory=dict)
    common: dict[tuple[int, int], frozenset[int]] = field(default_factory=dict)
    meetings: dict[tuple[int, bool], Reunion] = field(default_factory=dict)
    skips: dict[int, frozenset[int] | None] = field(default_factory=dict)

    def steps_of(self, block: int) -> tuple[ProgramStep, ...]:
        """The steps of a block; none of the end."""
        if block >= len(self.blocks):
            return ()
        return self.steps[self.blocks[block].start : self.blocks[block].stop]


def program(steps: Sequence[ProgramStep], barriers: bool = False) -> Program:
    """Cut ``steps`` into blocks. ``barriers``: the language says where lanes meet."""
    starts = {0, *(s.target for s in steps if s.target >= 0)}
    starts |= {n + 1 for n, s in enumerate(steps) if s.flow != "next"}
    starts |= {n for n, s in enumerate(steps) if s.gather is not None and s.gather.does == "wait"}
    edges = sorted(start for start in starts if start < len(steps))
    number = {start: block for block, start in enumerate(edges)}
    blocks = []
    for start, stop in zip(edges, [*edges[1:], len(steps)], strict=True):
        blocks.append(Block(start, stop, _after(steps[stop - 1], stop, number, len(edges))))
    joins = _joins(_followed(blocks, steps))
    order = _order([one.after for one in blocks])
    orders = [[s.gather for s in steps[b.start : b.stop] if s.gather is not None] for b in blocks]
    found = gathers(orders, [block.after for block in blocks]) if barriers else NO_GATHERS
    joins = _outside(joins, [block.after for block in blocks], order)
    joins = tuple(_waited(b, joins, found) for b in range(len(joins)))
    return Program(tuple(steps), tuple(blocks), joins, order, _endings(blocks, steps), found)


def _outside(
    joins: tuple[int, ...], after: Sequence[Sequence[int]], order: Sequence[int]
) -> tuple[int, ...]:
    """``joins`` outside of loops that are entered at several places: nobody waits within one."""
    if all(order[way] > order[block] for block, ways in enumerate(after) for way in ways):
        return joins
    back: list[list[int]] = [[] for _ in after]
    for block, ways in enumerate(after):
        for way in ways:
            if way < len(after):
                back[way].append(block)
    back[0].append(len(after))  # what stands for the end of a kernel stands for its start here
    tangled = blocks_of_many_entries(after, order, _dominators(back))
    found = list(joins)
    for block, join in enumerate(joins):
        while join in tangled:
            join = joins[join]
        found[block] = join
    return tuple(found)


def _dominators(back: Sequence[Sequence[int]]) -> list[int]:
    """The last block on every way to each; itself where there is none."""
    found = _joins([Block(0, 0, tuple(ways)) for ways in back])
    return [block if one == len(back) else one for block, one in enumerate(found)]


def reached(program: Program, starts: Iterable[int], passing: Collection[int] = ()) -> set[int]:
    """The blocks that ``starts`` lead to, themselves as well; what is ``passing`` leads nowhere."""
    found, waiting = set[int](), list(starts)
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += () if one in passing else ways_of(program, one)
    return found


def ways_of(program: Program, block: int) -> Sequence[int]:
    """The blocks that may follow one; none behind the end."""
    return program.blocks[block].after if block < len(program.blocks) else ()


def _waited(block: int, joins: Sequence[int], found: Gathers) -> int:
    """Where all lanes meet that part at the end of ``block``: the innermost barrier on every way
    from there; without one the first block on every way."""
    inner = found.live.get(block, ())
    every, at = {joins[block]}, joins[block]
    while inner and at < len(joins):
        at = joins[at]
        every.add(at)
    return next((place for place in reversed(inner) if place in every), joins[block])


def _endings(blocks: Sequence[Block], steps: Sequence[ProgramStep]) -> frozenset[int]:
    found = {len(blocks)}
    found |= {n for n, block in enumerate(blocks) if steps[block.start].flow == "end"}
    for number, block in enumerate(blocks):
        if steps[block.start].flow == "jump" and found.issuperset(block.after):
            found.add(number)
    return frozenset(found)


def _order(after: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Reverse postorder from the first block; what nothing leads to, and the end, come last."""
    rank = _ranks(0, after)
    return tuple(rank.get(block, len(after)) for block in range(len(after) + 1))


def _followed(blocks: Sequence[Block], steps: Sequence[ProgramStep]) -> list[Block]:
    """Blocks without the ways on which control is lost at once: nobody meets there."""
    lost = {n for n, block in enumerate(blocks) if steps[block.start].flow == "lost"}
    kept = [tuple(after for after in block.after if after not in lost) for block in blocks]
    return [
        replace(block, after=after or block.after)
        for block, after in zip(blocks, kept, strict=True)
    ]


def _after(last: ProgramStep, stop: int, number: dict[int, int], end: int) -> tuple[int, ...]:
    follows = number.get(stop, end)
    target = number.get(last.target, end)
    ways = {"next": (follows,), "jump": (target,), "branch": (target, follows)}
    return ways.get(last.flow, (end,))


def _joins(blocks: Sequence[Block]) -> tuple[int, ...]:
    """Immediate post-dominators, by intersecting chains until nothing changes.

    Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed graph.
    Blocks that never reach the end (endless loops) join at the end.
    """
    end = len(blocks)
    before: list[list[int]] = [[] for _ in range(end + 1)]
    for number, block in enumerate(blocks):
        for way in block.after:
            before[way].append(number)
    rank = _ranks(end, before)
    found: dict[int, int] = {end: end}
    changed = True
    while changed:
        changed = False
        for node in sorted(rank, key=lambda b: rank[b])[1:]:
            known = [after for after in blocks[node].after if after in found]
            join = known[0]
            for other in known[1:]:
                join = _common(join, other, found, rank)
            changed |= found.get(node) != join
            found[node] = join
    return tuple(found.get(node, end) for node in range(end))


def _common(a: int, b: int, joins: dict[int, int], rank: dict[int, int]) -> int:
    while a != b:
        a, b = (joins[a], b) if rank[a] > rank[b] else (a, joins[b])
    return a


def _ranks(start: int, after: Sequence[Sequence[int]]) -> dict[int, int]:
    """Reverse postorder of the nodes that ``start`` leads to."""
    order: list[int] = []
    seen = {start}
    stack = [(start, iter(after[start]))]
    while stack:
        node, rest = stack[-1]
        new = next((b for b in rest if b not in seen), None)
        if new is None:
            order.append(node)
            stack.pop()
        elif new < len(after):
            seen.add(new)
            stack.append((new, iter(after[new])))
        else:
            seen.add(new)
            order.append(new)
    return {node: rank for rank, node in enumerate(reversed(order))}
