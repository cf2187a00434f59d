"""Branches that may be passed over: whatever their lanes do, they meet again before the rest.

    if (row < n) v = in[row];      BSSY B1, L
    ..                             @P0 BRA M
                                   LDG R5, [R12]      nothing that decides an access
                                M: BSYNC B1
                                L: ..                 all lanes that came to the branch

Between the branch and the place where its lanes meet stands no access. If nothing that is written
there matters behind that place, which :func:`slicing.cut` finds out, then neither the way that a
lane takes nor how often it goes round a loop is seen by any access, and what decides it need not be
known. That the kernel ends is taken for granted, here as elsewhere.

Where the text has barriers, that lanes meet is their doing: the innermost one must wait where all
ways lead, those set between must wait between, and no others of the warp may wait there that parted
elsewhere. Then the lanes run through as if they were alone: until all of them wait at the last
barrier, there are always some of them that began to wait after all others, and these go on first
(:mod:`merging`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from bankwise.read.follow.merging import decided_alike, meeting_of
from bankwise.read.follow.program import Program, ways_of


def skippable(program: Program) -> Mapping[int, frozenset[int]]:
    """The blocks that end in such a branch, with the blocks between it and where its lanes meet:
    if no step of these matters, nor does the branch."""
    if not program.skips:
        before = _before(program)
        never = frozenset(_with_accesses(program))
        for block in _branches(program):
            program.skips[block] = _between(program, block, never, before)
    return {block: some for block, some in program.skips.items() if some is not None}


def passed_over(program: Program, skips: Collection[int]) -> frozenset[int]:
    """The lines of branches that no run comes to, as those at the ends of the blocks ``skips`` are
    passed over: theirs, and those between them and where their lanes meet."""
    between = skippable(program)
    unseen = set(skips).union(*(between[block] for block in skips))
    ends = {n: program.steps[program.blocks[n].stop - 1].line for n in _branches(program)}
    seen = {line for block, line in ends.items() if block not in unseen}
    return frozenset(line for line in ends.values() if line not in seen)


def _branches(program: Program) -> list[int]:
    blocks = enumerate(program.blocks)
    return [n for n, one in blocks if program.steps[one.stop - 1].flow == "branch"]


def _with_accesses(program: Program) -> list[int]:
    """The blocks that touch memory that is followed, or are lost."""
    return [
        number
        for number, _ in enumerate(program.blocks)
        if any(s.address is not None or s.flow == "lost" for s in program.steps_of(number))
    ]


def _before(program: Program) -> list[set[int]]:
    found: list[set[int]] = [set() for _ in range(len(program.blocks) + 1)]
    for number, block in enumerate(program.blocks):
        for way in block.after:
            found[way].add(number)
    return found


def _between(
    program: Program, block: int, never: Collection[int], before: list[set[int]]
) -> frozenset[int] | None:
    """What lies between the branch at the end of ``block`` and where its lanes meet; None where an
    access does, or where they may not meet, or meet others."""
    join = program.joins[block]
    found = set[int]()
    waiting = list(program.blocks[block].after)
    while waiting:
        one = waiting.pop()
        if one in found or one == join:
            continue
        if one in never:
            return None
        found.add(one)
        waiting += ways_of(program, one)
    if join in program.endings or not program.gathers.told or _alone(program, block, found, before):
        return frozenset(found)
    return None


def _alone(program: Program, block: int, between: set[int], before: list[set[int]]) -> bool:
    """Whether lanes that part at the end of ``block`` run through the blocks ``between`` as if no
    others were there, and meet behind them."""
    gathers, join = program.gathers, program.joins[block]
    meets = meeting_of(program, block).places[-1:] == (join,)
    if not meets and not decided_alike(_last_reads(program, block)):
        return False
    if between & (gathers.yields | gathers.syncs):
        return False
    outside = set().union(*(before[one] for one in between)) - between - {block}
    if any(len(ways_of(program, one)) > 1 and not _is_set(program, one, join) for one in outside):
        return False
    orders = [s.gather for one in between for s in program.steps_of(one) if s.gather is not None]
    places = [place for one in between for place in gathers.set_in.get(one, ())]
    sets = [one for one in orders if one.does == "set"]
    leaves = any(one.does == "leave" for one in orders)
    return not leaves and len(places) == len(sets) and between & gathers.waits == set(places)


def _is_set(program: Program, block: int, place: int) -> bool:
    """Whether the barrier that waits at ``place`` is set where a block ends."""
    return place in program.gathers.live.get(block, ())


def _last_reads(program: Program, block: int) -> tuple[str, ...]:
    return program.steps[program.blocks[block].stop - 1].reads
