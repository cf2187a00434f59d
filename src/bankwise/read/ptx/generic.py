"""Generic accesses of PTX: which memory a statement without a state space may touch.

    cvta.shared.u64 %rd6, %rd5        shared: the address in the window of shared memory
    ld.param.u64 %rd4, [k_param_1]    of the host
    add.s64 %rd10, %rd4, %rd9         of the host still, if %rd9 is a number
    ld.u64 %rd1, [%rd10]              anything: it came from memory

What is of the host is no access to shared memory. Everything else is followed, and refused where
its address stays unknown. Registers of fewer than 64 bits hold no pointer.
"""

from __future__ import annotations

from collections.abc import Mapping

from bankwise.read.follow.spaces import Origin, either, either_of, sum_of
from bankwise.read.follow.ways import facts_before
from bankwise.read.ptx.operands import registers
from bankwise.read.ptx.parameters import passed
from bankwise.read.ptx.parse import BYTES, PtxKernel, Statement
from bankwise.read.ptx.shared import is_generic

_SUMS = ("add", "sub", "and", "or", "xor", "not")
_NUMBERS = ("mul", "shl", "shr", "div", "rem", "bfe", "popc", "clz", "min", "max", "abs", "neg")


def of_the_host(kernel: PtxKernel) -> frozenset[int]:
    """The generic accesses that cannot touch shared memory, by the number of their statement."""
    wanted = [n for n, one in enumerate(kernel.statements) if is_generic(one)]
    if not wanted:
        return frozenset()
    parameters = {name for name, _ in kernel.parameters}

    def change(number: int, facts: dict[str, Origin]) -> None:
        one = kernel.statements[number]
        moved = passed(one, kernel)
        if moved is None:
            _change(one, facts, parameters)
            return
        origin = facts.get(moved.reads[0], "any") if moved.reads else "number"
        for name in moved.writes:
            facts[name] = either(facts.get(name, "any"), origin) if one.guard else origin

    known = facts_before(kernel.ways(), change, either)
    return frozenset(
        n for n in wanted if _pointer(kernel.statements[n], known.get(n, {})) == "host"
    )


def _pointer(one: Statement, facts: Mapping[str, Origin]) -> Origin:
    text = next((text for text in one.operands if text.startswith("[")), "")
    names = registers(text)
    return facts.get(names[0], "any") if len(names) == 1 else "any"


def _change(one: Statement, facts: dict[str, Origin], parameters: set[str]) -> None:
    """What the registers that a statement writes hold behind it."""
    if not one.operands or one.operands[0].startswith("["):
        return
    origin = _origin(one, facts, parameters)
    for name in registers(one.operands[0]):
        facts[name] = either(facts.get(name, "any"), origin) if one.guard else origin


def _origin(one: Statement, facts: Mapping[str, Origin], parameters: set[str]) -> Origin:
    word, kind = one.parts[0], one.parts[-1]
    if len(one.operands) < 2 or len(one.parts) < 2:
        return "any"
    if one.name.startswith("ld.param"):
        return "host" if parameters & set(registers(one.operands[1])) else "any"
    if BYTES.get(kind, 8) < 8 and "wide" not in one.parts:
        return "number"
    if word == "cvta":
        return "any" if "to" in one.parts else "shared" if "shared" in one.parts[1] else "host"
    sources = [_operand(text, facts) for text in one.operands[1:]]
    if word == "mov" and len(sources) == 1 and "{" not in one.operands[1]:
        return sources[0]
    if word == "selp":
        return either_of(sources[:2])
    if word in _SUMS:
        return sum_of(sources)
    if word == "mad":
        return sum_of(sources[2:])
    if word == "cvt":
        return sources[0] if BYTES.get(one.parts[-2], 8) == 8 == BYTES.get(kind, 8) else "number"
    return "number" if word in _NUMBERS else "any"


def _operand(text: str, facts: Mapping[str, Origin]) -> Origin:
    names = registers(text)
    if not names or not text.startswith("%") or "." in text:
        return "number"
    return facts.get(names[0], "any")
