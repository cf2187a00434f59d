"""Longer rows written into the text of a C++ source.

float Bs[64][32];  ->  float Bs[64][32 + 4];                            a pitch
Bs[i]              ->  Bs[i + i / 32 * 4]                               one of a flat array
Bs[i]              ->  Bs[i + (i >> 5) * 4]                             the same
Bs[r][c]           ->  Bs[r][c + c / 32 * 4]                            one inside of rows
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from bankwise.change.cxx.index_map import IndexMap
from bankwise.change.cxx.matrices import unmoved
from bankwise.change.cxx.spelling import (
    CxxEdit,
    Spelling,
    atom,
    grouped,
    new_index,
    row_length,
    said,
)
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.stable import acts
from bankwise.read.cxx.terms import IndexParts, in_row, meant
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
        text = _behind(inner, _pads(inner, pad, f"/ {long}"))
        edits.append(new_index(source, index, text))
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
            return Refusal(f"{source.shown(use.span)}: {reason}", source.place(use.span.start))
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
    longer = CxxEdit(extent[0], _with_pads(source, extent[0], map_.row, map_.pad, f"/ {row_}"))
    strides = _strides(source, array, map_, sizes)
    if isinstance(strides, Refusal):
        return strides
    edits, inside, shifted = ([longer, *strides] for _ in range(3))
    for number, use in ((n, one) for n, one in enumerate(array.uses) if one.indices):
        index, steps = use.indices[-1], {steps_of(map_, use, size) for size in sizes}
        row, pad = steps.pop()
        if use.pinned or acts(source, index) or steps or not row:
            why = use.pinned or "has an effect, or counts in units that the map has not"
            return Refusal(f"{source.shown(use.span)} {why}", source.place(use.span.start))
        long = row_length(source, array, row, index)
        over = use.scale or (use.flat and not array.flat)
        parts = None if over else _parts_by_terms(source, map_, sizes, number, meant(source, index))
        for some, known, by in (
            (edits, None, f"/ {long}"),
            (inside, parts, f"/ {long}"),
            (shifted, parts, f">> {row.bit_length() - 1}" if _doubled(row) else f"/ {long}"),
        ):
            text = _with_pads(source, index, row, pad, by)
            one = text if known is None else _by_terms(known, pad, by)
            some.append(new_index(source, index, one))
    ways = dict.fromkeys((tuple(inside), tuple(edits), tuple(shifted)))
    hows = {tuple(shifted): "shifted", tuple(edits): "pitch", tuple(inside): "pitch"}
    return tuple(Spelling(array, map_, way, hows[way], said(source, array, map_)) for way in ways)


def _doubled(row: int) -> bool:
    """Whether a row is a power of two: a division of what may be negative, as far as the compiler
    knows, is no shift to it, and it unrolls loops by that."""
    return row > 0 and not row & (row - 1)


def _parts_by_terms(
    source: CxxSource,
    map_: IndexMap,
    sizes: Sequence[ArraySize],
    number: int,
    index: ByteSpan,
) -> IndexParts | None:
    """An index as those of its terms that lead from row to row, and the others: the compiler sees
    that these make neighbours. None where its terms do not say it."""
    found = {in_row(source, index, size.facts(number), map_.row) for size in sizes}
    one = found.pop()
    return None if found or one is None else one[0]


def _by_terms(parts: IndexParts, pad: int, by: str) -> str:
    """An index of parts with the pads before it. ``by``: a row's length divides, or shifts."""
    low, many = map(grouped, (parts.low, parts.high))
    return f"{parts.high} + {low} + {_pads(many, pad, by)}"


def _with_pads(source: CxxSource, index: ByteSpan, row: int, pad: int, by: str) -> str:
    """An index, or an extent, with the pads before it; ``by``: as it says a row's length."""
    inner = atom(source, index)
    if inner.isdecimal():
        return str(int(inner) + int(inner) // row * pad)
    return _behind(inner, _pads(inner, pad, by))


def _behind(inner: str, pads: str) -> str:
    """An index and its pads; a tree reads ``(i) + (i) / 32 * 4`` as a cast."""
    return f"{pads} + {inner}" if re.fullmatch(r"\(\w+\)", inner) else f"{inner} + {pads}"


def _pads(inner: str, pad: int, by: str) -> str:
    many = f"({inner} {by})" if by[0] == ">" else f"{inner} {by}"
    return many + (f" * {pad}" if pad > 1 else "")


def steps_of(map_: IndexMap, use: ArrayUse, size: ArraySize) -> tuple[int, int]:
    """A row and its pad in what the index of a use counts; 0 where that is no whole number."""
    across = Fraction(size.element_bytes, size.scale(use.scale) or size.element_bytes)
    row, pad = (map_.row or size.columns) * across, map_.pad * across
    return (int(row), int(pad)) if row.denominator == pad.denominator == 1 else (0, 0)
