"""The answer of ``solve`` to a question with a layout: beside it, in every notation."""

from __future__ import annotations

from fractions import Fraction

from bankwise.ask.solve import OWN, answered
from bankwise.ask.spec import counted, needs_layout
from bankwise.ask.spec_moves import moves
from bankwise.errors import Refusal
from bankwise.notation import row_major
from bankwise.notation.fold import sizes
from bankwise.notation.framework import Framework, Ground
from bankwise.notation.frameworks import frameworks
from bankwise.notation.values import Mapped, same_memory
from bankwise.read.tile_file.question import SolveOptions, TileQuestion, WrittenLayout
from bankwise.show.solving import SolveReport
from bankwise.show.spec import Said, SpecSolution
from bankwise.solver.fit import Fit


def solved(spec: TileQuestion, asked: SolveOptions = OWN, steps: bool = False) -> SpecSolution:
    """The best layout for a question with a layout that is read already."""
    layout, before = needs_layout(spec), counted(spec)
    report = answered(spec, asked, steps)
    if report.layout is None:
        return SpecSolution(report, layout.what, (), before)
    ground = _ground(spec, layout)
    said = tuple(_said(f, report, ground, layout) for f in _named())
    return SpecSolution(report, layout.what, said, before)


def _named() -> list[Framework]:
    """All but row-major, which is in nobody's words."""
    return [f for f in frameworks().values() if f is not row_major.ROW_MAJOR]


def _said(known: Framework, report: SolveReport, ground: Ground, layout: WrittenLayout) -> Said:
    """The optimum in one notation, or the best member of its family.

    What the file itself says of the optimum is said again, whatever ``write`` looks at.
    """
    assert report.layout is not None, "there is an answer"
    name, tile = known.said_as, sizes(ground.shape)
    memory = Mapped(tile, report.layout.layout)
    text = known.write(memory, ground)
    if not isinstance(text, Refusal):
        return Said(name, str(text))
    if layout.what == known.language.name and _is(layout, memory):
        return Said(name, layout.text)
    fitted = (report.fits or {}).get(known.name)
    if not isinstance(fitted, Fit):
        reason = fitted.reason if isinstance(fitted, Refusal) else text.reason
        return Said(name, refusal=reason)
    best = known.write(Mapped(tile, fitted.best.layout), ground)
    return Said(
        name,
        refusal=text.reason,
        best="" if isinstance(best, Refusal) else str(best),
        label=fitted.best.name,
        passes=_plain(fitted.best.passes),
        lost=_plain(fitted.best.passes - report.layout.passes),
        tried=0 if known.complete else fitted.members,
    )


def _is(layout: WrittenLayout, memory: Mapped) -> bool:
    return not isinstance(layout.memory, Refusal) and same_memory(layout.memory, memory)


def _ground(spec: TileQuestion, layout: WrittenLayout) -> Ground:
    """The tile, and how many elements the widest access moves at once."""
    moved = [moves(spec, access, layout) for access in spec.accesses]
    spans = [len(runs[0].registers) for runs in moved if not isinstance(runs, Refusal)]
    return Ground(spec.whole, span=max(spans, default=0))


def _plain(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(value)
