"""Far jumps: an address that is made of the program counter and of the distance to a label.

    s_getpc_b64 s[2:3]                     the address of the next instruction
    s_add_i32 s4, far, 4                   from there to "far": a literal counts from its own place
    s_cmp_ge_i32 s4, 0                     forwards?
    s_add_u32 s2, s2, s4
    s_addc_u32 s3, s3, 0
    s_setpc_b64 s[2:3]                     s_branch far

The addresses of instructions are not known from a text. They are taken to be 8 bytes apart, as is
the literal from the instruction behind ``s_getpc_b64``; the order of places is then the true one,
and a sum that is the place of a label can only be made of the distance to it. A jump whose sum is
none stays: control is lost there. Source: LLVM, SIMCCodeEmitter (a symbol as a literal is relative
to the literal); AMD CDNA3 ISA, S_GETPC_B64, S_SETPC_B64.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from bankwise.read.amd.operands import operand
from bankwise.read.amd.parse import AmdInstruction, AmdKernel
from bankwise.read.follow.ways import Facts, facts_before

_APART = 8
_LITERAL = 4
"""Bytes from an instruction to its literal."""
_Fact = tuple[str, int]
"""("place", its address), ("distance", how far), ("upper", 0): the upper half of a place."""
_NOTHING: _Fact = ("", 0)
_SUMS = {"s_add_u32": 1, "s_add_i32": 1, "s_sub_u32": -1, "s_sub_i32": -1}
_CARRIES = ("s_addc_u32", "s_subb_u32")


def with_jumps(kernel: AmdKernel) -> AmdKernel:
    """``kernel`` with branches in the place of far jumps whose label is certain."""
    operations, labels = kernel.operations, kernel.labels
    if not any(op.name == "s_setpc_b64" for op in operations):
        return kernel
    ways = [possible_ways(n, op, labels) for n, op in enumerate(operations)]

    def change(n: int, held: Facts[_Fact]) -> None:
        _change(n, operations[n], labels, held)

    facts = facts_before(ways, change, _joined)
    places = {_APART * at: name for name, at in labels.items()}
    made = list(operations)
    for n, op in enumerate(operations):
        goal = places.get(_goal(op, facts.get(n, {})))
        if goal is not None:
            made[n] = replace(op, name="s_branch", operands=(goal,))
    if made == list(operations):
        return kernel
    made = [_with_distance(n, op, labels) for n, op in enumerate(made)]
    return replace(kernel, operations=tuple(made))


def _joined(one: _Fact, other: _Fact) -> _Fact:
    return one if one == other else _NOTHING


def possible_ways(n: int, op: AmdInstruction, labels: Mapping[str, int]) -> tuple[int, ...]:
    """Where control may go from an instruction, but through registers."""
    target = labels.get(op.operands[-1]) if op.operands else None
    goals = () if target is None else (target,)
    if op.name == "s_branch":
        return goals
    if op.name.startswith("s_cbranch"):
        return (*goals, n + 1)
    return () if op.name in ("s_endpgm", "s_setpc_b64") else (n + 1,)


def _goal(op: AmdInstruction, held: Mapping[str, _Fact]) -> int:
    """Where a jump goes; -1 if that is not known."""
    pair = operand(op.operands[0]).registers if op.name == "s_setpc_b64" and op.operands else ()
    if len(pair) != 2 or held.get(pair[1], _NOTHING)[0] != "upper":
        return -1
    kind, number = held.get(pair[0], _NOTHING)
    return number if kind == "place" else -1


def _distance(n: int, op: AmdInstruction, labels: Mapping[str, int]) -> int | None:
    """From the literal of an instruction to the label that it names."""
    names = [text for text in op.operands[1:] if text in labels] if op.name in _SUMS else []
    return _APART * labels[names[0]] - _APART * n - _LITERAL if len(names) == 1 else None


def _with_distance(n: int, op: AmdInstruction, labels: Mapping[str, int]) -> AmdInstruction:
    """Only the sign of the number decides anything: which way of a jump is taken."""
    found = _distance(n, op, labels)
    texts = (str(found) if text in labels else text for text in op.operands)
    return op if found is None else replace(op, operands=tuple(texts))


def _change(n: int, op: AmdInstruction, labels: Mapping[str, int], held: Facts[_Fact]) -> None:
    """What is known behind an instruction; of anything that it may write, nothing."""
    if op.name.startswith(("s_cmp", "s_bitcmp")):
        return
    to = operand(op.operands[0]).registers if op.operands else ()
    new = _made(n, op, labels, held)
    written = [name for text in op.operands[:2] for name in operand(text).registers]
    if op.name == "s_swappc_b64":
        written = list(held)
    for name in to if op.name.startswith("s_") and op.name != "s_swappc_b64" else written:
        held[name] = _NOTHING
    for name, fact in zip(to, new, strict=False):
        held[name] = fact


def _made(
    n: int, op: AmdInstruction, labels: Mapping[str, int], held: Mapping[str, _Fact]
) -> Sequence[_Fact]:
    sources = [operand(text) for text in op.operands[1:]]
    facts = [held.get(s.registers[0], _NOTHING) if s.registers else _NOTHING for s in sources]
    if op.name == "s_getpc_b64":
        return (("place", _APART * (n + 1)), ("upper", 0))
    if op.name in _CARRIES and ("upper", 0) in facts:
        return (("upper", 0),)
    if op.name == "s_abs_i32" and facts and facts[0][0] == "distance":
        return (("distance", abs(facts[0][1])),)
    if op.name == "s_mov_b32" and facts:
        return (facts[0],)
    if op.name == "s_mov_b64" and sources and len(sources[0].registers) == 2:
        return tuple(held.get(name, _NOTHING) for name in sources[0].registers)
    if op.name not in _SUMS or len(sources) != 2:
        return ()
    away = _distance(n, op, labels)
    numbers = [source.number for source in sources if source.number is not None]
    if away is not None and len(numbers) == 1 and _SUMS[op.name] > 0:
        return (("distance", away + numbers[0]),)
    return _sum(facts, _SUMS[op.name])


def _sum(facts: Sequence[_Fact], sign: int) -> Sequence[_Fact]:
    kinds = [kind for kind, _ in facts]
    if kinds == ["place", "distance"] or (kinds == ["distance", "place"] and sign > 0):
        return (("place", facts[0][1] + sign * facts[1][1]),)
    return ()
