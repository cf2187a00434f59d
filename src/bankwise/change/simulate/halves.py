"""Vector instructions that put two 16-bit numbers into one register, or take one out.

    v_fma_mixlo_f16 v2, v0, s2, neg(0)     v2[15:0] = v_cvt_f16_f32(v_mul_f32 v0, s2)
    v_pack_b32_f16 v2, v0, v1              v2 = v1[15:0] : v0[15:0]

LLVM folds conversions, sums and products into the first. They are spelled out again here, so that
code in which it did not fold them has the same terms.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from bankwise.change.simulate.group import SimulatedGroup
from bankwise.change.simulate.memory import Unsupported
from bankwise.change.simulate.terms import Values, masked, term
from bankwise.read.amd.operands import Operand, bare, operand
from bankwise.read.amd.parse import AmdInstruction

MIX = re.compile(r"v_(?:fma|mad)_mix(?:lo|hi)?_f(?:16|32)")
SIGN, REST, _ONE = (np.uint64(n) for n in (0x80000000, 0x7FFFFFFF, 0x3F800000))
_COMMUTES = re.compile(r"v_(?:add|mul|fma|mad|min|max|pk_add|pk_mul|pk_fma)_")
_NEGATED = re.compile(r"neg\((.+)\)")


def mix(group: SimulatedGroup, op: AmdInstruction, register: str) -> None:
    """``v_fma_mixlo_f16``: a conversion of each source of 16 bits, a sum or a product of 32
    bits, and a conversion to 16, which leave the other half of the register."""
    words = [_widened(group, op, n, text) for n, text in enumerate(op.operands[1:])]
    found = masked(_sum(words), 32)
    if "clamp" in op.modifiers:
        raise Unsupported(f"{op.name} with clamp")
    if op.name.endswith("_f16"):
        half = masked(term_of("v_cvt_f16_f32", [found]), 16)
        old, up = group.word(operand(register)), np.uint64(16 if "mixhi" in op.name else 0)
        found = (old & ~(np.uint64(0xFFFF) << up)) | half << up
    group.put(register, found)


def _widened(group: SimulatedGroup, op: AmdInstruction, n: int, text: str) -> Values:
    """A source of 32 bits; of 16, where ``op_sel_hi`` says so, converted."""
    where, negative = signed_operand(text)
    word = group.word(where)
    if re.findall("[01]", op.modifiers.get("op_sel_hi", "000"))[n] == "1":
        high = re.findall("[01]", op.modifiers.get("op_sel", "000"))[n] == "1"
        word = term_of("v_cvt_f32_f16", [masked(word >> np.uint64(16 * high), 16)])
    word = masked(word, 32)
    word = word & REST if "|" in text or "abs" in text else word
    return word ^ SIGN if negative else word


def _sum(words: Sequence[Values]) -> Values:
    """a b + c, which is a b where c is -0, and a + c where b is 1."""
    a, b, c = words
    if (c == SIGN).all():
        return term_of("v_mul_f32", [a, b])
    one = next((n for n in (0, 1) if (words[n] == _ONE).all()), None)
    if one is not None:
        return term_of("v_add_f32", [words[1 - one], c])
    return term_of("v_fma_f32", [a, b, c])


def pack_halves(group: SimulatedGroup, op: AmdInstruction, register: str) -> None:
    """``v_pack_b32_f16``: a half of each source."""
    high = re.findall("[01]", op.modifiers.get("op_sel", "000"))
    found = np.zeros_like(group.word(operand(register)))
    for n, text in enumerate(op.operands[1:]):
        where, negative = signed_operand(text)
        word = masked(group.word(where) >> np.uint64(16 if high[n] == "1" else 0), 16)
        word = word & np.uint64(0x7FFF) if "|" in text or "abs" in text else word
        found = found | (word ^ np.uint64(0x8000 * negative)) << np.uint64(16 * n)
    group.put(register, found)


@lru_cache(maxsize=4096)
def signed_operand(text: str) -> tuple[Operand, bool]:
    """An operand without its signs, and whether it is negated: ``-v1``, ``neg(0)``."""
    where, negative = operand(bare(text)), text.startswith(("-", "neg"))
    if not where.registers and (inner := _NEGATED.fullmatch(text)):
        where = operand(inner[1])
    if not where.registers and where.number is None:
        raise Unsupported(f"the operand {text}")
    return where, negative and (bool(where.registers) or text.startswith("neg"))


def term_of(name: str, words: Sequence[Values]) -> Values:
    """The term of an operation on words of any shape; factors and summands may change places."""
    together = 2 if _COMMUTES.match(name) and len(words) > 1 else 0
    found = term(name, [one.reshape(-1) for one in words], together=together)
    return found.reshape(words[0].shape)
