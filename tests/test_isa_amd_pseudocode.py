"""AMD's own pseudo-code for each instruction against our tables, on 64 lanes of numbers."""

from __future__ import annotations

import random
import re
from functools import cache

import numpy as np
import pytest

pytest.importorskip("tinygrad", reason="needs the extra binary")

from tinygrad.runtime.autogen.amd.cdna.str_pcode import PCODE

from amd_pseudocode import Typed, program, typed
from bankwise.errors import Refusal
from bankwise.read.amd import scalar_tables as scalars
from bankwise.read.amd import vector_tables as vectors
from bankwise.read.amd.disassemble import disassemble
from bankwise.read.amd.encodings import tables
from bankwise.read.amd.operands import operand
from bankwise.read.amd.scalar import scalar
from bankwise.read.amd.shared import touch
from bankwise.read.amd.vector import vector
from bankwise.read.follow.decoded import DecodedAccess
from bankwise.read.follow.state import State, read
from bankwise.read.follow.values import Unknown
from test_isa_amd_integers import fresh, numbers, operation

FUNCTIONS = ("v_perm_b32", "v_sad_u32")
"""Those whose pseudo-code defines a function first."""
UNLISTED = ("v_accvgpr_read_b32", "v_accvgpr_write_b32", "v_accvgpr_mov_b32")
"""Moves that the tables give no pseudo-code for."""
ALIAS = ("andn1", "orn1")
"""Of lane masks alone (s_andn1_saveexec_b64): no instruction of their own."""

VECTOR = [n for n in (*vectors.FUNCTIONS, *vectors.PACKED) if n not in (*FUNCTIONS, *UNLISTED)]
SCALAR = [
    *(*scalars.WITH_ZERO_TEST, *scalars.PLAIN, *scalars.CARRY, *scalars.UNARY),
    *scalars.UNARY_TEST,
    *(f"s_{name}_b32" for name in scalars.BITS if name not in ALIAS),
]
SHORT = [n for n in SCALAR if n.startswith(("s_movk", "s_mulk", "s_addk"))]
COMPARES = [
    f"v_cmp_{test}_{kind}"
    for test in ("lt", "eq", "le", "gt", "ne", "ge")
    for kind in ("i32", "u32", "i16", "u16")
]
SCALAR_COMPARES = [
    f"s_cmp_{test}_{kind}"
    for test in ("lt", "eq", "le", "gt", "lg", "ge")
    for kind in ("i32", "u32")
]


@cache
def texts() -> dict[str, str]:
    """The pseudo-code by plain name."""
    found = {}
    for op, text in PCODE.items():
        found.setdefault(op.name.lower().removesuffix("_e32").removesuffix("_e64"), text)
    return found


def run(name: str, sources: list[int], bits: int = 32, **more: Typed) -> dict[str, Typed]:
    """What the pseudo-code leaves in its names. The 16-bit forms of these GPUs clear the upper
    half, of which it says nothing: D0 is 0 before."""
    names = {f"S{n}": typed(value, bits, False) for n, value in enumerate(sources)}
    names |= {
        "D0": Typed(0, bits, False),
        "laneId": Typed(0),
        "SCC": Typed(0, 1, False),
        "OPSEL": Typed(0),
        **more,
    }
    names["tmp"] = Typed(0, 64, False)
    program(texts()[name])(names)
    return names


def lanes(state: State, name: str) -> list[int]:
    found = read(state, name)
    assert not isinstance(found, Unknown)
    return [int(x) for x in np.broadcast_to(found, (1, 64))[0]]


def with_registers(kind: str, count: int, rng: random.Random) -> tuple[State, list[list[int]]]:
    state, rows = fresh(), []
    for n in range(count):
        values = numbers(rng, 64)
        rows.append(values)
        state.registers[f"{kind}{n + 1}"] = np.array([values], np.uint32)
    return state, rows


def count_of(name: str) -> int:
    return next(n for n in (3, 2, 1) if f"S{n - 1}" in texts()[name])


@pytest.mark.parametrize("name", VECTOR)
def test_vector_instructions_do_what_the_pseudo_code_does(name: str) -> None:
    count = count_of(name)
    state, rows = with_registers("v", count, random.Random(name))
    made = vector(operation(f"{name} v0, " + ", ".join(f"v{n + 1}" for n in range(count))))
    assert made is not None
    made(state)
    wanted = [run(name, list(row))["D0"].value & 0xFFFFFFFF for row in zip(*rows, strict=True)]
    assert lanes(state, "v0") == wanted


@pytest.mark.parametrize("name", sorted(vectors.CARRIES))
def test_carries_are_those_of_the_pseudo_code(name: str) -> None:
    rng = random.Random(name)
    state, rows = with_registers("v", 2, rng)
    carry = rng.getrandbits(64)
    takes = ", vcc" if vectors.CARRIES[name][2] else ""
    for half, part in (("vcc_lo", carry), ("vcc_hi", carry >> 32)):
        state.registers[half] = np.full((1, 1), part & 0xFFFFFFFF, np.uint32)
    made = vector(operation(f"{name}_e32 v0, vcc, v1, v2{takes}"))
    assert made is not None
    made(state)
    sums, bits = [], 0
    for lane, row in enumerate(zip(*rows, strict=True)):
        vcc = {"VCC": typed(carry, 64, False), "laneId": Typed(lane)}
        names = run(name, list(row), **vcc)
        sums.append(names["D0"].value)
        bits |= (names["VCC"].value >> lane & 1) << lane
    assert lanes(state, "v0") == sums
    assert lanes(state, "vcc_lo")[0] | lanes(state, "vcc_hi")[0] << 32 == bits


@pytest.mark.parametrize("name", COMPARES)
def test_comparisons_are_those_of_the_pseudo_code(name: str) -> None:
    state, rows = with_registers("v", 2, random.Random(name))
    rows[1][:9] = rows[0][:9]
    state.registers["v2"] = np.array([rows[1]], np.uint32)
    made = vector(operation(f"{name}_e32 vcc, v1, v2"))
    assert made is not None
    made(state)
    bits = 0
    for lane, row in enumerate(zip(*rows, strict=True)):
        names = run(name, list(row), laneId=Typed(lane), D0=Typed(0, 64, False))
        bits |= (names["D0"].value >> lane & 1) << lane
    assert lanes(state, "vcc_lo")[0] | lanes(state, "vcc_hi")[0] << 32 == bits


@pytest.mark.parametrize("name", [n for n in SCALAR if n not in SHORT] + SCALAR_COMPARES)
def test_scalar_instructions_do_what_the_pseudo_code_does(name: str) -> None:
    rng, count = random.Random(name), count_of(name)
    compares = name.startswith("s_cmp")
    registers = [f"s{n + 1}" for n in range(count)]
    made = scalar(name, tuple(map(operand, registers if compares else ["s0", *registers])), 1)
    assert made is not None
    for _ in range(60):
        values, before = numbers(rng, count), rng.randrange(2)
        state = fresh()
        state.registers["scc"] = np.full((1, 1), before, np.uint32)
        for register, value in zip(registers, values, strict=True):
            state.registers[register] = np.full((1, 1), value, np.uint32)
        made(state)
        names = run(name, values, SCC=Typed(before, 1, False))
        if not compares:
            assert lanes(state, "s0")[0] == names["D0"].value & 0xFFFFFFFF, values
        assert bool(lanes(state, "scc")[0]) == bool(names["SCC"].value), values


@pytest.mark.parametrize("name", sorted(scalars.WIDE))
def test_shifts_of_64_bits_are_those_of_the_pseudo_code(name: str) -> None:
    rng = random.Random(name)
    made = scalar(name, (operand("s[0:1]"), operand("s[2:3]"), operand("s4")), 1)
    assert made is not None
    for _ in range(60):
        value, count = rng.getrandbits(64), rng.choice((rng.randrange(64), rng.getrandbits(32)))
        state = fresh()
        for register, part in (("s2", value), ("s3", value >> 32), ("s4", count)):
            state.registers[register] = np.full((1, 1), part & 0xFFFFFFFF, np.uint32)
        made(state)
        wanted = run(name, [value, count], 64)["D0"].value
        assert lanes(state, "s0")[0] | lanes(state, "s1")[0] << 32 == wanted & (1 << 64) - 1


MEMORY = re.compile(r"MEM\[([^\]]*)\](?:\.\w(\d+))?")
REFUSED = ("addtid", "append", "consume", "gws", "permute", "swizzle", "nop", "wrxchg2")
"""Of LDS, with addresses that are not those of a register; or not of LDS."""


def touched(name: str, offsets: tuple[int, int]) -> set[int]:
    """The bytes that the pseudo-code names, counted from the lane's address."""
    both = offsets[0] | offsets[1] << 8
    values = {"OFFSET": both, "OFFSET0": offsets[0], "OFFSET1": offsets[1]}
    names = {key: Typed(value, 32, False) for key, value in values.items()}
    found: set[int] = set()
    text = texts()[name]
    for place, bits in MEMORY.findall(text):
        at = dict(names, addr=Typed(0), ADDR=Typed(0))
        program(f"at = {place}")(at)
        first = at["at"].value + (0 if "OFFSET" in place else both)
        found |= set(range(first, first + int(bits or 32) // 8))
    return found


@pytest.mark.parametrize("name", [n for n in texts() if n.startswith("ds_")])
def test_lds_instructions_touch_the_bytes_of_the_pseudo_code(name: str) -> None:
    encoding = next(e for _, entries in tables() for e in entries.values() if e.name == name)
    opcode = next(v for _, entries in tables() for v, e in entries.items() if e is encoding)
    raw = opcode | 0x04 | 0x09 << 8 | 6 << 32 | 8 << 40 | 12 << 48 | 16 << 56
    (made, *_) = disassemble(raw.to_bytes(8, "little"), "gfx950")
    found = touch(operation(made.text))
    if any(word in name for word in REFUSED):
        assert found is None or isinstance(found, Refusal)
        return
    assert isinstance(found, DecodedAccess), made.text
    if name == "ds_condxchg32_rtn_b64":  # rounds its address down, which the text has another way
        assert (found.immediate_bytes, found.width_bytes) == (0x904, 8)
        return
    assert found.address.registers == ("v6",)
    starts = [found.immediate_bytes]
    starts += [] if found.apart_bytes is None else [starts[0] + found.apart_bytes]
    bytes_ = {at + n for at in starts for n in range(found.width_bytes)}
    assert bytes_ == touched(name, (0x04, 0x09)), made.text


def test_the_reader_of_pseudo_code_computes_as_c_does() -> None:
    def value(text: str, **names: Typed) -> int:
        found = dict(names)
        program(f"x = {text}")(found)
        return found["x"].value

    s0 = typed(0xFFFFFFFE, 32, False)
    assert value("S0.i32 >> 1U", S0=s0) == -1
    assert value("S0.u32 >> 1U", S0=s0) == 0x7FFFFFFF
    assert value("S0.u32 + 3U", S0=s0) == 1
    assert value("64'U(S0.u32) + 3ULL", S0=s0) == 0x100000001
    assert value("{ S0.u32, S0.u32 }[35 : 28]", S0=s0) == 0xEF
    assert value("S0.u32[0 : 31]", S0=s0) == 0x7FFFFFFF
    assert value("S0.u32[0] == 1'1U ? 7 : 9", S0=s0) == 9
    with pytest.raises(ValueError, match="pseudo-code"):
        program("x = $")
