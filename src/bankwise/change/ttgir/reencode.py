"""Other encodings for shared buffers, in the author's own TTGIR text.

An encoding is part of the type of every value that is the buffer or a view of it, and MLIR writes
the types of all operands on each line. So values are followed through views, loops and branches,
and on the lines where they stand their types get the name of the new encoding. Where an alias has
no use left, its definition is edited in place and nothing else: the shortest patch.

The text is not trusted: a type that was missed is one that does not fit, and Triton refuses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from bankwise.change.ttgir.views import reshaped, transposed
from bankwise.errors import Refusal
from bankwise.notation.triton import Shared
from bankwise.read.ttgir.follow import carried
from bankwise.read.ttgir.text import operations, split_top
from bankwise.read.ttgir.types import split_arrow
from bankwise.read.ttgir.values import Op
from bankwise.read.ttgir.views import VIEWS, transposition

_MEMORY = re.compile(r"(?:!ttg\.memdesc|(?<![\w.]))<(?=(?:\d+x)+\w)")
"""A type of shared memory, up to its bracket; behind the arrow of a copy without its name."""

_ALIAS = re.compile(r"^\s*#(\w+)\s*=\s*#tt", re.MULTILINE)
_SAME = ("ttg.memdesc_index", "ttg.memdesc_subslice", "ttg.memdesc_subview")
_MADE = ("ttg.local_alloc", "arith.select")
_PASSES_ON = ("ttng.warp_group_dot_wait",)


class _MemoryValue(Struct, frozen=True):
    """One value that is shared memory: what stands in the brackets of its type, and the encoding
    that it gets; None where it keeps its own."""

    type: str
    encoding: Shared | None


Scope = dict[str, _MemoryValue]


class _EncodingEdit(Struct, eq=False):
    """A text while it is edited. ``aliases``: the name of each new encoding; ``replaced``: names
    that the old ones had."""

    lines: list[str]
    aliases: dict[str, str] = field(default_factory=dict)
    replaced: dict[str, str] = field(default_factory=dict)
    refusal: Refusal | None = None

    def name(self, encoding: Shared, old: str) -> str:
        """The alias of a new encoding, with its #."""
        text = str(encoding)
        if text not in self.aliases:
            taken = set(_ALIAS.findall("\n".join(self.lines))) | set(self.aliases.values())
            number = 0
            while f"better{number or ''}" in taken:
                number += 1
            self.aliases[text] = f"better{number or ''}"
            self.replaced[self.aliases[text]] = old
        return f"#{self.aliases[text]}"


def reencoded(text: str, file: str, wanted: Mapping[int, Shared]) -> str | Refusal:
    """The text with other encodings for the buffers of some lines (from 1).

    A Refusal where a value cannot be followed. Whether Triton accepts it is for Triton to say.
    """
    edit = _EncodingEdit(text.split("\n"))
    for op in operations(text, file):
        _walk([op], {}, wanted, edit)
    if edit.refusal is not None:
        return edit.refusal
    return _settled(edit)


def _walk(
    ops: Iterable[Op], scope: Scope, wanted: Mapping[int, Shared], edit: _EncodingEdit
) -> Scope:
    """Follow a block; what its last operation gives, by number."""
    given: Scope = {}
    for op in ops:
        inner = _entered(op, scope)
        yielded = [_walk(region, dict(inner), wanted, edit) for region in op.regions]
        for name, value in _results(op, scope, yielded, wanted, edit):
            scope[name] = value
        _written(op, scope, edit)
        given = {str(n): scope[v] for n, v in enumerate(op.operands) if v in scope}
    return given


def _entered(op: Op, scope: Scope) -> Scope:
    """What is known inside the regions of an operation."""
    inner = dict(scope)
    if op.name == "scf.for":
        inner |= {name: scope[start] for name, start in carried(op) if start in scope}
    return inner


def _results(
    op: Op,
    scope: Scope,
    yielded: Sequence[Scope],
    wanted: Mapping[int, Shared],
    edit: _EncodingEdit,
) -> Iterable[tuple[str, _MemoryValue]]:
    """The values of shared memory that an operation gives."""
    if op.name == "scf.for":
        starts = [start for _, start in carried(op)]
        pairs = zip(op.results, starts, strict=False)
        return [(name, scope[start]) for name, start in pairs if start in scope]
    if op.name == "scf.if" and yielded:
        values = enumerate(op.results)
        return [(name, yielded[0][str(n)]) for n, name in values if str(n) in yielded[0]]
    if op.name in _PASSES_ON:
        pairs = zip(op.results, op.operands, strict=False)
        return [(name, scope[start]) for name, start in pairs if start in scope]
    types = split_arrow(op.types)[1] or split_arrow(op.types)[0]
    head = _MEMORY.match(types[-1]) if types else None
    if head is None or len(op.results) != 1 or op.name not in (*_MADE, *VIEWS):
        return []
    inside = types[-1][head.end() : -1]
    if op.name == "ttg.local_alloc":
        return [(op.results[0], _MemoryValue(inside, wanted.get(op.line)))]
    return [(op.results[0], _viewed(op, inside, scope, edit))]


def _viewed(op: Op, type_text: str, scope: Scope, edit: _EncodingEdit) -> _MemoryValue:
    """A view of a value, or one of several that are alike."""
    sources = [scope[name] for name in op.operands if name in scope]
    source = sources[0] if sources else None
    if source is None or source.encoding is None:
        return _MemoryValue(type_text, None)
    found: Shared | Refusal = Refusal(f"{op.name} of a buffer that would get another encoding")
    if op.name in _SAME or op.name == "arith.select":
        found = source.encoding
    elif op.name == "ttg.memdesc_trans":
        found = transposed(source.encoding, transposition(op))
    elif op.name == "ttg.memdesc_reshape":
        found = reshaped(source.encoding, _shape(source.type), _shape(type_text))
    if isinstance(found, Refusal):
        edit.refusal = edit.refusal or found
        return _MemoryValue(type_text, None)
    return _MemoryValue(type_text, found)


def _shape(type_text: str) -> tuple[int, ...]:
    listed = re.match(r"(?:\d+x)*", type_text)
    return tuple(int(n) for n in listed[0].split("x") if n) if listed else ()


def _written(op: Op, scope: Scope, edit: _EncodingEdit) -> None:
    """The line of an operation with the types of its values as they are now."""
    names = op.results if op.regions else (*op.operands, *op.results)
    values = [scope[name] for name in names if name in scope]
    if not any(value.encoding for value in values):
        return
    line = edit.lines[op.line - 1]
    places = list(_types(line))
    for text in dict.fromkeys(value.type for value in values):
        alike = [value for value in values if value.type == text]
        where = [place for place in places if line[slice(*place)] == text]
        if len({value.encoding for value in alike}) == 1:
            alike = alike[:1] * len(where)
        if len(alike) != len(where):
            reason = f"line {op.line}: which of its types is whose is not known"
            edit.refusal = edit.refusal or Refusal(reason)
            return
        chosen = dict(zip(where, alike, strict=True))
        line, places = _replaced(line, places, chosen, edit)
    edit.lines[op.line - 1] = line


Place = tuple[int, int]


def _replaced(
    line: str, places: Sequence[Place], chosen: Mapping[Place, _MemoryValue], edit: _EncodingEdit
) -> tuple[str, list[Place]]:
    """A line with some of its types replaced, and where all of them stand then."""
    for place in reversed(places):
        value = chosen.get(place)
        if value is not None and value.encoding is not None:
            start, end = place
            line = line[:start] + _retyped(line[start:end], value.encoding, edit) + line[end:]
    return line, list(_types(line))


def _types(line: str) -> Iterator[Place]:
    """Where types of shared memory stand in a line, without their brackets."""
    for head in _MEMORY.finditer(line):
        yield head.end(), head.end() + _closing(line[head.end() :])


def _closing(text: str) -> int:
    """The bracket that closes one in front of the text."""
    depth = 1
    for at, char in enumerate(text):
        depth += (char == "<") - (char == ">")
        if depth == 0:
            return at
    return len(text)


def _retyped(type_text: str, encoding: Shared, edit: _EncodingEdit) -> str:
    elements, old, *rest = split_top(type_text, ",")
    return ", ".join((elements, edit.name(encoding, old), *rest))


def _settled(edit: _EncodingEdit) -> str:
    """The text with its new aliases: in the place of old ones that nothing uses any more."""
    kept, added = list(edit.lines), []
    for text, name in edit.aliases.items():
        old = edit.replaced[name]
        definition = re.compile(rf"^\s*{re.escape(old)}\s*=\s*#tt")
        where = [n for n, line in enumerate(kept) if definition.match(line)]
        uses = re.compile(rf"{re.escape(old)}\b")
        free = old.startswith("#") and len(where) == 1
        if free and not any(uses.search(x) for n, x in enumerate(kept) if n != where[0]):
            kept = [re.sub(rf"#{name}\b", old, line) for line in kept]
            kept[where[0]] = f"{old} = {text}"
        else:
            added.append(f"#{name} = {text}")
    last = max((n for n, line in enumerate(kept) if _ALIAS.match(line)), default=-1)
    return "\n".join((*kept[: last + 1], *added, *kept[last + 1 :]))
