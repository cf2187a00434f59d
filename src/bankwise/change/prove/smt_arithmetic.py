"""MLIR's integer operations on bit-vectors, from their definitions.

``index`` has 64 bits, iN has N; sums and products wrap. Semantics: the MLIR language reference of
arith, index and affine; SMT-LIB's FixedSizeBitVectors for what a division by 0 gives, which is
undefined in MLIR, and alike in both texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import z3
from iree.compiler import ir

from bankwise.change.prove.numbering import width_of

Term = Any
"""A bit-vector expression of z3, which has no types."""

INDEX = 64
_DYNAMIC = -(2**63)


def number(value: int, bits: int = INDEX) -> Term:
    """A constant."""
    return z3.BitVecVal(value, bits)


def resized(term: Term, bits: int, signed: bool) -> Term:
    """A term cut or extended to another width."""
    have = term.size()
    if bits <= have:
        return term if bits == have else z3.Extract(bits - 1, 0, term)
    return z3.SignExt(bits - have, term) if signed else z3.ZeroExt(bits - have, term)


def floor_divided(a: Term, b: Term) -> Term:
    """Towards minus infinity."""
    rest = z3.SRem(a, b)
    return z3.If(z3.And(rest != 0, (rest < 0) != (b < 0)), a / b - 1, a / b)


def _ceil_divided(a: Term, b: Term) -> Term:
    rest = z3.SRem(a, b)
    return z3.If(z3.And(rest != 0, (rest < 0) == (b < 0)), a / b + 1, a / b)


def _ceil_unsigned(a: Term, b: Term) -> Term:
    return z3.If(a == 0, a, z3.UDiv(a - 1, b) + 1)


_BINARY: Mapping[str, Callable[[Term, Term], Term]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b,
    "shru": z3.LShR,
    "shrs": lambda a, b: a >> b,
    "divs": lambda a, b: a / b,
    "divu": z3.UDiv,
    "rems": z3.SRem,
    "remu": z3.URem,
    "floordivs": floor_divided,
    "ceildivs": _ceil_divided,
    "ceildivu": _ceil_unsigned,
    "mins": lambda a, b: z3.If(a <= b, a, b),
    "maxs": lambda a, b: z3.If(a >= b, a, b),
    "minu": lambda a, b: z3.If(z3.ULE(a, b), a, b),
    "maxu": lambda a, b: z3.If(z3.UGE(a, b), a, b),
}
"""By the names of MLIR's index dialect; z3's ``/`` rounds towards 0, its ``%`` goes with b."""

_PREDICATES: tuple[Callable[[Term, Term], Term], ...] = (
    *(lambda a, b: a == b, lambda a, b: a != b),
    *(lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b, lambda a, b: a >= b),
    *(z3.ULT, z3.ULE, z3.UGT, z3.UGE),
)
_PREDICATE_NAMES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")

_Build = Callable[[ir.Operation, Sequence[Term], int], Term]


def _binary(function: Callable[[Term, Term], Term]) -> _Build:
    return lambda op, values, place: function(values[0], values[1])


def _compared(op: ir.Operation, values: Sequence[Term], place: int) -> Term:
    if "predicate" in op.attributes:
        which = int(op.attributes["predicate"].value)
    else:
        which = _PREDICATE_NAMES.index(str(op.attributes["pred"]).partition("<")[2].rstrip(">"))
    return z3.If(_PREDICATES[which](values[0], values[1]), number(1, 1), number(0, 1))


def _selected(op: ir.Operation, values: Sequence[Term], place: int) -> Term:
    return z3.If(values[0] != 0, values[1], values[2])


def _cast(signed: bool) -> _Build:
    return lambda op, values, place: resized(values[0], width_of(op.results[0]), signed)


def _mapped(op: ir.Operation, values: Sequence[Term], place: int) -> Term:
    return affine(op.attributes["map"].value, values)[0]


def _best(op: ir.Operation, values: Sequence[Term], place: int) -> Term:
    first, *others = affine(op.attributes["map"].value, values)
    better = _BINARY["mins" if op.name == "affine.min" else "maxs"]
    for other in others:
        first = better(first, other)
    return first


def affine(of: ir.AffineMap, values: Sequence[Term]) -> list[Term]:
    """The results of an affine map."""
    return [_affine(e, values, of.n_dims) for e in of.results]


def _affine(e: ir.AffineExpr, values: Sequence[Term], dims: int) -> Term:
    if isinstance(e, ir.AffineConstantExpr):
        return number(e.value)
    if isinstance(e, ir.AffineDimExpr):
        return values[e.position]
    if isinstance(e, ir.AffineSymbolExpr):
        return values[dims + e.position]
    left, right = _affine(e.lhs, values, dims), _affine(e.rhs, values, dims)
    if isinstance(e, ir.AffineAddExpr):
        return left + right
    if isinstance(e, ir.AffineMulExpr):
        return left * right
    if isinstance(e, ir.AffineModExpr):
        return left % right
    if isinstance(e, ir.AffineFloorDivExpr):
        return floor_divided(left, right)
    return _ceil_divided(left, right)


def _basis(op: ir.Operation, dynamic: Sequence[Term]) -> list[Term]:
    rest = iter(dynamic)
    return [next(rest) if n == _DYNAMIC else number(n) for n in op.attributes["static_basis"]]


def _delinearized(op: ir.Operation, values: Sequence[Term], place: int) -> Term:
    basis = _basis(op, values[1:])
    digits: list[Term] = []
    left = values[0]
    for size in reversed(basis[len(basis) - (len(op.results) - 1) :]):
        digits.append(left % size)
        left = floor_divided(left, size)
    return (left, *reversed(digits))[place]


def _linearized(op: ir.Operation, values: Sequence[Term], place: int) -> Term:
    count = int(op.attributes["operandSegmentSizes"][0])
    basis = _basis(op, values[count:])
    total = values[0]
    for digit, size in zip(values[1:count], basis[len(basis) - (count - 1) :], strict=True):
        total = total * size + digit
    return total


def _itself(op: ir.Operation, values: Sequence[Term], place: int) -> Term:
    return values[place]


OPERATIONS: Mapping[str, _Build] = {
    **{f"arith.{name}i": _binary(function) for name, function in _BINARY.items()},
    **{f"index.{name}": _binary(function) for name, function in _BINARY.items()},
    "arith.cmpi": _compared,
    "index.cmp": _compared,
    "arith.select": _selected,
    "arith.index_cast": _cast(True),
    "arith.index_castui": _cast(False),
    "arith.extsi": _cast(True),
    "arith.extui": _cast(False),
    "arith.trunci": _cast(True),
    "index.casts": _cast(True),
    "index.castu": _cast(False),
    "affine.apply": _mapped,
    "affine.max": _best,
    "affine.min": _best,
    "affine.delinearize_index": _delinearized,
    "affine.linearize_index": _linearized,
    "util.assume.int": _itself,
}
"""By the operation's name: from it, its operands and the number of a result, that result."""
