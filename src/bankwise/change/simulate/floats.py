"""Everything that vector instructions make which is no integer: terms, in one spelling for all
forms of an operation.

    v_fmac_f32 v0, v1, v2              the term of v_fma_f32 v0, v1, v2, v0
    v_subrev_f32 v0, v1, v2            v2 + (-v1)
    v_pk_fma_f32 v[0:1], ..            two of them

The 32-bit numbers with which LLVM divides integers are computed, as the follower does: those that
come from an integer, as long as nothing else takes part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import numpy as np

from bankwise.change.simulate.group import SimulatedGroup
from bankwise.change.simulate.halves import (
    MIX,
    REST,
    SIGN,
    mix,
    pack_halves,
    signed_operand,
    term_of,
)
from bankwise.change.simulate.memory import Unsupported
from bankwise.change.simulate.terms import Values, masked, mixed, number_of
from bankwise.read.amd.masks import pack
from bankwise.read.amd.operands import Operand, bare, operand
from bankwise.read.amd.parse import AmdInstruction
from bankwise.read.amd.vector_tables import SELECTIONS
from bankwise.read.follow.program import ProgramStep
from bankwise.read.follow.state import write
from bankwise.read.follow.values import Unknown

Does = Callable[[SimulatedGroup], None]

_FROM_INTEGER = re.compile(r"v_cvt_f32_(?:u32|i32|ubyte\d)")
_TO_INTEGER = ("v_cvt_u32_", "v_cvt_i32_", "v_cvt_flr_i32_", "v_cvt_rpi_i32_")
_NUMBER = re.compile(r"v_(?!cmp|cndmask|mov|cvt_[fu]?\w*pk)\w*_f32$")
_MIX = re.compile(r"v_(?:fma|mad)mix(?:lo|hi)?_f(?:16|32)")
_NEGATED = re.compile(r"neg\((.+)\)")
_PACKED = re.compile(r"v_pk_(add|mul|fma)_f32")
_HALVES = re.compile(r"_(?:b?f16|[iu]16)$")


def is_number(op: AmdInstruction) -> bool:
    """Whether the follower would compute 32-bit numbers here, which is right for some alone."""
    turned = op.name in ("v_cvt_u32_f32", "v_cvt_i32_f32") or _FROM_INTEGER.match(op.name)
    return bool(turned or _NUMBER.match(op.name))


def computed(op: AmdInstruction, step: ProgramStep) -> Does:
    """An instruction whose result is a term, or a number that integers made."""
    if op.encoding.endswith("dpp"):
        raise Unsupported(f"{op.name} of another lane's operands")
    exact = step.run is not None and step.followed and is_number(op)
    whole = [n for text in op.operands[1:] for n in operand(bare(text)).registers]
    to = operand(op.operands[0]).registers
    if op.name in ("v_fmac_f32", "v_mac_f32"):
        whole += to
    from_integer = bool(_FROM_INTEGER.match(op.name))
    termed: list[Does] = []

    def does(group: SimulatedGroup) -> None:
        if not group.lanes().any():
            return
        made = exact and (from_integer or all(n in group.exact for n in whole))
        if made and step.run is not None:
            step.run(group.state)
            if not any(isinstance(group.state.registers[n], Unknown) for n in to):
                keeps = not op.name.startswith(("v_cvt_u32", "v_cvt_i32"))
                (group.exact.update if keeps else group.exact.difference_update)(to)
                return
        if not termed:
            termed.append(_termed(op))
        group.exact.difference_update(to)
        termed[0](group)

    return does


def _termed(op: AmdInstruction) -> Does:
    """An instruction whose result is a term, whatever its operands are."""
    packed = _PACKED.fullmatch(op.name)
    to = operand(op.operands[0]).registers
    if packed:
        return lambda group: _put_halves(group, op, to, f"v_{packed[1]}_f32")
    if MIX.match(op.name):
        return lambda group: mix(group, op, to[0])
    if op.name == "v_pack_b32_f16":
        return lambda group: pack_halves(group, op, to[0])
    name, texts = _spelled(op)
    called, compares, is_half = name + _changes(op), op.name.startswith("v_cmp"), _is_half(op.name)
    scale = operand(op.operands[1]).registers if "div_scale" in op.name else ()
    counts = op.name.startswith(_TO_INTEGER)

    def does(group: SimulatedGroup) -> None:
        found = term_of(called, [_source(group, op, name, n, *one) for n, one in enumerate(texts)])
        found = group.memory.cut(found) if counts else found
        if compares:
            _put_mask(group, to, found)
            return
        for number, register in enumerate(to):
            made = found if number == 0 else mixed(found ^ np.uint64(number))
            made = masked(made, 16) if is_half else made
            group.put(register, _placed(group, op, register, made))
        if scale:
            _put_mask(group, scale, found >> np.uint64(40))

    return does


def _put_halves(group: SimulatedGroup, op: AmdInstruction, to: Sequence[str], name: str) -> None:
    halves = [
        [_part(group, op, n, half) for n in range(1, len(op.operands))] for half in range(len(to))
    ]
    for register, words in zip(to, halves, strict=True):  # which may be a source of the other half
        group.put(register, term_of(name, words))


def _is_half(name: str) -> bool:
    """Whether a result has 16 bits: a conversion names it first, all else last."""
    if name.startswith("v_cvt_") and "pk" not in name:
        return name.startswith(("v_cvt_f16_", "v_cvt_bf16_", "v_cvt_u16_", "v_cvt_i16_"))
    return bool(_HALVES.search(name)) and "pk_" not in name


def _put_mask(group: SimulatedGroup, to: Sequence[str], found: Values) -> None:
    """The lowest bit of every lane as a mask."""
    bits = np.asarray(found & np.uint64(1), np.bool_) & group.lanes()
    halves = pack(bits, len(bits))
    for register, half in zip(to, halves, strict=True):
        write(group.state, register, half)


def _spelled(op: AmdInstruction) -> tuple[str, list[tuple[str, bool]]]:
    """One name and order of operands for all forms of an operation; which of them is negated."""
    name, texts = op.name, list(op.operands[1:])
    if "div_scale" in name:
        return name, [(text, False) for text in texts[1:]]
    kind = name.rpartition("_")[2]
    if name.startswith(("v_fmac_", "v_pk_fmac_", "v_mac_", "v_dot2c_", "v_dot4c_")):
        name = re.sub(r"(fma|ma|dot\d)c(?=_)", r"\1", name)
        texts.append(op.operands[0])
    elif name.startswith(("v_fmamk", "v_fmaak")):
        texts = [texts[0], texts[2], texts[1]] if "amk" in name else texts
        name = f"v_fma_{kind}"
    subtracts = bool(re.fullmatch(r"v_sub(?:rev)?_f(?:16|32)", name))
    if subtracts:
        texts = texts[::-1] if "rev" in name else texts
        name = f"v_add_{kind}"
    return name, [(text, subtracts and n == 1) for n, text in enumerate(texts)]


def _changes(op: AmdInstruction) -> str:
    """Modifiers that change what is computed."""
    kept = (k for k in op.modifiers if k not in ("src0_sel", "src1_sel", "dst_sel", "dst_unused"))
    return "".join(f" {key}:{op.modifiers[key]}" for key in sorted(kept))


def _source(
    group: SimulatedGroup, op: AmdInstruction, name: str, n: int, text: str, negated: bool
) -> Values:
    """A source with its signs; of 16 bits where the operation takes no more."""
    where, negative = signed_operand(text)
    words = [group.word(where, part) for part in range(max(1, len(where.registers)))]
    selected = SELECTIONS.get(op.modifiers.get(f"src{n}_sel", "DWORD"))
    if selected is None:
        raise Unsupported(op.name)
    words[0] = np.asarray(selected(words[0].astype(np.uint32)), np.uint64)
    half = bool(_HALVES.search(name)) and "pk_" not in name
    if half:
        words[0] = masked(words[0], 16)
    sign, rest = (np.uint64(0x8000), np.uint64(0x7FFF)) if half else (SIGN, REST)
    if "|" in text or "abs" in text:
        words[-1] = words[-1] & rest
    if negated != negative:
        words[-1] = words[-1] ^ sign
    found = words[0]
    for more in words[1:]:
        found = mixed(found) ^ more
    return found


def _part(group: SimulatedGroup, op: AmdInstruction, n: int, half: int) -> Values:
    """What one half of a packed 32-bit operation takes of a source of two."""
    key, usual, negated = ("op_sel_hi", "1", "neg_hi") if half else ("op_sel", "0", "neg_lo")
    picks = re.findall("[01]", op.modifiers.get(key, usual * 3))
    signs = re.findall("[01]", op.modifiers.get(negated, "000"))
    where = operand(op.operands[n])
    pick = int(picks[n - 1]) if len(where.registers) > 1 else 0
    found = group.word(where, pick)
    return found ^ SIGN if signs[n - 1] == "1" else found


def _placed(group: SimulatedGroup, op: AmdInstruction, register: str, made: Values) -> Values:
    """A result where ``dst_sel`` puts it."""
    to = op.modifiers.get("dst_sel", "DWORD")
    if to == "DWORD":
        return made
    found = re.fullmatch(r"(BYTE|WORD)_(\d)", to)
    if found is None:
        raise Unsupported(op.name)
    bits = 8 if found[1] == "BYTE" else 16
    shift, ones = np.uint64(bits * int(found[2])), np.uint64((1 << bits) - 1)
    old = np.zeros_like(made)
    if op.modifiers.get("dst_unused") == "UNUSED_PRESERVE":
        old = group.word(operand(register)) & ~(ones << shift)
    return np.asarray(old | (made & ones) << shift)


def _parts(op: AmdInstruction, source: Operand, results: int) -> int:
    """How many registers an operand is; a constant stands for as many as there are ``results``,
    all with its value: to begin with ``0`` is to begin with registers of zeros."""
    if source.registers:
        return len(source.registers)
    if source.number and "f64" in op.name:
        raise Unsupported(f"{op.name}: the operand {source.text}")
    return results


def matrix(op: AmdInstruction) -> Does:
    """``v_mfma``: each result a term of all that the wave gives."""
    to, *given = (operand(text) for text in op.operands)

    def does(group: SimulatedGroup) -> None:
        words = {
            64 * part + 4096 * number: group.word(source, part if source.registers else 0)
            for number, source in enumerate(given)
            for part in range(_parts(op, source, len(to.registers) if number == 2 else 1))
        }
        found = of_the_wave(op.name + _changes(op), words, len(to.registers))
        for name, value in zip(to.registers, found, strict=True):
            group.put(name, value)

    return does


def of_the_wave(name: str, words: Mapping[int, Values], results: int) -> list[Values]:
    """So many registers, each a term of all that the wave gives: ``words``, [waves, lanes], by
    their positions, which are multiples of the lanes."""
    whole = np.array(list(words.values()))
    found = _places(tuple(words), whole.shape[2])[:, None, :] ^ whole
    sums: Values = mixed(found).sum(axis=2, dtype=np.uint64)
    seen = np.full(whole.shape[1], number_of(name))
    for one in sums:
        seen = mixed(seen ^ one)
    lanes = whole.shape[2]
    apart = _places(tuple(range(0, lanes * results, lanes)), lanes)
    return list(mixed(seen[:, None] ^ apart[:, None, :]))


@cache
def _places(positions: tuple[int, ...], lanes: int) -> Values:
    """A number for every lane behind each position, [positions, lanes]."""
    place = np.arange(lanes, dtype=np.uint64)
    return mixed(place + np.array(positions, np.uint64)[:, None])
