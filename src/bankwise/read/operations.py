"""The table of integer operations by name: what MLIR, TTGIR, PTX, SASS and AMD assembly map to."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bankwise.read import integers as i

COMPARISONS: Mapping[str, i.Operation] = {
    "eq": i.equal,
    "ne": lambda x, y, bits=32: ~i.equal(x, y),
    "slt": i.less_signed,
    "sle": lambda x, y, bits=32: ~i.less_signed(y, x, bits),
    "sgt": lambda x, y, bits=32: i.less_signed(y, x, bits),
    "sge": lambda x, y, bits=32: ~i.less_signed(x, y, bits),
    "ult": i.less_unsigned,
    "ule": lambda x, y, bits=32: ~i.less_unsigned(y, x),
    "ugt": lambda x, y, bits=32: i.less_unsigned(y, x),
    "uge": lambda x, y, bits=32: ~i.less_unsigned(x, y),
}
"""By LLVM's names of the predicates, in the order in which MLIR numbers them."""


ARITH: Mapping[str, i.Operation] = {
    "add": i.add,
    "sub": i.subtract,
    "mul": i.multiply,
    "and": i.conjunction,
    "or": i.disjunction,
    "xor": i.difference,
    "divs": i.divide_signed,
    "floordivs": i.divide_signed_down,
    "ceildivs": i.divide_signed_up,
    "rems": i.remainder_signed,
    "divu": i.divide_unsigned,
    "ceildivu": i.divide_unsigned_up,
    "remu": i.remainder_unsigned,
    "mins": i.minimum_signed,
    "maxs": i.maximum_signed,
    "minu": i.minimum_unsigned,
    "maxu": i.maximum_unsigned,
    "shl": i.shift_left,
    "shru": i.shift_right_unsigned,
    "shrs": i.shift_right_signed,
}
"""By the names of MLIR's index dialect; those of arith have an i behind."""


def undefined(name: str, x: i.Array, y: i.Array, bits: int = 32) -> i.Array:
    """Where the operation that arith calls ``name`` ("divs", "shl") promises nothing."""
    if name.startswith("sh"):
        return np.asarray(y >= y.dtype.type(bits))
    if name.endswith(("divs", "rems")):
        least, last = x.dtype.type(1 << (bits - 1)), x.dtype.type((1 << bits) - 1)
        return np.asarray((y == 0) | ((x == least) & (y == last)))
    divides = name.endswith(("divu", "remu"))
    return np.asarray(y == 0) if divides else np.zeros(np.broadcast(x, y).shape, np.bool_)
