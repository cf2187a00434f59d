"""Kernels and functions that host code hands on by their names: what gets one may launch it in any
way, or call it with anything.

    {"copy", copy_kernel}     std::thread t(run, p, 64)     params.func = (void*)kernel
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from bankwise.read.launch.brackets import closing, opening
from bankwise.read.launch.constants import cut
from bankwise.read.launch.facts import KernelLaunch
from bankwise.read.launch.launched import BY_CALL
from bankwise.read.launch.launchers import angle, whole_arguments
from bankwise.read.launch.reading import HostReading
from bankwise.read.launch.tokens import SourceWord

_ASKS = re.compile(r"(?:cuda|hip)(?:Func|Occupancy)\w+|decltype|sizeof|typeid")
"""Functions that launch nothing of what they are given."""
_BEFORE = ("(", ",", "=", "&", "{", "?", ":", "return", "<", ")")
_BEHIND = (")", ",", ";", "}", ":", ">", "#end")


def handed_on(words: Sequence[SourceWord], names: Collection[str]) -> set[str]:
    """Those functions that are handed on, to be called elsewhere."""
    return {words[at].text for at, _ in _mentions(words, names)}


def handed_kernels(reading: HostReading) -> Iterator[KernelLaunch]:
    """A launch of which nothing is known for each kernel that is handed on to what is not followed:
    neither a pointer that is launched, nor a function that launches its argument."""
    words = reading.words
    names = _kernels(words, {one.kernel.split("<")[0] for one in reading.found if one.block})
    known = {name for name in names if any(name in some for some in reading.pointers.values())}
    held = {p for p in reading.pointers if p in {one.kernel for one in reading.found}}
    told: set[str] = set()
    asks = _asking_macros(words)
    for at, outer in _mentions(words, names):
        name = words[at].text
        followed = outer in reading.launchers and outer not in reading.not_followed
        launches = outer in BY_CALL or _ASKS.fullmatch(outer) is not None
        launches |= outer in asks and _argument(words, at) in asks[outer]
        pointed = name in known and any(name in reading.pointers[p] for p in held) and not outer
        if name not in told and not (followed or launches or pointed):
            told.add(name)
            line = words[at].line
            place = f"line {line}" if line else "a header"
            yield KernelLaunch(name, said=f"as it is launched by what {place} hands it to")


def _asking_macros(words: Sequence[SourceWord]) -> dict[str, frozenset[int]]:
    """Of macros the places of arguments of which they ask at most something, however each is
    defined: as ``#define LIMIT(k, n) CHECK(cudaFuncSetAttribute(k, attribute, n))``."""
    found = dict[str, frozenset[int]]()
    for at, word in enumerate(words[:-2]):
        if word.text == "#define" and words[at + 2].text == "(":
            name, closes = words[at + 1].text, closing(words, at + 2)
            end = next((n for n in range(closes, len(words)) if words[n].text == "#end"), closes)
            names = [part[0].text for part in cut(words[at + 3 : closes]) if len(part) == 1]
            mine = {n for n, one in enumerate(names) if _only_asked(words[closes:end], one)}
            found[name] = found.get(name, frozenset(mine)) & mine
    return found


def _only_asked(body: Sequence[SourceWord], name: str) -> bool:
    """Whether a macro does nothing with an argument but ask something of it."""
    outer = (_outer(body, at) for at, word in enumerate(body) if word.text == name)
    return all(_ASKS.fullmatch(one) for one in outer)


def _argument(words: Sequence[SourceWord], at: int) -> int:
    """The place of the argument that a kernel is among those of what it is handed to, perhaps in
    brackets of its own; -1 for none."""
    place = at
    while place > 0 and words[place].text not in (";", "{", "}"):
        if words[place].text == ")":
            place = opening(words, place)
        elif words[place].text == "(" and words[place - 1].is_name:
            ends = place + 1
            for number, part in enumerate(whole_arguments(words[ends : closing(words, place)])):
                ends += len(part) + 1
                if at < ends:
                    return number
        place -= 1
    return -1


def _kernels(words: Sequence[SourceWord], names: Collection[str]) -> set[str]:
    """Those that are declared as functions, or launched by their own names."""
    return {
        word.text
        for at, word in enumerate(words[:-1])
        if word.text in names
        and (words[at + 1].text == "<<<" or (words[at + 1].text == "(" and words[at - 1].is_name))
    }


def _mentions(words: Sequence[SourceWord], names: Collection[str]) -> Iterator[tuple[int, str]]:
    """Where a name is neither called, launched nor declared, and the function that gets it there;
    empty for none."""
    for at, word in enumerate(words[:-1]):
        if word.text not in names or words[_begins(words, at) - 1].text not in _BEFORE:
            continue
        end = angle(words, at + 1) + 1 if words[at + 1].text == "<" else at + 1
        behind = [one.text for one in words[end : end + 2]]
        if behind and behind[0] in _BEHIND and behind[1:] != ["<<<"]:
            yield at, _outer(words, _begins(words, at))


def _begins(words: Sequence[SourceWord], at: int) -> int:
    """Where ``S::run`` begins, whose last name stands at a place."""
    while at > 2 and words[at - 1].text == "::" and words[at - 2].is_name:
        at -= 2
    return at


def _outer(words: Sequence[SourceWord], at: int) -> str:
    """The function among whose arguments a place stands; empty for none."""
    depth = 0
    for place in range(at - 1, max(at - 400, 0), -1):
        text = words[place].text
        if text in (";", "{", "}", "#define") and not depth:
            return ""
        depth += (text == ")") - (text == "(")
        if depth < 0:
            before = words[place - 1]
            if before.is_name and before.text not in ("return", "if", "while", "for", "switch"):
                return before.text
            depth = 0
    return ""
