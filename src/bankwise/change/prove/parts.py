"""Accesses in parts: whether operations of one text are, together, one access of another.

    vector.store %v, %m[%i, %j]       %a = vector.extract_strided_slice %v offsets = [0] ..
                                      vector.store %a, %m[%i, %j]
                                      %b = vector.extract_strided_slice %v offsets = [4] ..
                                      vector.store %b, %m[%i, %j + 4]

Each part has to take the elements behind those of the one before it, from the same places of the
vector and of the memory; together they have to be the whole vector. Nothing may stand between them
but integer arithmetic. That is then the same access: a lane's own parts do not meet.
"""

from __future__ import annotations

from collections.abc import Iterator

from iree.compiler import ir

from bankwise.change.prove.numbering import Numbering, constant_of, properties

_SLICE, _INSERT = "vector.extract_strided_slice", "vector.insert_strided_slice"
_PARTED = ("vector.load", "vector.store")


class PartsError(Exception):
    """The operations are not the access in parts."""


def in_parts(
    one: ir.Operation, first: ir.Operation, rest: Iterator[ir.Operation], numbering: Numbering
) -> ir.Value | None:
    """Walk on through ``rest`` to the last part of ``one``, a load or store of the text before.

    ``first``: the operation of the text after that stands in its place. Returns the whole vector
    that was loaded, None of a store; raises :class:`PartsError` where it is not the same.
    """
    if one.name not in _PARTED or "alignment" in one.attributes:
        raise PartsError(f"{one.name} became {first.name}")
    return (_store if one.name == "vector.store" else _load)(one, first, rest, numbering)


def _store(
    one: ir.Operation, first: ir.Operation, rest: Iterator[ir.Operation], numbering: Numbering
) -> None:
    whole, at, piece = _elements(one.operands[0]), 0, first
    while True:
        if piece.name != _SLICE or _numbers(piece, "strides") != [1]:
            raise PartsError(f"{piece.name} is no part of a vector")
        if numbering.of(piece.operands[0]) != numbering.of(one.operands[0]):
            raise PartsError("a part is of another vector")
        if _numbers(piece, "offsets") != [at]:
            raise PartsError("a part begins elsewhere in its vector")
        stored = _following(rest, one.name)
        if stored.operands[0] != piece.results[0]:
            raise PartsError("another value is stored than the part")
        _same_place(one, stored, 1, at, numbering)
        at += _elements(piece.results[0])
        if at >= whole:
            break
        piece = _following(rest, _SLICE)
    if at > whole:
        raise PartsError("its parts are more than the vector")


def _load(
    one: ir.Operation, first: ir.Operation, rest: Iterator[ir.Operation], numbering: Numbering
) -> ir.Value:
    if first.name != "ub.poison" or str(first.results[0].type) != str(one.results[0].type):
        raise PartsError(f"{one.name} became {first.name}")
    whole, at, known = _elements(one.results[0]), 0, first.results[0]
    while at < whole:
        loaded = _following(rest, one.name)
        _same_place(one, loaded, 0, at, numbering)
        put = _following(rest, _INSERT)
        if list(put.operands) != [loaded.results[0], known] or _numbers(put, "strides") != [1]:
            raise PartsError("a part is not put into what the others were put into")
        if _numbers(put, "offsets") != [at]:
            raise PartsError("a part is put elsewhere in its vector")
        at += _elements(loaded.results[0])
        known = put.results[0]
    if at > whole:
        raise PartsError("its parts are more than the vector")
    return known


def _following(rest: Iterator[ir.Operation], name: str) -> ir.Operation:
    found = next(rest, None)
    if found is None or found.name != name:
        raise PartsError("no part follows" if found is None else f"{found.name} is no part")
    return found


def _same_place(
    one: ir.Operation, part: ir.Operation, memref: int, ahead: int, numbering: Numbering
) -> None:
    """Raise unless ``part`` is at the place of ``one``, so many elements ahead."""
    if numbering.attributes(one) != numbering.attributes(part) or properties(one) != properties(
        part
    ):
        raise PartsError("the attributes of a part differ")
    ours, theirs = list(one.operands)[memref:], list(part.operands)[memref:]
    if len(ours) < 2 or len(ours) != len(theirs):
        raise PartsError("the memory of an access has no dimension")
    if any(
        numbering.of(a) != numbering.of(b) or numbering.of(a) < 0
        for a, b in zip(ours[:-1], theirs[:-1], strict=True)
    ):
        raise PartsError("a part is in another row or memory")
    if ahead != _ahead(theirs[-1], numbering.of(ours[-1]), numbering):
        raise PartsError("a part is not right behind the one before it")


def _ahead(value: ir.Value, start: int, numbering: Numbering) -> int | None:
    """How far a value is ahead of that with number ``start``, where the text just adds a constant;
    None where it does anything else."""
    if start >= 0 and numbering.of(value) == start:
        return 0
    if isinstance(value.owner, ir.Block):
        return None
    op = value.owner.operation
    if [numbering.of(operand) for operand in list(op.operands)[:1]] != [start] or start < 0:
        return None
    if op.name == "arith.addi":
        return constant_of(op.operands[1])
    if op.name != "affine.apply" or len(op.operands) != 1:
        return None
    (sum_,) = ir.AffineMapAttr(op.attributes["map"]).value.results
    if not isinstance(sum_, ir.AffineAddExpr):
        return None
    one = isinstance(sum_.lhs, ir.AffineDimExpr | ir.AffineSymbolExpr)
    return int(sum_.rhs.value) if one and isinstance(sum_.rhs, ir.AffineConstantExpr) else None


def _elements(value: ir.Value) -> int:
    of = value.type
    if not isinstance(of, ir.VectorType) or of.rank != 1 or any(of.scalable_dims):
        raise PartsError("its vector has not one dimension")
    return int(of.shape[0])


def _numbers(op: ir.Operation, name: str) -> list[int]:
    return [int(each.value) for each in ir.ArrayAttr(op.attributes[name])]
