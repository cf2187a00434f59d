"""The combining functions of reductions and atomics, by the names that MLIR gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bankwise.change.execute.state import Node
from bankwise.change.execute.values import Array, Element, arithmetic
from bankwise.read.integers import unsigned, wrap

Combine = Callable[[Array, Array], Array]

_FLOAT: Mapping[str, Callable[..., Any]] = {
    "add": np.add,
    "mul": np.multiply,
    "maximumf": np.maximum,
    "minimumf": np.minimum,
    "maxnumf": np.fmax,
    "minnumf": np.fmin,
}
_INTEGER: Mapping[str, Callable[..., Any]] = {
    "add": np.add,
    "mul": np.multiply,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "maxsi": np.maximum,
    "minsi": np.minimum,
}
_UNSIGNED: Mapping[str, Callable[..., Any]] = {"maxui": np.maximum, "minui": np.minimum}
_OTHER_SPELLINGS: Mapping[str, str] = {
    "addf": "add",
    "addi": "add",
    "mulf": "mul",
    "muli": "mul",
    "andi": "and",
    "ori": "or",
    "xori": "xor",
    "maxs": "maxsi",
    "mins": "minsi",
    "maxu": "maxui",
    "minu": "minui",
}
"""memref.atomic_rmw's names, where they differ from those of vector.reduction."""

ATOMIC_KINDS = (
    *("addf", "addi", "andi", "assign", "maximumf", "maxnumf", "maxs", "maxu"),
    *("minimumf", "minnumf", "mins", "minu", "mulf", "muli", "ori", "xori"),
)
"""The numbers of ``arith.AtomicRMWKind``, in order."""


def reducer(node: Node, of: Element, attribute: str = "kind") -> Combine:
    """The combining function that an attribute such as ``#vector.kind<maximumf>`` names."""
    text = str(node.op.attributes[attribute])
    name = text.rstrip(">").split("<")[-1].split()[-1]
    return combiner(node, of, name)


def combiner(node: Node, of: Element, name: str) -> Combine:
    """The combining function called ``name``, on registers of type ``of``."""
    name = _OTHER_SPELLINGS.get(name, name)
    if of.kind != "integer" and name in _FLOAT:
        return arithmetic(of, _FLOAT[name])
    if of.kind == "integer" and name in _INTEGER:
        function = _INTEGER[name]
        return lambda a, b: wrap(np.asarray(function(a, b), np.int64), of.bits)
    if of.kind == "integer" and name in _UNSIGNED:
        best = _UNSIGNED[name]
        return lambda a, b: wrap(
            best(unsigned(a, of.bits), unsigned(b, of.bits)).view(np.int64), of.bits
        )
    raise node.refuse(f"the combination {name} of {of} is not known")
