"""Which names of host code keep their first value, and which of their members are set in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from bankwise.read.launch.tokens import SourceWord

CLOSING = {"(": ")", "{": "}", "[": "]"}
_CLOSES = frozenset(CLOSING.values())
_CHANGES = "= += -= *= /= %= <<= >>= &= |= ^= ++ --"
_ASSIGNS = frozenset(_CHANGES.split())
_NO_CALLS = ("if", "while", "for", "switch", "return", "sizeof", "dim3", "min", "max", "printf")
_SIZES = ("dim3", "cudaLaunchConfig_t")
"""Types whose members are set one by one."""


def changed(
    words: Sequence[SourceWord], by_value: Mapping[str, frozenset[int]] = MappingProxyType({})
) -> Iterator[str]:
    """Names that are assigned without being declared there, counted up or down, pointed at, read
    from a stream, given another name by a reference, or handed to a function, which may take them
    by reference; constants are none of them.
    ``by_value``: the places of arguments that functions take as values."""
    kept, calls = set(_constants(words)), [_NO_CALL]
    still = steady(words)
    yield from _named_again(words)
    yield from _streamed(words)
    for at, word in enumerate(words):
        before = words[at - 1] if at else word
        after = words[at + 1].text if at + 1 < len(words) else ""
        if word.text in CLOSING:
            calls.append(_call(words, at, by_value) if word.text == "(" else _NO_CALL)
        elif word.text in _CLOSES:
            calls = calls[:-1] or [_NO_CALL]
        elif word.text == "," and calls[-1].takes:
            calls[-1] = replace(calls[-1], place=calls[-1].place + 1)
        if not word.is_name or word.text in kept:
            continue
        declared = before.is_name or before.text in ("*", "&", ">", ",")
        alone = before.text in ("(", ",") and after in (")", ",")
        assigned = after in _ASSIGNS and not (after == "=" and declared)
        member = after == "." and at + 3 < len(words) and words[at + 3].text in _ASSIGNS
        member &= word.text not in still
        points = before.text == "&" and words[at - 2].text in ("(", ",", "=")
        if (
            assigned
            or member
            or points
            or before.text in ("++", "--")
            or (alone and calls[-1].may_change)
        ):
            yield word.text


def _named_again(words: Sequence[SourceWord]) -> Iterator[str]:
    """``t`` of ``int& r = t;``, unless the reference is to a constant."""
    for at in range(3, len(words)):
        texts = [word.text for word in words[at - 3 : at]]
        refers = texts[0] in ("&", "&&") and words[at - 2].is_name and texts[2] in ("=", "(", "{")
        if refers and words[at].is_name and _is_type(words, at - 4):
            yield words[at].text


def _is_type(words: Sequence[SourceWord], end: int) -> bool:
    """Whether a type that may be changed ends at a place, at the beginning of a statement."""
    at = end
    while at >= 0 and (words[at].is_name or words[at].text in ("::", "<", ">")):
        at -= 1
    said = [word.text for word in words[at + 1 : end + 1]]
    return bool(said) and "const" not in said and words[max(at, 0)].text in (";", "{", "}", "(")


def _streamed(words: Sequence[SourceWord]) -> Iterator[str]:
    """``t`` of ``std::cin >> t``, and of streams that the text declares."""
    streams = {"cin"}
    for at, word in enumerate(words[:-2]):
        if word.text.endswith("stream"):
            name = words[at + 1 + (words[at + 1].text == "&")]
            streams |= {name.text} if name.is_name else set()
        if word.text in streams:
            reads = at + 1
            while reads + 1 < len(words) and words[reads].text == ">>":
                yield words[reads + 1].text
                reads += 2


def steady(words: Sequence[SourceWord]) -> frozenset[str]:
    """Sizes whose members are set in the block that declares them alone, statement by statement."""
    blocks: list[set[str]] = [set()]
    declared: set[str] = set()
    others: set[str] = set()
    for at, word in enumerate(words[:-3]):
        if word.text == "{":
            blocks.append(set())
        elif word.text == "}":
            blocks = blocks[:-1] or [set()]
        elif word.text in _SIZES and words[at + 1].is_name:
            blocks[-1].add(words[at + 1].text)
            declared.add(words[at + 1].text)
        elif words[at + 1].text == "." and words[at + 3].text in _ASSIGNS:
            alone = words[at - 1].text in (";", "{", "}") and words[at + 3].text == "="
            if not alone or word.text not in blocks[-1]:
                others.add(word.text)
    return frozenset(declared - others)


class _Handed(Struct, frozen=True):
    """Brackets. ``takes``: whether they are those of a function's arguments; ``values``: the places
    that it takes as values; ``place``: of the argument that is read."""

    takes: bool = False
    values: frozenset[int] = frozenset()
    place: int = 0

    @property
    def may_change(self) -> bool:
        """Whether the function may change what it is handed there."""
        return self.takes and self.place not in self.values


_NO_CALL = _Handed()


def _call(words: Sequence[SourceWord], at: int, by_value: Mapping[str, frozenset[int]]) -> _Handed:
    name = words[at - 1].text if at else ""
    return _Handed(_calls(words, at), by_value.get(name, frozenset()))


def _calls(words: Sequence[SourceWord], at: int) -> bool:
    """Whether a bracket opens the arguments of a function."""
    name = words[at - 1] if at else words[at]
    declares = at > 1 and words[at - 2].is_name and words[at - 2].text != "return"
    return name.is_name and name.text not in _NO_CALLS and not declares


def _constants(words: Sequence[SourceWord]) -> Iterator[str]:
    """Names that are declared constant."""
    for at, word in enumerate(words):
        if word.text in ("const", "constexpr"):
            ends = range(at + 1, min(at + 8, len(words) - 1))
            yield from (words[n].text for n in ends if words[n + 1].text in ("=", "(", "{"))


def closing(words: Sequence[SourceWord], at: int) -> int:
    """The bracket that closes the one at a place; the end if none does."""
    opens, closes, depth = words[at].text, CLOSING[words[at].text], 0
    for place in range(at, len(words)):
        depth += (words[place].text == opens) - (words[place].text == closes)
        if depth == 0:
            return place
    return len(words)
