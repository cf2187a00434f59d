"""Pieces of one array that pointers with constant places cut it into.

    extern __shared__ float pool[];
    float* As = pool;                    bytes 0 ..
    float* Bs = As + BM * BK;            .. up to BM * BK * sizeof(float), and on

Nothing else may name the pool then. That an index of As does not run on into Bs is no rule of C++:
who uses pieces has to say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec.structs import replace

from bankwise.identity import ByIdentity
from bankwise.read.cxx.elements import SAME
from bankwise.read.cxx.reach import pointee
from bankwise.read.cxx.stable import FIXED
from bankwise.read.cxx.tree import (
    PARAMETERS,
    ByteSpan,
    CxxSource,
    Node,
    around,
    block_of,
    called,
    inside_parentheses,
    mentions,
    named,
    span,
    walk,
)


class Piece(ByIdentity, frozen=True, eq=False):
    """A pointer to a constant place of a pool. ``variable``: its identifier; ``extents``: of a
    pointer to rows, as written; ``offset``: bytes from the pool, as C++ says it; ``inside``:
    mentions of it that begin pieces of their own, by byte."""

    variable: Node
    element: str
    extents: tuple[ByteSpan, ...]
    offset: str
    statement: Node
    inside: frozenset[int] = frozenset()


def pieces_of(
    source: CxxSource, name: str, element: str, begin: int, scope: Node
) -> tuple[Piece, ...]:
    """The pieces of a pool with one extent; none where anything else happens to it."""
    mentions = _mentions(source, name, begin, scope)
    whole = Piece(None, element, (), "0", None)
    found = [_piece(source, one, whole) for one in mentions]
    if not found or None in found:
        return ()
    return tuple(p for one in found if one is not None for p in _with_inner(source, one))


def _with_inner(source: CxxSource, piece: Piece) -> Iterator[Piece]:
    """A piece, and those that begin behind it in its own words."""
    name, block = source.of(piece.variable), block_of(piece.statement)
    mentions = _mentions(source, name, piece.statement.end_byte, block)
    behind = {one.start_byte: _piece(source, one, piece) for one in mentions}
    inner = {at: p for at, p in behind.items() if p is not None and p.offset != piece.offset}
    yield replace(piece, inside=frozenset(inner))
    for one in inner.values():
        yield from _with_inner(source, one)


def _mentions(source: CxxSource, name: str, begin: int, scope: Node) -> Sequence[Node]:
    return [node for node in mentions(source, scope, name) if node.start_byte >= begin]


def _piece(source: CxxSource, mention: Node, whole: Piece) -> Piece | None:
    """The pointer that a mention initialises, with a constant distance; None for anything else."""
    node, element, offset = mention, whole.element, whole.offset
    while True:
        parent = around(node)
        kind = parent.type if parent is not None else ""
        if kind == "binary_expression" and source.of(parent.children[1]) == "+":
            first, second = named(parent)
            step, node = (second if inside_parentheses(first) == node else first), parent
        elif kind == "subscript_expression" and _address(source, parent):
            step, node = named(parent.child_by_field_name("indices"))[0], around(parent)
        else:
            break
        if not constant(source, step):
            return None
        if source.of(step) != "0":
            offset = f"{offset} + (int)({source.of(step)}) * (int)sizeof({element})"
    cast = _cast(source, node, parent)
    if cast is not None:
        return _piece_from(source, cast, whole, offset)
    if kind != "init_declarator" or parent.child_by_field_name("value") is None:
        return None
    return _variable(source, parent, node, replace(whole, element=element, offset=offset))


def _address(source: CxxSource, element: Node) -> bool:
    parent = around(element)
    return bool(parent.type == "pointer_expression" and source.of(parent)[0] == "&")


def _cast(source: CxxSource, node: Node, parent: Node) -> tuple[Node, Node] | None:
    """The cast around a pointer, and its type."""
    if parent is not None and parent.type == "cast_expression":
        return parent, parent.child_by_field_name("type")
    call = around(parent) if parent is not None and parent.type == "argument_list" else None
    if call is None or call.type != "call_expression" or not SAME.fullmatch(called(source, call)):
        return None
    kinds = call.child_by_field_name("function").child_by_field_name("arguments")
    return (call, named(kinds)[0]) if kinds is not None else None


def _piece_from(
    source: CxxSource, cast: tuple[Node, Node], whole: Piece, offset: str
) -> Piece | None:
    """From a cast on, which may be a pointer to rows."""
    node, kind = cast
    extents = tuple(_extents(kind))
    to = source.of(kind.child_by_field_name("type")) if extents else pointee(source.of(kind))
    if not to or to == "void":
        return None
    inner = replace(whole, element=to, offset=offset, extents=extents)
    parent = around(node)
    if parent.type == "init_declarator" and parent.child_by_field_name("declarator") != node:
        return _variable(source, parent, node, inner)
    return None if extents else _piece(source, node, inner)


def _extents(node: Node) -> Iterator[ByteSpan]:
    """Of a declarator or type of rows, the outermost first."""
    if node.type in ("array_declarator", "abstract_array_declarator"):
        yield from _extents(named(node)[0])
        size = node.child_by_field_name("size")
        if size is not None:
            yield span(size)
    elif node.type == "type_descriptor":
        declarator = node.child_by_field_name("declarator")
        if declarator is not None:
            yield from _extents(declarator)


def _variable(source: CxxSource, initialised: Node, value: Node, piece: Piece) -> Piece | None:
    declarator = initialised.child_by_field_name("declarator")
    names = [node for node in walk(declarator) if node.type == "identifier"]
    kinds = [node.type for node in walk(declarator)]
    statement = initialised.parent
    if declarator == value or not names or statement.type != "declaration":
        return None
    if "reference_declarator" in kinds or kinds.count("pointer_declarator") > 1:
        return None
    extents = piece.extents or tuple(_extents(declarator))
    return replace(piece, variable=names[0], extents=extents, statement=statement)


def constant(source: CxxSource, expression: Node, depth: int = 8) -> bool:
    """Whether an expression is one that the compiler knows, as far as its names tell: no variable
    of the function that could be another one, and no call. ``depth``: of constants that are made
    of others."""
    function = expression
    while function is not None and function.type != "function_definition":
        function = function.parent
    names = {source.of(node) for node in walk(expression) if node.type == "identifier"}
    if names & FIXED or any(
        node.type in ("call_expression", "subscript_expression", "assignment_expression")
        for node in walk(expression)
    ):
        return False
    if function is None:
        return True
    return not any(
        names & declared and not _const(source, node, depth - 1)
        for node, declared in _declarations(source, function)
    )


def _declarations(source: CxxSource, function: Node) -> Sequence[tuple[Node, set[str]]]:
    """The declarations of a function, each with the names that it declares."""
    known = _known_declarations(source)
    if function not in known:
        known[function] = [
            (node, _declared(source, node))
            for node in walk(function)
            if node.type in ("declaration", *PARAMETERS) and not _template(node)
        ]
    return known[function]


@lru_cache(maxsize=4)
def _known_declarations(source: CxxSource) -> dict[Node, Sequence[tuple[Node, set[str]]]]:
    """Of the functions that were asked about."""
    return {}


def _template(node: Node) -> bool:
    return bool(node.parent is not None and node.parent.type == "template_parameter_list")


def _const(source: CxxSource, declaration: Node, depth: int) -> bool:
    """Whether a declaration is of constants: ``const int tx = threadIdx.x`` is of none."""
    kinds = {source.of(node) for node in declaration.children if node.type == "type_qualifier"}
    if declaration.type != "declaration" or not {"const", "constexpr"} & kinds:
        return False
    firsts = [
        one.child_by_field_name("value") for one in declaration.children_by_field_name("declarator")
    ]
    known = (one is None or bool(depth and constant(source, one, depth)) for one in firsts)
    return "constexpr" in kinds or all(known)


def _declared(source: CxxSource, declaration: Node) -> set[str]:
    """The names that a declaration declares: not those of extents and first values."""
    found = set()
    for declarator in declaration.children_by_field_name("declarator"):
        node = declarator
        while node is not None and node.type in ("init_declarator", "array_declarator"):
            node = node.child_by_field_name("declarator")
        names = walk(node if node is not None else declarator)
        found |= {source.of(name) for name in names if name.type == "identifier"}
    return found
