"""Arithmetic: the arith and math dialects on floats, and integers through ``ir.indexing``.

Semantics: the MLIR language reference of arith and math. Every operation rounds to its own type
(f16 computes in float32 and rounds once); ``fastmath`` flags permit other results and are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
from iree.compiler import ir

from bankwise.change.execute.state import Node, Step
from bankwise.change.execute.values import (
    Array,
    Element,
    arithmetic,
    element,
    numbers,
    rounded,
    shape,
    to_memory,
    to_registers,
)
from bankwise.read.integers import unsigned, wrap
from bankwise.read.mlir import indexing


def _erf(x: Array) -> Array:
    """Abramowitz and Stegun 7.1.26, |error| < 1.5e-7 (numpy has no erf)."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    series = t * (
        0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    return np.asarray(np.sign(x) * (1 - series * np.exp(-x * x)))


FLOAT: Mapping[str, Callable[..., Any]] = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.remf": np.fmod,
    "arith.negf": np.negative,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "math.absf": np.abs,
    "math.ceil": np.ceil,
    "math.copysign": np.copysign,
    "math.cos": np.cos,
    "math.erf": _erf,
    "math.exp": np.exp,
    "math.exp2": np.exp2,
    "math.expm1": np.expm1,
    "math.floor": np.floor,
    "math.fma": lambda a, b, c: a * b + c,
    "math.log": np.log,
    "math.log10": np.log10,
    "math.log1p": np.log1p,
    "math.log2": np.log2,
    "math.powf": np.power,
    "math.roundeven": np.rint,
    "math.rsqrt": lambda x: 1 / np.sqrt(x),
    "math.sin": np.sin,
    "math.sqrt": np.sqrt,
    "math.tanh": np.tanh,
    "math.trunc": np.trunc,
    "vector.fma": lambda a, b, c: a * b + c,
}
"""Float operations whose operands and result have one type. ``fma`` rounds twice here."""

_ORDERED: tuple[Callable[[Array, Array], Array], ...] = (
    np.equal,
    np.greater,
    np.greater_equal,
    np.less,
    np.less_equal,
    np.not_equal,
)
"""The comparisons of ``arith.cmpf`` in the order of its predicates 1 to 6; 8 to 13 also hold if an
operand is NaN."""


def constant(node: Node) -> Step:
    """``arith.constant`` and ``arith.constant dense<...>``."""
    of = element(node.op.results[0].type, node.location)
    value = _attribute(node, of).reshape(1, *shape(node.op.results[0].type))
    return lambda state: (value,)


def _attribute(node: Node, of: Element) -> Array:
    """The value of a constant as registers, flat or in its shape."""
    attribute = node.op.attributes["value"]
    if not isinstance(attribute, ir.DenseElementsAttr):
        values = np.array(attribute.value)
    elif attribute.is_splat:
        count = shape(node.op.results[0].type)
        values = np.full(count, attribute.get_splat_value().value)
    elif of.kind == "coded":
        raise node.refuse(f"a constant vector of different {of} values cannot be read")
    else:
        values = np.array(attribute)
    return wrap(values.astype(np.int64), of.bits) if of.kind == "integer" else rounded(of, values)


def poison(node: Node) -> Step:
    """``ub.poison``: all bits set (NaN, -1), so that its use shows."""
    of = element(node.op.results[0].type, node.location)
    ones = np.full((1, *shape(node.op.results[0].type)), 255, np.uint8)
    wide = np.repeat(ones[..., None], of.storage.itemsize, axis=-1).view(of.storage)[..., 0]
    value = to_registers(of, wide)
    return lambda state: (value,)


def floating(node: Node) -> Step:
    """An operation of the table :data:`FLOAT`."""
    function = arithmetic(element(node.op.results[0].type, node.location), FLOAT[node.name])
    return lambda state, *operands: (function(*operands),)


def fpowi(node: Node) -> Step:
    """``math.fpowi``: a float to an integer power."""
    of = element(node.op.results[0].type, node.location)
    return lambda state, x, n: (rounded(of, np.power(numbers(of, x), n.astype(np.float64))),)


def compare_floats(node: Node) -> Step:
    """``arith.cmpf``."""
    of = element(node.op.operands[0].type, node.location)
    predicate = int(node.op.attributes["predicate"])
    unordered = predicate >= 8

    def run(state: Any, a: Array, b: Array) -> tuple[Array]:
        x, y = numbers(of, a), numbers(of, b)
        nan = np.isnan(x) | np.isnan(y)
        rank = predicate % 7 if predicate < 8 else predicate - 7
        if predicate in (0, 15):
            holds = np.full(nan.shape, predicate == 15)
        elif rank == 0 or predicate == 14:
            holds = nan if predicate == 14 else ~nan
        else:
            holds = nan | _ORDERED[rank - 1](x, y) if unordered else ~nan & _ORDERED[rank - 1](x, y)
        return (holds.astype(np.int64),)

    return run


def select(node: Node) -> Step:
    """``arith.select``; memrefs only where all threads choose alike."""

    def run(state: Any, condition: Array, a: Any, b: Any) -> tuple[Any]:
        if isinstance(a, np.ndarray):
            lifted = condition.reshape(*condition.shape, *(1,) * (a.ndim - condition.ndim))
            return (np.where(lifted != 0, a, b),)
        if (condition != condition.flat[0]).any():
            raise node.refuse("the threads of a workgroup choose different memrefs")
        return (a if condition.flat[0] else b,)

    return run


def convert_float(node: Node) -> Step:
    """``arith.truncf``, ``arith.extf``: round to the nearest value of the new type."""
    source, target = _types(node)
    return lambda state, x: (rounded(target, numbers(source, x)),)


def to_float(node: Node) -> Step:
    """``arith.sitofp`` and ``arith.uitofp``."""
    source, target = _types(node)
    if node.name == "arith.uitofp":
        return lambda state, x: (rounded(target, unsigned(x, source.bits)),)
    return lambda state, x: (rounded(target, x if source.bits > 1 else -x),)


def to_integer(node: Node) -> Step:
    """``arith.fptosi``, ``arith.fptoui``: towards zero; out of range is poison, here any number."""
    source, target = _types(node)

    def run(state: Any, x: Array) -> tuple[Array]:
        whole = np.nan_to_num(np.trunc(numbers(source, x).astype(np.float64)))
        return (wrap(whole.astype(np.int64), target.bits),)

    return run


def bitcast(node: Node) -> Step:
    """``arith.bitcast`` and ``vector.bitcast``: the same bits, the last dimension rescaled."""
    source, target = _types(node)
    result = shape(node.op.results[0].type)

    def run(state: Any, x: Array) -> tuple[Array]:
        stored = np.ascontiguousarray(to_memory(source, x))
        if not result:
            return (to_registers(target, stored.view(target.storage)),)
        flat = stored.reshape(len(stored), -1).view(target.storage)
        return (to_registers(target, flat).reshape(-1, *result),)

    return run


def integer(node: Node) -> Step | None:
    """Any integer operation that ``ir.indexing`` knows, on scalars or element by element."""
    function = indexing.compiled(node.op) or indexing.compiled(_scalar_twin(node.op))
    if function is None:
        return None
    return lambda state, *operands: tuple(np.atleast_1d(r) for r in function(operands))


def _scalar_twin(op: ir.Operation) -> Any:
    """The operation on one element: what elementwise operations are on every element."""

    def scalar(value: ir.Value) -> SimpleNamespace:
        return SimpleNamespace(type=getattr(value.type, "element_type", value.type))

    return SimpleNamespace(
        name=op.name,
        results=[scalar(r) for r in op.results],
        operands=[scalar(o) for o in op.operands],
        attributes=op.attributes,
    )


def _types(node: Node) -> tuple[Element, Element]:
    """The element types of the first operand and of the result."""
    operand, result = node.op.operands[0].type, node.op.results[0].type
    return element(operand, node.location), element(result, node.location)


TABLE: Mapping[str, Callable[[Node], Step]] = {
    **dict.fromkeys(FLOAT, floating),
    "arith.constant": constant,
    "arith.bitcast": bitcast,
    "arith.cmpf": compare_floats,
    "arith.extf": convert_float,
    "arith.fptosi": to_integer,
    "arith.fptoui": to_integer,
    "arith.select": select,
    "arith.sitofp": to_float,
    "arith.truncf": convert_float,
    "arith.uitofp": to_float,
    "math.fpowi": fpowi,
    "ub.poison": poison,
    "vector.bitcast": bitcast,
}
