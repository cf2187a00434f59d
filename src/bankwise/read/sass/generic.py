"""Generic accesses: which memory LD, ST, ATOM and RED may touch.

The upper word of a generic address says the memory. Shared memory is one window of addresses, whose
upper word is SR_SWINHI (c[0x0][0x1c] before sm_90); what the host passes to a kernel never lies in
it. So a pointer is followed by what its upper word is made of:

    S2R R9, SR_SWINHI                 shared
    LDC.64 R4, c[0x0][0x218]          of the host
    IMAD.WIDE R4, R2, 0x4, R4         of the host still: the product is a number
    LD.E.64 R4, [R6.64]               anything: it came from memory

An access of a pointer of the host is no access to shared memory. Every other one is followed: where
its address is known, its upper word decides; where it is not, the access is refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from bankwise.read.follow.functions import apply
from bankwise.read.follow.spaces import Origin, either, either_of, shared_byte, sum_of
from bankwise.read.follow.state import State
from bankwise.read.follow.values import Value
from bankwise.read.follow.ways import facts_before
from bankwise.read.sass.calls import InlinedSass
from bankwise.read.sass.effects import results
from bankwise.read.sass.forms import form
from bankwise.read.sass.frames import Frames
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.operands import following, number, pair, register

GENERIC = re.compile(r"(?:LD|ST|ATOM|RED|QSPC)(?:\.|$)")
_ADDRESS = re.compile(
    r"(?:desc\[\w+\])?\[(?:(R\d+)(?:\.64)?|RZ(?:\.U32)?\+(UR\d+)|(UR\d+))(?:\+(-?0x[0-9a-f]+))?\]"
)
_CHOICES = ("SEL", "USEL", "FSEL", "PRMT", "UPRMT")
_COPIES = ("MOV", "UMOV", "R2UR", "SHFL", *_CHOICES)
_SUMS = ("IADD3", "IADD", "VIADD", "UIADD3", "UIADD", "LOP3", "ULOP3")
_NUMBERS = re.compile(
    r"U?(?:POPC|FLO|BREV|IABS|F2I\w*|I2F\w*|MUFU|VOTE|VOTEU|MATCH|S2R|CS2R|S2UR|BMSK|SGXT|P2R|REDUX)"
    r"(?:\.|$)"
)


def pointer_of(one: SassInstruction) -> tuple[str, int] | None:
    """The register (with the next) and the constant of a generic address; None if it has another
    form, or is not of 64 bits."""
    text = next((t for t in one.operands if "[" in t and not t.startswith("c")), "")
    found = _ADDRESS.fullmatch(text) if "E" in one.parts else None
    if found is None:
        return None
    return found[1] or found[2] or found[3], int(found[4] or "0", 16)


def of_the_host(code: InlinedSass, stack: Frames, window: str) -> frozenset[int]:
    """The generic accesses that cannot touch shared memory, by number. ``window``: the constant
    that holds the upper word of its addresses, empty if none does."""
    wanted = [n for n, one in enumerate(code.instructions) if GENERIC.match(one.name)]
    if not wanted:
        return frozenset()

    def change(n: int, facts: dict[str, Origin]) -> None:
        one = code.instructions[n]
        if n in stack.words:
            _spill(one, stack.words[n], facts)
            return
        if n in stack.clobbers:
            facts.update(dict.fromkeys(stack.clobbers[n], "any"))
        _move(one, facts, window)

    known = facts_before(code.ways(), change, either)
    return frozenset(
        n
        for n in wanted
        if (at := pointer_of(code.instructions[n])) is not None
        and known.get(n, {}).get(following(at[0], 2)[1]) == "host"
    )


def byte_at(state: State, at: tuple[str, int]) -> Value:
    """The byte of shared memory that every lane touches, int64; -1 where it is other memory."""
    name, offset = at
    whole = apply(lambda x: x + np.uint64(offset % (1 << 64)), pair(state, name))
    return apply(shared_byte, whole)


def _spill(one: SassInstruction, words: tuple[str, ...], facts: dict[str, Origin]) -> None:
    """A store to the stack, or a load from there."""
    loads = one.parts[0] == "LDL"
    held = following(register(one.operands[0 if loads else 1]), len(words)) or ("RZ",) * len(words)
    for name, word in zip(held, words, strict=True):
        to, of = (name, word) if loads else (word, name)
        kind = "number" if of == "RZ" else facts.get(of, "any")
        facts[to] = either(facts.get(to, "any"), kind) if one.guard else kind


def _move(one: SassInstruction, facts: dict[str, Origin], window: str) -> None:
    """What the registers that an instruction writes hold behind it."""
    written = [name for name in results(one) if "P" not in name]
    kinds = [_result(one, n, facts, window) for n in range(len(written))]
    for name, kind in zip(written, kinds, strict=True):
        facts[name] = either(facts.get(name, "any"), kind) if one.guard else kind


def _result(one: SassInstruction, half: int, facts: Mapping[str, Origin], window: str) -> Origin:
    """Of the register number ``half`` that ``one`` writes."""
    word, sources = one.parts[0], form(one).sources
    if any("SWINHI" in text for text in sources):
        return "shared"
    if word in ("LDC", "ULDC", "LDCU"):
        return _constant(sources[0], half, window) if sources else "any"
    if _NUMBERS.match(one.name):
        return "number"
    wide = half if "64" in one.parts else 0
    kinds = [_operand(text, wide, facts, window) for text in sources]
    if word in ("SHF", "USHF"):
        return _shifted(one, sources, kinds)
    if word in _COPIES:
        return either_of(kinds if word in _CHOICES else kinds[:1])
    if word in _SUMS:
        return sum_of(kinds)
    if word in ("IMAD", "UIMAD") and len(sources) == 3:
        return _product(one, sources, kinds, _operand(sources[-1], half, facts, window))
    if word in ("LEA", "ULEA"):
        return sum_of(kinds[1:2]) if len(kinds) > 2 and (number(sources[-1]) or 0) > 0 else "any"
    return "any"


def _shifted(one: SassInstruction, sources: tuple[str, ...], kinds: list[Origin]) -> Origin:
    """SHF: a sign, and the upper word of an index that is shifted to the left, are numbers."""
    count = number(sources[1]) if len(sources) == 3 else None
    plain = ("number", "host")
    if all(kind in plain for kind in kinds) and count:
        return "number"
    sign = one.name.endswith("SHF.R.S32.HI") and count == 31
    upper = {"L", "HI"} <= set(one.parts) and kinds[-1] in plain and 0 < (count or 0) < 32
    return "number" if sign or upper else "any"


def _product(
    one: SassInstruction, sources: tuple[str, ...], kinds: list[Origin], last: Origin
) -> Origin:
    """IMAD: a product is a number; RZ * RZ + c, a * 1 + c are none. ``last``: of the addend."""
    if "HI" in one.parts:
        return "number"
    if "WIDE" in one.parts:
        return sum_of([*kinds[: number(sources[1]) == 1], last])
    if "RZ" in sources[:2] or "URZ" in sources[:2]:
        return kinds[2]
    return sum_of([kinds[0] if number(sources[1]) == 1 else "number", kinds[2]])


def _operand(text: str, half: int, facts: Mapping[str, Origin], window: str) -> Origin:
    """The kind of a source; of a pair its lower or upper word."""
    if text.startswith(("c[", "cx[", "-c[")):
        return _constant(text, half, window)
    name = register(text)
    if not name or name.endswith("Z"):
        return "number" if number(text) is not None or name else "any"
    return facts.get(following(name, half + 1)[half], "any")


def _constant(text: str, half: int, window: str) -> Origin:
    """The host fills the constant banks; on some machines with the window, too."""
    found = re.fullmatch(r"-?cx?\[0x0\]\s*\[(0x[0-9a-f]+)\]", text)
    inside = found is not None and window and int(found[1], 16) + 4 * half == int(window, 16)
    return "shared" if inside else "host"
