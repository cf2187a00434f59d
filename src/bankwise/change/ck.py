"""Another descriptor in a function of a CK header, and the proof that it is the one planned.

The chain of descriptors that a ``return`` ends is replaced whole; constants that nobody else names
go with it. The descriptor is the one home of the layout: whoever stores or loads goes through it.
The proof reads the changed header again, with the same answers, and compares every element.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import prod

import numpy as np
from msgspec import Struct

from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.notation.ck.descriptor import TensorDescriptor, legality
from bankwise.notation.ck.encoding import Encoding
from bankwise.notation.ck.spelled import AxisNames, statements
from bankwise.notation.values import Memory, points, same_memory
from bankwise.read.ck.find import CkFunction
from bankwise.read.cxx.tree import CxxSource, Node, named, walk

_MAKES = "tensor_descriptor"
Planned = Mapping[str, tuple[Memory, TensorDescriptor]]


class HeaderEdit(Struct, frozen=True):
    """Bytes of a header that become another text."""

    start: int
    stop: int
    text: str


class _Chain(ByIdentity, frozen=True, eq=False):
    """The statements of a function that make what it returns. ``name``: of the last one."""

    name: str
    statements: tuple[Node, ...]
    ending: Node


def snippet(
    source: CxxSource, function: CkFunction, made: TensorDescriptor, names: AxisNames
) -> str:
    """The statements that make a descriptor, in the words of a function."""
    chain = _chain(source, function)
    name = chain.name if isinstance(chain, _Chain) else "lds_block_desc"
    return statements(made, name, names, "    ") + f"\n\n    return {name};"


def edits(
    source: CxxSource, function: CkFunction, made: TensorDescriptor, names: AxisNames
) -> tuple[HeaderEdit, ...] | Refusal:
    """What makes a function return another descriptor."""
    chain = _chain(source, function)
    if isinstance(chain, Refusal):
        return chain
    first = min((*chain.statements, chain.ending), key=lambda node: node.start_byte)
    indent = _indent(source, first)
    text = statements(made, chain.name, names, indent).removeprefix(indent)
    ending = HeaderEdit(chain.ending.start_byte, chain.ending.end_byte, f"return {chain.name};")
    if first is chain.ending:
        both = f"{text}\n\n{indent}{ending.text}"
        return (HeaderEdit(ending.start, ending.stop, both),)
    dropped = [node for node in chain.statements if node is not first]
    dropped += _left_over(source, function, (*chain.statements, chain.ending), text)
    put = HeaderEdit(first.start_byte, first.end_byte, text)
    return (put, *(_without(source, node) for node in dropped), ending)


def replaced(source: CxxSource, function: CkFunction) -> tuple[Node, ...]:
    """The statements that another descriptor would replace; none where it cannot."""
    chain = _chain(source, function)
    return (*chain.statements, chain.ending) if isinstance(chain, _Chain) else ()


def applied(text: str, changes: Sequence[HeaderEdit]) -> str:
    """The text with all edits; blank lines that meet become one."""
    data = text.encode()
    for one in sorted(changes, key=lambda one: -one.start):
        data = data[: one.start] + one.text.encode() + data[one.stop :]
    return data.decode()


def proved(
    before: Sequence[CkFunction], after: Sequence[CkFunction], planned: Planned
) -> str | Refusal:
    """Both readings of a header side by side; ``planned``: by the function's place the
    layout, as the solver says it, and its descriptor.

    Every planned function gives the planned layout on every element, one place for each within
    what it takes; every other function gives what it gave.
    """
    if [one.name for one in before] != [one.name for one in after]:
        return Refusal("the changed header declares other functions")
    elements = 0
    for old, new in zip(before, after, strict=True):
        wanted = planned.get(str(old.location))
        if wanted is None:
            if type(old.value) is not type(new.value) or _differs(old, new):
                return Refusal(f"{old.name} gives something else", new.location)
            continue
        found, (memory, written) = new.value, wanted
        if not isinstance(found, TensorDescriptor) or found != written:
            return Refusal(f"{new.name} gives another descriptor than was planned", new.location)
        faults = legality(found)
        if faults:
            return Refusal(f"{new.name}: {faults[0]}", new.location)
        if not same_memory(found, memory):
            return Refusal(f"{new.name} gives another layout than was planned", new.location)
        if not _kept(found):
            reason = f"{new.name} promises vectors that do not lie side by side"
            return Refusal(reason, new.location)
        elements += prod(found.shape)
    many = f"{len(planned)} descriptor{'s' * (len(planned) > 1)}"
    return (
        f"read again with the same answers: {elements:,} elements of {many} "
        "lie where they were planned, each at a place of its own; every other descriptor and "
        "distribution is what it was. Stores and loads go through the descriptor and follow"
    )


def _kept(made: TensorDescriptor) -> bool:
    """Whether vectors lie as the descriptor promises: CK issues them unseen."""
    offsets = made.offsets(points(made.shape)).reshape(made.shape)
    for axis, (length, stride) in enumerate(made.guarantees()):
        if length > 1:
            along = np.moveaxis(offsets, axis, -1)
            if along.shape[-1] % length:
                return False
            groups = along.reshape(-1, length)
            if (np.diff(groups, axis=-1) != stride).any() or (groups[:, 0] % length).any():
                return False
    return True


def _differs(old: CkFunction, new: CkFunction) -> bool:
    values = old.value, new.value
    if all(isinstance(v, TensorDescriptor | Encoding) for v in values):
        return bool(values[0] != values[1])
    return False


def _chain(source: CxxSource, function: CkFunction) -> _Chain | Refusal:
    """The descriptors that the ``return`` of a function is made of."""
    if function.returned is None:
        return Refusal(f"{function.name} has no return", function.location)
    ending = function.returned[0]
    inside = named(ending)[0]
    wanted = set(_words(source, inside))
    chain: list[Node] = []
    declared = [n for n in named(ending.parent) if n.type == "declaration"]
    for node in reversed([n for n in declared if n.end_byte <= ending.start_byte]):
        name = _declared(source, node)
        if name in wanted and _MAKES in source.of(node):
            chain.append(node)
            wanted |= set(_words(source, node))
    own = {_declared(source, node) for node in chain}
    spans = [(node.start_byte, node.end_byte) for node in (*chain, ending)]
    for word in walk(ending.parent):
        if word.type == "identifier" and source.of(word) in own and not _within(word, spans):
            name = source.of(word)
            reason = f"{name} is used beside what {function.name} returns"
            return Refusal(reason, source.place(word.start_byte))
    name = source.of(inside) if source.of(inside) in own else "lds_block_desc"
    return _Chain(name, tuple(reversed(chain)), ending)


def _within(node: Node, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= node.start_byte < stop for start, stop in spans)


def _words(source: CxxSource, node: Node) -> Iterator[str]:
    return (source.of(one) for one in walk(node) if one.type == "identifier")


def _declared(source: CxxSource, node: Node) -> str:
    """The one variable or type that a statement declares; empty for several."""
    if node.type == "alias_declaration":
        return source.of(node.child_by_field_name("name"))
    declarators = node.children_by_field_name("declarator")
    if len(declarators) != 1 or declarators[0].type != "init_declarator":
        return ""
    return source.of(declarators[0].child_by_field_name("declarator"))


def _left_over(
    source: CxxSource, function: CkFunction, replaced: Sequence[Node], text: str
) -> list[Node]:
    """Constants that only what is replaced has named."""
    spans = [(node.start_byte, node.end_byte) for node in replaced]
    found: list[Node] = []
    kept = set(re.findall(r"[A-Za-z_]\w*", text))
    while True:
        more = [
            node
            for node in walk(function.node)
            if node.type in ("declaration", "alias_declaration")
            and not _within(node, spans)
            and _unused(source, function, node, spans, kept)
        ]
        if not more:
            return found
        found += more
        spans += [(node.start_byte, node.end_byte) for node in more]


def _unused(
    source: CxxSource,
    function: CkFunction,
    node: Node,
    spans: Sequence[tuple[int, int]],
    kept: set[str],
) -> bool:
    name = _declared(source, node)
    if not name or name in kept:
        return False
    uses = [w for w in walk(function.node) if "identifier" in w.type and source.of(w) == name]
    outside = [w for w in uses if not _within(w, [*spans, (node.start_byte, node.end_byte)])]
    return len(uses) > 1 and not outside


def _indent(source: CxxSource, node: Node) -> str:
    line = source.data.rfind(b"\n", 0, node.start_byte) + 1
    before = source.data[line : node.start_byte].decode()
    return before if not before.strip() else ""


def _without(source: CxxSource, node: Node) -> HeaderEdit:
    """A statement off, with its line where it has one, and a blank line behind it."""
    data = source.data
    line = data.rfind(b"\n", 0, node.start_byte) + 1
    end = data.find(b"\n", node.end_byte)
    stop = len(data) if end < 0 else end + 1
    alone = not data[line : node.start_byte].strip() and not data[node.end_byte : stop].strip()
    if not alone:
        return HeaderEdit(node.start_byte, node.end_byte, "")
    before = data[:line].rstrip(b" ").endswith(b"\n\n") or data[:line].rstrip().endswith(b"{")
    after = data.find(b"\n", stop)
    if before and after >= 0 and not data[stop : after + 1].strip():
        stop = after + 1
    return HeaderEdit(line, stop, "")
