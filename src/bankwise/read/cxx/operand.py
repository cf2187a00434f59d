"""What may be done with an expression: be put beside an operator, whatever macros there are."""

from __future__ import annotations

from functools import lru_cache

from bankwise.read.cxx.stable import FIXED
from bankwise.read.cxx.tree import CxxSource, Node, around, in_macro, macro_text, span, walk

_MACROS = frozenset({"preproc_def", "preproc_function_def"})
_DECLARATIONS = frozenset(
    {
        *("declaration", "parameter_declaration", "optional_parameter_declaration"),
        *("init_declarator", "field_declaration", "for_range_loop", "enumerator"),
    }
)


def operand(source: CxxSource, node: Node) -> bool:
    """Whether a node is one operand beside any operator: a number, or names that this file declares
    and that are no macros of it. ``COL`` may be ``a | b``, as far as anybody can see; in a macro's
    text any name may be."""
    if node.type == "number_literal":
        return True
    if node.type in ("field_expression", "subscript_expression"):
        return operand(source, node.children[0])
    plain = node.type == "identifier" and not in_macro(source, span(node))
    return plain and source.of(node) in _variables(source)


@lru_cache(maxsize=4)
def _variables(source: CxxSource) -> frozenset[str]:
    """Names that a file declares, or that CUDA and HIP give, and that no macro of it spells."""
    declared, macros = set(FIXED), set[str]()
    for node in walk(source.root):
        if node.type == "identifier" and _declares(node):
            declared.add(source.of(node))
        elif node.type in _MACROS:
            name = source.of(node.child_by_field_name("name"))
            plain = macro_text(source, node).strip().isdecimal()
            (declared if plain else macros).add(name)
    return frozenset(declared - macros)


def _declares(name: Node) -> bool:
    """Whether an identifier stands where its variable is declared."""
    node, parent = name, around(name)
    while parent is not None and parent.type.endswith("_declarator"):
        if parent.type == "init_declarator" and parent.child_by_field_name("declarator") != node:
            return False
        node, parent = parent, parent.parent
    fields = ("declarator", "name")
    return parent is not None and (
        parent.type in _DECLARATIONS
        and any(node in parent.children_by_field_name(field) for field in fields)
    )
