"""The proof of an edit of C++ text, on both texts: every use of an array goes through one map.

It reads both texts again and shares nothing with who wrote them but the syntax tree:

1. Both texts are equal but for last indices and last extents of the arrays that were changed.
2. Every place that names such an array is a use with all its indices: nothing else can reach it.
3. The new last index is evaluated, for every column and every row that there is, and is the column
   that the claimed map gives.
4. The map is a permutation of every row and keeps what a use moves together, in order; a pitch only
   lengthens rows, by whole units of what is moved together.

That holds for all launches and all data, on what C++ demands of an index: that it stays inside its
extent. A text that leaves a row on purpose (``tile[0][40]`` of rows of 32) is against that rule,
and the judge of the emitted code is there for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bankwise.algebra.address import Fold
from bankwise.counting.access import IntArray
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import ArrayUse, SharedArray, shared_arrays
from bankwise.read.cxx.expression import acting, operand
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.tree import ByteSpan, CxxSource, Node, inside_parentheses, named, walk

_MOST_ROWS = 4096
_MOST_COLUMNS = 1 << 16
_MOST = 1 << 22


@dataclass(frozen=True, slots=True)
class ArrayClaim:
    """The map that an edit says it applies to an array. ``number``: among those of the text;
    ``sizes``: in each kernel that has it. ``folds``: XORs of chunks of ``unit`` with the number of
    the row (of the element, in one dimension) divided by ``divisor``, modulo ``phases``; or a
    ``pad`` behind every row."""

    number: int
    name: str
    folds: tuple[Fold, ...]
    pad: int
    sizes: tuple[ArraySize, ...]


def prove_text(before: CxxSource, after: CxxSource, claims: Sequence[ArrayClaim]) -> int | Refusal:
    """How many uses were proved to go through the claimed maps; a Refusal where one was not."""
    old, new = shared_arrays(before), shared_arrays(after)
    if [one.name for one in old] != [one.name for one in new]:
        return Refusal("the texts do not declare the same arrays")
    changed = {claim.number: claim for claim in claims}
    spans = [_free(arrays, changed) for arrays in (old, new)]
    if _rest(before, spans[0]) != _rest(after, spans[1]):
        return Refusal("the texts differ elsewhere than in last indices and extents")
    proved = 0
    for number, claim in changed.items():
        found = _proved(before, after, old[number], new[number], claim)
        if isinstance(found, Refusal):
            return found
        proved += found
    return proved


def _free(arrays: Sequence[SharedArray], changed: Mapping[int, ArrayClaim]) -> list[ByteSpan]:
    """Where the texts may differ."""
    free: list[ByteSpan] = []
    for number, claim in changed.items():
        array = arrays[number]
        if claim.pad:
            free.append(array.extents[-1])
        else:
            free += [use.indices[-1] for use in array.uses if not use.size]
    return sorted(free)


def _rest(source: CxxSource, free: Sequence[ByteSpan]) -> bytes:
    at, parts = 0, []
    for span in free:
        parts.append(source.data[at : span.start])
        at = span.stop
    return b"\0".join((*parts, source.data[at:]))


def _proved(
    before: CxxSource, after: CxxSource, old: SharedArray, new: SharedArray, claim: ArrayClaim
) -> int | Refusal:
    for array in (old, new):
        if array.refusals:
            return array.refusals[0]
    if len(old.uses) != len(new.uses):
        return Refusal(f"{old.name} has {len(old.uses)} uses before and {len(new.uses)} after")
    if claim.pad:
        return _lengthened(before, after, old, new, claim)
    for size in set(claim.sizes):
        wrong = _keeps(claim, size)
        if wrong:
            return Refusal(f"{old.name}: {wrong}")
        for one, other in zip(old.uses, new.uses, strict=True):
            why = "" if one.size else _moved(before, after, one, other, claim, size)
            if why:
                return Refusal(f"{old.name}: {why}", before.place(one.span.start))
    return sum(not use.size for use in old.uses)


def _lengthened(
    before: CxxSource, after: CxxSource, old: SharedArray, new: SharedArray, claim: ArrayClaim
) -> int | Refusal:
    """The last extent of several is the old one and the pad, and nothing asks for the size."""
    for size in claim.sizes:
        if len(size.extents) < 2 or claim.pad * size.element_bytes % size.kept_bytes:
            return Refusal(f"{old.name}: a pad of {claim.pad} breaks what is moved together")
    if any(use.size for use in old.uses):
        return Refusal(f"{old.name}: its size is asked for")
    text, grown = before.of(old.extents[-1]), after.of(new.extents[-1])
    if grown != f"{text} + {claim.pad}" or _loose(before, old.extents[-1]):
        return Refusal(f"{old.name}: rows of {text} and {claim.pad} are not rows of {grown}")
    return len(old.uses)


def _loose(source: CxxSource, extent: ByteSpan) -> bool:
    """Whether an extent binds more loosely than a sum."""
    for node in walk(source.root):
        if (node.start_byte, node.end_byte) == (extent.start, extent.stop) and node.is_named:
            return node.type == "conditional_expression" or (
                node.type == "binary_expression"
                and node.children[1].type not in ("*", "/", "%", "+", "-")
            )
    return True


def _keeps(claim: ArrayClaim, size: ArraySize) -> str:
    """Why a map is no permutation of every row that keeps units; empty if it is."""
    columns, unit = size.extents[-1], -(-size.kept_bytes // size.element_bytes)
    rows = _rows(claim) if len(size.extents) > 1 else 1
    tried = _tried(claim, size)
    if tried > _MOST_ROWS or columns > _MOST_COLUMNS or tried * columns > _MOST or not columns:
        return "the map is too large to be tried"
    if len(size.extents) > 2 and size.extents[-2] % rows:
        return "the map reads more than the number of a row"
    column = np.broadcast_to(np.arange(columns), (rows, columns))
    row = np.arange(rows)[:, None] if len(size.extents) > 1 else column
    moved = _mapped(claim, row, column)
    if not (np.sort(moved, axis=1) == np.arange(columns)).all():
        return "the map is no permutation of its rows"
    if columns % unit:
        return f"rows of {columns} are no groups of {unit}"
    grouped = moved.reshape(rows, -1, unit)
    kept = grouped - grouped[..., :1] == np.arange(unit)
    return "" if kept.all() and not (grouped[..., 0] % unit).any() else f"groups of {unit} part"


def _rows(claim: ArrayClaim) -> int:
    """How many rows the map tells apart: a multiple of the periods of all its folds."""
    return int(np.lcm.reduce([fold.divisor * fold.phases for fold in claim.folds]))


def _mapped(claim: ArrayClaim, row: IntArray, column: IntArray) -> IntArray:
    """New columns by definition: chunk XOR (row / divisor mod phases), fold after fold."""
    for fold in claim.folds:
        chunk = column // fold.unit ^ row // fold.divisor % fold.phases
        column = chunk * fold.unit + column % fold.unit
    return np.asarray(column)


def _moved(
    before: CxxSource,
    after: CxxSource,
    old: ArrayUse,
    new: ArrayUse,
    claim: ArrayClaim,
    size: ArraySize,
) -> str:
    """Why the new last index is not the map of the old one; empty if it is."""
    texts = [_bare(before, index) for index in old.indices[-2:]]
    column = _axis(texts[-1], size.extents[-1])[None]
    row = _axis(texts[0], _tried(claim, size))[:, None]
    if len(set(texts)) == 1:
        row = column = _axis(texts[0], min(size.extents[-2:]))[None]
    both = zip(texts, (row, column)[-len(texts) :], strict=True)
    names = {text: values for text, values in both if not text.isdecimal()}
    node = _node(after, new.indices[-1])
    value = None if node is None else _value(after, node, names)
    if value is None or node is None:
        return f"{after.of(new.indices[-1])} is no expression of the old indices"
    was = _node(before, old.indices[-1])
    if was is None or [*acting(before, was)] != [*acting(after, node)]:
        return f"{after.of(new.indices[-1])} does something, and not as often as before"
    if (value == _mapped(claim, row, column)).all():
        return ""
    return f"{after.of(new.indices[-1])} is not the new place of {before.of(old.indices[-1])}"


def _tried(claim: ArrayClaim, size: ArraySize) -> int:
    """How many rows the new index is tried with: all there are, so that no bit of the number of a
    row is left to chance."""
    return max(_rows(claim), *size.extents[-2:-1], 1)


def _axis(text: str, extent: int) -> IntArray:
    """The values that an index is tried with: all, or the number that it is."""
    return np.asarray([int(text)]) if text.isdecimal() else np.arange(extent)


def _node(source: CxxSource, span: ByteSpan) -> Node | None:
    return source.root.named_descendant_for_byte_range(span.start, span.stop)


def _bare(source: CxxSource, span: ByteSpan) -> str:
    """An index without the parentheses around it."""
    node = _node(source, span)
    return source.of(inside_parentheses(node) if node is not None else span)


def _value(source: CxxSource, node: Node, names: Mapping[str, IntArray]) -> IntArray | None:
    """An expression of XOR, shifts, masks and sums over known parts; None for any other."""
    outer, node = node, inside_parentheses(node)
    text = source.of(node)
    if text in names:
        return names[text] if outer != node or _together(source, node) else None
    if node.type == "number_literal":
        return (
            np.asarray(int(text)) if text.isdecimal() and (text == "0" or text[0] != "0") else None
        )
    if node.type != "binary_expression":
        return None
    left, right = (_value(source, one, names) for one in named(node))
    if left is None or right is None:
        return None
    return _apply(source.of(node.child_by_field_name("operator")), left, right)


def _together(source: CxxSource, node: Node) -> bool:
    """Whether an expression is one operand where it stands, whatever macros other files define."""
    if node.type == "binary_expression":
        return all(_together(source, one) for one in named(node))
    return node.type == "parenthesized_expression" or operand(source, node)


def _apply(sign: str, left: IntArray, right: IntArray) -> IntArray | None:
    """None for what this does not compute: C++ divides negative numbers otherwise than Python."""
    operations: dict[str, Callable[[IntArray, IntArray], IntArray]] = {
        "^": np.bitwise_xor,
        "&": np.bitwise_and,
        "+": np.add,
        "-": np.subtract,
        "*": np.multiply,
        "/": np.floor_divide,
        "<<": np.left_shift,
        ">>": np.right_shift,
    }
    if sign not in operations or (sign == "/" and ((left < 0).any() or (right < 1).any())):
        return None
    return np.asarray(operations[sign](left, right))
