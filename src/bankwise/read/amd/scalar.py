"""Scalar instructions (``s_*``): one value for each wave. Source: AMD CDNA3 ISA, chapter SALU.

A table per shape; what is in no table is not followed, and its destinations become unknown.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bankwise.read.amd.masks import EXEC, set_exec
from bankwise.read.amd.numbers import exact_difference, exact_sum, shift_halves
from bankwise.read.amd.operands import Operand, value
from bankwise.read.amd.scalar_tables import (
    BITS,
    CARRY,
    M31,
    OF_PAIRS,
    ONE,
    PLAIN,
    SHORT,
    UNARY,
    UNARY_TEST,
    WIDE,
    WITH_ZERO_TEST,
    Binary,
    Bits,
    comparison,
)
from bankwise.read.follow.choices import complement, disjunction, without
from bankwise.read.follow.functions import apply, choose
from bankwise.read.follow.state import State, read, write
from bankwise.read.follow.values import Array, Unknown, Value, because, displaced, either
from bankwise.read.integers import halves, join

Run = Callable[[State], None]
_MOVES = ("s_mov_b32", "s_mov_b64", "s_not_b32", "s_not_b64", "s_cmov_b32", "s_cmovk_i32")


def scalar(name: str, operands: tuple[Operand, ...], line: int) -> Run | None:
    """What a scalar instruction does; None if it is not followed."""
    if len(operands) < 2:
        return None
    if name.split("_")[1] in SHORT and not name.endswith("u32"):
        operands = (*operands[:-1], _short(operands[-1]))
    to = operands[0]
    compare = _comparison(name, operands)
    if compare is not None:
        return compare
    if name in OF_PAIRS and len(operands) == 2:
        return _of_pair(*OF_PAIRS[name], operands, line)
    if len(to.registers) != (2 if name.endswith("64") else 1):
        return None
    if name.startswith("s_cselect_") and len(operands) == 3:
        return _select(operands, line)
    if "_saveexec_b64" in name or "_wrexec_b64" in name:
        return _save_exec(name, operands, line)
    words = name.split("_")
    if words[1] in BITS and len(operands) == 3:
        return _bitwise(BITS[words[1]], operands, line)
    if name in _MOVES and len(operands) == 2:
        return _move(name, operands, line)
    if name in ("s_addc_u32", "s_subb_u32") and len(operands) == 3:
        return _with_carry(name == "s_subb_u32", operands)
    if name in WIDE and len(operands) == 3:
        return _wide(WIDE[name], operands, line)
    if name in ("s_bitset0_b32", "s_bitset1_b32"):
        return _set_bit(name == "s_bitset1_b32", operands)
    return _narrow(name, to, operands, line)


def _short(immediate: Operand) -> Operand:
    """A 16-bit immediate with its sign."""
    if immediate.number is None:
        return immediate
    number = (immediate.number & 0xFFFF ^ 0x8000) - 0x8000
    return Operand(immediate.text, number=number)


def scc(values: tuple[Value, ...], test: Callable[..., Array]) -> Value:
    """The condition code of a result: a boolean for each wave."""
    return _uniform(apply(test, *values))


def _uniform(value: Value) -> Value:
    if isinstance(value, Unknown):
        return because(value, uniform=True)
    return value


def _set(state: State, to: Operand, parts: tuple[Value, ...], line: int) -> None:
    """Write a destination; a write to the execution mask changes which lanes run."""
    if to.registers == EXEC:
        set_exec(state, parts[0], parts[1])
        return
    if set(to.registers) & set(EXEC):
        words = [read(state, name) for name in EXEC]
        words[EXEC.index(to.registers[0])] = parts[0]
        set_exec(state, words[0], words[1])
        return
    for name, part in zip(to.registers, parts, strict=False):
        write(state, name, part)


def _narrow(name: str, to: Operand, operands: tuple[Operand, ...], line: int) -> Run | None:
    sources = operands[1:]
    if name in ("s_addk_i32", "s_mulk_i32"):
        sources = (to, *sources)
    function: Callable[..., Array]
    test: Callable[..., Array] | None = None
    if name in UNARY and len(sources) == 1:
        function = UNARY[name]
    elif name in UNARY_TEST and len(sources) == 1:
        function = UNARY_TEST[name]
        test = _nonzero_of(function)
    elif name in WITH_ZERO_TEST and len(sources) == 2:
        function = WITH_ZERO_TEST[name]
        test = _nonzero_of(function)
    elif name in PLAIN and len(sources) == 2:
        function = PLAIN[name]
    elif name in CARRY and len(sources) == 2:
        function, test = CARRY[name]
    else:
        return None

    def run(state: State) -> None:
        values = tuple(value(state, source) for source in sources)
        result = apply(function, *values)
        if test is not None:
            write(state, "scc", scc(values, test))
        _set(state, to, (result,), line)

    return run


def _of_pair(
    function: Callable[..., Array], tests: bool, operands: tuple[Operand, ...], line: int
) -> Run:
    to, source = operands

    def run(state: State) -> None:
        words = tuple(value(state, source, part) for part in range(2))
        if tests:
            write(state, "scc", scc(words, _nonzero_of(function)))
        _set(state, to, (apply(function, *words),), line)

    return run


def _nonzero_of(function: Callable[..., Array]) -> Callable[..., Array]:
    return lambda *values: function(*values) != 0


def _bitwise(function: Bits, operands: tuple[Operand, ...], line: int) -> Run:
    to, *sources = operands
    width = len(to.registers)

    def run(state: State) -> None:
        parts = tuple(
            function(value(state, sources[0], part), value(state, sources[1], part))
            for part in range(width)
        )
        write(state, "scc", scc(parts, any_bit))
        _set(state, to, parts, line)

    return run


def any_bit(first: Array, *rest: Array) -> Array:
    """Whether a mask of one or two words has a bit."""
    found = first
    for word in rest:
        found = found | word
    return np.asarray(found != 0)


def _move(name: str, operands: tuple[Operand, ...], line: int) -> Run:
    to, source = operands[:2]
    width = len(to.registers)

    def run(state: State) -> None:
        parts = tuple(value(state, source, part) for part in range(width))
        if "not" in name:
            parts = tuple(complement(part) for part in parts)
            write(state, "scc", scc(parts, any_bit))
        elif "cmov" in name:
            old = tuple(value(state, to, part) for part in range(width))
            parts = tuple(_chosen(state, new, was) for new, was in zip(parts, old, strict=True))
        _set(state, to, parts, line)

    return run


def _select(operands: tuple[Operand, ...], line: int) -> Run:
    to, first, second = operands

    def run(state: State) -> None:
        parts = tuple(
            _chosen(state, value(state, first, part), value(state, second, part))
            for part in range(len(to.registers))
        )
        _set(state, to, parts, line)

    return run


def _chosen(state: State, yes: Value, no: Value) -> Value:
    """``yes`` where SCC is set, else ``no``."""
    condition = read(state, "scc")
    if isinstance(condition, Unknown):
        return either(condition, yes, no)
    if condition.all():
        return yes
    if not condition.any():
        return no
    return apply(lambda x, y: choose(condition, x, y), yes, no)


def _save_exec(name: str, operands: tuple[Operand, ...], line: int) -> Run | None:
    to, source = operands[:2]
    function = BITS.get(name.split("_")[1])
    if function is None:
        return None

    def run(state: State) -> None:
        old = tuple(read(state, register) for register in EXEC)
        new = tuple(function(value(state, source, part), old[part]) for part in (0, 1))
        _set(state, to, new if "wrexec" in name else old, line)
        set_exec(state, new[0], new[1])
        write(state, "scc", scc(new, any_bit))

    return run


def _with_carry(borrow: bool, operands: tuple[Operand, ...]) -> Run:
    to, first, second = operands

    def run(state: State) -> None:
        values = (value(state, first), value(state, second), read(state, "scc"))
        exact = apply(exact_difference if borrow else exact_sum, *values)
        exact = displaced(exact, *values[: 1 if borrow else 2])
        write(state, "scc", _uniform(apply(lambda x: halves(x)[1] != 0, exact)))
        write(state, to.registers[0], apply(lambda x: halves(x)[0], exact))

    return run


def _wide(shift: Binary, operands: tuple[Operand, ...], line: int) -> Run:
    to, source, count = operands

    def run(state: State) -> None:
        low, high = (value(state, source, part) for part in (0, 1))
        parts = shift_halves(shift, value(state, count), low, high)
        write(state, "scc", scc(parts, any_bit))
        _set(state, to, parts, line)

    return run


def _set_bit(one: bool, operands: tuple[Operand, ...]) -> Run:
    to, count = operands

    def run(state: State) -> None:
        bit = apply(lambda n: ONE << (n & M31), value(state, count))
        old = value(state, to)
        write(state, to.registers[0], disjunction(old, bit) if one else without(old, bit))

    return run


def _comparison(name: str, operands: tuple[Operand, ...]) -> Run | None:
    """s_cmp_*, s_cmpk_*, s_bitcmp*: only SCC changes."""
    words = name.split("_")
    if words[1] in ("bitcmp0", "bitcmp1") and words[-1] == "b32":
        wanted = np.uint32(words[1] == "bitcmp1")
        return _test(lambda x, n: ((x >> (n & M31)) & ONE) == wanted, operands)
    if words[1] not in ("cmp", "cmpk") or len(words) != 4:
        return None
    function = comparison(words[2], words[3])
    if function is None or words[3] not in ("u32", "i32", "u64"):
        return None
    return (_test_wide if words[3] == "u64" else _test)(function, operands)


def _test(function: Binary, operands: tuple[Operand, ...]) -> Run:
    def run(state: State) -> None:
        values = (value(state, operands[0]), value(state, operands[1]))
        write(state, "scc", scc(values, function))

    return run


def _test_wide(function: Binary, operands: tuple[Operand, ...]) -> Run:
    def run(state: State) -> None:
        whole = tuple(apply(join, value(state, o, 0), value(state, o, 1)) for o in operands[:2])
        write(state, "scc", scc(whole, function))

    return run
