"""Launches as host code writes them: ``<<<..>>>`` and calls, with kernels, sizes, arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice, product

from bankwise.errors import InputError
from bankwise.read.launch.brackets import closing, opening
from bankwise.read.launch.constants import Known, cut, evaluate
from bankwise.read.launch.declared import size_of
from bankwise.read.launch.facts import KernelLaunch, check_block
from bankwise.read.launch.launchers import whole_arguments
from bankwise.read.launch.reading import CONFIGURED, HostReading
from bankwise.read.launch.tokens import SourceWord

BY_CALL: Mapping[str, tuple[int, tuple[int, ...]]] = {
    "hipLaunchKernelGGL": (0, (1, 2, 3)),
    "cudaLaunchKernel": (0, (1, 2, 4)),
    "cudaLaunchCooperativeKernel": (0, (1, 2, 4)),
    "hipLaunchKernel": (0, (1, 2, 4)),
    "hipLaunchCooperativeKernel": (0, (1, 2, 4)),
    "hipExtLaunchKernelGGL": (0, (1, 2, 3)),
    "cudaLaunchKernelEx": (1, ()),
    "cudaLaunchKernelExC": (1, ()),
}
"""Which argument is the kernel; which are grid, block and bytes: () where a configuration says."""
_ARGUMENTS = {"hipLaunchKernelGGL": 5, "hipExtLaunchKernelGGL": 8, "cudaLaunchKernelEx": 2}
"""From which on its arguments are the kernel's."""
LAUNCHES = ("<<<", *BY_CALL)
"""The words that launch."""
_MOST_NAMES = 256
"""Of an instance with arguments that are numbers or truths."""


def read_launch(reading: HostReading, at: int) -> None:
    """``kernel<<<grid, block, bytes>>>(..)``."""
    words = reading.words
    end = next((n for n in range(at, min(len(words), at + 400)) if words[n].text == ">>>"), 0)
    if end:
        parts = whole_arguments(words[at + 1 : end])
        _launched(
            reading, at, named_kernels(reading, words, at), parts, _arguments(reading, end + 1)
        )


def read_call(reading: HostReading, at: int) -> None:
    """``hipLaunchKernelGGL(kernel, grid, block, bytes, stream, ..)`` and its like; the kernel
    perhaps in brackets, behind a cast, or within ``HIP_KERNEL_NAME``."""
    words = reading.words
    which, sizes = BY_CALL[words[at].text]
    if at + 1 >= len(words) or words[at + 1].text != "(":
        return
    parts = whole_arguments(words[at + 2 : closing(words, at + 1)])
    if len(parts) <= max((which, *sizes[:2])):
        return
    end = at + 1 + sum(len(part) + 1 for part in parts[: which + 1]) - 1
    while words[end].text == ")":
        end -= 1
    given = [parts[one] for one in sizes if one < len(parts)]
    if not sizes:
        name = "".join(one.text for one in parts[0] if one.text != "&")
        given = [(SourceWord(f"{name}.{one}", words[at].line),) for one in CONFIGURED]
    listed = _ARGUMENTS.get(words[at].text, len(parts))
    numbers = _numbers(reading, parts[listed:])
    _launched(reading, at, named_kernels(reading, words, end + 1), given, numbers)


def _launched(
    reading: HostReading,
    at: int,
    names: Sequence[str],
    parts: Sequence[Sequence[SourceWord]],
    arguments: tuple[int | None, ...],
) -> None:
    block = size_of(parts[1], reading.scopes) if len(parts) > 1 else None
    try:
        block = check_block(block) if block else None
    except InputError:
        return
    shared = evaluate(parts[2], reading.scopes) if len(parts) > 2 else 0
    line, calls = reading.words[at].line, [str(one) for one in reading.calls if one]
    said = f"as it is launched at line {line}" if line else "as it is launched in a header"
    said += f" (called at {', '.join(calls)})" if calls else ""
    reading.found += (
        KernelLaunch(
            kernel=name,
            block=block,
            grid=size_of(parts[0], reading.scopes),
            shared_bytes=shared if isinstance(shared, int) else None,
            positional=arguments,
            said=said,
        )
        for name in names
        if block
        or (len(parts) > 1 and not any(b.start <= at < b.stop for b in reading.unused.values()))
    )


def _arguments(reading: HostReading, at: int) -> tuple[int | None, ...]:
    words = reading.words
    if at >= len(words) or words[at].text != "(":
        return ()
    inside = words[at + 1 : closing(words, at)]
    return _numbers(reading, whole_arguments(inside) if inside else [])


def _numbers(reading: HostReading, parts: Sequence[Sequence[SourceWord]]) -> tuple[int | None, ...]:
    """What arguments are; ``args...`` as many as were handed over."""
    found = list[Known]()
    for part in parts:
        texts = [word.text for word in part]
        many = _pack(reading, texts)
        if many is None:
            found.append(evaluate(part, reading.scopes))
            continue
        name, count, kept = many
        every = (SourceWord(f"{name}...{n}", 0) for n in range(count))
        found += [evaluate([one], reading.scopes) if kept else None for one in every]
    return tuple(one if isinstance(one, int) else None for one in found)


def _pack(reading: HostReading, texts: Sequence[str]) -> tuple[str, int, bool] | None:
    """Of ``std::forward<Args>(args)...`` the name, how many these are, and whether they are handed
    on as they are; None of another argument."""
    if list(texts[-3:]) != ["."] * 3:
        return None
    for name in texts[:-3]:
        scope = next((one for one in reversed(reading.scopes) if name in one), {})
        count = scope.get(f"{name}...")
        if isinstance(count, int):
            forwarded = "forward" in texts[:3] and texts[-6:-3] == ["(", name, ")"]
            return name, count, forwarded or len(texts) == 4
    return None


def named_kernels(reading: HostReading, words: Sequence[SourceWord], end: int) -> tuple[str, ...]:
    """The kernels that stand before a place among some words, as ``<<<`` does, as globs."""
    place = end - 1
    if place > 1 and words[place].text == ")":
        opens = opening(words, place)
        inside = [n for n in range(opens + 1, place) if words[n].text not in ("*", "&")]
        alone = not words[opens - 1].is_name or words[opens - 1].text in ("return", "else")
        return named_kernels(reading, words, place) if inside and alone else ()
    arguments: list[tuple[str, ...]] | None = None
    if place > 0 and words[place].text in (">", ">>"):
        start = _opening(words, place)
        arguments = [_template(reading, part) for part in cut(words[start + 1 : place])]
        place = start - 1
    if place > 0 and words[place].text == "]":
        place = opening(words, place) - 1
    if place < 0 or not words[place].is_name:
        return ()
    name = words[place].text
    if arguments is not None:
        every = list(islice(product(*arguments), _MOST_NAMES + 1))
        if len(every) > _MOST_NAMES:
            return (f"{name}<*>",)
        return tuple(f"{name}<{', '.join(one)}{rest}>" for one in every for rest in ("", ", *"))
    return name, *sorted(_held_by(reading, name))


def _held_by(reading: HostReading, name: str) -> set[str]:
    """The names that a pointer may hold, also through other pointers; of these no variables."""
    own = reading.pointers.get(name, set())
    found, left = set(own), [*own]
    while left:
        more = reading.pointers.get(left.pop(), set()) - found
        found |= more
        left += more
    numbers = {one for scope in reading.scopes[1:] for one in scope}
    return {one for one in found - {name} if one in own or one not in numbers}


def _opening(words: Sequence[SourceWord], at: int) -> int:
    """The ``<`` of template arguments that end at a place."""
    depth, place = 0, at
    while place >= 0:
        depth += {">": 1, ">>": 2, "<": -1, "<<": -2}.get(words[place].text, 0)
        if depth <= 0 or words[place].text in (";", "{", "}"):
            return place
        place = opening(words, place) - 1 if words[place].text == ")" else place - 1
    return 0


def _template(reading: HostReading, part: Sequence[SourceWord]) -> tuple[str, ...]:
    """A template argument as it may be spelled: a number, also as the truth of one that is ``bool``
    there, or of an enumeration, where a name of one says it; a type that C++ has, or anything."""
    found = evaluate(part, reading.scopes)
    if not isinstance(found, int):
        return (_built_in([word.text for word in part]) or "*",)
    named = (f"(*){found}",) if any(word.text in reading.enumerated for word in part) else ()
    return (str(found), *({0: ("false",), 1: ("true",)}.get(found, ())), *named)


def _built_in(words: Sequence[str]) -> str:
    """A type that C++ has, as compilers spell it: ``unsigned int`` of ``unsigned``; empty for
    another."""
    if len(words) == 1 and words[0] in ("float", "double", "bool"):
        return words[0]
    longs, rest = words.count("long"), [one for one in words if one not in ("long", "int")]
    sign = [one for one in rest if one in ("unsigned", "signed")]
    size = [one for one in rest if one in ("char", "short")]
    if not words or len(sign) + len(size) < len(rest) or max(len(sign), len(size)) > 1 or longs > 2:
        return ""
    kept = sign if sign == ["unsigned"] or size == ["char"] else []
    whole = [] if longs or size else ["int"]
    return " ".join((*kept, *["long"] * longs, *size, *whole))
