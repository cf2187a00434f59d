"""What constant bank 4 holds, by its names: a module numbers them over all its kernels.

    MOV R2, 0x8                       MOV R2, c[0x4][__assertfail]
    ULDC.64 UR4, c[0x4][0x40]         ULDC.64 UR4, c[0x4][text 0]     "n > 4"
    LDC.64 R2, c[0x4][R2]             LDC.64 R2, c[0x4][R2]

So the code of a kernel has the same text whatever other kernels are compiled beside it. What a text
says, as the name of the file in an assertion, is no part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from bankwise.read.follow.decoded import Address
from bankwise.read.sass.calls import InlinedSass
from bankwise.read.sass.effects import results
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.operands import constant_address, mentioned, number
from bankwise.read.sass.tables import MOVED_BY, only_source

_PLACE = re.compile(r"c\[0x4\]\s*\[(0x[0-9a-f]+)\]")
_TEXT = re.compile(r"\$str(?:\$\d+)?|__unnamed_\d+")
"""What nvcc 13.0 calls the texts of a module, which it counts."""
_BANK, _POINTER_BYTES = 4, 8
_HANDED_OVER = 4
"""The first register of an argument: functions of the driver take theirs in R4 and behind it.
Source: what nvcc 13.0 makes of ``printf`` and ``assert``."""


def by_name(code: InlinedSass, externals: Mapping[int, str]) -> tuple[SassInstruction, ...]:
    """The instructions of a kernel, with the names of ``externals`` for their places in bank 4,
    where nothing else is done with the number of a place; texts are counted in their order."""
    reads = any("c[0x4]" in text for one in code.instructions for text in one.operands)
    if not externals or not reads:
        return code.instructions
    moved, texts = dict(_moved(code, externals)), dict[str, str]()

    def spelled(at: int) -> str:
        name = externals.get(at - at % _POINTER_BYTES, hex(at))
        if _TEXT.fullmatch(name):
            name = texts.setdefault(name, f"text {len(texts)}")
        return f"c[{_BANK:#x}][{name}+{at % _POINTER_BYTES}]"

    def named_(number_: int, one: SassInstruction) -> SassInstruction:
        operands = one.operands
        if any("c[0x4]" in text for text in operands):
            operands = tuple(_PLACE.sub(lambda m: spelled(int(m[1], 16)), o) for o in operands)
        if number_ in moved:
            operands = (*operands[:-1], spelled(moved[number_]))
        return one if operands == one.operands else replace(one, operands=operands)

    return tuple(named_(n, one) for n, one in enumerate(code.instructions))


def _moved(code: InlinedSass, externals: Mapping[int, str]) -> Iterator[tuple[int, int]]:
    """The instructions that give a register a place in bank 4, for loads from there alone, and that
    place."""
    targets, ways = frozenset(code.targets.values()), code.ways()
    for at, one in enumerate(code.instructions):
        base = _base(one)
        source = only_source(code.instructions, at, base, targets) if base else None
        if source is None or code.instructions[source].name not in MOVED_BY:
            continue
        place = number(code.instructions[source].operands[-1])
        if (
            place is not None
            and place in externals
            and _only_places(code.instructions, ways, source, base)
        ):
            yield source, place


def _base(one: SassInstruction) -> str:
    """The register that alone says which place of bank 4 is loaded; "" where none does."""
    if one.parts[0] not in ("LDC", "ULDC", "LDCU") or len(one.operands) != 2:
        return ""
    bank, at = constant_address(one.operands[1]) or (0, Address((), 0))
    alone = bank == _BANK and not at.offset_bytes and [scale for _, scale in at.terms] == [1]
    return at.terms[0][0] if alone else ""


def _only_places(
    code: Sequence[SassInstruction], ways: Sequence[tuple[int, ...]], source: int, name: str
) -> bool:
    """Whether what an instruction gives a register is read as a place in bank 4 alone."""
    seen, waiting = set[int](), [*ways[source]]
    while waiting:
        at = waiting.pop()
        if at in seen or at >= len(code):
            continue
        seen.add(at)
        one = code[at]
        if _base(one) != name and _may_read(one, name):
            return False
        if name not in results(one) or one.guard:
            waiting += ways[at]
    return True


def _may_read(one: SassInstruction, name: str) -> bool:
    """Whether an instruction may read a register: also as one of two or four behind the one that it
    names, and as an argument of a call."""
    kind, number_ = name.rstrip("0123456789"), int(name.lstrip("UR"))
    if one.parts[0] == "CALL" and number_ >= _HANDED_OVER:
        return True
    read = one.operands[1:] if name in results(one) else one.operands
    around = {f"{kind}{first}" for first in (number_, number_ & ~1, number_ & ~3)}
    return not around.isdisjoint(mentioned(read))
