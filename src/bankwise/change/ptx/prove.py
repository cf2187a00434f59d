"""The proof of a PTX edit, on both texts, for all launches.

    1. the texts differ in three things only: statements that write registers which the old text
       does not have, the address of accesses to the variables, and their alignment
    2. in the old text the address of each variable goes into accesses only
       (:mod:`bankwise.change.ptx.reach`), each of them to one variable
    3. what stands before each such access in a straight line makes of its old address the new one:
       evaluated for every address that shared memory has and that its register can hold
    4. the map permutes the bytes of the variable, and keeps together what an access moves together

No access leaves its variable, as C and PTX demand: that is taken for granted, and said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from bankwise.algebra.address_fold import Addresses, AddressFold
from bankwise.change.ptx.fold import VariableFold, begins, permutes
from bankwise.change.ptx.known_bits import Masks, possible_bits
from bankwise.change.ptx.reach import VariableAccess, accesses_of, elsewhere, register_bytes
from bankwise.errors import Location, Refusal
from bankwise.identity import ByIdentity
from bankwise.read.follow.decoded import Address
from bankwise.read.ptx.operands import address, integer, registers
from bankwise.read.ptx.parse import PtxKernel, Statement, Variable, kernels, without_comments

_WINDOW = 1 << 18
"""Above the shared memory of a block on every GPU: 227 KiB (CUDA programming guide, 12.0)."""
_BLOCKS = (0, 5 << 24)
"""Shared memory of a block in a cluster begins at a multiple of 2^24 (machine code of sm_90)."""
_DECLARES = re.compile(r"\s*\.reg\s+\.b(?:32|64)\s+(%bw[a-h]?)d?<\d+>;\s*")
_ALIGN = re.compile(r"(?<=\.shared\s)\s*\.align\s+\d+\s+")
_OPERAND = re.compile(r"\[[^\[\]]*\]")
_SIZE = re.compile(r"%(?:total|aggr)_smem_size\b")

Expression = tuple[object, ...]
"""What a new register holds: ("base", register), ("add", expression, number), .."""


def prove_ptx(before: str, after: str, file: str, folds: Sequence[VariableFold]) -> int | Refusal:
    """How many accesses go through the maps; a Refusal where something is not proved."""
    why = _texts(before, after, folds)
    if why:
        return Refusal(f"the texts differ in more than addresses: {why}")
    old, new = kernels(before, file), kernels(after, file)
    clean = without_comments(before)
    if _SIZE.search(clean):
        return Refusal("it reads how many bytes its block has, which an alignment may change")
    for fold in folds:
        if elsewhere(clean, old, fold.variable):
            return Refusal(f"{fold.variable} is named outside of kernels")
    proved = 0
    for one, other in zip(old, new, strict=True):
        found = _kernel(one, other, before, file, folds)
        if isinstance(found, Refusal):
            return found
        proved += found
    return proved


def _texts(before: str, after: str, folds: Sequence[VariableFold]) -> str:
    """The first line that differs in what it must not; empty if none does."""
    old, new = (without_comments(text).split("\n") for text in (before, after))
    prefix = next((m[1] for line in new if (m := _DECLARES.fullmatch(line))), "%bw")
    if prefix in without_comments(before):
        return f"registers {prefix} are not new"
    names = "|".join(map(re.escape, (*_RENAMES, *_COMPUTES)))
    inserted = re.compile(rf"\s*(?:{names})\s+{prefix}d?\d+\s*,[^;{{}}\[\]]*;\s*")
    kept = [one for one in new if not inserted.fullmatch(one) and not _DECLARES.fullmatch(one)]
    named = "|".join(re.escape(fold.variable) for fold in folds)
    declares = re.compile(rf"\.shared\s[^;]*(?<![\w$%])(?:{named})(?![\w$])")
    if len(kept) != len(old):
        return f"{len(kept)} lines for {len(old)}"
    for number, (one, other) in enumerate(zip(old, kept, strict=True), 1):
        if declares.search(one):
            one, other = (_ALIGN.sub("", text, count=1) for text in (one, other))
        elif prefix in other:
            one, other = (_OPERAND.sub("[]", text, count=1) for text in (one, other))
        if one != other:
            return f"line {number}"
    return ""


def _kernel(
    old: PtxKernel, new: PtxKernel, before: str, file: str, folds: Sequence[VariableFold]
) -> int | Refusal:
    by_name = {fold.variable: fold for fold in folds}
    declared = {one.name: one for one in new.shared}
    why = next(filter(None, (_declared(declared.get(n), f) for n, f in by_name.items())), None)
    if why is not None:
        return why
    unsized = [name for name, one in declared.items() if one.size_bytes is None]
    if len(unsized) > 1 and set(unsized) & by_name.keys():
        return Refusal(f"{' and '.join(unsized)} are one memory")
    found = accesses_of(old, frozenset(by_name), file)
    if isinstance(found, Refusal):
        return found
    sizes = register_bytes(before, old, [a.base for a in found if a.base != a.variable])
    if isinstance(sizes, Refusal):
        return sizes
    starts = {name: begins(one) for name, one in declared.items()}
    facts = _RegisterFacts(by_name, starts, sizes, possible_bits(old, starts))
    return _walk(old, new, file, found, facts)


def _declared(found: Variable | None, fold: VariableFold) -> Refusal | None:
    return None if found is None else permutes(fold, found)


class _RegisterFacts(ByIdentity, frozen=True, eq=False):
    """The maps by variable, at which multiple each variable begins, how large registers are and
    which of their bits may be set."""

    folds: Mapping[str, VariableFold]
    starts: Mapping[str, int]
    sizes: Mapping[str, int]
    masks: Masks


def _walk(
    old: PtxKernel,
    new: PtxKernel,
    file: str,
    found: Sequence[VariableAccess],
    facts: _RegisterFacts,
) -> int | Refusal:
    """Both texts side by side: what new registers hold, and what goes through them."""
    accesses = {one.number: one for one in found}
    joins, held = set(new.labels.values()), dict[str, Expression]()
    known = {n for s in old.statements for text in s.operands for n in registers(text)}
    behind = iter(old.statements)
    for one in new.statements:
        if one.number in joins:
            held.clear()
        target = one.operands[0] if one.operands else ""
        if target.startswith("%bw") and target not in known:
            why = _held(one, held)
        else:
            was = next(behind, None)
            if was is None:
                return Refusal("the new text has more statements")
            why = _same(was, one, accesses.get(was.number), held, facts)
            _forget(one, held)
        if why:
            return Refusal(f"{new.name}: {why}", Location(file, one.line))
    return len(found) if next(behind, None) is None else Refusal("the new text has less statements")


def _forget(one: Statement, held: dict[str, Expression]) -> None:
    """What was made of a register that is written anew is made of another value."""
    if not one.operands or "[" in one.operands[0]:
        return
    lost = set(registers(one.operands[0]))
    for name in [name for name, said in held.items() if _base(said) in lost]:
        del held[name]


def _base(said: Expression) -> object:
    while said[0] != "base":
        said = said[1]  # type: ignore[assignment]
    return said[1]


_RENAMES = {
    "cvta.to.shared.u64": ("generic", "long"),
    "cvt.u32.u64": ("long", "word"),
    "cvt.u64.u32": ("word", "long"),
    "cvta.shared.u64": ("long", "generic"),
    "mov.u32": ("word", "word"),
}
"""What makes another form of the same address."""
_COMPUTES = {"add.s32": "add", "shr.u32": "shr", "and.b32": "and", "xor.b32": "xor"}


def _held(one: Statement, held: dict[str, Expression]) -> str:
    """Take note of what a new statement writes; in words, why that is not followed."""
    target, *given = one.operands
    if one.guard or not given:
        return f"{one.name} is guarded, or has no operands"
    source = held.get(given[0], ("base", given[0]))
    if one.name in _RENAMES and len(given) == 1:
        held[target] = (one.name, source)
        return ""
    word, last = _COMPUTES.get(one.name), given[-1]
    number = integer(last)
    if word is None or len(given) != 2 or (word == "shr" and number not in range(32)):
        return f"{one.name} is not what a fold consists of"
    if number is None and (last not in held or _base(held[last]) != _base(source)):
        return f"{last} is not made of the same register here"
    held[target] = (word, source, held[last] if number is None else number)
    return ""


def _same(
    old: Statement,
    new: Statement,
    access: VariableAccess | None,
    held: Mapping[str, Expression],
    facts: _RegisterFacts,
) -> str:
    """Why a statement is not the old one with the new address; empty if it is."""
    if (old.name, old.guard) != (new.name, new.guard):
        return f"{new.name} for {old.name}"
    if access is None:
        return "" if old.operands == new.operands else f"{new.name} has other operands"
    place = next(n for n, text in enumerate(old.operands) if text.startswith("["))
    rest = [(*one.operands[:place], *one.operands[place + 1 :]) for one in (old, new)]
    at = address(new.operands[place])
    if rest[0] != rest[1] or at is None:
        return f"{new.name} has other operands"
    fold = facts.folds[access.variable]
    if fold.map.unit % access.width_bytes:
        together = fold.map.unit
        return f"{new.name} moves {access.width_bytes} bytes, of which {together} stay together"
    return _through(at, access, held, facts)


def _through(
    at: Address, access: VariableAccess, held: Mapping[str, Expression], facts: _RegisterFacts
) -> str:
    """Why an address is not the map of the old one; empty if it is."""
    fold, base = facts.folds[access.variable], access.base
    said = held.get(at.registers[0], ("base", at.registers[0]))
    if _base(said) != base:
        return f"its address is made of {_base(said)}, not of {base}"
    mask = facts.masks.get(base, ~0)
    if base == access.variable:
        mask = -facts.starts[base]
    start = "generic" if access.generic else _FORMS[facts.sizes.get(base, 4)]
    form = _form(said, start)
    if not form or (form == "generic") is not access.generic:
        return "its address is of another form"
    if _maps(said, at.offset_bytes, access.offset_bytes, mask & 0xFFFFFFFF, fold.map):
        return ""
    return f"its address is not {fold.map} of the old one"


_FORMS = {4: "word", 8: "long"}


def _form(said: Expression, start: str) -> str:
    """What an expression is: a word or a long one of shared memory, or generic; empty for what is
    none of these."""
    word, *given = said
    if word == "base":
        return start
    forms = {_form(one, start) for one in given if isinstance(one, tuple)}
    taken, made = _RENAMES.get(str(word), ("word", "word"))
    return made if forms == {taken} else ""


@lru_cache(maxsize=4096)
def _maps(said: Expression, offset: int, old_offset: int, mask: int, fold: AddressFold) -> bool:
    """Whether an expression is the map, at all addresses that its base can make."""
    for start in _BLOCKS:
        at = np.arange(_WINDOW, dtype=np.uint32) + np.uint32(start)
        base = at - np.uint32(old_offset & 0xFFFFFFFF)
        can = base & np.uint32(~mask & 0xFFFFFFFF) == 0
        new = _evaluated(said, base[can]) + np.uint32(offset & 0xFFFFFFFF)
        if not np.array_equal(new, fold(at[can])):
            return False
    return True


def _evaluated(said: Expression, base: Addresses) -> Addresses:
    word, *given = said
    if word == "base":
        return base
    value = _evaluated(given[0], base)  # type: ignore[arg-type]
    if word in _RENAMES:
        return value
    other = given[1]
    number = (
        np.uint32(other & 0xFFFFFFFF) if isinstance(other, int) else _evaluated(other, base)  # type: ignore[arg-type]
    )
    if word == "add":
        return value + number
    if word == "shr":
        return value >> number
    return value & number if word == "and" else value ^ number
