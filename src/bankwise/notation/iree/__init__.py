"""IREE's attributes: swizzles and paddings of shared memory, nested layouts, matrix layouts."""

from bankwise.notation.iree.attributes import (
    MAX_WIDTH,
    Attribute,
    NestedLayout,
    RotateRows,
    XorShuffle,
    legality,
    padded,
    parse,
    swizzle,
)

__all__ = [
    "MAX_WIDTH",
    "Attribute",
    "NestedLayout",
    "RotateRows",
    "XorShuffle",
    "legality",
    "padded",
    "parse",
    "swizzle",
]
