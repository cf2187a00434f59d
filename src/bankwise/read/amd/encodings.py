"""Which AMD instruction a machine word is: the tables that AMD publishes, through tinygrad.

``tinygrad.runtime.autogen.amd`` is generated from AMD's machine-readable ISA: names, opcodes, the
places of the fields, the sizes of the operands. Nothing but these tables is taken of it. One list
serves CDNA3 and CDNA4 (gfx940 to gfx950), so an instruction of CDNA4 is known for both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from bankwise.read.extra import extra

TARGETS = ("gfx940", "gfx941", "gfx942", "gfx950")
"""GPUs whose instructions the tables have."""

_KINDS = (
    *("VOP3P_MFMA", "VOP3P", "VOP3SD", "VOP3_SDST", "VOP3", "DS", "GLOBAL", "SCRATCH", "FLAT"),
    *("MUBUF", "SMEM", "SOP1", "SOPC", "SOPP", "SOPK_LIT", "VOPC", "VOP1", "SOP2", "VOP2_LIT"),
)
"""Encodings, those with the longer mark first."""
_VARIANTS = {249: "_SDWA", 250: "_DPP16"}
"""What the number of a first source says that is none."""
_LITERALS = ("SOP1", "SOP2", "SOPC", "VOP1", "VOP2", "VOPC")
"""Encodings of one word that may have a constant behind it."""
LITERAL = 255
"""The number of the source that is this constant."""
_SCALE = "v_mfma_ld_scale_b32"
"""The first half of an instruction of 16 bytes."""
_MATRIX = ("v_mfma_", "v_smfmac_")
_RENAMED = {
    "v_accvgpr_read": "v_accvgpr_read_b32",
    "v_accvgpr_write": "v_accvgpr_write_b32",
    "v_mad_mix_f32": "v_fma_mix_f32",
    "v_mad_mixlo_f16": "v_fma_mixlo_f16",
    "v_mad_mixhi_f16": "v_fma_mixhi_f16",
}
"""LLVM's names where they differ."""
_UNLISTED = {
    "v_mfma_f32_16x16x8_xf32": {"vdst": 4, "src0": 2, "src1": 2, "src2": 4},
    "v_mfma_f32_32x32x4_xf32": {"vdst": 16, "src0": 2, "src1": 2, "src2": 16},
}
"""Operands of CDNA3 that the tables, CDNA4's, no longer list: registers of each."""
_ALONE = (
    *("v_nop", "v_readfirstlane_b32", "v_swap_b32", "v_accvgpr_mov_b32", "v_clrexcp"),
    *("v_fmamk_f32", "v_fmaak_f32", "v_madmk_f16", "v_madak_f16"),
)
"""Names that LLVM prints without their encoding."""


class MachineEncoding(Struct, frozen=True):
    """One instruction in one encoding.

    ``name``: LLVM's, with what it says of the encoding. ``fields``: lowest bit and mask.
    ``registers``: 32-bit parts of each operand; 0: a kind of operand that is no register.
    ``length``: in bytes, without a constant behind it.
    """

    kind: str
    name: str
    length: int
    fields: Mapping[str, tuple[int, int]]
    registers: Mapping[str, int]
    scalar: frozenset[str] = frozenset()

    def get(self, raw: int, name: str) -> int:
        """A field of an instruction; 0 where the encoding has none of this name."""
        low, mask = self.fields.get(name, (0, 0))
        return raw >> low & mask


@cache
def tables() -> tuple[tuple[int, Mapping[int, MachineEncoding]], ...]:
    """Masks of the first word, and the encodings by what is left of it; the first that fits."""
    found: dict[tuple[int, str], dict[int, MachineEncoding]] = {}
    for kind in _KINDS:
        for mask, value, encoding in _encodings(kind):
            found.setdefault((mask, kind), {})[value] = encoding
    return tuple((mask, entries) for (mask, _), entries in found.items())


@cache
def pairs() -> Mapping[int, MachineEncoding]:
    """Instructions of 16 bytes, by the mark in their third word."""
    return {value: one for _, value, one in _encodings("VOP3PX2", word=2)}


def find(words: bytes) -> MachineEncoding | None:
    """The encoding of the instruction at the start of ``words``; None if none is known."""
    word = int.from_bytes(words[:4], "little")
    found = next((e for mask, t in tables() if (e := t.get(word & mask)) is not None), None)
    if found is None:
        return None
    if found.name == _SCALE:
        return pairs().get(int.from_bytes(words[8:12], "little") & 0xFFFF0000)
    variant = _VARIANTS.get(word & 0x1FF) if found.kind in ("VOP1", "VOP2", "VOPC") else None
    return _variant(found, variant) if variant else found


def has_literal(encoding: MachineEncoding, raw: int) -> bool:
    """Whether a 32-bit constant stands behind the instruction."""
    if encoding.kind not in _LITERALS:
        return encoding.name == "s_setreg_imm32_b32"
    sources = (n for n in ("src0", "ssrc0", "ssrc1") if n in encoding.fields)
    return needs_literal(encoding) or any(encoding.get(raw, n) == LITERAL for n in sources)


def needs_literal(encoding: MachineEncoding) -> bool:
    """Whether the constant is an operand of its own."""
    return encoding.name.startswith(("v_fmamk", "v_fmaak", "v_madmk", "v_madak"))


def _variant(found: MachineEncoding, suffix: str) -> MachineEncoding | None:
    """The encoding with sub-dword or lane selection."""
    return _variants().get((f"{found.kind}{suffix}", found.name))


@cache
def _variants() -> Mapping[tuple[str, str], MachineEncoding]:
    out = {}
    for kind, suffix in (
        ("VOP1", "_SDWA"),
        ("VOP2", "_SDWA"),
        ("VOPC", "_SDWA_SDST"),
        ("VOP1", "_DPP16"),
        ("VOP2", "_DPP16"),
    ):
        word = "sdwa" if "SDWA" in suffix else "dpp"
        for _, _, plain in _encodings("VOP2_LIT" if kind == "VOP2" else kind):
            name = f"{plain.name.removesuffix('_e32')}_{word}"
            fields = _fields(_class(f"{kind}{suffix}"))
            made = MachineEncoding(kind + suffix, name, 8, fields, plain.registers, plain.scalar)
            out[f"{kind}{'_SDWA' if word == 'sdwa' else '_DPP16'}", plain.name] = made
    return out


def _class(name: str) -> Any:
    return getattr(extra("tinygrad.runtime.autogen.amd.cdna.ins", "binary"), name)


def _fields(cls: Any) -> dict[str, tuple[int, int]]:
    return {name: (field.lo, field.mask) for name, field in cls._fields}


def _encodings(kind: str, word: int = 0) -> Iterator[tuple[int, int, MachineEncoding]]:
    """Mask and value of the marked word, and the encoding, of each instruction of one kind."""
    cls = _class(kind)
    operands = extra("tinygrad.runtime.autogen.amd.cdna.operands", "binary").OPERANDS
    mask = value = 0
    for _, field in cls._fields:
        if hasattr(field, "default") and type(field).__name__ == "FixedBitField":
            mask |= field.mask << (field.lo - 32 * word)
            value |= field.default << (field.lo - 32 * word)
    op = cls.op
    place = op.lo - 32 * word
    fields = _fields(cls)
    for one in op.allowed:
        known = operands.get(one, {})
        sizes = {name: -(-bits // 32) for name, (_, bits, _) in known.items()}
        scalar = frozenset(n for n, (_, _, what) in known.items() if "SREG" in what.name)
        plain = kind.removesuffix("_LIT")
        name = _name(one.name, plain)
        where = (plain, fields)
        if kind == "VOP3P" and name.startswith(_MATRIX):
            where = ("VOP3P_MFMA", _fields(_class("VOP3P_MFMA")))
        length = 4 if plain != kind else cls._base_size
        sizes = _UNLISTED.get(name, sizes)
        made = MachineEncoding(where[0], name, length, where[1], sizes, scalar)
        yield mask | op.mask << place, value | one.value << place, made


@cache
def _short() -> frozenset[str]:
    """Instructions that have an encoding of one word."""
    enums = extra("tinygrad.runtime.autogen.amd.cdna.enum", "binary")
    named = (*enums.VOP1Op, *enums.VOP2Op, *enums.VOPCOp)
    return frozenset(one.name.lower().removesuffix("_e32") for one in named)


def _name(name: str, kind: str) -> str:
    """As LLVM writes it: ``_e64`` for what has a shorter encoding, too."""
    plain = name.lower().removesuffix("_e32").removesuffix("_e64")
    plain = _RENAMED.get(plain, plain)
    if plain in _ALONE or not plain.startswith("v_") or kind.startswith("VOP3P"):
        return plain
    if kind in ("VOP1", "VOP2", "VOPC"):
        return f"{plain}_e32"
    return f"{plain}_e64" if plain in _short() else plain
