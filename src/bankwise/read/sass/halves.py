"""Numbers of 16 bits, and truths, that share a register with what nobody reads any more.

    PRMT R3, RZ, 0x7610, R3        the lower half is 0, the upper one what was in R3 before
    @P0 BRA L
    PRMT R3, R4, 0x7610, R3        the lower half is that of R4
    L: LOP3.LUT P0, RZ, R3, 0xff, RZ, 0xc0, !PT

nvcc keeps a ``bool`` or a ``short`` so. By its text such an instruction reads what was in the
register, often data or an address of long ago; what it does is as well done with a zero there, if
on no way from it the upper half is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from bankwise.read.sass.calls import InlinedSass
from bankwise.read.sass.effects import known, results
from bankwise.read.sass.forms import form
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.operands import following, mentioned, names, number, register

_LOWER = 0x7610
"""The selector of PRMT that takes the lower half of the first operand, the upper of the last."""
_LOWER_ALONE = frozenset({0x7610, 0x9910, 0x9999, 0x8880, 0x8888, 0x5410})
"""Selectors whose first operand gives no byte of its upper half, nor a sign of it."""
_WORDS = re.compile(
    r"(?:BRA|BSSY|BSYNC|EXIT|F2F|F2FP|F2I|FADD|FFMA|FMNMX|FMUL|FRND|FSEL|FSETP|HADD2|HFMA2"
    r"|HMUL2|I2F|I2FP|IABS|IADD|IADD3|IMAD|IMNMX|ISETP|LD|LDC|LDG|LDL|LDS|LEA|LOP3|MOV|MUFU"
    r"|NOP|P2R|PLOP3|PRMT|R2UR|S2R|S2UR|SEL|SHF|SHFL|ST|STG|STL|STS|SYNCS|ULDC|UMOV|VIADD"
    r"|VIMNMX|WARPSYNC)"
)
"""Families whose operands are single words, if their names say no other size."""
_ADDRESSES = re.compile(r"LD[CGLS]?|SHFL?|ULDC")
"""Of these whatever size they say: it is that of the result."""
_SIZES = frozenset({"64", "128", "256", "F64", "S64", "U64"})
_FRAGMENT, _TILE = 16, 128
"""As many registers one operand may stand for elsewhere, and of what works for several warps."""
_ARGUMENTS = frozenset(f"R{n}" for n in range(4, 16))
"""Where a function of the driver may be given something."""


def without_upper_halves(code: InlinedSass) -> frozenset[int]:
    """The instructions, by their numbers, whose last operand may be taken for zero."""
    asked = [n for n, one in enumerate(code.instructions) if _keeps_upper(one)]
    if not asked:
        return frozenset()
    ways = code.ways()
    return frozenset(n for n in asked if not _is_read(code, ways, n))


def _keeps_upper(one: SassInstruction) -> bool:
    """Whether ``one`` sets the lower half of a register, and leaves the upper one."""
    if one.parts != ["PRMT"] or len(one.operands) != 4:
        return False
    target, _, selector, last = one.operands
    return number(selector) == _LOWER and register(last) == register(target) != "RZ"


def _is_read(code: InlinedSass, ways: Sequence[tuple[int, ...]], start: int) -> bool:
    """Whether the upper half may be read on some way behind ``start``."""
    name = register(code.instructions[start].operands[0])
    waiting, seen = list(ways[start]), set[int]()
    while waiting:
        at = waiting.pop()
        if at in seen or at >= len(code.instructions):
            continue
        seen.add(at)
        one = code.instructions[at]
        if at in code.system and name in _ARGUMENTS:
            return True
        if name in _read(one) and not _takes_lower(one, name):
            return True
        if not (name in results(one) and not one.guard and not _keeps_upper(one)):
            waiting += ways[at]
    return False


def _read(one: SassInstruction) -> frozenset[str]:
    """The registers that ``one`` may read, too many rather than too few."""
    found = form(one)
    writes = known(one) and register(found.target) in results(one)
    texts = (*found.sources, *found.ins) if writes else one.operands
    return _covered(texts, one.name)


@lru_cache(maxsize=4_096)
def _covered(texts: tuple[str, ...], name: str) -> frozenset[str]:
    family, *rest = name.split(".")
    exact = frozenset(name for text in texts for name in names(text))
    if family == "IMAD" and not {"HI", "WIDE"}.isdisjoint(rest):
        return exact.union(*(following(register(text), 2) for text in texts[2:3]))
    words = _WORDS.fullmatch(family) and _SIZES.isdisjoint(rest)
    if words or _ADDRESSES.fullmatch(family):
        return exact
    size = _TILE if "GMMA" in family or family.endswith("TM") else _FRAGMENT
    return frozenset(_following(mentioned(texts), size))


def _following(first: frozenset[str], size: int) -> Iterator[str]:
    for name in first:
        yield from following(name, size)


def _takes_lower(one: SassInstruction, name: str) -> bool:
    """Whether all that ``one`` reads of a register lies in its lower half, or goes on in its own
    upper one."""
    found = form(one)
    at = [n for n, text in enumerate(found.sources) if name in names(text)]
    if one.parts == ["PRMT"] and len(found.sources) == 3:
        last = at == [2] and _keeps_upper(one) and register(found.target) == name
        return last or (at == [0] and number(found.sources[1]) in _LOWER_ALONE)
    if one.name == "LOP3.LUT" and len(found.sources) == 4 and at == [0]:
        mask, lut = number(found.sources[1]), number(found.sources[3])
        return lut == 0xC0 and mask is not None and 0 <= mask < 1 << 16
    return False
