"""``bankwise fix`` as JSON: of a kernel, and of a model."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from bankwise.counting.counted import Sureness
from bankwise.hardware.machine import machine
from bankwise.read.names import demangled
from bankwise.show.documents.checking import (
    AddedDocument,
    CheckDocument,
    added_document,
    check_document,
)
from bankwise.show.documents.parts import (
    CostDocument,
    RefusalDocument,
    Whole,
    cost_document,
    maybe,
    views,
)
from bankwise.show.documents.solving import CandidateDocument, candidate_document
from bankwise.show.fixing import Change, FixReport, GroupFront, Status, Verdict
from bankwise.show.model import ModelFix
from bankwise.show.values import KernelReport
from bankwise.solver.certificate_json import CertificateDocument


class ChangeDocument(Struct, frozen=True):
    """Allocations that got a new address map. Costs are per workgroup, of all accesses."""

    kernel: Annotated[str, Meta(description="all names, where kernels share a global")]
    allocations: tuple[str, ...]
    address: str
    before: CostDocument
    after: CostDocument
    members: Annotated[int, Meta(description="how many maps were tried")]
    coalescing: Annotated[
        str | None, Meta(description="what the permuted global addresses of copies do")
    ]
    optimum: Annotated[str | None, Meta(description="how far from the best map")]
    certificate: Annotated[CertificateDocument | None, Meta(description="null: counted only")]
    padding: Annotated[
        str | None, Meta(description="rows whose padding was undone: their cost before and after")
    ]
    parts: Annotated[
        str | None, Meta(description="accesses issued in parts: their cost so, and all whole")
    ]
    demangled: Annotated[str, Meta(description="the names, if mangled")] | UnsetType = UNSET


class JudgedDocument(Struct, frozen=True):
    """A number before and after: instructions, bytes."""

    name: str
    before: Whole
    after: Whole


class VerdictDocument(Struct, frozen=True):
    """What one judge says: ``proof``, ``smt`` (``--prove``), ``execution``, ``isa`` or ``run``."""

    judge: str
    status: Status
    detail: str
    complete: Annotated[bool, Meta(description="false: some workgroups stand for all")]
    rows: tuple[JudgedDocument, ...]
    open: Annotated[
        tuple[str, ...], Meta(description="rules, unknown or assumed, that the rows rest on")
    ]


class SlowerTextDocument(Struct, frozen=True):
    """A text with fewer passes than what is written, left since it may be slower: ``--prefer
    fewest-passes`` writes it."""

    allocations: tuple[str, ...]
    address: str
    before: Annotated[Whole, Meta(description="passes of all kernels, of a workgroup, as written")]
    after: Annotated[Whole, Meta(description="with this text")]
    why: Annotated[str, Meta(description="what it takes more of")]


class FrontDocument(Struct, frozen=True):
    """What competes for allocations that share a layout; of a workgroup, folds that ``fix`` can
    write."""

    kernel: str
    allocations: tuple[str, ...]
    plans: tuple[CandidateDocument, ...]


class EmittedDocument(Struct, frozen=True):
    """A kernel of the text that the answer leaves, as it is compiled."""

    kernel: str
    conflict: Annotated[Sureness, Meta(description="the surest of its accesses")]
    passes: Annotated[Whole, Meta(description="of a workgroup: ordinary loads and stores")]
    added: AddedDocument


class FileTextDocument(Struct, frozen=True):
    """A file as it is to be written."""

    path: str
    text: str


class FixDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.fix/1"):
    """One kernel before and after, the verdicts, the patch."""

    target: str
    accepted: Annotated[bool, Meta(description="whether anything is offered")]
    changes: tuple[ChangeDocument, ...]
    verdicts: tuple[VerdictDocument, ...]
    refusals: tuple[RefusalDocument, ...]
    before: CheckDocument
    after: CheckDocument
    patch: Annotated[str, Meta(description="a unified diff of the text")]
    fronts: Annotated[tuple[FrontDocument, ...], Meta(description="what competes, by allocation")]
    settings: Annotated[
        tuple[str, ...], Meta(description="what to do with it in the framework that wrote the text")
    ]
    assumed: Annotated[
        str | None, Meta(description="what is taken if no conflict by an unknown rule is real")
    ]
    notes: Annotated[tuple[str, ...], Meta(description="what the change may cost")]
    slower: Annotated[
        tuple[str, ...], Meta(description="why it may take longer though it has fewer conflicts")
    ]
    passed_over: Annotated[
        tuple[SlowerTextDocument, ...],
        Meta(description="texts with fewer passes that may be slower: --prefer fewest-passes"),
    ]
    gamble: Annotated[
        str | None,
        Meta(description="what is gained if an unknown or weak rule holds; if not, lost or none"),
    ]
    reasons: Annotated[
        tuple[str, ...],
        Meta(description="why the run ends with its exit code, 1 or 3; of others nothing"),
    ]
    emitted: Annotated[
        tuple[EmittedDocument, ...],
        Meta(description="kernels of what the answer leaves, compiled: the last word on them"),
    ]
    texts: Annotated[
        tuple[FileTextDocument, ...] | UnsetType,
        Meta(description="the files that change, where headers are among them"),
    ] = UNSET


class FrameworkDefaultDocument(Struct, frozen=True):
    """A dispatch as the framework lowers it unasked, beside the answer; of the launch."""

    dispatch: str
    default: Annotated[
        tuple[Whole, Whole] | None, Meta(description="passes, cycles with issue; null: not known")
    ]
    answer: tuple[Whole, Whole] | None
    lowering: Annotated[str, Meta(description="of the kernel that the answer is made from")]
    code: Annotated[str, Meta(description="what is emitted for both; empty: not counted")]
    assumed: Annotated[
        str, Meta(description="both if no conflict by an unknown rule is real; empty: none is such")
    ]


class FixModelDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.fix-model/1"):
    """A tensor-level model: one fix for each dispatch."""

    dispatches: tuple[FixDocument, ...]
    refusals: tuple[RefusalDocument, ...]
    files: Annotated[tuple[str, ...], Meta(description="what was written")]
    notes: tuple[str, ...]
    defaults: tuple[FrameworkDefaultDocument, ...]


def fix_document(report: FixReport, *, lanes: bool = False) -> FixDocument:
    """``bankwise.fix/1``. ``lanes``: with what every lane touches, which pages draw."""
    return FixDocument(
        target=report.before.target,
        accepted=report.accepted,
        changes=tuple(_change(change) for change in report.changes),
        verdicts=tuple(_verdict(verdict) for verdict in report.verdicts),
        refusals=views(RefusalDocument, report.refusals),
        before=check_document(report.before, lanes=lanes),
        after=check_document(report.after, lanes=lanes),
        patch=report.patch,
        fronts=tuple(_front(found) for found in report.fronts),
        settings=report.settings,
        assumed=report.assumed or None,
        notes=report.notes,
        slower=report.slower,
        passed_over=views(SlowerTextDocument, report.passed_over),
        gamble=report.unsure or None,
        reasons=report.reasons(report.exit_code),
        emitted=tuple(map(_emitted, report.emitted)),
        texts=views(FileTextDocument, report.texts) or UNSET,
    )


def _emitted(kernel: KernelReport) -> EmittedDocument:
    passes, added = kernel.totals.run.passes, added_document(kernel.added)
    return EmittedDocument(kernel.name, kernel.conflict, passes, added)


def _front(found: GroupFront) -> FrontDocument:
    gpu = machine(found.target)
    plans = tuple(candidate_document(plan, gpu) for plan in found.plans)
    return FrontDocument(found.kernel, found.allocations, plans)


def _change(change: Change) -> ChangeDocument:
    spelled = ", ".join(map(demangled, change.kernel.split(", ")))
    return ChangeDocument(
        kernel=change.kernel,
        allocations=change.allocations,
        address=change.address,
        before=cost_document(change.before),
        after=cost_document(change.after),
        members=change.members,
        coalescing=change.coalescing or None,
        optimum=change.optimum or None,
        certificate=maybe(CertificateDocument, change.certificate),
        padding=change.padding or None,
        parts=change.parts or None,
        demangled=UNSET if spelled == change.kernel else spelled,
    )


def _verdict(verdict: Verdict) -> VerdictDocument:
    rows = tuple(JudgedDocument(*row) for row in verdict.rows)
    head = verdict.judge, verdict.status, verdict.detail, verdict.complete
    return VerdictDocument(*head, rows, verdict.open)


def model_fix_document(found: ModelFix, *, lanes: bool = False) -> FixModelDocument:
    """``bankwise.fix-model/1``. ``lanes``: with what every lane touches, which pages draw."""
    return FixModelDocument(
        dispatches=tuple(fix_document(report, lanes=lanes) for report in found.reports),
        refusals=views(RefusalDocument, found.refusals),
        files=tuple(str(path) for path in found.files),
        notes=found.notes,
        defaults=views(FrameworkDefaultDocument, found.defaults),
    )
