"""``bankwise check`` as JSON, and what a check carries on top: a spec, counters, worth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from bankwise.counting.bound import BoundKind
from bankwise.counting.cost import Cost
from bankwise.counting.counted import Added, Sureness
from bankwise.counting.kernel import AllocationReport
from bankwise.hardware.machine import Evidence
from bankwise.hardware.occupancy import Occupancy, Resource
from bankwise.read.names import demangled
from bankwise.show.causes import causes
from bankwise.show.documents.access import AccessDocument, access_document
from bankwise.show.documents.baseline import (
    BaselineDocument,
    NotAcceptedDocument,
    baseline_document,
    not_accepted,
)
from bankwise.show.documents.beside import (
    BesideDocument,
    WorthDocument,
    beside_document,
    worth_document,
)
from bankwise.show.documents.diagnosing import DiagnosticDocument, diagnostic_documents
from bankwise.show.documents.optimum import OptimumDocument, optimum_document
from bankwise.show.documents.parts import (
    CostDocument,
    FindingDocument,
    LocationDocument,
    RefusalDocument,
    Whole,
    cost_document,
    view,
    views,
)
from bankwise.show.documents.snippets import SnippetDocument, snippet_document
from bankwise.show.documents.spec import SpecDocument, spec_part
from bankwise.show.gate import Gate, said_left_out
from bankwise.show.more import More
from bankwise.show.same_file import working_folder
from bankwise.show.spec import SpecReport
from bankwise.show.values import AsEmitted, BlockClass, CheckReport, KernelReport, Totals
from bankwise.show.words import kernel_verdict, still_open, verdict

Size = tuple[int, int, int]


class TotalsDocument(Struct, frozen=True):
    """Sums over accesses."""

    once: Annotated[CostDocument, Meta(description="every access once")]
    run: Annotated[CostDocument, Meta(description="all executions of a workgroup")]
    launch: Annotated[CostDocument | None, Meta(description="null if the grid is unknown")]
    assumed: (
        Annotated[CostDocument, Meta(description="the part of `run` by rules nobody knows")]
        | UnsetType
    ) = UNSET


class AllocationDocument(Struct, frozen=True):
    """One shared allocation."""

    name: str
    location: LocationDocument
    bytes: Whole
    share: Annotated[float, Meta(description="of the machine's shared memory")]


class OccupancyDocument(Struct, frozen=True):
    """How full a unit gets by shared memory and wave slots; registers are not considered."""

    workgroups: Annotated[int, Meta(description="resident on a unit")]
    workgroups_by_lds: int | None
    workgroups_by_waves: int | None
    waves_per_workgroup: Whole
    limited_by: tuple[Resource, ...]
    limited_by_lds: Annotated[bool, Meta(description="and by nothing else")]


class AddedDocument(Struct, frozen=True):
    """What the conflict counter adds for one workgroup: a number from ``low`` to ``high``."""

    low: Whole
    high: Annotated[int | None, Meta(description="null: no upper end, or a rule is unknown")]
    kind: Annotated[BoundKind, Meta(description="what the two ends say together")]
    evidence: Annotated[Evidence | None, Meta(description="of the least certain rule")]
    followed: Annotated[int, Meta(ge=0, description="by known rules, as often as was followed")]
    assumed: Annotated[int, Meta(ge=0, description="by unknown rules, as often as was followed")]


class CompiledDocument(Struct, frozen=True):
    """A kernel of a source that was counted as it is emitted."""

    compiler: Annotated[str, Meta(description="name and version")]
    source: Annotated[AddedDocument, Meta(description="what is counted from the source")]


class OtherLaunchDocument(Struct, frozen=True):
    """A kernel under another launch."""

    workgroup_size: Size
    said: Annotated[str | None, Meta(description="by whose word; null: assumed")]
    added: AddedDocument
    blocks: Annotated[str, Meta(description="of which blocks, where they differ")] | UnsetType = (
        UNSET
    )
    launch_added: Annotated[AddedDocument, Meta(description="for all of them")] | UnsetType = UNSET
    grid: (
        Annotated[Size, Meta(description="of workgroups of the size that is shown")] | UnsetType
    ) = UNSET


class BlockClassDocument(Struct, frozen=True):
    """Blocks of a launch that run alike."""

    blocks: Annotated[str, Meta(description="their indices, in words")]
    count: Annotated[int, Meta(ge=1, description="how many they are")]
    added: Annotated[AddedDocument, Meta(description="for one of them")]


class LaunchDocument(Struct, frozen=True):
    """By whose word a kernel is launched so."""

    said: Annotated[str | None, Meta(description="null: the text, an option, or nobody")]
    assumed: Annotated[str | None, Meta(description="what nobody says")]
    others: Annotated[tuple[OtherLaunchDocument, ...], Meta(description="further launches")]


class OpenerDocument(Struct, frozen=True):
    """What would answer what is open, as it was tried."""

    kernel: str
    option: Annotated[str, Meta(description="as the command line takes it")]
    opens: Annotated[Whole, Meta(description="accesses that are refused without it")]
    counts: Annotated[Whole, Meta(description="accesses whose executions it tells")]


class KernelDocument(Struct, frozen=True):
    """One kernel."""

    name: str
    target: str
    location: LocationDocument
    workgroup_size: Annotated[Size | None, Meta(description="null: not answered")]
    grid: Annotated[Size | None, Meta(description="workgroups; null: unknown")]
    lds_bytes: Whole
    totals: TotalsDocument
    totals_dma: TotalsDocument
    totals_assumed: TotalsDocument
    conflict: Annotated[Sureness, Meta(description="the surest of its accesses")]
    verdict: str
    added: AddedDocument
    open: Annotated[tuple[str, ...], Meta(description="why the count is no promise; empty: it is")]
    counted: Annotated[bool, Meta(description="whether all executions are exact")]
    allocations: tuple[AllocationDocument, ...]
    occupancy: OccupancyDocument | None
    optima: tuple[OptimumDocument, ...]
    compiled: Annotated[CompiledDocument | None, Meta(description="of --isa; null: its own text")]
    notes: tuple[str, ...]
    demangled: Annotated[str, Meta(description="the name, if it is mangled")] | UnsetType = UNSET
    launch: LaunchDocument | UnsetType = UNSET
    classes: tuple[BlockClassDocument, ...] | UnsetType = UNSET
    launch_added: Annotated[AddedDocument, Meta(description="for all blocks")] | UnsetType = UNSET


class CauseDocument(Struct, frozen=True):
    """Accesses that conflict for one reason: the same lanes meet by the same arithmetic."""

    kernel: str
    ways: Annotated[int, Meta(description="of each of them")]
    lanes: Annotated[tuple[int, ...], Meta(description="that collide in the first of them")]
    reason: Annotated[str | None, Meta(description="the arithmetic in words")]
    accesses: Annotated[tuple[int, ...], Meta(description="places in `accesses`, from 0")]
    run: Annotated[CostDocument, Meta(description="all executions of all of them, a workgroup")]


class CheckDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.check/1"):
    """Every shared-memory access of a file, and its conflicts.

    ``spec`` stands in the check of a spec, ``counters`` and ``worth`` where they were asked for,
    ``left_out`` where --min-evidence left something out of the exit code, ``openers`` where facts
    of a launch would answer more, ``snippets`` where there is something to write against conflicts,
    ``diagnostics`` where source was compiled and conflicts, ``baseline`` with --baseline,
    ``not_accepted`` with --accept, ``folder`` where a command wrote it.
    """

    file: str
    target: str
    policy: Annotated[str, Meta(description="which instructions accesses become")]
    counter: Annotated[str, Meta(description="the vendor's name of the conflict counter")]
    verdict: str
    accesses: Annotated[tuple[AccessDocument, ...], Meta(description="the costliest first")]
    causes: Annotated[tuple[CauseDocument, ...], Meta(description="conflicts of one reason, once")]
    totals: Annotated[TotalsDocument | None, Meta(description="null: several kernels")]
    totals_dma: Annotated[TotalsDocument | None, Meta(description="of direct-to-shared copies")]
    totals_assumed: Annotated[
        TotalsDocument | None, Meta(description="atomics, transposing reads, operands, barriers")
    ]
    lds_bytes: Annotated[int, Meta(description="of the largest kernel")]
    kernels: Annotated[tuple[KernelDocument, ...], Meta(description="the worst first")]
    findings: tuple[FindingDocument, ...]
    refusals: tuple[RefusalDocument, ...]
    notes: Annotated[tuple[str, ...], Meta(description="what was done to read the text")]
    spec: SpecDocument | UnsetType = UNSET
    counters: BesideDocument | UnsetType = UNSET
    worth: tuple[WorthDocument, ...] | UnsetType = UNSET
    left_out: Annotated[str, Meta(description="by --min-evidence")] | UnsetType = UNSET
    openers: tuple[OpenerDocument, ...] | UnsetType = UNSET
    snippets: tuple[SnippetDocument, ...] | UnsetType = UNSET
    diagnostics: tuple[DiagnosticDocument, ...] | UnsetType = UNSET
    baseline: BaselineDocument | UnsetType = UNSET
    not_accepted: NotAcceptedDocument | UnsetType = UNSET
    folder: (
        Annotated[
            str,
            Meta(
                description="where relative files are named from: from the root of a git"
                " repository, absolute outside of one"
            ),
        ]
        | UnsetType
    ) = UNSET


def check_document(
    report: CheckReport,
    more: More | None = None,
    gate: Gate | None = None,
    *,
    lanes: bool = False,
) -> CheckDocument:
    """``bankwise.check/1``. ``lanes``: with what every lane touches, which pages draw."""
    beside, worths = (None, None) if more is None else (more.beside, more.worths)
    several = len(report.kernels) > 1
    return CheckDocument(
        file=report.file,
        target=report.target,
        policy=report.policy,
        counter=report.counter,
        verdict=verdict(report),
        accesses=tuple(access_document(access, lanes=lanes) for access in report.accesses),
        causes=tuple(_causes(report)),
        totals=None if several else _totals(report.totals),
        totals_dma=None if several else _totals(report.totals_dma),
        totals_assumed=None if several else _totals(report.totals_assumed),
        lds_bytes=max((kernel.lds_bytes for kernel in report.kernels), default=0),
        kernels=tuple(_kernel(kernel, report) for kernel in report.ranked),
        findings=views(FindingDocument, report.findings),
        refusals=views(RefusalDocument, report.refusals),
        notes=report.notes,
        counters=UNSET if beside is None else beside_document(beside),
        worth=UNSET if worths is None else tuple(worth_document(worth) for worth in worths),
        left_out=UNSET if gate is None else said_left_out(report, gate) or UNSET,
        openers=tuple(
            OpenerDocument(kernel, found.option, found.opens, found.counts)
            for kernel, found in report.openers
        )
        or UNSET,
        snippets=tuple(map(snippet_document, report.snippets)) or UNSET,
        diagnostics=tuple(diagnostic_documents(report)) or UNSET,
        baseline=UNSET if gate is None else baseline_document(report, gate.baseline),
        not_accepted=UNSET if gate is None else not_accepted(report, gate),
        folder=UNSET if gate is None or lanes else working_folder(),
    )


def spec_document(
    report: SpecReport,
    gate: Gate | None = None,
    *,
    lanes: bool = False,
    more: More | None = None,
) -> CheckDocument:
    """``bankwise.check/1`` of a spec.

    ``lanes``: with what every lane touches and where every element lives, which pages draw.
    """
    check = check_document(report.check, more, gate, lanes=lanes)
    return structs.replace(check, spec=spec_part(report, offsets=lanes))


def _causes(report: CheckReport) -> Iterator[CauseDocument]:
    places = {id(access): number for number, access in enumerate(report.accesses)}
    for cause in causes(report.accesses):
        first = cause.first
        yield CauseDocument(
            kernel=first.kernel,
            ways=first.ways,
            lanes=() if first.witness is None else first.witness.lanes,
            reason=None if first.reason is None else str(first.reason),
            accesses=tuple(places[id(access)] for access in cause.accesses),
            run=cost_document(cause.run),
        )


def _totals(totals: Totals) -> TotalsDocument:
    return TotalsDocument(
        once=cost_document(totals.once),
        run=cost_document(totals.run),
        launch=None if totals.launch is None else cost_document(totals.launch),
        assumed=cost_document(totals.assumed) if totals.assumed != Cost() else UNSET,
    )


def _kernel(kernel: KernelReport, report: CheckReport) -> KernelDocument:
    spelled = demangled(kernel.name)
    whole = kernel.launch_added
    return KernelDocument(
        name=kernel.name,
        target=kernel.target,
        location=view(LocationDocument, kernel.location),
        workgroup_size=kernel.workgroup_size if all(kernel.workgroup_size) else None,
        grid=kernel.grid,
        lds_bytes=kernel.lds_bytes,
        totals=_totals(kernel.totals),
        totals_dma=_totals(kernel.totals_dma),
        totals_assumed=_totals(kernel.totals_assumed),
        conflict=kernel.conflict,
        verdict=kernel_verdict(kernel, report),
        added=added_document(kernel.added),
        open=still_open(kernel, len(report.refused(kernel))),
        counted=kernel.counted,
        allocations=tuple(_allocation(one) for one in kernel.allocations),
        occupancy=None if kernel.occupancy is None else _occupancy(kernel.occupancy),
        optima=tuple(optimum_document(optimum) for optimum in kernel.optima),
        compiled=_compiled(kernel.compiled),
        notes=kernel.notes,
        demangled=UNSET if spelled == kernel.name else spelled,
        launch=_launch(kernel),
        classes=tuple(map(_class, kernel.classes)) or UNSET,
        launch_added=UNSET if whole is None else added_document(whole),
    )


def _class(one: BlockClass) -> BlockClassDocument:
    return BlockClassDocument(one.where, one.count, added_document(one.added))


def _launch(kernel: KernelReport) -> LaunchDocument | UnsetType:
    if not (kernel.launched or kernel.assumed or kernel.others):
        return UNSET
    others = (
        OtherLaunchDocument(
            *(one.workgroup_size, one.said or None, added_document(one.added)),
            blocks=one.blocks if one.blocks not in ("", "all") else UNSET,
            launch_added=added_document(one.launch_added) if one.launch_added else UNSET,
            grid=one.grid or UNSET,
        )
        for one in kernel.others
    )
    return LaunchDocument(kernel.launched or None, kernel.assumed or None, tuple(others))


def added_document(found: Added) -> AddedDocument:
    """What the conflict counter adds."""
    bound, assumed = found.bound, 0 if found.assumed is None else found.assumed.extra
    ends = bound.low, bound.high, bound.kind
    return AddedDocument(*ends, found.evidence, followed=found.known.extra, assumed=assumed)


def _compiled(found: AsEmitted | None) -> CompiledDocument | None:
    return None if found is None else CompiledDocument(found.compiler, added_document(found.source))


def _allocation(one: AllocationReport) -> AllocationDocument:
    place = view(LocationDocument, one.location)
    return AllocationDocument(one.name, place, one.bytes, round(one.share, 6))


def _occupancy(found: Occupancy) -> OccupancyDocument:
    return OccupancyDocument(
        workgroups=found.workgroups,
        workgroups_by_lds=found.by("shared memory"),
        workgroups_by_waves=found.by("wave slots"),
        waves_per_workgroup=found.waves,
        limited_by=found.limited_by,
        limited_by_lds=found.limited_by == ("shared memory",),
    )
