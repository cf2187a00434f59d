"""``bankwise explain choose`` as JSON."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field

from bankwise.show.choosing import ChooseReport, Option
from bankwise.show.coalescing import CoalesceRow
from bankwise.show.documents.parts import Extra, Passes, Whole, empty_is_null, views


class QuestionDocument(Struct, frozen=True):
    """The checklist on one access; conflicts are of one pass over the tile."""

    access: str
    op: str
    instruction: str
    width_bytes: Whole
    sub_steps: Whole
    banks: Annotated[str, Meta(description="on which lanes 0-7 start")]
    checklist: int = field(name="extra_by_checklist")
    halves: int | None = field(name="extra_by_halves")
    counted: int = field(name="extra")


class StoreDocument(Struct, frozen=True):
    """The global store that an option leaves: cache lines that one instruction touches."""

    instructions: Whole
    width_bytes: Whole
    lines: Annotated[int, Meta(description="of the worst instruction")]
    needed: Annotated[int, Meta(description="the fewest that hold what it wants")]


class OptionDocument(Struct, frozen=True):
    """One way out, counted for one pass over the tile by all waves."""

    name: str
    label: str
    passes: Passes
    extra: Extra
    instructions: Whole
    lds_bytes: Whole
    operations: Annotated[int, Meta(description="of its address, beyond row-major")]
    findings: Annotated[tuple[str, ...], Meta(description="rules that it breaks")]
    global_store: StoreDocument | None


class RefusedDocument(Struct, frozen=True):
    """An option that is not possible here."""

    option: str
    reason: str


class ThumbDocument(Struct, frozen=True):
    """A rule of thumb: what its source says, and what counting says about it here."""

    number: Whole
    says: str
    here: str
    rule: Annotated[str | None, Meta(description="for `bankwise explain`, if the rule errs")]

    def __post_init__(self) -> None:
        """No rule is null."""
        empty_is_null(self, "rule")


class WrongDocument(Struct, frozen=True):
    """Where the source is wrong on this spec: the rule that explains it, and the evidence."""

    rule: str
    evidence: str


class ChooseDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.choose/1"):
    """A source's checklist and rules of thumb on a spec, and what counting chooses."""

    file: str
    target: str
    questions: tuple[QuestionDocument, ...]
    options: tuple[OptionDocument, ...]
    refused: tuple[RefusedDocument, ...]
    rules_of_thumb: tuple[ThumbDocument, ...]
    wrong: tuple[WrongDocument, ...]
    choice: Annotated[str, Meta(description="the name of an option")]
    verdict: Annotated[str, Meta(description="why, in numbers")]


def choose_document(report: ChooseReport) -> ChooseDocument:
    """``bankwise.choose/1``."""
    return ChooseDocument(
        file=report.file,
        target=report.machine,
        questions=views(QuestionDocument, report.questions),
        options=tuple(_option(option) for option in report.options),
        refused=tuple(RefusedDocument(name, reason) for name, reason in report.refused),
        rules_of_thumb=views(ThumbDocument, report.thumbs),
        wrong=views(WrongDocument, report.wrong),
        choice=report.choice,
        verdict=report.verdict,
    )


def _option(option: Option) -> OptionDocument:
    return OptionDocument(
        name=option.name,
        label=option.label,
        passes=option.passes,
        extra=option.extra,
        instructions=option.instructions,
        lds_bytes=option.lds_bytes,
        operations=option.operations,
        findings=option.findings,
        global_store=None if option.store is None else _store(option.store),
    )


def _store(store: CoalesceRow) -> StoreDocument:
    return StoreDocument(store.instructions, store.width_bytes, store.lines[1], store.least)
