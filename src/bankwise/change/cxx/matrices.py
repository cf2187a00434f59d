"""What longer rows mean to matrices that wmma moves: ``load_matrix_sync(a, p, 64)``.

    element (i, j) lies at p + i * 64 + j; of a column-major fragment at p + j * 64 + i

With rows of 64 + 8 and 64 + 8 for the stride it is the element of the array that it was, as long as
the fragment does not leave the rows it begins in. The pointer has to be aligned to 32 bytes and the
stride to 16 (CUDA C++ Programming Guide, "Warp Matrix Functions"): a pad of 16 bytes is good where
fragments begin in even rows.
"""

from __future__ import annotations

from math import gcd, prod

from bankwise.change.cxx.index_map import IndexMap
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.uses import ArrayUse

_POINTER_BYTES = 32
_STRIDE_BYTES = 16


def unmoved(use: ArrayUse, number: int, size: ArraySize, pad: int, row: int = 0) -> str:
    """Why the matrices that begin at a use are not the same ones with ``pad`` elements behind every
    row; empty if they are. ``number``: of the use; ``row``: elements of a row of one dimension."""
    if not use.strides:
        return ""
    long, told = row or size.columns, size.apart(number)
    rows_apart = [n // long if n % long == 0 else 0 for n in told]
    if use.scale or len(told) < len(use.strides) or 0 in rows_apart:
        return f"a matrix begins there whose rows are not known to be {long} elements apart"
    if row and set(rows_apart) != {1}:
        return "a matrix begins there of which only some rows are followed by a pad"
    bytes_ = pad * size.element_bytes
    if bytes_ % _STRIDE_BYTES:
        return f"rows of a matrix are a multiple of {_STRIDE_BYTES} bytes long"
    step = _POINTER_BYTES // gcd(_POINTER_BYTES, bytes_)
    if not _begins_at(use, number, size, long, step):
        return f"a matrix begins there, and nothing tells that its row is a multiple of {step}"
    return ""


def torn(array: SharedArray, size: ArraySize, map_: IndexMap) -> bool:
    """Whether a map leaves matrices of an array without one distance from row to row."""
    uses = enumerate(array.uses)
    return any(unmoved(use, number, size, map_.pad, map_.row) for number, use in uses)


def _begins_at(use: ArrayUse, number: int, size: ArraySize, long: int, step: int) -> bool:
    """Whether a use is in a row whose number is a multiple of ``step``, in every execution."""
    if step == 1 or not use.indices:
        return True
    if use.flat and not size.flat:
        return False
    if size.flat:
        facts = size.facts(number)
        inside = [most for multiple, most in facts if multiple % (step * long)]
        return bool(facts) and min(inside, default=0) >= 0 and sum(inside) < long
    facts_, last = size.row_facts(number), len(size.extents) - 1
    if len(use.indices) < last or len(facts_) != last:
        return False
    inner = (prod(size.extents[place + 1 : -1]) for place in range(len(facts_)))
    return all(fact * rows % step == 0 for fact, rows in zip(facts_, inner, strict=True))
