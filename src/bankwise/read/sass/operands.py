"""Operands of SASS: registers, predicates, constants, constant banks, addresses.

R4.reuse  -R4  ~R4  |R4|  UR4  RZ  0x10  c[0x0][0x210]  !P0  [R4.X4+UR6+-0x10]
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from bankwise.read.follow.choices import complement
from bankwise.read.follow.decoded import Address
from bankwise.read.follow.functions import LaneSum, apply
from bankwise.read.follow.state import State, read
from bankwise.read.follow.values import Array, Unknown, Value, constant, of_one_lane
from bankwise.read.integers import join

PREDICATES = 7
"""P0 to P6 can be written."""

_REGISTER = re.compile(r"(U?R)(Z|\d{1,6})")
_PREDICATE = re.compile(r"(!?)(U?P)(T|\d)")
_NUMBER = re.compile(r"-?(?:0x[0-9a-f]{1,16}|\d{1,19})")
_CONSTANT = re.compile(r"cx?\[(0x[0-9a-f]+)\]\s*\[(0x[0-9a-f]+)\]")
_TERM = re.compile(r"(U?R(?:Z|\d+))(?:\.(X4|X8|X16|64|U32))?|(-?0x[0-9a-f]+)")
_SCALES = {"X4": 4, "X8": 8, "X16": 16}
_TEXTS = 1 << 14
"""How many texts of operands are remembered."""

_Reader = Callable[[State], Value]


def address(text: str) -> Address | None:
    """Read an address operand; None if it has another form."""
    found = re.fullmatch(r"\[(.*)\]", text)
    if not found:
        return None
    terms, offset = [], 0
    for part in found[1].split("+"):
        term = _TERM.fullmatch(part.strip())
        if term is None or term[2] in ("64", "U32"):
            return None
        if term[3]:
            offset += int(term[3], 16)
        elif not term[1].endswith("Z"):
            terms.append((term[1], _SCALES.get(term[2] or "", 1)))
    return Address(tuple(terms), offset)


@lru_cache(maxsize=_TEXTS)
def following(name: str, count: int) -> tuple[str, ...]:
    """``count`` registers from ``name`` on: R4, R5; none for RZ."""
    found = _REGISTER.fullmatch(name)
    if found is None or found[2] == "Z":
        return ()
    return tuple(f"{found[1]}{int(found[2]) + n}" for n in range(count))


@lru_cache(maxsize=_TEXTS)
def mentioned(operands: tuple[str, ...]) -> frozenset[str]:
    """The first register of all that operands name, and what addresses are made of."""
    return frozenset(one[0] for text in operands for one in _REGISTER.finditer(text))


@lru_cache(maxsize=_TEXTS)
def register(text: str) -> str:
    """The register that an operand names, without sign and size; empty if it is none."""
    found = re.fullmatch(r"[-~|!]*(U?R(?:Z|\d+))(?:\.\w+)*\|?", text)
    return found[1] if found else ""


@lru_cache(maxsize=_TEXTS)
def predicate_name(text: str) -> str:
    """The predicate that an operand names; empty if it is none, PT for the constant."""
    found = _PREDICATE.fullmatch(text)
    return found[2] + found[3] if found else ""


@lru_cache(maxsize=_TEXTS)
def names(text: str) -> tuple[str, ...]:
    """All registers and predicates in an operand; a 64-bit one counts both halves."""
    found: list[str] = []
    for kind, number in re.findall(r"\b(U?[RP])(\d+)\b", text):
        found.append(f"{kind}{number}")
    if ".64" in text or text.startswith("desc"):
        found += [n for name in list(found) for n in following(name, 2)[1:]]
    return tuple(dict.fromkeys(found))


OF_GROUPS = "what its group of lanes has together"
"""Why nobody knows what lanes ask among themselves that run one group after the other."""


def held(state: State, name: str) -> Value:
    """What a register or a predicate holds; a warp has one of a uniform one, whoever wrote it, but
    while its groups of lanes run one after the other."""
    value = read(state, name)
    if not isinstance(value, Unknown) or value.uniform or not name.startswith("U"):
        return value
    if value.reason == OF_GROUPS:
        return value
    return of_one_lane(value)


def predicate(state: State, text: str) -> Value:
    """A boolean for every lane: ``!P0``, ``PT``, ``UP1``."""
    return _predicate_reader(text)(state)


def word(state: State, text: str) -> Value:
    """The 32 bits of a source operand, its sign and negation done."""
    return _word_reader(text)(state)


def pair(state: State, text: str) -> Value:
    """The 64 bits of a source operand: a register and the next, two words of a constant bank."""
    if text.startswith("-") and not _NUMBER.fullmatch(text):
        return apply(lambda x: np.uint64(0) - x, pair(state, text[1:]))
    if text.startswith("~"):
        return complement(pair(state, text[1:]))
    if _NUMBER.fullmatch(text):
        return constant(_integer(text), np.uint64)
    return apply(_JOINED, _half_reader(text, 0)(state), _half_reader(text, 1)(state))


def halves_of(state: State, text: str) -> tuple[Value, Value]:
    """The lower and the upper 32 bits of a source operand of 64; nothing is known of them where it
    has a sign."""
    if text[:1] in "-~" and not _NUMBER.fullmatch(text):
        lost = Unknown(f"the operand {text}")
        return lost, lost
    return _half_reader(text, 0)(state), _half_reader(text, 1)(state)


# An operand is executed very often, and its text is read once.
@lru_cache(maxsize=_TEXTS)
def _predicate_reader(text: str) -> _Reader:
    found = _PREDICATE.fullmatch(text)
    if found is None:
        return lambda state: Unknown(f"the operand {text}")
    negated, name = found[1] == "!", found[2] + found[3]
    if found[3] == "T":
        return _always(constant(int(not negated), np.bool_))
    if negated:
        return lambda state: complement(held(state, name))
    return lambda state: held(state, name)


@lru_cache(maxsize=_TEXTS)
def _word_reader(text: str) -> _Reader:
    if text.startswith("-") and not _NUMBER.fullmatch(text):
        negated = _word_reader(text[1:])
        return lambda state: apply(_NEGATED, negated(state))
    if text.startswith("~"):
        inverted = _word_reader(text[1:])
        return lambda state: complement(inverted(state))
    return _half_reader(text, 0)


@lru_cache(maxsize=_TEXTS)
def _half_reader(text: str, half: int) -> _Reader:
    text = text.removesuffix(".64")
    if _NUMBER.fullmatch(text):
        return _always(constant(_integer(text) >> 32 * half))
    found = _REGISTER.fullmatch(text)
    if found and found[2] == "Z":
        return _always(constant(0))
    if found:
        name = f"{found[1]}{int(found[2]) + half}"
        return lambda state: held(state, name)
    bank = _CONSTANT.fullmatch(text)
    if bank:
        number_, offset_bytes = int(bank[1], 16), int(bank[2], 16) + 4 * half
        return lambda state: constant_word(state, number_, offset_bytes)
    return lambda state: Unknown(f"the operand {text}")


def _always(value: Array) -> _Reader:
    return lambda state: value


def constant_word(state: State, bank: int, offset_bytes: int, size_bytes: int = 4) -> Value:
    """A word of the constant memory, or a part of one, as far as the launch gives it."""
    found: Value = state.memory(bank, offset_bytes, size_bytes)
    return found


def number(text: str) -> int | None:
    """The value of an immediate operand; None if it is none."""
    return _integer(text) if _NUMBER.fullmatch(text) else None


def _integer(text: str) -> int:
    return int(text, 16 if "x" in text else 10)


def constant_address(text: str) -> tuple[int, Address] | None:
    """The bank and the place of ``c[0x0][0x210]``, ``c[0x0][R2+0x210]``; None if it has another
    form."""
    found = re.fullmatch(r"cx?\[(0x[0-9a-f]+)\]\s*(\[.*\])", text)
    at = address(found[2]) if found else None
    return (int(found[1], 16), at) if found and at is not None else None


def first_byte(at: Address, state: State) -> Value:
    """The byte of every lane, int64. A sum wraps at 32 bits, as on the machine."""
    total: Value = constant(at.offset_bytes)
    for name, factor in at.terms:
        scaled = apply(LaneSum(lambda x, f=factor: x * np.uint32(f)), held(state, name))
        total = apply(_ADDED, total, scaled)
    return apply(_AS_PLACE, total)


_NEGATED = LaneSum(lambda x: np.uint32(0) - x)
_JOINED = LaneSum(join)
_ADDED = LaneSum(lambda x, y: x + y)
_AS_PLACE = LaneSum(lambda x: x.astype(np.int64))
