"""An address map as program text: C, CUDA, HIP, Python, Triton, MLIR.

:func:`formula` runs the layout on symbols (:mod:`bankwise.notation.symbols`), :func:`write` prints
the result as a function ``offset(m, n)`` and tells how many operations it costs. All values are
non-negative, so a quotient or remainder of a power of two is a shift or a mask.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from msgspec import Struct, field

from bankwise.algebra.address import Fold, Linear, RowFolds
from bankwise.algebra.layout import Layout
from bankwise.errors import InputError, Refusal
from bankwise.notation.ck.descriptor import TensorDescriptor
from bankwise.notation.iree import XorShuffle
from bankwise.notation.symbols import Name, Operation, Sum, masked, name
from bankwise.notation.values import Mapped, Memory, axis_names, linear_memory
from bankwise.notation.wave import SwizzledTile

Language = Literal["c", "cuda", "hip", "python", "triton", "affine", "arith"]

_C_HEADS = {
    "c": "static inline",
    "cuda": "__device__ __forceinline__",
    "hip": "__device__ __forceinline__",
}
_ARITH = {"//": "divui", "%": "remui", "^": "xori", "&": "andi", ">>": "shrui"}


class OffsetFormula(Struct, frozen=True):
    """``offset`` of the coordinates ``names`` (the last one is the fastest), in elements."""

    names: tuple[str, ...]
    offset: Sum


class Code(Struct, frozen=True):
    """``text``: a complete function or map; ``operations``: what it computes per address."""

    language: Language
    text: str
    operations: int

    def __str__(self) -> str:
        return self.text


def formula(memory: Memory, names: Sequence[str] = ()) -> OffsetFormula | Refusal:
    """What a memory layout computes: as it is written, or as a linear map if that is cheaper.

    ``names``: of the coordinates (default m, n). A Refusal for a layout that is given as a table
    and is not linear: there is no formula to write.
    """
    chosen = tuple(names) or axis_names(len(memory.shape))
    assert len(chosen) == len(memory.shape), "one name for every axis"
    index = tuple(name(n, size) for n, size in zip(chosen, memory.shape, strict=True))
    found = [OffsetFormula(chosen, offset) for offset in _direct(memory, index)]
    layout = linear_memory(memory)
    if isinstance(layout, Layout):
        found.append(OffsetFormula(chosen, _linear(layout, index)))
    elif not found:
        return Refusal(f"no formula for this table of offsets: {layout.reason}")
    return min(found, key=operations)


def write(formula: OffsetFormula, language: Language) -> Code | Refusal:
    """The formula in a language; a Refusal where the language cannot say it (affine: XOR).

    :class:`InputError` for an unknown language.
    """
    if language not in get_args(Language):
        known = ", ".join(get_args(Language))
        raise InputError(f"unknown language {language!r}", hint=f"known: {known}")
    if language == "arith":
        return _arith(formula)
    printer = _Printer(affine=language == "affine")
    shared = {} if language == "affine" else _shared(formula.offset)
    lines = [f"{temp} = {printer.atom(a, shared, own=True)}" for a, temp in shared.items()]
    value = printer.sum(formula.offset, shared)
    value = value[1:-1] if _closed(value) and value.startswith("(") else value
    if language == "affine":
        if printer.refused:
            return Refusal(f"an affine map has no {printer.refused}: write it as arith")
        text = f"affine_map<({', '.join(formula.names)}) -> ({value})>"
    elif language in _C_HEADS:
        text = _c(formula, language, lines, value)
    else:
        body = [*lines, f"return {value}"]
        head = f"def offset({', '.join(formula.names)}):"
        text = "\n".join([head, *(f"    {line}" for line in body)]) + "\n"
        text = f"@triton.jit\n{text}" if language == "triton" else text
    return Code(language, text, printer.operations)


def operations(formula: OffsetFormula) -> int:
    """Operations per address, a shared subexpression counted once."""
    return _arith(formula).operations


def _direct(memory: Memory, index: tuple[Any, ...]) -> list[Sum]:
    """The layout run on symbols, if it is one that computes."""
    match memory:
        case TensorDescriptor():
            return [memory.offset(index)]
        case SwizzledTile():
            computed: Any = memory.offset((index[0], index[1]))
            return [computed]
        case Mapped():
            return [_mapped(memory, index)]
    return []


def _mapped(memory: Mapped, index: Sequence[Sum]) -> Sum:
    flat = Sum(())
    for coordinate, size in zip(index, memory.shape, strict=True):
        flat = flat * size + coordinate
    address: Any = memory.address
    if isinstance(address, XorShuffle):
        address = address.fold or address
    if isinstance(address, Linear):
        return masked(flat, address.bases)
    if isinstance(address, RowFolds):
        # Each fold reads what none changes: so they may be written one after the other.
        for fold in address.folds:
            flat = _folded(flat, fold)
        return flat
    if isinstance(address, Fold):
        return _folded(flat, address)
    found: Sum = address(flat)
    return found


def _folded(flat: Sum, fold: Fold) -> Sum:
    """Of chunks that are a power of two, exchanging them is an XOR of the whole offset."""
    if fold.unit & (fold.unit - 1):
        moved: Any = fold
        exchanged: Sum = moved(flat)
        return exchanged
    return flat ^ flat // fold.divisor % fold.phases * fold.unit


def _linear(layout: Layout, index: Sequence[Sum]) -> Sum:
    """Coordinate by coordinate; their images are XORed."""
    total = Sum(())
    for images, coordinate in zip(layout.images().values(), reversed(index), strict=True):
        total = total ^ masked(coordinate, images)
    return total


def _shared(offset: Sum) -> dict[Operation, str]:
    """The operations that are used more than once, inner ones first, with a name for each."""
    uses: dict[Operation, int] = {}

    def visit(value: Sum) -> None:
        for atom, _ in value.terms:
            if isinstance(atom, Operation):
                uses[atom] = uses.get(atom, 0) + 1
                if uses[atom] == 1:
                    visit(atom.left)
                    visit(atom.right)
                    uses[atom] = uses.pop(atom)

    visit(offset)
    several = [atom for atom, times in uses.items() if times > 1]
    return {atom: f"t{i}" for i, atom in enumerate(several)}


class _Printer(Struct):
    """Writes infix text and counts what it writes."""

    affine: bool
    operations: int = 0
    refused: str = ""

    def sum(self, value: Sum, shared: Mapping[Operation, str], *, inner: bool = False) -> str:
        """A sum, in parentheses if ``inner`` and it has more than one part."""
        parts: list[str] = []
        for atom, factor in sorted(value.terms, key=lambda term: -term[1]):
            text = self.atom(atom, shared)
            size = abs(factor)
            if size != 1:
                text = f"{text} * {size}"
                self.operations += 1
            parts += [("- " if factor < 0 else "+ ") + text]
        if value.constant or not parts:
            parts.append(("- " if value.constant < 0 else "+ ") + str(abs(value.constant)))
        self.operations += len(parts) - 1
        text = " ".join(parts)
        text = text[2:] if text.startswith("+ ") else "-" + text[2:]
        return f"({text})" if inner and " " in text and not _closed(text) else text

    def atom(
        self, atom: Name | Operation, shared: Mapping[Operation, str], *, own: bool = False
    ) -> str:
        """A name, or an operation in parentheses (``own``: the definition of a shared one)."""
        if isinstance(atom, Name):
            return atom.text
        if atom in shared and not own:
            return shared[atom]
        self.operations += 1
        left = self.sum(atom.left, shared, inner=True)
        symbol, right = self._spelled(atom, shared)
        text = f"{left} {symbol} {right}"
        return text if own else f"({text})"

    def _spelled(self, atom: Operation, shared: Mapping[Operation, str]) -> tuple[str, str]:
        if self.affine:
            names = {"//": "floordiv", "%": "mod"}
            if atom.operator not in names:
                self.refused = {"^": "XOR", "&": "AND"}[atom.operator]
            return names.get(atom.operator, "?"), self.sum(atom.right, shared, inner=True)
        symbol, amount = _cheap(atom)
        if amount is not None:
            return symbol, str(amount)
        return symbol, self.sum(atom.right, shared, inner=True)


def _closed(text: str) -> bool:
    """Whether the text is one pair of parentheses."""
    depth = 0
    for i, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if not depth and i < len(text) - 1:
            return False
    return True


def _cheap(atom: Operation) -> tuple[str, int | None]:
    """A power of two divides by a shift and leaves a mask; (symbol, constant) of an operation."""
    constant = atom.right.constant if not atom.right.terms else None
    if constant is None or atom.operator in ("^", "&") or constant & (constant - 1):
        return atom.operator, constant
    return (">>", constant.bit_length() - 1) if atom.operator == "//" else ("&", constant - 1)


def _c(formula: OffsetFormula, language: str, lines: Sequence[str], value: str) -> str:
    kind = "int" if formula.offset.most < 1 << 31 else "long long"
    parameters = ", ".join(f"{kind} {n}" for n in formula.names)
    body = [*(f"const {kind} {line};" for line in lines), f"return {value};"]
    body = [line.replace(" // ", " / ") for line in body]
    inside = "".join(f"    {line}\n" for line in body)
    return f"{_C_HEADS[language]} {kind} offset({parameters}) {{\n{inside}}}\n"


def _arith(formula: OffsetFormula) -> Code:
    """Straight-line MLIR; every distinct operation once."""
    block = _SsaBlock()
    result = block.sum(formula.offset)
    parameters = ", ".join(f"%{n}: index" for n in formula.names)
    constants = [f"%c{c} = arith.constant {c} : index" for c in sorted(block.constants)]
    lines = [*constants, *block.lines, f"return {result} : index"]
    inside = "".join(f"  {line}\n" for line in lines)
    text = f"func.func @offset({parameters}) -> index {{\n{inside}}}\n"
    return Code("arith", text, len(block.lines))


class _SsaBlock(Struct):
    """Operations of one block; a value that was computed already is used again."""

    lines: list[str] = field(default_factory=list)
    constants: set[int] = field(default_factory=set)
    known: dict[str, str] = field(default_factory=dict)

    def sum(self, value: Sum) -> str:
        """The SSA name of a sum."""
        positive = [(a, f) for a, f in value.terms if f > 0]
        total = ""
        for atom, factor in positive:
            total = self._plus("addi", total, self._scaled(atom, factor))
        if value.constant > 0 or not total:
            total = self._plus("addi", total, self._constant(max(value.constant, 0)))
        for atom, factor in ((a, f) for a, f in value.terms if f < 0):
            total = self._plus("subi", total, self._scaled(atom, -factor))
        if value.constant < 0:
            total = self._plus("subi", total, self._constant(-value.constant))
        return total

    def _plus(self, operator: str, left: str, right: str) -> str:
        return self._emit(operator, left, right) if left else right

    def _scaled(self, atom: Name | Operation, factor: int) -> str:
        value = f"%{atom.text}" if isinstance(atom, Name) else self._operation(atom)
        return value if factor == 1 else self._emit("muli", value, self._constant(factor))

    def _operation(self, atom: Operation) -> str:
        symbol, amount = _cheap(atom)
        left = self.sum(atom.left)
        right = self.sum(atom.right) if amount is None else self._constant(amount)
        return self._emit(_ARITH[symbol], left, right)

    def _constant(self, value: int) -> str:
        self.constants.add(value)
        return f"%c{value}"

    def _emit(self, operator: str, left: str, right: str) -> str:
        text = f"arith.{operator} {left}, {right} : index"
        if text not in self.known:
            self.known[text] = f"%{len(self.lines)}"
            self.lines.append(f"{self.known[text]} = {text}")
        return self.known[text]
