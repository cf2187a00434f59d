"""Where the address of a shared variable goes in PTX: into which accesses, or out of sight.

Every register carries the names of the variables whose address it may hold, whatever way led
there: the union over all that is written to it. Arithmetic passes them on, comparisons do not. An
address that is stored, passed to a call, made a descriptor or handed to an asynchronous unit is out
of sight; so no pointer that comes from memory is one of these variables'.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from bankwise.errors import Location, Refusal
from bankwise.read.follow.decoded import DecodedAccess
from bankwise.read.ptx.operands import registers
from bankwise.read.ptx.parse import BYTES, PtxKernel, Statement, without_comments
from bankwise.read.ptx.shared import touch
from bankwise.read.ptx.units import is_unit

_PASSES_ON = frozenset(
    {
        *("mov", "add", "sub", "mul", "mul24", "mad", "mad24", "shl", "shr", "shf", "shfl"),
        *("and", "or", "xor", "not", "lop3", "selp", "slct", "min", "max", "bfe", "bfi", "prmt"),
        *("cvta", "cvt", "neg", "abs", "sad", "rem", "div", "popc", "clz"),
    }
)
"""What makes numbers of numbers: an address may be among both."""
_ENDS = frozenset({"setp", "set", "isspacep"})
_MOVES = frozenset({"plain", "atomic", "matrix", "async"})

Origins = Mapping[str, frozenset[str]]
"""By register, the variables whose address it may hold."""


class VariableAccess(Struct, frozen=True):
    """An access to a shared variable: the ``number`` of its statement, the register, or the
    variable, that its address names, the constant behind it, and the bytes that stay together.
    ``generic``: the address is one of all memory."""

    number: int
    variable: str
    base: str
    offset_bytes: int
    width_bytes: int
    generic: bool


def origins(statements: Sequence[Statement], variables: frozenset[str]) -> Origins:
    """Which of ``variables`` each register may point to."""
    found: dict[str, frozenset[str]] = {}
    moves = [s for s in statements if s.parts[0] in _PASSES_ON and len(s.operands) > 1]
    changed = True
    while changed:
        changed = False
        for one in moves:
            given = _of(one.operands[1:], found, variables)
            for name in registers(one.operands[0]) if given else ():
                known = found.get(name, frozenset())
                if not given <= known:
                    found[name] = known | given
                    changed = True
    return found


def _of(texts: Sequence[str], found: Origins, variables: frozenset[str]) -> frozenset[str]:
    names = {name for text in texts for name in registers(text)}
    empty: frozenset[str] = frozenset()
    return frozenset(names & variables).union(*(found.get(name, empty) for name in names))


def accesses_of(
    kernel: PtxKernel, variables: frozenset[str], file: str
) -> tuple[VariableAccess, ...] | Refusal:
    """All accesses of a kernel to some shared variables. A Refusal where there may be others."""
    every = frozenset(one.name for one in kernel.shared)
    known = origins(kernel.statements, every)
    found: list[VariableAccess] = []
    for one in kernel.statements:
        said = _access(one, known, every, variables)
        if isinstance(said, str):
            return Refusal(f"{kernel.name}: {said}", Location(file, one.line))
        found += [said] if said is not None else []
    return tuple(found)


def _access(
    one: Statement, known: Origins, every: frozenset[str], wanted: frozenset[str]
) -> VariableAccess | str | None:
    """What a statement does to the wanted variables; in words, why that is not known."""
    touched = None if is_unit(one) else touch(one)
    if not isinstance(touched, DecodedAccess) or touched.kind not in _MOVES:
        escapes = _of(one.operands, known, every) & wanted
        if not escapes or one.parts[0] in _PASSES_ON | _ENDS:
            return None
        return f"{one.name} takes the address of {_named(escapes)}"
    place = next(n for n, text in enumerate(one.operands) if text.startswith("["))
    escapes = _of(one.operands[place + 1 :], known, every) & wanted
    if escapes:
        return f"{one.name} stores the address of {_named(escapes)}"
    into = _of([one.operands[place]], known, every)
    if not into and not touched.generic:
        return f"{one.name} has an address that comes from no variable"
    if not into & wanted:
        return None
    if len(into) > 1:
        return f"{one.name} may touch {_named(into)}: which is not known"
    at = touched.address
    return VariableAccess(
        *(one.number, next(iter(into)), at.registers[0], at.offset_bytes),
        *(touched.width_bytes, touched.generic),
    )


def _named(names: frozenset[str]) -> str:
    return " and ".join(sorted(names))


def elsewhere(text: str, kernels: Sequence[PtxKernel], name: str) -> bool:
    """Whether a cleaned text names a variable outside of its declaration and the statements of its
    kernels: in a function, in the initial value of another."""
    own = re.compile(rf"(?<![\w$%]){re.escape(name)}(?![\w$])")
    named = sum(
        len(own.findall(operand)) for k in kernels for s in k.statements for operand in s.operands
    )
    return len(own.findall(text)) != named + 1


def register_bytes(
    text: str, kernel: PtxKernel, names: Sequence[str]
) -> Mapping[str, int] | Refusal:
    """The size of some registers of a kernel. A Refusal where one is declared in several scopes:
    then one name is two registers."""
    lines = without_comments(text).split("\n")
    last = max((one.line for one in kernel.statements), default=kernel.line)
    declared = [
        (BYTES.get(kind, 0), *item)
        for kind, items in _REGISTERS.findall("\n".join(lines[kernel.line - 1 : last]))
        for item in _ITEM.findall(items)
    ]
    sizes: dict[str, int] = {}
    for name in names:
        found = [size for size, stem, count in declared if _is_one(name, stem, count)]
        if len(found) != 1 or found[0] not in (4, 8):
            where = f"{name} is declared {len(found)} times"
            return Refusal(f"{kernel.name}: {where}: which register it is, is not known")
        sizes[name] = found[0]
    return sizes


_REGISTERS = re.compile(r"\.reg\s+\.(\w+)\s+([^;]*);")
_ITEM = re.compile(r"([%$\w]+)(?:<(\d{1,6})>)?")


def _is_one(name: str, stem: str, count: str) -> bool:
    number = name.removeprefix(stem)
    if not count:
        return name == stem
    return name.startswith(stem) and number.isdecimal() and int(number) < int(count)
