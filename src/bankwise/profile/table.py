"""CSV as profilers write it: talk before the header, thousands separators, units, n/a.

==PROF== Connected to process 878           before the header: the profiler and the program talk
"ID","Kernel Name",...,"Metric Value"
"0","transpose",...,"1,015,808"
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from bankwise.errors import InputError, Location
from bankwise.profile.values import Quantity

Row = list[str]

_NUMBER = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?(?:[eE][-+]?\d+)?|-?\.\d+")
_ABSENT = frozenset({"", "-", "n/a", "nan", "(!) n/a", "none", "no data"})
_OF_INTEREST = re.compile(
    r"mem_shared|memory_l1|wavefronts shared|op_shared_|op_ldsm|LDS", re.IGNORECASE
)
_WHOLE = re.compile(r"\.sum$|_excessive$")
"""NVIDIA's counts, which are whole numbers: a point in one is another country's separator."""
_SCALED = re.compile(r"[KMGT][a-z]+")
_HINT = "numbers are read as 1,015,808 or 1015808.5: export with LC_ALL=C"
PERCENTAGES = frozenset({"LDSBankConflict", "MfmaUtil", "VALUBusy", "MemUnitBusy"})
"""ROCm's derived metrics that *is it worth it* reads."""
_MOST_NAMED = 8


class NumberedRow(Struct, frozen=True):
    """One row of the file and the line it starts on, from 1. ``open``: the file ends in a cell."""

    number: int
    cells: Row
    open: bool = False


def lines_of(text: str, file: str) -> list[NumberedRow]:
    """All rows that are not empty. InputError where the text is no CSV."""
    reader = csv.reader(io.StringIO(text))
    found: list[NumberedRow] = []
    start = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                found.append(NumberedRow(start, [cell.strip() for cell in cells]))
            start = reader.line_num + 1
    except csv.Error as error:
        place = Location(file, reader.line_num)
        raise InputError(f"not CSV: {error}", location=place) from error
    if found and _ends_open(text, found[-1].number):
        found[-1] = replace(found[-1], open=True)
    return found


def _ends_open(text: str, number: int) -> bool:
    """Whether a quotation mark of the last row, which starts on that line, is never closed."""
    return "".join(text.splitlines()[number - 1 :]).count('"') % 2 == 1


def check_whole(header: NumberedRow, line: NumberedRow, file: str, least: int = 0) -> None:
    """InputError where a row has not the cells of its header: profilers write none that is short.
    ``least``: so many are enough, where the last are left out if they are empty."""
    there, wanted = len(line.cells), least or len(_without_empty(header.cells))
    more = len(_without_empty(line.cells)) > len(header.cells)
    if there >= wanted and not more and not line.open:
        return
    message = f"this row has {there} of {len(header.cells)} cells"
    hint = "the export is cut off or damaged: take it again, each page into a file of its own"
    if line.open:
        message = "the file ends in the middle of a cell"
    elif more:
        hint = 'numbers with separators stand in quotation marks: "1,015,808"'
    raise InputError(message, location=Location(file, line.number), hint=hint)


def is_row(header: NumberedRow, line: NumberedRow, kernel: int, file: str) -> bool:
    """Whether a row is one of the table: it names a kernel, or has a number in front and was cut
    before that. Neither a header that is repeated is, nor talk. InputError for another header."""
    named = cell(line, kernel)
    cut = line.open or (re.fullmatch(r"\d+", line.cells[0]) and 2 < len(line.cells) <= kernel)
    if named == header.cells[kernel] and line.cells != header.cells:
        place = Location(file, line.number)
        raise InputError("another table begins here", location=place, hint="one export a file")
    return bool(cut) if not named else named != header.cells[kernel]


def once(lines: Iterable[NumberedRow]) -> tuple[list[NumberedRow], tuple[str, ...]]:
    """Rows of launches without those that repeat one, number and all; and what to say of them."""
    some = list(lines)
    first = {tuple(line.cells): line for line in reversed(some)}
    kept = [line for line in some if first[tuple(line.cells)] is line]
    note = f"rows that repeat one before, number and all, were left out: {len(some) - len(kept)}"
    return kept, (note,) if len(kept) < len(some) else ()


def _without_empty(cells: Sequence[str]) -> Sequence[str]:
    last = max((at for at, cell in enumerate(cells) if cell), default=-1)
    return cells[: last + 1]


def column(header: Sequence[str], *names: str) -> int | None:
    """The column of the first of ``names`` that the header has, whatever their case."""
    folded = [cell.casefold() for cell in header]
    return next((folded.index(n.casefold()) for n in names if n.casefold() in folded), None)


def need(header: NumberedRow, file: str, *names: str) -> int:
    """The column of one of ``names``; InputError that lists the columns there are."""
    found = column(header.cells, *names)
    if found is None:
        raise InputError(
            f"there is no column {names[0]!r}",
            location=Location(file, header.number),
            hint=f"the columns are {named(header.cells)}",
        )
    return found


def named(names: Sequence[str]) -> str:
    """Some names of a list, and how many there are more."""
    shown = ", ".join(repr(n) for n in names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown or "none"


def cell(line: NumberedRow, at: int | None) -> str:
    """A cell, "" where the row is shorter or the column does not exist."""
    return line.cells[at] if at is not None and at < len(line.cells) else ""


def number(text: str) -> float | None:
    """Read ``1,015,808``, ``89.67`` or ``4.3e-02``; None for anything else."""
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text.replace(",", ""))
    return value if math.isfinite(value) else None


def quantity(text: str, unit: str, name: str, place: Callable[[], Location]) -> Quantity | None:
    """A counter's value; None where there is none.

    InputError if a counter of shared memory, or a percentage, has text that is no number: it must
    not be lost; and if a count was rounded to thousands.
    """
    value = number(text)
    if counts(name, unit) and _WHOLE.search(name) and _SCALED.fullmatch(unit):
        hint = "export with --print-units base"
        raise InputError(f"{name}: {text} {unit} is rounded", location=place(), hint=hint)
    if value is not None and not (counts(name, unit) and _no_count(value, name)):
        return Quantity(value, unit)
    wanted = counts(name, unit) or "pct_of_peak" in name or name in PERCENTAGES
    if wanted and text.casefold() not in _ABSENT:
        what = "count" if counts(name, unit) and name not in PERCENTAGES else "percentage"
        raise InputError(f"{name}: {text!r} is no {what}", location=place(), hint=_HINT)
    return None


def _no_count(value: float, name: str) -> bool:
    return value < 0 or (bool(_WHOLE.search(name)) and not value.is_integer())


def whole(text: str, name: str, place: Callable[[], Location]) -> int:
    """A count of an instruction; 0 for an empty cell, InputError for anything that is no count."""
    value = number(text)
    if value is None and text.casefold() in _ABSENT:
        return 0
    if value is None or value < 0 or value != int(value):
        raise InputError(f"{name}: {text!r} is no count", location=place())
    return int(value)


def size(text: str) -> tuple[int, int, int] | None:
    """Read ``(32, 32, 1)`` or ``32x32``; None for a single number, and for no size."""
    parts = _sizes(text)
    x, y, z = (*parts, 1, 1, 1)[:3]
    return (x, y, z) if 2 <= len(parts) <= 3 and min(parts) > 0 else None


def product(text: str) -> int | None:
    """Read ``(32, 32, 1)``, ``32x32`` or ``1,024``: the product of the parts; None for no size."""
    return math.prod(_sizes(text) or (0,)) or None


def _sizes(text: str) -> list[int]:
    """The parts of a size; empty for no size."""
    inside = text.strip().removeprefix("(").removesuffix(")")
    listed = text.strip().startswith("(") or "x" in inside
    parts = re.split(r"[,x]", inside) if listed else [inside.replace(",", "")]
    if not all(re.fullmatch(r"\s*\d{1,12}(?:\.0*)?\s*", part) for part in parts):
        return []
    return [int(float(part)) for part in parts]


def counts(name: str, unit: str = "") -> bool:
    """Whether a column counts what shared memory does; bytes are no such counts."""
    if unit == "%" or "byte" in unit.casefold() or "pct" in name:
        return False
    return bool(_OF_INTEREST.search(name))
