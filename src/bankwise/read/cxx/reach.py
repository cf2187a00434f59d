"""What is reached from the address of an element: which bytes, or why nobody can say.

    *(float4*)&As[r][c]                                   a float4
    atomicAdd(&As[r][c], 1.f)                             one element
    unsigned p = __cvta_generic_to_shared(&As[r][c]);     what the assembly takes that gets p
    wmma::load_matrix_sync(a, &As[r][c], 64);             rows that begin 64 elements apart
    load(&As[r][c])                                       what the function, or the macro, of the
                                                          file takes

Arithmetic on an address leaves the element that was named, so it is refused, with its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial

from bankwise.errors import Refusal
from bankwise.read.cxx.address_number import AddressNumber, number_of
from bankwise.read.cxx.beside import named_by_headers
from bankwise.read.cxx.elements import SAME, as_element
from bankwise.read.cxx.functions import (
    calls_of,
    definitions,
    full_name,
    function_of,
    macros_of,
    meant,
    parameters_of,
)
from bankwise.read.cxx.lvalues import aliased, bound
from bankwise.read.cxx.macro_calls import (
    Kept,
    argument_of,
    for_caller,
    has_rows,
    in_macro,
    macro_of,
)
from bankwise.read.cxx.own_words import own_words
from bankwise.read.cxx.tree import (
    ByteSpan,
    CxxSource,
    Node,
    around,
    block_of,
    called,
    inside_parentheses,
    named,
    span,
    walk,
)

_DEPTH = 4
"""Functions within functions that an address is followed into."""

_ELEMENT = re.compile(
    r"(?:un)?(?:safe)?[aA]tomic(?:Add|Sub|Exch|Min|Max|Inc|Dec|CAS|And|Or|Xor)(?:_block|_system)?"
    r"|__hip_atomic_\w+|atomic_fetch_\w+"
)
"""Of CUDA and HIP, and what files overload: it touches the element whose address it is given."""
INTEGER = re.compile(
    r"(?:std::)?(?:u?int(?:32|64)_t|u?intptr_t|size_t|unsigned(?: int| long| long long)?)"
)
"""What holds an address as a number of bytes."""

_NUMBERS = ("int", "long", "long long", "uint", "ulong", "u32", "u64", "uint32", "uint64")
"""Others, also by names that projects have for them."""

_COPIES: Mapping[str, int] = {"__pipeline_memcpy_async": 2}
"""Of the CUDA headers: what moves bytes to its first argument, and which argument says how many."""

_MATRICES: Mapping[str, int] = {"load_matrix_sync": 1, "store_matrix_sync": 0}
"""Of the CUDA headers: what moves a matrix, and at which argument it begins; behind that, or the
fragment, stands how many elements on each next row, or column, does: a multiple of 16 bytes
(CUDA C++ Programming Guide, "Warp Matrix Functions")."""

_UNITS = re.compile(r"\b(?:bulk|tensor|wgmma|tcgen05|mbarrier)\b")
_WIDTH = re.compile(r"\.v([24])\.[bfus](\d+)")
_ASM_BYTES = 16
"""What ldmatrix, stmatrix and cp.async take from an address of shared memory, at most."""
_ROW_BYTES = 16
"""What the length of a matrix's rows is a multiple of."""


def reach(source: CxxSource, address: Node, depth: int = 0) -> Kept:
    """How many bytes are moved from an address, in C++: "sizeof(float4)"; none: an element."""
    parent = around(address)
    handler = _HANDLERS.get(parent.type) if parent is not None else None
    if handler is None:
        return _no(source, address, "goes where it cannot be followed")
    return handler(source, address, parent, depth)


def _no(source: CxxSource, node: Node, why: str) -> Refusal:
    return Refusal(f"the address {source.shown(node)} {why}", source.place(node.start_byte))


def _cast(source: CxxSource, address: Node, parent: Node, depth: int) -> Kept:
    """``(float4*)p``: of the type from here on, where that is a pointer."""
    return _as(source, source.of(parent.child_by_field_name("type")), parent, depth)


def _as(source: CxxSource, kind: str, cast: Node, depth: int) -> Kept:
    found, to = reach(source, cast, depth), pointee(aliased(source, kind))
    if not isinstance(found, Refusal) and has_rows(found) and kind:
        return _no(source, cast, f"is made {kind} before a matrix is moved from it")
    if to is None and kind and not isinstance(found, Refusal) and not _is_number(source, kind):
        return _no(source, cast, f"is made {kind}, which is not followed")
    if isinstance(found, Refusal) or found or to is None:
        return found
    return (f"sizeof({to})",) if to not in ("", "void", "auto") else ()


def _is_number(source: CxxSource, kind: str) -> bool:
    """Whether a type holds an address as a number, and is no pointer."""
    plain = re.sub(r"\b(?:const|volatile)\b", "", aliased(source, kind)).strip()
    return INTEGER.fullmatch(plain) is not None or plain in _NUMBERS


def pointee(kind: str) -> str | None:
    """What a pointer type points to, without const; None for a type that is no pointer."""
    plain = re.sub(r"\b(?:const|volatile|__restrict__)\b", "", kind).strip()
    return plain[:-1].strip() if plain.endswith("*") else None


def _pointer(source: CxxSource, address: Node, parent: Node, depth: int) -> Kept:
    """``*p``."""
    if source.of(parent)[0] == "*":
        return as_element(source, parent, partial(reach, depth=depth))
    return _no(source, address, "has its own address taken")


def _subscript(source: CxxSource, address: Node, parent: Node, depth: int) -> Kept:
    """``p[0]``."""
    inner = inside_parentheses(parent.children[0])
    index = named(parent.child_by_field_name("indices"))
    if inner != address:
        return _no(source, address, "is a number here")
    if len(index) == 1 and source.of(index[0]) == "0":
        return as_element(source, parent, partial(reach, depth=depth))
    return _no(source, address, "is indexed further: nothing shows that the row is not left")


def _field(source: CxxSource, address: Node, parent: Node, depth: int) -> Kept:
    """``p->x``."""
    pointed = source.of(parent.child_by_field_name("operator")) == "->"
    return (
        as_element(source, parent, partial(reach, depth=depth))
        if pointed
        else _no(source, address, "is no pointer here")
    )


def _argument(source: CxxSource, address: Node, parent: Node, depth: int) -> Kept:
    """An argument of a call: a cast, an atomic, a copy, or a function of this file."""
    call, place = around(parent), named(parent).index(argument_of(address, parent))
    if call.type != "call_expression":
        return _no(source, address, "is an argument of what is no call")
    function, name = call.child_by_field_name("function"), called(source, call)
    if SAME.fullmatch(name):
        arguments = function.child_by_field_name("arguments")
        return _as(source, source.of(arguments)[1:-1] if arguments else "", call, depth)
    if _ELEMENT.fullmatch(name) and place == 0:
        return ()
    if name in _COPIES and place == 0:
        size = named(parent)[_COPIES[name]]
        return (source.of(size),)
    if _MATRICES.get(name) == place and len(named(parent)) > 2 and not definitions(source, name):
        return (str(_ROW_BYTES), span(named(parent)[2]))
    if macro_of(source, parent) is not None:
        if why := bound(source, address):
            return _no(source, address, why)
        return in_macro(source, address, parent, partial(reach, depth=depth))
    return _followed(source, address, call, place, depth)


def _followed(source: CxxSource, address: Node, call: Node, place: int, depth: int) -> Kept:
    """Into the one function of the file that a call means."""
    name, found = called(source, call), definitions(source, meant(source, call))
    if len(found) != 1 or depth == _DEPTH:
        return _no(source, address, f"is passed to {name}, which is not followed")
    parameters = parameters_of(found[0])
    if place >= len(parameters):
        return _no(source, address, f"is passed to {name}, which takes fewer arguments")
    identifiers = [n for n in walk(parameters[place]) if n.type == "identifier"]
    if not identifiers:
        return ()
    body = found[0].child_by_field_name("body")
    kept = _everywhere(source, source.of(identifiers[-1]), body, 0, depth + 1)
    if not isinstance(kept, Refusal) and has_rows(kept):
        return _no(source, address, f"is passed to {name}, which moves a matrix from it")
    if isinstance(kept, Refusal) or not kept:
        return kept if isinstance(kept, Refusal) else _parameter(source, parameters[place])
    return for_caller(source, address, kept, own_words(source, found[0], call))


def _parameter(source: CxxSource, parameter: Node) -> tuple[str, ...]:
    """What a parameter that is dereferenced as it is points to; nothing for a template's type."""
    kind = source.of(parameter.child_by_field_name("type"))
    node = parameter
    while node.parent is not None:
        node = node.parent
        types = node.child_by_field_name("parameters")
        if node.type == "template_declaration" and kind in source.of(types):
            return ()
    return (f"sizeof({kind})",)


def _everywhere(source: CxxSource, name: str, scope: Node, begin: int, depth: int) -> Kept:
    """All uses of a variable that holds an address; it may not be given another one."""
    kept: list[str | ByteSpan] = []
    for refusal in (*macros_of(source, name), *named_by_headers(source, name, scope, begin)):
        return refusal
    for node in walk(scope):
        if node.type != "identifier" or source.of(node) != name or node.start_byte < begin:
            continue
        found = reach(source, node, depth)
        if isinstance(found, Refusal):
            return found
        kept += found
    return tuple(dict.fromkeys(kept))


def _held(source: CxxSource, address: Node, parent: Node, depth: int) -> Kept:
    """``float4* p = ..``: all uses of the variable, until its block ends."""
    declarator = parent.child_by_field_name("declarator")
    if declarator == address or depth == _DEPTH:
        return _no(source, address, "is held by too many variables in turn")
    names = [node for node in walk(declarator) if node.type == "identifier"]
    block = block_of(parent)
    if len(names) != 1:
        return _no(source, address, "initialises what is no variable")
    kept = _everywhere(source, source.of(names[0]), block, parent.end_byte, depth + 1)
    return _pointee(source, parent, kept)


def _pointee(source: CxxSource, initialised: Node, kept: Kept) -> Kept:
    """Where it is dereferenced as it is, the type that the variable points to."""
    if isinstance(kept, Refusal) or kept:
        return kept
    declaration = initialised.parent
    kind = source.of(declaration.child_by_field_name("type"))
    pointer = initialised.child_by_field_name("declarator").type == "pointer_declarator"
    return (f"sizeof({kind})",) if pointer and kind not in ("auto", "void") else ()


def _assembly(source: CxxSource, address: Node, parent: Node, depth: int) -> Kept:
    """An operand of inline assembly, whose instructions say how many bytes."""
    operand = parent
    while parent.type != "gnu_asm_expression":
        parent = parent.parent
    text = source.of(parent)
    if _UNITS.search(text):
        return _no(source, address, "is given to an asynchronous unit, which places bytes itself")
    number = number_of(source, operand, parent)
    if number is not None and depth < _DEPTH:
        return _in_variable(source, number, depth)
    if _computed(source, operand, parent):
        return _no(source, address, "is computed with in assembly, which is not followed")
    wide = [int(n) * int(bits) // 8 for n, bits in _WIDTH.findall(text)]
    return (str(max((_ASM_BYTES, *wide))),)


def _in_variable(source: CxxSource, number: AddressNumber, depth: int) -> Kept:
    """All uses of a variable that assembly writes an address to, but for that one."""
    kept: list[str | ByteSpan] = []
    name = source.of(number.variable)
    for refusal in (*macros_of(source, name), *named_by_headers(source, name, number.block)):
        return refusal
    for node in walk(number.block):
        if node.type != "identifier" or source.of(node) != name or node in number.written:
            continue
        found = reach(source, node, depth + 1)
        if isinstance(found, Refusal):
            return found
        kept += found
    return tuple(dict.fromkeys(kept))


def _computed(source: CxxSource, operand: Node, assembly: Node) -> bool:
    """Whether instructions do more with an operand than to go to its address: ``[%1]``."""
    operands = [node for node in walk(assembly) if node.type in _OPERANDS]
    own = rf"%{operands.index(operand)}(?!\d)"
    symbol = operand.child_by_field_name("symbol")
    if symbol is not None:
        own += rf"|%\[{re.escape(source.of(symbol))}\]"
    text = source.of(assembly.child_by_field_name("assembly_code"))
    return re.search(own, re.sub(rf"\[\s*(?:{own})\s*\]", "", text)) is not None


_OPERANDS = ("gnu_asm_output_operand", "gnu_asm_input_operand")


def _returned(source: CxxSource, address: Node, parent: Node, depth: int) -> Kept:
    """``return p;``: on to every call of the function, as a pointer or a number of bytes."""
    function = function_of(parent)
    declarator = function.child_by_field_name("declarator") if function is not None else None
    kind = function.child_by_field_name("type") if declarator is not None else None
    number = kind is not None and INTEGER.fullmatch(source.of(kind)) is not None
    shape = "function_declarator" if number else "pointer_declarator"
    if declarator is None or declarator.type != shape or depth == _DEPTH:
        return _no(source, address, "goes where it cannot be followed")
    calls = calls_of(source, full_name(source, function))
    if isinstance(calls, Refusal):
        return calls
    kept: list[str | ByteSpan] = []
    for call in calls:
        found = reach(source, call, depth + 1)
        if isinstance(found, Refusal):
            return found
        if has_rows(found):
            return _no(source, address, "is returned to where a matrix is moved from it")
        kept += found
    return tuple(dict.fromkeys(kept))


_Handler = Callable[[CxxSource, Node, Node, int], Kept]

_HANDLERS: Mapping[str, _Handler] = {
    "cast_expression": _cast,
    "pointer_expression": _pointer,
    "subscript_expression": _subscript,
    "field_expression": _field,
    "argument_list": _argument,
    "init_declarator": _held,
    "return_statement": _returned,
    "gnu_asm_input_operand": _assembly,
    "gnu_asm_output_operand": _assembly,
}
