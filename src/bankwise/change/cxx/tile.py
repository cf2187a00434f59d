"""A layout written as a type: the declaration of an array says it, every use keeps its brackets.

    __shared__ float Bs[64][32];
    __shared__ bankwise::tile<float, 64, 32, bankwise::fold<4, 8, 4>> Bs;

``tile.h`` beside this file is the type; it is put into the text. Whatever names an element by all
its indices goes through the type: macros that write indices, and an index with an effect, which
happens once. Nothing else may be done with the array: pointers into it would miss the map.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from pathlib import Path

from bankwise.algebra.address import Fold
from bankwise.change.cxx.index_map import IndexMap
from bankwise.change.cxx.spell import hinted
from bankwise.change.cxx.spelling import CxxEdit, Spelling
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import SharedArray, only_elements
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.tree import ByteSpan, CxxSource, span, walk

HEADER = Path(__file__).with_name("tile.h")
"""The type, as it stands in texts that use it."""

_TYPES = frozenset({"bankwise", "tile", "line", "fold", "both"})


def as_tile(
    source: CxxSource, array: SharedArray, map_: IndexMap, sizes: Sequence[ArraySize]
) -> tuple[Spelling, ...] | Refusal:
    """The ways to write a fold as the array's type; a Refusal where not all uses are elements."""
    place = source.place(array.statement.start)
    rows = {size.extents[-2] for size in sizes if len(size.extents) > 2}
    if (
        map_.pad
        or map_.columns
        or any(n % (f.divisor * f.phases) for n in rows for f in map_.folds)
    ):
        return Refusal(f"{array.name}: its map is none that a type says", place)
    why = only_elements(source, array) or _named_already(source)
    if why is not None:
        return why
    node = source.root.named_descendant_for_byte_range(array.statement.start, array.statement.stop)
    kind, declarators = node.child_by_field_name("type"), node.children_by_field_name("declarator")
    if len(declarators) != 1 or kind is None or "{" in source.of(kind):
        return Refusal(f"{array.name} is declared together with something else", place)
    extents = declarators[0]
    for _ in range(min(2, len(array.extents))):
        extents = extents.child_by_field_name("declarator")
    name = "line" if array.flat else "tile"
    said = [source.of(kind), *(source.of(one) for one in array.extents[-2:]), _layout(map_.folds)]
    type_ = f"bankwise::{name}<{', '.join(said)}>"
    header = CxxEdit(ByteSpan(at := _top(source), at), f"{HEADER.read_text('utf-8')}\n")
    brackets = ByteSpan(extents.end_byte, declarators[0].end_byte)
    edits = (header, CxxEdit(span(kind), type_), CxxEdit(brackets, ""))
    text = f"{type_} {array.name}, used as it is"
    lows = [""] * len(array.uses)
    return hinted(source, Spelling(array, map_, edits, "type", text, typed=True), lows)


def _layout(folds: Sequence[Fold]) -> str:
    """Folds as a type, the first applied first."""
    each = [f"bankwise::fold<{f.divisor}, {f.phases}, {f.unit}>" for f in folds]
    return reduce(lambda first, second: f"bankwise::both<{first}, {second}>", each)


def _named_already(source: CxxSource) -> Refusal | None:
    """Where the names of the type mean something else, or it stands already."""
    for node in walk(source.root):
        macro = node.type in ("preproc_def", "preproc_function_def")
        word = source.of(node.child_by_field_name("name") if macro else node)
        name = macro or node.type.endswith("identifier")
        if name and (word == "bankwise" or (macro and word in _TYPES)):
            return Refusal(f"{word} is a name of the text itself", source.place(node.start_byte))
    return None


def _top(source: CxxSource) -> int:
    """Behind the comments and includes that the text begins with."""
    at = 0
    for node in source.root.children:
        once = node.type == "preproc_call" and "once" in source.of(node).split()
        if not once and node.type not in ("comment", "preproc_include"):
            break
        at = source.data.find(b"\n", node.end_byte - 1) + 1 or len(source.data)
    return at
