"""``bankwise explain choose``: padding, XOR or a wider store, counted on the user's own spec.

The checklist Q1 to Q4 and the six rules of thumb are those of "LDS Bank Conflicts on CDNA"; beside
each stands what counting says, and where the source is wrong on this spec.
"""

from __future__ import annotations

from pathlib import Path

from bankwise.ask.choose_options import one_word_longer, option, under, vector_store
from bankwise.ask.choose_rules import WORD, thumbs, wrong_about_globals, wrong_about_row_mul
from bankwise.ask.coalesce import row
from bankwise.ask.spec import needs_layout
from bankwise.ask.spec_count import access_report, lanes_of
from bankwise.ask.spec_moves import moves
from bankwise.ask.spec_solution import solved
from bankwise.errors import Refusal
from bankwise.hardware.machine import BANK_BYTES
from bankwise.notation.accesses import TileInstruction
from bankwise.read.recognise import require
from bankwise.read.tile_file.question import (
    SolveOptions,
    TileQuestion,
    WrittenAccess,
    WrittenLayout,
)
from bankwise.read.tile_file.read import read_question
from bankwise.show.choosing import AccessQuestions, ChooseReport, Option, Wrong
from bankwise.show.coalescing import CoalesceRow
from bankwise.show.rules.checklist import banks_of, extra_by_checklist, extra_by_halves, sub_steps
from bankwise.show.spec import SpecSolution, called
from bankwise.solver.fit import Fit

AS_IS = "as is"
PADDING = "padding"
XOR = "XOR"
VECTOR_STORE = "M-vector store"
SAME_SIZE = SolveOptions(allow_narrowing=False, prefer="least-lds")
"""Every access whole, in the bytes of the tile: padding is an option of its own here."""


def choose(file: str | Path, *, target: str = "") -> ChooseReport:
    """Walk the checklist and the rules of thumb on a tile question, and count every way out.

    Raises :class:`bankwise.errors.InputError` for a bad file.
    """
    require(file, "explain choose")
    return chosen_for(read_question(file, target))


def chosen_for(spec: TileQuestion) -> ChooseReport:
    """The same for a question that is read already."""
    layout = needs_layout(spec)
    questions = [_question(spec, a, layout) for a in spec.accesses]
    found, refused = _options(spec, layout)
    rows = [r for r in (row(spec, g) for g in spec.globals) if isinstance(r, CoalesceRow)]
    known = [q for q in questions if isinstance(q, AccessQuestions)]
    best = min(found, key=_price) if found else None
    refused += [(q.reason, "not counted") for q in questions if isinstance(q, Refusal)]
    return ChooseReport(
        spec.file,
        spec.title,
        spec.machine.name,
        tuple(known),
        tuple(found),
        tuple(refused),
        thumbs(spec, rows, {o.name: o for o in found}),
        (
            *_wrong_about_counting(known),
            *wrong_about_row_mul(spec),
            *wrong_about_globals(spec, rows),
        ),
        best.name if best else "nothing",
        _verdict(best, found) if best else "no access could be counted",
    )


def _question(
    spec: TileQuestion, access: WrittenAccess, layout: WrittenLayout
) -> AccessQuestions | Refusal:
    moved = moves(spec, access, layout)
    if isinstance(moved, Refusal):
        return moved
    if any(not lanes_of(m).all() for m in moved):
        return Refusal(f"access {access.name!r}: the checklist knows no masked lanes")
    banks, counted = banks_of(spec.machine), access_report(spec, access, moved)
    checklist = extra_by_checklist(moved, banks)
    shared = moved[0].instruction.width_bytes < BANK_BYTES
    return AccessQuestions(
        access.name,
        access.op,
        f"{counted.instructions} x {counted.instruction}",
        moved[0].instruction.width_bytes,
        sub_steps(moved[0].instruction.width_bytes),
        _banks(moved[0], banks),
        checklist,
        extra_by_halves(moved, banks) if shared else None,
        counted.cost.extra,
    )


def _banks(moved: TileInstruction, banks: int) -> str:
    """Q2: where the first lanes of wave 0 begin."""
    return " ".join(str(int(b)) for b in moved.offsets_bytes[0, :8] // BANK_BYTES % banks)


def _options(
    spec: TileQuestion, layout: WrittenLayout
) -> tuple[list[Option], list[tuple[str, str]]]:
    solution = solved(spec, SAME_SIZE)
    shown = f"{layout.what} layout of the file"
    made: dict[str, Option | Refusal] = {AS_IS: option(spec, AS_IS, shown)}
    made[WORD] = _mapped(spec, WORD, f"{one_word_longer(spec)}")
    made[PADDING] = _padding(spec, solution)
    made[XOR] = _solved(spec, XOR, solution)
    wide = vector_store(spec)
    made[VECTOR_STORE] = wide if isinstance(wide, Refusal) else _wide(wide)
    found = [o for o in made.values() if isinstance(o, Option)]
    return found, [(n, o.reason) for n, o in made.items() if isinstance(o, Refusal)]


def _mapped(spec: TileQuestion, name: str, label: str) -> Option | Refusal:
    changed = under(spec, one_word_longer(spec))
    return changed if isinstance(changed, Refusal) else option(changed, name, label)


def _padding(spec: TileQuestion, solution: SpecSolution) -> Option | Refusal:
    fits = solution.report.fits
    found = fits.get("padding") if fits else solution.report.refusal
    if not isinstance(found, Fit):
        return found or Refusal("no padding")
    changed = under(spec, found.best.layout)
    if isinstance(changed, Refusal):
        return changed
    return option(changed, PADDING, found.best.name, found.best.operations)


def _solved(spec: TileQuestion, name: str, solution: SpecSolution) -> Option | Refusal:
    best = solution.report.layout
    if best is None:
        return solution.report.refusal or Refusal("no layout")
    changed = under(spec, best.layout)
    if isinstance(changed, Refusal):
        return changed
    return option(changed, name, best.offset, best.operations)


def _wide(spec: TileQuestion) -> Option | Refusal:
    """The wider store under its own best layout."""
    found = _solved(spec, VECTOR_STORE, solved(spec, SAME_SIZE))
    if isinstance(found, Refusal):
        found = option(spec, VECTOR_STORE, "under the layout of the file")
    return found


def _price(o: Option) -> tuple[bool, int, int, int, int, int]:
    """Right first; then what is fetched, what LDS takes, what the layout costs."""
    fetched = o.store.fetched_bytes if o.store else 0
    return bool(o.findings), fetched, o.passes, o.instructions, o.lds_bytes, o.operations


def _verdict(best: Option, found: list[Option]) -> str:
    text = (
        f"{best.extra} extra of {best.passes} LDS passes, {best.instructions} LDS instructions, "
        f"{best.lds_bytes:,} bytes"
    )
    for other in found:
        if other is best or other.name == WORD:
            continue
        text += f"; {other.name}: {_against(other, best)}"
    return text + "."


def _against(other: Option, best: Option) -> str:
    """What another option costs more, or less."""
    parts = []
    for unit, mine, theirs in (
        ("passes", other.passes, best.passes),
        ("instructions", other.instructions, best.instructions),
        ("bytes", other.lds_bytes, best.lds_bytes),
    ):
        if mine != theirs:
            parts.append(f"{mine - theirs:+,} {unit}")
    if other.store is not None and best.store is not None:
        lines = _lines(other.store) - _lines(best.store)
        parts += [f"{lines:+,} lines stored"] if lines else []
    return ", ".join(parts) or "the same"


def _lines(store: CoalesceRow) -> int:
    return store.fetched_bytes // store.line_bytes


def _wrong_about_counting(questions: list[AccessQuestions]) -> list[Wrong]:
    found = []
    for q in questions:
        if q.width_bytes > BANK_BYTES and q.checklist != q.counted:
            says = (
                f"{called(q.op, q.access)}: Q1-Q3 give {q.checklist} extra, the phases {q.counted}"
            )
            found.append(Wrong("sub-steps", says))
        if q.halves is not None and q.halves != q.counted:
            says = (
                f"{called(q.op, q.access)}: R2 gives {q.halves} extra, distinct words {q.counted}"
            )
            found.append(Wrong("same-word", says))
    return found
