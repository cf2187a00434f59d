"""A layout as a picture: which bank every piece of a tile lies in, in a terminal and as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape as html_escape

from rich.console import Console

from bankwise.hardware.machine import BANK_BYTES
from bankwise.show.columns import say, width
from bankwise.show.notebook import printed

_ROWS = 32
_CELL = 18
_EDGE = 34


@printed("bankwise.show.picture:print_picture")
@dataclass(frozen=True, slots=True)
class Picture:
    """Where the elements of a tile lie. ``text``: the layout, as it was said, in the words of
    ``notation``. ``offsets``: in elements, row by row; ``piece``: elements that stay together.
    ``banks``: as most instructions of ``target`` see them. ``most``: of the first words of all rows
    so many lie in one bank, ``plain``: as row-major has it."""

    text: str
    notation: str
    target: str
    banks: int
    element_bits: int
    offsets: tuple[tuple[int, ...], ...]
    piece: int
    most: int
    plain: int

    @property
    def tile(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.offsets), len(self.offsets[0])

    def bank(self, row: int, column: int) -> int:
        """The bank of the first byte of an element."""
        return self.offsets[row][column] * self.element_bits // 8 // BANK_BYTES % self.banks


def print_picture(picture: Picture, console: Console, *, everything: bool = False) -> None:
    """The banks in which the pieces of each row begin, and what that does to a column."""
    rows, columns = picture.tile
    say(console, f"{picture.text.strip()} ({picture.notation})", rest="  ", style="bold")
    size = f"{rows} x {columns} elements of {picture.element_bits} bits"
    piece = f"{picture.piece} element{'s' if picture.piece > 1 else ''}"
    say(
        console,
        f"{size} on {picture.target}, {picture.banks} banks; a number: the bank in which",
        "",
    )
    say(console, f"{piece} of that row and column begin{'s' if picture.piece == 1 else ''}")
    digits = max(len(str(columns)), 2) + 1
    room = (width(console) - 5) // digits
    across = range(0, columns, picture.piece)
    shown = list(across if everything else across[:room])
    head = "".join(f"{column:>{digits}}" for column in shown)
    console.print(f"     [dim]{head}[/]", soft_wrap=True, highlight=False)
    for row in range(rows if everything else min(rows, _ROWS)):
        cells = "".join(_cell(picture, row, column, digits) for column in shown)
        console.print(f"[dim]{row:>4}[/] {cells}", soft_wrap=True, highlight=False)
    left = (max(0, rows - _ROWS), len(across) - len(shown))
    if any(left) and not everything:
        say(console, f"and {left[0]} more rows, {left[1]} more columns (--all)", style="dim")
    say(console, summary(picture))


def _cell(picture: Picture, row: int, column: int, digits: int) -> str:
    bank = picture.bank(row, column)
    red, green, blue = _colour(bank, picture.banks)
    return f"[rgb({red},{green},{blue})]{bank:>{digits}}[/]"


def summary(picture: Picture) -> str:
    """What the layout does to reading down a column, by counting."""
    rows, _ = picture.tile
    return (
        f"down a column: of the {rows} words in which rows begin at most {picture.most} lie in one "
        f"bank; row-major {picture.plain}"
    )


def svg(picture: Picture) -> str:
    """The same as a drawing, a square for each piece."""
    return "".join(_svg(picture))


def _svg(picture: Picture) -> Iterator[str]:
    rows, columns = picture.tile
    across = range(0, columns, picture.piece)
    wide, high = _EDGE + len(across) * _CELL + 4, _EDGE + rows * _CELL + 4
    title = html_escape(f"{picture.text.strip()}: banks on {picture.target}")
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" '
    yield f'height="{high}" font-family="sans-serif" font-size="9" text-anchor="middle">\n'
    yield f"<title>{title}</title>\n<desc>{html_escape(summary(picture))}</desc>\n"
    for place, column in enumerate(across):
        yield f'<text x="{_EDGE + place * _CELL + _CELL // 2}" y="{_EDGE - 6}">{column}</text>\n'
    for row in range(rows):
        y = _EDGE + row * _CELL
        yield f'<text x="{_EDGE // 2}" y="{y + _CELL * 2 // 3}">{row}</text>\n'
        for place, column in enumerate(across):
            bank, x = picture.bank(row, column), _EDGE + place * _CELL
            fill = "#{:02x}{:02x}{:02x}".format(*_colour(bank, picture.banks))
            yield f'<rect x="{x}" y="{y}" width="{_CELL - 1}" height="{_CELL - 1}" fill="{fill}"/>'
            yield f'<text x="{x + _CELL // 2}" y="{y + _CELL * 2 // 3}">{bank}</text>\n'
    yield "</svg>\n"


def _colour(bank: int, banks: int) -> tuple[int, int, int]:
    """Light enough for black figures, and for a dark terminal: around the circle of hues."""
    from colorsys import hls_to_rgb

    red, green, blue = hls_to_rgb(bank / banks, 0.72, 0.65)
    return round(red * 255), round(green * 255), round(blue * 255)
