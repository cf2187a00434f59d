"""What MLIR's integer operations do to affine forms.

``index`` is taken as it is meant, as a mathematical integer; narrower integers wrap, and a result
that may not fit its width is a remainder. Signed and unsigned agree where nothing is negative;
where that is not known, an unsigned operation stays a symbol. Semantics: the language references
of the dialects arith, index and affine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from iree.compiler import ir

from bankwise.change.prove.bitwise import (
    conjunction,
    disjunction,
    exclusive_or,
    shifted_left,
    shifted_right,
)
from bankwise.change.prove.choice import below, equal, maximum, minimum, negated, selected
from bankwise.change.prove.division import divided, floor_divided, modulo
from bankwise.change.prove.forms import (
    AffineForm,
    SymbolTable,
    added,
    constant,
    inside,
    less,
    multiplied,
    scaled,
    span,
)
from bankwise.change.prove.numbering import constant_of, width_of
from bankwise.read.mlir.indexing import integer_bits
from bankwise.read.operations import COMPARISONS

Forms = Sequence[AffineForm]
_Binary = Callable[[SymbolTable, AffineForm, AffineForm], AffineForm | None]

_DYNAMIC = -(2**63)
_RING = frozenset({"add", "sub", "mul", "and", "or", "xor"})
"""On one bit, kept as 0 or 1, these alone are what they are on longer numbers, modulo 2."""


def results(table: SymbolTable, op: ir.Operation, operands: Forms) -> tuple[AffineForm, ...]:
    """The results of an operation that :func:`bankwise.change.prove.numbering.is_arithmetic`."""
    found = _results(table, op, operands)
    if found is None:
        return tuple(_stays(table, op, operands, n) for n in range(len(op.results)))
    return tuple(
        fitted(table, value, result) for value, result in zip(found, op.results, strict=True)
    )


def fitted(table: SymbolTable, value: AffineForm, result: ir.Value) -> AffineForm:
    """What is left of a number in the width of ``result``, with its sign."""
    bits = width_of(result)
    if isinstance(result.type, ir.IndexType):
        return value
    if bits == 1:
        return modulo(table, value, 2)
    half = 1 << (bits - 1)
    if inside(value, -half, half):
        return value
    if bits > 32:
        return table.operation("wrap", [value], -half, half - 1, bits)
    return less(modulo(table, added(value, constant(half)), 2 * half), constant(half))


def type_bounds(result: ir.Value) -> tuple[float, float]:
    """What a value of this type may be."""
    bits = width_of(result)
    if isinstance(result.type, ir.IndexType):
        return -np.inf, np.inf
    return (0, 1) if bits == 1 else (-(2.0 ** (bits - 1)), 2.0 ** (bits - 1) - 1)


def _stays(table: SymbolTable, op: ir.Operation, operands: Forms, place: int) -> AffineForm:
    """A symbol for what an operation does that is not followed: alike on alike operands."""
    said = ", ".join(f"{name} = {op.attributes[name]}" for name in sorted(op.attributes))
    types = [str(v.type) for v in (*op.operands, *op.results)]
    low, high = type_bounds(op.results[place])
    return table.operation(f"{op.name} #{place} {said} {types}", operands, low, high)


def _results(
    table: SymbolTable, op: ir.Operation, operands: Forms
) -> tuple[AffineForm, ...] | None:
    name = op.name
    if name in _SPECIAL:
        return _SPECIAL[name](table, op, operands)
    stem = name.removeprefix("arith.").removesuffix("i")
    stem = name.removeprefix("index.") if name.startswith("index.") else stem
    binary = _BINARY.get(stem)
    if stem not in _RING and any(integer_bits(v.type) == 1 for v in op.operands):
        return None
    found = binary(table, operands[0], operands[1]) if binary and len(operands) == 2 else None
    return None if found is None or len(op.results) != 1 else (found,)


def _negative(value: AffineForm) -> bool:
    """Whether the form may be below zero."""
    return span(value)[0] < 0


def _floor(table: SymbolTable, value: AffineForm, by: AffineForm) -> AffineForm | None:
    divisor = by.number
    return floor_divided(table, value, divisor) if divisor and divisor > 0 else None


def _ceiling(table: SymbolTable, value: AffineForm, by: AffineForm) -> AffineForm | None:
    found = _floor(table, scaled(value, -1), by)
    return None if found is None else scaled(found, -1)


def _remainder(table: SymbolTable, value: AffineForm, by: AffineForm) -> AffineForm | None:
    divisor = by.number
    if divisor and divisor > 0 and not _negative(value):
        return modulo(table, value, divisor)
    return None


def _not_negative(function: _Binary) -> _Binary:
    """The same where neither operand can be negative."""

    def apply(table: SymbolTable, one: AffineForm, other: AffineForm) -> AffineForm | None:
        return None if _negative(one) or _negative(other) else function(table, one, other)

    return apply


_BINARY: Mapping[str, _Binary] = {
    "add": lambda table, a, b: added(a, b),
    "sub": lambda table, a, b: less(a, b),
    "mul": multiplied,
    "and": conjunction,
    "or": disjunction,
    "xor": exclusive_or,
    "divs": _not_negative(_floor),
    "divu": _not_negative(_floor),
    "floordivs": _floor,
    "ceildivs": _ceiling,
    "ceildivu": _not_negative(_ceiling),
    "rems": _remainder,
    "remu": _remainder,
    "mins": minimum,
    "maxs": maximum,
    "minu": _not_negative(minimum),
    "maxu": _not_negative(maximum),
    "shl": shifted_left,
    "shrs": shifted_right,
    "shru": _not_negative(shifted_right),
}
"""By the names of the index dialect, as in :data:`bankwise.read.operations.ARITH`."""


def _constant(table: SymbolTable, op: ir.Operation, operands: Forms) -> tuple[AffineForm] | None:
    attribute = op.attributes["value"]
    if isinstance(attribute, ir.BoolAttr):
        return (constant(int(attribute.value)),)
    number = constant_of(op.results[0])
    return None if number is None else (constant(number),)


def _compare(table: SymbolTable, op: ir.Operation, operands: Forms) -> tuple[AffineForm] | None:
    names = list(COMPARISONS)
    if "predicate" in op.attributes:
        name = names[op.attributes["predicate"].value]
    else:
        name = str(op.attributes["pred"]).partition("<")[2].rstrip(">")
    one, other = operands
    if name in ("eq", "ne"):
        same = equal(table, one, other)
        return (same if name == "eq" else negated(same),)
    if name[0] == "u" and (_negative(one) or _negative(other)):
        return None
    if integer_bits(op.operands[0].type) == 1:
        return None
    if name[1:] in ("gt", "le"):
        one, other = other, one
    smaller = below(table, one, other)
    return (smaller if name[1:] in ("lt", "gt") else negated(smaller),)


def _select(table: SymbolTable, op: ir.Operation, operands: Forms) -> tuple[AffineForm]:
    condition, then, otherwise = operands
    return (selected(table, condition, then, otherwise),)


def _sign_cast(table: SymbolTable, op: ir.Operation, operands: Forms) -> tuple[AffineForm]:
    widens = integer_bits(op.operands[0].type) == 1 and width_of(op.results[0]) > 1
    return (scaled(operands[0], -1) if widens else operands[0],)


def _zero_cast(table: SymbolTable, op: ir.Operation, operands: Forms) -> tuple[AffineForm] | None:
    return None if _negative(operands[0]) else (operands[0],)


def _affine_apply(
    table: SymbolTable, op: ir.Operation, operands: Forms
) -> tuple[AffineForm, ...] | None:
    found = affine(table, op, operands)
    return None if found is None else (found[0],)


def _affine_best(best: _Binary) -> _Special:
    def apply(table: SymbolTable, op: ir.Operation, operands: Forms) -> tuple[AffineForm] | None:
        found = affine(table, op, operands)
        if found is None:
            return None
        chosen: AffineForm | None = found[0]
        for other in found[1:]:
            chosen = None if chosen is None else best(table, chosen, other)
        return None if chosen is None else (chosen,)

    return apply


def affine(table: SymbolTable, op: ir.Operation, operands: Forms) -> list[AffineForm] | None:
    """The results of the affine map of an operation; None if one is not followed."""
    of = op.attributes["map"].value
    found = [_expression(table, each, of.n_dims, operands) for each in of.results]
    known = [each for each in found if each is not None]
    return known if len(known) == len(found) else None


def _expression(
    table: SymbolTable, expression: ir.AffineExpr, dims: int, operands: Forms
) -> AffineForm | None:
    if isinstance(expression, ir.AffineConstantExpr):
        return constant(int(expression.value))
    if isinstance(expression, ir.AffineDimExpr):
        return operands[int(expression.position)]
    if isinstance(expression, ir.AffineSymbolExpr):
        return operands[dims + int(expression.position)]
    left = _expression(table, expression.lhs, dims, operands)
    right = _expression(table, expression.rhs, dims, operands)
    if left is None or right is None:
        return None
    return _combination(expression)(table, left, right)


def _combination(expression: ir.AffineExpr) -> _Binary:
    if isinstance(expression, ir.AffineAddExpr):
        return _BINARY["add"]
    if isinstance(expression, ir.AffineMulExpr):
        return multiplied
    if isinstance(expression, ir.AffineFloorDivExpr):
        return _floor
    if isinstance(expression, ir.AffineCeilDivExpr):
        return _ceiling
    assert isinstance(expression, ir.AffineModExpr), f"unknown affine expression {expression}"
    return _affine_mod


def _affine_mod(table: SymbolTable, value: AffineForm, by: AffineForm) -> AffineForm | None:
    divisor = by.number
    return modulo(table, value, divisor) if divisor and divisor > 0 else None


def _delinearize(
    table: SymbolTable, op: ir.Operation, operands: Forms
) -> tuple[AffineForm, ...] | None:
    basis = [int(size) for size in op.attributes["static_basis"]]
    sizes = basis[len(basis) - (len(op.results) - 1) :]
    if any(size <= 0 for size in sizes):
        return None
    digits: list[AffineForm] = []
    rest = operands[0]
    for size in reversed(sizes):
        rest, digit = divided(table, rest, size)
        digits.append(digit)
    return (rest, *reversed(digits))


def _linearize(table: SymbolTable, op: ir.Operation, operands: Forms) -> tuple[AffineForm] | None:
    count = int(op.attributes["operandSegmentSizes"][0])
    basis = [int(size) for size in op.attributes["static_basis"]]
    if _DYNAMIC in basis:
        return None
    total = operands[0]
    for digit, size in zip(operands[1:count], basis[len(basis) - (count - 1) :], strict=True):
        total = added(scaled(total, size), digit)
    return (total,)


_Special = Callable[[SymbolTable, ir.Operation, Forms], tuple[AffineForm, ...] | None]

_SPECIAL: Mapping[str, _Special] = {
    "arith.constant": _constant,
    "index.constant": _constant,
    "index.bool.constant": _constant,
    "arith.cmpi": _compare,
    "index.cmp": _compare,
    "arith.select": _select,
    "arith.index_cast": _sign_cast,
    "arith.index_castui": _zero_cast,
    "arith.extsi": _sign_cast,
    "arith.extui": _zero_cast,
    "arith.trunci": _sign_cast,
    "index.casts": _sign_cast,
    "index.castu": _zero_cast,
    "affine.apply": _affine_apply,
    "affine.min": _affine_best(minimum),
    "affine.max": _affine_best(maximum),
    "affine.linearize_index": _linearize,
    "affine.delinearize_index": _delinearize,
}
