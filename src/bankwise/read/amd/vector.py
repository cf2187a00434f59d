"""Vector instructions (``v_*``): one value for each lane, written where the execution mask lets.

What is in no table is not followed, and its destinations become unknown.
"""

from __future__ import annotations

import re
from functools import partial

import numpy as np

from bankwise.read import bits as b
from bankwise.read import integers as i
from bankwise.read.amd import numbers as amd
from bankwise.read.amd.dpp import ENCODINGS, dpp
from bankwise.read.amd.floats import comparison as floats_compared
from bankwise.read.amd.floats import float_sources, floating
from bankwise.read.amd.lanes import (
    Make,
    Run,
    Sources,
    copy,
    count_below,
    first_lane,
    one_lane,
    plain_sources,
    put,
    swap,
    swap_rows,
    write_lane,
)
from bankwise.read.amd.literals import modifier
from bankwise.read.amd.masks import EXEC, lanes, pack, set_exec
from bankwise.read.amd.operands import Operand, bare, operand, value
from bankwise.read.amd.parse import AmdInstruction
from bankwise.read.amd.scalar_tables import comparison
from bankwise.read.amd.vector_tables import CARRIES, FUNCTIONS, PACKED, SELECTIONS, Function
from bankwise.read.follow.bitwise import exclusive_or, truth_table
from bankwise.read.follow.choices import conjunction, difference, disjunction
from bankwise.read.follow.functions import LaneSum, apply, choose, operands_of, remembering
from bankwise.read.follow.state import State, read, running, write
from bankwise.read.follow.values import Array, Unknown, Value, because, constant, displaced, either

_PLAIN_BITS: dict[str, Function] = {
    "v_and_b32": np.bitwise_and,
    "v_or_b32": np.bitwise_or,
    "v_xor_b32": exclusive_or,
}
_BITWISE = {"v_and_b32": conjunction, "v_or_b32": disjunction, "v_xor_b32": difference}
_PAIRS = ("v_mad_u64_u32", "v_mad_i64_i32", "v_pk_mov_b32")
_CHANGES = ("clamp", "op_sel", "op_sel_hi", "mul", "div", "omod")
"""Modifiers that change the result of an integer instruction."""


def vector(op: AmdInstruction) -> Run | None:
    """What a vector instruction does; None if it is not followed."""
    if not op.operands:
        return None
    if any(name in op.modifiers for name in _CHANGES) and not op.name.startswith("v_pk_"):
        return None
    operands = tuple(operand(text) for text in op.operands)
    to, sources = operands[0], operands[1:]
    if op.encoding in ENCODINGS:
        return _dpp(op, to, sources)
    if len(to.registers) != (2 if op.name.endswith("64") or op.name in _PAIRS else 1):
        return _compare(op, to, sources) if op.name.startswith("v_cmp") else None
    if op.encoding == "sdwa":
        return _sdwa(op, to, sources)
    if op.name in PACKED:
        return _packed(op, to, sources)
    special = _SPECIAL.get(op.name)
    if special is not None:
        return special(op, to, sources)
    number = floating(op, to)
    if number is not None:
        return number
    if op.name.startswith("v_cmp"):
        return _compare(op, to, sources)
    if op.name in CARRIES:
        return _carry(op, to, sources)
    return _simple(op.name, to, plain_sources(sources), len(sources))


def _simple(name: str, to: Operand, sources: Sources, count: int) -> Run | None:
    """One 32-bit result of ``count`` sources."""
    if name in _BITWISE and count == 2:
        bits = remembering(_BITWISE[name])
        return lambda state: put(state, to, bits(*sources(state)))
    function = FUNCTIONS.get(name)
    if function is None or operands_of(function) != count:
        return None
    compute = remembering(partial(apply, function))
    return lambda state: put(state, to, compute(*sources(state)))


def _packed(op: AmdInstruction, to: Operand, sources: tuple[Operand, ...]) -> Run | None:
    """v_pk_*: the same for both 16-bit halves; op_sel and op_sel_hi pick the halves."""
    function = PACKED[op.name]
    if operands_of(function) != len(sources) or {"clamp", "neg_lo", "neg_hi"} & set(op.modifiers):
        return None
    words = (("op_sel", 0), ("op_sel_hi", 1))
    picks = [_picks(op.modifiers.get(name), len(sources), usual) for name, usual in words]
    plain = plain_sources(sources)
    if any(len(one) != len(sources) for one in picks):
        return None

    def run(state: State) -> None:
        put(state, to, apply(lambda *values: amd.packed(function, values, *picks), *plain(state)))

    return run


def _picks(text: str | None, count: int, default: int) -> list[int]:
    return [default] * count if text is None else [int(n) for n in re.findall("[01]", text)]


def _sdwa(op: AmdInstruction, to: Operand, sources: tuple[Operand, ...]) -> Run | None:
    """Sub-dword sources of a two-operand instruction with a whole result."""
    picks = [_selection(op, n) for n in range(len(sources))]
    sources = tuple(operand(bare(source.text)) for source in sources)
    if op.modifiers.get("dst_sel", "DWORD") != "DWORD" or None in picks or len(sources) > 2:
        return None

    def picked(state: State) -> tuple[Value, ...]:
        values = plain_sources(sources)(state)
        return tuple(apply(p, v) for p, v in zip(picks, values, strict=True) if p is not None)

    return _simple(op.name, to, picked, len(sources))


def _selection(op: AmdInstruction, n: int) -> Function | None:
    """The part of a source, with its sign if the text says ``sext``."""
    part, text = op.modifiers.get(f"src{n}_sel", "DWORD"), op.operands[n + 1]
    pick = SELECTIONS.get(part)
    if text == bare(text) or pick is None:
        return pick
    bits = {"BYTE": 8, "WORD": 16}.get(part.partition("_")[0], 32)
    return (lambda x: b.sign_extend(pick(x), bits)) if text.startswith("sext(") else None


def _dpp(op: AmdInstruction, to: Operand, sources: tuple[Operand, ...]) -> Run | None:
    """A plain instruction whose first source comes from another lane."""
    function = _PLAIN_BITS.get(op.name) or FUNCTIONS.get(op.name)
    if function is None or operands_of(function) != len(sources):
        return None
    return dpp(op, to, sources, function)


def _mask(state: State, source: Operand) -> Value:
    """Two scalar registers as a boolean of each lane."""
    return lanes(value(state, source, 0), value(state, source, 1))


def _put_mask(state: State, to: Operand, found: Value) -> None:
    """A comparison's result: bits of lanes that do not run are 0."""
    waves = len(state.active)
    for part in (0, 1):
        exec_part = read(state, EXEC[part])
        if isinstance(found, Unknown):
            bits: Value = because(found, uniform=True)
        else:
            bits = pack(found, waves)[part]
        write(state, to.registers[part], conjunction(bits, exec_part))


def _compare(op: AmdInstruction, to: Operand, sources: tuple[Operand, ...]) -> Run | None:
    words = op.name.split("_")
    kind = words[-1]
    floats = kind == "f32" and len(words) == 4
    function = floats_compared(words[2]) if floats else comparison(words[2], kind)
    if function is None or len(words) != 4 or kind not in _COMPARED:
        return None
    if len(to.registers) != 2 or len(sources) != 2:
        return None
    signed = float_sources(op, 1)

    def run(state: State) -> None:
        if floats:
            values = tuple(source(state) for source in signed)
        else:
            values = tuple(_of_kind(state, s, kind) for s in sources)
        _put_mask(state, to, apply(function, *values))
        if words[1] == "cmpx":
            set_exec(state, value(state, to, 0), value(state, to, 1))

    return run


_COMPARED = ("u32", "i32", "u64", "i64", "u16", "i16", "f32")


def _of_kind(state: State, source: Operand, kind: str) -> Value:
    mask = running(state)
    low = value(state, source, 0, mask)
    if kind.endswith("64"):
        low = apply(i.join, low, value(state, source, 1, mask))
    return apply(lambda x: x & np.uint32(0xFFFF), low) if kind.endswith("16") else low


def _carry(op: AmdInstruction, to: Operand, sources: tuple[Operand, ...]) -> Run | None:
    subtract, swapped, carry_in = CARRIES[op.name]
    if len(sources) != 3 + carry_in or len(sources[0].registers) not in (0, 2):
        return None
    out, first, second = sources[:3]
    if swapped:
        first, second = second, first

    def run(state: State) -> None:
        x, y = plain_sources((first, second))(state)
        carried: Value = _mask(state, sources[3]) if carry_in else constant(0, np.bool_)
        exact = apply(LaneSum(amd.exact_difference if subtract else amd.exact_sum), x, y, carried)
        exact = displaced(exact, x, *(() if subtract else (y,)))
        put(state, to, apply(LaneSum(lambda v: v.astype(np.uint32)), exact))
        if out.registers:
            _put_mask(state, out, apply(lambda v: i.halves(v)[1] != 0, exact))

    return run


def _select(op: AmdInstruction, to: Operand, sources: tuple[Operand, ...]) -> Run | None:
    if len(sources) != 3:
        return None

    def run(state: State) -> None:
        no, yes = plain_sources(sources[:2])(state)
        chosen = _mask(state, sources[2])
        mask = running(state)
        if not isinstance(chosen, Unknown):
            if not (chosen & mask).any():
                chosen, yes = chosen, no
            elif not (~chosen & mask).any():
                no = yes
        if isinstance(chosen, Unknown):
            put(state, to, either(chosen, yes, no))
        else:
            put(state, to, apply(choose, chosen, yes, no))

    return run


def _wide(function: Function, upward: bool, sums: bool = False) -> Make:
    """A 64-bit result. ``upward``: low bits of the result need low bits of the sources only, so
    that an unknown upper half leaves the lower one known. ``sums``: it may displace a pointer."""

    def make(op: AmdInstruction, to: Operand, sources: tuple[Operand, ...]) -> Run | None:
        if len(sources) != operands_of(function):
            return None

        def run(state: State) -> None:
            mask = running(state)
            low = tuple(value(state, s, 0, mask) for s in sources)
            high = tuple(_upper(state, s) for s in sources)
            whole = apply(function, *(_join(x, y) for x, y in zip(low, high, strict=True)))
            whole = displaced(whole, *high) if sums else whole
            if upward and isinstance(whole, Unknown):
                alone = apply(function, *(apply(_as64, x) for x in low))
                put(state, to, apply(lambda v: i.halves(v)[0], alone))
            else:
                put(state, to, apply(lambda v: i.halves(v)[0], whole))
            put(state, to, apply(lambda v: i.halves(v)[1], whole), 1)

        return run

    return make


def _as64(x: Array) -> Array:
    return x.astype(np.uint64)


def _upper(state: State, source: Operand) -> Value:
    if len(source.registers) == 1:
        return constant(0)
    return value(state, source, 1, running(state))


def _join(low: Value, high: Value) -> Value:
    return apply(i.join, low, high)


def _mad64(signed: bool) -> Make:
    """D = a * b + c, 64 bits, with a carry out that is not followed."""

    def product(x: Array, y: Array, z: Array) -> Array:
        first, second = (
            i.extend(i.fit(one), 32, 64) if signed else i.fit(i.fit(one), 64) for one in (x, y)
        )
        return i.add(i.multiply(first, second, 64), z, 64)

    def make(op: AmdInstruction, to: Operand, sources: tuple[Operand, ...]) -> Run | None:
        if len(sources) != 4:
            return None
        carry = sources[0]
        inner = _wide(product, upward=True, sums=True)(op, to, sources[1:])

        def run(state: State) -> None:
            assert inner is not None
            inner(state)
            for name in carry.registers:
                write(state, name, Unknown(f"the carry of {op.name}", op.line, uniform=True))

        return None if inner is None else run

    return make


def _truth_table(op: AmdInstruction, to: Operand, sources: tuple[Operand, ...]) -> Run | None:
    number, plain = modifier(op.modifiers, "bitop3"), plain_sources(sources)
    if len(sources) != 3 or number is None or not 0 <= number < 256:
        return None
    return lambda state: put(
        state, to, apply(lambda x, y, z: truth_table(x, y, z, number), *plain(state))
    )


def _packed_move(op: AmdInstruction, to: Operand, sources: tuple[Operand, ...]) -> Run | None:
    """v_pk_mov_b32: op_sel picks the half of each source (op_sel:[1,0]: high, then low)."""
    picks = _picks(op.modifiers.get("op_sel"), 2, 0)
    if len(sources) != 2 or len(to.registers) != 2 or len(picks) != 2:
        return None

    def run(state: State) -> None:
        mask = running(state)
        parts = [value(state, s, n, mask) for s, n in zip(sources, picks, strict=True)]
        for part, found in enumerate(parts):
            put(state, to, found, part)

    return run


def _shift64(shift: Function) -> Make:
    """The count comes first."""

    def make(op: AmdInstruction, to: Operand, sources: tuple[Operand, ...]) -> Run | None:
        if len(sources) != 2:
            return None

        def run(state: State) -> None:
            mask = running(state)
            count, low = (value(state, s, 0, mask) for s in sources)
            for part, found in enumerate(
                amd.shift_halves(shift, count, low, _upper(state, sources[1]))
            ):
                put(state, to, found, part)

        return run

    return make


_SPECIAL: dict[str, Make] = {
    "v_cndmask_b32": _select,
    "v_mov_b32": copy,
    "v_accvgpr_read_b32": copy,
    "v_accvgpr_write_b32": copy,
    "v_accvgpr_mov_b32": copy,
    "v_readfirstlane_b32": first_lane,
    "v_readlane_b32": one_lane,
    "v_writelane_b32": write_lane,
    "v_mbcnt_lo_u32_b32": count_below(high=False),
    "v_mbcnt_hi_u32_b32": count_below(high=True),
    "v_bitop3_b32": _truth_table,
    "v_pk_mov_b32": _packed_move,
    "v_swap_b32": swap,
    "v_permlane16_swap_b32": swap_rows(16),
    "v_permlane32_swap_b32": swap_rows(32),
    "v_mov_b64": _wide(lambda x: x, upward=True),
    "v_lshlrev_b64": _shift64(amd.shift_left),
    "v_lshrrev_b64": _shift64(amd.shift_right),
    "v_ashrrev_i64": _shift64(amd.shift_right_signed),
    "v_lshl_add_u64": _wide(
        lambda x, n, y: i.add(amd.shift_left(x, n, 64), y, 64), True, sums=True
    ),
    "v_mad_u64_u32": _mad64(signed=False),
    "v_mad_i64_i32": _mad64(signed=True),
}
