"""``#iree_vector_ext.nested_layout`` in a module: where the accesses of its threads begin.

What the attribute means is said in :mod:`bankwise.notation.iree`.
"""

from __future__ import annotations

import numpy as np

from bankwise.counting.access import IntArray
from bankwise.errors import InputError
from bankwise.notation.iree import NestedLayout, parse

__all__ = ["NestedLayout", "first_elements", "nested_layout"]


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
