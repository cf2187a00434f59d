"""Other names that a function gives to a structure in shared memory.

Storage& all = storage;      all.a[r][c] is storage.a[r][c]
Storage* all = &storage;     all->a[r][c], as long as it points there
"""

from __future__ import annotations

import re

from bankwise.read.cxx.tree import CxxSource, Node, around, named


def renamed(source: CxxSource, node: Node) -> tuple[str, int] | None:
    """The name that a reference or a pointer gives to a structure, with the sign of its members,
    and the byte behind its declaration; None for anything else. ``node``: where the structure is
    named."""
    parent, kind, sign = around(node), "reference_declarator", "."
    if parent.type == "pointer_expression" and source.of(parent)[0] == "&":
        parent, kind, sign = around(parent), "pointer_declarator", "->"
    if parent.type != "init_declarator":
        return None
    made = parent.child_by_field_name("declarator")
    inner = (
        [one for one in named(made) if one.type != "type_qualifier"] if made.type == kind else []
    )
    its_type = source.of(parent.parent.child_by_field_name("type"))
    if [one.type for one in inner] != ["identifier"] or not _is_whole(source, its_type):
        return None
    return f"{source.of(inner[0])}{sign}", parent.end_byte


def _is_whole(source: CxxSource, kind: str) -> bool:
    """Whether a reference to a type is one to the structure itself: not to a part of another one,
    and to nothing that a conversion gives."""
    name = re.escape(kind.partition("<")[0].rpartition("::")[2].strip().encode())
    base = rb"\b(?:struct|class)\b[^;{}()]*[^:]:(?!:)[^;{}()]*\b" + name + rb"\b[^;{}()]*\{"
    given = rb"\boperator\b[^;{}()]*\b" + name + rb"\b"
    return kind == "auto" or not re.search(base + rb"|" + given, source.data)
