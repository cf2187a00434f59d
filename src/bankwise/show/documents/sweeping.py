"""``bankwise sweep`` as JSON."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct, convert

from bankwise.show.documents.parts import Number, Whole, view, views
from bankwise.show.sweeping import SweepReport
from bankwise.sweep.one_layout import OneLayout
from bankwise.sweep.spec import Case
from bankwise.sweep.store import CaseResult
from bankwise.sweep.table import rows, summaries

Ratio = Annotated[Number | None, Meta(description="of prices; null where nothing is known")]


class SummaryDocument(Struct, frozen=True):
    """All cases of one kernel, type, target and mitigation; null where no case was done."""

    kernel: str
    type: str
    target: str
    mitigation: str
    done: Whole
    failed: Whole
    conflict_free: Annotated[int, Meta(description="cases whose counter stays 0")]
    extra: Annotated[Number | None, Meta(description="median of the launches' extra passes")]
    lds_bytes: Annotated[Number | None, Meta(description="median")]
    waves: Annotated[Number | None, Meta(description="median of the resident waves")]
    instructions: Annotated[Number | None, Meta(description="median of the LDS instructions")]
    passes_to_default: Annotated[
        Number | None, Meta(description="median ratio to the framework's default of the same shape")
    ]
    cycles_to_default: Annotated[Number | None, Meta(description="the same of data + issue cycles")]
    worse: Annotated[int, Meta(description="cases that take more of either than the default")]


class OwnBestDocument(Struct, frozen=True):
    """The best plan of a tile itself; ``proved``: no plan is cheaper."""

    name: str
    price: Number
    passes: Number
    cycles: Number | None
    lds_bytes: Whole
    proved: bool
    assumed: str


class SweptTileDocument(Struct, frozen=True):
    """A tile of a sweep."""

    tile: str
    shape: str
    type: str
    target: str
    weight: Whole
    unit: Annotated[str, Meta(description="of its prices: cycles (data + issue) or passes")]
    default: Annotated[str, Meta(description="the layout that the framework gives it unasked")]
    own: OwnBestDocument


class LayoutScoreDocument(Struct, frozen=True):
    """One layout on all tiles, in their order; null where it does not fit, and ``why``."""

    name: str
    kind: str
    worst: Ratio
    mean: Ratio
    fits: Whole
    lds_bytes: Whole
    operations: Whole
    assumed: str
    prices: tuple[Number | None, ...]
    ratios: Annotated[tuple[Ratio, ...], Meta(description="to each tile's own best")]
    why: tuple[str, ...]


class LayoutTextDocument(Struct, frozen=True):
    """The layout in a notation, and the tiles that it is the text for."""

    notation: str
    text: str
    tiles: tuple[str, ...]


class OneLayoutDocument(Struct, frozen=True):
    """Which one layout for all tiles of a target; ``target`` null: of all targets together."""

    target: str | None
    tiles: tuple[SweptTileDocument, ...]
    best: Annotated[LayoutScoreDocument, Meta(description="the best of those that were tried")]
    proved: Annotated[bool, Meta(description="it takes every tile's proved best")]
    on_average: LayoutScoreDocument
    default: LayoutScoreDocument
    layouts: Annotated[tuple[LayoutScoreDocument, ...], Meta(description="all, the best first")]
    texts: Annotated[tuple[LayoutTextDocument, ...], Meta(description="of the best")]


class SweepDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.sweep/1"):
    """A sweep that has ended."""

    name: str
    cases: Annotated[
        tuple[dict[str, Any], ...],
        Meta(description="of kernels, and failed ones: the columns of docs/sweep.md"),
    ]
    summaries: tuple[SummaryDocument, ...]
    one_layout: tuple[OneLayoutDocument, ...]


def sweep_document(report: SweepReport) -> SweepDocument:
    """``bankwise.sweep/1``."""
    listed = [o for o in report.outcomes if not o.case.is_tile or o.status == "failed"]
    return SweepDocument(
        name=report.name,
        cases=tuple(rows(listed)),
        summaries=views(SummaryDocument, summaries(report.outcomes)),
        one_layout=tuple(map(_one_layout, report.one_layouts)),
    )


def _one_layout(one: OneLayout) -> OneLayoutDocument:
    return OneLayoutDocument(
        target=one.target or None,
        tiles=tuple(_tile(tile) for tile in one.tiles),
        best=view(LayoutScoreDocument, one.best),
        proved=one.proved,
        on_average=view(LayoutScoreDocument, one.on_average),
        default=view(LayoutScoreDocument, one.default),
        layouts=views(LayoutScoreDocument, one.ranked),
        texts=tuple(
            LayoutTextDocument(notation, text, tuple(map(str, cases)))
            for notation, text, cases in one.words
        ),
    )


def _tile(tile: CaseResult[Case]) -> SweptTileDocument:
    case, row = tile.case, tile.row
    return SweptTileDocument(
        tile=case.kernel,
        shape=case.size,
        type=case.type,
        target=case.target,
        weight=case.weight,
        unit=row["unit"],
        default=row["default"],
        own=convert(row["own"], OwnBestDocument),
    )
