"""A kernel of a code object as assembly text, and at which address each line of it stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from bankwise.read.amd.disassemble import MachineInstruction, disassemble
from bankwise.read.binary.code_object import CodeObject, ObjectKernel, descriptor_lines

_PLAIN = re.compile(r"[\w.$@?]+")
_GETPC = re.compile(r"s_getpc_b64 s\[(\d+):\d+\]")
_LITERAL = re.compile(r"(?:0x[0-9a-f]+|-?\d+)$")
_M64 = (1 << 64) - 1
_REACH = 4
"""Instructions behind ``s_getpc_b64`` in which its sum is looked for."""
_NAME = "kernel"
"""What a kernel is called in the text: its own name may be no word of an assembler."""


class KernelText(Struct, frozen=True):
    """``text``: assembly of one kernel and the functions that it may call. ``addresses``: of its
    lines with an instruction, from the start of the kernel, in bytes."""

    text: str
    addresses: Mapping[int, int]


class _Lines(Struct):
    """The text as it grows."""

    lines: list[str] = field(default_factory=list)
    addresses: dict[int, int] = field(default_factory=dict)
    files: dict[str, int] = field(default_factory=dict)


def kernel_text(code: CodeObject, kernel: ObjectKernel) -> KernelText:
    """The assembly of one kernel. :class:`InputError` for a GPU that cannot be disassembled."""
    made = _Lines([f'\t.amdgcn_target "amdgcn-amd-amdhsa--{code.target}"'])
    waiting, done = [(_NAME, kernel.start, kernel.end)], {kernel.name}
    while waiting:
        name, start, end = waiting.pop()
        for callee in _function(made, code, name, start, end, kernel.start):
            if callee not in done:
                done.add(callee)
                waiting.append((callee, *code.functions[callee]))
    made.lines += _descriptor(kernel.descriptor)
    made.lines += _metadata(kernel.metadata)
    return KernelText("\n".join(made.lines) + "\n", made.addresses)


def _function(
    made: _Lines, code: CodeObject, name: str, start: int, end: int, origin: int
) -> set[str]:
    """Write one function; the functions whose addresses it makes."""
    body = code.code[start - code.base : end - code.base]
    instructions = disassemble(body, code.target)
    sums, callees = _own_addresses(code, instructions, start)
    targets = {one.goes_to for one in instructions} - {None}
    made.lines.append(f"{name}:")
    rows = _rows(code, start, end)
    for one in instructions:
        if one.offset in targets:
            made.lines.append(f".L{start + one.offset:x}:")
        if one.offset in rows:
            made.lines += _place(made, *rows[one.offset])
        made.lines.append(f"\t{_text(code, one, start, sums)}")
        made.addresses[len(made.lines)] = start + one.offset - origin
    made.lines.append(f".Lfunc_end_{name}:")
    named = (code.relocations.get(at, "").partition("@")[0] for at in range(start, end, 4))
    return callees | {name for name in named if name in code.functions}


def _text(
    code: CodeObject,
    one: MachineInstruction,
    start: int,
    sums: Mapping[int, str],
) -> str:
    if one.goes_to is not None:
        return f"{one.text.rpartition(' ')[0]} .L{start + one.goes_to:x}"
    if one.offset in sums:
        return _LITERAL.sub(sums[one.offset], one.text)
    fixed = (code.relocations.get(start + one.offset + n) for n in range(0, one.length, 4))
    symbol = next((name for name in fixed if name), "")
    if symbol:
        literal = "|".join(re.findall(r"0x[0-9a-f]+|(?<=[ ,])-?\d+", one.text)[-1:])
        return (
            re.sub(rf"{literal}(?!.*{literal})", symbol, one.text) if literal else f".long {symbol}"
        )
    return one.text


def _own_addresses(
    code: CodeObject, instructions: tuple[MachineInstruction, ...], start: int
) -> tuple[dict[int, str], set[str]]:
    """The sums that make the address of a function of the program counter: by the offset of each
    addition the operand as the assembler had it; and these functions."""
    found: dict[int, str] = {}
    callees: set[str] = set()
    names = {at: name for name, (at, _) in code.functions.items() if _PLAIN.fullmatch(name)}
    for n, one in enumerate(instructions):
        getpc = _GETPC.fullmatch(one.text)
        if not getpc:
            continue
        low = int(getpc[1])
        behind = instructions[n + 1 : n + 1 + _REACH]
        parts = [
            _added(behind, f"s_add{c}_{t}32 s{low + k}, s{low + k}, ", code, start)
            for k, c, t in ((0, "", "u"), (1, "c", "u"))
        ]
        if None in parts:
            continue
        (first, a), (second, b) = (part for part in parts if part)
        pc = start + one.offset + one.length
        goal = (pc + a + (b << 32)) & _M64
        if goal in names:
            callees.add(names[goal])
            found[first] = f"{names[goal]}@rel32@lo+4"
            found[second] = f"{names[goal]}@rel32@hi+12"
    return found, callees


def _added(
    instructions: tuple[MachineInstruction, ...], begins: str, code: CodeObject, start: int
) -> tuple[int, int] | None:
    """Offset and number of an addition to half of the program counter."""
    for one in instructions:
        if one.text.startswith(begins) and start + one.offset + 4 not in code.relocations:
            rest = one.text.removeprefix(begins)
            if _LITERAL.fullmatch(rest):
                return one.offset, int(rest, 0) & 0xFFFFFFFF
    return None


def _rows(code: CodeObject, start: int, end: int) -> dict[int, tuple[str, int]]:
    """The source lines that begin in a function, by offset."""
    addresses = [at for at, _, _ in code.lines]
    first, last = bisect_right(addresses, start - 1), bisect_right(addresses, end - 1)
    return {at - start: (file, line) for at, file, line in code.lines[first:last]}


def _place(made: _Lines, file: str, line: int) -> Iterator[str]:
    number = made.files.get(file)
    if number is None:
        number = made.files[file] = len(made.files) + 1
        quoted = file.replace('"', "").replace("\n", "")
        yield f'\t.file\t{number} "{quoted}"'
    yield f"\t.loc\t{number} {line} 0"


def _descriptor(descriptor: bytes) -> Iterator[str]:
    yield f"\t.amdhsa_kernel {_NAME}"
    for name, value in descriptor_lines(descriptor):
        yield f"\t\t.amdhsa_{name} {value}"
    yield "\t.end_amdhsa_kernel"


def _metadata(entry: Mapping[str, Any]) -> Iterator[str]:
    """What the reader of assembly takes of a kernel's entry, as LLVM writes it."""
    yield "amdhsa.kernels:"
    arguments = entry.get(".args")
    yield "  - .args:"
    for one in arguments if isinstance(arguments, list) else ():
        if isinstance(one, dict):
            yield f"      - .offset: {_number(one.get('.offset'))}"
            yield f"        .size: {_number(one.get('.size'))}"
            yield f"        .value_kind: {_word(one.get('.value_kind'))}"
            if _word(one.get(".name")):
                yield f"        .name: {_word(one.get('.name'))}"
    yield f"    .name: {_NAME}"
    sizes = entry.get(".reqd_workgroup_size")
    if isinstance(sizes, list):
        yield f"    .reqd_workgroup_size: [{', '.join(str(_number(n)) for n in sizes)}]"
    for key in ("max_flat_workgroup_size", "vgpr_count", "sgpr_count", "wavefront_size"):
        if f".{key}" in entry:
            yield f"    .{key}: {_number(entry[f'.{key}'])}"


def _number(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 1 << 63 else 0


def _word(value: object) -> str:
    return value if isinstance(value, str) and re.fullmatch(r"[\w.$]+", value) else ""
