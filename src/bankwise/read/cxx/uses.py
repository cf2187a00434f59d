"""The uses of a shared array, as values; and what decides them that follows no pointer.

:mod:`bankwise.read.cxx.views` finds them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.errors import Refusal
from bankwise.read.cxx.functions import calls_of
from bankwise.read.cxx.macro_calls import Kept, for_caller
from bankwise.read.cxx.macros import used_else
from bankwise.read.cxx.stable import unstable
from bankwise.read.cxx.terms import none_below
from bankwise.read.cxx.tree import (
    PARAMETERS,
    ByteSpan,
    CxxSource,
    Node,
    inside_parentheses,
    named,
    node_at,
    span,
    walk,
)


class ArrayUse(Struct, frozen=True):
    """One place that touches elements. ``indices``: one for each extent; none where the first
    element is meant. ``kept``: how many bytes are moved together from there, as C++ says it; empty
    for one element. ``size``: it only asks how large the array is. ``flat``: the one index counts
    elements over all rows. ``scale``: what it counts, as C++ says it; empty for elements.
    ``pinned``: why the last index cannot be another one; longer rows are no matter to it.
    ``strides``: where the text says how many elements on the next row of a matrix begins, which is
    moved from there.
    """

    span: ByteSpan
    indices: tuple[ByteSpan, ...]
    kept: tuple[str, ...] = ()
    size: bool = False
    flat: bool = False
    scale: str = ""
    pinned: str = ""
    strides: tuple[ByteSpan, ...] = ()


class ViewBase(Struct, frozen=True):
    """Where a pointer begins that counts from another place than the array: so many of ``scale``
    behind it, or of elements."""

    span: ByteSpan
    scale: str


class ViewsFound(Struct):
    """What following an array has found so far. ``arguments``: of functions that are followed, by
    function and place, the bytes at which they stand; ``pieces``: mentions of which each begins a
    piece of its own, which are not followed; ``rows``: where types of pointers say how long its
    rows are."""

    uses: list[ArrayUse] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    bases: list[ViewBase] = field(default_factory=list)
    arguments: dict[tuple[str, int], set[int]] = field(default_factory=dict)
    pieces: frozenset[int] = frozenset()
    rows: set[ByteSpan] = field(default_factory=set)


class PointerView(Struct, frozen=True):
    """A pointer into an array, or the array. ``element``: its type as written; ``indices``: those
    given on the way; ``rest``: how many are left; ``flat``: it counts elements over all rows;
    ``held``: in which block a variable keeps it, or one that it was taken from, or the function
    that was given it; None for none; ``pinned``: as of :class:`ArrayUse`, where that is known of
    all its uses; ``said``: what the words of the function that was given it are outside of it."""

    name: str
    element: str
    rest: int
    indices: tuple[ByteSpan, ...] = ()
    flat: bool = False
    scale: str = ""
    held: Node = None
    depth: int = 0
    pinned: str = ""
    said: Mapping[str, str] = {}

    @property
    def counts(self) -> bool:
        """Whether the next index is the last one."""
        return self.flat or self.rest == 1


MACRO = -1
"""In place of a parameter: a macro that names the array itself."""


def given_else(
    source: CxxSource, function: str, place: int, seen: Collection[int]
) -> Iterator[Refusal]:
    """Calls of a function that hand it something else, and other mentions of it. ``seen``: the
    bytes at which arguments stand that are followed; of a macro, those at which it is used."""
    if place == MACRO:
        yield from used_else(source, function, frozenset(seen))
        return
    calls = calls_of(source, function)
    if isinstance(calls, Refusal):
        yield calls
        return
    for node in calls:
        given = named(node.child_by_field_name("arguments"))
        if len(given) <= place or given[place].start_byte not in seen:
            why = f"{function} is given something else here"
            yield Refusal(why, source.place(node.start_byte))


def pinned_by(source: CxxSource, index: ByteSpan | None, view: PointerView) -> str:
    """Why the last index of a row cannot be written anew."""
    if view.pinned:
        return view.pinned
    if not view.indices:
        return ""
    if index is None:
        return "the first element of a row is meant, without an index"
    if view.held is None:
        return ""
    row = source.root.named_descendant_for_byte_range(view.indices[-1].start, view.indices[-1].stop)
    return unstable(source, row, view.held)


def added_to(source: CxxSource, pointer: Node, total: Node) -> tuple[Node, list[Node]]:
    """All of ``p + a + b - c``, and the terms behind the pointer."""
    first, second = named(total)
    if inside_parentheses(first) != pointer:
        return total, [first]
    added = [second]
    while total.parent.type == "binary_expression" and named(total.parent)[0] == total:
        if source.of(total.parent.children[1]) not in "+-":
            break
        total = total.parent
        added.append(named(total)[1])
    return total, added


def advances(source: CxxSource, pointer: Node, assignment: Node, view: PointerView) -> bool:
    """``p += n;``, as a statement or as the step of a loop: of elements that are counted over all
    rows such a pointer counts from elsewhere, as one that begins there does."""
    if not view.counts or view.indices or view.pinned:
        return False
    outer = assignment.parent
    alone = outer.type == "expression_statement" or (
        outer.type == "for_statement" and outer.child_by_field_name("update") == assignment
    )
    to = inside_parentheses(assignment.child_by_field_name("left"))
    sign = source.of(assignment.child_by_field_name("operator"))
    return bool(alone and to == pointer and pointer.type == "identifier" and sign in ("+=", "-="))


def same_shape(declarator: Node, view: PointerView) -> bool:
    """Whether a variable or a parameter takes as many indices as are left."""
    kinds = [node.type for node in walk(declarator)]
    referred = "reference_declarator" in kinds and "pointer_declarator" in kinds
    if "function_declarator" in kinds or referred:
        return False
    if kinds[0] in ("identifier", "reference_declarator") and "array_declarator" not in kinds:
        return kinds.count("pointer_declarator") == 0
    levels = kinds.count("array_declarator") + kinds.count("pointer_declarator")
    return levels == (1 if view.counts else view.rest)


def merged(source: CxxSource, found: ViewsFound) -> list[ArrayUse]:
    """A place that several pointers lead to is one use; in two ways it is none."""
    each: dict[ByteSpan, ArrayUse] = {}
    for use in found.uses:
        old = each.setdefault(use.span, use)
        if not _alike(old, use):
            found.refusals.append(
                Refusal(
                    f"{source.shown(use.span)} is reached in two ways", source.place(use.span.start)
                )
            )
    return list(each.values())


def parted(source: CxxSource, use: ArrayUse, name: str) -> ArrayUse:
    """A use of ``p + a - b`` where pointers count from inside the array ``name``: the terms move
    the pointer one by one, and their sum may be below zero and have no sign."""
    node = node_at(source, use.span)
    if node.type != "binary_expression" or not use.indices or use.pinned:
        return use
    at, first = use.indices[-1], named(node)[0]
    if first.end_byte < at.start or first.type != "binary_expression":
        return use
    while first.type == "binary_expression":
        first = named(first)[0]
    if source.of(first) == name or none_below(source, node, at.start):
        return use
    return replace(use, pinned="its terms move a pointer one by one, and may be below zero")


def _alike(one: ArrayUse, other: ArrayUse) -> bool:
    """Whether two uses of one place are one: whichever tile of several they are in, where the text
    says no length of a row there."""
    last = (replace(use, indices=use.indices[-2:]) for use in (one, other))
    same = len(one.indices) == len(other.indices) and not one.strides
    return one == other or (same and next(last) == next(last))


def refuse(source: CxxSource, node: Node, why: str, found: ViewsFound) -> None:
    """A refusal of the array, at a place that names it."""
    found.refusals.append(Refusal(f"{source.shown(node)} {why}", source.place(node.start_byte)))


def lost(source: CxxSource, node: Node, parent: Node, view: PointerView) -> str:
    """Why a pointer is not followed from a place, in words."""
    if parent is not None and parent.type in _DECLARES:
        return "is declared once more here: which one a use means is not decided"
    if parent is not None and parent.type in ("assignment_expression", "update_expression"):
        return "gets another value, or gives its own away"
    if view.held is None and not view.indices:
        return "is named whole, as a pointer"
    return "goes where it cannot be followed"


_DECLARES = frozenset(
    {
        *("init_declarator", "array_declarator", "pointer_declarator", "declaration"),
        *(*PARAMETERS, "reference_declarator"),
    }
)


def add_use(
    source: CxxSource,
    node: Node,
    index: ByteSpan | None,
    view: PointerView,
    moved: Kept,
    found: ViewsFound,
) -> None:
    """One use more, through a pointer; ``moved``: what is moved together from there, or why nobody
    can say."""
    if not isinstance(moved, Refusal):
        moved = for_caller(source, node, moved, view.said)
    if isinstance(moved, Refusal):
        found.refusals.append(moved)
        return
    last = () if index is None else (index,)
    if view.flat:
        indices, pinned = last, ""
    else:
        indices, pinned = (*view.indices, *last), pinned_by(source, index, view)
    more = (view.scale,) if view.scale else ()
    said = (one for one in moved if isinstance(one, str))
    found.uses.append(
        ArrayUse(
            span(node),
            indices,
            tuple(dict.fromkeys((*said, *more))),
            flat=view.flat,
            scale=view.scale,
            pinned=pinned,
            strides=tuple(one for one in moved if isinstance(one, ByteSpan)),
        )
    )
