"""The documents that bankwise prints as JSON: which there are, their text, their JSON Schema.

Every document names its ``schema``: ``bankwise.count/1``. What a version of it means stays; a key
may be added. Structs are named here as text and loaded when they are asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from bankwise.errors import InputError

_SHOWN = "bankwise.show.documents"
_LAB = "bankwise.lab.report.documents"

DOCUMENTS: Mapping[str, str] = {
    "bankwise.check/1": f"{_SHOWN}.checking:CheckDocument",
    "bankwise.fix/1": f"{_SHOWN}.fixing:FixDocument",
    "bankwise.fix-model/1": f"{_SHOWN}.fixing:FixModelDocument",
    "bankwise.cost/1": f"{_SHOWN}.costing:KernelCostsDocument",
    "bankwise.count/1": f"{_SHOWN}.counting:CountDocument",
    "bankwise.machines/1": f"{_SHOWN}.machines:MachinesDocument",
    "bankwise.solve/1": f"{_SHOWN}.solving:SolveDocument",
    "bankwise.certificate/1": "bankwise.solver.certificate_json:CertificateDocument",
    "bankwise.certify/1": f"{_SHOWN}.solving:CertifyDocument",
    "bankwise.coalesce/1": f"{_SHOWN}.coalescing:CoalesceDocument",
    "bankwise.rules/1": f"{_SHOWN}.explaining:RulesDocument",
    "bankwise.rule/1": f"{_SHOWN}.explaining:RuleDocument",
    "bankwise.noun/1": f"{_SHOWN}.explaining:NounDocument",
    "bankwise.picture/1": f"{_SHOWN}.picture:PictureDocument",
    "bankwise.doctor/1": f"{_SHOWN}.health:HealthDocument",
    "bankwise.choose/1": f"{_SHOWN}.choosing:ChooseDocument",
    "bankwise.opt/1": f"{_SHOWN}.opting:OptDocument",
    "bankwise.scan/1": f"{_SHOWN}.scanning:ScanDocument",
    "bankwise.evidence/1": f"{_SHOWN}.evidence:EvidenceDocument",
    "bankwise.sweep/1": f"{_SHOWN}.sweeping:SweepDocument",
    "bankwise.triton-plan/1": f"{_SHOWN}.planning:PlanDocument",
    "bankwise.triton-plans/1": f"{_SHOWN}.planning:PlansDocument",
    "bankwise.tune/1": f"{_SHOWN}.tuning:TuneDocument",
    "bankwise.brief/1": f"{_SHOWN}.briefs:BriefDocument",
    "bankwise.piece/1": f"{_SHOWN}.briefs:PieceDocument",
    "bankwise.probe/1": f"{_LAB}:ProbeDocument",
    "bankwise.proposal/1": f"{_LAB}:ProposalDocument",
    "bankwise.probe-answers/1": f"{_LAB}:KitDocument",
    "bankwise.verify/1": f"{_LAB}:VerifyDocument",
    "bankwise.bench/1": f"{_LAB}:BenchDocument",
    "bankwise.bench_transpose/1": f"{_LAB}:TransposeDocument",
}
"""Name to ``module:struct``, in the order of docs/json.md."""


def struct(name: str) -> type[Any]:
    """The struct of a document; InputError for a name that no document has."""
    if name not in DOCUMENTS:
        raise InputError(f"unknown document {name!r}", hint=_meant(name))
    module, _, attribute = DOCUMENTS[name].partition(":")
    found: type[Any] = getattr(import_module(module), attribute)
    return found


def _meant(name: str) -> str:
    """Which document a name without the rest may mean; else all of them."""
    near = [known for known in DOCUMENTS if name and name in known]
    return f"did you mean {', '.join(near)}?" if near else f"one of {', '.join(DOCUMENTS)}"


def plain(document: object) -> dict[str, Any]:
    """A document as whoever reads its JSON gets it: dicts, lists, texts, numbers."""
    found: dict[str, Any] = json.loads(json.dumps(_builtins(document)))
    return found


def dumps(document: object) -> str:
    """A document as indented JSON with a final newline."""
    return json.dumps(_builtins(document), indent=2) + "\n"


def _builtins(document: object) -> Any:
    import msgspec

    return msgspec.to_builtins(document)


def json_schema(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a document; InputError for an unknown name."""
    import msgspec

    kind = struct(name)
    found = msgspec.json.schema(kind)
    version = name.partition("/")[2]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:{name.partition('/')[0].replace('.', ':', 1)}:{version}",
        "title": name,
        "description": summary(name),
        **found,
    }


def summary(name: str) -> str:
    """What a document is, in a sentence."""
    return (struct(name).__doc__ or "").partition("\n")[0]
