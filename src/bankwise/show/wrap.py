"""A text in lines of 80 columns. A line ends between words: never within one, nor within what is
quoted to be pasted, or a layout. What is longer has a line of its own."""

from __future__ import annotations

from bankwise.regex import regex

WIDTH = 80
"""Columns of a pipe, of a file, and of a terminal that is no narrower."""
_WORD = regex(r"(?:`[^`\n]+`|(?<![\w'])'[^'\n]+'|\b[\w.]+<[^<>\n]{1,64}>|[^\s`']|`|')+")
"""Blanks between quotes, or in the brackets of a layout, are no end: `bankwise check FILE`,
'lane * 4', xor<width=64, unit=8>."""
_PIECE = regex(r"[^,;(]*(?:[,;]\s*|\(+|$)")
"""Up to a comma, a semicolon or an opening bracket."""


def line_ends(line: str, most: int = WIDTH, behind: int | None = None, kept: int = 0) -> list[int]:
    """At which characters the second line and all others begin; the others are indented by
    ``behind`` columns (None: two more than the first). Behind the ``kept`` first characters stands
    at least a word."""
    if len(line) <= most:
        return []
    if behind is None:
        behind = len(line) - len(line.lstrip()) + 2
    ends: list[int] = []
    start, indent = 0, 0
    for number, word in enumerate(_WORD.finditer(line)):
        if number and word.start() > kept and word.end() - start + indent > most:
            ends.append(word.start())
            start, indent = word.start(), behind
    return ends


def wrapped(text: str, most: int = WIDTH, behind: int | None = None, kept: int = 0) -> str:
    """The lines of a text, each in as many as it needs."""
    return "\n".join(_wrapped(line, most, behind, kept) for line in text.split("\n"))


def code_lines(text: str, most: int) -> list[str]:
    """A text to be pasted, in lines that end behind a comma, a semicolon or an opening bracket:
    there C++, MLIR and CuTe take the end of a line for a blank. A piece that is longer has a line
    of its own."""
    lines: list[str] = []
    for line in text.rstrip().split("\n"):
        now = ""
        for piece in _PIECE.findall(line):
            if now.strip() and len((now + piece).rstrip()) > most:
                lines.append(now.rstrip())
                now = piece.lstrip()
            else:
                now += piece
        lines.append(now.rstrip())
    return lines


def _wrapped(line: str, most: int, behind: int | None, kept: int) -> str:
    if behind is None:
        behind = len(line) - len(line.lstrip()) + 2
    ends = line_ends(line, most, behind, kept)
    parts = [line[a:b].rstrip() for a, b in zip((0, *ends), (*ends, len(line)), strict=True)]
    return f"\n{' ' * behind}".join(parts)
