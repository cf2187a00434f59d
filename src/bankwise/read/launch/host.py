"""What the host code of a CUDA or HIP source says about its launches: constants, and nothing else.

    #define TILE 32                                   a macro that is an expression of constants
    const int rows = 8;                               a variable that is never assigned again
    dim3 threads(TILE, rows);                         likewise
    transpose<<<grid, threads>>>(out, in, 1024);      launched at line 9 with 32,8,1

What a parameter, a loop, a condition or another file decides is not known. A macro that is defined
twice, and differs, is none. A launch through a pointer to a kernel counts for the kernels that are
assigned to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bankwise.errors import InputError
from bankwise.read.launch.constants import Constants, Known, cut, evaluate
from bankwise.read.launch.facts import KernelLaunch, Size, check_block
from bankwise.read.launch.tokens import SourceWord, tokens

_ASSIGNS = ("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "++", "--")
_MOST_TOKENS = 400_000
_CLOSING = {"(": ")", "{": "}", "[": "]"}
_LAUNCHES = ("<<<", "hipLaunchKernelGGL")
_NO_CALLS = ("if", "while", "for", "switch", "return", "sizeof", "dim3", "min", "max", "printf")


@dataclass(slots=True)
class _Reading:
    """``scopes``: what names are, the innermost block last; ``changed``: names that something
    assigns; ``pointers``: names to what is assigned to them."""

    words: Sequence[SourceWord]
    scopes: list[Constants] = field(default_factory=lambda: [{}])
    changed: frozenset[str] = frozenset()
    pointers: dict[str, set[str]] = field(default_factory=dict)
    found: list[KernelLaunch] = field(default_factory=list)


def launches_in(source: str) -> tuple[KernelLaunch, ...]:
    """The launches ``kernel<<<..>>>`` of a CUDA or HIP source whose block size is constant."""
    words = tokens(source)
    if len(words) > _MOST_TOKENS or not any(word.text in _LAUNCHES for word in words):
        return ()
    reading = _Reading(words, changed=frozenset(_changed(words)), pointers=_pointers(words))
    at = 0
    while at < len(words):
        at = _read(reading, at)
    return tuple(reading.found)


def _changed(words: Sequence[SourceWord]) -> Iterator[str]:
    """Names that are assigned without being declared there, counted up or down, pointed at, or
    handed to a function, which may take them by reference; constants are none of them."""
    kept, calls = set(_constants(words)), [False]
    for at, word in enumerate(words):
        before = words[at - 1] if at else word
        after = words[at + 1].text if at + 1 < len(words) else ""
        if word.text in _CLOSING:
            calls.append(word.text == "(" and _calls(words, at))
        elif word.text in _CLOSING.values():
            calls = calls[:-1] or [False]
        if not word.is_name or word.text in kept:
            continue
        declared = before.is_name or before.text in ("*", "&", ">", ",")
        alone = before.text in ("(", ",") and after in (")", ",")
        assigned = after in _ASSIGNS and not (after == "=" and declared)
        member = after == "." and at + 3 < len(words) and words[at + 3].text in _ASSIGNS
        points = before.text == "&" and words[at - 2].text in ("(", ",", "=")
        if assigned or member or points or before.text in ("++", "--") or (alone and calls[-1]):
            yield word.text


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


def _pointers(words: Sequence[SourceWord]) -> dict[str, set[str]]:
    """What names occur on the right of the assignments to a name."""
    found: dict[str, set[str]] = {}
    for at, word in enumerate(words):
        if word.text != "=" or not at or not words[at - 1].is_name:
            continue
        for other in words[at + 1 :]:
            if other.text in (";", "{", "}", "#end"):
                break
            if other.is_name:
                found.setdefault(words[at - 1].text, set()).add(other.text)
    return found


def _read(reading: _Reading, at: int) -> int:
    """Read what begins at a place; the next place."""
    words, word = reading.words, reading.words[at]
    if word.text == "#define":
        return _define(reading, at)
    if word.text == "{":
        reading.scopes.append({})
    elif word.text == "}" and len(reading.scopes) > 1:
        reading.scopes.pop()
    elif word.text == "<<<":
        _launch(reading, at)
    elif word.text == "hipLaunchKernelGGL":
        _called(reading, at + 1)
    elif word.is_name and at + 2 < len(words) and words[at + 1].is_name:
        _declare(reading, at)
    return at + 1


def _define(reading: _Reading, at: int) -> int:
    """A macro without parameters; of another definition of it, if it differs, nothing is left."""
    words = reading.words
    end = next((n for n in range(at, len(words)) if words[n].text == "#end"), len(words))
    name, body = words[at + 1].text, words[at + 3 : end]
    if words[at + 2].text == "=":
        value = evaluate(body, reading.scopes)
        macros = reading.scopes[0]
        macros[name] = value if macros.get(name, value) == value else None
    return end + 1


def _declare(reading: _Reading, at: int) -> None:
    """``type name = value, name2(value);``: names that keep their first value. The type is the
    word before the first name; what stands there in other places declares nothing of use."""
    words, place = reading.words, at + 1
    is_size = words[at].text == "dim3"
    while place + 1 < len(words) and words[place].is_name:
        name, opens = words[place].text, words[place + 1].text
        value, place = _initial(reading, place + 1, is_size)
        kept = None if name in reading.changed else value
        if opens in ("=", "(", "{") and (is_size or isinstance(kept, int) or opens == "="):
            reading.scopes[-1][name] = kept
        elif opens in (",", ")", ";"):
            reading.scopes[-1][name] = None
        if place >= len(words) or words[place].text != ",":
            return
        place += 1


def _initial(reading: _Reading, at: int, is_size: bool) -> tuple[Known, int]:
    """The value behind a declared name, and where it ends."""
    words = reading.words
    opens = words[at].text
    if opens in ("(", "{"):
        end = _closing(words, at)
        inside = words[at + 1 : end]
        value = _dim3(reading, inside) if is_size else evaluate(inside, reading.scopes)
        return value, end + 1
    if opens != "=":
        return None, at
    end = at + 1
    while end < len(words) and words[end].text not in (",", ";", ")", "}", "#end"):
        end = _closing(words, end) + 1 if words[end].text in _CLOSING else end + 1
    inside = words[at + 1 : end]
    return (_size(reading, inside) if is_size else evaluate(inside, reading.scopes)), end


def _closing(words: Sequence[SourceWord], at: int) -> int:
    """The bracket that closes the one at a place; the end if none does."""
    opens, closes, depth = words[at].text, _CLOSING[words[at].text], 0
    for place in range(at, len(words)):
        depth += (words[place].text == opens) - (words[place].text == closes)
        if depth == 0:
            return place
    return len(words)


def _dim3(reading: _Reading, inside: Sequence[SourceWord]) -> Size | None:
    """The arguments of ``dim3(..)``."""
    values = [evaluate(part, reading.scopes) for part in cut(inside)] if inside else []
    numbers = [one for one in values if isinstance(one, int) and one > 0]
    if not 1 <= len(values) <= 3 or len(numbers) != len(values):
        return None
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def _size(reading: _Reading, part: Sequence[SourceWord]) -> Size | None:
    """A size: a number, a variable, ``dim3(..)``."""
    if part and part[0].text == "dim3" and len(part) > 2:
        return _dim3(reading, part[2:-1])
    found = evaluate(part, reading.scopes)
    return (found, 1, 1) if isinstance(found, int) and found > 0 else _whole(found)


def _whole(found: Known) -> Size | None:
    return found if isinstance(found, tuple) else None


def _launch(reading: _Reading, at: int) -> None:
    """``kernel<<<grid, block, bytes>>>(..)``."""
    words = reading.words
    end = next((n for n in range(at, min(len(words), at + 400)) if words[n].text == ">>>"), 0)
    if end:
        parts = cut(words[at + 1 : end])
        _launched(reading, at, _named(reading, at), parts, _arguments(reading, end + 1))


def _called(reading: _Reading, at: int) -> None:
    """``hipLaunchKernelGGL(kernel, grid, block, bytes, stream, ..)``; the kernel perhaps in
    brackets, or within ``HIP_KERNEL_NAME``."""
    words = reading.words
    if at >= len(words) or words[at].text != "(":
        return
    first, *parts = cut(words[at + 1 : _closing(words, at)]) or [[]]
    end = at + len(first)
    while end > at and words[end].text == ")":
        end -= 1
    values = [evaluate(part, reading.scopes) for part in parts[4:]]
    numbers = tuple(one if isinstance(one, int) else None for one in values)
    _launched(reading, at, _named(reading, end + 1), parts[:3], numbers)


def _launched(
    reading: _Reading,
    at: int,
    names: Sequence[str],
    parts: Sequence[Sequence[SourceWord]],
    arguments: tuple[int | None, ...],
) -> None:
    block = _size(reading, parts[1]) if len(parts) > 1 else None
    try:
        block = check_block(block) if block else None
    except InputError:
        return
    shared = evaluate(parts[2], reading.scopes) if len(parts) > 2 else 0
    said = f"as it is launched at line {reading.words[at].line}"
    reading.found += (
        KernelLaunch(
            kernel=name,
            block=block,
            grid=_size(reading, parts[0]),
            shared_bytes=shared if isinstance(shared, int) else None,
            positional=arguments,
            said=said,
        )
        for name in names
        if block
    )


def _arguments(reading: _Reading, at: int) -> tuple[int | None, ...]:
    words = reading.words
    if at >= len(words) or words[at].text != "(":
        return ()
    inside = words[at + 1 : _closing(words, at)]
    values = [evaluate(part, reading.scopes) for part in cut(inside)] if inside else []
    return tuple(one if isinstance(one, int) else None for one in values)


def _named(reading: _Reading, at: int) -> tuple[str, ...]:
    """The kernels that stand before ``<<<``, as globs."""
    words, place = reading.words, at - 1
    arguments: list[str] | None = None
    if place > 0 and words[place].text in (">", ">>"):
        start = _opening(words, place)
        arguments = [_template(reading, part) for part in cut(words[start + 1 : place])]
        place = start - 1
    if place < 0 or not words[place].is_name:
        return ()
    name = words[place].text
    if arguments is not None:
        inside = ", ".join(arguments)
        return f"{name}<{inside}>", f"{name}<{inside}, *>"
    return name, *sorted(reading.pointers.get(name, ()))


def _opening(words: Sequence[SourceWord], at: int) -> int:
    """The ``<`` of template arguments that end at a place."""
    depth = 0
    for place in range(at, -1, -1):
        depth += {">": 1, ">>": 2, "<": -1, "<<": -2}.get(words[place].text, 0)
        if depth <= 0 or words[place].text in (";", "{", "}"):
            return place
    return 0


def _template(reading: _Reading, part: Sequence[SourceWord]) -> str:
    """A template argument as it is spelled: a number, or anything."""
    if len(part) == 1 and part[0].text in ("true", "false"):
        return part[0].text
    found = evaluate(part, reading.scopes)
    return str(found) if isinstance(found, int) else "*"
