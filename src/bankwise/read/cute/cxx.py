"""CuTe C++ read from its syntax tree: aliases, constants, variables, parameters, calls.

Of ``#if`` the first branch is read, what stands behind ``#else`` is not: in the headers that are
read that is the newer GPU. Namespaces of CUTLASS are dropped from names, others stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from bankwise.errors import InputError, Location
from bankwise.read.cute.terms import CuteDefinition, CuteTerm, CuteText, Scope
from bankwise.read.cxx.tree import ByteSpan, CxxSource, Node, named, parse, span

_OURS = re.compile(r"^(?:::)?(?:(?:cute|cutlass|std|detail|arch)::)+")
_NAMESPACE = re.compile(r"(?<![\w:])(?:::)?(?:cute|cutlass)::(?=\w)")
"""What the grammar takes ``Layout<..>`` behind it for a comparison; blanks of the same length."""
_IN_FRONT = re.compile(rb"(?:::)?\b(?:cute|cutlass)::$")
_MOST_IN_FRONT = 16
_PASSED = frozenset(
    (
        *("type_descriptor", "dependent_type", "parenthesized_expression", "decltype"),
        *("parameter_pack_expansion", "constant_expression", "init_statement"),
    )
)
_NAMES = frozenset(
    (
        *("identifier", "type_identifier", "field_identifier", "namespace_identifier"),
        *("primitive_type", "sized_type_specifier", "true", "false", "auto"),
    )
)
_MOST_DEPTH = 150


def read_cxx(text: str, file: str) -> CuteText:
    """The definitions and calls of a source. Raises :class:`InputError` without tree-sitter, and
    for a text that is nested deeper than anybody writes."""
    blank = _NAMESPACE.sub(lambda found: " " * len(found[0]), text)
    source = replace(parse(blank, file), text=text, data=text.encode())
    try:
        found = tuple(_below(source.root, (), source))
    except RecursionError as error:
        raise InputError("nested too deeply to be read", location=Location(file)) from error
    definitions = tuple(one for one in found if isinstance(one, CuteDefinition))
    calls = tuple(one for one in found if not isinstance(one, CuteDefinition))
    return CuteText(file, text, "CuTe C++", definitions, calls, source.data)


Found = CuteDefinition | tuple[Scope, CuteTerm]


def _below(node: Node, scope: Scope, source: CxxSource) -> Iterator[Found]:
    """What a node and all below it define and call; of a branch the first alternative."""
    match node.type:
        case "preproc_else" | "preproc_elif" | "preproc_elifdef":
            return
        case "alias_declaration":
            yield from _alias(node, scope, source)
        case "declaration" | "field_declaration":
            yield from _declared(node, scope, source)
        case "struct_specifier" | "class_specifier" | "function_definition":
            yield from _scoped(node, scope, source)
            return
        case "template_declaration":
            yield from _template(node, scope, source)
            return
        case "call_expression":
            yield scope, term(node, source)
    for child in named(node):
        yield from _below(child, scope, source)


def _alias(node: Node, scope: Scope, source: CxxSource) -> Iterator[CuteDefinition]:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is not None and value is not None:
        said = term(value, source)
        yield CuteDefinition(source.of(name), scope, said, node.start_byte, type=True)


def _declared(node: Node, scope: Scope, source: CxxSource) -> Iterator[CuteDefinition]:
    """``constexpr int a = 3, b = 4;`` and ``TiledMma mma;``, which is ``TiledMma{}``."""
    type_ = node.child_by_field_name("type")
    for child in node.children_by_field_name("declarator"):
        name = child
        value = node.child_by_field_name("default_value")
        if child.type == "init_declarator":
            name, value = (
                child.child_by_field_name("declarator"),
                child.child_by_field_name("value"),
            )
        while name is not None and name.type == "array_declarator":
            name = name.child_by_field_name("declarator")
        if name is None or name.type not in ("identifier", "field_identifier"):
            continue
        said = value if value is not None and value.type != "initializer_list" else type_
        if said is not None:
            yield CuteDefinition(source.of(name), scope, term(said, source), node.start_byte)


def _scoped(node: Node, scope: Scope, source: CxxSource) -> Iterator[Found]:
    """A struct or a function: what it defines is its own."""
    name = node.child_by_field_name("name")
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    if declarator is not None:
        name = declarator.child_by_field_name("declarator")
    inner = scope if name is None else (*scope, _plain(source.of(name)).partition("<")[0])
    if declarator is not None:
        yield from _parameters(declarator, inner, source)
    body = node.child_by_field_name("body")
    yield from () if body is None else _below(body, inner, source)


def _parameters(node: Node, scope: Scope, source: CxxSource) -> Iterator[CuteDefinition]:
    listed = node.child_by_field_name("parameters")
    for place, child in enumerate(named(listed) if listed is not None else ()):
        name, type_ = child.child_by_field_name("declarator"), child.child_by_field_name("type")
        while name is not None and name.type != "identifier":
            inside = named(name)
            name = inside[-1] if inside else None
        if name is not None and type_ is not None:
            at = name.start_byte
            declared = source.data[type_.start_byte : at].decode().strip()
            yield CuteDefinition(
                *(source.of(name), scope, None, at),
                parameter="function",
                place=place,
                declared=declared,
            )


def _template(node: Node, scope: Scope, source: CxxSource) -> Iterator[Found]:
    """Parameters belong to the struct or function behind them."""
    found = list(_of_children(node, scope, source))
    inner = next((_scope_of(one) for one in found if len(_scope_of(one)) > len(scope)), scope)
    inner = inner[: len(scope) + 1]
    listed = node.child_by_field_name("parameters")
    for place, child in enumerate(named(listed) if listed is not None else ()):
        default = child.child_by_field_name("default_value") or child.child_by_field_name(
            "default_type"
        )
        words = [c for c in named(child) if c.type in _NAMES - {"primitive_type"}]
        name = child.child_by_field_name("name") or child.child_by_field_name("declarator")
        name = name if name is not None else next((w for w in reversed(words)), None)
        if name is not None:
            said = None if default is None else term(default, source)
            at = source.of(name), inner, said, child.start_byte
            type_ = "type_parameter" in child.type
            yield CuteDefinition(*at, type=type_, parameter="template", place=place)
    yield from found


def _of_children(node: Node, scope: Scope, source: CxxSource) -> Iterator[Found]:
    for child in named(node):
        if child.type != "template_parameter_list":
            yield from _below(child, scope, source)


def _scope_of(found: Found) -> Scope:
    return found.scope if isinstance(found, CuteDefinition) else found[0]


def _plain(name: str) -> str:
    return _OURS.sub("", "".join(name.split()))


def term(node: Node, source: CxxSource, depth: int = 0) -> CuteTerm:
    """An expression or a type as a term; one with an empty head where it is neither."""
    at, inside = _whole(node, source), named(node)
    if depth > _MOST_DEPTH:
        return CuteTerm("", at)
    below = [] if node.type in _NAMES else inside

    def terms(nodes: list[Node]) -> tuple[CuteTerm, ...]:
        return tuple(term(one, source, depth + 1) for one in nodes)

    if node.type in _PASSED and len(inside) == 1:
        return term(inside[0], source, depth + 1)
    if node.type in _NAMES or node.type == "number_literal":
        return CuteTerm(_plain(source.of(node)), at)
    match node.type:
        case "template_type" | "template_function" | "template_method":
            name, listed = node.child_by_field_name("name"), below[-1]
            return CuteTerm(_plain(source.of(name)), at, terms(named(listed)))
        case "qualified_identifier":
            inner = term(below[-1], source, depth + 1)
            front = source.data[at.start : below[-1].start_byte].decode()
            if len(below) > 1 and below[0].type == "template_type":
                return CuteTerm("::", at, (term(below[0], source, depth + 1), inner))
            return CuteTerm(_plain(front + inner.head), at, inner.types)
        case "compound_literal_expression":
            made = term(below[0], source, depth + 1)
            return CuteTerm(made.head, at, made.types, terms(named(below[-1])))
        case "call_expression":
            return _call(node, source, depth)
        case "binary_expression" | "unary_expression":
            operator = node.child_by_field_name("operator")
            return CuteTerm(source.of(operator), at, (), terms(below))
        case "conditional_expression":
            return CuteTerm("?:", at, (), terms(below))
        case "sizeof_expression":
            return CuteTerm("sizeof", at, (), terms(below))
    return CuteTerm("", at)


def _whole(node: Node, source: CxxSource) -> ByteSpan:
    """The bytes of a node, with the namespace that was blanked in front of it."""
    at = span(node)
    front = source.data[max(0, at.start - _MOST_IN_FRONT) : at.start]
    found = _IN_FRONT.search(front)
    return ByteSpan(at.start - len(front) + found.start(), at.stop) if found else at


def _call(node: Node, source: CxxSource, depth: int) -> CuteTerm:
    """``f<T>(a)``; of ``x.f(a)`` the first argument is ``x``."""
    at, called = _whole(node, source), node.child_by_field_name("function")
    listed = node.child_by_field_name("arguments")
    if called is None or listed is None:
        return CuteTerm("", at)
    given = tuple(term(one, source, depth + 1) for one in named(listed))
    if called.type == "field_expression":
        owner, member = called.child_by_field_name("argument"), called.child_by_field_name("field")
        name = term(member, source, depth + 1)
        given = (term(owner, source, depth + 1), *given)
        return CuteTerm(f".{name.head}", at, name.types, given)
    made = term(called, source, depth + 1)
    if made.arguments is not None or not made.head:
        return CuteTerm("()", at, (), (made, *given))
    return CuteTerm(made.head, at, made.types, given)
