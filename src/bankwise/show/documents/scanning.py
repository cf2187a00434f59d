"""``bankwise scan`` as JSON."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from bankwise.counting.counted import Sureness
from bankwise.show.documents.parts import (
    Ideal,
    Passes,
    RefusalDocument,
    Whole,
    empty_is_null,
    view,
)
from bankwise.show.scanning import ScanReport


class OpenReasonDocument(Struct, frozen=True):
    """Why accesses are not answered."""

    reason: str
    accesses: Annotated[int, Meta(ge=0, description="0: control flow is lost there")]


class ScannedKernelDocument(Struct, frozen=True):
    """One kernel with shared memory; numbers are those of one workgroup."""

    name: str
    called: Annotated[str, Meta(description="the name as its author wrote it, shortened")]
    file: str
    member: Annotated[str | None, Meta(description="the end of `file`: where in a library")]
    target: str
    threads: Annotated[tuple[int, int, int] | None, Meta(description="of a workgroup")]
    lds_bytes: Annotated[int, Meta(ge=0, description="static")]
    accesses: Annotated[int, Meta(ge=0, description="places that touch shared memory, or may")]
    answered: Annotated[int, Meta(ge=0, description="those with a number")]
    by_data: Annotated[int, Meta(ge=0, description="of the others, those that data decides")]
    passes: Passes
    ideal: Ideal
    wasted: Annotated[int, Meta(ge=0, description="passes - ideal, as often as was followed")]
    low: Annotated[int, Meta(ge=0, description="of what the conflict counter adds")]
    high: Annotated[int | None, Meta(description="null: no upper end is known")]
    assumed: Annotated[int, Meta(ge=0, description="of `wasted`, by rules nobody knows")]
    conflict: Annotated[Sureness, Meta(description="the surest of its accesses")]
    ways: Whole
    worst: Annotated[str | None, Meta(description="its worst access; null: none conflicts")]
    why: Annotated[str | None, Meta(description="why that conflicts")]
    source: Annotated[str | None, Meta(description="the file in which that stands; null: `file`")]
    line: Whole | None
    accounted: Annotated[bool, Meta(description="whether all is answered, by rules that are known")]
    left: Annotated[tuple[str, ...], Meta(description="between the numbers and a promise")]
    notes: Annotated[tuple[str, ...], Meta(description="what was taken for granted")]
    reasons: Annotated[tuple[OpenReasonDocument, ...], Meta(description="why the rest is open")]
    openers: Annotated[tuple[str, ...], Meta(description="facts of the launch, what each answers")]
    copies: Annotated[tuple[str, ...], Meta(description="where else the same kernel stands")]

    def __post_init__(self) -> None:
        """Nothing is null."""
        empty_is_null(self, "member", "worst", "why", "source", "line")


class ScanSummaryDocument(Struct, frozen=True):
    """The kernels for one GPU in numbers, each once; whatever --top and --min-extra leave out."""

    target: str
    kernels: Whole
    touching: Annotated[int, Meta(ge=0, description="kernels with shared memory")]
    answered: Annotated[
        int, Meta(ge=0, description="with a number for 90 % of what data does not decide")
    ]
    accesses: Whole
    counted: Annotated[int, Meta(ge=0, description="accesses with a number")]
    by_data: Annotated[int, Meta(ge=0, description="accesses that a value of memory decides")]
    share: Annotated[str, Meta(description="of the rest, how many are counted, in percent")]


class ScanDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.scan/1"):
    """Every kernel of files and folders, the most wasteful first."""

    paths: tuple[str, ...]
    kernels: tuple[ScannedKernelDocument, ...]
    without: Annotated[int, Meta(ge=0, description="kernels without shared memory")]
    files: Annotated[int, Meta(ge=0, description="that were opened")]
    broken: Annotated[tuple[RefusalDocument, ...], Meta(description="what was not read")]
    unfinished: Annotated[str | None, Meta(description="why the scan was ended early")]
    waiting: Annotated[int, Meta(ge=0, description="kernels that it left")]
    resumed: Annotated[int, Meta(ge=0, description="kernels known from the store")]
    hidden: Annotated[int, Meta(ge=0, description="kernels left out by --min-extra")]
    summary: Annotated[tuple[ScanSummaryDocument, ...], Meta(description="by target")]

    def __post_init__(self) -> None:
        """Nothing is null."""
        empty_is_null(self, "unfinished")


def scan_document(report: ScanReport) -> ScanDocument:
    """``bankwise.scan/1``."""
    return view(ScanDocument, report)
