"""``bankwise.triton.tune``: the knobs of a kernel, each setting compiled and its code counted.

Knobs are what a user of Triton sets: constants such as BLOCK_K, ``num_warps``, ``num_stages``. Each
setting is compiled in a process of its own and the code counted, so scratch of reductions and of
changes of layout, which no edit of TTGIR reaches, is in the numbers. What is ranked is shared
memory alone: a setting with fewer passes for the same work need not be faster.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from bankwise.ask.check_ttgir import plan
from bankwise.ask.ttgir_code import counted_code
from bankwise.errors import InputError
from bankwise.hardware.machine import machine
from bankwise.read.options import Progress
from bankwise.triton.source import TritonSource, compiled, source_of

MOST_SETTINGS = 512
"""Of one call; more take too long to compile."""

Work = Callable[[Mapping[str, Any]], float]
"""How much a workgroup does under a setting: its output elements, its products."""


@dataclass(frozen=True, slots=True)
class KnobRow:
    """One setting of the knobs. Numbers are of a workgroup, of the code that is emitted.

    ``work``: what a workgroup does, as the caller says; ``counted``: whether it is known how often
    everything runs; ``refusal``: why there are no numbers, empty else.
    """

    knobs: Mapping[str, Any]
    work: Fraction
    passes: int = 0
    conflicts: int = 0
    instructions: int = 0
    shared_bytes: int = 0
    registers: int = 0
    counted: bool = False
    refusal: str = ""

    @property
    def price(self) -> Fraction:
        """Passes for one unit of work."""
        return self.passes / self.work

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "knobs": dict(self.knobs),
            "work": float(self.work),
            "passes": self.passes,
            "passes_per_work": float(self.price),
            "conflicts": self.conflicts,
            "instructions": self.instructions,
            "shared_bytes": self.shared_bytes,
            "registers": self.registers,
            "counted": self.counted,
            "refusal": self.refusal or None,
        }


@dataclass(frozen=True, slots=True)
class TuneReport:
    """All settings, the fewest passes for one unit of work first; those without numbers last.

    ``how``: which code was counted.
    """

    name: str
    target: str
    rows: tuple[KnobRow, ...]
    how: str = ""

    @property
    def best(self) -> KnobRow | None:
        """The first row, if it has numbers."""
        return next((row for row in self.rows if not row.refusal), None)

    def document(self) -> dict[str, Any]:
        """For :func:`json.dumps`."""
        return {
            "kernel": self.name,
            "target": self.target,
            "code": self.how,
            "rows": [row.document() for row in self.rows],
        }

    def __str__(self) -> str:
        """A table. Passes are no time."""
        names = list(dict.fromkeys(name for row in self.rows for name in row.knobs))
        heads = [*names, "passes/work", "passes", "conflicts", "shared", "registers", ""]
        cells = [heads, *(_cells(row, names) for row in self.rows)]
        widths = [max(len(line[n]) for line in cells) for n in range(len(heads))]
        lines = ["  ".join(c.rjust(w) for c, w in zip(x, widths, strict=True)) for x in cells]
        told = f"{self.name}, {self.target}: passes of a workgroup in its {self.how}; not time"
        return "\n".join((told, *(line.rstrip() for line in lines)))


def _cells(row: KnobRow, names: Sequence[str]) -> list[str]:
    said = [str(row.knobs.get(name, "")) for name in names]
    if row.refusal:
        return [*said, *[""] * 5, row.refusal.splitlines()[0][:60]]
    doubt = "" if row.counted else "as followed"
    numbers = (row.passes, row.conflicts, row.shared_bytes, row.registers)
    return [*said, f"{float(row.price):.4g}", *(f"{n:,}" for n in numbers), doubt]


def tune(
    fn: Any,
    signature: Mapping[str, str],
    target: str,
    knobs: Mapping[str, Sequence[Any]],
    *,
    work: Work | None = None,
    constexprs: Mapping[str, Any] | None = None,
    numbers: Mapping[str, int] | None = None,
    divisible: Sequence[str] | None = None,
    processes: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> TuneReport:
    """Compile a kernel under every combination of some knobs, and rank them by passes.

    ``knobs``: values by name; a name of ``constexprs`` is a constant, any other an option of
    Triton. ``work``: of a workgroup under a setting, by which passes are divided (for a product
    ``lambda k: k["bm"] * k["bn"]``); without it every setting does as much. It gets all constants
    and options. ``processes``: compilations at a time, by default one for each core; ``progress``:
    called with how many are done, and of how many. All else as of :func:`bankwise.triton.check`.

    A setting that Triton refuses is a row that says so. Raises :class:`InputError` for no knobs,
    too many settings, and as ``check`` does for what is wrong with all of them.
    """
    source = source_of(
        *(fn, signature, target),
        constexprs=dict(constexprs or {}),
        numbers=numbers,
        divisible=divisible,
        **options,
    )
    rows = list(_rows(source, _settings(knobs), work, processes, progress))
    if all(row.refusal for row, _ in rows):
        raise InputError(f"no setting compiles: {rows[0][0].refusal}")
    order = sorted(rows, key=lambda each: (bool(each[0].refusal), each[0].price))
    how = next(how for _, how in rows if how)
    return TuneReport(source.name, target, tuple(row for row, _ in order), how)


def _settings(knobs: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    settings = [dict(zip(knobs, some, strict=True)) for some in product(*knobs.values())]
    count = len(settings) if knobs else 0
    if not 1 <= count <= MOST_SETTINGS:
        message = f"{count} settings of the knobs; 1 to {MOST_SETTINGS} do"
        raise InputError(message, hint='for example knobs={"bk": [32, 64]}')
    return settings


def _rows(
    source: TritonSource,
    settings: Sequence[Mapping[str, Any]],
    work: Work | None,
    processes: int,
    progress: Progress | None,
) -> Iterator[tuple[KnobRow, str]]:
    """A row for each setting, as they are done; each thread waits for a process of its own."""
    with ThreadPoolExecutor(processes or os.cpu_count() or 1) as pool:
        asked = [pool.submit(_row, source.with_knobs(each), each, work) for each in settings]
        for number, each in enumerate(as_completed(asked), 1):
            if progress is not None:
                progress(number, len(asked))
            yield each.result()


def _row(
    source: TritonSource, setting: Mapping[str, Any], work: Work | None
) -> tuple[KnobRow, str]:
    said = {**source.constants, **source.options}
    amount = Fraction(work(said) if work is not None else 1)
    if amount <= 0:
        raise InputError(f"the work of {dict(setting)} is {amount}, not a positive number")
    try:
        made = compiled(source)
        (planned,) = plan(made.texts["ttgir"], f"{source.name}.ttgir", source.said, verify=False)
        code = counted_code(made, planned, source.said)
    except InputError as error:
        return KnobRow(setting, amount, refusal=error.message), ""
    lds = machine(source.target).lds_bytes
    if made.shared_bytes > lds:
        reason = f"{made.shared_bytes:,} bytes of shared memory, there are {lds:,}"
        return KnobRow(setting, amount, refusal=reason), ""
    refused = code.report.refusals[0].reason if code.report.refusals else ""
    row = KnobRow(
        setting,
        amount,
        passes=code.passes,
        conflicts=code.report.totals.run.extra,
        instructions=code.executed,
        shared_bytes=made.shared_bytes,
        registers=code.code.registers or 0,
        counted=code.report.counted and not refused,
    )
    return row, code.how
