"""The stack: what stands in local memory at a place that the text gives.

A function keeps in local memory what it must not change, and the compiler what has no register:

    VIADD R1, R1, 0xfffffff8            R1 is the stack pointer
    STL [R1], R2                        the word at -8
    LDL R2, [R1]                        the same word

Such a word is followed like a register, as ``L-8``. Any other write to local memory may change all
of them; so may a write through a pointer, once an address on the stack has been taken.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from bankwise.read.follow.ways import facts_before
from bankwise.read.sass.calls import InlinedSass
from bankwise.read.sass.effects import results
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.operands import address, names, number

POINTER = "R1"
_STARTS = re.compile(r"cx?\[0x0\]\s*\[0x(?:28|37c)\]")
"""Where the launch leaves the stack pointer: of sm_80 to sm_90, and from sm_100 on."""
_SUMS = ("IADD3", "IADD", "VIADD")
_WRITES = re.compile(r"(?:ST|ATOM|RED)(?:\.|$)")
_PARTS = (["U8"], ["S8"], ["U16"], ["S16"])
_NO_ADDRESS = ("ISETP", "LDL", "STL")


class Frames(Struct, frozen=True):
    """``words``: the names of the words that a load or a store of local memory moves, by its
    number; ``clobbers``: the words that a store may change otherwise, by its number."""

    words: Mapping[int, tuple[str, ...]]
    clobbers: Mapping[int, tuple[str, ...]]


def frames(code: InlinedSass) -> Frames:
    """The words of local memory that ``code`` names."""
    local = [n for n, one in enumerate(code.instructions) if one.parts[0] in ("LDL", "STL")]
    if not local:
        return Frames({}, {})
    known = facts_before(code.ways(), lambda n, facts: _move(code.instructions[n], facts), _same)
    words = {
        n: found
        for n in local
        if (at := known.get(n, {}).get(POINTER)) is not None
        and (found := _words(code.instructions[n], at))
    }
    parts = {n: found for n, found in words.items() if _kinds(code.instructions[n]) in _PARTS}
    for n in parts:
        del words[n]
    stores = {n for n in local if code.instructions[n].parts[0] == "STL" and n not in words}
    if any(_takes(one) for one in code.instructions):
        stores |= {n for n, one in enumerate(code.instructions) if _WRITES.match(one.name)}
        parts = {}
    every = tuple(dict.fromkeys(name for found in words.values() for name in found))
    return Frames(words, {n: parts.get(n, every) for n in stores})


def _same(a: int | None, b: int | None) -> int | None:
    return a if a == b else None


def _move(one: SassInstruction, facts: dict[str, int | None]) -> None:
    """The stack pointer behind an instruction, from where it was at the start."""
    if POINTER in results(one):
        alone = not one.guard and one.operands[0] == POINTER
        facts[POINTER] = _moved(one, facts.get(POINTER)) if alone else None


def _moved(one: SassInstruction, before: int | None) -> int | None:
    rest = [text for text in one.operands[1:] if text not in ("RZ", "PT", "UPT", "!PT")]
    if one.parts[0] in ("LDC", "MOV", "IMAD") and len(rest) == 1:
        if _STARTS.fullmatch(rest[0]):
            return 0
        return before if rest[0] == POINTER else None
    if one.parts[0] not in _SUMS or before is None or len(rest) != 2 or POINTER not in rest:
        return None
    step = number(rest[1 - rest.index(POINTER)])
    return None if step is None else before + _signed(step)


def _signed(word: int) -> int:
    return (word & 0xFFFFFFFF ^ 0x80000000) - 0x80000000


def _words(one: SassInstruction, pointer: int) -> tuple[str, ...]:
    """The words at the address, or the one of which a part is moved; none if it has another
    base."""
    text = next((t for t in one.operands if t.startswith("[")), "")
    at = address(text)
    kinds = _kinds(one)
    count = 1 if kinds in _PARTS else {(): 1, ("64",): 2, ("128",): 4}.get(tuple(kinds))
    if len(one.operands) != 2 or at is None or count is None or at.terms != ((POINTER, 1),):
        return ()
    first = pointer + at.offset_bytes
    first -= first % 4 if kinds in _PARTS else 0
    return () if first % 4 else tuple(f"L{first + 4 * n}" for n in range(count))


def _kinds(one: SassInstruction) -> list[str]:
    return [part for part in one.parts[1:] if part != "LU"]


def _takes(one: SassInstruction) -> bool:
    """Whether an instruction makes an address on the stack."""
    if one.parts[0] in _NO_ADDRESS or one.operands[:1] == (POINTER,):
        return False
    return any(POINTER in names(text) for text in one.operands)
