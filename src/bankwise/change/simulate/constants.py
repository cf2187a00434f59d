"""Constant memory of a file, in AMD assembly: addresses that are made of the program counter.

    s_getpc_b64 s[0:1]                      nothing, instead of the next instruction's address
    s_add_u32 s0, s0, basis@rel32@lo+4      the lower half of where "basis" is taken to lie,
    s_addc_u32 s1, s1, basis@rel32@hi+12    the upper half, instead of distances from here

An object lies where its name and its contents say, apart from all others: texts whose tables differ
read other terms. What it holds is a term as of any memory. Source: LLVM, SIInstrInfo
(SI_PC_ADD_REL_OFFSET is these three in a row).
"""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec.structs import replace

from bankwise.change.simulate.terms import number_of
from bankwise.read.amd.operands import operand
from bankwise.read.amd.parse import AmdInstruction, AmdKernel

_CONSTANTS = 1 << 58
_APART = 1 << 32
_NUMBERS = (1 << 24) - 1
_LOW = re.compile(r"([\w$.]+)@rel32@lo\+4")


def with_constants(kernel: AmdKernel, text: str) -> AmdKernel:
    """``kernel`` with numbers in the place of the addresses of objects that ``text`` declares."""
    made = list(kernel.operations)
    for n, some in enumerate(zip(made, made[1:], made[2:], strict=False)):
        name = _object(*some)
        declared = _declared(text, name) if name else None
        if declared is None:
            continue
        at = _CONSTANTS + (int(number_of(name + declared)) & _NUMBERS) * _APART
        pc, low, high = some
        made[n] = replace(pc, name="s_mov_b64", operands=(pc.operands[0], "0"))
        made[n + 1] = _with(low, at & 0xFFFFFFFF)
        made[n + 2] = _with(high, at >> 32)
    return replace(kernel, operations=tuple(made))


def _object(pc: AmdInstruction, low: AmdInstruction, high: AmdInstruction) -> str:
    """The name in whose address three instructions end; empty if they make none."""
    if (pc.name, low.name, high.name) != ("s_getpc_b64", "s_add_u32", "s_addc_u32"):
        return ""
    found = _LOW.fullmatch(low.operands[2])
    halves = operand(pc.operands[0]).registers
    sums = (low.operands[:2], high.operands[:2])
    if found is None or sums != tuple((half, half) for half in halves):
        return ""
    return found[1] if high.operands[2] == f"{found[1]}@rel32@hi+12" else ""


def _with(op: AmdInstruction, number: int) -> AmdInstruction:
    return replace(op, operands=(*op.operands[:2], hex(number)))


@lru_cache(maxsize=64)
def _declared(text: str, name: str) -> str | None:
    """What a text says that an object holds; None for what is no object of it."""
    called = re.escape(name)
    if not re.search(rf"^\s*\.type\s+{called},@object\b", text, re.MULTILINE):
        return None
    whole = rf"^{called}:\s*?\n(.*?)^\s*\.size\s+{called},"
    found = re.search(whole, text, re.MULTILINE | re.DOTALL)
    return re.sub(r"\s*;.*", "", found[1]) if found else None
