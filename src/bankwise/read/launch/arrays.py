"""Arrays of numbers in host code whose elements are constants: how many, how long, and each.

    int sizes[] = {32, 64, 128};      sizes[1], sizeof(sizes) / sizeof(int), for (int n : sizes)
    std::vector<int> sizes{32, 64};   sizes.size(), for (int n : sizes)

A scope keeps them as numbers under names that no source has: ``sizes[]`` is how many there are,
``sizes[1]`` an element, ``sizeof sizes[]`` the bytes of one. An array that is more than read
anywhere in the file has none.
"""

from __future__ import annotations

from collections.abc import Sequence

from bankwise.read.launch.brackets import CLOSING, closing
from bankwise.read.launch.constants import BYTES, Constants, cut, evaluate
from bankwise.read.launch.tokens import SourceWord

_MOST = 64
"""Elements of an array that is kept."""
_ASKS = ("size", "cbegin", "cend", "empty")
"""Members that change nothing."""
_ELEMENTS = ("front", "back", "at")
"""Members that are an element."""
_STEPS = ("++", "--")
_BEGINS = frozenset(("vector", "array", *BYTES))
"""The words at which a declaration begins."""


def declared_array(words: Sequence[SourceWord], at: int) -> tuple[int, int, int] | None:
    """``int name[..] = {..}`` or ``std::vector<int> name = {..}`` whose type's word stands at a
    place: where its name is, the bracket of its elements, and the bytes of one; else None."""
    if words[at].text not in _BEGINS:
        return None
    texts = [word.text for word in words[at : at + 6]]
    if len(texts) == 6 and texts[0] in ("vector", "array") and texts[1] == "<":
        size, named = BYTES.get(texts[2], 0), at + 4 + 2 * (texts[3] == ",")
        opens = named + 1
        if not size or words[named - 1].text != ">":
            return None
    elif len(texts) == 6 and texts[2] == "[" and words[at + 1].is_name:
        size, named = BYTES.get(texts[0], 0), at + 1
        opens = closing(words, at + 2) + 1
        if not size:
            return None
    else:
        return None
    opens += [word.text for word in words[opens : opens + 1]] == ["="]
    if opens >= len(words) or not words[named].is_name or words[opens].text != "{":
        return None
    return named, opens, size


def declare_array(
    words: Sequence[SourceWord], found: tuple[int, int, int], scopes: Sequence[Constants]
) -> None:
    """Put an array into the innermost scope, as far as constants decide it."""
    named, opens, size = found
    name = words[named].text
    parts = [part for part in cut(words[opens + 1 : closing(words, opens)]) if part]
    values = [evaluate(part, scopes) for part in parts]
    numbers = [one for one in values if isinstance(one, int)]
    whole = len(numbers) == len(values) <= _MOST and _says_no_more(words, named, len(parts))
    known = whole and is_only_read(words, name, named)
    scopes[-1] |= {f"{name}[]": len(numbers) if known else None, f"sizeof {name}[]": size}
    scopes[-1] |= {f"{name}[{n}]": number for n, number in enumerate(numbers) if known}


def _says_no_more(words: Sequence[SourceWord], named: int, count: int) -> bool:
    """Whether an array is as long as its elements are many, which only a larger number denies."""
    if words[named + 1].text != "[":
        return words[named - 2].text in BYTES or words[named - 2].text == str(count)
    inside = words[named + 2 : closing(words, named + 1)]
    return not inside or [word.text for word in inside] == [str(count)]


def is_only_read(words: Sequence[SourceWord], name: str, named: int) -> bool:
    """Whether nothing but reads of elements and questions for its size are done to an array."""
    return all(
        at == named or _reads(words, at) or declared_array(words, at - 1) is not None
        for at, word in enumerate(words)
        if word.text == name
    )


def _reads(words: Sequence[SourceWord], at: int) -> bool:
    before = words[at - 1].text if at else ""
    after = [word.text for word in words[at + 1 : at + 3]]
    opens = at + 1 if after[:1] == ["["] else at + 3
    if opens == at + 1 or (after[:1] == ["."] and after[1:] in [[one] for one in _ELEMENTS]):
        end = closing(words, opens) + 1
        behind = words[end].text if end < len(words) else ""
        assigned = behind in _STEPS or (behind.endswith("=") and behind not in _COMPARES)
        return not assigned and before not in ("&", *_STEPS)
    if after[:1] == ["."]:
        return after[1:] in [[one] for one in _ASKS]
    asked = before == "(" and at > 1 and words[at - 2].text in ("sizeof", "size")
    return after[:1] == [")"] and (asked or (before == ":" and not _refers(words, at - 2)))


def _refers(words: Sequence[SourceWord], named: int) -> bool:
    """Whether the name of a loop over an array is a reference by which elements may be changed."""
    if words[named - 1].text not in ("&", "&&"):
        return False
    opens = next((n for n in range(named, 0, -1) if words[n].text == "("), 0)
    return "const" not in [word.text for word in words[opens:named]]


_COMPARES = ("==", "<=", ">=", "!=")


def elements(words: Sequence[SourceWord], scopes: Sequence[Constants]) -> list[int] | None:
    """The numbers of a known array, or of ``{..}``; None if they are not known."""
    if words and words[0].text in CLOSING and closing(words, 0) == len(words) - 1:
        values = [evaluate(part, scopes) for part in cut(words[1:-1])]
    elif len(words) == 1:
        name = words[0].text
        scope = next((one for one in reversed(scopes) if f"{name}[]" in one), {})
        many = scope.get(f"{name}[]")
        values = [scope[f"{name}[{n}]"] for n in range(many)] if isinstance(many, int) else [None]
    else:
        return None
    numbers = [one for one in values if isinstance(one, int)]
    return numbers if len(numbers) == len(values) else None
