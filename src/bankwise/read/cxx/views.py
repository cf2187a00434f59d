"""Where an array is used: by index, through pointers to it, and in functions that are given one.

    float* row = s[r];      row[c]              is s[r][c], as long as r stays what it was
    float* p = &s[0][0];    p[i], *(p + i)      counts elements over all rows
    float4* q = (float4*)p; q[i]                counts float4
    p += stage * 1024;      p[i]                counts from a multiple of 1024
    load(s + stage * 1024)  p[i] in load        counts from a multiple of 1024

A pointer is followed as long as it stays what it is: one that gets another value, is compared or
handed to code that cannot be seen is a refusal at its place.
"""

from __future__ import annotations

from msgspec.structs import replace

from bankwise.errors import Refusal
from bankwise.read.cxx.beside import named_by_headers
from bankwise.read.cxx.elements import SAME, as_reference, in_macros
from bankwise.read.cxx.functions import definitions, macros_of, meant, parameters_of
from bankwise.read.cxx.lvalues import bound
from bankwise.read.cxx.macro_calls import argument_of
from bankwise.read.cxx.macros import (
    NamingMacro,
    macros_with_elements,
    said_twice,
)
from bankwise.read.cxx.own_words import own_words, with_words
from bankwise.read.cxx.reach import INTEGER, pointee, reach
from bankwise.read.cxx.row_types import RowType, row_type, taken_row
from bankwise.read.cxx.stable import acts
from bankwise.read.cxx.structures import renamed
from bankwise.read.cxx.tree import (
    ByteSpan,
    CxxSource,
    Node,
    around,
    block_of,
    called,
    inside_parentheses,
    mentions,
    named,
    silent,
    span,
    walk,
    words,
)
from bankwise.read.cxx.uses import (
    MACRO,
    ArrayUse,
    PointerView,
    ViewBase,
    ViewsFound,
    add_use,
    added_to,
    advances,
    lost,
    merged,
    parted,
    refuse,
    same_shape,
)

_DEPTH = 6
"""Pointers to pointers' places that are followed in turn."""


def views_of(
    source: CxxSource,
    name: str,
    element: str,
    rest: int,
    begin: int,
    scope: Node,
    pieces: frozenset[int] = frozenset(),
) -> ViewsFound:
    """Everything that happens to an array in its scope, behind the byte where it is declared.

    ``name``: with a member where the array is one: "s.a"; ``pieces``: as of :class:`ViewsFound`.
    """
    found = ViewsFound(pieces=pieces)
    _everywhere(source, name, scope, begin, PointerView(name, element, rest), found)
    found.uses = merged(source, found)
    if found.bases:
        found.uses = [parted(source, use, name) for use in found.uses]
    return found


def _everywhere(
    source: CxxSource, name: str, scope: Node, begin: int, view: PointerView, found: ViewsFound
) -> None:
    """Every mention of a name in a scope; a refusal for hidden ones."""
    name, sign, member = name.partition("->" if "->" in name else ".")
    own = not member and view.held is None
    inside = macros_with_elements(source, name, view.rest, scope, begin)
    macros: list[NamingMacro | Refusal] = list(inside if own else macros_of(source, name))
    naming = [one for one in macros if isinstance(one, NamingMacro)]
    seen = {one.start_byte for some in naming for one in some.calls}
    for node in mentions(source, scope, name):
        if node.start_byte < begin or node.start_byte in seen:
            continue
        seen.add(node.start_byte)
        if node.start_byte in found.pieces:
            continue
        if member:
            _member(source, node, sign, member, view, found)
        else:
            _follow(source, node, view, found)
    found.refusals += [
        Refusal(f"{name} stands where the syntax tree shows no use of it", source.place(byte))
        for byte in words(source, name)
        if max(begin, scope.start_byte) <= byte < scope.end_byte
        and byte not in seen
        and byte not in silent(source, scope)
    ]
    found.refusals += named_by_headers(source, name, scope, begin)
    found.refusals += [one for one in macros if isinstance(one, Refusal)]
    for one in (macro for macro in naming if macro.calls):
        found.arguments.setdefault((one.word, MACRO), set()).update(c.start_byte for c in one.calls)
        if one.element is not None:
            _by_macro(source, one, view, found)
        else:
            _by_statement(source, one, view, found)


def _by_macro(source: CxxSource, macro: NamingMacro, view: PointerView, found: ViewsFound) -> None:
    """The element in a macro's text: one use, for all that is done where the macro stands."""
    there = ViewsFound()
    for call in macro.calls:
        once = replace(view, rest=1, pinned="is what a macro names")
        _touched(source, call, None, once, there)
    found.refusals += there.refusals
    indices: list[ByteSpan] = []
    node = macro.element
    for _ in range(view.rest):
        node = inside_parentheses(node)
        indices.insert(0, span(named(node.child_by_field_name("indices"))[0]))
        node = node.children[0]
    given = (one for call in macro.calls for one in named(call.child_by_field_name("arguments")))
    twice = next(filter(None, (acts(source, span(one)) for one in given)), "")
    pinned = f"{twice} would happen twice, in the macro {macro.word}" if twice else ""
    kept = dict.fromkeys(text for use in there.uses for text in use.kept)
    rows = dict.fromkeys(one for use in there.uses for one in use.strides)
    found.uses.append(
        ArrayUse(
            span(macro.element), tuple(indices), tuple(kept), pinned=pinned, strides=tuple(rows)
        )
    )


def _by_statement(
    source: CxxSource, macro: NamingMacro, view: PointerView, found: ViewsFound
) -> None:
    """What a macro does with an array that is a statement wherever it stands: what happens at each
    mention in its text. An argument that is an index is said several times then."""
    inside = ViewsFound()
    for mention in macro.mentions:
        _follow(source, mention, view, inside)
    found.refusals += inside.refusals
    if inside.bases or inside.arguments:
        why = f"the macro {macro.word} takes a pointer into {view.name}"
        found.refusals.append(Refusal(why, source.place(macro.mentions[0].start_byte)))
    for call in macro.calls:
        given = named(call.child_by_field_name("arguments"))
        if around(call).type != "expression_statement" or len(given) != len(macro.taken):
            why = f"the macro {macro.word} names {view.name}, and is no statement here"
            found.refusals.append(Refusal(why, source.place(call.start_byte)))
    for use in inside.uses:
        twice = said_twice(source, macro, use.indices)
        pinned = f"{twice} would happen twice, in the macro {macro.word}" if twice else ""
        found.uses.append(replace(use, pinned=use.pinned or pinned))


def _member(
    source: CxxSource, node: Node, sign: str, member: str, view: PointerView, found: ViewsFound
) -> None:
    """A structure may be asked for its members alone, or get another name."""
    parent = around(node)
    again = renamed(source, node) if sign == "." else None
    if again is not None:
        name, behind = again
        _everywhere(source, name + member, block_of(node), behind, view, found)
    elif parent.type != "field_expression" or source.of(parent.children[1]) != sign:
        refuse(source, node, "is named whole, with all its members", found)
    elif source.of(parent.child_by_field_name("field")) == member:
        _follow(source, parent, view, found)


def _follow(source: CxxSource, node: Node, view: PointerView, found: ViewsFound) -> None:
    """What happens to a pointer, or to the array, at one place."""
    parent = around(node)
    kind = parent.type if parent is not None else ""
    if kind == "sizeof_expression":
        found.uses.append(ArrayUse(span(node), (), size=True))
    elif kind == "subscript_expression" and inside_parentheses(parent.children[0]) == node:
        _indexed(source, node, parent, view, found)
    elif kind == "pointer_expression" and source.of(parent)[0] == "*" and view.counts:
        _touched(source, parent, None, view, found)
    elif kind == "binary_expression" and view.counts and source.of(parent.children[1]) == "+":
        top, added = added_to(source, node, parent)
        index = ByteSpan(added[0].start_byte, added[-1].end_byte)
        _address(source, top, index, view, found, tuple(map(span, added)))
    elif kind == "assignment_expression" and advances(source, node, parent, view):
        found.bases.append(ViewBase(span(parent.child_by_field_name("right")), view.scale))
    elif kind in ("cast_expression", "argument_list", "init_declarator"):
        _handed(source, node, parent, view, found)
    elif kind in _MOVES and view.counts:
        add_use(source, node, None, view, reach(source, node), found)
    else:
        refuse(source, node, lost(source, node, parent, view), found)


_MOVES = frozenset({"field_expression", "gnu_asm_input_operand", "gnu_asm_output_operand"})


def _indexed(
    source: CxxSource, node: Node, parent: Node, view: PointerView, found: ViewsFound
) -> None:
    index = named(parent.child_by_field_name("indices"))
    if len(index) != 1:
        refuse(source, node, "has several indices in one bracket", found)
    elif view.counts:
        _touched(source, parent, span(index[0]), view, found)
    else:
        indices = (*view.indices, span(index[0]))
        inner = replace(view, indices=indices, rest=view.rest - 1, held=None)
        _follow(source, parent, _from_first(source, parent, inner), found)


def _from_first(source: CxxSource, row: Node, view: PointerView) -> PointerView:
    """The first row as a pointer: ``*(s[0] + i)``, ``float* p = s[0];`` count elements of all rows
    as often as of that one, and their places over all rows are right for both."""
    parent = around(row)
    indexed = parent is not None and parent.type == "subscript_expression"
    first = view.rest == 1 and all(source.of(one) == "0" for one in view.indices)
    return view if indexed or not first else replace(view, flat=True, indices=())


def _touched(
    source: CxxSource, node: Node, index: ByteSpan | None, view: PointerView, found: ViewsFound
) -> None:
    """An element or a part of it, by value; or what is reached from its address."""
    if (moved := as_reference(source, node, reach)) is not None:
        add_use(source, node, index, view, moved, found)
        return
    whole, part = node, node
    while around(part) is not None and around(part).type == "field_expression":
        part = around(part)
    parent = around(part)
    kind = parent.type if parent is not None else ""
    if kind == "pointer_expression" and source.of(parent)[0] == "&":
        if part == whole:
            _address(source, parent, index, view, found)
        elif reach(source, parent) == ():
            add_use(source, node, index, view, (), found)
        else:
            refuse(source, part, "has a member whose address is taken", found)
    elif why := bound(source, part):
        refuse(source, node, why, found)
    else:
        add_use(source, node, index, view, in_macros(source, part, reach), found)


def _address(
    source: CxxSource,
    address: Node,
    index: ByteSpan | None,
    view: PointerView,
    found: ViewsFound,
    terms: tuple[ByteSpan, ...] = (),
) -> None:
    """``&p[i]`` or ``p + i``: of what is moved from there, or where another pointer begins."""
    kept = reach(source, address)
    if not isinstance(kept, Refusal):
        add_use(source, address, index, view, kept, found)
        return
    if view.pinned:
        found.refusals.append(kept)
        return
    literal = "0" if index is None else source.of(index)
    zeros = literal == "0" and all(source.of(one) == "0" for one in view.indices)
    if zeros and not view.scale:
        flat = view.flat or len(view.indices) > 0
        _follow(source, address, replace(view, flat=flat, indices=(), rest=1), found)
    elif literal == "0" and not view.scale and not view.flat:
        _follow(source, address, view, found)
    elif view.flat or not view.indices:
        if index is not None and literal != "0":
            found.bases += [ViewBase(term, view.scale) for term in terms or (index,)]
        _follow(source, address, view, found)
    else:
        found.refusals.append(kept)


def _handed(
    source: CxxSource, node: Node, parent: Node, view: PointerView, found: ViewsFound
) -> None:
    """A cast, a call or a variable: what moves bytes from here, or a pointer to follow."""
    declared = parent.type == "init_declarator"
    if declared and parent.child_by_field_name("declarator") == node:
        refuse(source, node, lost(source, node, parent, view), found)
        return
    kept = reach(source, node)
    if not isinstance(kept, Refusal) and (view.counts or view.flat):
        add_use(source, node, None, view, kept, found)
    elif view.depth == _DEPTH:
        refuse(source, node, "is held by too many pointers in turn", found)
    elif declared:
        _held(source, node, parent, view, found)
    elif parent.type == "cast_expression":
        kind = source.of(parent.child_by_field_name("type"))
        _cast(source, node, parent, kind, view, found)
    else:
        _argument(source, node, parent, view, found)


def _cast(
    source: CxxSource, node: Node, cast: Node, kind: str, view: PointerView, found: ViewsFound
) -> None:
    """To another pointer: what it counts from here on."""
    known = with_words(kind, view.said)
    to = "char" if INTEGER.fullmatch(kind) else pointee(known or "")
    if to is None or not (view.counts or not view.indices):
        refuse(source, node, f"becomes {kind}, which is not followed", found)
        return
    if not view.counts:
        view = replace(view, flat=True, rest=1)
    if to == view.element:
        view = replace(view, scale="")
    elif to not in ("", "void"):
        view = replace(view, scale=f"sizeof({to})")
    _follow(source, cast, replace(view, depth=view.depth + 1), found)


def _held(
    source: CxxSource, node: Node, parent: Node, view: PointerView, found: ViewsFound
) -> None:
    """``float* p = ..``: every use of the variable, until its block ends."""
    declarator = parent.child_by_field_name("declarator")
    names = [one for one in walk(declarator) if one.type == "identifier"]
    if len(names) < 1 or not same_shape(declarator, view):
        refuse(source, node, "initialises what is no pointer to its elements", found)
        return
    block = block_of(parent)
    _typed(row_type(source, declarator, view.rest), view, found)
    since = block if view.held is None else view.held
    view = replace(view, held=since, depth=view.depth + 1)
    _everywhere(source, source.of(names[0]), block, parent.end_byte, view, found)


def _typed(row: RowType, view: PointerView, found: ViewsFound) -> None:
    """What a type says of the length of rows; who deduces it asks for it."""
    if view.flat:
        return
    if row.written is not None:
        found.rows.add(row.written)
    if row.asked is not None:
        found.uses.append(ArrayUse(row.asked, (), size=True))


def _argument(
    source: CxxSource, node: Node, parent: Node, view: PointerView, found: ViewsFound
) -> None:
    """A cast in the words of C++, or a function of the file that gets the pointer."""
    call, place = around(parent), named(parent).index(argument_of(node, parent))
    name = called(source, call) if call.type == "call_expression" else ""
    if SAME.fullmatch(name):
        arguments = call.child_by_field_name("function").child_by_field_name("arguments")
        integer = "size_t" if name == "__cvta_generic_to_shared" else "void*"
        kind = source.of(arguments)[1:-1] if arguments is not None else integer
        _cast(source, node, call, kind, view, found)
        return
    function = meant(source, call) if name else ""
    defined = definitions(source, function)
    if len(defined) != 1:
        refuse(source, node, f"is passed to {name}, which is not followed", found)
        return
    taken = next(iter(parameters_of(defined[0])[place:]), None)
    declarator = taken.child_by_field_name("declarator") if taken is not None else None
    names = [one for one in walk(declarator) if one.type == "identifier"] if declarator else []
    if not names or not same_shape(declarator, view):
        refuse(source, node, f"is passed to {name}, which takes something else", found)
        return
    found.arguments.setdefault((function, place), set()).add(argument_of(node, parent).start_byte)
    body = defined[0].child_by_field_name("body")
    _typed(taken_row(source, defined[0], taken, call, view.rest), view, found)
    own = own_words(source, defined[0], call)
    said = {name: with_words(text, view.said) or "" for name, text in own.items()}
    view = replace(view, held=defined[0], depth=view.depth + 1, said=said)
    _everywhere(source, source.of(names[0]), body, body.start_byte, view, found)
