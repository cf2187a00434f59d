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

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.read.amd.operands import bare, operand
from bankwise.read.amd.parse import AmdInstruction, AmdKernel, function
from bankwise.read.amd.text import AmdText, amd_text

_TARGET = re.compile(r"([\w.$]+)@(rel32|gotpcrel32)@lo(?:\+4)?")
_RETURN = "s[30:31]"
_MOST_OPERATIONS = 50_000


def with_calls(kernel: AmdKernel, text: str) -> AmdKernel:
    """``kernel`` with the functions that it calls in the place of the calls."""
    if not any(op.name in ("s_swappc_b64", "s_setpc_b64") for op in kernel.operations):
        return kernel
    made = _Inlined(amd_text(text))
    _append(made, kernel.operations, kernel.labels, "", (kernel.name,))
    return replace(kernel, operations=tuple(made.operations), labels=made.labels)


class _Inlined(Struct):
    text: AmdText
    operations: list[AmdInstruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    calls: int = 0


def _append(
    made: _Inlined,
    operations: Sequence[AmdInstruction],
    labels: Mapping[str, int],
    prefix: str,
    running: tuple[str, ...],
) -> None:
    """Add the code of one function; ``running``: it and its callers. Its end is behind it."""
    targets = dict(_targets(made.text, operations, labels))
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
    body: tuple[tuple[AmdInstruction, ...], Mapping[str, int]],
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
    text: AmdText, operations: Sequence[AmdInstruction], labels: Mapping[str, int]
) -> Iterator[tuple[int, str]]:
    """The calls (by number) whose function is certain: its address was made in the same straight
    line of code."""
    held: dict[tuple[str, ...], str] = {}
    starts = set(labels.values())
    for n, op in enumerate(operations):
        if n in starts:
            held = {}
        if op.name in ("s_swappc_b64", "s_setpc_b64") and op.operands:
            found = held.get(operand(op.operands[-1]).registers, "")
            if found and not found.startswith("*"):
                yield n, found
            touched = _touched(text, found)
            if touched is None:
                held = {}
            else:
                held = {pair: one for pair, one in held.items() if not touched & set(pair)}
        held = dict(_after(op, held))


def _touched(text: AmdText, name: str) -> set[str] | None:
    """The registers that a function names; None if it calls others or is not there."""
    body = function(text, name) if name else None
    if body is None or any(op.name == "s_swappc_b64" for op in body[0]):
        return None
    texts = (text for op in body[0] for text in op.operands)
    return {register for text in texts for register in operand(bare(text)).registers}


def _after(
    op: AmdInstruction, held: Mapping[tuple[str, ...], str]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """What register pairs hold behind ``op``: functions, or ``*`` and the function whose address
    is stored there."""
    to = operand(op.operands[0]).registers if op.operands else ()
    name = _TARGET.fullmatch(op.operands[-1]) if op.name == "s_add_u32" and op.operands else None
    if name and len(to) == 1 and to[0][1:].isdigit():
        following = f"s{int(to[0][1:]) + 1}"
        yield (to[0], following), ("*" if name[2] == "gotpcrel32" else "") + name[1]
    if op.name in ("s_mov_b64", "s_load_dwordx2") and len(op.operands) > 1:
        found = held.get(operand(op.operands[1]).registers, "")
        if op.name == "s_mov_b64" and found:
            yield to, found
        elif found.startswith("*") and operand(op.operands[-1]).number == 0:
            yield to, found[1:]
    ends = op.name == "s_addc_u32" and op.operands and "@hi" in op.operands[-1]
    for pair, one in held.items():
        if ends or not set(pair) & set(to):
            yield pair, one
