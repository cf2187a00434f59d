"""Edits of a C++ text as values, and the words that they are made of.

Spelling        one way to write a layout of an array, as edits
edited          the text with them
said            the layout in the array's own words
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

from msgspec import Struct
from msgspec.structs import replace

from bankwise.change.cxx.index_map import IndexMap, new_indices
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.constants import named_numbers
from bankwise.read.cxx.operand import operand
from bankwise.read.cxx.tree import ByteSpan, CxxSource, node_at, span


class CxxEdit(Struct, frozen=True):
    """A text in place of a span."""

    span: ByteSpan
    text: str


class Spelling(Struct, frozen=True):
    """One way to write a layout of an array. ``how``: pitch, shifted, constant, xor, sum, step,
    unrolled, type; ``typed``: the array has a type that says it."""

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
    texts = (one.text for one in spellings_)
    return replace(first, edits=edits, text="; ".join(dict.fromkeys(texts)))


def edited(source: CxxSource, edits: tuple[CxxEdit, ...]) -> str | Refusal:
    """The text with all edits. A Refusal where two of them change the same place."""
    at, parts, last = 0, [], None
    for edit in sorted(set(edits), key=lambda one: (one.span.start, one.span.stop, one.text)):
        if edit.span.start < at:
            return Refusal("an index holds another one that changes", source.place(edit.span.start))
        if edit.span == last:
            return Refusal("two texts would stand in one place", source.place(edit.span.start))
        last = edit.span
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


def said(source: CxxSource, array: SharedArray, map_: IndexMap, how: str = "xor") -> str:
    """A map in the array's own words: ``s[r][c] -> s[r][c ^ (r & 7)]``, or its longer rows."""
    told = ", as do strides of its matrices" * any(use.strides for use in array.uses)
    if map_.row:
        long = row_length(source, array, map_.row)
        row, one = ("", "i") if array.flat else ("[r]", "c")
        more = f"{one} / {long}" + (f" * {map_.pad}" if map_.pad > 1 else "")
        named = f"{array.name}{row}"
        longer = f"{named}[{one}] -> {named}[{one} + {more}], and as much longer"
        return longer + (told and f", rows of matrices {long} + {map_.pad} apart")
    if map_.pad:
        last = " ".join(source.of(array.extents[-1]).split())
        return f"{array.name}: rows of {last} become {last} + {map_.pad}{told}"
    row, column = ("", "i") if array.flat else ("[r]", "c")
    new = new_indices(map_, how, (column,) if array.flat else ("r", column))
    row_ = row if len(new) == 1 else f"[{new[0]}]"
    return f"{array.name}{row}[{column}] -> {array.name}{row_}[{new[-1]}]"


def row_length(
    source: CxxSource, array: SharedArray, row: int, index: ByteSpan | None = None
) -> str:
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


def atom(source: CxxSource, index: ByteSpan) -> str:
    """An index as a part of a larger expression."""
    text, node = source.of(index), node_at(source, index)
    whole = node.type == "parenthesized_expression" or operand(source, node)
    return text if whole and span(node) == index else f"({text})"


_WORD = re.compile(r"[\w.]+")


def grouped(part: str) -> str:
    """A text as a part of a larger expression: a word, or in one pair of parentheses."""
    return part if _WORD.fullmatch(part) or _closed(part) else f"({part})"


def _closed(part: str) -> bool:
    """Whether the first parenthesis of a text is closed by its last sign."""
    depths = list(accumulate((sign == "(") - (sign == ")") for sign in part))
    return part[:1] == "(" and depths.index(0) == len(part) - 1


def new_index(source: CxxSource, index: ByteSpan, text: str) -> CxxEdit:
    """A text in place of an index: in parentheses where that is a part of a sum, and with the line
    breaks of the old one, once, where the words around them are neighbours still."""
    old, at = source.of(index), 0
    if "\n" in old and "//" not in old:
        text = _BROKEN.sub(" ", text)
        for one in _BREAK.finditer(old):
            before = r"\s+".join(map(re.escape, one["before"].split()))
            found = re.compile(rf"(?<![\w.]){before}( )(?={re.escape(one['behind'])})").search(
                text, at
            )
            if found is not None:
                at = found.start(1) + len(one["broken"])
                text = text[: found.start(1)] + one["broken"] + text[found.end(1) :]
    return CxxEdit(index, text if bracketed(source, index) else f"({text})")


_BROKEN = re.compile(r"\s*\\?\n\s*")
_BREAK = re.compile(r"(?P<before>[^\s\\]+\s+[^\s\\]+)(?P<broken>\s*\\?\n\s*)(?=(?P<behind>\S+))")
"""A line break between words, of which the compiler knows no more than of a space."""


def bracketed(source: CxxSource, index: ByteSpan) -> bool:
    """Whether an index stands alone: in brackets, and not in a sum, as ``a + b`` of ``p + a + b``
    does, where no expression is just that."""
    node = node_at(source, index)
    parent = node.parent
    return span(node) == index and bool(
        parent.type in ("subscript_argument_list", "parenthesized_expression")
        or source.data[parent.start_byte : parent.start_byte + 1] == b"["
    )
