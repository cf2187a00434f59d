"""Plain text in columns and paragraphs, no wider than asked for, in which no word is broken."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.markup import escape

WIDTH = 80
"""Columns of a pipe, of a file, and of a terminal that is no narrower."""
_WIDEST = 100
_GAP = "  "
_NUMBER = re.compile(r"(?:(?:at least |at most |[-+])?[\d,.:]+(?: to [\d,.]+)?|unknown|)[?%]?")
_LEAST = 12
"""Characters that the last column keeps."""


def width(console: Console) -> int:
    """How wide text may be: a terminal's own width within bounds, else 80 columns."""
    return max(WIDTH, min(console.width, _WIDEST)) if console.is_terminal else WIDTH


def say(
    console: Console, text: str, first: str = "", rest: str | None = None, style: str = ""
) -> None:
    """A paragraph: ``first`` begins its first line, ``rest`` the others (as many blanks, if None).
    A word that is longer than a line has one of its own."""
    behind = " " * len(first) if rest is None else rest
    lines = textwrap.wrap(
        text,
        width(console),
        initial_indent=first,
        subsequent_indent=behind,
        break_long_words=False,
        break_on_hyphens=False,
    )
    for line in lines or [first]:
        marked = f"[{style}]{escape(line)}[/]" if style else escape(line)
        console.print(marked, soft_wrap=True, highlight=False)


def table(
    console: Console,
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    colours: Sequence[str] = (),
    *,
    whole: bool = False,
) -> None:
    """Rows under titles. Numbers stand to the right, texts to the left. The last column takes what
    is left of a line, and is cut in its middle where that is too little; a text of the one before
    it that leaves nothing stands whole on a line of its own. No other one is cut. ``whole``: the
    last one neither, it goes on in the next lines."""
    sizes = [max(map(len, column)) for column in zip(titles, *rows, strict=True)][:-1]
    columns = zip(*rows, strict=True) if rows else [[""]] * len(titles)
    right = [all(map(_is_number, column)) for column in columns]
    before = sum(sizes[:-1]) + len(_GAP) * len(sizes[:-1])
    most = width(console) - before
    sizes[-1] = min(sizes[-1], max(most - len(_GAP) - _LEAST, len(titles[-2])))
    for number, row in enumerate((titles, *rows)):
        style = "dim" if not number else colours[number - 1] if colours else ""
        for line in _lines(row, sizes, right, before, most, whole):
            marked = f"[{style}]{escape(line)}[/]" if style else escape(line)
            console.print(marked, soft_wrap=True, highlight=False)


def _lines(
    row: Sequence[str],
    sizes: Sequence[int],
    right: Sequence[bool],
    before: int,
    most: int,
    whole: bool,
) -> Iterator[str]:
    """One row; its last two columns begin ``before`` and have ``most`` characters together."""
    cells = [
        cell.rjust(size) if aligned else cell.ljust(size)
        for cell, size, aligned in zip(row, sizes, right, strict=False)
    ]
    if len(row[-2]) <= sizes[-1]:
        room = most - len(_GAP) - sizes[-1]
        first, *rest = _folded(row[-1], room) if whole else [cut(row[-1], room)]
        yield _GAP.join((*cells, first)).rstrip()
        yield from (" " * (before + sizes[-1] + len(_GAP)) + line for line in rest)
        return
    yield _GAP.join((*cells[:-1], cut(row[-1], most))).rstrip()
    yield " " * max(0, min(before, before + most - len(row[-2]))) + row[-2]


def _folded(text: str, most: int) -> list[str]:
    """A text in lines of words; a word that is too long has one of its own."""
    found = textwrap.wrap(text, most, break_long_words=False, break_on_hyphens=False)
    return found or [""]


def cut(text: str, most: int) -> str:
    """A text of at most so many characters, without its middle where it is longer."""
    if len(text) <= most:
        return text
    head = (most - 2) * 2 // 3
    return f"{text[:head]}..{text[len(text) - (most - 2 - head) :]}"


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None
