"""What a header declares: structures and namespaces with their members, in nested order."""

from __future__ import annotations

from collections.abc import Iterator

from bankwise.read.ck.values import Structure
from bankwise.read.cxx.tree import CxxSource, Node, named

_LISTS = ("declaration_list", "field_declaration_list", "translation_unit", "linkage_specification")
_DEPTH = 40


def structures(source: CxxSource) -> Structure:
    """The file as a structure; namespaces belong to it without a name of their own."""
    whole = Structure("", None, {})
    _collect(source, source.root, whole, 0)
    return whole


def inner(member: Node) -> Node:
    """A member without the ``template <..>`` around it."""
    while member.type == "template_declaration":
        member = named(member)[-1]
    return member


def parameters_of(member: Node) -> Node | None:
    """The template parameters of a member."""
    return member.child_by_field_name("parameters") if _is_template(member) else None


def _is_template(member: Node) -> bool:
    return bool(member.type == "template_declaration")


def _collect(source: CxxSource, node: Node, owner: Structure, depth: int) -> None:
    for child in named(node) if depth < _DEPTH else ():
        declared = inner(child)
        if declared.type == "namespace_definition" or declared.type in _LISTS:
            body = declared.child_by_field_name("body") or declared
            _collect(source, body, owner, depth + 1)
            continue
        kind = declared.child_by_field_name("type") if "declaration" in declared.type else None
        made = kind if kind is not None and kind.type.endswith("_specifier") else declared
        if made.type in ("struct_specifier", "class_specifier"):
            _structure(source, child, made, owner, depth)
        for name in _names(source, declared):
            owner.members.setdefault(name, []).append(child)


def _structure(source: CxxSource, member: Node, node: Node, owner: Structure, depth: int) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or body is None:
        return
    arguments = name.child_by_field_name("arguments")
    said = source.of(name.child_by_field_name("name") if arguments is not None else name)
    bases = next((c for c in node.children if c.type == "base_class_clause"), None)
    made = Structure(
        said,
        node,
        {},
        owner,
        parameters_of(member),
        arguments,
        tuple(b for b in named(bases) if b.type != "access_specifier") if bases else (),
    )
    owner.members.setdefault(said, []).append(member)
    owner.inside.append(made)
    _collect(source, body, made, depth + 1)


def _names(source: CxxSource, node: Node) -> Iterator[str]:
    """What a declaration declares: variables, a function, an alias."""
    if node.type == "alias_declaration":
        yield source.of(node.child_by_field_name("name"))
    elif node.type == "function_definition":
        declarator = node.child_by_field_name("declarator")
        while declarator is not None and declarator.type != "function_declarator":
            declarator = next(iter(named(declarator)), None)
        if declarator is not None:
            yield source.of(declarator.child_by_field_name("declarator"))
    elif node.type in ("field_declaration", "declaration"):
        for declarator in node.children_by_field_name("declarator"):
            while declarator.type == "init_declarator":
                declarator = declarator.child_by_field_name("declarator")
            if declarator.type in ("identifier", "field_identifier"):
                yield source.of(declarator)
