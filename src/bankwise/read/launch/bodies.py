"""What a block of C++ source hides of the names around it: as a function's body, a lambda's, a
class's.

    const int n = 32;
    void f(const int& n) { .. }               its parameters
    auto g = [n = m](int k) { .. }            what it captures under a name of its own, too
    template <int n> struct S { int m; };     members that are no constants, numbers of its template
    void S::h() { .. }                        all members of classes
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from bankwise.read.launch.brackets import CLOSING, closing, opening
from bankwise.read.launch.tokens import SourceWord

_BESIDE = ("const", "noexcept", "override", "final", "mutable")
_NO_FUNCTIONS = ("if", "while", "for", "switch", "catch", "constexpr")
_IN_TYPES = (",", "<", ">", "=", ".", "::", "*", "&")
_CLASSES = ("struct", "class", "union")


def scope_name(words: Sequence[SourceWord], at: int) -> str:
    """The structure, namespace or enumeration that a bracket opens; ``enum`` for one without a
    name."""
    place = at - 1
    while place >= 0 and (words[place].is_name or words[place].text in (":", "::", ",")):
        if words[place].text in ("struct", "class", "namespace", "enum"):
            named = words[place + 1].is_name
            return words[place + 1].text if named else words[place].text
        place -= 1
    return ""


class BodyHead(Struct, frozen=True):
    """What stands before a body. ``captures``: the words in a lambda's brackets, None of a
    function; ``parameters``: those in round ones; ``template``: the names of those of its template;
    ``qualified``: whether it is that of ``S::f``."""

    captures: Sequence[SourceWord] | None
    parameters: Sequence[SourceWord]
    template: frozenset[str] = frozenset()
    qualified: bool = False


def captured_at(words: Sequence[SourceWord], at: int) -> frozenset[str]:
    """All names in the lambda whose body begins at a place, if it takes some by reference."""
    head = _head(words, at)
    if head is None or head.captures is None or "&" not in [one.text for one in head.captures]:
        return frozenset()
    inside = words[at : closing(words, at)]
    return frozenset(word.text for word in inside if word.is_name)


class ClassBlock(Struct, frozen=True):
    """``stop``: where a class's block ends; ``hides``: its members that are no constants, with the
    numbers of its template; ``members``: these and its constants. Of one that has bases the members
    of all classes are its own."""

    stop: int
    hides: frozenset[str]
    members: frozenset[str]


def hidden_at(
    words: Sequence[SourceWord], at: int, classes: Mapping[int, ClassBlock]
) -> frozenset[str]:
    """The names that mean something else, which nobody knows, in the block that begins at a place.
    ``classes``: by where their blocks begin, see :func:`classes_in`."""
    if at in classes:
        return classes[at].hides
    head = _head(words, at)
    if head is None:
        return frozenset()
    own = {*_declared(head.parameters), *head.template}
    own |= {w.text for w, sign in pairwise(head.captures or ()) if w.is_name and sign.text == "="}
    return frozenset(own.union(*(one.members for one in classes.values() if head.qualified)))


def hidden_by_call(
    words: Sequence[SourceWord], at: int, classes: Mapping[int, ClassBlock]
) -> frozenset[str]:
    """The same of a function's body that is read by itself: perhaps of a class's own function."""
    around = (one.members for begins, one in classes.items() if begins < at < one.stop)
    return hidden_at(words, at, classes).union(*around)


def classes_in(words: Sequence[SourceWord]) -> dict[int, ClassBlock]:
    """The classes that are defined, by where their blocks begin."""
    found: dict[int, ClassBlock] = {}
    derived = list[int]()
    for at, word in enumerate(words):
        if word.text in _CLASSES and (not at or words[at - 1].text not in ("<", ",", "enum")):
            begins = _block(words, at)
            if begins is not None:
                numbers, members = set(_numbers(words, at)), set(_members(words, begins))
                hides = {name for name, constant in members if not constant} | numbers
                every = {name for name, _ in members} | numbers
                stop = closing(words, begins)
                found[begins] = ClassBlock(stop, frozenset(hides), frozenset(every))
                if ":" in [one.text for one in words[at:begins]]:
                    derived.append(begins)
    all_ = frozenset[str]().union(*(one.hides for one in found.values()))
    return found | {at: replace(found[at], hides=found[at].hides | all_) for at in derived}


def _block(words: Sequence[SourceWord], at: int) -> int | None:
    """Where the block begins of the class whose word stands at a place; None of one that is only
    named."""
    for place in range(at, min(at + 60, len(words))):
        if words[place].text == "{":
            return place
        if words[place].text in (";", "(", ")", "=", ">>>"):
            return None
    return None


def _members(words: Sequence[SourceWord], begins: int) -> Iterator[tuple[str, bool]]:
    """``a`` and ``b`` of ``int a, *b = 0;`` in a class, and whether they are constant."""
    at, end, constant = begins + 1, min(closing(words, begins), len(words) - 1), False
    while at < end:
        text = words[at].text
        after = words[at + 1].text
        if words[at].is_name and after in (";", ",", "=", "{", "["):
            yield text, constant
        if text in (";", "}", ":"):
            constant = False
        constant |= text in ("const", "constexpr", "using", "typedef", "enum")
        at = closing(words, at) if text in CLOSING else at + 1


def _numbers(words: Sequence[SourceWord], at: int) -> Iterator[str]:
    """The parameters of the template that ends before a place."""
    start = at - 1
    while start >= 0 and (words[start].is_name or words[start].text in _IN_TYPES):
        if words[start].text == "template":
            yield from (w.text for w, sign in pairwise(words[start:at]) if sign.text in (",", ">"))
            return
        start -= 1


def _declared(parameters: Sequence[SourceWord]) -> Iterator[str]:
    """The names of ``(const int& n, float* p = 0)``."""
    start = 0
    for at in range(len(parameters) + 1):
        sign = parameters[at].text if at < len(parameters) else ","
        if sign in (",", "=", "["):
            if at - start > 1 and parameters[at - 1].is_name:
                yield parameters[at - 1].text
            start = at + 1 if sign == "," else start


def _head(words: Sequence[SourceWord], at: int) -> BodyHead | None:
    """What stands before the block that begins at a place; None where that is no body."""
    place = at - 1
    while place > 0 and words[place].text in _BESIDE:
        place -= 1
    if place < 2:
        return None
    if words[place].text == "]":
        return BodyHead(words[opening(words, place) + 1 : place], ())
    if words[place].text != ")":
        return _returning(words, place)
    opens = opening(words, place)
    before = words[opens - 1]
    if before.text == "]":
        captures = words[opening(words, opens - 1) + 1 : opens - 1]
        return BodyHead(captures, words[opens + 1 : place])
    if not before.is_name or before.text in _NO_FUNCTIONS:
        return None
    template = frozenset(_numbers(words, opens - 1))
    return BodyHead(None, words[opens + 1 : place], template, words[opens - 2].text == "::")


def _returning(words: Sequence[SourceWord], place: int) -> BodyHead | None:
    """The same of ``(..) -> type {``."""
    while place > 2 and (words[place].is_name or words[place].text in ("::", "*", "&", "<", ">")):
        place -= 1
    if words[place].text != "->":
        return None
    return _head(words, place)
