"""Short answers for agents: what is worst, what to write, and how much more there is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from bankwise.errors import Location
from bankwise.show.documents.parts import Number, Whole
from bankwise.show.documents.snippets import SnippetDocument, snippet_document
from bankwise.show.fixing import FixReport, Status
from bankwise.show.marks import Level, Mark, marks
from bankwise.show.values import CheckReport
from bankwise.show.words import verdict

MOST = 5
"""Of each list in a short answer."""
_TEXT, _SNIPPET, _PATCH = 400, 3_000, 12_000
"""Characters of one text, of what to paste, of a patch."""

Left = Annotated[
    dict[str, int], Meta(description="items of every list of the whole answer, by its name")
]


class BriefFindingDocument(Struct, frozen=True):
    """What is wrong at one place, or not known there."""

    place: Annotated[str, Meta(description="file:line:column")]
    level: Level
    rule: Annotated[str | None, Meta(description="for the tool explain")]
    message: str
    reasons: tuple[str, ...]
    also: Annotated[tuple[str, ...], Meta(description="places of the same cause")]


class BriefVerdictDocument(Struct, frozen=True):
    """What one judge says of a change."""

    judge: str
    status: Status
    complete: Annotated[bool, Meta(description="false: some workgroups stand for all")]
    detail: str


class BriefLayoutDocument(Struct, frozen=True):
    """The layout that solve found in one language, or why that cannot say it."""

    language: str
    text: str


class BriefDocument(Struct, frozen=True, kw_only=True, tag_field="schema", tag="bankwise.brief/1"):
    """The short answer of a tool that is asked about a file. The whole one is kept as ``answer``;
    the tool ``more`` reads from it."""

    of: Annotated[str, Meta(description="what the whole answer is, e.g. bankwise.check/1")]
    exit_code: Annotated[int, Meta(description="0 clean, 1 findings, 2 failed, 3 incomplete")]
    verdict: Annotated[str, Meta(description="the answer in one line")]
    findings: Annotated[tuple[BriefFindingDocument, ...], Meta(description="the worst")]
    findings_in_all: Annotated[Whole, Meta(description="places, those of one cause each")]
    write: Annotated[tuple[SnippetDocument, ...], Meta(description="what to paste, or to run")]
    changes: tuple[str, ...] | UnsetType = UNSET
    verdicts: tuple[BriefVerdictDocument, ...] | UnsetType = UNSET
    patch: (
        Annotated[
            str | None, Meta(description="a unified diff; null: none, or too long, then /patch")
        ]
        | UnsetType
    ) = UNSET
    passes: (
        Annotated[Number | None, Meta(description="of the layout that was found")] | UnsetType
    ) = UNSET
    optimal: Annotated[bool, Meta(description="proved, of all layouts")] | UnsetType = UNSET
    layouts: tuple[BriefLayoutDocument, ...] | UnsetType = UNSET
    left: Left
    answer: Annotated[str, Meta(description="for the tool more; empty: nothing is kept")] = ""


class PieceDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.piece/1"):
    """A piece of a whole answer, as its JSON has it. What is too long is left out of it by name:
    ask for that."""

    answer: str
    at: Annotated[str, Meta(description="a JSON pointer into the whole answer")]
    of: Annotated[str, Meta(description="what the whole answer is")]
    start: Annotated[Whole, Meta(description="of a list the first item, of a text the character")]
    items: Annotated[int, Meta(description="in all: items, keys or characters; 1 of a number")]
    value: Annotated[Any, Meta(description="of a list or a text, from `start` on")]
    next: Annotated[int | None, Meta(description="the next `start`; null: this is the end")]


def check_brief(report: CheckReport, text: str, whole: dict[str, Any]) -> BriefDocument:
    """Of a check; ``text``: of the file."""
    found = [mark for mark in marks(report, text) if mark.level != "none"]
    return BriefDocument(
        of=whole["schema"],
        exit_code=report.exit_code,
        verdict=verdict(report),
        findings=_findings(found),
        findings_in_all=len(found),
        write=tuple(_short(snippet_document(one)) for one in report.snippets[:MOST]),
        left=lists(whole),
    )


def fix_brief(report: FixReport, changes: Iterable[str], whole: dict[str, Any]) -> BriefDocument:
    """Of a fix of one file; what is found is what is left after it, and what was not changed."""
    found = [mark for mark in marks(report.after) if mark.level != "none"]
    found += [
        Mark(
            one.location or report.after.kernels[0].location,
            "note",
            "",
            f"not changed: {one.reason}",
        )
        for one in (report.refusals if report.after.kernels else ())
    ]
    before, after = verdict(report.before), verdict(report.ends)
    rests = report.unsure
    said = (_offered(report), f"before: {before}", f"after: {after}", rests)
    patch = report.patch if report.accepted and len(report.patch) <= _PATCH else None
    return BriefDocument(
        of=whole["schema"],
        exit_code=report.exit_code,
        verdict="; ".join(filter(None, said)),
        findings=_findings(found),
        findings_in_all=len(found),
        write=(),
        changes=tuple(_cut(one) for one in changes)[:MOST],
        verdicts=tuple(
            BriefVerdictDocument(v.judge, v.status, v.complete, _cut(v.detail))
            for v in report.verdicts
        ),
        patch=patch,
        left=lists(whole),
    )


def _offered(report: FixReport) -> str:
    if report.accepted:
        return "a change is offered"
    return "a judge rejected the change" if report.changes else "nothing is changed"


def solve_brief(whole: dict[str, Any], exit_code: int) -> BriefDocument:
    """Of a search for a layout, from its document."""
    layout, standing = whole["layout"] or {"emit": {}, "offset": ""}, whole["standing"]
    how = standing["text"] if standing else whole["how"]
    texts = ((language, text[:_SNIPPET]) for language, text in layout["emit"].items())
    return BriefDocument(
        of=whole["schema"],
        exit_code=exit_code,
        verdict=_cut(whole["refusal"] or f"{layout['offset']}: {how}"),
        findings=(),
        findings_in_all=0,
        write=(),
        passes=whole["total_passes"],
        optimal=whole["optimal"],
        layouts=tuple(BriefLayoutDocument(*each) for each in texts),
        left=lists(whole),
    )


def lists(whole: dict[str, Any]) -> dict[str, int]:
    """How long the lists of a document are."""
    return {key: len(value) for key, value in whole.items() if isinstance(value, list) and value}


def _findings(found: Sequence[Mark]) -> tuple[BriefFindingDocument, ...]:
    """The first ones; places of one cause are one finding."""
    told: set[Location] = set()
    first: list[BriefFindingDocument] = []
    for mark in found:
        if mark.location not in told or not mark.also:
            first.append(_finding(mark))
        told.update((mark.location, *mark.also))
        if len(first) == MOST:
            break
    return tuple(first)


def _finding(mark: Mark) -> BriefFindingDocument:
    reasons, also = tuple(map(_cut, mark.reasons)), tuple(map(str, mark.also))
    said = (mark.level, mark.rule or None, _cut(mark.message))
    return BriefFindingDocument(str(mark.location), *said, reasons, also)


def _short(found: SnippetDocument) -> SnippetDocument:
    """Without what is too long: the whole answer has it."""
    from msgspec.structs import replace

    text = found.snippet if found.snippet and len(found.snippet) <= _SNIPPET else None
    return replace(found, snippet=text, patch=None)


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[: _TEXT - 3]} .."
