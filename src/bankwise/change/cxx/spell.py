"""A layout written into the text of a C++ source: which index, or which extent, becomes what.

    float Bs[64][32];  ->  float Bs[64][32 + 4];                            a pitch
    Bs[i]              ->  Bs[i + i / 32 * 4]                               one of a flat array
    Bs[r][c]           ->  Bs[r][c ^ (r & 7)]                               a fold, of elements
    Bs[r][c]           ->  Bs[r][c ^ ((r & 7) << 2)]                        of chunks of 4
    Bs[r][c]           ->  Bs[r][(((c >> 2) ^ (r & 7)) << 2) + (c & 3)]     the same map
    Bs[r][c]           ->  Bs[r][c + ((c / 4 ^ (r & 7)) - c / 4) * 4]       and again
    Bs[r][c]           ->  Bs[r ^ (r >> 4 & 1)][c ^ ((r >> 2 & 3) << 2)]    one that crosses rows
    *(float4*)&Bs[r][c]                                                     always as one XOR

The three of chunks are one map with three fates: where a compiler joins neighbouring elements into
one wide access, a sum shows it that they are neighbours and the bare XOR hides it; in a loop that
is unrolled in part it takes the distance to see that (nvcc 13.0, machine code of sm_90); in one
that nvcc unrolls unasked it takes ``#pragma unroll`` before it. Which of them is used is decided by
counting what is emitted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm

from msgspec import Struct
from msgspec.structs import replace

from bankwise.algebra.address import Fold
from bankwise.change.cxx.claim import begins_inside
from bankwise.change.cxx.index_map import IndexMap, new_indices
from bankwise.change.cxx.matrices import unmoved
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.constants import named_numbers
from bankwise.read.cxx.operand import operand
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.stable import acts
from bankwise.read.cxx.terms import IndexParts, in_row, parts_of
from bankwise.read.cxx.tree import ByteSpan, CxxSource, node_at, span
from bankwise.read.cxx.uses import MACRO, ArrayUse


class CxxEdit(Struct, frozen=True):
    """A text in place of a span."""

    span: ByteSpan
    text: str


class Spelling(Struct, frozen=True):
    """One way to write a layout of an array. ``how``: pitch, xor, sum, step, unrolled, type;
    ``typed``: the array has a type that says it."""

    array: SharedArray
    map: IndexMap
    edits: tuple[CxxEdit, ...]
    how: str
    text: str
    typed: bool = False


def together(spellings_: Sequence[Spelling]) -> Spelling:
    """One map of several arrays, written in one way."""
    first = spellings_[0]
    edits = tuple(dict.fromkeys(edit for one in spellings_ for edit in one.edits))
    return replace(first, edits=edits, text="; ".join(one.text for one in spellings_))


def edited(source: CxxSource, edits: tuple[CxxEdit, ...]) -> str | Refusal:
    """The text with all edits. A Refusal where two of them change the same place."""
    at, parts = 0, []
    for edit in sorted(set(edits), key=lambda one: (one.span.start, one.span.stop)):
        if edit.span.start < at:
            return Refusal("an index holds another one that changes", source.place(edit.span.start))
        parts += [source.data[at : edit.span.start], edit.text.encode()]
        at = edit.span.stop
    return b"".join((*parts, source.data[at:])).decode()


def lines_before(source: CxxSource, edits: Sequence[CxxEdit]) -> dict[int, int]:
    """By line of the edited text the line that it was, where edits put lines before some."""
    added = [(e.span, e.text.count("\n") - source.of(e.span).count("\n")) for e in set(edits)]
    found, at = {}, 0
    for number, line in enumerate(source.data.split(b"\n"), 1):
        more = sum(lines for span, lines in added if span.start < at or span.stop == at)
        found[number + more], at = number, at + len(line) + 1
    return found if any(lines for _, lines in added) else {}


def spellings(
    source: CxxSource, array: SharedArray, map_: IndexMap, sizes: Sequence[ArraySize]
) -> tuple[Spelling, ...] | Refusal:
    """The ways to write a map, what reads best first. ``sizes``: all that the array has.

    A Refusal where an index cannot be written twice, or where the map reads more than this row.
    """
    if map_.row:
        return _pitched_flat(source, array, map_, sizes)
    if map_.pad:
        return _pitched(source, array, map_, sizes)
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
    maps: list[tuple[IndexMap, IndexParts | None]] = []
    for number, use in enumerate(array.uses):
        written = _writable(source, map_, sizes, use)
        if isinstance(written, Refusal):
            return written
        flat = array.flat and use.indices and not use.scale
        parts = (
            {_parted(source, use, map_, size.facts(number)) for size in sizes} if flat else set()
        )
        maps.append((written, parts.pop() if len(parts) == 1 else None))
    ways = ["xor"] if map_.unit == 1 else ["xor", "sum", "step"]
    found = [_folded(source, array, map_, maps, how) for how in ways]
    lows = [parts.low if parts is not None else "" for _, parts in maps]
    again = hinted(source, found[1], lows)[-1:] if map_.unit > 1 else ()
    return (*found[:-1], *hinted(source, found[-1], lows), *(w for w in again if w not in found))


def hinted(source: CxxSource, last: Spelling, lows: Sequence[str]) -> tuple[Spelling, ...]:
    """A way to write a map, and the same with its loops unrolled before the compiler does it.
    ``lows``: the part of each index that changes inside a block, where it is known."""
    found, unit = [last], last.map.unit
    lines = sorted(set(_loops(source, last.array, lows))) if unit > 1 else []
    for hint in (f"#pragma unroll {unit}", "#pragma unroll") if lines else ():
        edits = (*last.edits, *(CxxEdit(ByteSpan(at, at), f"{hint}\n") for at in lines))
        found.append(replace(last, edits=edits, how="unrolled", text=f"{last.text}, under {hint}"))
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
            line = source.data.rfind(b"\n", 0, node.start_byte) + 1
            before = source.data[:line].rstrip().rsplit(b"\n", 1)[-1]
            alone = not source.data[line : node.start_byte].strip()
            named = re.search(rb"\b(\w+)\s*=", source.data[node.start_byte : node.end_byte])
            counts = named is not None and named[1].decode() in names
            if alone and counts and b"#pragma" not in before and not before.endswith(b"\\"):
                yield line


def _parted(
    source: CxxSource, use: ArrayUse, map_: IndexMap, facts: Sequence[tuple[int, int]]
) -> IndexParts | None:
    """The index of a use as a fold sees it, where its terms tell."""
    parts = parts_of(source, use.indices[0], facts, map_.block, map_.period)
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
    return any(_parted(source, u, map_, one.facts(n)) is None for n, u in alone for one in sizes)


def _writable(
    source: CxxSource, map_: IndexMap, sizes: Sequence[ArraySize], use: ArrayUse
) -> IndexMap | Refusal:
    """A map as a use counts, or why its index cannot be written anew."""
    place = source.place(use.span.start)
    if use.strides:
        why = "is where a matrix begins: wmma knows no swizzle of its rows"
        return Refusal(f"{source.of(use.span)} {why}", place)
    if use.pinned:
        return Refusal(f"{source.of(use.span)}: {use.pinned}", place)
    for index in use.indices[-2:]:
        acting = acts(source, index)
        if acting:
            return Refusal(f"{acting} would happen twice", source.place(index.start))
    counted = {_counted(map_, use, size) for size in sizes}
    found = counted.pop()
    if counted or found is None:
        why = "counts in units that the map, or another instance of the kernel, has not"
        return Refusal(f"{source.of(use.span)} {why}", place)
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


def _pitched(
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
        acting, steps = acts(source, index), {_steps(map_, use, size) for size in sizes}
        row, pad = steps.pop()
        if acting or steps or not row:
            return Refusal("counts on over its rows", source.place(use.span.start))
        inner, long = _atom(source, index), _length(source, array, row, index)
        more = f"{inner} / {long}" + (f" * {pad}" if pad > 1 else "")
        edits.append(CxxEdit(use.indices[-1], f"{inner} + {more}"))
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
            edits.append(CxxEdit(at, f"{_atom(source, at)} + {pad}"))
    return edits


def _pitched_flat(
    source: CxxSource, array: SharedArray, map_: IndexMap, sizes: Sequence[ArraySize]
) -> tuple[Spelling, ...] | Refusal:
    """A longer extent of one dimension, and every index with the pads before it: that is the map
    whatever an index is made of, and neighbours in a row stay neighbours for the compiler."""
    extent, place = array.extents[-1:], source.place(array.statement.start)
    if not extent or array.fixed or array.unsized or array.piece:
        return Refusal("its elements are not its own: it cannot be longer", place)
    if any(use.size for use in array.uses) or any(size.aligned for size in sizes):
        return Refusal("its size is asked for, or a pointer begins inside it", place)
    row_ = _length(source, array, map_.row, extent[0])
    longer = CxxEdit(extent[0], _with_pads(source, extent[0], map_.row, map_.pad, row_))
    strides = _strides(source, array, map_, sizes)
    if isinstance(strides, Refusal):
        return strides
    edits, inside = [longer, *strides], [longer, *strides]
    for number, use in ((n, one) for n, one in enumerate(array.uses) if one.indices):
        index, steps = use.indices[-1], {_steps(map_, use, size) for size in sizes}
        row, pad = steps.pop()
        if use.pinned or acts(source, index) or steps or not row:
            why = use.pinned or "has an effect, or counts in units that the map has not"
            return Refusal(f"{source.of(use.span)} {why}", source.place(use.span.start))
        long = _length(source, array, row, index)
        text = _with_pads(source, index, row, pad, long)
        terms = "" if use.scale else _pads_by_terms(source, map_, sizes, number, index, long)
        for some, one in ((edits, text), (inside, terms or text)):
            some.append(CxxEdit(index, one if _bracketed(source, index) else f"({one})"))
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
    low = low if _WORD.fullmatch(low) else f"({low})"
    return f"{high} + {low} + ({high}) / {long}" + (f" * {map_.pad}" if map_.pad > 1 else "")


def _with_pads(source: CxxSource, index: ByteSpan, row: int, pad: int, long: str) -> str:
    """An index, or an extent, with the pads before it; ``long``: what the text calls a row's
    length."""
    inner = _atom(source, index)
    if inner.isdecimal():
        return str(int(inner) + int(inner) // row * pad)
    return f"{inner} + {inner} / {long}" + (f" * {pad}" if pad > 1 else "")


def _length(source: CxxSource, array: SharedArray, row: int, index: ByteSpan | None = None) -> str:
    """A row's length by the author's own name for that number, where the index multiplies or
    divides by it, else the array's extent, else another of its indices; the number where none has
    one name for it."""
    numbers = named_numbers(source)
    uses = [one for use in array.uses for one in use.indices[-1:]]
    for some in ([] if index is None else [index], array.extents[-1:], uses):
        found = (both for one in some for both in _FACTOR.findall(source.of(one)))
        factors: set[str] = {word for both in found for word in both}
        names = [word for word in sorted(factors) if numbers.get(word) == row]
        if len(names) == 1:
            return names[0]
    return str(row)


_FACTOR = re.compile(r"(?<=[*/%])\s*\(?(\w+)\b|\b(\w+)\b(?=\)?\s*\*)")


def said(source: CxxSource, array: SharedArray, map_: IndexMap, how: str = "xor") -> str:
    """A map in the array's own words: ``s[r][c] -> s[r][c ^ (r & 7)]``, or its longer rows."""
    told = ", as do strides of its matrices" * any(use.strides for use in array.uses)
    if map_.row:
        long = _length(source, array, map_.row)
        more = f"i / {long}" + (f" * {map_.pad}" if map_.pad > 1 else "")
        longer = f"{array.name}[i] -> {array.name}[i + {more}], and as much longer"
        return longer + (told and f", rows of matrices {long} + {map_.pad} apart")
    if map_.pad:
        last = " ".join(source.of(array.extents[-1]).split())
        return f"{array.name}: rows of {last} become {last} + {map_.pad}{told}"
    row, column = ("", "i") if array.flat else ("[r]", "c")
    new = new_indices(map_, how, (column,) if array.flat else ("r", column))
    row_ = row if len(new) == 1 else f"[{new[0]}]"
    return f"{array.name}{row}[{column}] -> {array.name}{row_}[{new[-1]}]"


def _steps(map_: IndexMap, use: ArrayUse, size: ArraySize) -> tuple[int, int]:
    """A row and its pad in what the index of a use counts; 0 where that is no whole number."""
    across = Fraction(size.element_bytes, size.scale(use.scale) or size.element_bytes)
    row, pad = (map_.row or size.columns) * across, map_.pad * across
    return (int(row), int(pad)) if row.denominator == pad.denominator == 1 else (0, 0)


def _folded(
    source: CxxSource,
    array: SharedArray,
    map_: IndexMap,
    maps: Sequence[tuple[IndexMap, IndexParts | None]],
    how: str,
) -> Spelling:
    """``maps``: as each use counts, and the parts of its index."""
    edits = tuple(
        edit
        for use, (own, parts) in zip(array.uses, maps, strict=True)
        if use.indices
        for edit in (
            _anew(source, own, how, use)
            if parts is None
            else (CxxEdit(use.indices[-1], _inside(source, own, how, use, parts)),)
        )
    )
    return Spelling(array, map_, edits, how, said(source, array, map_, how))


def _inside(source: CxxSource, map_: IndexMap, how: str, use: ArrayUse, parts: IndexParts) -> str:
    """An index of parts: the place inside a block is another one."""
    if not parts.phase:
        return source.of(use.indices[-1])
    how = "xor" if use.kept else how
    folds = (Fold(f.divisor // parts.factor, f.unit, f.phases) for f in map_.folds)
    low, phase = (one if _WORD.fullmatch(one) else f"({one})" for one in (parts.low, parts.phase))
    (new,) = new_indices(IndexMap(tuple(folds)), how, (phase, low))
    new = f"{parts.high} + {new}" if how != "xor" else f"{parts.high} + ({new})"
    return new if _bracketed(source, use.indices[-1]) else f"({new})"


_WORD = re.compile(r"[\w.]+")


def _anew(source: CxxSource, map_: IndexMap, how: str, use: ArrayUse) -> Iterator[CxxEdit]:
    old = use.indices[-1:] if map_.columns and use.flat else use.indices[-2:]
    texts = new_indices(map_, "xor" if use.kept else how, [_atom(source, one) for one in old])
    for index, text in zip(old[-len(texts) :], texts, strict=True):
        if text == _atom(source, index):
            continue
        whole = text.isdecimal() or _bracketed(source, index)
        yield CxxEdit(index, text if whole else f"({text})")


def _bracketed(source: CxxSource, index: ByteSpan) -> bool:
    """Whether an index stands alone: in brackets, and not in a sum."""
    parent = node_at(source, index).parent
    return bool(
        parent.type in ("subscript_argument_list", "parenthesized_expression")
        or source.data[parent.start_byte : parent.start_byte + 1] == b"["
    )


def _atom(source: CxxSource, index: ByteSpan) -> str:
    """An index as a part of a larger expression."""
    text, node = source.of(index), node_at(source, index)
    whole = node.type == "parenthesized_expression" or operand(source, node)
    return text if whole and span(node) == index else f"({text})"
