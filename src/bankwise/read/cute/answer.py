"""The text that replaces a layout: another swizzle where theirs stands, or one around theirs.

    Swizzle<2,3,3>{}                          Swizzle<3,3,3>{}
    Layout<Shape<_64,_64>, Stride<_64,_1>>{}  composition(Swizzle<3,3,3>{}, Layout<..>{})
    GMMA::Layout_K_SW32_Atom<T>{}             GMMA::Layout_K_SW128_Atom<T>{}

Every answer is one term of the author's text in other words, with its value: what is counted is the
whole text evaluated with that value, and what is written is read back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bankwise.identity import ByIdentity
from bankwise.notation.cute import hopper
from bankwise.notation.cute.swizzle import ComposedLayout, Swizzle
from bankwise.read.cute.evaluate import CuteEvaluation, Value
from bankwise.read.cute.sites import CopySite, layout_of
from bankwise.read.cute.terms import CuteTerm, CuteText, Scope

_GMMA = re.compile(
    r"(?P<front>(?:\w+::)*Layout_(?P<major>K|MN)_)(?P<mode>INTER|SW\d+)(?P<back>_Atom)"
)
_MODES = {"INTER": "none", "SW32": "32B", "SW64": "64B", "SW128": "128B"}
_MAKERS = frozenset(("make_layout", "Layout", "tile_to_shape", "make_ordered_layout"))
_BEHIND = frozenset(("composition", "coalesce", "get_nonswizzle_portion", "make_tensor"))
_MOST_BITS, _MOST_STEPS = 5, 30


class AnswerPlace(ByIdentity, frozen=True, eq=False):
    """A term that an answer replaces. ``kind``: a swizzle, an atom of the units, or a layout."""

    term: CuteTerm
    scope: Scope
    kind: str

    @property
    def key(self) -> tuple[int, int]:
        """Its bytes."""
        return self.term.span.start, self.term.span.stop


class CuteAnswer(ByIdentity, frozen=True, eq=False):
    """``text`` in place of the term, which is worth ``value`` then; ``far``: how much of it is
    new, of answers that are as good the least is written."""

    text: str
    value: Value
    far: tuple[int, ...]


def place_of(ev: CuteEvaluation, site: CopySite) -> AnswerPlace | None:
    """The term that says how the bytes of a site are swizzled; the layout itself where none does.

    None where nothing in the text does: the layout is a parameter that the user gave.
    """
    inside = CuteEvaluation(ev.text, ev.given, ev.forms)
    layout_of(inside, site)
    every = [(scope, term) for scope, term in _terms(ev.text) if _key(term) in inside.used]
    for kind, heads in (("unit", _GMMA), ("swizzle", re.compile("Swizzle|make_swizzle"))):
        found = [
            (s, t) for s, t in every if heads.fullmatch(t.head) and t.types + (t.arguments or ())
        ]
        if found:
            return AnswerPlace(found[-1][1], found[-1][0], kind)
    return _made(inside, site.term, site.scope)


def _made(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> AnswerPlace | None:
    """Where a layout without a swizzle is made: behind names, and inside of compositions."""
    for _ in range(_MOST_STEPS):
        if term.head in _MAKERS and (term.types or term.arguments):
            return AnswerPlace(term, scope, "layout")
        known = None if term.types else ev.definition(term.head, scope)
        if term.head in _BEHIND and term.arguments:
            term = term.arguments[0]
        elif known is not None:
            term, scope = ev.said(*known)
        else:
            return None
    return None


def _key(term: CuteTerm) -> tuple[int, int]:
    return term.span.start, term.span.stop


def _terms(text: CuteText) -> Iterator[tuple[Scope, CuteTerm]]:
    """Every term of the definitions and calls, each once, with its scope."""
    seen: set[tuple[int, int, str]] = set()
    roots = [(d.scope, d.term) for d in text.definitions if d.term is not None]
    todo = [*reversed([*roots, *text.calls])]
    while todo:
        scope, term = todo.pop()
        if (*_key(term), term.head) in seen:
            continue
        seen.add((*_key(term), term.head))
        yield scope, term
        todo += [(scope, one) for one in reversed((*term.types, *(term.arguments or ())))]


def answers(ev: CuteEvaluation, place: AnswerPlace) -> Iterator[CuteAnswer]:
    """Other words for a place, the present ones not among them."""
    term, text = place.term, ev.text
    if place.kind == "unit":
        yield from _unit_answers(ev, place)
        return
    now: Value = ev.value(term, place.scope)
    for swizzle in _swizzles():
        if place.kind == "swizzle":
            if swizzle == now:
                continue
            far = (
                swizzle.shift != now.shift,
                swizzle.base != now.base,
                abs(swizzle.bits - now.bits),
            )
            yield CuteAnswer(_swizzle_text(swizzle, term, text), swizzle, (*map(int, far),))
        else:
            value = ComposedLayout(swizzle, 0, now)
            far = swizzle.bits, swizzle.shift, swizzle.base
            yield CuteAnswer(_around(swizzle, term, text), value, far)


def _swizzles() -> Iterator[Swizzle]:
    """Swizzles whose bits lie apart, of at most 32 KiB elements."""
    for bits in range(1, _MOST_BITS + 1):
        for shift in range(bits, 10):
            for base in range(16 - shift - bits):
                yield Swizzle(bits, base, shift)


def _unit_answers(ev: CuteEvaluation, place: AnswerPlace) -> Iterator[CuteAnswer]:
    """Another mode of the same atom: what wgmma can address, and nothing else."""
    found = _GMMA.fullmatch(place.term.head)
    now = ev.value(place.term, place.scope)
    assert found is not None, "it was found so"
    major: hopper.Major = "K" if found["major"] == "K" else "MN"
    for number, (word, mode) in enumerate(_MODES.items()):
        if word != found["mode"]:
            value = hopper.atom(mode, major, now.pointer_bits)
            old = ev.text.of(place.term.span)
            text = old.replace(f"_{found['mode']}_Atom", f"_{word}_Atom")
            yield CuteAnswer(text, value, (len(_MODES) - number,))


def _swizzle_text(swizzle: Swizzle, term: CuteTerm, text: CuteText) -> str:
    """Three numbers in place of theirs."""
    old = text.of(term.span)
    numbers = f"{swizzle.bits}, {swizzle.base}, {swizzle.shift}"
    if "," in old and ", " not in old:
        numbers = numbers.replace(" ", "")
    given = term.types or term.arguments or ()
    first, last = given[0].span.start - term.span.start, given[-1].span.stop - term.span.start
    data = old.encode()
    return (data[:first] + numbers.encode() + data[last:]).decode()


def _around(swizzle: Swizzle, term: CuteTerm, text: CuteText) -> str:
    """A composition around theirs, of a type as of a value."""
    old, numbers = text.of(term.span), f"{swizzle.bits}, {swizzle.base}, {swizzle.shift}"
    if text.dialect == "CuTe DSL":
        front = old.partition("make_layout")[0] if "make_layout" in old else "cute."
        return f"{front}make_composed_layout({front}make_swizzle({numbers}), 0, {old})"
    prefix = "cute::" if old.startswith("cute::") else ""
    made = f"{prefix}Swizzle<{numbers}>{{}}"
    if term.arguments is None:
        return f"decltype({prefix}composition({made}, {old}{{}}))"
    return f"{prefix}composition({made}, {old})"
