"""Statements that make registers of registers: integers by their operation, all else as terms.

What a statement does is read off its text once, and then done for some threads at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct

from bankwise.change.simulate.arithmetic import COMPARISONS, OPERATIONS, funnel
from bankwise.change.simulate.memory import LOCAL, SHARED, Unsupported
from bankwise.change.simulate.operands import Lanes, SimulatedBlock, listed
from bankwise.change.simulate.terms import Values, masked, signed, term, terms
from bankwise.read.ptx.parse import BYTES, Statement

Does = Callable[[SimulatedBlock, Lanes], None]
"""What a statement does to a block, for some of its threads."""

_COMMUTES = re.compile(r"(?:add|mul|fma|mad|min|max)\.")
_ONE_BY_ONE = frozenset({"bfe", "popc", "clz", "brev"})
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


class Alike(Struct, frozen=True):
    """What statements have in common that are done at once: of ``count`` operands ``bits`` each a
    result of ``wide`` bits. ``operation``: of integers, by its name in :data:`OPERATIONS` and with
    what of it is no register (``fixed``); empty for terms, of whose operands the first ``together``
    may change places."""

    count: int
    bits: int
    wide: int
    operation: str = ""
    fixed: str = ""
    sign: bool = False
    together: int = 0


def alike(one: Statement) -> Alike | None:
    """What a statement has in common with others; None for one that is done alone: it writes two
    registers, or its operation goes through its threads one by one."""
    words, operands = one.parts, one.operands
    braces = any("{" in text or text.startswith("!") for text in operands)
    if braces or "|" in operands[0] or operands[0] == "_":
        return None
    if words[0] == "cvt":
        kinds = _conversion(one)
        return (
            None
            if kinds.whole or kinds.to[0] in "us"
            else Alike(len(operands) - 1, kinds.before, kinds.after)
        )
    if words[0] in ("setp", "set", "cvta", "shf"):
        return None
    kind, bits = words[-1], _width(words[-1])
    wide = 2 * bits if "wide" in words else bits
    found = _operation(one)
    if not found:
        together = 2 if _COMMUTES.match(one.name) else 0
        return Alike(len(operands) - 1, bits, wide, together=together)
    if found in _ONE_BY_ONE or (found.endswith(".hi") and bits == 64):
        return None
    fixed = operands[4] if found == "lop3" else ""
    return Alike(len(operands) - 1, bits, wide, found, fixed, kind[0] == "s")


def made(what: Alike, numbers: Values) -> Callable[[Values], Values]:
    """The results of statements that are :func:`alike`, [statements, threads], as a function of
    what they read, [statements, operands, threads], which it uses up. ``numbers``: of their names,
    [statements, 1]."""
    bits, wide = what.bits, what.wide
    if not what.operation:
        return terms(numbers, what.count, together=what.together, bits=bits, wide=wide)
    cut, operation = 1 if what.operation in _FIRST_CUT else what.count, OPERATIONS[what.operation]

    def make(given: Values) -> Values:
        operands = [given[:, n] for n in range(what.count)]
        operands[:cut] = [masked(one, bits) for one in operands[:cut]]
        return masked(operation(operands, bits, what.sign), wide)

    return make


def _operation(one: Statement) -> str:
    """The name of an operation of integers; empty for what becomes a term."""
    kind, words = one.parts[-1], one.parts
    pure = _integer(kind) and "sat" not in words
    if not (pure or words[0] in ("mov", "selp")):
        return ""
    return next((name for name in (".".join(words[:2]), words[0]) if name in OPERATIONS), "")


def _maker(one: Statement) -> Callable[[list[Values]], Values]:
    """Integers by their operation; everything else becomes a term of its operands."""
    kind, words = one.parts[-1], one.parts
    bits, sign = _width(kind), kind[0] == "s"
    if words[0] == "shf":
        return lambda given: funnel(given, "l" in words, "wrap" in words)
    if operation := _operation(one):
        does = OPERATIONS[operation]
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


class _Converted(Struct, frozen=True):
    """The types of ``cvt``, ``to`` and ``source``, and their bits; ``whole``: both are integers."""

    to: str
    source: str
    whole: bool
    before: int
    after: int


def _conversion(one: Statement) -> _Converted:
    to, source = one.parts[-2:]
    if to not in BYTES or source not in BYTES:
        to, source = next(p for p in one.parts if p in BYTES), one.parts[-1]
    number = source in BYTES
    whole = _integer(to) and number and _integer(source) and "sat" not in one.parts
    return _Converted(to, source, whole, _width(source) if number else 32, _width(to))


def _converted(one: Statement) -> Does:
    """``cvt.s64.s32``; to or from what is no integer a term, an integer of the bits that data of
    the launch may have."""
    kinds = _conversion(one)
    to, source, whole, before = kinds.to, kinds.source, kinds.whole, kinds.before
    counts = to[0] in "us" and "pack" not in one.parts

    def does(block: SimulatedBlock, lanes: Lanes) -> None:
        value = [block.read(text, lanes) for text in one.operands[1:]]
        if not whole:
            found = term(one.name, value, bits=before)
            found = block.memory.cut(found) if counts else found
        elif source[0] == "s":
            found = signed(value[0], before).view(np.uint64)
        else:
            found = masked(value[0], before)
        found = found if whole and to[0] == "s" else masked(found, kinds.after)
        block.write(one.operands[0], lanes, found)

    return does
