"""``bankwise.triton.tune``: the knobs of a kernel, each setting compiled and its code counted.

Knobs are what a user of Triton sets: constants such as BLOCK_K, ``num_warps``, ``num_stages``. Each
setting is compiled in a process of its own and the code counted, so scratch of reductions and of
changes of layout, which no edit of TTGIR reaches, is in the numbers. What is ranked is shared
memory alone: a setting with fewer passes for the same work need not be faster.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import product
from math import inf
from typing import Any

from msgspec import Struct

from bankwise.ask.check_ttgir import plan
from bankwise.ask.ttgir_code import counted_code
from bankwise.errors import InputError
from bankwise.hardware.machine import machine
from bankwise.read.options import Progress
from bankwise.read.triton_calls import parameters
from bankwise.show.tuning import KnobRow, TuneReport
from bankwise.triton.source import TritonSource, assumed_in, compiled, source_of

MOST_SETTINGS = 512
"""Of one call; more take too long to compile."""

Work = Callable[[Mapping[str, Any]], float]
"""How much a workgroup does under a setting: its output elements, its products."""


class _CountedSetting(Struct, frozen=True):
    """A setting's row, which code was counted, and what that takes to hold of a launch."""

    row: KnobRow
    how: str = ""
    notes: tuple[str, ...] = ()


def tune(
    fn: Any,
    signature: Mapping[str, str],
    target: str,
    knobs: Mapping[str, Sequence[Any]],
    *,
    work: Work | None = None,
    processes: int = 0,
    progress: Progress | None = None,
    **said: Any,
) -> TuneReport:
    """Compile a kernel under every combination of some knobs, and rank them by passes.

    ``knobs``: values by name; a name of ``constexprs`` is a constant, any other an option of
    Triton. ``work``: of a workgroup under a setting, by which passes are divided (for a product
    ``lambda k: k["bm"] * k["bn"]``); without it every setting does as much. It gets all constants
    and options. ``processes``: compilations at a time, by default one for each core; ``progress``:
    called with how many are done, and of how many. ``said``: as
    :func:`bankwise.triton.source.source_of` takes it.

    A setting that Triton refuses is a row that says so. Raises :class:`InputError` for no knobs,
    too many settings, and as ``check`` does for what is wrong with all of them.
    """
    source = source_of(fn, signature, target, **said)
    rows = list(_rows(source, _settings(knobs), work, processes, progress))
    if all(each.row.refusal for each in rows):
        raise InputError(f"no setting compiles: {rows[0].row.refusal}")
    return _ranked(source, rows, target, knobs)


def _ranked(
    source: TritonSource, rows: Sequence[_CountedSetting], target: str, knobs: Iterable[str]
) -> TuneReport:
    """The settings, the cheapest first, with what is said beside all of them."""
    order = sorted((each.row for each in rows), key=lambda row: (bool(row.refusal), row.price))
    how = next(each.how for each in rows if each.how)
    own = {k for k in source.constants if source.types.get(k, "constexpr") == "constexpr"}
    fixed = {**{k: v for k, v in source.constants.items() if k in own}, **source.options}
    return TuneReport(
        source.name,
        target,
        tuple(order),
        how,
        parameters=parameters(source.path.read_text("utf-8"), source.name),
        given={k: v for k, v in fixed.items() if k not in knobs},
        constants=frozenset(own),
        notes=tuple(dict.fromkeys(note for each in rows for note in each.notes)),
    )


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
) -> Iterator[_CountedSetting]:
    """A row for each setting, as they are done; each thread waits for a process of its own."""
    with ThreadPoolExecutor(processes or os.cpu_count() or 1) as pool:
        asked = [pool.submit(_row, source.with_knobs(each), each, work) for each in settings]
        for number, each in enumerate(as_completed(asked), 1):
            if progress is not None:
                progress(number, len(asked))
            yield each.result()


def _row(source: TritonSource, setting: Mapping[str, Any], work: Work | None) -> _CountedSetting:
    said = {**source.constants, **source.options}
    amount = float(work(said)) if work is not None else 1.0
    if not 0 < amount < inf:
        raise InputError(f"the work of {dict(setting)} is {amount}, not a positive number")
    try:
        made = compiled(source)
        (planned,) = plan(made.texts["ttgir"], f"{source.name}.ttgir", source.said, verify=False)
        code = counted_code(made, planned, source.said)
    except InputError as error:
        return _CountedSetting(KnobRow(setting, amount, refusal=error.message))
    lds = machine(source.target).lds_bytes
    if made.shared_bytes > lds:
        reason = f"{made.shared_bytes:,} bytes of shared memory, there are {lds:,}"
        return _CountedSetting(KnobRow(setting, amount, refusal=reason))
    refused = code.report.refusals[0].reason if code.report.refusals else ""
    row = KnobRow(
        setting,
        amount,
        passes=code.passes,
        conflicts=code.report.whole.extra,
        instructions=code.executed,
        shared_bytes=made.shared_bytes,
        registers=code.code.registers or 0,
        counted=code.report.counted and not refused,
        analysed=not refused,
        assumed=code.assumed,
        open=code.open,
    )
    return _CountedSetting(row, code.how, assumed_in(made.texts["ttgir"]))
