"""Calls of functions of the same text: their code stands where they are called.

    s_getpc_b64 s[2:3]
    s_add_u32 s2, s2, leaf@rel32@lo+4
    s_addc_u32 s3, s3, leaf@rel32@hi+12
    s_swappc_b64 s[30:31], s[2:3]           the code of leaf, whose s_setpc_b64 s[30:31] ends it

A call whose target is not certain, of a function that the text lacks, or of one that is running
already, stays: control is lost there. Source: LLVM, "User Guide for AMDGPU Backend", calling
convention (the return address is in s[30:31]) and relocations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.read.amd.jumps import possible_ways
from bankwise.read.amd.operands import bare, operand
from bankwise.read.amd.parse import AmdInstruction, AmdKernel, function
from bankwise.read.amd.text import AmdText, amd_text
from bankwise.read.follow.ways import Facts, facts_before
from bankwise.regex import regex

_TARGET = regex(r"([\w.$]+)@(rel32|gotpcrel32)@(lo|hi)(?:\+\d+)?")
_HALVES = {"lo": "s_add_u32", "hi": "s_addc_u32"}
_CALLS = ("s_swappc_b64", "s_setpc_b64")
_Part = tuple[str, str]
"""A half of an address in a register, and the function that it is of; " in table": that it is the
address where the address of the function is stored."""
_NOTHING: _Part = ("", "")
_Body = tuple[tuple[AmdInstruction, ...], Mapping[str, int]]
_RETURN = "s[30:31]"
_MOST_OPERATIONS = 50_000


def with_calls(kernel: AmdKernel, text: str) -> AmdKernel:
    """``kernel`` with the functions that it calls in the place of the calls."""
    if not any(op.name in _CALLS for op in kernel.operations):
        return kernel
    made = _Inlined(amd_text(text))
    _append(made, kernel.operations, kernel.labels, "", (kernel.name,))
    return replace(kernel, operations=tuple(made.operations), labels=made.labels)


class _Inlined(Struct):
    text: AmdText
    operations: list[AmdInstruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    touched: dict[str, set[str] | None] = field(default_factory=dict)
    """The registers that functions and those that they call name; None if that is not known."""


def _append(
    made: _Inlined,
    operations: Sequence[AmdInstruction],
    labels: Mapping[str, int],
    prefix: str,
    running: tuple[str, ...],
) -> None:
    """Add the code of one function; ``running``: it and its callers. Its end is behind it."""
    targets = dict(_targets(made, operations, labels, running))
    at = {n: [name for name, place in labels.items() if place == n] for n in labels.values()}
    for n, op in enumerate(operations):
        made.labels |= {prefix + name: len(made.operations) for name in at.get(n, ())}
        callee = targets.get(n, "")
        body = None if callee in running else function(made.text, callee) if callee else None
        if body is not None and len(made.operations) + len(body[0]) < _MOST_OPERATIONS:
            _call(made, op, body, prefix, (*running, callee))
        elif prefix and op.name == "s_setpc_b64" and op.operands == (_RETURN,):
            made.operations.append(_jump(op, f"{prefix}end"))
        elif prefix and op.name.startswith(("s_branch", "s_cbranch")) and op.operands:
            made.operations.append(replace(op, operands=(prefix + op.operands[0],)))
        else:
            made.operations.append(op)
    made.labels[f"{prefix}end"] = len(made.operations)


def _call(
    made: _Inlined,
    op: AmdInstruction,
    body: _Body,
    prefix: str,
    running: tuple[str, ...],
) -> None:
    """The code of a function in the place of its call, or of the jump that ends its caller."""
    made.calls += 1
    if op.name == "s_swappc_b64":
        made.operations.append(replace(op, name="s_getpc_b64", operands=op.operands[:1]))
    _append(made, *body, f"call {made.calls}: ", running)
    if op.name == "s_setpc_b64":
        made.operations.append(_jump(op, f"{prefix}end"))


def _jump(op: AmdInstruction, label: str) -> AmdInstruction:
    return replace(op, name="s_branch", operands=(label,))


def _targets(
    made: _Inlined,
    operations: Sequence[AmdInstruction],
    labels: Mapping[str, int],
    running: tuple[str, ...],
) -> Iterator[tuple[int, str]]:
    """The calls (by number) whose function is certain: its address is there on every way."""
    pairs = {op.operands[-1] for op in operations if op.name in _CALLS and op.operands}
    if not pairs:
        return
    named = {name for op in operations for one in op.operands[:2] for name in _scalars(one)}

    def change(n: int, held: Facts[_Part]) -> None:
        if n == 0:  # whoever calls this may have left anything
            for name in named:
                held.setdefault(name, _NOTHING)
        _change(made, operations[n], held, running)

    ways = [possible_ways(n, op, labels) for n, op in enumerate(operations)]
    facts = facts_before(ways, change, _joined)
    for n, op in enumerate(operations):
        if op.name in _CALLS and op.operands and n in facts:
            found = _function(op, facts[n])
            if found:
                yield n, found


def _joined(one: _Part, other: _Part) -> _Part:
    return one if one == other else _NOTHING


def _function(op: AmdInstruction, held: Mapping[str, _Part]) -> str:
    """The function that a call goes to, "" if that is not certain."""
    pair = operand(op.operands[-1]).registers
    low, high = (held.get(name, _NOTHING) for name in pair) if len(pair) == 2 else (_NOTHING,) * 2
    return low[1] if low[0] == "low" and high == ("high", low[1]) else ""


def _scalars(text: str) -> tuple[str, ...]:
    return tuple(name for name in operand(text).registers if not name.startswith("v"))


def _change(
    made: _Inlined, op: AmdInstruction, held: Facts[_Part], running: tuple[str, ...]
) -> None:
    """What registers hold behind ``op``: parts of addresses of functions; of what it may write
    else, nothing."""
    if op.name in _CALLS and op.operands:
        touched = _touched(made, _function(op, held), running)
        for name in list(held) if touched is None else touched & set(held):
            held[name] = _NOTHING
        return
    new = _made(op, held)
    for one in op.operands[: 1 if op.name.startswith("s_") else 2]:
        held |= dict.fromkeys(_scalars(one), _NOTHING)
    if new and op.operands:
        held |= zip(_scalars(op.operands[0]), new, strict=False)


def _made(op: AmdInstruction, held: Mapping[str, _Part]) -> tuple[_Part, ...]:
    """The parts of an address that ``op`` makes."""
    last = op.operands[-1] if len(op.operands) > 1 else ""
    made = _TARGET.fullmatch(last)
    if made and op.name == _HALVES[made[3]]:
        kind = ("low" if made[3] == "lo" else "high") + ("" if made[2] == "rel32" else " in table")
        return ((kind, made[1]),)
    source = operand(op.operands[1]).registers if last else ()
    parts = tuple(held.get(name, _NOTHING) for name in source)
    if op.name in ("s_mov_b32", "s_mov_b64"):
        return parts
    stored = [("low in table", name) for _, name in parts[:1]]
    stored += [("high in table", name) for _, name in parts[:1]]
    if op.name == "s_load_dwordx2" and list(parts) == stored and operand(last).number == 0:
        return tuple((kind.removesuffix(" in table"), name) for kind, name in parts)
    return ()


def _touched(made: _Inlined, name: str, running: tuple[str, ...]) -> set[str] | None:
    if name not in made.touched:
        body = function(made.text, name) if name and name not in running else None
        made.touched[name] = _named(made, body, (*running, name)) if body is not None else None
    return made.touched[name]


def _named(made: _Inlined, body: _Body, running: tuple[str, ...]) -> set[str] | None:
    """The registers that a function and those that it calls name."""
    texts = {one for op in body[0] for one in op.operands}
    found = {register for one in texts for register in operand(bare(one)).registers}
    called = dict(_targets(made, *body, running))
    for n, op in enumerate(body[0]):
        if op.name in _CALLS and op.operands != (_RETURN,):
            more = _touched(made, called.get(n, ""), running)
            if more is None:
                return None
            found |= more
    return found
