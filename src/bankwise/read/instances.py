"""Instances of function templates in two texts, of which one has another number for an argument.

    _Z4gemmILi64ELi0EEvPf  ->  _Z4gemmILi64ELi4EEvPf      the second is 4 where it was 0

A kernel is found by its mangled name, which says the numbers (Itanium C++ ABI, section 5.1.5.3):
what stands in the place of it in the other text is called so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

_ARGUMENT = re.compile(
    r"L[a-z]n?\d+E"  # a number
    r"|[PRKO]*(?:[a-z]|D[a-z]\d*_?|S[a-z\d]*_|T\d*_|S[a-z])"  # a type that is built in, or seen
)
_NAMED = re.compile(r"[PRKO]*(\d+)")
_WORDS = re.compile(r"_Z[\w$]+")


class ChangedArgument(Struct, frozen=True):
    """The argument at a ``position`` of a function ``template``: the number ``old`` became
    ``new``."""

    template: str
    position: int
    old: int
    new: int

    @property
    def back(self) -> ChangedArgument:
        """The way back."""
        return replace(self, old=self.new, new=self.old)


def instance(name: str, changed: Iterable[ChangedArgument]) -> str:
    """What a kernel is called in the other text; as it is where it is none of the templates'."""
    for one in changed:
        name = _instance(name, one)
    return name


def instances_in(text: str, changed: Sequence[ChangedArgument]) -> str:
    """An emitted text with every such name as it is called in the other one."""
    return _WORDS.sub(lambda found: instance(found[0], changed), text) if changed else text


def back(changed: Iterable[ChangedArgument]) -> tuple[ChangedArgument, ...]:
    """The way back of several."""
    return tuple(one.back for one in changed)


def _instance(name: str, changed: ChangedArgument) -> str:
    head = f"{len(changed.template)}{changed.template}I"
    places = [one.end() for one in re.finditer(rf"(?<!\d){re.escape(head)}", name)]
    if not name.startswith("_Z") or len(places) != 1:
        return name
    at = places[0]
    for _ in range(changed.position):
        at = _behind(name, at)
        if at < 0:
            return name
    found = re.compile(rf"(L[a-z]){changed.old}E").match(name, at)
    if found is None:
        return name
    return f"{name[:at]}{found[1]}{changed.new}E{name[found.end() :]}"


def _behind(name: str, at: int) -> int:
    """Where the next argument begins; -1 behind one that is not read."""
    if found := _NAMED.match(name, at):
        at = found.end() + int(found[1])
        return -1 if name[at : at + 1] == "I" else at
    found = _ARGUMENT.match(name, at)
    return found.end() if found else -1
