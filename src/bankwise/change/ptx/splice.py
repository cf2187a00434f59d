"""A fold spliced into the addresses of PTX text: a few lines before each access, one operand in it.

    ld.shared.f32 %f1, [%r5+4];     ->   shr.u32 %bw0, %r5, 5;
                                         and.b32 %bw0, %bw0, 112;
                                         xor.b32 %bw0, %r5, %bw0;
                                         ld.shared.f32 %f1, [%bw0+4];

One fold of a register serves all accesses that it reaches in a straight line. A constant behind the
register stays behind it where it is a multiple of all that the fold reads and moves, or below what
stays together; where the register has none of its bits, a second XOR with a number moves them.
What may carry is added first, and the sum is folded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from bankwise.change.ptx.fold import BEGINS_BYTES, VariableFold, begins
from bankwise.change.ptx.known_bits import Masks, possible_bits
from bankwise.change.ptx.reach import VariableAccess, accesses_of, register_bytes
from bankwise.errors import Location, Refusal
from bankwise.read.ptx.operands import registers
from bankwise.read.ptx.parse import PtxKernel, kernels, without_comments

PLAIN = re.compile(r"[ \t]*(?:@!?[%\w$]+[ \t]+)?[a-z][\w.:]*[ \t][^;]*;[ \t]*")
"""A line that is one statement, without a label or a brace."""
OPERAND = re.compile(r"\[[^\[\]]*\]")
_ALIGN = r"(\.shared\s+)(\.align\s+\d+\s+)?((?:\.attribute\([^)]*\)\s+)?\.\w+\s+{name}(?![\w$]))"


class Spliced(Struct, frozen=True):
    """A text with folds. ``lines``: of each line its number in the text before; what is new has
    that of the line for which it is there. ``added``: lines."""

    text: str
    lines: tuple[int, ...]
    added: int


def spliced(text: str, file: str, folds: Sequence[VariableFold]) -> Spliced | Refusal:
    """The text with the folds in all accesses of all kernels to their variables."""
    clean = without_comments(text)
    prefix = next((p for p in map("%bw{}".format, ("", *"abcdefgh")) if p not in clean), "")
    if not prefix:
        return Refusal("it has registers of every name that is tried", Location(file))
    aligned = _aligned(text, folds)
    by_name = {fold.variable: fold for fold in folds}
    lines, before = aligned.split("\n"), dict[int, list[str]]()
    plain = clean.split("\n")
    for kernel in kernels(aligned, file):
        done = _kernel(kernel, aligned, file, by_name, prefix)
        if isinstance(done, Refusal):
            return done
        if not done.edits:
            continue
        opening = next(n for n in range(kernel.line, len(plain) + 1) if "{" in plain[n - 1])
        if plain[opening - 1].split("{", 1)[1].strip():
            return Refusal("its code begins behind the brace", Location(file, opening))
        before[opening + 1] = done.declared + before.get(opening + 1, [])
        for line, edit in done.edits.items():
            if not PLAIN.fullmatch(plain[line - 1]):
                return Refusal("the line is more than one statement", Location(file, line))
            old = lines[line - 1]
            indent = old[: len(old) - len(old.lstrip())]
            before.setdefault(line, []).extend(indent + one for one in edit.before)
            lines[line - 1] = OPERAND.sub(lambda _, e=edit: e.operand, old, count=1)  # type: ignore[misc]
    out = [(n, one) for n, line in enumerate(lines, 1) for one in _with(before, n, line)]
    numbers = tuple(number for number, _ in out)
    return Spliced("\n".join(line for _, line in out), numbers, len(out) - len(lines))


def _with(before: Mapping[int, list[str]], number: int, line: str) -> Iterator[str]:
    yield from before.get(number, ())
    yield line


def _aligned(text: str, folds: Sequence[VariableFold]) -> str:
    for fold in folds:
        declared = re.compile(_ALIGN.format(name=re.escape(fold.variable)))
        text = declared.sub(rf"\g<1>.align {fold.alignment_bytes} \g<3>", text)
    return text


class _LineEdit(Struct, frozen=True):
    """What stands before a line, and the operand in it."""

    before: tuple[str, ...]
    operand: str


class _Splicer(Struct):
    """Registers made so far. ``known``: what some base is folded to, or XORed with, right now."""

    prefix: str
    masks: Masks
    wide: frozenset[str]
    words: int = 0
    longs: int = 0
    known: dict[tuple[str, bool, int, int], str] = field(default_factory=dict)

    def word(self) -> str:
        self.words += 1
        return f"{self.prefix}{self.words - 1}"

    def long(self) -> str:
        self.longs += 1
        return f"{self.prefix}d{self.longs - 1}"


class _SplicedKernel(Struct, frozen=True):
    edits: Mapping[int, _LineEdit]
    declared: list[str]


def _kernel(
    kernel: PtxKernel, text: str, file: str, folds: Mapping[str, VariableFold], prefix: str
) -> _SplicedKernel | Refusal:
    found = accesses_of(kernel, frozenset(folds), file)
    if isinstance(found, Refusal):
        return found
    sizes = register_bytes(text, kernel, [a.base for a in found if a.base != a.variable])
    if isinstance(sizes, Refusal):
        return sizes
    wide = frozenset(name for name, size in sizes.items() if size == 8)
    aligned = {one.name: begins(one) for one in kernel.shared}
    state = _Splicer(prefix, possible_bits(kernel, aligned), wide)
    joins, at = set(kernel.labels.values()), {one.number: one for one in found}
    edits: dict[int, _LineEdit] = {}
    for one in kernel.statements:
        if one.number in joins:
            state.known.clear()
        access = at.get(one.number)
        if access is not None:
            lines: list[str] = []
            operand = _operand(state, access, folds[access.variable], lines)
            edits[one.line] = _LineEdit(tuple(lines), operand)
        if one.operands and "[" not in one.operands[0]:
            lost = set(registers(one.operands[0]))
            state.known = {key: name for key, name in state.known.items() if key[0] not in lost}
    declared = [f"\t.reg .b32 \t{prefix}<{state.words}>;"] if state.words else []
    declared += [f"\t.reg .b64 \t{prefix}d<{state.longs}>;"] if state.longs else []
    busy = Counter(kernel.statements[a.number].line for a in found)
    several = next((line for line, count in busy.items() if count > 1), None)
    if several is not None:
        return Refusal("the line is more than one statement", Location(file, several))
    return _SplicedKernel(edits, declared)


def _operand(state: _Splicer, access: VariableAccess, fold: VariableFold, lines: list[str]) -> str:
    """The new address of an access; what it takes is added to ``lines``."""
    low = access.offset_bytes % fold.map.reach
    high, mask = access.offset_bytes - low, state.masks.get(access.base, ~0)
    if access.base == access.variable:
        mask = -min(fold.alignment_bytes, BEGINS_BYTES)
    carries = mask & low
    behind = low & (carries & -carries) - 1 if carries else low
    moved = fold.map.of(behind)
    flipped = moved & fold.map.changed
    if not flipped & -fold.map.unit:
        flipped = 0
    base = _folded(state, access, fold, low - behind, lines, flipped)
    return _place(base, high + (moved & ~flipped))


def _place(base: str, offset: int) -> str:
    sign = "+" if offset else ""
    return f"[{base}{sign}{offset or sign}]"


def _folded(
    state: _Splicer,
    access: VariableAccess,
    fold: VariableFold,
    added: int,
    lines: list[str],
    flipped: int = 0,
) -> str:
    """A register with the fold of the base and a constant, ``flipped`` by another."""
    key = access.base, access.generic, added, flipped
    if key in state.known:
        return state.known[key]
    if flipped:
        base = _word_of(state, access, fold, added, lines)
        out = state.word()
        lines.append(f"xor.b32 \t{out}, {base}, {flipped};")
    else:
        start = _start(state, access, added, lines)
        out = start
        for shift, mask in fold.map.terms:
            part, new = state.word(), state.word()
            lines.append(f"shr.u32 \t{part}, {start}, {shift};")
            lines.append(f"and.b32 \t{part}, {part}, {mask};")
            lines.append(f"xor.b32 \t{new}, {out}, {part};")
            out = new
    state.known[access.base, False, added, flipped] = out
    if not access.generic:
        return out
    wide, flat = state.long(), state.long()
    lines.append(f"cvt.u64.u32 \t{wide}, {out};")
    lines.append(f"cvta.shared.u64 \t{flat}, {wide};")
    state.known[key] = flat
    return flat


def _word_of(
    state: _Splicer, access: VariableAccess, fold: VariableFold, added: int, lines: list[str]
) -> str:
    """The fold of the base and a constant, as an address of shared memory."""
    key = access.base, False, added, 0
    if key not in state.known:
        _folded(state, access, fold, added, lines)
    return state.known[key]


def _start(state: _Splicer, access: VariableAccess, added: int, lines: list[str]) -> str:
    """The base as a word, with a constant added."""
    base = access.base
    if access.generic:
        shared = state.long()
        lines.append(f"cvta.to.shared.u64 \t{shared}, {base};")
        base = shared
    if access.generic or base in state.wide:
        word = state.word()
        lines.append(f"cvt.u32.u64 \t{word}, {base};")
        base = word
    if base == access.variable:
        word = state.word()
        lines.append(f"mov.u32 \t{word}, {base};")
        base = word
    if added:
        word = state.word()
        lines.append(f"add.s32 \t{word}, {base}, {added};")
        base = word
    return base
