"""Moves between register files, and from special registers and constant banks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np

from bankwise.read.follow.functions import apply
from bankwise.read.follow.spaces import NOT_SHARED
from bankwise.read.follow.state import State, read
from bankwise.read.follow.values import Array, Unknown, Value, because, constant, is_uniform
from bankwise.read.follow.warp import SHUFFLES, elected, parts_of_warp, shuffle
from bankwise.read.integers import halves
from bankwise.read.sass.forms import Meaning
from bankwise.read.sass.generic import byte_at, pointer_of
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.integers import to_float_up, to_long
from bankwise.read.sass.operands import (
    PREDICATES,
    constant_address,
    constant_word,
    first_byte,
    following,
    names,
    number,
    pair,
    predicate,
    predicate_name,
    word,
)

_FLOAT = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def move(i: SassInstruction) -> Meaning | None:
    """What ``i`` writes, if it is a move that is followed."""
    handler = _HANDLERS.get(i.parts[0])
    return handler(i) if handler else None


def _special(i: SassInstruction) -> Meaning | None:
    """S2R R0, SR_TID.X. The start state has what is known of them."""
    if i.parts[1:] not in ([], ["32"]) or len(i.operands) != 2:
        return None
    name = i.operands[1]
    return Meaning(following(i.operands[0], 1), (name,), lambda state: (read(state, name),))


def _zero_pair(i: SassInstruction) -> Meaning | None:
    """CS2R R2, SRZ: zeros, in two registers unless it says 32."""
    if len(i.operands) != 2 or i.operands[1] != "SRZ":
        return None
    writes = following(i.operands[0], 1 if "32" in i.parts else 2)
    return Meaning(writes, (), lambda state: (constant(0),) * len(writes))


_NARROW: Mapping[tuple[str, ...], tuple[int, int]] = {
    ("U8",): (1, 0),
    ("S8",): (1, 0x80),
    ("U16",): (2, 0),
    ("S16",): (2, 0x8000),
}
"""Bytes of a load of less than a word, and the bit that is its sign."""


def _constant(i: SassInstruction) -> Meaning | None:
    """LDC.64 R4, c[0x0][0x210]; LDC R4, c[0x0][R2+0x210]: words of a constant bank, or, LDC.U8, a
    part of one."""
    kind = tuple(i.parts[1:])
    size, sign = _NARROW.get(kind, (4, 0))
    count = {(): 1, ("64",): 2, ("128",): 4}.get(kind, 1 if kind in _NARROW else None)
    place = constant_address(i.operands[1]) if len(i.operands) == 2 else None
    if count is None or place is None:
        return None
    bank, at = place

    def run(state: State) -> tuple[Value, ...]:
        first = first_byte(at, state)
        if isinstance(first, Unknown):
            return (because(first, first.uniform),) * count
        found = [_looked_up(state, bank, first + 4 * n, size) for n in range(count)]
        return tuple(_signed(one, sign) for one in found)

    return Meaning(following(i.operands[0], count), at.registers, run)


def _signed(value: Value, sign: int) -> Value:
    """A number whose bit ``sign`` says that it is below zero, as a word."""
    return apply(lambda x: (x ^ np.uint32(sign)) - np.uint32(sign), value) if sign else value


def _looked_up(state: State, bank: int, places: Array, size_bytes: int) -> Value:
    """The number at the place of every lane."""
    where, which = np.unique(places, return_inverse=True)
    words = [constant_word(state, bank, int(place), size_bytes) for place in where]
    if len(words) == 1:
        return words[0]
    return apply(
        lambda at, *found: np.array([word_.item() for word_ in found], np.uint32)[which].reshape(
            at.shape
        ),
        places,
        *words,
    )


def _uniform(i: SassInstruction) -> Meaning | None:
    """R2UR UR4, R5: a number that all lanes share."""
    if len(i.operands) != 2:
        return None
    target, source = i.operands

    def run(state: State) -> tuple[Value, ...]:
        value = word(state, source)
        if isinstance(value, Unknown):
            return (value if value.uniform else because(value, True, value.space),)
        if is_uniform(value):
            return (value,)
        active = np.broadcast_to(value, state.active.shape)
        first = np.take_along_axis(active, state.active.argmax(axis=1)[:, None], axis=1)
        if np.array_equal(
            np.where(state.active, active, first), np.broadcast_to(first, active.shape)
        ):
            return (first,)
        return (Unknown(f"{i.name} of a number that differs from lane to lane", i.line, True),)

    return Meaning(following(target, 1), names(source), run)


def _from_predicates(i: SassInstruction) -> Meaning | None:
    """P2R R0, PR, R1, 0x7f: bit n is Pn where the mask has it, else that of R1."""
    chosen = number(i.operands[-1]) if len(i.operands) == 4 else None
    if i.name != "P2R" or chosen is None or i.operands[1] != "PR":
        return None
    bits = [n for n in range(PREDICATES) if chosen >> n & 1]

    def run(state: State) -> tuple[Value, ...]:
        kept = word(state, i.operands[2])
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


def _to_predicates(i: SassInstruction) -> Meaning | None:
    """R2P PR, R0.B1, 0x7f: Pn is bit n of the byte where the mask has it (counters of an H200 agree
    for B1: four reads under its bits)."""
    source, _, byte = i.operands[1].partition(".B") if len(i.operands) == 3 else ("", "", "")
    chosen = number(i.operands[-1]) if len(i.operands) == 3 else None
    if i.name != "R2P" or chosen is None or i.operands[0] != "PR":
        return None
    if byte not in ("", "0", "1", "2", "3"):
        return None
    first = 8 * int(byte or 0)
    bits = [n for n in range(PREDICATES) if chosen >> n & 1]

    def run(state: State) -> tuple[Value, ...]:
        value = word(state, source)
        parts = (apply(lambda x, n=n: x >> np.uint32(first + n) & 1 > 0, value) for n in bits)
        return tuple(parts)

    return Meaning(tuple(f"P{n}" for n in bits), names(source), run)


def _halves(i: SassInstruction) -> Meaning | None:
    """HFMA2.MMA R2, -RZ, RZ, 0, 5.96e-08: a constant, put together from two 16-bit floats."""
    if i.operands[1:3] != ("-RZ", "RZ") or len(i.operands) != 5:
        return None
    if not all(_FLOAT.fullmatch(text) for text in i.operands[3:]):
        return None
    parts = np.array([float(text) for text in i.operands[3:]], np.float64).astype(np.float16)
    upper, lower = (int(part) for part in parts.view(np.uint16))
    value = constant(upper << 16 | lower)
    return Meaning(following(i.operands[0], 1), (), lambda state: (value,))


def _shuffle(i: SassInstruction) -> Meaning | None:
    """SHFL.IDX PT, R0, R1, R2, 0x1f; the predicate: whether such a lane is."""
    mode = i.parts[1].lower() if len(i.parts) == 2 else ""
    if mode not in SHUFFLES or len(i.operands) != 5 or not predicate_name(i.operands[0]):
        return None
    texts = i.operands[2:]

    def run(state: State) -> tuple[Value, ...]:
        value, count, part = (word(state, text) for text in texts)
        moved, inside = shuffle(state, mode, value, count, part, i.line)
        return (*((moved,) if len(writes) > 1 else ()), inside)

    writes = (*following(i.operands[1], 1), predicate_name(i.operands[0]))
    reads = tuple(name for text in texts for name in names(text))
    end = number(texts[2])
    whole = mode == "idx" and end is not None and not parts_of_warp(end)
    return Meaning(writes, reads, run, asks=names(texts[1]) if whole else None)


def _elect(i: SassInstruction) -> Meaning | None:
    """ELECT P0, UR4, PT: one of the running lanes, and its number."""
    if len(i.operands) != 3 or not predicate_name(i.operands[0]) or i.operands[2] != "PT":
        return None
    target = following(i.operands[1], 1)

    def run(state: State) -> tuple[Value, ...]:
        lane, here = elected(state, i.line)
        return (here, *((lane,) if target else ()))

    return Meaning((predicate_name(i.operands[0]), *target), (), run, own=True)


def _rounded(i: SassInstruction) -> Meaning | None:
    """I2F.U64.RP R0, R2; F2I.U64.TRUNC R2, R0: of the division of two numbers of 64 bits."""
    handler = {"I2F.U64.RP": to_float_up, "F2I.U64.TRUNC": to_long}.get(i.name)
    if handler is None or len(i.operands) != 2:
        return None
    target, source = i.operands
    if i.parts[0] == "I2F":
        return Meaning(
            following(target, 1),
            following(source, 2),
            lambda state: (apply(to_float_up, pair(state, source)),),
        )
    return Meaning(
        following(target, 2),
        names(source),
        lambda state: _halves_of(apply(to_long, word(state, source))),
    )


def _halves_of(value: Value) -> tuple[Value, Value]:
    return apply(lambda x: halves(x)[0], value), apply(lambda x: halves(x)[1], value)


def spill(i: SassInstruction, words: tuple[str, ...]) -> Meaning:
    """LDL R2, [R1]; STL [R1], R2: words of the stack, as registers."""
    if i.parts[0] == "LDL":
        names_ = following(i.operands[0], len(words))
        return Meaning(names_, words, lambda state: tuple(read(state, name) for name in words))
    held = following(i.operands[1], len(words))
    if not held:
        return Meaning(words, (), lambda state: (constant(0),) * len(words))
    return Meaning(words, held, lambda state: tuple(read(state, name) for name in held))


def outside(i: SassInstruction) -> Meaning | None:
    """QSPC.E.S of a pointer of the host: it is not shared memory."""
    if "S" not in i.parts or len(i.operands) != 3:
        return None
    return _asked(i, lambda state: constant(0, np.bool_), ())


def _space(i: SassInstruction) -> Meaning | None:
    """QSPC.E.S P0, RZ, [R2]: whether the address lies in shared memory."""
    at = pointer_of(i)
    if at is None or "S" not in i.parts or len(i.operands) != 3:
        return None

    def run(state: State) -> Value:
        return apply(lambda x: x != NOT_SHARED, byte_at(state, at))

    return _asked(i, run, following(at[0], 2))


def _asked(i: SassInstruction, run: Callable[[State], Value], reads: tuple[str, ...]) -> Meaning:
    """A predicate, and a register of which nothing is known."""
    writes = (predicate_name(i.operands[0]), *following(i.operands[1], 1))
    lost = (Unknown(f"a result of {i.name}", i.line),) * (len(writes) - 1)
    return Meaning(writes, reads, lambda state: (run(state), *lost))


_HANDLERS: Mapping[str, Callable[[SassInstruction], Meaning | None]] = {
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
    "QSPC": _space,
    "ELECT": _elect,
    "I2F": _rounded,
    "F2I": _rounded,
}
