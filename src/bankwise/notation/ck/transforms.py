"""The coordinate transforms of CK tile: an upper index to a lower one.

| kind | upper to lower |
|---|---|
| pass_through | low = up |
| pad, left_pad, right_pad | low = up - left; an element only inside the length |
| embed | low = sum of up_i * amount_i: strides |
| unmerge | low = the mixed-radix number with the digits up, last fastest |
| merge | low = the mixed-radix digits of up, last fastest |
| xor | low_0 = up_0, low_1 = up_1 XOR (up_0 mod length_1); length_0 is never read |
| offset, modulo | low = up + amount, low = up mod amount |
| replicate | no lower index: the dimension moves nothing |

Rules and guarantees as in ``ck_tile/core/algorithm/coordinate_transform.hpp``
(ROCm/composable_kernel@8e22e1ae). Lower indices are computed with ``+ - * // % ^`` alone, so they
work on numbers, on whole arrays, and on symbols (:mod:`bankwise.notation.code`).

A *guarantee* is a pair (length, stride) per dimension: so many consecutive indices lie ``stride``
apart, aligned to the length; (-1, -1) promises nothing. CK vectorises by guarantees alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod
from typing import Any, Literal, get_args

import numpy as np
from msgspec import Struct

from bankwise.errors import InputError

Kind = Literal[
    "pass_through",
    "pad",
    "left_pad",
    "right_pad",
    "embed",
    "unmerge",
    "merge",
    "xor",
    "offset",
    "modulo",
    "replicate",
]
Guarantee = tuple[int, int]

NO_GUARANTEE: Guarantee = (-1, -1)
MAX_INDEX = 1 << 40
"""Largest length or amount that is accepted, so that sums of products fit 63 bits."""

_AMOUNTS = {"pad": 2, "left_pad": 1, "right_pad": 1, "offset": 1, "modulo": 1}
_ONE_LENGTH = ("pass_through", *_AMOUNTS)


class Transform(Struct, frozen=True):
    """One transform. ``str`` is CK's C++ spelling.

    ``lengths``: of the padded, split, merged, ... dimensions; ``amounts``: the paddings, the
    strides of embed, the offset, the modulus. Raises :class:`InputError` for numbers that make no
    sense.
    """

    kind: Kind
    lengths: tuple[int, ...]
    amounts: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        assert self.kind in get_args(Kind), self.kind
        _check_lengths(self)
        _check_amounts(self)

    def __str__(self) -> str:
        match self.kind:
            case "embed":
                inside = f"{make_tuple(self.lengths)}, {make_tuple(self.amounts)}"
            case "modulo":
                inside = f"{number(self.amounts[0])}, {number(self.lengths[0])}"
            case kind if kind in _ONE_LENGTH:
                inside = ", ".join(map(number, (*self.lengths, *self.amounts)))
            case _:
                inside = make_tuple(self.lengths)
        return f"make_{self.kind}_transform({inside})"


def upper(transform: Transform) -> tuple[int, ...]:
    """The lengths of the upper dimensions."""
    match transform.kind:
        case "pad" | "left_pad" | "right_pad":
            return (transform.lengths[0] + sum(transform.amounts),)
        case "merge":
            return (prod(transform.lengths),)
    return transform.lengths


def lower(transform: Transform) -> tuple[int, ...]:
    """The lengths that the transform believes the lower dimensions to have."""
    match transform.kind:
        case "embed":
            return (span(transform.lengths, transform.amounts),)
        case "unmerge":
            return (prod(transform.lengths),)
        case "offset":
            return (transform.lengths[0] + transform.amounts[0],)
        case "modulo":
            return transform.amounts
        case "replicate":
            return ()
    return transform.lengths


def descend(transform: Transform, up: Sequence[Any]) -> tuple[Any, ...]:
    """The lower index of an upper one."""
    lengths, amounts = transform.lengths, transform.amounts
    match transform.kind:
        case "pad" | "left_pad":
            return (up[0] - amounts[0],)
        case "embed":
            return (dot(up, amounts),)
        case "unmerge":
            return (dot(up, row_major(lengths)),)
        case "merge":
            return digits(up[0], lengths)
        case "xor":
            return (up[0], up[1] ^ _rest(up[0], lengths[1]))
        case "offset":
            return (up[0] + amounts[0],)
        case "modulo":
            return (up[0] % amounts[0],)
        case "replicate":
            return ()
    return (up[0],)


def valid(transform: Transform, up: Sequence[Any]) -> Any:
    """Whether the upper index means an element; what lies in the padding does not."""
    left = transform.amounts[0] if transform.kind in ("pad", "left_pad") else 0
    if transform.kind in ("pad", "left_pad", "right_pad"):
        return (up[0] >= left) & (up[0] < left + transform.lengths[0])
    return True


def promise(transform: Transform, low: Sequence[Guarantee]) -> tuple[Guarantee, ...]:
    """What the upper dimensions guarantee, given the lower ones.

    One-sided padding passes a guarantee on: CK leaves it to the user that the padding is a
    multiple of the vector.
    """
    match transform.kind:
        case "unmerge":
            length, stride = low[0]
            kept = gcd(length, transform.lengths[-1]) if length != -1 else -1
            return (*(NO_GUARANTEE,) * (len(transform.lengths) - 1), (kept, stride))
        case "merge":
            return (low[-1],)
        case "pad" | "embed" | "modulo" | "replicate":
            return (NO_GUARANTEE,) * len(upper(transform))
    return tuple(low)


def span(lengths: Sequence[int], strides: Sequence[int]) -> int:
    """Elements from the first to behind the last one."""
    return 1 + sum((n - 1) * stride for n, stride in zip(lengths, strides, strict=True))


def row_major(lengths: Sequence[int]) -> tuple[int, ...]:
    """The strides of packed dimensions, last fastest."""
    return tuple(prod(lengths[i + 1 :]) for i in range(len(lengths)))


def digits(value: Any, lengths: Sequence[int]) -> tuple[Any, ...]:
    """The mixed-radix digits of a number, last fastest; the first takes all that is left."""
    strides = row_major(lengths)
    rest = zip(strides[1:], lengths[1:], strict=True)
    return (
        _quotient(value, strides[0]),
        *(_rest(_quotient(value, stride), length) for stride, length in rest),
    )


def _quotient(value: Any, by: int) -> Any:
    """``value // by``; of whole arrays without a division where ``by`` is a power of two."""
    if isinstance(value, np.ndarray) and not by & (by - 1):
        return value >> (by.bit_length() - 1)
    return value // by


def _rest(value: Any, by: int) -> Any:
    """``value % by``, likewise."""
    if isinstance(value, np.ndarray) and not by & (by - 1):
        return value & (by - 1)
    return value % by


def dot(values: Sequence[Any], factors: Sequence[int]) -> Any:
    """The sum of products; the first term starts it, whatever its type."""
    terms = [value * factor for value, factor in zip(values, factors, strict=True)]
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def number(value: int) -> str:
    """``number<8>{}``."""
    return f"number<{value}>{{}}"


def make_tuple(values: Sequence[int]) -> str:
    """``make_tuple(number<4>{}, number<8>{})``."""
    return f"make_tuple({', '.join(map(number, values))})"


def _check_lengths(transform: Transform) -> None:
    kind, lengths = transform.kind, transform.lengths
    wrong = next((n for n in lengths if not 0 < n <= MAX_INDEX), None)
    if wrong is not None:
        raise InputError(f"{kind}: a length of {wrong}", hint="lengths are 1 and more")
    wanted = 2 if kind == "xor" else 1 if kind in _ONE_LENGTH else max(1, len(lengths))
    if len(lengths) != wanted:
        raise InputError(
            f"{kind}: {len(lengths)} lengths {lengths}, {wanted} expected",
            hint=f"make_{kind}_transform takes {wanted}",
        )


def _check_amounts(transform: Transform) -> None:
    kind, amounts = transform.kind, transform.amounts
    least = 1 if kind == "modulo" else 0
    wrong = next((a for a in amounts if not least <= a <= MAX_INDEX), None)
    if wrong is not None:
        raise InputError(f"{kind}: an amount of {wrong}", hint=f"amounts are {least} and more")
    wanted = len(transform.lengths) if kind == "embed" else _AMOUNTS.get(kind, 0)
    if len(amounts) != wanted:
        raise InputError(
            f"{kind}: {len(amounts)} amounts {amounts} for the lengths {transform.lengths}",
            hint="one stride for every length" if kind == "embed" else f"{wanted} expected",
        )
