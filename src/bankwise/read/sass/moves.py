"""Moves between register files, and from special registers and constant banks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np

from bankwise.read.follow.state import State, read
from bankwise.read.follow.values import Array, Unknown, Value, apply, choose, constant, is_uniform
from bankwise.read.sass.forms import Meaning
from bankwise.read.sass.operands import (
    Constants,
    constant_place,
    following,
    names,
    number,
    predicate,
    predicate_name,
    word,
)
from bankwise.read.sass.parse import SassInstruction

_LANES = 32
_FLOAT = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
PREDICATES = 7
"""P0 to P6 can be written."""


def move(i: SassInstruction, constants: Constants) -> Meaning | None:
    """What ``i`` writes, if it is a move that is followed."""
    handler = _HANDLERS.get(i.parts[0])
    return handler(i, constants) if handler else None


def _special(i: SassInstruction, constants: Constants) -> Meaning | None:
    """S2R R0, SR_TID.X. The start state has what is known of them."""
    if i.parts[1:] not in ([], ["32"]) or len(i.operands) != 2:
        return None
    name = i.operands[1]
    return Meaning(following(i.operands[0], 1), (name,), lambda state: (read(state, name),))


def _zero_pair(i: SassInstruction, constants: Constants) -> Meaning | None:
    """CS2R R2, SRZ: zeros, in two registers unless it says 32."""
    if len(i.operands) != 2 or i.operands[1] != "SRZ":
        return None
    writes = following(i.operands[0], 1 if "32" in i.parts else 2)
    return Meaning(writes, (), lambda state: (constant(0),) * len(writes))


def _constant(i: SassInstruction, constants: Constants) -> Meaning | None:
    """LDC.64 R4, c[0x0][0x210]: words of a constant bank."""
    count = {(): 1, ("64",): 2, ("128",): 4}.get(tuple(i.parts[1:]))
    place = constant_place(i.operands[1]) if len(i.operands) == 2 else None
    if count is None or place is None:
        return None
    bank, offset = place
    words = tuple(constants(bank, offset + 4 * n) for n in range(count))
    return Meaning(following(i.operands[0], count), (), lambda state: words)


def _uniform(i: SassInstruction, constants: Constants) -> Meaning | None:
    """R2UR UR4, R5: a number that all lanes share."""
    if len(i.operands) != 2:
        return None
    target, source = i.operands

    def run(state: State) -> tuple[Value, ...]:
        value = word(state, source, constants)
        if isinstance(value, Unknown) or is_uniform(value):
            return (value,)
        active = np.broadcast_to(value, state.active.shape)
        first = np.take_along_axis(active, state.active.argmax(axis=1)[:, None], axis=1)
        if np.array_equal(
            np.where(state.active, active, first), np.broadcast_to(first, active.shape)
        ):
            return (first,)
        return (Unknown(f"{i.name} of a number that differs from lane to lane", i.line, True),)

    return Meaning(following(target, 1), names(source), run)


def _from_predicates(i: SassInstruction, constants: Constants) -> Meaning | None:
    """P2R R0, PR, R1, 0x7f: bit n is Pn where the mask has it, else that of R1."""
    chosen = number(i.operands[-1]) if len(i.operands) == 4 else None
    if i.name != "P2R" or chosen is None or i.operands[1] != "PR":
        return None
    bits = [n for n in range(PREDICATES) if chosen >> n & 1]

    def run(state: State) -> tuple[Value, ...]:
        kept = word(state, i.operands[2], constants)
        values = [predicate(state, f"P{n}") for n in bits]
        return (apply(lambda x, *p: _with_predicate_bits(x, p, bits, chosen), kept, *values),)

    reads = (*names(i.operands[2]), *(f"P{n}" for n in bits))
    return Meaning(following(i.operands[0], 1), reads, run)


def _with_predicate_bits(
    kept: Array, values: tuple[Array, ...], bits: list[int], chosen: int
) -> Array:
    out = kept & np.uint32(~chosen & 0xFFFFFFFF)
    for n, value in zip(bits, values, strict=True):
        out = out | (value.astype(np.uint32) << np.uint32(n))
    return out


def _to_predicates(i: SassInstruction, constants: Constants) -> Meaning | None:
    """R2P PR, R0, 0x7f: Pn is bit n where the mask has it."""
    chosen = number(i.operands[-1]) if len(i.operands) == 3 else None
    if i.name != "R2P" or chosen is None or i.operands[0] != "PR":
        return None
    bits = [n for n in range(PREDICATES) if chosen >> n & 1]

    def run(state: State) -> tuple[Value, ...]:
        value = word(state, i.operands[1], constants)
        return tuple(apply(lambda x, n=n: x >> np.uint32(n) & 1 > 0, value) for n in bits)

    return Meaning(tuple(f"P{n}" for n in bits), names(i.operands[1]), run)


def _halves(i: SassInstruction, constants: Constants) -> Meaning | None:
    """HFMA2.MMA R2, -RZ, RZ, 0, 5.96e-08: a constant, put together from two 16-bit floats."""
    if i.operands[1:3] != ("-RZ", "RZ") or len(i.operands) != 5:
        return None
    if not all(_FLOAT.fullmatch(text) for text in i.operands[3:]):
        return None
    parts = np.array([float(text) for text in i.operands[3:]], np.float64).astype(np.float16)
    upper, lower = (int(part) for part in parts.view(np.uint16))
    value = constant(upper << 16 | lower)
    return Meaning(following(i.operands[0], 1), (), lambda state: (value,))


def _shuffle(i: SassInstruction, constants: Constants) -> Meaning | None:
    """SHFL.IDX PT, R0, R1, R2, 0x1f over whole warps; the predicate: whether such a lane is."""
    mode = i.parts[1] if len(i.parts) == 2 else ""
    if mode not in _SOURCES or len(i.operands) != 5 or not predicate_name(i.operands[0]):
        return None
    if number(i.operands[4]) != (0 if mode == "UP" else _LANES - 1) and i.operands[4:] != (
        ("RZ",) if mode == "UP" else ()
    ):
        return None

    def run(state: State) -> tuple[Value, ...]:
        value = word(state, i.operands[2], constants)
        count = word(state, i.operands[3], constants)
        if not state.active.all():
            why = Unknown("a lane that does not run", i.line)
            return (why, why)
        moved = apply(lambda x, n: _shuffled(x, n, mode)[0], value, count)
        if isinstance(value, Unknown) and is_uniform(value):
            moved = value
        return (moved, apply(lambda n: _shuffled(n, n, mode)[1], count))

    writes = (*following(i.operands[1], 1), predicate_name(i.operands[0]))
    if len(writes) != 2:
        return None
    return Meaning(writes, (*names(i.operands[2]), *names(i.operands[3])), run)


_SOURCES: Mapping[str, Callable[[Array, Array], Array]] = {
    "IDX": lambda own, count: count & (_LANES - 1),
    "BFLY": lambda own, count: own ^ (count & (_LANES - 1)),
    "UP": lambda own, count: own - (count & (_LANES - 1)),
    "DOWN": lambda own, count: own + (count & (_LANES - 1)),
}


def _shuffled(x: Array, n: Array, mode: str) -> tuple[Array, Array]:
    """The value of another lane, one's own where there is no such lane; whether there is."""
    own = np.arange(_LANES)[None, :]
    source = _SOURCES[mode](own, n.astype(np.int64))
    inside = (source >= 0) & (source < _LANES)
    rows = max(len(x), len(source))
    index = np.broadcast_to(choose(inside, source, own), (rows, _LANES))
    full = np.broadcast_to(x, (rows, _LANES))
    return np.take_along_axis(full, index, axis=1), np.broadcast_to(inside, (rows, _LANES))


_HANDLERS: Mapping[str, Callable[[SassInstruction, Constants], Meaning | None]] = {
    "S2R": _special,
    "S2UR": _special,
    "CS2R": _zero_pair,
    "LDC": _constant,
    "ULDC": _constant,
    "LDCU": _constant,
    "R2UR": _uniform,
    "P2R": _from_predicates,
    "R2P": _to_predicates,
    "HFMA2": _halves,
    "SHFL": _shuffle,
}
