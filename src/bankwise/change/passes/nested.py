"""``#iree_vector_ext.nested_layout`` in a module: where the accesses of its threads begin.

What the attribute means is said in :mod:`bankwise.notation.iree`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod

import numpy as np

from bankwise.counting.access import IntArray
from bankwise.errors import InputError
from bankwise.notation.iree import NestedLayout, parse

__all__ = ["NestedLayout", "first_elements", "in_order", "nested_layout"]

_WIDEST_BITS = 128
"""What one thread fetches from global memory at once."""


def in_order(shape: Sequence[int], element_bits: int, threads: int) -> str | None:
    """The attribute of a layout in which ``threads`` threads fetch a tile in order of memory.

    Each takes the widest run of a row that leaves no thread without; the same that IREE derives
    for a copy from global memory (``#iree_gpu.derived_thread_config``). None where the numbers do
    not divide.
    """
    each = min(_WIDEST_BITS // element_bits, prod(shape) // threads, shape[-1]) if shape else 0
    if each < 1 or prod(shape) % threads or shape[-1] % each:
        return None
    rest = [*shape[:-1], shape[-1] // each]
    tiles, strides, left, step = [1] * len(rest), [0] * len(rest), threads, 1
    for axis in reversed(range(len(rest))):
        taken = gcd(left, rest[axis])
        if taken not in (left, rest[axis]):
            return None
        tiles[axis], strides[axis] = taken, step
        step, left = step * taken, left // taken
    ones, none = [1] * len(rest), [0] * len(rest)
    batch = [n // tile for n, tile in zip(rest, tiles, strict=True)]
    return (
        f"#iree_vector_ext.nested_layout<subgroup_tile = {ones}, batch_tile = {batch}, "
        f"outer_tile = {ones}, thread_tile = {tiles}, element_tile = {[*ones[:-1], each]}, "
        f"subgroup_strides = {none}, thread_strides = {strides}>"
    )


def first_elements(layout: NestedLayout, wave_size: int) -> IntArray:
    """Where each run of ``element_tile[-1]`` elements begins: int64 [runs, waves, lanes].

    Row-major offsets in the tile. A run is what one access of a thread can take: the last element
    dimension is the fastest register of a thread.
    """
    held = layout.spread(lanes=wave_size).coordinates()[:, :, :: layout.element_tile[-1]]
    places = np.ravel_multi_index(tuple(np.moveaxis(held, -1, 0)), layout.shape)
    return np.moveaxis(np.asarray(places, np.int64), -1, 0)


def nested_layout(text: str) -> NestedLayout | None:
    """Read the attribute as MLIR prints it; None for any other layout, or an unsound one."""
    if not text.startswith("#iree_vector_ext.nested_layout<"):
        return None
    try:
        found = parse(text)
    except InputError:
        return None
    return found if isinstance(found, NestedLayout) else None
