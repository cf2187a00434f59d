"""Reports as JSON documents. The keys are a contract: see docs/json.md.

Every document names its ``schema``. Places are ``{"file", "line", "column"}``; costs are
``{"passes", "ideal", "extra"}``; what is unknown is null.
"""

from __future__ import annotations

from typing import Any

from bankwise.counting.bound import Bound
from bankwise.counting.conflict import Witness
from bankwise.counting.cost import Cost
from bankwise.counting.counted import AccessReport, Iteration, Lanes
from bankwise.counting.kernel import AllocationReport
from bankwise.errors import Location, Refusal
from bankwise.show.schema import plain
from bankwise.show.values import CheckReport, Finding, KernelReport, Optimum, Totals
from bankwise.show.words import doubt, kernel_verdict, verdict
from bankwise.solver.certificate import Certificate
from bankwise.solver.certificate_json import certificate_document as to_document

Document = dict[str, Any]


def check_document(report: CheckReport, *, lanes: bool = False) -> Document:
    """``bankwise.check/1``. ``lanes``: with what every lane touches, which pages draw."""
    return {
        "schema": "bankwise.check/1",
        "file": report.file,
        "target": report.target,
        "policy": report.policy,
        "counter": report.counter,
        "verdict": verdict(report),
        "accesses": [access_document(a, lanes=lanes) for a in report.accesses],
        "totals": totals_document(report.totals),
        "totals_dma": totals_document(report.totals_dma),
        "totals_assumed": totals_document(report.totals_assumed),
        "lds_bytes": max((k.lds_bytes for k in report.kernels), default=0),
        "kernels": [_kernel(k, report) for k in report.kernels],
        "findings": [_finding(f) for f in report.findings],
        "refusals": [refusal_document(r) for r in report.refusals],
        "notes": list(report.notes),
    }


def access_document(access: AccessReport, *, lanes: bool = False) -> Document:
    """One access."""
    shown = {"lanes": _lanes(access.lanes)} if lanes and access.lanes else {}
    return {
        **shown,
        "location": location_document(access.location),
        "kernel": access.kernel,
        "operation": access.operation,
        "kind": access.kind,
        "allocations": list(access.allocations),
        "direction": access.direction,
        "instruction": access.instruction,
        "instructions": access.instructions,
        "instruction_source": access.instruction_source,
        "apart_bytes": access.lanes.apart_bytes if access.lanes else None,
        "waves": access.waves,
        "executions": access.executions,
        **({} if access.counted else {"executions_bound": bound_document(access.times)}),
        **cost_document(access.cost),
        "ways": access.ways,
        "run": cost_document(access.run),
        "share": round(access.share, 6),
        "witness": witness_document(access.witness),
        "reason": None if access.reason is None else str(access.reason),
        "rule": access.rule or None,
        "evidence": access.evidence,
        "confidence": access.confidence,
        "conflict": access.conflict,
        "doubt": doubt(access) or None,
        "note": access.note or None,
        "iterations": [_iteration(i) for i in access.iterations],
    }


def _iteration(found: Iteration) -> Document:
    really = found.really
    doubt = {} if really is None or really.exact else {"executions_bound": bound_document(really)}
    return {
        "first": list(found.first),
        "allocation": found.allocation,
        "executions": found.executions,
        **doubt,
        **cost_document(found.cost),
    }


def _lanes(lanes: Lanes) -> Document:
    return {
        "instruction": lanes.instruction,
        "wave": lanes.wave,
        "offsets_bytes": list(lanes.offsets_bytes),
        "inactive": [lane for lane, on in enumerate(lanes.active) if not on],
        "apart_bytes": lanes.apart_bytes,
    }


def cost_document(cost: Cost) -> Document:
    """``passes``, ``ideal``, ``extra``; and, where they are not exact, the ends of each."""
    numbers: Document = {"passes": cost.passes, "ideal": cost.ideal, "extra": cost.extra}
    if cost.exact:
        return numbers
    ends = cost.ends
    named = {"passes": ends.passes, "ideal": ends.ideal, "extra": ends.extra}
    return {**numbers, "bound": {name: bound_document(end) for name, end in named.items()}}


def bound_document(bound: Bound) -> Document:
    """``low`` and ``high``, null without an upper end."""
    return {"low": bound.low, "high": bound.high}


def totals_document(totals: Totals) -> Document:
    """``once``, ``run``, ``launch`` (null if the grid is unknown)."""
    assumed = {"assumed": cost_document(totals.assumed)} if totals.assumed != Cost() else {}
    return {
        "once": cost_document(totals.once),
        "run": cost_document(totals.run),
        "launch": None if totals.launch is None else cost_document(totals.launch),
        **assumed,
    }


def witness_document(witness: Witness | None) -> Document | None:
    """The lanes that collide, or null."""
    if witness is None:
        return None
    return {
        "phase": witness.phase,
        "bank": witness.bank,
        "banks": list(witness.banks),
        "lanes": list(witness.lanes),
        "words": list(witness.words),
        "text": str(witness),
    }


def location_document(location: Location | None) -> Document | None:
    """``file``, ``line``, ``column`` (from 1; null if unknown)."""
    if location is None:
        return None
    return {
        "file": location.file,
        "line": location.line or None,
        "column": location.column or None,
    }


def refusal_document(refusal: Refusal) -> Document:
    """What could not be done, and where."""
    return {"location": location_document(refusal.location), "reason": refusal.reason}


def _finding(finding: Finding) -> Document:
    place = location_document(finding.location)
    return {"rule": finding.rule, "location": place, "message": finding.message}


def _kernel(kernel: KernelReport, report: CheckReport) -> Document:
    return {
        "name": kernel.name,
        "target": kernel.target,
        "location": location_document(kernel.location),
        "workgroup_size": list(kernel.workgroup_size),
        "grid": None if kernel.grid is None else list(kernel.grid),
        "lds_bytes": kernel.lds_bytes,
        "totals": totals_document(kernel.totals),
        "totals_dma": totals_document(kernel.totals_dma),
        "totals_assumed": totals_document(kernel.totals_assumed),
        "conflict": kernel.conflict,
        "verdict": kernel_verdict(kernel, report),
        "counted": kernel.counted,
        "allocations": [_allocation(a) for a in kernel.allocations],
        "occupancy": _occupancy(kernel),
        "optima": [_optimum(o) for o in kernel.optima],
        "notes": list(kernel.notes),
    }


def _allocation(allocation: AllocationReport) -> Document:
    return {
        "name": allocation.name,
        "location": location_document(allocation.location),
        "bytes": allocation.bytes,
        "share": round(allocation.share, 6),
    }


def _optimum(optimum: Optimum) -> Document:
    return {
        "allocations": list(optimum.allocations),
        "present": cost_document(optimum.present),
        "best": cost_document(optimum.best),
        "optimal": optimum.optimal,
        "how": optimum.how,
        "address": optimum.address or None,
        "notation": optimum.notation or None,
        "notes": list(optimum.notes),
        "certificate": certificate_document(optimum.certificate),
    }


def certificate_document(certificate: Certificate | None) -> Document | None:
    """What ``bankwise certify`` reads; null where there is no certificate."""
    return None if certificate is None else plain(to_document(certificate))


def _occupancy(kernel: KernelReport) -> Document | None:
    found = kernel.occupancy
    if found is None:
        return None
    return {
        "workgroups": found.workgroups,
        "workgroups_by_lds": found.by("shared memory"),
        "workgroups_by_waves": found.by("wave slots"),
        "waves_per_workgroup": found.waves,
        "limited_by": list(found.limited_by),
        "limited_by_lds": found.limited_by == ("shared memory",),
    }
