"""A layout as a picture: which bank every piece of a tile lies in, in a terminal and as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape as html_escape

from msgspec import Struct

from bankwise.hardware.machine import BANK_BYTES, machine
from bankwise.show.columns import Console, say, width
from bankwise.show.notebook import printed

_ROWS = 32
_CELL = 18
_EDGE = 34


class ColumnRead(Struct, frozen=True):
    """One instruction that reads down a column, a row for each lane, ``width_bytes`` at once.

    ``passes`` and ``ideal`` of the column that takes most, which ``lanes`` read; None where rows
    begin at no multiple of the width (``torn``: the first such byte). ``row_major``: the passes of
    the rows one behind the other; None where those are torn."""

    instruction: str
    width_bytes: int
    banks: int
    passes: int | None
    ideal: int | None
    lanes: int | None
    row_major: int | None
    torn: int | None

    def said(self, *, beside: bool) -> str:
        """In a clause; ``beside``: with row-major."""
        if self.passes is None:
            at = f"byte {self.torn}" if self.torn is not None else "bytes"
            return f"no {self.instruction}: a row begins at {at}, no multiple of {self.width_bytes}"
        passes = f"{self.passes} pass{'es' * (self.passes > 1)}"
        plain = f" (row-major {self.row_major})" * (beside and self.row_major is not None)
        return f"{self.instruction} takes {passes}, ideal {self.ideal}{plain}"


@printed("bankwise.show.picture:print_picture")
class Picture(Struct, frozen=True):
    """Where the elements of a tile lie. ``text``: the layout, as it was said, in the words of
    ``notation``. ``offsets``: in elements, row by row; ``piece``: elements that stay together.
    ``banks``: as the widest of ``reads`` sees them, else most instructions of ``target``. ``most``:
    of the first words of all rows so many lie in one bank, ``plain``: as row-major has it, whatever
    lanes are served together. ``reads``: what a column takes, the narrowest read first.
    ``assumed``: what neither the text nor an option says, each with the option."""

    text: str
    notation: str
    target: str
    banks: int
    element_bits: int
    offsets: tuple[tuple[int, ...], ...]
    piece: int
    most: int
    plain: int
    reads: tuple[ColumnRead, ...]
    assumed: tuple[str, ...] = ()

    @property
    def seen_by(self) -> str:
        """Which of the reads sees so many banks, where they differ in that; else empty."""
        fits = [read for read in self.reads if read.passes is not None]
        differ = len({read.banks for read in fits}) > 1
        return f" ({fits[-1].instruction} sees {self.banks} banks)" if differ else ""

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
    banks = f"{size} on {picture.target}, {picture.banks} banks; a number: the bank in which"
    say(console, banks, "")
    say(
        console,
        f"{piece} of that row and column begin{'s' if picture.piece == 1 else ''}{picture.seen_by}",
    )
    if picture.assumed:
        say(console, f"assumed: {', '.join(picture.assumed)}", rest="  ")
    digits = max(len(str(columns)), 2) + 1
    room = (width(console) - 5) // digits
    across = range(0, columns, picture.piece)
    shown = list(across if everything else across[:room])
    head = "".join(f"{column:>{digits}}" for column in shown)
    console.print(f"     [dim]{head}[/]", soft_wrap=True, highlight=False)
    for row in range(rows if everything else min(rows, _ROWS)):
        cells = "".join(_cell(picture, row, column, digits) for column in shown)
        console.print(f"[dim]{row:>4}[/] {cells}", soft_wrap=True, highlight=False)
    more = _more(rows - _ROWS, "row"), _more(len(across) - len(shown), "column")
    if any(more) and not everything:
        say(console, f"and {', '.join(filter(None, more))} (--all)", style="dim")
    say(console, summary(picture))


def _more(left: int, what: str) -> str:
    """What is not drawn; empty where all is."""
    return f"{left} more {what}{'s' * (left > 1)}" if left > 0 else ""


def _cell(picture: Picture, row: int, column: int, digits: int) -> str:
    bank = picture.bank(row, column)
    red, green, blue = _colour(bank, picture.banks)
    return f"[rgb({red},{green},{blue})]{bank:>{digits}}[/]"


def summary(picture: Picture) -> str:
    """What one instruction takes down the column that takes most, by counting."""
    rows, columns = picture.tile
    row_major = tuple(tuple(range(r * columns, (r + 1) * columns)) for r in range(rows))
    beside = columns > 1 and picture.offsets != row_major
    said = "; ".join(read.said(beside=beside) for read in picture.reads)
    if not said:
        return "down a column, a row for each lane: no single instruction reads an element"
    which = "down the worst column" if columns > picture.piece else "down the column"
    return f"{which}, a row for each {_lanes(picture)}: {said}"


def _lanes(picture: Picture) -> str:
    """How many lanes read, where that is the same for all instructions."""
    wave = machine(picture.target).wave_size
    some = {read.lanes for read in picture.reads if read.lanes}
    if len(some) != 1:
        return "lane"
    (lanes,) = some
    return f"of {lanes} lanes" + f" (a wave has {wave})" * (lanes < wave)


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
