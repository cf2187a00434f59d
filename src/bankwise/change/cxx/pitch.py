"""Longer rows written into the text of a C++ source.

float Bs[64][32];  ->  float Bs[64][32 + 4];                            a pitch
Bs[i]              ->  Bs[i + i / 32 * 4]                               one of a flat array
Bs[r][c]           ->  Bs[r][c + c / 32 * 4]                            one inside of rows
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bankwise.change.cxx.index_map import IndexMap
from bankwise.change.cxx.matrices import unmoved
from bankwise.change.cxx.spelling import (
    CxxEdit,
    Spelling,
    atom,
    bracketed,
    grouped,
    row_length,
    said,
)
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.stable import acts
from bankwise.read.cxx.terms import in_row, meant
from bankwise.read.cxx.tree import ByteSpan, CxxSource
from bankwise.read.cxx.uses import ArrayUse


def pitched(
    source: CxxSource, array: SharedArray, map_: IndexMap, sizes: Sequence[ArraySize]
) -> tuple[Spelling, ...] | Refusal:
    """A longer last extent; places that count over all rows count the longer ones."""
    sized = next((use for use in array.uses if use.size), None)
    if sized is not None:
        return Refusal("its size is asked for", source.place(sized.span.start))
    if array.fixed or (array.bases and not array.flat):
        return Refusal("its rows are not its own: they cannot be longer")
    if array.unsized:
        return Refusal("the launch gives its bytes: its rows cannot be longer")
    last = array.extents[-1]
    edits = [CxxEdit(one, f"{source.of(one)} + {map_.pad}") for one in (last, *array.rows)]
    for use in (one for one in array.uses if one.flat and one.indices):
        index = use.indices[-1]
        acting, steps = acts(source, index), {steps_of(map_, use, size) for size in sizes}
        row, pad = steps.pop()
        if acting or steps or not row:
            return Refusal("counts on over its rows", source.place(use.span.start))
        inner, long = atom(source, index), row_length(source, array, row, index)
        more = f"{inner} / {long}" + (f" * {pad}" if pad > 1 else "")
        text = f"{inner} + {more}"
        edits.append(CxxEdit(index, text if bracketed(source, index) else f"({text})"))
    strides = _strides(source, array, map_, sizes)
    if isinstance(strides, Refusal):
        return strides
    edits += strides
    return (Spelling(array, map_, tuple(edits), "pitch", said(source, array, map_)),)


def _strides(
    source: CxxSource, array: SharedArray, map_: IndexMap, sizes: Sequence[ArraySize]
) -> list[CxxEdit] | Refusal:
    """How far apart the rows of matrices are that the library moves, under a pitch."""
    edits: list[CxxEdit] = []
    for number, use in ((n, one) for n, one in enumerate(array.uses) if one.strides):
        why = (unmoved(use, number, size, map_.pad, map_.row) for size in sizes)
        told = next(filter(None, why), "")
        more = {
            tuple(n // (map_.row or size.columns) * map_.pad for n in size.apart(number))
            for size in sizes
        }
        if told or len(more) > 1:
            reason = told or "its rows are further apart in some instances"
            return Refusal(f"{source.of(use.span)}: {reason}", source.place(use.span.start))
        for at, pad in zip(use.strides, more.pop(), strict=True):
            edits.append(CxxEdit(at, f"{atom(source, at)} + {pad}"))
    return edits


def pitched_flat(
    source: CxxSource, array: SharedArray, map_: IndexMap, sizes: Sequence[ArraySize]
) -> tuple[Spelling, ...] | Refusal:
    """A longer last extent, and every last index with the pads before it: that is the map whatever
    an index is made of, and neighbours in a row stay neighbours for the compiler."""
    extent, place = array.extents[-1:], source.place(array.statement.start)
    if not extent or array.fixed or array.unsized or array.piece:
        return Refusal("its elements are not its own: it cannot be longer", place)
    if any(use.size for use in array.uses) or any(size.aligned for size in sizes):
        return Refusal("its size is asked for, or a pointer begins inside it", place)
    if not array.flat and (array.rows or any(use.strides for use in array.uses)):
        return Refusal("others say how long its rows are", place)
    row_ = row_length(source, array, map_.row, extent[0])
    longer = CxxEdit(extent[0], _with_pads(source, extent[0], map_.row, map_.pad, row_))
    strides = _strides(source, array, map_, sizes)
    if isinstance(strides, Refusal):
        return strides
    edits, inside = [longer, *strides], [longer, *strides]
    for number, use in ((n, one) for n, one in enumerate(array.uses) if one.indices):
        index, steps = use.indices[-1], {steps_of(map_, use, size) for size in sizes}
        row, pad = steps.pop()
        if use.pinned or acts(source, index) or steps or not row:
            why = use.pinned or "has an effect, or counts in units that the map has not"
            return Refusal(f"{source.of(use.span)} {why}", source.place(use.span.start))
        long = row_length(source, array, row, index)
        text = _with_pads(source, index, row, pad, long)
        over = use.scale or (use.flat and not array.flat)
        terms = (
            "" if over else _pads_by_terms(source, map_, sizes, number, meant(source, index), long)
        )
        for some, one in ((edits, text), (inside, terms or text)):
            some.append(CxxEdit(index, one if bracketed(source, index) else f"({one})"))
    ways = dict.fromkeys((tuple(inside), tuple(edits)))
    return tuple(Spelling(array, map_, way, "pitch", said(source, array, map_)) for way in ways)


def _pads_by_terms(
    source: CxxSource,
    map_: IndexMap,
    sizes: Sequence[ArraySize],
    number: int,
    index: ByteSpan,
    long: str,
) -> str:
    """An index with the pads before it, told by those of its terms alone that lead from row to row:
    the compiler sees that the others make neighbours. Empty where its terms do not say it.
    ``long``: what the text calls a row's length."""
    found = {in_row(source, index, size.facts(number), map_.row) for size in sizes}
    one = found.pop()
    if found or one is None:
        return ""
    high, low = one[0].high, one[0].low
    low, many = map(grouped, (low, high))
    return f"{high} + {low} + {many} / {long}" + (f" * {map_.pad}" if map_.pad > 1 else "")


def _with_pads(source: CxxSource, index: ByteSpan, row: int, pad: int, long: str) -> str:
    """An index, or an extent, with the pads before it; ``long``: what the text calls a row's
    length."""
    inner = atom(source, index)
    if inner.isdecimal():
        return str(int(inner) + int(inner) // row * pad)
    return f"{inner} + {inner} / {long}" + (f" * {pad}" if pad > 1 else "")


def steps_of(map_: IndexMap, use: ArrayUse, size: ArraySize) -> tuple[int, int]:
    """A row and its pad in what the index of a use counts; 0 where that is no whole number."""
    across = Fraction(size.element_bytes, size.scale(use.scale) or size.element_bytes)
    row, pad = (map_.row or size.columns) * across, map_.pad * across
    return (int(row), int(pad)) if row.denominator == pad.denominator == 1 else (0, 0)
