"""Modifiers that choose a part of a register (SDWA), or another lane's (DPP), in LLVM's words."""

from __future__ import annotations

from collections.abc import Callable

_PARTS = ("BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD")
_UNUSED = ("UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE")
_SINGLE = {
    0x130: "wave_shl:1",
    0x134: "wave_rol:1",
    0x138: "wave_shr:1",
    0x13C: "wave_ror:1",
    0x140: "row_mirror",
    0x141: "row_half_mirror",
    0x142: "row_bcast:15",
    0x143: "row_bcast:31",
}
_ROWS = {0x100: "row_shl", 0x110: "row_shr", 0x120: "row_ror", 0x150: "row_newbcast"}
Field = Callable[[str], int]


def sdwa_source(text: str, extends: bool, absolute: bool, negative: bool) -> str:
    """A source with its sign modifiers: ``sext(v1)``, ``-|v1|``."""
    if extends:
        return f"sext({text})"
    text = f"|{text}|" if absolute else text
    return f"-{text}" if negative else text


def sdwa(field: Field, two: bool, compare: bool) -> list[str]:
    """``dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 ...``."""
    found = ["clamp"] if field("clmp") else []
    if field("omod"):
        found.append(("mul:2", "mul:4", "div:2")[field("omod") - 1])
    if not compare:
        found.append(f"dst_sel:{_part(field('dst_sel'))}")
        found.append(f"dst_unused:{_named(_UNUSED, field('dst_unused'))}")
    found.append(f"src0_sel:{_part(field('src0_sel'))}")
    return [*found, f"src1_sel:{_part(field('src1_sel'))}"] if two else found


def dpp(field: Field) -> list[str]:
    """``quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf bound_ctrl:1``."""
    masks = [f"{name}:{field(name):#x}" for name in ("row_mask", "bank_mask")]
    return [_control(field("dpp")), *masks, *(["bound_ctrl:1"] if field("bc") else [])]


def _control(number: int) -> str:
    if number < 0x100:
        return f"quad_perm:[{','.join(str(number >> 2 * n & 3) for n in range(4))}]"
    row = _ROWS.get(number & 0x1F0)
    if row and (number & 15 or row == "row_newbcast"):
        return f"{row}:{number & 15}"
    if number in _SINGLE:
        return _SINGLE[number]
    raise ValueError(f"lanes {number:#x}")


def _part(number: int) -> str:
    return _named(_PARTS, number)


def _named(words: tuple[str, ...], number: int) -> str:
    if number >= len(words):
        raise ValueError(f"selection {number}")
    return words[number]
