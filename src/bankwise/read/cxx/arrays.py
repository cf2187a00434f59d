"""The ``__shared__`` arrays of a source, and every use of them in its text.

    __shared__ float As[64][32];              two extents, "64" and "32"
    float x = As[r][c];                       a use of one element, indices "r" and "c"
    *(float4*)&As[r][c] = v;                  a use of the bytes of a float4
    ldmatrix_x4(regs, &As[r][c]);             followed into a function of the file
    __shared__ Storage s;  s.a[r][c]          a member, with the extents of the structure
    float* Bs = pool + 1024;                  a piece of a pool

A use is what an index can be changed in without changing anything else. Whatever else happens to
an array (it is passed on, named by a macro, given away) is a refusal at its place: an array with a
refusal is not edited.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from bankwise.errors import Refusal
from bankwise.read.cxx.beside import named_by_headers
from bankwise.read.cxx.functions import macros_named
from bankwise.read.cxx.pieces import Piece, pieces_of
from bankwise.read.cxx.tree import (
    ByteSpan,
    CxxSource,
    Node,
    block_of,
    every,
    inside_parentheses,
    node_at,
    span,
    walk,
)
from bankwise.read.cxx.uses import MACRO, ArrayUse, ViewBase, ViewsFound, given_else
from bankwise.read.cxx.views import views_of

GivenPlace = tuple[tuple[str, int], frozenset[int]]
"""A function and which of its parameters; where that is an argument, by byte."""


class SharedArray(Struct, frozen=True):
    """A ``__shared__`` array, a member of a structure, or a piece of a pool that a pointer names.

    ``name``: as its uses say it; ``extents``: each as written, of an unsized one the first is
    missing; ``element``: the type as written. ``statement``: its declaration; ``function``: the
    name of the function that it is declared in, empty for one at file scope. ``root``: the variable
    it lies in, and ``twin``: how many of that name the function declares before; ``offset``: its
    bytes from there, as C++ says it. ``bases``: where pointers begin that count from elsewhere;
    ``piece``: its length is known from what else lies in the pool. ``fixed``: its extents are not
    its own, so its rows cannot be lengthened. ``declared``: the byte at which its root is;
    ``kernel``: in a kernel and not in a function that several may call; ``room``: bytes of the root
    of a piece, as C++ says it, 0 if the launch decides. ``given``: parameters of functions that
    pointers into it are handed to, and the bytes at which they are; and macros that name it.
    ``rows``: where types of pointers say how long its rows are.
    """

    name: str
    element: str
    extents: tuple[ByteSpan, ...]
    statement: ByteSpan
    function: str
    unsized: bool
    uses: tuple[ArrayUse, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    root: str = ""
    twin: int = 0
    offset: str = "0"
    bases: tuple[ViewBase, ...] = ()
    piece: bool = False
    fixed: bool = False
    declared: int = 0
    kernel: bool = False
    room: str = "0"
    given: tuple[GivenPlace, ...] = ()
    rows: tuple[ByteSpan, ...] = ()

    @property
    def flat(self) -> bool:
        """Whether one index names an element."""
        return len(self.extents) + self.unsized == 1


@lru_cache(maxsize=4)
def shared_arrays(source: CxxSource) -> tuple[SharedArray, ...]:
    """The arrays of a source that are declared as ``__shared__``, in order."""
    shared = [node for node in every(source, "declaration") if is_shared(source, node)]
    arrays: list[SharedArray] = []
    names: list[tuple[str, str]] = []
    for node in shared:
        function = _function(source, node)
        for declarator in node.children_by_field_name("declarator"):
            name = next((one for one in walk(declarator) if one.type == "identifier"), None)
            if name is None:
                continue
            place = (function, source.of(name))
            arrays += _declared(source, node, declarator, name, names.count(place))
            names.append(place)
    return tuple(_covered(source, arrays, _alone(source, arrays, one)) for one in arrays)


def _covered(source: CxxSource, arrays: Sequence[SharedArray], array: SharedArray) -> SharedArray:
    """A function that gets pointers into several arrays is one use of all of them; one that gets
    anything else is a refusal."""
    every = [given for one in arrays for given in one.given]
    found: list[Refusal] = []
    for (function, place), _ in array.given:
        seen = {at for key, starts in every if key == (function, place) for at in starts}
        found += given_else(source, function, place, seen)
    return replace(array, refusals=(*array.refusals, *found))


def tied(arrays: Sequence[SharedArray]) -> list[tuple[int, ...]]:
    """The arrays by number, together those whose uses are the same text in a function."""
    groups: list[tuple[set[int], set[tuple[str, int]]]] = []
    for number, array in enumerate(arrays):
        keys = {key for key, _ in array.given}
        joined = [one for one in groups if one[1] & keys]
        groups = [one for one in groups if one not in joined]
        numbers = {number}.union(*(one[0] for one in joined))
        groups.append((numbers, keys.union(*(one[1] for one in joined))))
    return sorted(tuple(sorted(numbers)) for numbers, _ in groups)


def _alone(source: CxxSource, arrays: Sequence[SharedArray], array: SharedArray) -> SharedArray:
    """All arrays that the launch sizes begin at one byte: a second one that a kernel can reach is
    another name for the first."""
    if not array.unsized:
        return array
    for other in arrays:
        if not other.unsized or (other.root, other.declared) == (array.root, array.declared):
            continue
        apart = other.function != array.function and {other.kernel, array.kernel} == {True}
        if not apart:
            why = f"{array.root} and {other.root} begin at one byte: the launch sizes both"
            refusal = Refusal(why, source.place(other.declared))
            return replace(array, refusals=(*array.refusals, refusal))
    return array


def only_elements(source: CxxSource, array: SharedArray) -> Refusal | None:
    """Where something is done to an array that is not to name an element, or its address, by all
    indices in brackets behind its own name; also of one whose declaration is not its own."""
    name, place = array.name, source.place(array.statement.start)
    if array.refusals:
        return array.refusals[0]
    if array.unsized or array.fixed or array.root != name:
        return Refusal(f"{name} has no declaration of its own with all its extents", place)
    if array.bases or any(place != MACRO for (_, place), _ in array.given):
        return Refusal(f"pointers into {name} are handed on", place)
    for use in array.uses:
        node = node_at(source, use.span)
        if node.type == "pointer_expression" and source.of(node)[0] == "&":
            node = inside_parentheses(node.child_by_field_name("argument"))
        for _ in array.extents:
            node = inside_parentheses(node)
            node = node.children[0] if node.type == "subscript_expression" else node
        if use.strides:
            why = (
                f"{source.shown(use.span)} is where a matrix begins, whose rows a type does not see"
            )
            return Refusal(why, source.place(use.span.start))
        if source.of(inside_parentheses(node)) != name or len(use.indices) != len(array.extents):
            why = f"{source.shown(use.span)} is no element of {name} by all its indices"
            return Refusal(why, source.place(use.span.start))
    return None


def is_shared(source: CxxSource, node: Node) -> bool:
    """Whether a declaration says ``__shared__``."""
    return any(
        child.type in ("type_qualifier", "storage_class_specifier")
        and source.of(child) == "__shared__"
        for child in node.children
    )


def _declared(
    source: CxxSource, statement: Node, declarator: Node, name: Node, twin: int
) -> Iterator[SharedArray]:
    """The array of a declarator, the pieces it is cut into, or the members that are arrays."""
    kind = statement.child_by_field_name("type")
    element = source.of(kind) if kind is not None else ""
    inner, extents = _extents(declarator)
    if declarator == name and kind is not None:
        yield from _members(source, statement, kind, name, twin)
    if inner is None:
        return
    scope, begin = block_of(statement), name.end_byte
    pieces: Sequence[Piece] = ()
    said = (
        *macros_named(source, source.of(name)),
        *named_by_headers(source, source.of(name), scope, begin),
    )
    if len(extents) == 1 and not said:
        pieces = pieces_of(source, source.of(name), element, begin, scope)
    several = None in extents or len({piece.offset for piece in pieces}) > 1
    if not several or not all(_in_kernel(source, piece.statement) for piece in pieces):
        pieces = ()
    room = "0" if None in extents else f"sizeof({source.of(name)})"
    for piece in pieces:
        yield _piece(source, piece, name, twin, room)
    if not pieces:
        found = views_of(source, source.of(name), element, len(extents), begin, scope)
        array = SharedArray(
            name=source.of(name),
            element=element,
            extents=tuple(span(one) for one in extents if one is not None),
            statement=span(statement),
            function=_function(source, statement),
            unsized=None in extents,
            root=source.of(name),
            twin=twin,
            declared=name.start_byte,
            kernel=_in_kernel(source, statement),
        )
        yield _seen(array, found)


def _in_kernel(source: CxxSource, node: Node) -> bool:
    """Whether a statement stands in a ``__global__`` function."""
    while node.parent is not None:
        node = node.parent
        if node.type == "function_definition":
            head = source.data[node.start_byte : node.child_by_field_name("body").start_byte]
            return b"__global__" in head
    return False


def _seen(array: SharedArray, found: ViewsFound) -> SharedArray:
    """An array with what was found of it."""
    bases, refusals = tuple(dict.fromkeys(found.bases)), tuple(found.refusals)
    given = tuple((key, frozenset(seen)) for key, seen in found.arguments.items())
    uses, rows = tuple(found.uses), tuple(sorted(found.rows))
    return replace(array, uses=uses, refusals=refusals, bases=bases, given=given, rows=rows)


def _piece(source: CxxSource, piece: Piece, root: Node, twin: int, room: str) -> SharedArray:
    name, statement = source.of(piece.variable), piece.statement
    found = views_of(
        source,
        *(name, piece.element, len(piece.extents) + 1, statement.end_byte),
        block_of(statement),
        piece.inside,
    )
    array = SharedArray(
        name=name,
        element=piece.element,
        extents=piece.extents,
        statement=span(statement),
        function=_function(source, statement),
        unsized=True,
        root=source.of(root),
        twin=twin,
        offset=piece.offset,
        piece=True,
        fixed=True,
        declared=root.start_byte,
        kernel=True,
        room=room,
    )
    return _seen(array, found)


def _members(
    source: CxxSource, statement: Node, kind: Node, name: Node, twin: int
) -> Iterator[SharedArray]:
    """The arrays of a structure; of a union, whose members lie on each other, each is refused."""
    body, shared_type = _structure(source, kind)
    if body is None:
        return
    root = source.of(name)
    for one in body.named_children:
        declarator = one.child_by_field_name("declarator")
        inner, extents = _extents(declarator) if declarator is not None else (None, [])
        if one.type != "field_declaration" or inner is None or None in extents:
            continue
        called = f"{root}.{source.of(inner)}"
        element = source.of(one.child_by_field_name("type"))
        found = views_of(source, called, element, len(extents), name.end_byte, block_of(statement))
        if body.parent.type == "union_specifier":
            why = f"{called} shares its bytes with the other members of a union"
            found.refusals.insert(0, Refusal(why, source.place(name.start_byte)))
        array = SharedArray(
            name=called,
            element=element,
            extents=tuple(map(span, filter(None, extents))),
            statement=span(statement),
            function=_function(source, statement),
            unsized=False,
            root=root,
            twin=twin,
            offset=f"__builtin_offsetof(decltype({root}), {source.of(inner)})",
            fixed=shared_type,
        )
        yield _seen(array, found)


def _structure(source: CxxSource, kind: Node) -> tuple[Node | None, bool]:
    """The members of a structure's type, and whether it has a name that others can use."""
    body = kind.child_by_field_name("body")
    if body is not None:
        return body, kind.child_by_field_name("name") is not None
    called = source.of(kind.child_by_field_name("name") or kind)
    found = [
        node.child_by_field_name("body")
        for node in walk(source.root)
        if node.type in ("struct_specifier", "class_specifier", "union_specifier")
        and node.child_by_field_name("body") is not None
        and node.child_by_field_name("name") is not None
        and source.of(node.child_by_field_name("name")) == called
    ]
    return (found[0] if len(found) == 1 else None), True


def _extents(declarator: Node) -> tuple[Node | None, list[Node | None]]:
    """The name and the extents of an array declarator, the first outermost; no name else."""
    extents: list[Node | None] = []
    while declarator.type == "array_declarator":
        extents.insert(0, declarator.child_by_field_name("size"))
        declarator = declarator.child_by_field_name("declarator")
    named = declarator.type in ("identifier", "field_identifier")
    return (declarator if extents and named else None), extents


def _function(source: CxxSource, node: Node) -> str:
    while node.parent is not None:
        node = node.parent
        if node.type == "function_definition":
            declarator = node.child_by_field_name("declarator")
            name = declarator.child_by_field_name("declarator")
            return source.of(name) if name is not None else ""
    return ""
