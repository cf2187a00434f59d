"""Functions of the author's headers, copied into the source for one kernel alone.

    tile.cuh    template <int N> __device__ void load(const float* a, float (*tile)[N]) {..}
    kernel.cu   load(a, tile);

What ``load`` does to an array of this source is written into a copy, ``load_for_gemm``: whoever
else calls ``load`` has arrays with the layout that they had, and a header that others include stays
as it is. A copy that no edit has changed is taken back again (:func:`without_copies`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bankwise.change.cxx.expansion import ExpandedCall, without_expansions
from bankwise.change.cxx.spelling import CxxEdit, edited
from bankwise.errors import Location, Refusal
from bankwise.identity import ByIdentity
from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.elements import SAME
from bankwise.read.cxx.functions import definitions
from bankwise.read.cxx.headers import HeaderFunction, OwnHeaders
from bankwise.read.cxx.tree import (
    ByteSpan,
    CxxSource,
    Node,
    called,
    parse,
    span,
    walk,
    words,
)

_DEEPEST = 4
"""Functions of headers within such functions that are copied."""


class FunctionCopy(Struct, frozen=True):
    """A copy of a function. ``header``: where that stands; ``caller``: for whom it was made;
    ``called_at``: the first line that calls it."""

    name: str
    function: str
    header: str
    caller: str
    called_at: Location


class CopiedText(ByIdentity, frozen=True, eq=False):
    """A source with copies, which knows where its lines stand. ``left``: why other functions of
    headers have none, in words; ``expanded``: calls of macros that stand written out."""

    source: CxxSource
    copies: tuple[FunctionCopy, ...]
    left: tuple[str, ...] = ()
    expanded: tuple[ExpandedCall, ...] = ()


class _WantedCopy(Struct, frozen=True):
    """A function of a header that is to be copied for a function of the text."""

    function: HeaderFunction
    caller: Node
    copy: FunctionCopy


def with_copies(source: CxxSource, headers: OwnHeaders) -> CopiedText:
    """A source with a copy of each function of a header that is given one of its shared arrays."""
    places = tuple(map(source.line, range(1, source.data.count(b"\n") + 2)))
    now = CopiedText(parse(source.text, source.file, beside=source.beside), ())
    for _ in range(_DEEPEST):
        found = list(_wanted(now, places, headers))
        left = tuple(dict.fromkeys(one for one in found if isinstance(one, str)))
        now = replace(now, left=left)
        made = _once(now, places, [one for one in found if not isinstance(one, str)])
        if made is None:
            break
        now, places = made
    copies = tuple(sorted(now.copies, key=lambda one: one.name))
    return CopiedText(parse(now.source.text, source.file, places, source.beside), copies, now.left)


def _once(
    now: CopiedText, places: tuple[Location, ...], found: Sequence[_WantedCopy]
) -> tuple[CopiedText, tuple[Location, ...]] | None:
    """With copies of what the functions of a text call; None where there is nothing to be copied,
    or no place for it."""
    source, old = now.source, {one.name: one for one in now.copies}
    wanted = sorted(found, key=lambda one: one.function.order)
    edits: list[CxxEdit] = []
    added: list[tuple[int, tuple[Location, ...]]] = []
    for one in wanted:
        for call in _calls(source, one.caller, one.function.name):
            edits.append(CxxEdit(span(_name(call)), one.copy.name))
        if one.copy.name not in old:
            at = _top(source, one.caller)
            copy, lines = _text(one)
            edits.append(CxxEdit(ByteSpan(at, at), copy))
            added.append((source.data.count(b"\n", 0, at), lines))
            old[one.copy.name] = one.copy
    text = _edited(source, edits)
    if not wanted or text is None:
        return None
    added.sort(key=lambda one: one[0])
    for line, lines in reversed(added):  # of two at one line the second is put there first
        places = (*places[:line], *lines, *places[line:])
    made = parse(text, source.file, beside=source.beside)
    return CopiedText(made, tuple(old.values()), now.left), places


def _edited(source: CxxSource, edits: Sequence[CxxEdit]) -> str | None:
    """The text with the edits; copies at one place stand in their order."""
    at_once: dict[ByteSpan, str] = {}
    for edit in edits:
        before = at_once.get(edit.span, "") if edit.span.start == edit.span.stop else ""
        at_once[edit.span] = before + edit.text
    text = edited(source, tuple(CxxEdit(*one) for one in at_once.items()))
    return None if isinstance(text, Refusal) else text


def _wanted(
    now: CopiedText, places: Sequence[Location], headers: OwnHeaders
) -> Iterator[_WantedCopy | str]:
    """What of headers is given a shared array, once for each function that calls it; or why that
    is not copied."""
    source, seen = now.source, set[tuple[str, int]]()
    for refusal in (one for array in shared_arrays(source) for one in array.refusals):
        call = None if refusal.location is None else _handed(source, refusal.location)
        caller = None if call is None else _function(call)
        if call is None or caller is None or (called(source, call), caller.start_byte) in seen:
            continue
        name = called(source, call)
        seen.add((name, caller.start_byte))
        function = "" if definitions(source, name) else headers.function(name)
        own = _called(source, caller)
        if isinstance(function, str):
            yield from ([f"{name} of a header is not copied: {function}"] if function else [])
            continue
        if not re.fullmatch(r"\w+", own) or _macro(source, name):
            continue
        line = places[source.data.count(b"\n", 0, call.start_byte)]
        root = next((one for one in now.copies if one.name == own), None)
        own, line = (own, line) if root is None else (root.caller, root.called_at)
        new = _new_name(source, headers, now.copies, name, own)
        yield _WantedCopy(
            function, caller, FunctionCopy(new, name, function.header.file, own, line)
        )


def _handed(source: CxxSource, place: Location) -> Node:
    """The call that is given what stands at a place; None for none."""
    at = source.byte(place)
    node = source.root.named_descendant_for_byte_range(at, at + 1)
    while node is not None:
        if node.type == "call_expression":
            given = node.child_by_field_name("arguments")
            inside = given is not None and given.start_byte <= at < given.end_byte
            if inside and not SAME.fullmatch(called(source, node)):
                return node
        node = node.parent
    return None


def _function(node: Node) -> Node:
    while node is not None and node.type != "function_definition":
        node = node.parent
    return node


def _called(source: CxxSource, function: Node) -> str:
    """The name of a function as it is defined."""
    inner = (node for node in walk(function) if node.type == "function_declarator")
    found = next(inner, None)
    return "" if found is None else source.of(found.child_by_field_name("declarator"))


def _macro(source: CxxSource, name: str) -> bool:
    """Whether a text defines a macro of this name."""
    return any(
        node.type in ("preproc_def", "preproc_function_def")
        and source.of(node.child_by_field_name("name")) == name
        for node in walk(source.root)
    )


def _new_name(
    source: CxxSource,
    headers: OwnHeaders,
    copies: Iterable[FunctionCopy],
    function: str,
    caller: str,
) -> str:
    """What the copy of a function is called: the name that it has, or one that nothing else has."""
    for one in copies:
        if (one.function, one.caller) == (function, caller):
            return one.name
    name, number = f"{function}_for_{caller}", 2
    while any(words(source, name)) or any(name in text for text in headers.texts.values()):
        name, number = f"{function}_for_{caller}_{number}", number + 1
    return name


def _calls(source: CxxSource, caller: Node, name: str) -> Iterator[Node]:
    for node in walk(caller):
        if node.type == "call_expression" and called(source, node) == name:
            yield node


def _name(call: Node) -> Node:
    """The name of what is called, without what it is qualified or instantiated with."""
    node = call.child_by_field_name("function")
    while node.child_by_field_name("name") is not None:
        node = node.child_by_field_name("name")
    return node


def _top(source: CxxSource, function: Node) -> int:
    """Where at file scope something can stand before a function, and before what is said of it."""
    top, node = function, function
    while node.parent is not None:
        node = node.parent
        if node.type in ("template_declaration", "namespace_definition", "linkage_specification"):
            top = node
    above = top.prev_sibling
    while above is not None and above.type == "comment":
        if source.data.count(b"\n", above.end_byte, top.start_byte) > 1:
            break
        top, above = above, above.prev_sibling
    return int(source.data.rfind(b"\n", 0, top.start_byte) + 1)


def _text(one: _WantedCopy) -> tuple[str, tuple[Location, ...]]:
    """The text of a copy, and where each of its lines stands."""
    function, copy = one.function, one.copy
    header, whole = function.header, function.whole
    parts, at = [], whole.start_byte
    for node in walk(whole):
        if node.type == "identifier" and header.of(node) == function.name:
            parts += [header.data[at : node.start_byte].decode(), copy.name]
            at = node.end_byte
    body = "".join((*parts, header.data[at : whole.end_byte].decode()))
    opened = [f"namespace {name} {{" if name else "namespace {" for name in function.namespaces]
    said = f"// {_above(copy)}{copy.caller} alone."
    lines = [said, *opened, *body.split("\n"), *("}" for _ in opened), ""]
    first = header.place(whole.start_byte).line
    count, stop = 1 + len(opened), first + body.count("\n")
    places = [first] * count + list(range(first, stop + 1)) + [stop] * (len(opened) + 1)
    return "\n".join(lines) + "\n", tuple(Location(header.file, n) for n in places)


def _above(copy: FunctionCopy) -> str:
    return f"{copy.function} of {Path(copy.header).name}, for "


def without_copies(text: CopiedText, edits: Sequence[CxxEdit]) -> tuple[CxxEdit, ...]:
    """The edits that take back those copies and written calls which others do not change, and that
    call none which they do."""
    spans = {one.name: _whole(text.source, one) for one in text.copies}
    kept = {n for n, at in spans.items() if any(at.holds(edit.span) for edit in edits)}
    while more := {n for n in spans.keys() - kept if _mentions(text.source, spans[n], kept)}:
        kept |= more
    back: list[CxxEdit] = []
    left = [one for one in text.copies if one.name not in kept]
    for one in left:
        back.append(CxxEdit(spans[one.name], ""))
        for at in words(text.source, one.name):
            name = ByteSpan(at, at + len(one.name.encode()))
            if not any(spans[other.name].holds(name) for other in left):
                back.append(CxxEdit(name, one.function))
    gone = [spans[one.name] for one in left]
    calls = without_expansions(text.source, text.expanded, edits)
    return (*back, *(one for one in calls if not any(at.holds(one.span) for at in gone)))


def changed_copies(text: CopiedText, back: Sequence[CxxEdit]) -> tuple[FunctionCopy, ...]:
    """The copies that are not taken back."""
    gone = {edit.span for edit in back}
    return tuple(one for one in text.copies if _whole(text.source, one) not in gone)


def _mentions(source: CxxSource, inside: ByteSpan, names: Iterable[str]) -> bool:
    return any(inside.start <= at < inside.stop for name in names for at in words(source, name))


def _whole(source: CxxSource, copy: FunctionCopy) -> ByteSpan:
    """All lines of a copy, with what stands above and below it."""
    (node,) = definitions(source, copy.name)
    while node.parent is not None and node.parent.type in (
        "template_declaration",
        "namespace_definition",
        "declaration_list",
    ):
        node = node.parent
    start = source.data.rfind(f"// {_above(copy)}".encode(), 0, node.start_byte)
    stop = source.data.find(b"\n", node.end_byte) + 1
    return ByteSpan(start, source.data.find(b"\n", stop) + 1)
