"""``bankwise check`` on a tile question: the count, and a layout to write where conflicts stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bankwise.ask.spec import chosen, counted
from bankwise.ask.tile_problem import TileProblem, tile_problem
from bankwise.errors import InputError, Refusal
from bankwise.notation import padding, row_major, xor
from bankwise.notation.framework import Framework, Ground, Setting
from bankwise.notation.frameworks import FRAMEWORKS, read_memory
from bankwise.notation.values import Mapped
from bankwise.read.options import Options, Progress
from bankwise.read.tile_file.question import TileQuestion, WrittenLayout
from bankwise.read.tile_file.read import read_question
from bankwise.show.spec import SpecReport
from bankwise.show.values import Snippet
from bankwise.solver.fit import Fit, fit
from bankwise.solver.general import listed_workload


def check_spec_file(file: Path, options: Options, progress: Progress | None = None) -> SpecReport:
    """Count every access of a file; of conflicts, the best layout of its notation's family.

    Raises :class:`InputError` with the place of what is wrong.
    """
    question = chosen(read_question(file, options.target), options.policy)
    report = counted(question)
    snippet = to_write(question, report)
    if snippet is None:
        return report
    (kernel,) = report.check.kernels
    check = replace(report.check, kernels=(replace(kernel, snippets=(snippet,)),))
    return replace(report, check=check)


def to_write(question: TileQuestion, before: SpecReport) -> Snippet | None:
    """The best layout that the notation of the file lists, read back and counted; None where none
    takes fewer passes, or accesses see the tile through layouts of their own."""
    layout = question.layout
    assert layout is not None, "it was counted"
    own = any(access.layout is not None for access in question.accesses)
    if own or before.check.conflict != "sure" or before.check.refusals:
        return None
    found = [
        (_passes(after), text.text)
        for text in _better(question, layout)
        if not (after := counted(replace(question, layout=text))).check.refusals
        and not after.check.findings
    ]
    now = _passes(before)
    passes, text = min(found, default=(now, ""))
    if passes >= now:
        return None
    return Snippet(
        language=layout.what,
        what="the layout of the tile",
        text=text,
        location=layout.location,
        before=now,
        after=passes,
        counted=True,
        each="pass over the tile",
    )


def _passes(report: SpecReport) -> int:
    return sum(access.cost.passes for access in report.check.accesses)


def _better(question: TileQuestion, layout: WrittenLayout) -> Iterator[WrittenLayout]:
    """The best layout of each family that the file's notation has."""
    stated = tile_problem(question)
    if not isinstance(stated, TileProblem) or stated.units or stated.stages:
        return
    machine = question.machine
    work = listed_workload(machine, stated.shape, stated.accesses, question.policy or "iree")
    setting = Setting(machine, {}, (machine.wave_size, 1, 1))
    for known in _families(layout):
        best = fit(work, known.name)
        if not isinstance(best, Fit):
            continue
        said = known.write(Mapped(question.shape, best.best.layout), Ground(question.whole))
        if isinstance(said, Refusal):
            continue
        text = str(said)
        try:
            memory = read_memory(text, known.language.name, question.whole, setting)
        except InputError:
            continue
        yield WrittenLayout(text, known.language.name, memory, layout.location)


def _families(layout: WrittenLayout) -> Iterator[Framework]:
    """Those of the notation; of a row-major tile, which is in nobody's words, folds and pads."""
    plain = layout.what == row_major.NAME
    names = {xor.XOR.name, padding.PADDING.name} if plain else set()
    for known in FRAMEWORKS:
        if known.name in names or (not plain and known.language.name == layout.what):
            yield known
