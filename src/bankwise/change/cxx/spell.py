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

from bankwise.algebra.address import Fold
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import ArrayUse, SharedArray
from bankwise.read.cxx.expression import acting, operand
from bankwise.read.cxx.tree import ByteSpan, CxxSource, Node, walk


@dataclass(frozen=True, slots=True)
class CxxEdit:
    """A text in place of a span."""

    span: ByteSpan
    text: str


@dataclass(frozen=True, slots=True)
class IndexMap:
    """What becomes of the last index of an array, whatever its extent: ``folds``, which leave it in
    its row, or a ``pad`` of so many elements behind every row.

    The divisors of the folds count rows; elements, where the array has one dimension.
    """

    folds: tuple[Fold, ...] = ()
    pad: int = 0

    @property
    def unit(self) -> int:
        """Elements that stay together."""
        return min((fold.unit for fold in self.folds), default=1)


@dataclass(frozen=True, slots=True)
class Spelling:
    """One way to write a layout of an array. ``how``: pitch, xor, sum, step."""

    array: SharedArray
    map: IndexMap
    edits: tuple[CxxEdit, ...]
    how: str
    text: str


def edited(source: CxxSource, edits: tuple[CxxEdit, ...]) -> str | Refusal:
    """The text with all edits. A Refusal where two of them change the same place."""
    at, parts = 0, []
    for edit in sorted(edits, key=lambda one: (one.span.start, one.span.stop)):
        if edit.span.start < at:
            return Refusal("an index holds another one that changes", source.place(edit.span.start))
        parts += [source.data[at : edit.span.start], edit.text.encode()]
        at = edit.span.stop
    return b"".join((*parts, source.data[at:])).decode()


def spellings(
    source: CxxSource, array: SharedArray, map_: IndexMap, rows: int
) -> tuple[Spelling, ...] | Refusal:
    """The ways to write a map, what reads best first. ``rows``: along the last but one extent,
    0 where no other extent lies before it.

    A Refusal where an index cannot be written twice, or where the map reads more than this row.
    """
    if map_.pad:
        return _pitched(source, array, map_)
    if any(rows % (f.divisor * f.phases) for f in map_.folds):
        return Refusal("the fold needs more rows than the last but one dimension has")
    nodes = {(n.start_byte, n.end_byte): n for n in walk(source.root) if n.is_named}
    for use in array.uses:
        for index in () if use.size else use.indices[-2:]:
            acts = next(acting(source, nodes[index.start, index.stop]), "")
            if acts:
                return Refusal(f"{acts} would happen twice", source.place(index.start))
    ways = ["xor"] if map_.unit == 1 else ["xor", "sum", "step"]
    return tuple(_folded(source, array, map_, how, nodes) for how in ways)


def _pitched(
    source: CxxSource, array: SharedArray, map_: IndexMap
) -> tuple[Spelling, ...] | Refusal:
    sized = next((use for use in array.uses if use.size), None)
    if sized is not None:
        return Refusal("its size is asked for", source.place(sized.span.start))
    last = array.extents[-1]
    text = f"{source.of(last)} + {map_.pad}"
    shown = f"{array.name}: rows of {source.of(last)} become {text}"
    return (Spelling(array, map_, (CxxEdit(last, text),), "pitch", shown),)


def _folded(
    source: CxxSource,
    array: SharedArray,
    map_: IndexMap,
    how: str,
    nodes: Mapping[tuple[int, int], Node],
) -> Spelling:
    edits = tuple(
        CxxEdit(use.indices[-1], _column(source, map_, how, use, nodes))
        for use in array.uses
        if not use.size
    )
    flat = len(array.extents) + array.unsized == 1
    row, column = ("", "i") if flat else ("[r]", "c")
    new = _index(map_, how, column, "i" if flat else "r")
    text = f"{array.name}{row}[{column}] -> {array.name}{row}[{new}]"
    return Spelling(array, map_, edits, how, text)


def _column(
    source: CxxSource,
    map_: IndexMap,
    how: str,
    use: ArrayUse,
    nodes: Mapping[tuple[int, int], Node],
) -> str:
    texts = [_atom(source, nodes[i.start, i.stop]) for i in use.indices[-2:]]
    if all(text.isdecimal() for text in texts):
        return str(_number(map_, int(texts[-1]), int(texts[0])))
    return _index(map_, "xor" if use.kept else how, texts[-1], texts[0])


def _number(map_: IndexMap, column: int, row: int) -> int:
    """The new column of a place that is known."""
    for fold in map_.folds:
        column ^= row // fold.divisor % fold.phases * fold.unit
    return column


def _atom(source: CxxSource, index: Node) -> str:
    """An index as a part of a larger expression."""
    text = source.of(index)
    whole = index.type == "parenthesized_expression" or operand(source, index)
    return text if whole else f"({text})"


def _index(map_: IndexMap, how: str, column: str, row: str) -> str:
    """The new column: ``how`` one XOR, a sum of chunk and place, or the step from the old one."""
    unit = 1 if how == "xor" else map_.unit
    terms = [_shifted(_phase(fold, row), fold.unit // unit) for fold in map_.folds]
    if how == "xor":
        return " ^ ".join((column, *terms))
    if how == "step":
        chunk = " ^ ".join((f"{column} / {unit}", *terms))
        step = f"(({chunk}) - {column} / {unit}) * {unit}"
        # a tree reads (COL) + (..) as a cast
        return f"{step} + {column}" if column[0] == "(" else f"{column} + {step}"
    shift, mask = unit.bit_length() - 1, unit - 1
    chunk = " ^ ".join((f"({column} >> {shift})", *terms))
    return f"(({chunk}) << {shift}) + ({column} & {mask})"


def _phase(fold: Fold, row: str) -> str:
    """The number that a row XORs its chunks with."""
    shift, mask = fold.divisor.bit_length() - 1, fold.phases - 1
    return f"({row} >> {shift} & {mask})" if shift else f"({row} & {mask})"


def _shifted(phase: str, unit: int) -> str:
    return phase if unit == 1 else f"({phase} << {unit.bit_length() - 1})"
