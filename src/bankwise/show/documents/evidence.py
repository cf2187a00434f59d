"""``bankwise evidence`` as JSON."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from bankwise.hardware.machine import Evidence
from bankwise.show.documents.parts import (
    Number,
    RefusalDocument,
    Whole,
    empty_is_null,
    view,
)
from bankwise.show.evidence import EvidenceReport


class VotesDocument(Struct, frozen=True):
    """How many layouts, kernels and accesses."""

    layouts: Whole
    kernels: Whole
    accesses: Whole


class RivalScoreDocument(Struct, frozen=True):
    """A rule for an instruction, and what is free of conflicts under it."""

    name: str
    own: Annotated[bool, Meta(description="the rule of the machine's file")]
    banks: Whole
    phases: str
    free: Annotated[VotesDocument, Meta(description="of the telling ones")]
    by_layouts: Annotated[Number, Meta(description="log10 of the best rule's likelihood ratio")]
    by_kernels: Annotated[Number, Meta(description="the same, by kernels")]


class RowEvidenceDocument(Struct, frozen=True):
    """What the kernels say about one instruction."""

    instruction: str
    evidence: Annotated[Evidence, Meta(description="of the machine's row")]
    layouts: Whole
    accesses: Whole
    free: Annotated[int, Meta(ge=0, description="accesses free under the machine's rule")]
    telling: Annotated[VotesDocument, Meta(description="those that the rules judge differently")]
    scores: tuple[RivalScoreDocument, ...]
    verdict: str
    line: Annotated[str | None, Meta(description="what a machine file may say of it")]

    def __post_init__(self) -> None:
        """Nothing is null."""
        empty_is_null(self, "line")


class EvidenceDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.evidence/1"):
    """How rival rules fare with kernels that were tuned by hand."""

    paths: tuple[str, ...]
    target: str
    kernels: Annotated[int, Meta(ge=0, description="of the target, each once")]
    rows: Annotated[tuple[RowEvidenceDocument, ...], Meta(description="most layouts first")]
    broken: Annotated[tuple[RefusalDocument, ...], Meta(description="not read, or not followed")]
    unfinished: Annotated[str | None, Meta(description="why it was ended early")]

    def __post_init__(self) -> None:
        """Nothing is null."""
        empty_is_null(self, "unfinished")


def evidence_document(report: EvidenceReport) -> EvidenceDocument:
    """``bankwise.evidence/1``."""
    return view(EvidenceDocument, report)
