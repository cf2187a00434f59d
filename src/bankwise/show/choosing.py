"""The report of ``bankwise explain choose``: a source's checklist and rules on a spec."""

from __future__ import annotations

from msgspec import Struct

from bankwise.show.coalescing import CoalesceRow
from bankwise.show.columns import Console, table
from bankwise.show.notebook import printed
from bankwise.show.plain import escape
from bankwise.show.spec import called


class AccessQuestions(Struct, frozen=True):
    """Q1 to Q4 for one access. Conflicts are of one pass over the tile.

    ``checklist``: by half-waves and sub-steps; ``halves``: with R2, None where no word is shared;
    ``counted``: by the machine's phases.
    """

    access: str
    op: str
    instruction: str
    width_bytes: int
    sub_steps: int
    banks: str
    checklist: int
    halves: int | None
    counted: int


class Option(Struct, frozen=True):
    """One way out, counted: LDS passes and instructions of one pass over the tile by all waves.

    ``operations``: of its address beyond row-major. ``store``: the global store, None if the spec
    has none. ``findings``: rules that it breaks.
    """

    name: str
    label: str
    passes: int
    extra: int
    instructions: int
    lds_bytes: int
    operations: int
    store: CoalesceRow | None = None
    findings: tuple[str, ...] = ()


class Thumb(Struct, frozen=True):
    """One rule of thumb: what the source says, and what counting says about it here.

    ``rule``: the name for `bankwise explain`, empty if nothing is wrong with the rule.
    """

    number: int
    says: str
    here: str
    rule: str = ""


class Wrong(Struct, frozen=True):
    """Where the source is wrong on this spec: the rule that explains it, and the evidence."""

    rule: str
    evidence: str


@printed("bankwise.show.choosing:print_choose")
class ChooseReport(Struct, frozen=True):
    """The answer. ``choice``: the name of the option, ``verdict``: why, in numbers."""

    file: str
    title: str
    machine: str
    questions: tuple[AccessQuestions, ...]
    options: tuple[Option, ...]
    refused: tuple[tuple[str, str], ...]
    thumbs: tuple[Thumb, ...]
    wrong: tuple[Wrong, ...]
    choice: str
    verdict: str


def print_choose(report: ChooseReport, console: Console) -> None:
    """Print the checklist, the options, the rules of thumb, the errors and the verdict."""
    console.print(f"[bold]{escape(report.title)}[/] on {report.machine}")
    console.print("\n[bold]The checklist (Q1-Q4)[/], extra passes in one pass over the tile")
    _print_questions(report, console)
    console.print("\n[bold]Ways out[/], in one pass over the tile")
    _print_options(report, console)
    console.print()
    for name, reason in report.refused:
        console.print(f"  {escape(name)}: not possible: {escape(reason)}")
    console.print("[bold]Rules of thumb[/]")
    for thumb in report.thumbs:
        console.print(f"  {thumb.number}. [dim]{escape(thumb.says)}[/]")
        see = f" [dim](bankwise explain {thumb.rule})[/]" if thumb.rule else ""
        console.print(f"     {escape(thumb.here)}{see}")
    if report.wrong:
        console.print("[bold]Where the source is wrong here[/]")
    for wrong in report.wrong:
        console.print(f"  [yellow]{wrong.rule}[/]: {escape(wrong.evidence)}")
    console.print(f"[bold]Choose: {escape(report.choice)}.[/] {escape(report.verdict)}")


def _print_questions(report: ChooseReport, console: Console) -> None:
    rows = [
        [
            *(str(q.checklist), "" if q.halves is None else str(q.halves), str(q.counted)),
            *(str(q.sub_steps), q.instruction, f"{called(q.op, q.access)}: {q.banks}"),
        ]
        for q in report.questions
    ]
    colours = ["red" if q.counted else "green" for q in report.questions]
    titles = ("checklist", "with R2", "counted", "sub-steps", "instruction")
    table(console, (*titles, "access: lanes 0-7 on banks"), rows, colours, whole=True)


def _print_options(report: ChooseReport, console: Console) -> None:
    rows = [
        [
            *map(str, (o.passes, o.extra, o.instructions)),
            *(f"{o.lds_bytes:,}", str(o.operations), "" if o.store is None else _store(o.store)),
            f"{o.name}: {o.label}",
        ]
        for o in report.options
    ]
    colours = ["red" if o.extra else "green" for o in report.options]
    heads = ("LDS passes", "extra", "LDS instructions", "LDS bytes", "operations", "global stores")
    table(console, (*heads, "what"), rows, colours, whole=True)


def _store(store: CoalesceRow) -> str:
    return f"{store.instructions} x {store.width_bytes} B, {store.lines[1]} lines each"
