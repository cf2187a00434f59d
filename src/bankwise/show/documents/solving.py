"""``bankwise solve`` and ``bankwise certify`` as JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine, machine
from bankwise.show.documents.checking import CheckDocument, spec_document
from bankwise.show.documents.parts import Number, Whole, empty_is_null, views
from bankwise.show.solved_access import AccessRow
from bankwise.show.solving import SolveReport
from bankwise.show.spec import SpecSolution
from bankwise.solver.certificate import Certificate
from bankwise.solver.certificate_json import CertificateDocument, certificate_document
from bankwise.solver.certify import Judgement
from bankwise.solver.construct import Step
from bankwise.solver.fit import Fit
from bankwise.solver.known import Known, Standing
from bankwise.solver.modes import ModePlan, OperandWords
from bankwise.solver.plan import Plan, per_unit


class FetchedDocument(Struct, frozen=True):
    """Cache lines that one direct-to-shared copy fetches, on average."""

    layout: float
    row_major: float


class SolvedAccessDocument(Struct, frozen=True):
    """One access under the layout; passes, ideal and floor are of one executed instruction."""

    name: str
    op: str
    instruction: str
    weight: Whole
    passes: Number
    ideal: Annotated[Number, Meta(description="passes without any conflict")]
    floor: Annotated[Number, Meta(description="no layout takes fewer passes")]
    conflicts: Annotated[tuple[str, ...], Meta(description="directions along which lanes collide")]
    global_lines: FetchedDocument | None
    notes: tuple[str, ...]
    parts: Annotated[int, Meta(description="instructions that one access is issued in")]


class CandidateDocument(Struct, frozen=True):
    """One plan with its price: weighted passes and instructions, bytes, address operations."""

    family: str
    label: str
    passes: Number
    issue_cycles: Annotated[
        int | None, Meta(description="weighted; null where the machine file does not say")
    ]
    instructions: Whole
    lds_bytes: Whole
    operations: Annotated[int, Meta(description="of the address, beyond row-major")]
    offset: str
    issued: Annotated[dict[str, tuple[str, ...]], Meta(description="instructions of each access")]
    splits: Annotated[tuple[str, ...], Meta(description="accesses issued in parts, in words")]
    assumed: Annotated[tuple[str, ...], Meta(description="instructions of unknown rule")]
    per_unit: Annotated[
        int | None, Meta(description="tiles that the shared memory of a compute unit or SM holds")
    ]


class StandingDocument(Struct, frozen=True):
    """How the plan stands among all: what it is the best of, and whether that is proved."""

    prefer: Annotated[str, Meta(description="by what plans are ranked")]
    space: Annotated[str, Meta(description="layouts, pitches and ways to issue the accesses")]
    proved: bool
    text: str


class FamilyDocument(Struct, frozen=True):
    """The best member of a family of layouts; where none is legal, its name and a ``refusal``."""

    family: str
    refusal: str | UnsetType = UNSET
    label: str | UnsetType = UNSET
    passes: Number | UnsetType = UNSET
    instructions: int | UnsetType = UNSET
    lds_bytes: int | UnsetType = UNSET
    operations: int | UnsetType = UNSET
    offset: str | UnsetType = UNSET
    issued: dict[str, tuple[str, ...]] | UnsetType = UNSET
    issue_cycles: int | UnsetType | None = UNSET
    splits: tuple[str, ...] | UnsetType = UNSET
    assumed: tuple[str, ...] | UnsetType = UNSET
    per_unit: int | UnsetType | None = UNSET
    lost: Annotated[
        Number | UnsetType | None, Meta(description="weighted passes above the optimum")
    ] = UNSET
    members: Annotated[
        int | UnsetType, Meta(description="how many were tried; 0: exact search")
    ] = UNSET


class LayoutDocument(Struct, frozen=True):
    """The answer: an address map of the tile."""

    offset: Annotated[str, Meta(description="in elements, of the coordinates")]
    bases: Annotated[dict[str, int] | None, Meta(description="offset of each coordinate bit")]
    operations: Annotated[int, Meta(description="of the address, beyond row-major")]
    lds_bytes: Whole
    emit: Annotated[dict[str, str], Meta(description="the address in each language")]


class BoxDocument(Struct, frozen=True):
    """A copy of the tile by TMA: boxes of so many elements, outer and inner, and their rows."""

    name: str
    box: tuple[int, int]
    boxes: Whole
    rows: Whole
    row_bytes: Whole
    cycles: Annotated[float | None, Meta(description="of all rows, measured; null: not known")]
    tensor_map_type: str


class OperandDocument(Struct, frozen=True):
    """The matrix descriptor of an operand in a mode; of a tile at address 0."""

    name: str
    major: str
    leading_bytes: Whole
    stride_bytes: Whole
    bits: Annotated[str, Meta(description="the 64-bit descriptor, hexadecimal")]
    starts: Annotated[
        tuple[int, ...], Meta(description="bytes, of the instructions along K, one after the other")
    ]
    atom: Annotated[str, Meta(description="CuTe's name of the block")]
    tiled: Annotated[str, Meta(description="the tile in CuTe's words")]


class ModeDocument(Struct, frozen=True):
    """A canonical layout of a tile that asynchronous units use; or why it is none."""

    mode: str
    inner: Annotated[str, Meta(description="the contiguous dimension")]
    blocks: Annotated[str | None, Meta(description="along which blocks follow one another")]
    chosen: bool
    reason: Annotated[str | None, Meta(description="why it is not taken")]
    alignment_bytes: Annotated[int, Meta(description="of the tile's start")]
    passes: Annotated[Number | None, Meta(description="weighted, of all accesses")]
    accesses: Annotated[dict[str, Number], Meta(description="passes of one execution of each")]
    boxes: tuple[BoxDocument, ...]
    operands: tuple[OperandDocument, ...]
    tensor_map_swizzle: str
    triton: Annotated[str | None, Meta(description="the encoding, where it has one")]


class StepDocument(Struct, frozen=True):
    """A step of the construction for two accesses: what is done, and what comes out."""

    name: str
    text: str
    values: dict[str, str]


class NotationDocument(Struct, frozen=True):
    """What one notation says: the optimum, or why not and the best that it can say."""

    notation: str
    text: Annotated[str | None, Meta(description="the optimum in it")]
    refusal: Annotated[str | None, Meta(description="why the optimum has no text")]
    best: Annotated[str | None, Meta(description="its best member's text")]
    label: Annotated[str | None, Meta(description="its best member's name")]
    passes: Number | None
    lost: Annotated[Number | None, Meta(description="weighted passes above the optimum")]

    def __post_init__(self) -> None:
        """What is not said is null."""
        empty_is_null(self, "text", "refusal", "best", "label")


class SolveDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.solve/1"):
    """The best layout of a tile for all of its accesses; totals are weighted.

    Of a spec there are three keys more: ``asked``, the notation of the file; ``notations``;
    ``before``, the check of the file.
    """

    file: str
    machine: str
    accesses: tuple[SolvedAccessDocument, ...]
    total_passes: Number | None
    total_floor: Number | None
    optimal: Annotated[bool, Meta(description="whether the space holds nothing better")]
    space: Annotated[str | None, Meta(description="of which that is said")]
    conditions: Annotated[tuple[str, ...], Meta(description="under which that is said")]
    how: Annotated[str, Meta(description="how that is known, or why it is not")]
    at_least: Annotated[Number | None, Meta(description="passes that the space is proved to need")]
    plan: CandidateDocument | None
    standing: StandingDocument | None
    baselines: Annotated[
        tuple[CandidateDocument, ...], Meta(description="as it is; what the framework does unasked")
    ]
    family: Annotated[str | None, Meta(description="the one that was asked for")]
    family_size: Annotated[int | None, Meta(description="row-keeping XOR layouts as good")]
    certificate: CertificateDocument | None
    pareto: Annotated[tuple[CandidateDocument, ...], Meta(description="what competes")]
    families: tuple[FamilyDocument, ...]
    layout: LayoutDocument | None
    steps: tuple[StepDocument, ...]
    notes: tuple[str, ...]
    refusal: Annotated[str | None, Meta(description="why there is no layout")]
    modes: Annotated[
        tuple[ModeDocument, ...] | UnsetType,
        Meta(description="canonical layouts, where asynchronous units use the tile"),
    ] = UNSET
    asked: str | UnsetType = UNSET
    notations: tuple[NotationDocument, ...] | UnsetType = UNSET
    before: CheckDocument | UnsetType = UNSET


class CertifyDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.certify/1"):
    """The verdict of the judge of certificates."""

    file: str
    accepted: bool
    errors: tuple[str, ...]
    trusted: Annotated[tuple[str, ...], Meta(description="what was not checked")]
    claim: Annotated[str, Meta(description="the certificate in words")]


def certify_document(file: str, certificate: Certificate, verdict: Judgement) -> CertifyDocument:
    """``bankwise.certify/1``."""
    return CertifyDocument(
        file, verdict.accepted, verdict.errors, verdict.trusted, str(certificate)
    )


def solution_document(answer: SpecSolution) -> SolveDocument:
    """``bankwise.solve/1`` of a spec."""
    return structs.replace(
        solve_document(answer.report),
        asked=answer.asked,
        notations=views(NotationDocument, answer.said),
        before=spec_document(answer.before),
    )


def solve_document(report: SolveReport) -> SolveDocument:
    """``bankwise.solve/1``."""
    found, fits, gpu = report.certificate, report.fits or {}, machine(report.machine)
    return SolveDocument(
        file=report.file,
        machine=report.machine,
        accesses=tuple(_access(row) for row in report.accesses),
        total_passes=_plain(report.total_passes) if report.layout else None,
        total_floor=_plain(report.total_floor) if report.layout else None,
        optimal=report.optimal,
        **_known(report.known),
        plan=None if report.layout is None else candidate_document(report.layout, gpu),
        standing=_standing(report.standing),
        baselines=tuple(candidate_document(one, gpu) for one in report.baselines),
        family=report.family or None,
        family_size=report.family_size,
        certificate=None if found is None else certificate_document(found),
        pareto=tuple(candidate_document(one, gpu) for one in report.pareto),
        families=tuple(_family(name, fit, gpu) for name, fit in fits.items()),
        layout=None if report.layout is None else _layout(report, report.layout),
        steps=tuple(_step(step) for step in report.steps),
        notes=report.notes,
        refusal=None if report.refusal is None else str(report.refusal),
        modes=tuple(_mode(one, report.layout) for one in report.modes) or UNSET,
    )


def _mode(one: ModePlan, best: Plan | None) -> ModeDocument:
    uses = () if one.plan is None else one.plan.cost.uses
    return ModeDocument(
        mode=one.mode.name,
        inner=one.inner,
        blocks=one.blocks or None,
        chosen=best is not None and one.plan is not None and one.plan.layout == best.layout,
        reason=one.reason or None,
        alignment_bytes=one.mode.alignment_bytes,
        passes=None if one.plan is None else _plain(one.plan.passes),
        accesses={use.name: _plain(use.passes) for use in uses},
        boxes=views(BoxDocument, one.boxes),
        operands=tuple(_operand(words) for words in one.operands),
        tensor_map_swizzle=one.tensor_map_swizzle,
        triton=one.triton or None,
    )


def _operand(words: OperandWords) -> OperandDocument:
    return OperandDocument(
        words.name,
        words.major,
        words.leading_bytes,
        words.stride_bytes,
        f"{words.bits:#018x}",
        words.starts,
        words.atom,
        words.tiled,
    )


def _known(known: Known | None) -> dict[str, Any]:
    if known is None:
        return {"space": None, "conditions": (), "how": "", "at_least": None}
    least = None if known.at_least is None else _plain(known.at_least)
    return {
        "space": known.space,
        "conditions": known.conditions,
        "how": known.how,
        "at_least": least,
    }


def _access(row: AccessRow) -> SolvedAccessDocument:
    return SolvedAccessDocument(
        name=row.name,
        op=row.op,
        instruction=row.instruction,
        weight=row.weight,
        passes=_plain(row.passes),
        ideal=_plain(row.ideal),
        floor=_plain(row.floor),
        conflicts=tuple(row.conflicts.split()),
        global_lines=None if row.lines is None else FetchedDocument(*row.lines),
        notes=row.notes,
        parts=row.parts,
    )


def _standing(found: Standing | None) -> StandingDocument | None:
    if found is None:
        return None
    return StandingDocument(found.prefer, found.space, found.proved, str(found))


def candidate_document(one: Plan, gpu: Machine) -> CandidateDocument:
    """One plan."""
    return CandidateDocument(
        family=one.space,
        label=one.name,
        passes=_plain(one.passes),
        issue_cycles=one.issue_cycles,
        instructions=one.instructions,
        lds_bytes=one.lds_bytes,
        operations=one.operations,
        offset=one.offset,
        splits=one.splits,
        assumed=one.assumed,
        per_unit=per_unit(one, gpu),
        issued={use.name: tuple(str(issue) for issue in use.issues) for use in one.cost.uses},
    )


def _family(name: str, found: Fit | Refusal, gpu: Machine) -> FamilyDocument:
    if isinstance(found, Refusal):
        return FamilyDocument(name, refusal=found.reason)
    best = {**structs.asdict(candidate_document(found.best, gpu)), "family": name}
    lost = None if found.lost is None else _plain(found.lost)
    return FamilyDocument(**best, lost=lost, members=found.members)


def _layout(report: SolveReport, layout: Plan) -> LayoutDocument:
    return LayoutDocument(
        offset=layout.offset,
        bases=None if report.bases is None else dict(report.bases),
        operations=layout.operations,
        lds_bytes=layout.lds_bytes,
        emit=dict(report.emit or {}),
    )


def _step(step: Step) -> StepDocument:
    return StepDocument(step.name, step.text, dict(step.values))


def _plain(value: Fraction) -> Number:
    return value.numerator if value.denominator == 1 else float(value)
