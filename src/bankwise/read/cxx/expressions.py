"""Which expression of a line touches shared memory: what a compiler's caret stands under.

    acc += As[ty][k] * Bs[k][tx];          reads of As and of Bs
           ~~~~~~~~~   ~~~~~~~~~
    *(float4*)&As[r][c] = v;               a write of As, the whole left side
    x = load(&As[r][c]);                   whatever the function does

Compilers name a line for an instruction, hardly ever a column: so what stands there is asked of the
syntax tree. Of all that it shows on the line those are kept that name the array whose bytes are
touched, and that go in the instruction's direction. Several are underlined together, from the first
to the last: the caret says "here", never "this one" where that is not known.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from bankwise.errors import Location
from bankwise.hardware.machine import Direction
from bankwise.identity import ByIdentity
from bankwise.read.cxx.arrays import is_shared
from bankwise.read.cxx.tree import CxxSource, Node, around, walk

_BOTH: frozenset[Direction] = frozenset({"read", "write"})
_READ: frozenset[Direction] = frozenset({"read"})
_WRITE: frozenset[Direction] = frozenset({"write"})
_PLACES = ("subscript_expression", "pointer_expression", "field_expression")
_TOUCHES = frozenset({*_PLACES, "call_expression", "gnu_asm_expression"})
_OPERANDS = ("argument_list", "gnu_asm_input_operand", "gnu_asm_output_operand")
_NO_ACCESS = re.compile(r"__sync\w+|(?:\w+::)*(?:min|max)")


class SharedExpression(Struct, frozen=True):
    """One expression that may touch shared memory. ``array``: the array that it names, empty where
    it names none; ``first``, ``last``: where it begins, and the place behind it; ``call``: the same
    of the call whose argument it is, if it is one."""

    array: str
    directions: frozenset[Direction]
    first: Location
    last: Location
    call: tuple[Location, Location] | None = None

    @property
    def whole(self) -> SharedExpression:
        """The call that is passed it, else itself."""
        if self.call is None:
            return self
        return replace(self, first=self.call[0], last=self.call[1])


class ExpressionTable(ByIdentity, frozen=True, eq=False):
    """The expressions of a file, by each line on which they stand. ``plain``: arrays whose name
    means one array in the file, and which no macro names."""

    by_line: Mapping[int, Sequence[SharedExpression]]
    plain: frozenset[str]

    def place(self, at: Location, direction: Direction, array: str, inlined: bool) -> Location:
        """``at`` with columns, where the expressions of its line are known to be the access's; of
        an array that one expression of the file alone touches so, the place of that.

        A column that the compiler names is the statement's, or another access's: it is dropped.
        ``array``: whose bytes are touched, empty where that is not known; ``inlined``: the access
        stands in another file, from which it was inlined here: of several arguments the calls are
        underlined.
        """
        found = [one for one in self.by_line.get(at.line, ()) if direction in one.directions]
        begun = [one for one in found if one.first.line == at.line] or found
        known = [one for one in begun if one.array and array in ("", one.array)]
        if array and not known:
            known = [one for one in begun if not one.array]
        if not known or (inlined and not array):
            known = [one for one in begun if not one.array]
        if array and not known:
            known = self._alone(array, direction)
        if not array and len({one.array for one in known}) > 1:
            known = []
        several = inlined and len(known) > 1
        return _around(at, [one.whole for one in known] if several else known)

    def _alone(self, array: str, direction: Direction) -> list[SharedExpression]:
        """The only expression that can touch an array so, if there is one: compilers move loads
        out of loops, and with them their lines."""
        every = {one for some in self.by_line.values() for one in some if one.array == array}
        fitting = [one for one in every if direction in one.directions]
        told = array in self.plain and all(len(one.directions) == 1 for one in every)
        return fitting if told and len(fitting) == 1 else []


def _around(at: Location, found: Sequence[SharedExpression]) -> Location:
    """From the first to the last of some expressions on a line."""
    if not found:
        return replace(at, column=0, end_column=0)
    first = min(one.first for one in found)
    last = max(one.last for one in found)
    end = last.column if last.line == first.line else 0
    return Location(at.file, first.line, first.column, end_column=end)


def expressions(source: CxxSource) -> ExpressionTable:
    """All expressions of a source that may touch shared memory."""
    by_line: dict[int, list[SharedExpression]] = defaultdict(list)
    for one in _found(source):
        for line in range(one.first.line, one.last.line + 1):
            by_line[line].append(one)
    return ExpressionTable(by_line, frozenset(_plain(source)))


def _plain(source: CxxSource) -> Iterator[str]:
    macros = b" ".join(n.text for n in walk(source.root) if n.type.startswith("preproc_"))
    for name, scopes in _scopes(source).items():
        declared = [scope for scope in scopes if scope.array == name]
        if len(declared) == 1 and not re.search(rb"\b%s\b" % re.escape(name.encode()), macros):
            yield name


def _found(source: CxxSource) -> Iterator[SharedExpression]:
    """Those that name an array first: what holds one is not told again as a pointer."""
    scopes = _scopes(source)
    seen: set[tuple[int, int]] = set()
    for array, whole, directions in (*_arrays(source, scopes), *_pointers(source)):
        key = whole.start_byte, whole.end_byte
        if key not in seen:
            seen.add(key)
            yield SharedExpression(array, directions, *_ends(source, whole), _call(source, whole))


def _ends(source: CxxSource, node: Node) -> tuple[Location, Location]:
    return source.place(node.start_byte), source.place(node.end_byte)


def _call(source: CxxSource, node: Node) -> tuple[Location, Location] | None:
    """Where the call stands whose argument a node is."""
    found = around(node)
    if found is None or found.type != "argument_list" or found.parent.type != "call_expression":
        return None
    return _ends(source, found.parent)


def _arrays(source: CxxSource, scopes: _ArrayScopes) -> Iterator[_Touch]:
    for node in walk(source.root):
        scope = _scope(source, node, scopes) if node.type == "identifier" else None
        found = _touched(node, scope.brackets) if scope else None
        if scope and found:
            yield scope.array, *found


def _pointers(source: CxxSource) -> Iterator[_Touch]:
    """Places behind pointers, but those that the host passes, and references; calls, and assembly
    as a whole."""
    elsewhere, references = _elsewhere(source), _references(source)
    for node in walk(source.root):
        if node.type == "identifier" and _scope(source, node, references):
            found = _touched(node, 0)
            if found:
                yield "", *found
        if node.type not in _TOUCHES or _is_inside(node) or _root(source, node, elsewhere):
            continue
        found = _pointed(source, node)
        if found:
            yield "", *found


def _references(source: CxxSource) -> _ArrayScopes:
    """By name of a reference: where it is one."""
    found: dict[str, list[_ArrayScope]] = defaultdict(list)
    for node in walk(source.root):
        if node.type != "reference_declarator" or node.children[-1].type != "identifier":
            continue
        body = node
        while body.parent is not None and body.type != "function_definition":
            body = body.parent
        name = source.of(node.children[-1])
        found[name].append(_ArrayScope(node.end_byte, body.end_byte, "", 0))
    return found


def _elsewhere(source: CxxSource) -> Sequence[tuple[int, int, str]]:
    """Names of kernel parameters and of arrays in registers, with the bytes in which they are
    that."""
    found = []
    for node in walk(source.root):
        if node.type == "function_definition" and any(
            source.of(child) == "__global__" for child in node.children
        ):
            for child in walk(node.child_by_field_name("declarator")):
                if child.type == "identifier" and child.parent.type.endswith("declarator"):
                    found.append((node.start_byte, node.end_byte, source.of(child)))
        elif node.type == "declaration" and not is_shared(source, node):
            for declarator in node.children_by_field_name("declarator"):
                name, brackets = _declared(declarator)
                if name is not None and brackets:
                    found.append((*_block(node), source.of(name)))
    return found


def _root(source: CxxSource, node: Node, elsewhere: Sequence[tuple[int, int, str]]) -> bool:
    """Whether a place is behind a name that means no shared memory."""
    while node.type not in ("identifier", "call_expression") and node.named_children:
        node = node.named_children[0]
    name = source.of(node)
    return any(one[2] == name and one[0] <= node.start_byte < one[1] for one in elsewhere)


class _ArrayScope(Struct, frozen=True, order=True):
    """Bytes of a text in which a name is ``array``, or points into it; so many brackets lead to an
    element."""

    start: int
    stop: int
    array: str
    brackets: int


_ArrayScopes = Mapping[str, Sequence[_ArrayScope]]
_Touch = tuple[str, Node, frozenset[Direction]]


def _scopes(source: CxxSource) -> _ArrayScopes:
    """By name: of arrays, and of pointers that begin as the address of one."""
    found: dict[str, list[_ArrayScope]] = defaultdict(list)
    for node in walk(source.root):
        if node.type == "declaration" and is_shared(source, node):
            for declarator in node.children_by_field_name("declarator"):
                name, brackets = _declared(declarator)
                if name is not None:
                    array = source.of(name)
                    found[array].append(_ArrayScope(*_block(node), array, brackets))
        elif node.type == "init_declarator":
            declarator = node.child_by_field_name("declarator")
            array = _addressed(source, node.child_by_field_name("value"), found)
            if array and declarator.type == "pointer_declarator":
                name, _ = _declared(declarator)
                found[source.of(name)].append(_ArrayScope(*_block(node), array, 1))
    return found


def _declared(declarator: Node) -> tuple[Node | None, int]:
    """The name that a declarator declares, and its extents."""
    brackets = 0
    while declarator is not None and declarator.type != "identifier":
        brackets += declarator.type == "array_declarator"
        inner = [child for child in declarator.children if child.type.endswith("declarator")]
        names = [child for child in declarator.children if child.type == "identifier"]
        declarator = next(iter((*inner, *names)), None)
    return declarator, brackets


def _block(node: Node) -> tuple[int, int]:
    """From a declaration to the end of its block, or of the file."""
    start = node.start_byte
    while node.parent is not None:
        node = node.parent
        if node.type in ("compound_statement", "declaration_list"):
            break
    return start, node.end_byte


def _addressed(source: CxxSource, value: Node, scopes: _ArrayScopes) -> str:
    """The one array whose address a value is; empty for elements, or for several."""
    found = [
        (n, s) for n in walk(value) if n.type == "identifier" and (s := _scope(source, n, scopes))
    ]
    arrays = {scope.array for name, scope in found if _climbed(name, scope.brackets)[1]}
    return arrays.pop() if len(arrays) == 1 else ""


def _scope(source: CxxSource, name: Node, scopes: _ArrayScopes) -> _ArrayScope | None:
    """What an identifier means where it stands: what was declared last in the blocks around."""
    known = scopes.get(source.of(name), ())
    return max((one for one in known if one.start <= name.start_byte < one.stop), default=None)


def _touched(name: Node, brackets: int) -> tuple[Node, frozenset[Direction]] | None:
    """What is touched through a name, as large as it is one access; None for a declaration, and
    for an address that is only kept."""
    if name.parent.type.endswith("declarator") and name.parent.child_by_field_name("value") != name:
        return None
    node, is_address = _climbed(name, brackets)
    if not is_address:
        return node, _directions(node)
    return (node, _BOTH) if around(node) is not None and around(node).type in _OPERANDS else None


def _climbed(name: Node, brackets: int) -> tuple[Node, bool]:
    """The widest expression that is one place of memory, and whether it is only its address."""
    node, left = name, brackets
    while (parent := node.parent) is not None:
        kind = parent.type
        first = next(iter(parent.named_children), None) == node
        if kind in ("subscript_expression", "field_expression"):
            if not first:
                break
            left = max(0, left - 1) if kind[0] == "s" or left else left
        elif kind == "pointer_expression":
            left = max(0, left + (1 if parent.children[0].type == "&" else -1))
        elif kind in ("cast_expression", "binary_expression"):
            if not left or (kind[0] == "b" and not _adds(parent)):
                break
        elif not (kind == "parenthesized_expression" or _is_cast(parent)):
            break
        node = parent
    return node, left > 0


def _adds(binary: Node) -> bool:
    return any(child.type in ("+", "-") for child in binary.children)


def _is_cast(node: Node) -> bool:
    """``reinterpret_cast<T>(..)``, or the brackets of it."""
    call = node.parent if node.type == "argument_list" else node
    return call is not None and call.type == "call_expression" and _casts(call.children[0])


def _casts(function: Node) -> bool:
    text: bytes = function.text
    return function.type == "template_function" and b"_cast<" in text.replace(b" ", b"")


def _directions(node: Node) -> frozenset[Direction]:
    """Whether a place is read, written or both where it stands."""
    parent = node.parent
    if parent is None or parent.type not in ("assignment_expression", "update_expression"):
        return _BOTH if parent is not None and parent.type == "argument_list" else _READ
    if parent.type == "assignment_expression" and parent.children[0] == node:
        return _WRITE if parent.child_by_field_name("operator").type == "=" else _BOTH
    return _BOTH if parent.type == "update_expression" else _READ


def _pointed(source: CxxSource, node: Node) -> tuple[Node, frozenset[Direction]] | None:
    """A place behind a pointer of which nothing is known, or a call that may touch anything."""
    if node.type == "gnu_asm_expression":
        return node, _BOTH
    if node.type == "field_expression" and node.child_by_field_name("operator").type != "->":
        return None
    if node.type == "call_expression":
        named = _casts(node.children[0]) or _NO_ACCESS.fullmatch(source.of(node.children[0]))
        return None if named else (node, _BOTH)
    if node.type == "pointer_expression" and node.children[0].type == "&":
        return None
    return node, _directions(node)


def _is_inside(node: Node) -> bool:
    """Whether a place is part of a larger place, or an operand of assembly."""
    parent = around(node)
    if parent is not None and parent.type.startswith("gnu_asm"):
        return True
    if parent is None or parent.type not in ("subscript_expression", "field_expression"):
        return False
    argument = parent.named_children[0]
    return bool(argument.start_byte <= node.start_byte < argument.end_byte)
