"""What was measured, as JSON: ``probe``, ``verify``, ``bench``."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

from bankwise.hardware.machine import Merge
from bankwise.lab.gpu.probe import Agreement, Disagreement
from bankwise.lab.gpu.propose import Proposed
from bankwise.lab.probe import KitReport
from bankwise.lab.report.bench_cases import BenchReport, Medians, medians
from bankwise.lab.report.bench_row import BenchRow
from bankwise.lab.report.transposing import TransposeBench, TransposeRow, Tried
from bankwise.lab.report.verifying import AccessComparison, VerifyReport
from bankwise.show.documents.parts import Whole, maybe, views
from bankwise.solver.certificate_json import CertificateDocument


class TallyDocument(Struct, frozen=True):
    """One instruction: accesses measured, and those that agree with the prediction."""

    instruction: str
    measured: Whole
    agreeing: Whole


class CountersDocument(Struct, frozen=True):
    """The two counters of one access; ``passes`` is null where the profiler has none."""

    passes: int | None
    extra: int


class DisagreementDocument(Struct, frozen=True):
    """One access whose counters are not the predicted ones."""

    instruction: str
    offsets_bytes: Annotated[tuple[int, ...], Meta(description="by lane")]
    active: Annotated[tuple[int, ...], Meta(description="by lane, 1: active")]
    predicted: CountersDocument
    measured: CountersDocument


class ProbeDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.probe/1"):
    """A machine file held against the counters of a GPU."""

    machine: str
    measured: Annotated[int, Meta(description="accesses")]
    instructions: tuple[TallyDocument, ...]
    disagreements: tuple[DisagreementDocument, ...]


class ProposedDocument(Struct, frozen=True):
    """The rule of one instruction as read off the counters; null where they gave none."""

    instruction: str
    banks: int | None
    phases: tuple[tuple[int, ...], ...] | None
    merge: Merge | None
    judged: Annotated[int, Meta(description="random accesses predicted with the rule")]
    agreeing: Whole
    same_as_file: Annotated[bool, Meta(description="whether the machine file says the same")]
    why: str


class ProposalDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.proposal/1"):
    """A machine file read off counters."""

    machine: str
    instructions: tuple[ProposedDocument, ...]
    toml: str


class CopyDocument(Struct, frozen=True):
    """A direct-to-LDS copy in lane order."""

    instruction: str
    extra: Annotated[int, Meta(ge=0, description="what one of them adds to the counter")]


class KitDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.probe-answers/1"):
    """What the counters of a probe kit say."""

    device: Annotated[str, Meta(description="the GPU that it was run on")]
    proposal: ProposalDocument
    contradicted: Annotated[tuple[str, ...], Meta(description="rows of the machine file")]
    copies: tuple[CopyDocument, ...]
    notes: Annotated[tuple[str, ...], Meta(description="what was left out, and why")]


class VerifyDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.verify/1"):
    """Predicted and measured, side by side; ``layout`` and ``how`` are the solver's."""

    file: str
    machine: str
    layout: str
    how: str
    rows: tuple[AccessComparison, ...]
    certificate: CertificateDocument | None
    left_out: Annotated[dict[str, str], Meta(description="accesses not measured, and why")]
    agrees: bool


class BenchDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.bench/1"):
    """Shapes of attention or GEMM without mitigation, padded and swizzled."""

    kernel: str
    machine: str
    device: Annotated[str, Meta(description="the GPU; empty: nothing was run")]
    good: Annotated[bool, Meta(description="every result right, every counter as predicted")]
    medians: tuple[Medians, ...]
    rows: tuple[BenchRow, ...]


class TransposeDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.bench_transpose/1"):
    """Transposes rung by rung, tuned variants, and what others ship."""

    machine: str
    about: Annotated[dict[str, Any], Meta(description="the GPU and its software")]
    lines: tuple[TransposeRow, ...]
    tried: Annotated[
        tuple[Tried, ...] | int, Meta(description="the variants; in a saved file their number")
    ]
    method: str
    good: Annotated[bool, Meta(description="every result right, every counter as predicted")]


def probe_document(found: Agreement) -> ProbeDocument:
    """``bankwise.probe/1``."""
    return ProbeDocument(
        machine=found.machine,
        measured=found.measured,
        instructions=views(TallyDocument, found.tallies),
        disagreements=tuple(_disagreement(one) for one in found.disagreements),
    )


def _disagreement(one: Disagreement) -> DisagreementDocument:
    return DisagreementDocument(
        instruction=one.case.instruction,
        offsets_bytes=tuple(one.case.offsets_bytes.tolist()),
        active=tuple(one.case.active.astype(int).tolist()),
        predicted=CountersDocument(one.predicted_passes, one.predicted_extra),
        measured=CountersDocument(one.measured_passes, one.measured_extra),
    )


def proposal_document(machine: str, rows: tuple[Proposed, ...], text: str) -> ProposalDocument:
    """``bankwise.proposal/1``: what was found per instruction, and the machine file."""
    return ProposalDocument(machine, tuple(_proposed(one) for one in rows), text)


def kit_document(found: KitReport) -> KitDocument:
    """``bankwise.probe-answers/1``."""
    proposal = found.proposal
    return KitDocument(
        device=found.device,
        proposal=proposal_document(proposal.machine, proposal.rows, proposal.text),
        contradicted=tuple(row.instruction for row in found.contradicted),
        copies=tuple(CopyDocument(*copy) for copy in found.copies),
        notes=found.notes,
    )


def _proposed(one: Proposed) -> ProposedDocument:
    row = one.row
    return ProposedDocument(
        instruction=one.instruction,
        banks=row.banks if row else None,
        phases=row.phases if row else None,
        merge=row.merge if row else None,
        judged=one.judged,
        agreeing=one.agreeing,
        same_as_file=one.same,
        why=one.why,
    )


def verify_document(report: VerifyReport) -> VerifyDocument:
    """``bankwise.verify/1``."""
    return VerifyDocument(
        file=report.file,
        machine=report.machine,
        layout=report.layout,
        how=report.how,
        rows=report.rows,
        certificate=maybe(CertificateDocument, report.certificate),
        left_out=dict(report.left_out),
        agrees=report.agrees,
    )


def bench_document(report: BenchReport) -> BenchDocument:
    """``bankwise.bench/1``."""
    return BenchDocument(
        kernel=report.kernel,
        machine=report.machine,
        device=report.device,
        good=report.good,
        medians=medians(report.rows),
        rows=report.rows,
    )


def transpose_document(report: TransposeBench) -> TransposeDocument:
    """``bankwise.bench_transpose/1``."""
    return TransposeDocument(
        machine=report.machine,
        about=dict(report.about),
        lines=report.lines,
        tried=report.tried,
        method=report.method,
        good=report.good,
    )
