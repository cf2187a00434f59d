"""Running one block of a PTX kernel: threads in step where they can, each on its own way else.

The threads whose next statement stands first in the text go on, so ways that part join again behind
the shorter one. A barrier holds a thread until all that are left have come. Copies are done when
they are asked for: a kernel that waits for them as it must sees no difference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
from msgspec import Struct, field

from bankwise.change.simulate import accesses, matrices, warps
from bankwise.change.simulate.batches import Straight, straight
from bankwise.change.simulate.computed import Does, prepared
from bankwise.change.simulate.deciding import deciding
from bankwise.change.simulate.memory import TOO_LONG, Unsupported
from bankwise.change.simulate.operands import Lanes, SimulatedBlock, listed
from bankwise.counting.access import distinct
from bankwise.read.ptx.parse import PtxKernel, Statement

MOST_STEPS = 400_000
"""Statements of one block that are run."""

TAG = "bankwise_"
"""How what is written by a tag of the text begins; in a function that is copied into a kernel a
number stands behind ``$``."""

_NOTHING = re.compile(
    r"(?:fence|membar|cp\.async\.(?:commit|wait)_\w+|prefetch|nanosleep|bar\.warp|discard|pmevent"
    r"|griddepcontrol|setmaxnreg|createpolicy|applypriority)\b"
)
_REFUSED = re.compile(
    r"(?:wgmma|tcgen05|cp\.async\.bulk|cp\.reduce|mbarrier|brx|tex|tld4|sust|suld|mapa|getctarank"
    r"|barrier\.cluster|clusterlaunchcontrol|elect|match|multimem|alloca|stacksave|addc|subc|madc)\b"
    r"|.*\.cc\b|.*\.(?:x2|f32x2)$"
)
_TOGETHER = re.compile(
    r"(?:shfl|vote|redux|mma|wmma|movmatrix|ldmatrix|stmatrix|match|bar\.warp)\."
)
"""Instructions for which the threads of a warp come together."""

_NOUGHT = np.zeros(1, np.uint64)
_Kind = Literal["plain", "way", "together"]
_Handler = Callable[[SimulatedBlock, Statement, Lanes], None]

_HANDLERS: Mapping[str, _Handler] = {
    "ld": accesses.load,
    "ldu": accesses.load,
    "st": accesses.store,
    "atom": accesses.atomic,
    "red": accesses.atomic,
    "cp": accesses.copy,
    "shfl": warps.shuffle,
    "vote": warps.vote,
    "activemask": warps.active_mask,
    "redux": warps.reduce,
    "mma": warps.matrix,
    "movmatrix": warps.matrix,
    "wmma": matrices.fragment,
    "call": lambda block, one, lanes: _call(block, one, lanes),
    "ldmatrix": warps.load_matrix,
    "stmatrix": warps.store_matrix,
}


class _ThreadPlaces(Struct, eq=False):
    """Where each thread is: its next statement; ``waiting``: at which barrier, or -1. Of barriers
    that count threads: how many they ``need``, and how many have ``arrived`` without waiting."""

    next: np.ndarray
    waiting: np.ndarray
    need: dict[int, int] = field(default_factory=dict)
    arrived: dict[int, int] = field(default_factory=dict)


class _Run(Struct, eq=False):
    """A block in the middle of its run. ``kinds``: of its statements; ``does``: what those do that
    were reached, and are no ways or barriers; ``straight``: those that are done together, by the
    first; None where each is done alone; ``only``: the registers whose values are asked for."""

    kernel: PtxKernel
    block: SimulatedBlock
    threads: _ThreadPlaces
    kinds: Sequence[_Kind]
    straight: dict[int, Straight] | None
    only: frozenset[str] | None
    does: dict[int, Does] = field(default_factory=dict)


def run(
    kernel: PtxKernel, begin: Callable[[], SimulatedBlock], *, only_ways: bool = False
) -> tuple[SimulatedBlock, int]:
    """Run a block, as it is at its ``begin``, to its end; and how many statements that took.
    ``only_ways``: nobody asks what it writes, so what decides no way and no place is left out.

    Raises :class:`Interrupted` for what is not simulated, and for a block that does not end. What
    is said of that is of the first statement that is not simulated, so a block runs once more, one
    statement after the other, where those that are alike were done at once.
    """
    straight: dict[int, Straight] = {}
    only = deciding(kernel.statements, _is_plain) if only_ways else None
    block = begin()
    try:
        return block, _run(kernel, block, straight, only)
    except Unsupported as error:
        if not straight or TOO_LONG in str(error):
            raise Interrupted(str(error), block, error.outside) from error
    block = begin()
    try:
        return block, _run(kernel, block, None)
    except Unsupported as error:
        raise Interrupted(str(error), block, error.outside) from error


class Interrupted(Unsupported):
    """A block did not run to its end: ``block`` is where it stands."""

    def __init__(self, why: str, block: SimulatedBlock, outside: bool) -> None:
        super().__init__(why)
        self.block = block
        self.outside = outside


def _run(
    kernel: PtxKernel,
    block: SimulatedBlock,
    straight: dict[int, Straight] | None,
    only: frozenset[str] | None = None,
) -> int:
    end = len(kernel.statements)
    threads = _ThreadPlaces(np.zeros(block.threads, np.int64), np.full(block.threads, -1))
    kinds = [_kind(one) for one in kernel.statements]
    running = _Run(kernel, block, threads, kinds, straight, only)
    step = 0
    while step < MOST_STEPS:
        going = np.flatnonzero((threads.next < end) & (threads.waiting < 0))
        if not len(going):
            if not _released(threads, end):
                return step
            step += 1
            continue
        at = int(threads.next[going].min())
        lanes = going[threads.next[going] == at]
        if running.kinds[at] == "together":
            at, lanes = _assembled(kernel, block, threads, going, end)
        if running.kinds[at] == "plain" and len(lanes) == len(going):
            step += _straight(running, at, lanes, MOST_STEPS - step)
        else:
            _step(running, at, lanes)
            step += 1
    raise Unsupported(f"a block that {TOO_LONG} {MOST_STEPS:,} statements")


def _kind(one: Statement) -> _Kind:
    """``plain``: all its threads go on to the next statement, whatever others do."""
    if _TOGETHER.match(one.name):
        return "together"
    ways = one.parts[0] in ("bra", "ret", "exit", "trap", "bar", "barrier")
    return "way" if ways else "plain"


def _straight(running: _Run, at: int, lanes: Lanes, most: int) -> int:
    """All threads that go on run plain statements from one place on, the first at least; how many
    that were."""
    first, kinds = at, running.kinds
    ready = _ready(running, at)
    if ready is not None and ready.count <= most and ready.may_run(running.block):
        ready.run(running.block, lanes, lambda n, some: _taken(running, n, some))
        running.threads.next[lanes] = at + ready.count
        return ready.count
    while True:
        _taken(running, at, lanes)
        at += 1
        if at == len(kinds) or kinds[at] != "plain" or at - first == most:
            running.threads.next[lanes] = at
            return at - first


def _ready(running: _Run, at: int) -> Straight | None:
    """The plain statements from one on, made ready where they are come to for the second time."""
    if running.straight is None:
        return None
    if at not in running.straight and at in running.does:
        end = next((n for n in range(at, len(running.kinds)) if running.kinds[n] != "plain"), None)
        statements = running.kernel.statements[at:end]
        plain = [_is_plain(one) for one in statements]
        running.straight[at] = straight(running.block, statements, plain, at, running.only)
    return running.straight.get(at)


def _is_plain(one: Statement) -> bool:
    """Whether a statement loads, stores or computes, and no more."""
    if _REFUSED.match(one.name) or _NOTHING.match(one.name) or not one.operands:
        return False
    if one.name.startswith("createpolicy") or one.operands[0].startswith(TAG):
        return False
    if _kind(one) != "plain":
        return False
    return one.parts[0] in ("ld", "ldu", "st") or one.parts[0] not in _HANDLERS


def _taken(running: _Run, at: int, lanes: Lanes) -> None:
    """One plain statement, or one of whole warps, for those of its threads that its guard lets."""
    one = running.kernel.statements[at]
    taken = _guarded(running.block, one, lanes)
    if len(taken):
        does = running.does.get(at)
        if does is None:
            does = running.does[at] = _prepared(one)
        does(running.block, taken)


def _guarded(block: SimulatedBlock, one: Statement, lanes: Lanes) -> Lanes:
    if not one.guard:
        return lanes
    name = one.guard.lstrip("!")
    on = block.read(name, lanes) & np.uint64(1) == (0 if one.guard[0] == "!" else 1)
    return np.asarray(lanes[on])


def _released(threads: _ThreadPlaces, end: int) -> bool:
    """The threads of one barrier that has all it needs go on. False where no thread is left."""
    left = threads.next < end
    for number in distinct(threads.waiting[left]).tolist():
        here, need = left & (threads.waiting == number), threads.need.get(number, 0)
        there = int(here.sum()) + threads.arrived.get(number, 0)
        if there >= need if need else bool((threads.waiting[left] == number).all()):
            threads.waiting[here] = -1
            threads.arrived[number] = 0
            return True
    if left.any():
        raise Unsupported("a barrier that some of its threads never reach")
    return False


def _assembled(
    kernel: PtxKernel, block: SimulatedBlock, threads: _ThreadPlaces, going: Lanes, end: int
) -> tuple[int, Lanes]:
    """The first statement whose threads may go on: those of a whole warp wait for all members."""
    for at in distinct(threads.next[going]).tolist():
        lanes, one = going[threads.next[going] == at], kernel.statements[at]
        if _TOGETHER.match(one.name):
            lanes = warps.complete(block, one, lanes, threads.next < end)
        if len(lanes):
            return at, lanes
    raise Unsupported("an instruction of a warp that some of its threads do not reach")


def _step(running: _Run, at: int, lanes: Lanes) -> None:
    one, threads = running.kernel.statements[at], running.threads
    threads.next[lanes] = at + 1
    if running.kinds[at] != "way" or "warp" in one.parts:
        _taken(running, at, lanes)
        return
    taken, word = _guarded(running.block, one, lanes), one.parts[0]
    if not len(taken):
        return
    if word == "bra":
        threads.next[taken] = running.kernel.labels[one.operands[0]]
    elif word in ("ret", "exit"):
        threads.next[taken] = len(running.kernel.statements)
    elif word == "trap":
        raise Unsupported("a trap is reached")
    else:
        _barrier(running.block, threads, one, taken)


def _barrier(block: SimulatedBlock, threads: _ThreadPlaces, one: Statement, lanes: Lanes) -> None:
    """``bar.sync 1, 64``: threads wait at one of 16 barriers, ``bar.arrive`` does not wait."""
    mode = next((part for part in one.parts if part in ("sync", "arrive")), "")
    if not mode or "cluster" in one.parts:
        raise Unsupported(f"the barrier {one.name}")
    numbers = [distinct(block.read(text, lanes)).tolist() for text in one.operands]
    if any(len(found) > 1 for found in numbers):
        raise Unsupported("barriers whose numbers differ among threads")
    number, need = ([int(found[0]) for found in numbers] + [0, 0])[:2]
    if len(numbers) > 1:
        threads.need[number] = need
    if mode == "sync":
        threads.waiting[lanes] = number
    else:
        threads.arrived[number] = threads.arrived.get(number, 0) + len(lanes)


def _call(block: SimulatedBlock, one: Statement, lanes: Lanes) -> None:
    """``call (retval0), vprintf, (..)``: printing changes nothing; no other call is left."""
    if "vprintf" in one.operands:
        for name in listed(one.operands[0].strip("()")):
            block.write(f"%{name}+0.4", lanes, np.zeros(len(lanes), np.uint64))
        return
    names = [text for text in one.operands if not text.startswith("(")]
    raise Unsupported(f"a call of {names[0] if names else 'nothing that is named'}")


def _prepared(one: Statement) -> Does:
    """What a statement does that is no way and no barrier."""
    if _REFUSED.match(one.name):
        raise Unsupported(one.name)
    if one.name.startswith("createpolicy"):
        return lambda block, lanes: block.write(one.operands[0], lanes, _NOUGHT)
    if _NOTHING.match(one.name):
        return lambda block, lanes: None
    if one.operands and one.operands[0].startswith(TAG):
        kind = one.operands[0][len(TAG) :].partition("$")[0]
        tag = f"{kind} {one.operands[1]}"
        return lambda block, _: block.passed.add(tag)
    handler = _HANDLERS.get(one.parts[0])
    if handler is None:
        return prepared(one)
    return lambda block, lanes: handler(block, one, lanes)
