"""The encoding of a view, from that of what it is a view of: as Triton infers it.

Source: triton 3.9, ``inferTransOpEncoding`` and ``inferReshapeOpEncoding`` of memory descriptors
(lib/Dialect/TritonGPU/IR/Dialect.cpp). A wrong answer is no danger: Triton verifies the text.
"""

from __future__ import annotations

from typing import assert_never

import numpy as np
from msgspec.structs import replace

from bankwise.errors import Refusal
from bankwise.notation.linear import Bases
from bankwise.notation.triton import Shared, memory
from bankwise.notation.triton.encodings import (
    NvmmaShared,
    PaddedShared,
    SharedLinear,
    SwizzledShared,
)


def transposed(encoding: Shared, order: tuple[int, ...]) -> Shared | Refusal:
    """Dimension d of the view is dimension ``order[d]`` of what it views."""
    if sorted(order) != list(range(encoding.rank)):
        return Refusal(f"the order {list(order)} is not one of the {encoding.rank} dimensions")
    match encoding:
        case SwizzledShared():
            return replace(encoding, order=_turned(encoding.order, order))
        case PaddedShared(order=own) if own:
            shape = tuple(encoding.shape[d] for d in order)
            return replace(encoding, order=_turned(own, order), shape=shape)
        case PaddedShared() | SharedLinear():
            return replace(encoding, offset=_permuted(encoding.offset, order))
        case NvmmaShared():
            turned = order != tuple(range(encoding.rank))
            return replace(encoding, transposed=encoding.transposed != turned)
        case _:
            assert_never(encoding)


def _turned(own: tuple[int, ...], order: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(order.index(dim) for dim in own)


def _permuted(bases: Bases, order: tuple[int, ...]) -> Bases:
    return tuple(tuple(basis[d] for d in order) for basis in bases)


def reshaped(
    encoding: Shared, before: tuple[int, ...], after: tuple[int, ...]
) -> SharedLinear | Refusal:
    """The same elements in row-major order under another shape."""
    if isinstance(encoding, PaddedShared) or len(before) != encoding.rank:
        return Refusal(f"a view of another shape of {encoding}")
    bases = memory(encoding, before).bases
    numbers = (np.ravel_multi_index(basis, before) for basis in bases)
    moved = (np.unravel_index(number, after) for number in numbers)
    return SharedLinear(tuple(tuple(int(n) for n in one) for one in moved))
