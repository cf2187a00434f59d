"""Integer arithmetic of the second executor: arith, affine and the ids of gpu."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from iree.compiler import ir

from adversarial.interpreter import (
    Build,
    Line,
    Machine,
    Step,
    UnknownOperationError,
    chosen,
    element_of,
    shape_of,
    wrapped,
)
from adversarial.memory import Array


def _unsigned(x: Array, bits: int) -> Array:
    return (x & ((1 << bits) - 1)).astype(np.uint64) if bits < 64 else x.astype(np.uint64)


def _toward_zero(a: Array, b: Array) -> Array:
    safe = np.where(b == 0, 1, b)
    return np.sign(a) * np.sign(safe) * (np.abs(a) // np.abs(safe))


def _nonzero(b: Array) -> Array:
    return np.where(b == 0, 1, b)


def _shifted(function: Callable[[Array, Array], Array]) -> Callable[[Array, Array, int], Array]:
    return lambda a, b, bits: np.where((b >= 0) & (b < bits), function(a, b & 63), 0)


def _ordered(function: Callable[..., Any]) -> Callable[[Array, Array, int], Array]:
    return lambda a, b, bits: function(_unsigned(a, bits), _unsigned(b, bits)).astype(np.int64)


BINARY: dict[str, Callable[[Array, Array, int], Array]] = {
    "addi": lambda a, b, bits: a + b,
    "subi": lambda a, b, bits: a - b,
    "muli": lambda a, b, bits: a * b,
    "andi": lambda a, b, bits: a & b,
    "ori": lambda a, b, bits: a | b,
    "xori": lambda a, b, bits: a ^ b,
    "minsi": lambda a, b, bits: np.minimum(a, b),
    "maxsi": lambda a, b, bits: np.maximum(a, b),
    "minui": _ordered(np.minimum),
    "maxui": _ordered(np.maximum),
    "divui": lambda a, b, bits: _ordered(np.floor_divide)(a, _nonzero(b), bits),
    "remui": lambda a, b, bits: _ordered(np.remainder)(a, _nonzero(b), bits),
    "divsi": lambda a, b, bits: _toward_zero(a, b),
    "remsi": lambda a, b, bits: a - _nonzero(b) * _toward_zero(a, b),
    "floordivsi": lambda a, b, bits: a // _nonzero(b),
    "ceildivsi": lambda a, b, bits: -(-a // _nonzero(b)),
    "ceildivui": lambda a, b, bits: -(-a // _nonzero(b)),
    "shli": _shifted(lambda a, b: a << b),
    "shrsi": _shifted(lambda a, b: a >> b),
    "shrui": lambda a, b, bits: (_unsigned(a, bits) >> b.astype(np.uint64)).astype(np.int64),
}

_COMPARE = (
    np.equal,
    np.not_equal,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
)


def _binary(line: Line) -> Step:
    function, bits = BINARY[line.name.removeprefix("arith.")], element_of(line.results[0].type).bits
    return lambda machine, a, b: (wrapped(function(a, b, bits), bits),)


def _compare(line: Line) -> Step:
    predicate = int(line.op.attributes["predicate"])
    bits = element_of(line.operands[0].type).bits
    signed = predicate < 6
    function = _COMPARE[predicate if signed else predicate - 4]

    def run(machine: Machine, a: Array, b: Array) -> tuple[Array]:
        x, y = (a, b) if signed else (_unsigned(a, bits), _unsigned(b, bits))
        return (function(x, y).astype(np.int64),)

    return run


def _cast(line: Line) -> Step:
    source, target = element_of(line.operands[0].type), element_of(line.results[0].type)
    unsigned = line.name in ("arith.extui", "arith.index_castui")

    def run(machine: Machine, x: Array) -> tuple[Array]:
        wide = _unsigned(x, source.bits).astype(np.int64) if unsigned else x
        negative = source.bits == 1 and not unsigned and line.name == "arith.extsi"
        return (wrapped(-wide if negative else wide, target.bits),)

    return run


def _constant(line: Line) -> Step:
    kind, shape = element_of(line.results[0].type), shape_of(line.results[0].type)
    attribute = line.op.attributes["value"]
    if isinstance(attribute, ir.DenseElementsAttr):
        if attribute.is_splat:
            value = np.full(shape, attribute.get_splat_value().value)
        else:
            value = np.array(attribute).reshape(shape)
    else:
        value = np.array(attribute.value)
    if not kind.integer and kind.stored.kind != "f":
        if value.any():
            raise UnknownOperationError(f"a constant of {kind.name}")
        value = value.astype(kind.stored)
    value = (
        wrapped(value.astype(np.int64), kind.bits) if kind.integer else value.astype(kind.stored)
    )
    return lambda machine: (np.broadcast_to(value, (machine.rows, *shape)),)


def _select(line: Line) -> Step:
    def run(machine: Machine, condition: Array, a: Any, b: Any) -> tuple[Any]:
        if condition.ndim > 1:
            return (np.where(condition != 0, a, b),)
        return (chosen(condition != 0, a, b),)

    return run


def _expression(e: ir.AffineExpr) -> Callable[..., Array]:
    if isinstance(e, ir.AffineConstantExpr):
        value = e.value
        return lambda dims, symbols: np.int64(value)
    if isinstance(e, ir.AffineDimExpr):
        at = e.position
        return lambda dims, symbols: dims[at]
    if isinstance(e, ir.AffineSymbolExpr):
        at = e.position
        return lambda dims, symbols: symbols[at]
    classes: tuple[tuple[Any, Callable[[Array, Array], Array]], ...] = (
        (ir.AffineAddExpr, lambda a, b: a + b),
        (ir.AffineMulExpr, lambda a, b: a * b),
        (ir.AffineModExpr, lambda a, b: a % b),
        (ir.AffineFloorDivExpr, lambda a, b: a // b),
        (ir.AffineCeilDivExpr, lambda a, b: -(-a // b)),
    )
    for kind, function in classes:
        if isinstance(e, kind):
            return _both(function, _expression(e.lhs), _expression(e.rhs))
    raise UnknownOperationError(str(e))


def _both(
    function: Callable[[Array, Array], Array],
    left: Callable[..., Array],
    right: Callable[..., Array],
) -> Callable[..., Array]:
    return lambda dims, symbols: function(left(dims, symbols), right(dims, symbols))


def _affine(line: Line) -> Step:
    of = ir.AffineMapAttr(line.op.attributes["map"]).value
    results = [_expression(e) for e in of.results]
    over = {"affine.min": np.minimum.reduce, "affine.max": np.maximum.reduce}.get(line.name)

    def run(machine: Machine, *operands: Array) -> tuple[Array]:
        dims, symbols = operands[: of.n_dims], operands[of.n_dims :]
        found = [np.broadcast_to(r(dims, symbols), (machine.rows,)) for r in results]
        return (over(found) if over else found[0],)

    return run


def _basis(line: Line, machine: Machine, dynamic: tuple[Array, ...]) -> list[Array]:
    rest = iter(dynamic)
    return [
        next(rest) if n == -(2**63) else machine.fill(n)
        for n in (int(n) for n in line.op.attributes["static_basis"])
    ]


def _delinearize(line: Line) -> Step:
    def run(machine: Machine, index: Array, *dynamic: Array) -> tuple[Array, ...]:
        basis = _basis(line, machine, dynamic)
        inner = basis[len(basis) - len(line.results) + 1 :]
        found = []
        for size in reversed(inner):
            found.append(index % size)
            index = index // size
        return (index, *reversed(found))

    return run


def _linearize(line: Line) -> Step:
    segments = [int(n) for n in line.op.attributes["operandSegmentSizes"]]

    def run(machine: Machine, *operands: Array) -> tuple[Array]:
        indices, basis = operands[: segments[0]], _basis(line, machine, operands[segments[0] :])
        total, inner = indices[0], basis[len(basis) - len(indices) + 1 :]
        for index, size in zip(indices[1:], inner, strict=True):
            total = total * size + index
        return (total,)

    return run


def _id(line: Line) -> Step:
    said = str(line.op.attributes["dimension"]) if "dimension" in line.op.attributes else ""
    axis = re.search(r"\b([xyz])\b", said.replace("dim", " "))
    name = line.name.removeprefix("gpu.") + (f" {axis[1]}" if axis else "")
    return lambda machine: (machine.ids[name],)


def _push_constant(line: Line) -> Step:
    which, bits = int(line.op.attributes["ordinal"]), element_of(line.results[0].type).bits
    return lambda machine: (wrapped(machine.constants[which], bits),)


_FLOAT = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "maximumf": np.maximum}


def _float(line: Line) -> Step:
    if element_of(line.results[0].type).stored.kind != "f":
        raise UnknownOperationError(f"{line.name} of bits")
    function = _FLOAT[line.name.removeprefix("arith.")]
    return lambda machine, a, b: (function(a, b),)


TABLE: dict[str, Build] = {
    **{f"arith.{name}": _binary for name in BINARY},
    **{f"arith.{name}": _float for name in _FLOAT},
    **dict.fromkeys(
        ("arith.extsi", "arith.extui", "arith.trunci", "arith.index_cast", "arith.index_castui"),
        _cast,
    ),
    "arith.cmpi": _compare,
    "arith.constant": _constant,
    "arith.select": _select,
    "affine.apply": _affine,
    "affine.min": _affine,
    "affine.max": _affine,
    "affine.delinearize_index": _delinearize,
    "affine.linearize_index": _linearize,
    "hal.interface.constant.load": _push_constant,
    **dict.fromkeys(
        (
            *("gpu.thread_id", "gpu.block_id", "gpu.block_dim", "gpu.grid_dim", "gpu.global_id"),
            *("gpu.lane_id", "gpu.subgroup_id"),
        ),
        _id,
    ),
}
