"""Whether an expression still has its value where it would be written a second time.

    float* row = s[r];  ..  row[c]      may be written s[r][c] as long as r is what it was

Only names of the function itself, numbers and arithmetic are decided; whatever else is in it, or
happens to one of its names until the block ends, is a reason that it may have another value.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache

from bankwise.read.cxx.beside import named_by_headers
from bankwise.read.cxx.functions import macros_named
from bankwise.read.cxx.lvalues import names_reference
from bankwise.read.cxx.tree import (
    ByteSpan,
    CxxSource,
    Node,
    around,
    inside_parentheses,
    is_parameter,
    macro_text,
    mentions,
    named,
    node_at,
    parse,
    walk,
    words,
)

FIXED = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"})
_PARTS = frozenset(
    {
        *("identifier", "number_literal", "parenthesized_expression", "binary_expression"),
        *("field_expression", "field_identifier", "cast_expression", "type_descriptor"),
        *("primitive_type", "sized_type_specifier", "type_identifier"),
    }
)
_READS = frozenset(
    {
        *("binary_expression", "subscript_argument_list", "cast_expression"),
        *("condition_clause", "return_statement", "init_declarator", "expression_statement"),
    }
)


def unstable(
    source: CxxSource, expression: Node, block: Node, constants: Collection[str] | None = None
) -> str:
    """Why an expression may have another value later in a block; empty if it has the same.
    ``constants``: of an expression in that block, names of what has one value."""
    for node in walk(expression):
        if node.is_named and node.type not in _PARTS:
            return f"{source.shown(node)} may have another value where the row is used"
    for name in {source.of(n) for n in walk(expression) if n.type == "identifier"} - FIXED:
        inside = constants is not None
        why = "" if name in (constants or ()) else _changed(source, name, expression, block, inside)
        if why:
            return why
    if any(n.type == "field_expression" for n in walk(expression)):
        fields = (n for n in walk(expression) if n.type == "field_expression")
        if any(source.of(n.children[0]) not in FIXED for n in fields):
            return "a member may have another value where the row is used"
    return ""


def _changed(source: CxxSource, name: str, expression: Node, block: Node, inside: bool) -> str:
    """What may give a variable of the function another value; ``inside``: or its name another
    meaning, in the block of an expression."""
    function = expression
    while function is not None and function.type != "function_definition":
        function = function.parent
    if function is None or block.type == "function_definition":
        return f"{name} is not known in the function that gets the row"
    kinds = [_declares(node) for node in mentions(source, function, name)]
    many = kinds.count("plain")
    if inside and many:
        mine = mentions(source, block, name)
        later = (one for one in mine if one.start_byte > expression.end_byte)
        many = 1 + any(map(_declares, later))
    if many != 1 or "reference" in kinds:
        return f"{name} is declared elsewhere, or more than once"
    lambdas = (one for one in walk(function) if one.type == "lambda_expression")
    if not all(_kept(source, name, one, one.start_byte) for one in lambdas):
        return f"{name} may be changed by a lambda"
    if not _kept(source, name, block, expression.end_byte):
        return f"{name} may have another value where the row is used"
    return ""


def only_read(source: CxxSource, variable: Node, block: Node) -> bool:
    """Whether a variable keeps its value in a block, but for where it is declared."""
    return _kept(source, source.of(variable), block, block.start_byte)


def _kept(source: CxxSource, name: str, block: Node, begin: int) -> bool:
    """Whether a name is only read in a block, from a byte on."""
    behind = (one for one in mentions(source, block, name) if one.start_byte >= begin)
    return only_read_by_macros(source, name, block) and all(
        is_read(source, one) or _declares(one) == "plain" for one in behind
    )


def only_read_by_macros(source: CxxSource, name: str, block: Node) -> bool:
    """Whether no macro that says a name, as ``#define NEXT at++`` does, can give it a value in a
    block."""
    for _ in named_by_headers(source, name, block):
        return False
    writing = [one for one in macros_named(source, name) if not _reads(source, one, name)]
    names = [_name_of(source, one) for one in writing]
    return not any(
        block.start_byte <= byte < block.end_byte for one in names for byte in words(source, one)
    ) and not any(True for one in names for _ in macros_named(source, one))


def _reads(source: CxxSource, macro: Node, name: str) -> bool:
    """Whether a macro of the file is a value that is made of a variable, and not that variable."""
    text = macro_text(source, macro).replace("\\", " ")
    inner = parse(f"int f = {text};", source.file)
    said = mentions(inner, inner.root, name)
    return not (inner.root.has_error or _acting(source).get(_name_of(source, macro), True)) and all(
        is_read(inner, one) and around(one).type != "init_declarator" for one in said
    )


def _name_of(source: CxxSource, macro: Node) -> str:
    return source.of(macro.child_by_field_name("name"))


def _declares(node: Node) -> str:
    """Whether a mention of a name declares it: "plain", "reference", or not: ""."""
    parent = around(node)
    if parent.type == "reference_declarator":
        return "reference"
    if parent.type == "init_declarator" and parent.child_by_field_name("declarator") == node:
        return "plain"
    return "plain" if parent.type == "declaration" or is_parameter(node) else ""


def is_read(source: CxxSource, node: Node) -> bool:
    """Whether a variable is only read at a place: not written, and not bound to a reference."""
    parent = around(node)
    if parent.type == "assignment_expression":
        return bool(inside_parentheses(parent.child_by_field_name("left")) != node)
    if parent.type == "subscript_expression":
        return bool(inside_parentheses(named(parent)[0]) != node)
    if parent.type in ("cast_expression", "init_declarator") and "&" in source.of(
        parent.child_by_field_name("type") or parent.child_by_field_name("declarator")
    ):
        return False
    if parent.type == "init_declarator" and names_reference(
        source, source.of(parent.parent.child_by_field_name("type"))
    ):
        return False
    return parent.type in _READS and not _declares(node)


_ACTS = frozenset(
    {
        *("assignment_expression", "update_expression", "call_expression", "co_await"),
        *("gnu_asm_expression", "new_expression", "delete_expression"),
    }
)
_PURE = frozenset({"min", "max", "int", "unsigned", "size_t"})
_MACROS = frozenset({"preproc_def", "preproc_function_def"})


def acts(source: CxxSource, index: ByteSpan) -> str:
    """What an expression does beside having a value; empty if nothing is seen, through macros of
    the file as well."""
    macros = _acting(source)
    for node in walk(node_at(source, index)):
        inside = index.start <= node.start_byte and node.end_byte <= index.stop
        if inside and (_acts(source, node, macros) or macros.get(source.of(node), False)):
            return source.of(node)
    return ""


def _acts(source: CxxSource, node: Node, macros: Mapping[str, bool]) -> bool:
    if node.type not in _ACTS:
        return False
    function = node.child_by_field_name("function")
    name = source.of(function) if function is not None else ""
    return name not in _PURE and macros.get(name, True)


@lru_cache(maxsize=4)
def _acting(source: CxxSource) -> Mapping[str, bool]:
    """The macros of a file, and whether one does something beside having a value; what is no
    expression does."""
    bodies: dict[str, list[CxxSource]] = {}
    for node in (one for one in walk(source.root) if one.type in _MACROS):
        text = macro_text(source, node).replace("\\", " ")
        bodies.setdefault(_name_of(source, node), []).append(parse(f"int f = {text};", source.file))
    found = dict.fromkeys(bodies, False)
    while True:
        now = {
            name: any(
                one.root.has_error
                or any(
                    _acts(one, node, found) or found.get(one.of(node)) for node in walk(one.root)
                )
                for one in some
            )
            for name, some in bodies.items()
        }
        if now == found:
            return found
        found = now
