"""A layout written into the text of a C++ source: which index becomes what.

    Bs[r][c]           ->  Bs[r][c ^ (r & 7)]                               a fold, of elements
    Bs[r][c]           ->  Bs[r][c ^ ((r & 7) << 2)]                        of chunks of 4
    Bs[r][c]           ->  Bs[r][(((c >> 2) ^ (r & 7)) << 2) + (c & 3)]     the same map
    Bs[r][c]           ->  Bs[r][c + ((c / 4 ^ (r & 7)) - c / 4) * 4]       and again
    Bs[r][c]           ->  Bs[r ^ (r >> 4 & 1)][c ^ ((r >> 2 & 3) << 2)]    one that crosses rows
    *(float4*)&Bs[r][c]                                                     always as one XOR
    Bs[at + 1]         ->  Bs[(at ^ ((at >> 5 & 7) << 2)) + 1]              of a whole chunk at

The three of chunks are one map with three fates: where a compiler joins neighbouring elements into
one wide access, a sum shows it that they are neighbours and the bare XOR hides it; in a loop that
is unrolled in part it takes the distance to see that (nvcc 13.0, machine code of sm_90); in one
that nvcc unrolls unasked it takes ``#pragma unroll`` before it. Which of them is used is decided by
counting what is emitted. Longer rows are written by :mod:`bankwise.change.cxx.pitch`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm

from msgspec.structs import replace

from bankwise.algebra.address import Fold
from bankwise.change.cxx.claim import begins_inside
from bankwise.change.cxx.index_map import IndexMap, new_indices
from bankwise.change.cxx.pitch import pitched, pitched_flat
from bankwise.change.cxx.spelling import CxxEdit, Spelling, atom, grouped, new_index, said
from bankwise.change.cxx.unrolling import line_of, under_pragma
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.stable import acts
from bankwise.read.cxx.terms import IndexParts, meant, parts_of
from bankwise.read.cxx.tree import CxxSource
from bankwise.read.cxx.uses import MACRO, ArrayUse


def spellings(
    source: CxxSource, array: SharedArray, map_: IndexMap, sizes: Sequence[ArraySize]
) -> tuple[Spelling, ...] | Refusal:
    """The ways to write a map, what reads best first. ``sizes``: all that the array has.

    A Refusal where an index cannot be written twice, or where the map reads more than this row.
    """
    if map_.row:
        return pitched_flat(source, array, map_, sizes)
    if map_.pad:
        return pitched(source, array, map_, sizes)
    outer = {size.extents[-2] * (map_.columns or 1) for size in sizes if len(size.extents) > 2}
    if any(rows % (f.divisor * f.phases) for rows in outer for f in map_.folds):
        return Refusal("the fold needs more rows than the last but one dimension has")
    if map_.columns and {map_.columns} != {size.columns for size in sizes}:
        return Refusal("the fold crosses rows, and not all of them are equally long")
    for size in sizes:
        period = lcm(map_.period * (1 if size.flat or map_.columns else size.columns), map_.block)
        if size.aligned % period:
            begins = source.place(array.bases[0].span.start)
            return Refusal(begins_inside(size, period), begins)
    maps: list[_Own] = []
    for number, use in enumerate(array.uses):
        written = _writable(source, map_, sizes, use)
        if isinstance(written, Refusal):
            return written
        flat = array.flat and use.indices and not use.scale
        facts = [size.facts(number) for size in sizes if flat]
        parts = {_parted(source, use, map_, one) for one in facts}
        chunks = {_in_chunk(source, use, map_, one) for one in facts}
        one, other = (each.pop() if len(each) == 1 else None for each in (parts, chunks))
        maps.append((written, one, other))
    # An index that counts from inside may be below zero, which a division rounds otherwise.
    step = "shifted step" if any(size.aligned for size in sizes) else "step"
    ways = ["xor"] if map_.unit == 1 else ["xor", "sum", step]
    found = [_folded(source, array, map_, maps, how) for how in ways]
    lows = [parts.low if parts is not None else "" for _, parts, _ in maps]
    again = hinted(source, found[1], lows)[-1:] if map_.unit > 1 else ()
    return (*found[:-1], *hinted(source, found[-1], lows), *(w for w in again if w not in found))


def hinted(source: CxxSource, last: Spelling, lows: Sequence[str]) -> tuple[Spelling, ...]:
    """A way to write a map, and the same with its loops unrolled before the compiler does it.
    ``lows``: the part of each index that changes inside a block, where it is known."""
    found, unit = [last], last.map.unit
    lines = sorted(set(_loops(source, last.array, lows))) if unit > 1 else []
    for hint in (f"#pragma unroll {unit}", "#pragma unroll") if lines else ():
        found.append(replace(under_pragma(last, lines, hint), how="unrolled"))
    return tuple(found)


def _loops(source: CxxSource, array: SharedArray, lows: Sequence[str]) -> Iterator[int]:
    """The lines, by byte, of loops over the last index of single elements, without a pragma: what
    the compiler unrolls unasked it unrolls after it looks for wide accesses."""
    plain = [(u, low) for u, low in zip(array.uses, lows, strict=True) if u.indices and not u.kept]
    told = [(u.span.start, low or source.of(u.indices[-1])) for u, low in plain]
    for (_, place), seen in array.given:
        calls = (source.root.named_descendant_for_byte_range(at, at + 1).parent for at in seen)
        told += [(one.start_byte, source.of(one)) for one in calls if place == MACRO]
    for at, text in told:
        names = set(re.findall(r"[A-Za-z_]\w*", text))
        node = source.root.named_descendant_for_byte_range(at, at + 1)
        while node.parent is not None and node.type != "function_definition":
            node = node.parent
            head = node.child_by_field_name("initializer") if node.type == "for_statement" else None
            if head is None or not names & set(re.findall(r"[A-Za-z_]\w*", source.of(head))):
                continue
            line = line_of(source, node)
            named = re.search(rb"\b(\w+)\s*=", source.data[node.start_byte : node.end_byte])
            counts = named is not None and named[1].decode() in names
            if line is not None and counts:
                yield line


_Own = tuple[IndexMap, IndexParts | None, IndexParts | None]
"""A map as a use counts, the parts of its index as a fold sees them, and those of a chunk."""


def _in_chunk(
    source: CxxSource, use: ArrayUse, map_: IndexMap, facts: Sequence[tuple[int, int]]
) -> IndexParts | None:
    """The index of a use as the chunk that a fold moves, and the place in it, which stays."""
    parts = parts_of(source, meant(source, use.indices[0]), facts, map_.unit, 1 << 62)
    whole = not any(fold.divisor % map_.unit for fold in map_.folds)
    return parts if whole else None


def _parted(
    source: CxxSource, use: ArrayUse, map_: IndexMap, facts: Sequence[tuple[int, int]]
) -> IndexParts | None:
    """The index of a use as a fold sees it, where its terms tell."""
    index = meant(source, use.indices[0])
    parts = parts_of(source, index, facts, map_.block, map_.period)
    divisors = [fold.divisor for fold in map_.folds]
    whole = parts is not None and not any(n % parts.factor for n in (*divisors, 1 << 30))
    return parts if whole and min(divisors) >= map_.block else None


def hides(
    source: CxxSource, array: SharedArray, map_: IndexMap, sizes: Sequence[ArraySize]
) -> bool:
    """Whether a fold is written into the whole number of an element that the source moves alone:
    the compiler no longer sees there which elements are neighbours, and may not join them."""
    if not array.flat or not map_.folds:
        return False
    alone = [(n, u) for n, u in enumerate(array.uses) if u.indices and not u.kept and not u.scale]
    ways = (_parted, _in_chunk)
    return any(
        all(way(source, u, map_, one.facts(n)) is None for way in ways)
        for n, u in alone
        for one in sizes
    )


def _writable(
    source: CxxSource, map_: IndexMap, sizes: Sequence[ArraySize], use: ArrayUse
) -> IndexMap | Refusal:
    """A map as a use counts, or why its index cannot be written anew."""
    place = source.place(use.span.start)
    if use.strides:
        why = "is where a matrix begins: wmma knows no swizzle of its rows"
        return Refusal(f"{source.shown(use.span)} {why}", place)
    if use.pinned:
        return Refusal(f"{source.shown(use.span)}: {use.pinned}", place)
    for index in use.indices[-2:]:
        acting = acts(source, index)
        if acting:
            return Refusal(f"{acting} would happen twice", source.place(index.start))
    counted = {_counted(map_, use, size) for size in sizes}
    found = counted.pop()
    if counted or found is None:
        why = "counts in units that the map, or another instance of the kernel, has not"
        return Refusal(f"{source.shown(use.span)} {why}", place)
    return found


def _counted(map_: IndexMap, use: ArrayUse, size: ArraySize) -> IndexMap | None:
    """A map in what the index of a use counts: elements over all rows, vectors, bytes."""
    across = Fraction(size.element_bytes, size.scale(use.scale) or size.element_bytes)
    places = bool(map_.columns) or size.flat
    along = across if places else across * size.columns if use.flat else Fraction(1)
    folds = [(fold.divisor * along, fold.unit * across, fold.phases) for fold in map_.folds]
    columns = map_.columns * across
    if any(not _power(n) for fold in folds for n in fold[:2]) or columns.denominator > 1:
        return None
    known = tuple(Fold(int(d), int(u), phases) for d, u, phases in folds)
    return IndexMap(known, columns=int(columns))


def _power(number: Fraction) -> bool:
    """Whether a number is a power of two, and whole."""
    whole = int(number)
    return number.denominator == 1 and whole > 0 and not whole & (whole - 1)


def _folded(
    source: CxxSource,
    array: SharedArray,
    map_: IndexMap,
    maps: Sequence[_Own],
    how: str,
) -> Spelling:
    """``maps``: as each use counts, and the parts of its index."""
    edits: list[CxxEdit] = []
    for use, (own, parts, chunk) in zip(array.uses, maps, strict=True):
        if use.indices and parts is not None:
            edits += _inside(source, own, how, use, parts)
        elif use.indices and chunk is not None:
            edits.append(_behind(source, own, use, chunk))
        elif use.indices:
            edits += _anew(source, own, how, use)
    return Spelling(array, map_, tuple(edits), how.split()[-1], said(source, array, map_, how))


def _behind(source: CxxSource, map_: IndexMap, use: ArrayUse, parts: IndexParts) -> CxxEdit:
    """An index of a chunk and a place in it, which is as far behind the new chunk."""
    (new,) = new_indices(map_, "xor", (grouped(parts.high),))
    return new_index(source, use.indices[-1], f"({new}) + {grouped(parts.low)}")


def _inside(
    source: CxxSource, map_: IndexMap, how: str, use: ArrayUse, parts: IndexParts
) -> Iterator[CxxEdit]:
    """An index of parts: the place inside a block is another one."""
    if not parts.phase:
        yield CxxEdit(use.indices[-1], source.of(use.indices[-1]))
        return
    how = "xor" if use.kept else how
    folds = (Fold(f.divisor // parts.factor, f.unit, f.phases) for f in map_.folds)
    low, phase = map(grouped, (parts.low, parts.phase))
    (new,) = new_indices(IndexMap(tuple(folds)), how, (phase, low))
    new = f"{parts.high} + {new}" if how != "xor" else f"{parts.high} + ({new})"
    yield new_index(source, use.indices[-1], new)


def _anew(source: CxxSource, map_: IndexMap, how: str, use: ArrayUse) -> Iterator[CxxEdit]:
    old = use.indices[-1:] if map_.columns and use.flat else use.indices[-2:]
    texts = new_indices(map_, "xor" if use.kept else how, [atom(source, one) for one in old])
    for index, text in zip(old[-len(texts) :], texts, strict=True):
        if text == atom(source, index):
            continue
        yield CxxEdit(index, text) if text.isdecimal() else new_index(source, index, text)
