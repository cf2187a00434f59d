"""Statements that make registers of registers: integers by their operation, all else as terms.

What a statement does is read off its text once, and then done for some threads at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from bankwise.change.simulate.arithmetic import COMPARISONS, OPERATIONS, funnel
from bankwise.change.simulate.memory import LOCAL, SHARED, Unsupported
from bankwise.change.simulate.operands import Lanes, SimulatedBlock, listed
from bankwise.change.simulate.terms import Values, masked, signed, term
from bankwise.read.ptx.parse import BYTES, Statement

Does = Callable[[SimulatedBlock, Lanes], None]
"""What a statement does to a block, for some of its threads."""

_COMMUTES = re.compile(r"(?:add|mul|fma|mad|min|max)\.")
_FIRST_CUT = ("shl", "shr", "bfe", "bfi", "selp", "prmt")
"""Operations of whose operands the first alone has the type's width."""


def prepared(one: Statement) -> Does:
    """What a statement without memory, ways or other threads does; raises :class:`Unsupported`."""
    word = one.parts[0]
    if word in ("setp", "set"):
        return _compare(one)
    if word == "cvta":
        return _window(one)
    if word == "mov" and any("{" in text for text in one.operands):
        return _packed(one)
    return _converted(one) if word == "cvt" else _computed(one)


def _width(kind: str) -> int:
    if kind == "pred":
        return 1
    if kind not in BYTES:
        raise Unsupported(f"the type {kind}")
    return 8 * BYTES[kind]


def _integer(kind: str) -> bool:
    return (kind[0] in "usb" and not kind.startswith("bf")) or kind == "pred"


def _computed(one: Statement) -> Does:
    words = one.parts
    bits, make = _width(words[-1]), _maker(one)
    wide = 2 * bits if "wide" in words else bits
    names, texts = [name.strip() for name in one.operands[0].split("|")], one.operands[1:]

    def does(block: SimulatedBlock, lanes: Lanes) -> None:
        found = masked(make([block.read(text, lanes) for text in texts]), wide)
        for name in names:
            block.write(name, lanes, found)

    return does


def _maker(one: Statement) -> Callable[[list[Values]], Values]:
    """Integers by their operation; everything else becomes a term of its operands."""
    kind, words = one.parts[-1], one.parts
    bits, sign = _width(kind), kind[0] == "s"
    operation = OPERATIONS.get(".".join(words[:2])) or OPERATIONS.get(words[0])
    pure = _integer(kind) and "sat" not in words
    if words[0] == "shf":
        return lambda given: funnel(given, "l" in words, "wrap" in words)
    if operation is not None and (pure or words[0] in ("mov", "selp")):
        does = operation
        if words[0] in _FIRST_CUT:
            return lambda given: does([masked(given[0], bits), *given[1:]], bits, sign)
        return lambda given: does([masked(v, bits) for v in given], bits, sign)
    together = 2 if _COMMUTES.match(one.name) else 0
    return lambda given: term(one.name, given, together=together, bits=bits)


def _compare(one: Statement) -> Does:
    """``setp.lt.and.s32 p|q, a, b, c``; of numbers that are no integers a term decides."""
    words = one.parts
    first, second, *more = one.operands[1:]
    decide, bits = _decider(one), _width(words[-1])
    joins = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
    combine = joins[next(p for p in words if p in joins)] if more else None
    names = [text.strip() for text in one.operands[0].split("|")]

    def does(block: SimulatedBlock, lanes: Lanes) -> None:
        a, b = (masked(block.read(text, lanes), bits) for text in (first, second))
        found = decide(a, b)
        other = found ^ np.uint64(1)
        if combine is not None:
            also = block.read(more[0], lanes) & np.uint64(1)
            found, other = combine(found, also), combine(other, also)
        if words[0] == "set":
            found = np.where(found, np.uint64(0xFFFFFFFF), np.uint64(0))
        for name, value in zip(names, (found, other), strict=False):
            block.write(name, lanes, value)

    return does


def _decider(one: Statement) -> Callable[[Values, Values], Values]:
    words = one.parts
    kind, bits = words[-1], _width(words[-1])
    if not _integer(kind):
        name = one.name.split(".and")[0].split(".or")[0]
        return lambda a, b: term(name, [a, b]) & np.uint64(1)
    test, flip = COMPARISONS[words[1]], np.uint64(1 << 63)

    def decide(a: Values, b: Values) -> Values:
        if kind[0] == "s":
            return test(signed(a, bits), signed(b, bits)).astype(np.uint64)
        if bits == 64:
            a, b = a ^ flip, b ^ flip
        return test(a.view(np.int64), b.view(np.int64)).astype(np.uint64)

    return decide


def _window(one: Statement) -> Does:
    """``cvta``: between a space and the flat one."""
    base = next((b for s, b in (("shared", SHARED), ("local", LOCAL)) if s in one.parts), 0)
    into, (to, source) = "to" in one.parts, one.operands[:2]

    def does(block: SimulatedBlock, lanes: Lanes) -> None:
        value = block.read(source, lanes)
        block.write(to, lanes, value - np.uint64(base) if into else value + np.uint64(base))

    return does


def _packed(one: Statement) -> Does:
    """``mov.b64 %rd, {%r1, %r2}`` and back."""
    bits = _width(one.parts[-1])
    to, source = (listed(text) for text in one.operands)
    if len(source) > 1:
        return _joined(to[0], source, bits // len(source))
    part = bits // len(to)

    def does(block: SimulatedBlock, lanes: Lanes) -> None:
        value = block.read(source[0], lanes)
        parts = [masked(value >> np.uint64(n * part), part) for n in range(len(to))]
        for name, one in zip(to, parts, strict=True):
            block.write(name, lanes, one)

    return does


def _joined(to: str, source: Sequence[str], part: int) -> Does:
    def does(block: SimulatedBlock, lanes: Lanes) -> None:
        found = np.zeros(len(lanes), np.uint64)
        for n, name in enumerate(source):
            found |= masked(block.read(name, lanes), part) << np.uint64(n * part)
        block.write(to, lanes, found)

    return does


def _converted(one: Statement) -> Does:
    """``cvt.s64.s32``; to or from what is no integer a term."""
    to, source = one.parts[-2:]
    if to not in BYTES or source not in BYTES:
        to, source = next(p for p in one.parts if p in BYTES), one.parts[-1]
    number = source in BYTES
    whole = _integer(to) and number and _integer(source) and "sat" not in one.parts
    before, after = _width(source) if number else 32, _width(to)

    def does(block: SimulatedBlock, lanes: Lanes) -> None:
        value = [block.read(text, lanes) for text in one.operands[1:]]
        if not whole:
            found = term(one.name, value, bits=before)
        elif source[0] == "s":
            found = signed(value[0], before).view(np.uint64)
        else:
            found = masked(value[0], before)
        block.write(
            one.operands[0], lanes, found if whole and to[0] == "s" else masked(found, after)
        )

    return does
