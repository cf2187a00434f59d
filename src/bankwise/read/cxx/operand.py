"""What may be done with an expression: be put beside an operator, whatever macros there are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from bankwise.read.cxx.stable import FIXED
from bankwise.read.cxx.tree import (
    PARAMETERS,
    CxxSource,
    Node,
    around,
    every,
    in_macro,
    macro_text,
    span,
    walk,
)

_MACROS = frozenset({"preproc_def", "preproc_function_def"})
_DECLARATIONS = frozenset(
    {
        *("declaration", *PARAMETERS),
        *("init_declarator", "field_declaration", "for_range_loop", "enumerator"),
    }
)


_WORDS = re.compile(r"[A-Za-z_]\w*")
_INNERMOST = re.compile(r"\([^()]*\)")
_LOOSE = re.compile(r"[<>&|^?=!,]")


def macros_bind_loosely(source: CxxSource, text: str) -> bool:
    """Whether a macro of the file that a text names, or one that it names in turn, has a sign
    outside of its parentheses that binds more loosely than a sum: ``64 >> 1``."""
    return any(_LOOSE.search(_outside(one)) for one in macro_texts(source, text))


def has_comma(source: CxxSource, text: str) -> bool:
    """Whether such a macro has a comma there: it may be several arguments of another one."""
    return any("," in _outside(one) for one in macro_texts(source, text))


def macro_texts(source: CxxSource, text: str) -> Iterator[str]:
    """What the macros of the file stand for that a text names, and those that they name in turn."""
    macros = _by_name(source)
    seen, left = set[str](), _WORDS.findall(text)
    while left:
        name = left.pop()
        if name in macros and name not in seen:
            yield from macros[name]
            left += [word for one in macros[name] for word in _WORDS.findall(one)]
        seen.add(name)


@lru_cache(maxsize=4)
def _by_name(source: CxxSource) -> Mapping[str, Sequence[str]]:
    """The texts of a file's macros."""
    found: dict[str, list[str]] = {}
    for node in every(source, *_MACROS):
        name = source.of(node.child_by_field_name("name"))
        found.setdefault(name, []).append(macro_text(source, node))
    return found


def _outside(text: str) -> str:
    """A text without what stands in parentheses."""
    before = ""
    while before != text:
        before, text = text, _INNERMOST.sub("", text)
    return text


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
