"""The report of ``bankwise.triton.tune``: settings of a kernel's knobs, ranked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from textwrap import fill
from typing import Any

from msgspec import Struct, field


class KnobRow(Struct, frozen=True):
    """One setting of the knobs. Numbers are of a workgroup, of the code that is emitted.

    ``work``: what a workgroup does, as the caller says; ``counted``: whether it is known how often
    everything runs, ``analysed``: whether everything could be; ``open``: the rules that nobody
    knows, or that are assumed, in words, and
    ``assumed``: the conflicts, of all, by rules that nobody knows; ``refusal``: why there are no
    numbers, empty else.
    """

    knobs: Mapping[str, Any]
    work: float
    passes: int = 0
    conflicts: int = 0
    instructions: int = 0
    shared_bytes: int = 0
    registers: int = 0
    counted: bool = False
    analysed: bool = True
    assumed: int = 0
    open: tuple[str, ...] = ()
    refusal: str = ""

    @property
    def price(self) -> Fraction:
        """Passes for one unit of work."""
        return self.passes / Fraction(self.work)

    @property
    def passes_per_work(self) -> float:
        """The same as JSON has it."""
        return float(self.price)


class TuneReport(Struct, frozen=True):
    """All settings, the fewest passes for one unit of work first; those without numbers last.

    ``code``: which code was counted; ``parameters``: of the kernel, in order; ``given``: constants
    and options that are no knobs; ``constants``: which names are constants of the kernel;
    ``notes``: what is taken to hold of a launch, as lines.
    """

    kernel: str
    target: str
    rows: tuple[KnobRow, ...]
    code: str = ""
    parameters: tuple[str, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)
    constants: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> KnobRow | None:
        """The first row, if it has numbers."""
        return next((row for row in self.rows if not row.refusal), None)

    @property
    def paste(self) -> str:
        """The launch of the best setting, in the names of the kernel's text; empty if none has
        numbers."""
        if self.best is None:
            return ""
        said = {**self.given, **self.best.knobs}
        values = {name: said[name] for name in (*self.parameters, *said) if name in said}
        first = next((n for n, p in enumerate(self.parameters) if p in self.constants), None)
        plain = [p if n < (first or n + 1) else f"{p}={p}" for n, p in enumerate(self.parameters)]
        plain = [text for text in plain if text.partition("=")[0] not in self.constants]
        named = [f"{name}={value!r}" for name, value in values.items()]
        return _wrapped(f"{self.kernel}[grid](", [*plain, *named])

    @property
    def config(self) -> str:
        """The best setting as an entry of ``triton.autotune``; empty where a constant of the kernel
        has the name of an option."""
        if self.best is None or self.constants & set(_CONFIG):
            return ""
        knobs = self.best.knobs
        own = {name: value for name, value in knobs.items() if name not in _CONFIG}
        more = [f"{name}={value!r}" for name, value in knobs.items() if name in _CONFIG]
        return _wrapped("triton.Config(", [repr(own), *more])

    def document(self) -> dict[str, Any]:
        """``bankwise.tune/1``, for :func:`json.dumps`."""
        from bankwise.show.documents.parts import view
        from bankwise.show.documents.tuning import TuneDocument
        from bankwise.show.schema import plain

        return plain(view(TuneDocument, self))

    def __str__(self) -> str:
        """A table. Passes are no time."""
        lines = list(_table(self.rows))
        told = f"{self.kernel}, {self.target}: passes of a workgroup in its {self.code}; not time"
        rules = dict.fromkeys(rule for row in self.rows for rule in row.open)
        told_below = (*(f"note: {line}" for line in self.notes), *(f"? {rule}" for rule in rules))
        lines += (fill(line, _COLUMNS, subsequent_indent="  ") for line in told_below)
        table = "\n".join((told, *(line.rstrip() for line in lines)))
        config = f"\nor, of triton.autotune:\n{self.config}" * bool(self.config)
        paste = f"\nto paste, and to be timed:\n{self.paste}{config}" * bool(self.paste)
        return f"{table}{paste}"


def _table(rows: Sequence[KnobRow]) -> Iterator[str]:
    """A line each, below one of titles; what has no numbers says why."""
    names = list(dict.fromkeys(name for row in rows for name in row.knobs))
    work = ["passes/work"] * any(row.work != 1 for row in rows)
    heads = [*names, *work, "passes", "conflicts", "shared", "registers", ""]
    cells = [heads, *(_cells(row, names, bool(work)) for row in rows)]
    widths = [max(len(x[n]) for x in cells if n < len(x)) for n in range(len(heads))]
    for row, line in zip((None, *rows), cells, strict=True):
        text = "  ".join(c.rjust(w) for c, w in zip(line, widths, strict=False))
        refused = row is not None and row.refusal
        yield f"{text}  {refused}".splitlines()[0][:_COLUMNS] if refused else text.rstrip()


_CONFIG = ("num_warps", "num_stages", "num_ctas", "maxnreg")
"""Options that ``triton.Config`` has parameters for; others stand among the constants."""


def _wrapped(head: str, items: Sequence[str]) -> str:
    """A call in lines of at most 79 characters, as far as its items allow."""
    lines = [head]
    for number, item in enumerate(items):
        piece = item + (")" if number == len(items) - 1 else ", ")
        if len(lines[-1]) + len(piece.rstrip()) > _COLUMNS:
            lines.append("    ")
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)


_COLUMNS = 79
_MANY = 1000
"""Of numbers from here on four digits are not all that stand before the point."""


def _cells(row: KnobRow, names: Sequence[str], work: bool) -> list[str]:
    """``work``: with a column of what one unit of it takes."""
    said = [str(row.knobs.get(name, "")) for name in names]
    if row.refusal:
        return said
    runs = "" if row.counted else "runs not all known"
    doubt = runs if row.analysed else "not all analysed"
    mark = "?" * bool(row.open)
    each = row.passes_per_work
    shown = (f"{each:.4g}" if each < _MANY else f"{each:,.0f}",) if work else ()
    doubted = (*shown, f"{row.passes:,}", f"{row.conflicts:,}")
    sizes = (f"{row.shared_bytes:,}", f"{row.registers:,}")
    return [*said, *(f"{number}{mark}" for number in doubted), *sizes, doubt]
