"""Whether a new index is the map of the old one: evaluated for every place that it can name.

By the whole value of the last indices; where that is more than can be tried, or where an index is
taken apart, by the parts that its terms make.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from bankwise.change.cxx.claim import MOST, MOST_COLUMNS, ArrayClaim, across, mapped, period, placed
from bankwise.change.cxx.evaluate import bare, value_at, value_of
from bankwise.counting.access import IntArray
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.stable import acts
from bankwise.read.cxx.terms import in_row, meant, parts_of
from bankwise.read.cxx.tree import ByteSpan, CxxSource, node_at, one_line
from bankwise.read.cxx.uses import ArrayUse


def moved(
    before: CxxSource,
    after: CxxSource,
    old: ArrayUse,
    new: ArrayUse,
    claim: ArrayClaim,
    size: ArraySize,
) -> str:
    """Why the new last index is not the map of the old one; empty if it is."""
    tried = _tried(before, old, claim, size)
    if isinstance(tried, str):
        return tried
    if any(acts(before, index) for index in old.indices[-2:]):
        return f"{before.shown(old.span)} does more than to name a place"
    found = [value_at(after, index, tried.names) for index in rewritten(new, claim)]
    values = [one for one in found if one is not None]
    if len(values) < len(found):
        return f"{after.shown(new.indices[-1])} is no expression of the old indices"
    scale, row, byte = tried.scale, tried.row, tried.byte
    if len(values) > 1:
        right = _crosses(claim, size, row, byte, (values[0], values[1] * scale))
    else:
        over = old.flat or claim.row
        place = across(claim, size, byte) if over else placed(claim, size, row, byte)
        right = bool((values[0] * scale == place).all())
    told = f"{after.shown(new.indices[-1])} is not the new place of {before.shown(old.indices[-1])}"
    return "" if right else told


def rewritten(use: ArrayUse, claim: ArrayClaim) -> tuple[ByteSpan, ...]:
    """The indices of a use that are other ones under a map."""
    return use.indices[-2 if claim.columns and not use.flat else -1 :]


class TriedIndices(Struct, frozen=True):
    """What the indices of a use are tried with: the ``row`` and the ``byte`` in it that they name,
    and what each is, by its text; ``scale``: bytes of what the last one counts."""

    row: IntArray
    byte: IntArray
    names: Mapping[str, IntArray]
    scale: int


def _tried(
    source: CxxSource, use: ArrayUse, claim: ArrayClaim, size: ArraySize
) -> TriedIndices | str:
    """Every place that the last indices of a use can name; why it cannot be tried else."""
    texts = [bare(source, index) for index in use.indices[-2:]]
    if claim.columns and len(texts) != 2 - use.flat:
        return f"{source.shown(use.span)} names no element"
    scale = size.scale(use.scale)
    whole = size.bytes_ if use.flat or size.flat else size.columns * size.element_bytes
    if not scale or not whole or whole > MOST_COLUMNS * size.element_bytes:
        return "what its index counts is not known"
    rows = tried_rows(claim, size) if len(texts) > 1 else 1
    if rows * whole > MOST * scale:
        return "it has more rows than can be tried"
    before = whole // scale if size.aligned and len(texts) == 1 else 0
    column = axis(texts[-1], whole // scale, before)[None]
    row = axis(texts[0], rows)[:, None]
    if len(texts) == 2 and len(set(texts)) == 1:
        row = column = axis(texts[0], min(size.extents[-2] or whole, whole // scale))[None]
    if len(texts) == 1:
        row = column * scale // size.element_bytes
    both = zip(texts, (row, column)[-len(texts) :], strict=True)
    names = {text: values for text, values in both if not text.isdecimal()}
    return TriedIndices(row, column * scale, names, scale)


def _crosses(
    claim: ArrayClaim, size: ArraySize, row: IntArray, byte: IntArray, new: tuple[IntArray, ...]
) -> bool:
    """Whether a row and a byte of it are the new place of old ones, and in a row."""
    long = size.columns * size.element_bytes
    place = across(claim, size, row * long + byte)
    inside = (new[1] >= 0) & (new[1] < long)
    return bool(((new[0] * long + new[1] == place) & inside).all())


def tried_rows(claim: ArrayClaim, size: ArraySize) -> int:
    """How many rows a new index is tried with: all there are, so that no bit of the number of a
    row is left to chance."""
    if size.flat:
        return period(claim)
    rows = size.extents[-2] or size.bytes_ // (size.columns * size.element_bytes)
    return rows if claim.columns else max(period(claim), rows)


def moved_in_block(
    before: CxxSource,
    after: CxxSource,
    old: ArrayUse,
    new: ArrayUse,
    claim: ArrayClaim,
    size: ArraySize,
    number: int,
) -> bool:
    """Whether a new index is the map of the old one, by the parts that the terms of that make: of
    the blocks inside which a fold exchanges, or of the chunks that it moves."""
    block, chunk = max(f.block for f in claim.folds), min(f.unit for f in claim.folds)
    of = before, after, old, new, claim, size, number
    return _moved(*of, block, period(claim)) or _moved(*of, chunk, _NEVER)


_NEVER = 1 << 62
"""A period that no term is a multiple of, so a phase leaves nothing out."""


def _moved(
    before: CxxSource,
    after: CxxSource,
    old: ArrayUse,
    new: ArrayUse,
    claim: ArrayClaim,
    size: ArraySize,
    number: int,
    block: int,
    whole: int,
) -> bool:
    """The same of blocks of one length: tried for every one and every place in it, and whatever
    periods, ``whole`` long, the phase leaves out."""
    count = size.columns
    if old.scale or acts(before, old.indices[0]) or whole % block or count % block:
        return False
    if any(fold.divisor % block for fold in claim.folds):
        return False
    index = meant(before, old.indices[0])
    parts = parts_of(before, index, size.facts(number), block, whole)
    node = node_at(after, new.indices[-1])
    if parts is None or node is None or count // block * (2 * count // whole) > MOST_COLUMNS:
        return False
    high = np.arange(-count if size.aligned else 0, count, block)[:, None, None]
    left_out = np.arange(-count // whole * whole, count + 1, whole)[None, :, None]
    low = np.arange(block)[None, None]
    phase = high - (left_out if parts.phase != parts.high else 0)
    names = {parts.phase: phase // parts.factor, parts.high: high, parts.low: low}
    varied, told = _varied(names)
    told &= phase % parts.factor == 0
    value = value_of(after, node, varied)
    place = mapped(claim, high + low, high + low)
    return value is not None and bool(((value == place) | ~told).all()) and bool(told.any())


def _varied(parts: Mapping[str, IntArray]) -> tuple[dict[str, IntArray], NDArray[np.bool_]]:
    """The parts of an index whose text may stand for any of their values, and where those that are
    numbers have theirs: in ``2 * t + (1 ^ (2 * t >> 5 & 1))`` both ones are the number."""
    told = np.ones(np.broadcast_shapes(*(one.shape for one in parts.values())), np.bool_)
    for text, values in parts.items():
        if text.isdecimal():
            told &= values == int(text)
    varied = {one_line(text): one for text, one in parts.items() if not text.isdecimal()}
    return {text: one for text, one in varied.items() if text}, told


def moved_in_row(
    before: CxxSource,
    after: CxxSource,
    old: ArrayUse,
    new: ArrayUse,
    claim: ArrayClaim,
    size: ArraySize,
    number: int,
) -> bool:
    """Whether a new index is the pitch of the old one, by its terms: those that are multiples of a
    part of a row, and those that stay inside one; tried for all of both."""
    node = node_at(after, new.indices[-1])
    index, over = old.indices[-1], old.flat and not size.flat
    told = claim.row and not old.scale and not over and not acts(before, index)
    found = in_row(before, meant(before, index), size.facts(number), claim.row) if told else None
    if found is None or node is None:
        return False
    parts, block = found
    if size.columns % block or size.columns > MOST_COLUMNS:
        return False
    high, low = np.arange(0, size.columns, block)[:, None], np.arange(block)[None]
    varied, where = _varied({parts.high: high, parts.low: low})
    value = value_of(after, node, varied)
    place = across(claim, size, (high + low) * size.element_bytes)
    right = value is not None and bool(((value * size.element_bytes == place) | ~where).all())
    return right and bool(where.any())


def axis(text: str, extent: int, before: int = 0) -> IntArray:
    """The values that an index is tried with: all, or the number that it is. ``before``: so many
    below zero, which an index names that counts from a place inside of an array."""
    return np.asarray([int(text)]) if text.isdecimal() else np.arange(-before, extent)
