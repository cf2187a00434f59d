"""``bankwise check`` on a tile question: the count, and a layout to write where conflicts stand."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path

from msgspec.structs import replace

from bankwise.ask.spec import counted
from bankwise.ask.tile_problem import TileProblem, tile_problem
from bankwise.errors import InputError, Refusal
from bankwise.notation import padding, row_major, xor
from bankwise.notation.framework import Framework, Ground, Setting
from bankwise.notation.frameworks import FRAMEWORKS, languages, read_memory
from bankwise.notation.values import Mapped
from bankwise.read.options import Options, Progress
from bankwise.read.tile_file.question import TileQuestion, WrittenLayout, chosen
from bankwise.read.tile_file.read import read_question
from bankwise.show.advised import Snippet
from bankwise.show.spec import SpecReport
from bankwise.solver.fit import Fit, fit
from bankwise.solver.general import listed_workload
from bankwise.solver.price import Workload


def check_spec_file(file: Path, options: Options, progress: Progress | None = None) -> SpecReport:
    """Count every access of a file; of conflicts, the best layout of its notation's family.

    Raises :class:`InputError` with the place of what is wrong.
    """
    question = chosen(read_question(file, options.target), options.policy)
    report = counted(question)
    written = to_write(question, report)
    if written is None:
        return report
    if isinstance(written, str):
        return replace(report, check=replace(report.check, notes=(written,)))
    (kernel,) = report.check.kernels
    check = replace(report.check, kernels=(replace(kernel, snippets=(written,)),))
    return replace(report, check=check)


def to_write(question: TileQuestion, before: SpecReport) -> Snippet | str | None:
    """The best layout that the notation of the file lists, read back and counted.

    Where none takes fewer passes, a note that says so of a language that no framework writes; None
    of others, and where accesses see the tile through layouts of their own.
    """
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
    passes, text = min(found, key=itemgetter(0), default=(now, ""))
    if passes >= now:
        return _none_better(layout, len(found))
    return Snippet(
        language=layout.what,
        what="the layout of the tile",
        text=text,
        location=layout.location,
        before=now,
        after=passes,
        counted=True,
        each="pass over the tile",
        notes=tuple(filter(None, (languages()[layout.what].proviso,))),
    )


def _none_better(layout: WrittenLayout, tried: int) -> str | None:
    written = any(known.language.name == layout.what for known in FRAMEWORKS)
    if written or not tried:
        return None
    return f"none of {tried} layouts of {layout.what} that were counted takes fewer passes"


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
    for text, language in _texts(question, layout, work):
        try:
            memory = read_memory(text, language, question.whole, setting)
        except InputError:
            continue
        yield WrittenLayout(text, language, memory, layout.location)


def _texts(
    question: TileQuestion, layout: WrittenLayout, work: Workload
) -> Iterator[tuple[str, str]]:
    """What may be written, and in which language."""
    plans = (_best(question, work, known) for known in (xor.XOR, padding.PADDING))
    own = languages()[layout.what].others
    for text in own(layout.text, question.whole, (plan for plan in plans if plan is not None)):
        yield text, layout.what
    for known in _families(layout):
        best = _best(question, work, known)
        said = None if best is None else known.write(best, Ground(question.whole))
        if said is not None and not isinstance(said, Refusal):
            yield str(said), known.language.name


def _best(question: TileQuestion, work: Workload, known: Framework) -> Mapped | None:
    best = fit(work, known.name)
    return Mapped(question.shape, best.best.layout) if isinstance(best, Fit) else None


def _families(layout: WrittenLayout) -> Iterator[Framework]:
    """Those of the notation; of a row-major tile, which is in nobody's words, folds and pads."""
    plain = layout.what == row_major.NAME
    names = {xor.XOR.name, padding.PADDING.name} if plain else set()
    for known in FRAMEWORKS:
        if known.name in names or (not plain and known.language.name == layout.what):
            yield known
