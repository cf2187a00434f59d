"""Numbers that a source has names for: ``#define GRAM_K 64``, ``constexpr int kRow = 64;``.

Only names that mean one number wherever the file says them: defined once, with a number, under no
condition of the preprocessor, and declared as nothing else. So a text may say the name for the
number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from bankwise.read.cxx.tree import CxxSource, Node, walk, words

_CONDITIONS = ("preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif")
_OUTSIDE = ("translation_unit", "namespace_definition", "declaration_list", "linkage_specification")


@lru_cache(maxsize=4)
def named_numbers(source: CxxSource) -> Mapping[str, int]:
    """By name its number."""
    every = [one for node in walk(source.root) for one in _definition(source, node)]
    return {name: n for name, n, node in every if _is_alone(source, name, node)}


def _definition(source: CxxSource, node: Node) -> Iterator[tuple[str, int, Node]]:
    """A macro, or a constant outside of functions, that is a number, and what names it."""
    name, value = None, None
    if node.type == "preproc_def":
        name, value = (node.child_by_field_name(one) for one in ("name", "value"))
    elif node.type == "init_declarator" and _is_constant(source, node.parent):
        name, value = (node.child_by_field_name(one) for one in ("declarator", "value"))
    if name is None or value is None:
        return
    text = source.of(value).partition("//")[0].strip()
    if re.fullmatch(r"[1-9]\d{0,8}", text) and re.fullmatch(r"[A-Za-z_]\w*", source.of(name)):
        yield source.of(name), int(text), name


def _is_constant(source: CxxSource, declaration: Node) -> bool:
    """Whether a declaration outside of functions says that it is a constant of a whole number."""
    outer = declaration.parent
    said = source.of(declaration).split("=")[0]
    whole = re.search(r"\b(?:int|unsigned|size_t|long|short|u?int\d+_t)\b", said)
    known = re.search(r"\b(?:const|constexpr)\b", said) and "*" not in said and "&" not in said
    return bool(whole and known and outer is not None and outer.type in _OUTSIDE)


def _is_alone(source: CxxSource, name: str, definition: Node) -> bool:
    """Whether nothing else in the file may give a name another meaning."""
    node = definition
    while node is not None:
        if node.type in _CONDITIONS:
            return False
        node = node.parent
    for byte in words(source, name):
        if byte == definition.start_byte:
            continue
        found = source.root.named_descendant_for_byte_range(byte, byte + 1)
        if _names_anew(found):
            return False
    return True


def _names_anew(node: Node) -> bool:
    """Whether a word there is, or may be, a definition or a declaration of its own."""
    parent = node.parent
    if node.type in ("comment", "string_content", "string_literal"):
        return False
    if node.type == "preproc_arg":  # of a macro; of anything else, like an #undef
        return not parent.type.endswith("def")
    if node.type != "identifier" or parent.type.startswith("preproc_"):
        return True
    return any(parent.child_by_field_name(one) == node for one in ("declarator", "name"))
