"""Running one block of a PTX kernel: threads in step where they can, each on its own way else.

The threads whose next statement stands first in the text go on, so ways that part join again behind
the shorter one. A barrier holds a thread until all that are left have come. Copies are done when
they are asked for: a kernel that waits for them as it must sees no difference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np
from msgspec import Struct, field

from bankwise.change.simulate import accesses, matrices, warps
from bankwise.change.simulate.arithmetic import COMPARISONS, OPERATIONS, funnel
from bankwise.change.simulate.memory import LOCAL, SHARED, TOO_LONG, Unsupported
from bankwise.change.simulate.operands import Lanes, SimulatedBlock, listed
from bankwise.change.simulate.terms import masked, signed, term
from bankwise.counting.access import distinct
from bankwise.read.ptx.parse import BYTES, PtxKernel, Statement

MOST_STEPS = 400_000
"""Statements of one block that are run."""

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
_COMMUTES = re.compile(r"(?:add|mul|fma|mad|min|max)\.")

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


def run(kernel: PtxKernel, block: SimulatedBlock) -> int:
    """Run a block to its end; how many statements that took.

    Raises :class:`Unsupported` for what is not simulated, and for a block that does not end.
    """
    end = len(kernel.statements)
    threads = _ThreadPlaces(np.zeros(block.threads, np.int64), np.full(block.threads, -1))
    for step in range(MOST_STEPS):
        going = np.flatnonzero((threads.next < end) & (threads.waiting < 0))
        if not len(going):
            if not _released(threads, end):
                return step
            continue
        at = int(threads.next[going].min())
        lanes = going[threads.next[going] == at]
        if _TOGETHER.match(kernel.statements[at].name):
            at, lanes = _assembled(kernel, block, threads, going, end)
        _step(kernel, block, threads, kernel.statements[at], lanes)
    raise Unsupported(f"a block that {TOO_LONG} {MOST_STEPS:,} statements")


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


def _step(
    kernel: PtxKernel, block: SimulatedBlock, threads: _ThreadPlaces, one: Statement, lanes: Lanes
) -> None:
    threads.next[lanes] += 1
    taken = lanes
    if one.guard:
        name = one.guard.lstrip("!")
        on = block.read(name, lanes) & np.uint64(1) == (0 if one.guard[0] == "!" else 1)
        taken = lanes[on]
    if not len(taken):
        return
    word = one.parts[0]
    if word == "bra":
        threads.next[taken] = kernel.labels[one.operands[0]]
    elif word in ("ret", "exit"):
        threads.next[taken] = len(kernel.statements)
    elif word in ("bar", "barrier") and "warp" not in one.parts:
        _barrier(block, threads, one, taken)
    elif word == "trap":
        raise Unsupported("a trap is reached")
    else:
        _execute(block, one, taken)


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


def _execute(block: SimulatedBlock, one: Statement, lanes: Lanes) -> None:
    if _REFUSED.match(one.name):
        raise Unsupported(one.name)
    if _NOTHING.match(one.name):
        if one.name.startswith("createpolicy"):
            block.write(one.operands[0], lanes, np.zeros(len(lanes), np.uint64))
        return
    handler = _HANDLERS.get(one.parts[0])
    if handler is not None:
        handler(block, one, lanes)
    elif one.parts[0] in ("setp", "set"):
        _compare(block, one, lanes)
    elif one.parts[0] == "cvta":
        _window(block, one, lanes)
    elif one.parts[0] == "mov" and any("{" in text for text in one.operands):
        _packed(block, one, lanes)
    elif one.parts[0] == "cvt":
        _converted(block, one, lanes)
    else:
        _computed(block, one, lanes)


def _width(kind: str) -> int:
    if kind == "pred":
        return 1
    if kind not in BYTES:
        raise Unsupported(f"the type {kind}")
    return 8 * BYTES[kind]


def _integer(kind: str) -> bool:
    return (kind[0] in "usb" and not kind.startswith("bf")) or kind == "pred"


def _computed(block: SimulatedBlock, one: Statement, lanes: Lanes) -> None:
    """Integers by their operation; everything else becomes a term of its operands."""
    kind, words = one.parts[-1], one.parts
    bits, given = _width(kind), [block.read(text, lanes) for text in one.operands[1:]]
    long = ".".join(words[:2])
    operation = OPERATIONS.get(long) or OPERATIONS.get(words[0])
    pure = _integer(kind) and "sat" not in words
    if words[0] == "shf":
        found = funnel(given, "l" in words, "wrap" in words)
    elif operation is not None and (pure or words[0] in ("mov", "selp")):
        if words[0] == "shl" or words[0] == "shr" or words[0] in ("bfe", "bfi", "selp", "prmt"):
            cut = [masked(given[0], bits), *given[1:]]
        else:
            cut = [masked(v, bits) for v in given]
        found = operation(cut, bits, kind[0] == "s")
    else:
        together = 2 if _COMMUTES.match(one.name) else 0
        found = term(one.name, [masked(v, bits) for v in given], together=together)
    wide = 2 * bits if "wide" in words else bits
    for name in one.operands[0].split("|"):
        block.write(name.strip(), lanes, masked(found, wide))


def _compare(block: SimulatedBlock, one: Statement, lanes: Lanes) -> None:
    """``setp.lt.and.s32 p|q, a, b, c``; of numbers that are no integers a term decides."""
    kind, words = one.parts[-1], one.parts
    bits = _width(kind)
    a, b = (masked(block.read(text, lanes), bits) for text in one.operands[1:3])
    if words[0] == "set":
        kind = words[-1]
    if _integer(kind):
        if bits == 64 and kind[0] != "s":
            a, b = a ^ np.uint64(1 << 63), b ^ np.uint64(1 << 63)
        number = (lambda v: signed(v, bits)) if kind[0] == "s" else (lambda v: v.view(np.int64))
        found = COMPARISONS[words[1]](number(a), number(b)).astype(np.uint64)
    else:
        found = term(one.name.split(".and")[0].split(".or")[0], [a, b]) & np.uint64(1)
    other = found ^ np.uint64(1)
    if len(one.operands) > 3:
        more = block.read(one.operands[3], lanes) & np.uint64(1)
        combine = next(p for p in words if p in ("and", "or", "xor"))
        joined = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}[combine]
        found, other = joined(found, more), joined(other, more)
    names = [text.strip() for text in one.operands[0].split("|")]
    if words[0] == "set":
        found = np.where(found, np.uint64(0xFFFFFFFF), np.uint64(0))
    for name, value in zip(names, (found, other), strict=False):
        block.write(name, lanes, value)


def _window(block: SimulatedBlock, one: Statement, lanes: Lanes) -> None:
    """``cvta``: between a space and the flat one."""
    value = block.read(one.operands[1], lanes)
    base = next((b for s, b in (("shared", SHARED), ("local", LOCAL)) if s in one.parts), 0)
    into = "to" in one.parts
    block.write(
        one.operands[0], lanes, value - np.uint64(base) if into else value + np.uint64(base)
    )


def _packed(block: SimulatedBlock, one: Statement, lanes: Lanes) -> None:
    """``mov.b64 %rd, {%r1, %r2}`` and back."""
    bits = _width(one.parts[-1])
    to, source = (listed(text) for text in one.operands)
    if len(source) > 1:
        part = bits // len(source)
        found = np.zeros(len(lanes), np.uint64)
        for n, name in enumerate(source):
            found |= masked(block.read(name, lanes), part) << np.uint64(n * part)
        block.write(to[0], lanes, found)
        return
    part, value = bits // len(to), block.read(source[0], lanes)
    for n, name in enumerate(to):
        block.write(name, lanes, masked(value >> np.uint64(n * part), part))


def _converted(block: SimulatedBlock, one: Statement, lanes: Lanes) -> None:
    """``cvt.s64.s32``; to or from what is no integer a term."""
    to, source = one.parts[-2:]
    value = [block.read(text, lanes) for text in one.operands[1:]]
    if to not in BYTES or source not in BYTES:
        to, source = next(p for p in one.parts if p in BYTES), one.parts[-1]
    if _integer(to) and source in BYTES and _integer(source) and "sat" not in one.parts:
        bits = _width(source)
        found = (
            signed(value[0], bits).view(np.uint64) if source[0] == "s" else masked(value[0], bits)
        )
        block.write(one.operands[0], lanes, masked(found, _width(to)) if to[0] != "s" else found)
        return
    bits = _width(source) if source in BYTES else 32
    found = term(one.name, [masked(v, bits) for v in value])
    block.write(one.operands[0], lanes, masked(found, _width(to)))
