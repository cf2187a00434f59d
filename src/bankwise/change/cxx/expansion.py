"""Calls of macros that are given shared arrays, or name them, written out in their places.

    #define AT(tile, y, x) tile[(y) * 32 + (x)]
    AT(Bs, k, tx)  ->  Bs[k * 32 + tx]  ->  Bs[k * 32 + (tx ^ (k & 31))]

Such a macro serves arrays of several layouts, and memory that is not shared, so its own text stays.
What no edit has changed becomes the call again (:func:`without_expansions`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from bankwise.change.cxx.spelling import CxxEdit
from bankwise.errors import Location
from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.elements import SAME
from bankwise.read.cxx.macro_calls import macros_called
from bankwise.read.cxx.macro_expansion import expansion_of
from bankwise.read.cxx.tree import ByteSpan, CxxSource, Node, called, every, parse, span

_DEEPEST = 4
"""Macros within macros that are written out."""
_MOST = 1_000
"""Calls that are written out."""


class ExpandedCall(Struct, frozen=True):
    """A call of a macro that stands written out, or another expression that is written as one of
    the same value. ``span``: where, in the text with all of them; ``call``: as its author wrote it;
    ``macros``: what it is, and what that was; none of another expression."""

    span: ByteSpan
    call: str
    macros: frozenset[str]


_Wanted = tuple[ByteSpan, str]
"""A call, and what it stands for."""


def with_expansions(source: CxxSource) -> tuple[CxxSource, tuple[ExpandedCall, ...]]:
    """A source with calls of macros written out, where arrays cannot be changed behind them; as it
    is where no array can be changed then that could not before."""
    now, found = source, tuple[ExpandedCall, ...]()
    for _ in range(_DEEPEST):
        wanted = _wanted(now)
        if not wanted or len(wanted) + len(found) > _MOST:
            break
        now, found = written_out(now, found, wanted)
    gained = found and _refused(now) < _refused(source)
    return (now, found) if gained else (source, ())


def _refused(source: CxxSource) -> int:
    """How many arrays of a text are not changed."""
    return sum(bool(one.refusals) for one in shared_arrays(source))


def _wanted(source: CxxSource) -> list[_Wanted]:
    """Calls because of which arrays are refused, each with what it stands for, in order; of calls
    within calls the inner ones."""
    calls = {span(one): one for one in _refusing(source)}
    texts = {at: expansion_of(source, one) for at, one in sorted(calls.items())}
    found = [(at, text) for at, text in texts.items() if text is not None]
    return [
        (at, text) for at, text in found if not any(at.holds(one) for one, _ in found if one != at)
    ]


def _refusing(source: CxxSource) -> Iterator[Node]:
    """The calls of macros that refusals are about: at the call, or in the macro's text."""
    for refusal in (one for array in shared_arrays(source) for one in array.refusals):
        if refusal.location is None:
            continue
        at = source.byte(refusal.location)
        node = source.root.named_descendant_for_byte_range(at, at + 1)
        while node is not None:
            if node.type == "preproc_function_def":
                word = source.of(node.child_by_field_name("name"))
                calls = every(source, "call_expression")
                yield from (one for one in calls if called(source, one) == word)
                break
            if node.type == "call_expression" and not SAME.fullmatch(called(source, node)):
                if macros_called(source, node.child_by_field_name("arguments")):
                    yield node
                break
            node = node.parent


def written_out(
    source: CxxSource, found: Sequence[ExpandedCall], wanted: Sequence[tuple[ByteSpan, str]]
) -> tuple[CxxSource, tuple[ExpandedCall, ...]]:
    """The text with more expressions written as others, in order of the text, and all that are."""
    parts, at = [], 0
    for call, text in wanted:
        parts += [source.data[at : call.start], text.encode()]
        at = call.stop
    after = b"".join((*parts, source.data[at:])).decode()
    kept = [one for one in found if not any(call.holds(one.span) for call, _ in wanted)]
    new = [
        ExpandedCall(call, _as_written(source, call, inner), _names(source, call, inner))
        for call, _ in wanted
        if not any(one.span.holds(call) for one in kept)
        for inner in [[one for one in found if call.holds(one.span)]]
    ]
    placed = sorted((_moved(source, one, wanted) for one in (*kept, *new)), key=_begin)
    return parse(after, source.file, _lines(source, wanted), source.beside), tuple(placed)


def _begin(one: ExpandedCall) -> int:
    return one.span.start


def _lines(source: CxxSource, wanted: Sequence[_Wanted]) -> tuple[Location, ...]:
    """Where the lines stand of a text in which calls of several lines are written in others."""
    places = tuple(map(source.line, range(1, source.data.count(b"\n") + 2)))
    other = bool(source.lines)
    for call, text in reversed(wanted):
        line, new = source.data.count(b"\n", 0, call.start), text.count("\n")
        old = source.of(call).count("\n")
        places = (*places[:line], *places[line : line + 1] * (1 + new), *places[line + 1 + old :])
        other |= old != new
    return places if other else ()


def _moved(source: CxxSource, one: ExpandedCall, wanted: Sequence[_Wanted]) -> ExpandedCall:
    """A call where it stands in the text with others written out, itself or some inside of it."""
    longer = [(at.stop, len(text.encode()) - (at.stop - at.start)) for at, text in wanted]
    start = one.span.start + sum(more for stop, more in longer if stop <= one.span.start)
    stop = one.span.stop + sum(more for stop, more in longer if stop <= one.span.stop)
    inner = (at for at, _ in wanted if one.span.holds(at))
    names = one.macros.union(*(_names(source, at, ()) for at in inner))
    return ExpandedCall(ByteSpan(start, stop), one.call, names)


def _names(source: CxxSource, call: ByteSpan, inner: Sequence[ExpandedCall]) -> frozenset[str]:
    """The macro of a call, none of another expression, and those of what was written out in it."""
    word = source.of(call).partition("(")[0].strip()
    own = {word} if word.isidentifier() else ()
    return frozenset(own).union(*(one.macros for one in inner))


def _as_written(source: CxxSource, call: ByteSpan, inner: Sequence[ExpandedCall]) -> str:
    """A call as its author wrote it, of which some was written out."""
    parts, at = [], call.start
    for one in inner:
        parts += [source.data[at : one.span.start].decode(), one.call]
        at = one.span.stop
    return "".join((*parts, source.data[at : call.stop].decode()))


def without_expansions(
    source: CxxSource, found: Sequence[ExpandedCall], edits: Sequence[CxxEdit]
) -> tuple[CxxEdit, ...]:
    """The edits that make calls of what others do not change. The macros of these have to be as
    they were: one whose own text changes stays written out wherever it is."""
    changed = {
        source.of(one.child_by_field_name("name"))
        for one in every(source, "preproc_function_def")
        if any(_meets(edit.span, span(one)) for edit in edits)
    }
    return tuple(
        CxxEdit(one.span, one.call)
        for one in found
        if not one.macros & changed and not any(_meets(edit.span, one.span) for edit in edits)
    )


def _meets(one: ByteSpan, other: ByteSpan) -> bool:
    return one.start < other.stop and other.start < one.stop
