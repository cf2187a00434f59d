"""Plain text in columns and paragraphs, no wider than asked for, in which no word is broken."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from bankwise.show.plain import escape
from bankwise.show.wrap import WIDTH, code_lines, wrapped

_WIDEST = 100
_GAP = "  "
_NUMBER = re.compile(
    r"(?:(?:at least |at most |[-+])?[\d,.:]+(?:(?: to | of | / )[\d,.]+)?|unknown|-|)[?%]?"
)
_LEAST = 12
"""Characters that the last column keeps."""
_ROOM = 30
"""Characters from which on a text goes on in its column; with less it has lines of its own."""


class Console(Protocol):
    """What a report is printed on: rich's consoles, or a page that is plain."""

    @property
    def is_terminal(self) -> bool:
        """Whether somebody looks at it."""

    @property
    def width(self) -> int:
        """Its columns."""

    def print(self, *objects: Any, **options: Any) -> None:
        """A text with markup; ``soft_wrap``: in the lines that it has."""


def width(console: Console) -> int:
    """How wide text may be: a terminal's own width within bounds, else 80 columns."""
    columns: int = getattr(console, "columns", 0)
    if columns:
        return columns
    return max(WIDTH, min(console.width, _WIDEST)) if console.is_terminal else WIDTH


def say(
    console: Console, text: str, first: str = "", rest: str | None = None, style: str = ""
) -> None:
    """A paragraph: ``first`` begins its first line, ``rest`` the others (as many blanks, if None).
    A word that is longer than a line has one of its own."""
    behind = " " * len(first) if rest is None else rest
    said = first + " ".join(text.split())
    lines = wrapped(said, width(console), len(behind), len(first)).split("\n")
    for number, line in enumerate(lines):
        whole = behind + line[len(behind) :] if number else line
        marked = f"[{style}]{escape(whole)}[/]" if style else escape(whole)
        console.print(marked, soft_wrap=True, highlight=False)


def paste(console: Console, text: str, first: str, style: str = "") -> None:
    """A text to be pasted, whole: behind ``first`` where that leaves room, else in the lines below
    it, indented by four."""
    head = f"[{style}]{escape(first)}[/]" if style else escape(first)
    if "\n" not in text and len(first) + 1 + len(text) <= width(console):
        console.print(f"{head} {escape(text)}", soft_wrap=True, highlight=False)
        return
    console.print(head.rstrip(), soft_wrap=True, highlight=False)
    for line in code_lines(text, width(console) - 4):
        console.print(f"    {escape(line)}", soft_wrap=True, highlight=False)


def table(
    console: Console,
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    colours: Sequence[str] = (),
    *,
    whole: bool = False,
    beside: Sequence[str] = (),
) -> None:
    """Rows under titles. Numbers stand to the right, texts to the left. The last column takes what
    is left of a line, and is cut in its middle where that is too little; where that is far too
    little, what does not fit stands below its row. A text of the one before it that leaves nothing
    stands whole on a line of its own. No other one is cut. ``whole``: the last one neither, it goes
    on in the next lines, or stands below the others. ``beside``: what it is told apart from, too,
    though no row shows it."""
    columns = list(zip(*rows, strict=True)) if rows else [("",)] * len(titles)
    right = [all(map(_is_number, column)) for column in columns]
    names = [*(row[-1] for row in rows), *beside]
    most = width(console)
    found = _whole(titles, rows, right, most) if whole else _cut(titles, rows, right, most, names)
    for number, line in found:
        style = "dim" if number < 0 else colours[number] if colours else ""
        marked = f"[{style}]{escape(line)}[/]" if style else escape(line)
        console.print(marked, soft_wrap=True, highlight=False)


_Numbered = Iterator[tuple[int, str]]
"""Lines with the number of their row; -1 are titles."""


def _cut(
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[bool],
    most: int,
    names: Sequence[str],
) -> _Numbered:
    sizes = _sizes(titles, rows)[:-1]
    before = sum(sizes[:-1]) + len(_GAP) * len(sizes[:-1])
    room = most - before
    sizes[-1] = min(sizes[-1], max(room - len(_GAP) - _LEAST, len(titles[-2])))
    beside = room - len(_GAP) - sizes[-1]
    below = beside < min(_LEAST, max(len(row[-1]) for row in (titles, *rows)))
    narrow, wide = (told_apart(names, most) for most in (max(beside, _LEAST), max(room, _LEAST)))
    for number, row in enumerate((titles, *rows), -1):
        cells = _aligned(row, sizes, right)
        if below and len(row[-1]) > beside:
            yield number, _GAP.join(cells).rstrip()
            yield number, _GAP + cut(row[-1], most - len(_GAP))
            continue
        if len(row[-2]) <= sizes[-1]:
            last = narrow.get(row[-1], row[-1])
            yield number, _GAP.join((*cells, last)).rstrip()
            continue
        yield number, _GAP.join((*cells[:-1], wide.get(row[-1], row[-1]))).rstrip()
        yield number, " " * max(0, min(before, most - len(row[-2]))) + row[-2]


def _whole(
    titles: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], most: int
) -> _Numbered:
    sizes, longest = _sizes(titles, rows), max((len(row[-1]) for row in rows), default=0)
    if sum(sizes[:-1]) + len(_GAP) * len(sizes[:-1]) + min(longest, _ROOM) > most:
        words = [max(title.split(), key=len, default="") for title in titles]
        sizes = _sizes(words, rows)
    before = sum(sizes[:-1]) + len(_GAP) * len(sizes[:-1])
    if before > most + len(_GAP) and len(titles) > 2:
        yield from _in_two(titles, rows, right, most)
        return
    below = most - before < min(longest, _ROOM)
    room = most - len(_GAP) if below else most - before
    folded = [wrapped(name, size, 0).split("\n") for name, size in zip(titles, sizes, strict=True)]
    high = max(len(lines) for lines in folded[:-1])
    for n in range(high):
        cells = [lines[n - high] if n >= high - len(lines) else "" for lines in folded[:-1]]
        last = titles[-1] if n == high - 1 and not below else ""
        yield -1, _GAP.join((*_aligned(cells, sizes[:-1], right), last)).rstrip()
    yield from ((-1, f"{_GAP}{titles[-1]}") for _ in range(below))
    for number, row in enumerate(rows):
        cells = _aligned(row, sizes[:-1], right)
        first, *rest = wrapped(row[-1], room, 0).split("\n")
        start = _GAP if below else " " * before
        yield number, _GAP.join((*cells, "" if below else first)).rstrip()
        yield from ((number, start + line) for line in ([first] if below else []) + rest)


def _in_two(
    titles: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], most: int
) -> _Numbered:
    """Two tables of half the columns each, both with the last one."""
    half = len(titles) // 2
    for some in (slice(0, half), slice(half, -1)):
        names, sides = [*titles[some], titles[-1]], [*right[some], right[-1]]
        if some.start:
            yield -1, ""
        yield from _whole(names, [[*row[some], row[-1]] for row in rows], sides, most)


def _sizes(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(titles, *rows, strict=True)]


def _aligned(row: Sequence[str], sizes: Sequence[int], right: Sequence[bool]) -> list[str]:
    return [
        cell.rjust(size) if aligned else cell.ljust(size)
        for cell, size, aligned in zip(row, sizes, right, strict=False)
    ]


def cut(text: str, most: int) -> str:
    """A text of at most so many characters, without its middle where it is longer."""
    if len(text) <= most:
        return text
    head = (most - 2) * 2 // 3
    return f"{text[:head]}..{text[len(text) - (most - 2 - head) :]}"


def told_apart(names: Sequence[str], most: int) -> dict[str, str]:
    """Each name in at most so many characters, without a piece of it where it is longer: the middle
    of it, or where two would look alike the nearest piece by which none do, if there is one. What
    is told apart by where names first differ is preferred: ``d_0..`` and ``d_1..``, not the size
    that one of them ends in."""
    some, room = dict.fromkeys(names), max(most - 2, 0)
    first = _first_difference([name for name in some if len(name) > most])
    heads = sorted(range(room + 1), key=lambda head: (head <= first, abs(head - room * 2 // 3)))
    for head in heads:
        found = {name: _without_piece(name, head, room) for name in some}
        if len({*found.values()}) == len(some):
            return found
    same = max(_first_difference([*some]), 0)
    behind = {name: f"..{name[same:][:room]}" for name in some}
    apart = len({*behind.values()}) == len(some)
    return behind if apart else {name: cut(name, most) for name in some}


def _first_difference(names: Sequence[str]) -> int:
    """The first character in which names differ; -1 where there is none."""
    columns = enumerate(zip(*names, strict=False))
    return next((at for at, signs in columns if len({*signs}) > 1), -1)


def _without_piece(name: str, head: int, room: int) -> str:
    whole = len(name) <= room + 2
    return name if whole else f"{name[:head]}..{name[len(name) - (room - head) :]}"


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None
