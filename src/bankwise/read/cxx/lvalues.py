"""Elements that are more than a value where they stand: what is bound to one may go on from it.

float& x = s[t];                 use(float& x), given s[t]               return s[t];
&(c ? s[t] : s[k])               &FLOAT4(s[t])

A function of the file may take one by reference if it stays there, as ``void add(int& a) { a++; }``
does: it reads the element and sets it, and no more. So may a variable: ``float& x = s[t]; x += 1;``
"""

from __future__ import annotations

import re

from bankwise.read.cxx.beside import named_by_headers
from bankwise.read.cxx.functions import definitions, function_of, macros_of, parameters_of
from bankwise.read.cxx.macro_calls import argument_of, macro_of
from bankwise.read.cxx.tree import CxxSource, Node, around, block_of, called, named, walk

SAME_ELEMENT = frozenset(
    {"conditional_expression", "comma_expression", "assignment_expression", "field_expression"}
)
"""Expressions that may be the element itself, or a part of it."""


def bound(source: CxxSource, element: Node) -> str:
    """Why an element is not used by value alone; empty if it is. Its own address, which somebody
    takes, is no matter here."""
    top, parent = element, around(element)
    while parent is not None:
        macro = parent.type == "argument_list" and macro_of(source, parent) is not None
        if not macro and parent.type not in SAME_ELEMENT:
            break
        top = around(parent) if macro else parent
        parent = around(top)
    kind = parent.type if parent is not None else ""
    if kind == "init_declarator" and _reference(source, parent) and not _held(source, parent):
        return "has an element that a reference is bound to"
    if kind == "argument_list" and by_reference(source, top, parent):
        return "has an element that is passed by reference"
    if kind == "initializer_list" and _in_list(source, parent):
        return "has an element that a reference may be bound to"
    if kind == "lambda_capture_initializer" and source.of(parent)[0] == "&":
        return "has an element that a lambda takes by reference"
    if kind == "return_statement" and _gives_reference(source, parent):
        return "has an element that a function gives a reference to"
    if kind == "pointer_expression" and top != element and source.of(parent)[0] == "&":
        return "has an element whose address is taken from afar"
    return ""


def _reference(source: CxxSource, initialised: Node) -> bool:
    declarator = initialised.child_by_field_name("declarator")
    if declarator is not None and declarator.type == "reference_declarator":
        return True
    kind = source.of(initialised.parent.child_by_field_name("type"))
    return "decltype" in kind or names_reference(source, kind)


def _held(source: CxxSource, initialised: Node) -> bool:
    """Whether a variable is a reference to one element that is read and set, and no more."""
    declarator, block = initialised.child_by_field_name("declarator"), block_of(initialised)
    return _only_value(source, declarator, block, initialised.end_byte)


def _in_list(source: CxxSource, elements: Node) -> bool:
    """Whether what a list in braces initialises is, or may hold, a reference to an element."""
    while elements.type == "initializer_list":
        inner, elements = elements, elements.parent
    if elements.type == "init_declarator":
        kind = elements.parent.child_by_field_name("type")
        return _reference(source, elements) or _holds_reference(source, source.of(kind))
    if elements.type == "return_statement":
        function = function_of(elements)
        kind = function.child_by_field_name("type") if function is not None else None
        return kind is None or _holds_reference(source, source.of(kind))
    kind = elements.child_by_field_name("type")
    return kind is None or kind == inner or _holds_reference(source, source.of(kind))


def _holds_reference(source: CxxSource, kind: str) -> bool:
    """Whether a type is a structure of the file that says a reference somewhere."""
    found = (
        node
        for node in walk(source.root)
        if node.type in ("struct_specifier", "class_specifier")
        and node.child_by_field_name("name") is not None
        and source.of(node.child_by_field_name("name")) == kind.partition("<")[0].strip()
    )
    return any("&" in source.of(node) for node in found)


def aliased(source: CxxSource, kind: str) -> str:
    """What a name of the file stands for, as in ``using P = float4*``; another type as it is."""
    name = re.escape(kind.strip().encode())
    using = rb"\busing\s+" + name + rb"\s*=([^;]*);"
    typedef = rb"\btypedef\b([^;{}]*[\s*&])" + name + rb"\s*;"
    found = re.search(using, source.data) or re.search(typedef, source.data) if name else None
    return found[1].decode().strip() if found is not None else kind


def behind_parentheses(source: CxxSource, element: Node) -> Node | None:
    """``P`` of ``(P)&s[i]``, which the tree has as an operation of two numbers; None without it."""
    both = around(element)
    if both is None or both.type != "binary_expression" or source.of(both.children[1]) != "&":
        return None
    left = both.children[0]
    while left.type != "parenthesized_expression" and left.named_children and left != element:
        left = left.named_children[-1]
    inner = named(left)[0] if left.type == "parenthesized_expression" else left
    return inner if inner != left and inner.type == "identifier" else None


def names_reference(source: CxxSource, kind: str) -> bool:
    """Whether a type is a name that the file gives to a reference: ``using R = float&``."""
    name = re.sub(r"\b(?:const|volatile|typename)\b", "", kind).strip().encode()
    alias = rb"\b(?:using\s+" + re.escape(name) + rb"\s*=|typedef\b)([^;]*);"
    found = (one[0] for one in re.finditer(alias, source.data)) if name else ()
    return any(b"&" in one and re.search(rb"\b" + re.escape(name) + rb"\b", one) for one in found)


def by_reference(source: CxxSource, element: Node, arguments: Node) -> bool:
    """Whether an element is an argument that a function of the file takes by reference, and may go
    on from."""
    call = around(arguments)
    if arguments.type != "argument_list" or call.type != "call_expression":
        return False
    place = named(arguments).index(argument_of(element, arguments))
    if _holds_reference(source, called(source, call)):
        return True
    explicit = "&" in source.of(call.child_by_field_name("function"))
    for one in definitions(source, called(source, call)):
        taken = parameters_of(one)[place : place + 1]
        refers = any(n.type == "reference_declarator" for t in taken for n in walk(t))
        if refers and (explicit or not _stays(source, one, taken[0])):
            return True
        kinds = (t.child_by_field_name("type") for t in taken)
        if any(names_reference(source, source.of(one)) for one in kinds if one is not None):
            return True
    return False


def _gives_reference(source: CxxSource, statement: Node) -> bool:
    """Whether the function of a ``return`` gives what it names, not a copy."""
    function = function_of(statement)
    declarator = function.child_by_field_name("declarator") if function is not None else None
    if declarator is None:
        return False
    taken = next((n for n in walk(declarator) if n.type == "parameter_list"), declarator)
    begin = (function if function.type == "function_definition" else declarator).start_byte
    body = function.child_by_field_name("body")
    head = source.data[begin : taken.start_byte] + source.data[taken.end_byte : body.start_byte]
    names = set(re.findall(rb"[A-Za-z_]\w*", head))
    return (
        b"&" in head
        or b"decltype" in names
        or any(names_reference(source, n.decode()) for n in names)
    )


_VALUES = frozenset(
    {
        "binary_expression",
        "unary_expression",
        "update_expression",
        "expression_statement",
        "condition_clause",
        "subscript_argument_list",
    }
)
"""What takes no more than the value of an expression in it, or sets that."""
_NAMES = ("identifier", "field_identifier", "type_identifier", "statement_identifier")


def _stays(source: CxxSource, function: Node, parameter: Node) -> bool:
    """Whether a function does no more with a parameter, a reference to one element, than to read
    and to set that element."""
    declarator = parameter.child_by_field_name("declarator")
    body = function.child_by_field_name("body")
    if declarator is None or body is None:
        return False
    if any(one.type == "field_initializer_list" for one in function.children):
        return False
    return _only_value(source, declarator, body)


def _only_value(source: CxxSource, declarator: Node, scope: Node, begin: int = 0) -> bool:
    """Whether nothing in a scope does more with a reference than to read and to set what it is, or
    a part of it, behind the byte where it is declared."""
    inner = declarator.named_children
    if declarator.type != "reference_declarator" or scope.has_error:
        return False
    if [one.type for one in inner] != ["identifier"]:
        return False
    name = source.of(inner[0])
    if [*macros_of(source, name), *named_by_headers(source, name, source.root)]:
        return False
    found = (one for one in walk(scope) if one.type in _NAMES and source.of(one) == name)
    return all(_is_value(source, one) for one in found if one.start_byte >= begin)


def _is_value(source: CxxSource, name: Node) -> bool:
    """Whether what a name means is read or set at a place, and no more."""
    parent = around(name)
    while parent is not None and parent.type in SAME_ELEMENT:
        parent = around(parent)
    kind = parent.type if parent is not None else ""
    if kind == "init_declarator":
        declarator = parent.child_by_field_name("declarator")
        made = source.of(parent.parent.child_by_field_name("type"))
        plain = declarator.type == "identifier" and not re.search(r"decltype|&|::", made)
        return plain and not names_reference(source, made)
    if kind == "return_statement":
        return not _gives_reference(source, parent)
    if kind == "cast_expression":
        return "&" not in source.of(parent.child_by_field_name("type"))
    if kind == "argument_list":
        call = around(parent)
        function = called(source, call) if call.type == "call_expression" else ""
        strange = not function or re.search("cast|address", function) is not None
        strange |= macro_of(source, parent) is not None
        return not strange and not definitions(source, function)
    return kind in _VALUES and behind_parentheses(source, name) is None
