"""Which names of host code keep their first value, and which of their members are set in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from bankwise.read.launch.bodies import captured_at
from bankwise.read.launch.brackets import CLOSING
from bankwise.read.launch.tokens import SourceWord

_CLOSES = frozenset(CLOSING.values())
_ENDS = ([")"], [","])
_BEFORE_STATEMENTS = ("else", "do")
"""Names that are no types: behind them a statement begins."""
_CHANGES = "= += -= *= /= %= <<= >>= &= |= ^= ++ --"
_ASSIGNS = frozenset(_CHANGES.split())
_BEHIND_CHANGED = _ASSIGNS | {"."}
_BEFORE_CHANGED = frozenset({"++", "--", "&", "(", ","})
"""Signs beside a name, of which it has at least one where it changes."""
EVERY_PLACE = frozenset(range(256))
"""What is launched by a call gets copies: a kernel has no other parameters than values."""
_NO_CALL_TEXT = "if while for switch return sizeof dim3 min max printf fprintf snprintf assert"
_NO_CALLS = frozenset(_NO_CALL_TEXT.split())
_SIZES = ("dim3", "cudaLaunchConfig_t")
"""Types whose members are set one by one."""


def changed(
    words: Sequence[SourceWord], by_value: Mapping[str, frozenset[int]] = MappingProxyType({})
) -> Iterator[str]:
    """Names that are assigned without being declared there, counted up or down, pointed at, read
    from a stream, given another name by a reference, or handed to a function, which may take them
    by reference. Constants of such a name are not told from others: see :func:`is_constant`.
    ``by_value``: the places of arguments that functions take as values."""
    calls = [_NO_CALL]
    still = steady(words)
    yield from _named_again(words)
    yield from _streamed(words)
    yield from _behind_commas(words)
    for at, word in enumerate(words):
        before = words[at - 1] if at else word
        after = words[at + 1].text if at + 1 < len(words) else ""
        if word.text in CLOSING:
            calls.append(_call(words, at, by_value) if word.text == "(" else _NO_CALL)
        elif word.text in _CLOSES:
            calls = calls[:-1] or [_NO_CALL]
        elif word.text == "," and calls[-1].takes:
            calls[-1] = replace(calls[-1], place=calls[-1].place + 1)
        beside = after in _BEHIND_CHANGED or before.text in _BEFORE_CHANGED
        if not beside or not word.is_name:
            continue
        typed = before.is_name and before.text not in _BEFORE_STATEMENTS
        declared = typed or before.text in ("*", "&", ">", ",")
        ends = _behind_members(words, at)
        behind = [one.text for one in words[ends : ends + 1]]
        alone = before.text in ("(", ",") and behind in _ENDS
        assigned = after in _ASSIGNS and not (after == "=" and declared)
        member = after == "." and not _ASSIGNS.isdisjoint(behind) and word.text not in still
        points = before.text == "&" and calls[-1].may_write and _takes_address(words, at - 2)
        if (
            assigned
            or member
            or points
            or before.text in ("++", "--")
            or (alone and calls[-1].may_change)
        ):
            yield word.text


def _behind_members(words: Sequence[SourceWord], at: int) -> int:
    """The place behind ``a.b.c``, which begins at a place."""
    ends = at + 1
    while ends + 1 < len(words) and words[ends].text == "." and words[ends + 1].is_name:
        ends += 2
    return ends


def _takes_address(words: Sequence[SourceWord], before: int) -> bool:
    """Whether ``&`` behind a place asks for an address: it has no left side there, or a cast."""
    is_cast = words[before].text == ")" and words[before - 1].text == "*"
    return is_cast or words[before].text in ("(", ",", "=", "{", "?", ":", "return")


def _behind_commas(words: Sequence[SourceWord]) -> Iterator[str]:
    """``n`` of ``a = 1, n = 64;``, which declares nothing."""
    starts = [0]
    for at, word in enumerate(words[:-3]):
        if word.text in CLOSING:
            is_enum = "enum" in [one.text for one in words[max(0, at - 5) : at]]
            starts.append(-1 if is_enum and word.text == "{" else at + 1)
        elif word.text in _CLOSES:
            starts = starts[:-1] or [0]
            starts[-1] = starts[-1] if word.text == "]" else at + 1
        elif word.text in (";", ":", *_BEFORE_STATEMENTS):
            starts[-1] = at + 1
        elif word.text == "," and words[at + 2].text == "=" and starts[-1] >= 0:
            begins, behind = words[starts[-1]], words[starts[-1] + 1].text
            expression = behind in _ASSIGNS or behind in (".", "->", "[", "++", "--")
            if begins.text in ("*", "++", "--") or (begins.is_name and expression):
                yield words[at + 1].text


def _named_again(words: Sequence[SourceWord]) -> Iterator[str]:
    """``t`` of ``int& r = t;``, unless the reference is to a constant."""
    for at in range(3, len(words)):
        if words[at - 3].text not in ("&", "&&") or words[at - 1].text not in ("=", "(", "{"):
            continue
        refers = words[at - 2].is_name and words[at].is_name
        said = type_before(words, at - 4) if refers else ()
        if said and "const" not in said:
            yield words[at].text


def type_before(words: Sequence[SourceWord], end: int) -> Sequence[str]:
    """The words of a type that ends at a place, at the beginning of a statement; () of none."""
    at = end
    while at >= 0 and (words[at].is_name or words[at].text in ("::", "<", ">")):
        at -= 1
    said = [word.text for word in words[at + 1 : end + 1]]
    return said if words[max(at, 0)].text in (";", "{", "}", "(", ")") else ()


def is_constant(words: Sequence[SourceWord], end: int) -> bool:
    """Whether a type that ends at a place says that what is declared keeps its value."""
    at = end
    while at >= 0 and (words[at].is_name or words[at].text in ("::", "<", ">")):
        if words[at].text in ("const", "constexpr"):
            return True
        at -= 1
    return False


def _streamed(words: Sequence[SourceWord]) -> Iterator[str]:
    """``t`` of ``std::cin >> t``, of streams that the text declares, and where ``a >> t`` or
    ``a & t`` is a statement."""
    streams = {"cin"}
    for at, word in enumerate(words[:-2]):
        if word.text.endswith("stream"):
            name = words[at + 1 + (words[at + 1].text == "&")]
            streams |= {name.text} if name.is_name else set()
        sign = words[at + 1].text
        if sign in (">>", "&") and (word.text in streams or _begins(words, at)):
            reads = at + 1
            while reads + 1 < len(words) and words[reads].text == sign:
                yield words[reads + 1].text
                reads += 2


def _begins(words: Sequence[SourceWord], at: int) -> bool:
    """Whether a statement begins with a name at a place."""
    before = words[at - 1].text if at else ";"
    return words[at].is_name and before in (";", "{", "}", ")", *_BEFORE_STATEMENTS)


def steady(words: Sequence[SourceWord]) -> frozenset[str]:
    """Sizes whose members are set in the block that declares them alone, statement by statement."""
    blocks: list[set[str]] = [set()]
    declared: set[str] = set()
    others: set[str] = set()
    captured: set[str] = set()
    for at, word in enumerate(words[:-3]):
        if word.text == "{":
            blocks.append(set())
            captured |= captured_at(words, at)
        elif word.text == "}":
            blocks = blocks[:-1] or [set()]
        elif word.text in _SIZES and words[at + 1].is_name:
            blocks[-1].add(words[at + 1].text)
            declared.add(words[at + 1].text)
            others |= {words[at + 1].text} if at and words[at - 1].text == "static" else set()
        elif words[at + 1].text == "." and (sets := _set_behind(words, at)):
            alone = words[at - 1].text in (";", "{", "}") and sets == "="
            if not alone or word.text not in blocks[-1] or word.text in captured:
                others.add(word.text)
    return frozenset(declared - others)


def _set_behind(words: Sequence[SourceWord], at: int) -> str:
    """The sign that sets ``n.x``, whose name stands at a place, or ``n.m.x``; empty without one."""
    texts = [word.text for word in words[at + 1 : at + 6]]
    if texts[2:3] == ["."] and len(texts) == 5 and texts[4] in _ASSIGNS:
        return "."
    return texts[2] if len(texts) > 2 and texts[2] in _ASSIGNS else ""


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

    @property
    def may_write(self) -> bool:
        """Whether it may change what it is handed the address of."""
        return self.values is not EVERY_PLACE


_NO_CALL = _Handed()


def _call(words: Sequence[SourceWord], at: int, by_value: Mapping[str, frozenset[int]]) -> _Handed:
    name = words[at - 1].text if at else ""
    if at > 1 and words[at - 2].text in (".", "->"):
        name = f"{words[at - 2].text}{name}"
    return _Handed(_calls(words, at), by_value.get(name, frozenset()))


def _calls(words: Sequence[SourceWord], at: int) -> bool:
    """Whether a bracket opens the arguments of a function."""
    name = words[at - 1] if at else words[at]
    declares = at > 1 and words[at - 2].is_name and words[at - 2].text != "return"
    return name.is_name and name.text not in _NO_CALLS and not declares
