"""A layout written into the text of a C++ source: which index, or which extent, becomes what.

    float Bs[64][32];  ->  float Bs[64][32 + 4];                            a pitch
    Bs[r][c]           ->  Bs[r][c ^ (r & 7)]                               a fold, of elements
    Bs[r][c]           ->  Bs[r][c ^ ((r & 7) << 2)]                        of chunks of 4
    Bs[r][c]           ->  Bs[r][(((c >> 2) ^ (r & 7)) << 2) + (c & 3)]     the same map
    Bs[r][c]           ->  Bs[r][c + ((c / 4 ^ (r & 7)) - c / 4) * 4]       and again
    *(float4*)&Bs[r][c]                                                     always as one XOR

The last three are one map with three fates: where a compiler joins neighbouring elements into one
wide access, a sum shows it that they are neighbours and the bare XOR hides it; in a loop that is
unrolled in part it takes the distance to see that (nvcc 13.0, machine code of sm_90). Which of them
is used is decided by counting what is emitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bankwise.algebra.address import Fold, Padded, RowFolds
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import ArrayUse, SharedArray
from bankwise.read.cxx.tree import Node, Source, Span, walk

_ATOMS = frozenset(
    {
        *("identifier", "number_literal", "parenthesized_expression", "call_expression"),
        *("subscript_expression", "field_expression", "qualified_identifier"),
    }
)
_ACTS = frozenset({"assignment_expression", "update_expression", "call_expression", "co_await"})
_PURE = frozenset({"min", "max", "int", "unsigned", "size_t"})


@dataclass(frozen=True, slots=True)
class Edit:
    """A text in place of a span."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Spelling:
    """One way to write a layout of an array. ``how``: pitch, xor, sum, step."""

    array: SharedArray
    layout: RowFolds | Padded
    edits: tuple[Edit, ...]
    how: str
    text: str


def edited(source: Source, edits: tuple[Edit, ...]) -> str | Refusal:
    """The text with all edits. A Refusal where two of them change the same place."""
    at, parts = 0, []
    for edit in sorted(edits, key=lambda one: (one.span.start, one.span.stop)):
        if edit.span.start < at:
            return Refusal("an index holds another one that changes", source.place(edit.span.start))
        parts += [source.data[at : edit.span.start], edit.text.encode()]
        at = edit.span.stop
    return b"".join((*parts, source.data[at:])).decode()


def spellings(
    source: Source, array: SharedArray, layout: RowFolds | Padded, rows: int
) -> tuple[Spelling, ...] | Refusal:
    """The ways to write a layout, what reads best first. ``rows``: along the last but one extent,
    0 where no other extent lies before it.

    A Refusal where an index cannot be written twice, or where the map reads more than this row.
    """
    if isinstance(layout, Padded):
        return _pitched(source, array, layout)
    if len(array.extents) + array.unsized < 2:
        return Refusal("it has one dimension: rows are in no index")
    if any(rows % (f.divisor // layout.row * f.phases) for f in layout.folds):
        return Refusal("the fold needs more rows than the last but one dimension has")
    nodes = {(n.start_byte, n.end_byte): n for n in walk(source.root) if n.is_named}
    for use in array.uses:
        again = () if use.size else use.indices[-2:]
        for index in again:
            acting = _acts(source, nodes[index.start, index.stop])
            if acting:
                return Refusal(f"{acting} would happen twice", source.place(index.start))
    ways = ["xor"] if layout.unit == 1 else ["xor", "sum", "step"]
    return tuple(_folded(source, array, layout, how, nodes) for how in ways)


def _acts(source: Source, index: Node) -> str:
    """What an expression does beside having a value; empty if nothing is seen."""
    for node in walk(index):
        if node.type not in _ACTS:
            continue
        called = node.child_by_field_name("function")
        if called is None or source.of(called) not in _PURE:
            return source.of(node)
    return ""


def _pitched(source: Source, array: SharedArray, layout: Padded) -> tuple[Spelling, ...] | Refusal:
    sized = next((use for use in array.uses if use.size), None)
    if sized is not None:
        return Refusal("its size is asked for", source.place(sized.span.start))
    if not array.extents or len(array.extents) + array.unsized < 2:
        return Refusal("it has one dimension: its rows are in no extent")
    last = array.extents[-1]
    text = f"{source.of(last)} + {layout.pad}"
    shown = f"{array.name}: rows of {source.of(last)} become {text}"
    return (Spelling(array, layout, (Edit(last, text),), "pitch", shown),)


def _folded(
    source: Source,
    array: SharedArray,
    layout: RowFolds,
    how: str,
    nodes: Mapping[tuple[int, int], Node],
) -> Spelling:
    uses = [use for use in array.uses if not use.size]
    edits = tuple(Edit(u.indices[-1], _column(source, layout, how, u, nodes)) for u in uses)
    text = f"{array.name}[r][c] -> {array.name}[r][{_index(layout, how, 'c', 'r')}]"
    return Spelling(array, layout, edits, how, text)


def _column(
    source: Source,
    layout: RowFolds,
    how: str,
    use: ArrayUse,
    nodes: Mapping[tuple[int, int], Node],
) -> str:
    row, column = (_atom(source, nodes[i.start, i.stop]) for i in use.indices[-2:])
    return _index(layout, "xor" if use.kept else how, column, row)


def _atom(source: Source, index: Node) -> str:
    """An index as a part of a larger expression."""
    text = source.of(index)
    return text if index.type in _ATOMS else f"({text})"


def _index(layout: RowFolds, how: str, column: str, row: str) -> str:
    """The new column: ``how`` one XOR, a sum of chunk and place, or the step from the old one."""
    if how == "xor":
        terms = (_shifted(_phase(f, layout.row, row), f.unit) for f in layout.folds)
        return " ^ ".join((column, *terms))
    unit = layout.unit
    terms = (_shifted(_phase(f, layout.row, row), f.unit // unit) for f in layout.folds)
    if how == "step":
        chunk = " ^ ".join((f"{column} / {unit}", *terms))
        return f"{column} + (({chunk}) - {column} / {unit}) * {unit}"
    shift, mask = unit.bit_length() - 1, unit - 1
    chunk = " ^ ".join((f"({column} >> {shift})", *terms))
    return f"(({chunk}) << {shift}) + ({column} & {mask})"


def _phase(fold: Fold, length: int, row: str) -> str:
    """The number that a row XORs its chunks with."""
    shift = (fold.divisor // length).bit_length() - 1
    return (
        f"({row} & {fold.phases - 1})" if not shift else f"({row} >> {shift} & {fold.phases - 1})"
    )


def _shifted(phase: str, unit: int) -> str:
    return phase if unit == 1 else f"({phase} << {unit.bit_length() - 1})"
