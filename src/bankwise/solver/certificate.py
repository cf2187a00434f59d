"""Certificates: what was found, and everything a sceptic needs to check it without the solver.

A certificate is one JSON object. It holds the problem (machine, tile, accesses in coordinates), the
answer (the offset of every coordinate bit), and the claims: passes, ideal, floor and conflict
directions of every access, the totals, and how optimality is known. :mod:`bankwise.solver.certify`
re-derives the claims by counting. ``digest`` guards what nobody can re-derive (the size of a
search) against damage, no more. This module is data only: the judge may read it without touching
the theorem.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from bankwise.errors import InputError

SCHEMA = "bankwise.certificate/1"

How = Literal["floor", "lemma", "search", "budget"]
"""How optimality is known; :data:`HOW_TEXT` says it in words."""

HOW_TEXT: Mapping[How, str] = {
    "floor": "reaches the floor",
    "lemma": "dimension lemma",
    "search": "exhausted search",
    "budget": "best found within the budget",
}


@dataclass(frozen=True, slots=True)
class Claim:
    """One access: what it does (directions as text, ``"n0 m1^n2"``) and what it is said to cost.

    ``passes``, ``ideal`` and ``floor`` are of one execution. ``conflicts``: a basis of the
    directions in which lanes of a phase collide, empty when the access is free.
    """

    name: str
    kind: str
    instruction: str
    lanes: str
    vector: str
    registers: str
    weight: int
    passes: int
    ideal: int
    floor: int
    conflicts: str


@dataclass(frozen=True, slots=True)
class Certificate:
    """``bases[i]``: the offset in elements of coordinate bit i, the first dimension lowest.

    ``colours[i]``: the bank bits it moves, for the access that sees most banks. Totals are
    weight times passes. ``nodes``: size of the exhausted search, 0 where none was needed.
    """

    machine: str
    dims: tuple[tuple[str, int], ...]
    element_bits: int
    accesses: tuple[Claim, ...]
    bases: tuple[int, ...]
    colours: tuple[int, ...]
    total_passes: int
    total_floor: int
    how: How
    nodes: int

    @property
    def optimal(self) -> bool:
        """Whether nothing better exists."""
        return self.how != "budget"

    def __str__(self) -> str:
        nodes = f" ({self.nodes} nodes)" if self.how == "search" else ""
        return f"{self.total_passes} passes, floor {self.total_floor}: {HOW_TEXT[self.how]}{nodes}"


def to_json(certificate: Certificate) -> dict[str, Any]:
    """The JSON object of a certificate, with its schema and digest."""
    body = {"schema": SCHEMA, **asdict(certificate), "optimal": certificate.optimal}
    body = json.loads(json.dumps(body))
    return {**body, "digest": digest(body)}


def digest(body: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical text of everything but the digest itself."""
    content = {key: value for key, value in body.items() if key != "digest"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def from_json(data: object) -> Certificate:
    """Read a certificate; :class:`InputError` if it is not one, or damaged."""
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise InputError(f"not a certificate: the schema is not {SCHEMA!r}")
    expected = {f.name for f in fields(Certificate)} | {"schema", "optimal", "digest"}
    if set(data) != expected:
        odd = sorted(set(data) ^ expected)[0]
        raise InputError(f"bad certificate: {odd!r} is missing or unknown")
    if data["digest"] != digest(data):
        raise InputError("bad certificate: the digest does not fit the content")
    try:
        read = Certificate(
            machine=_text(data["machine"]),
            dims=tuple((_text(name), _whole(bits)) for name, bits in data["dims"]),
            element_bits=_whole(data["element_bits"]),
            accesses=tuple(_read_claim(c) for c in data["accesses"]),
            bases=tuple(_whole(x) for x in data["bases"]),
            colours=tuple(_whole(x) for x in data["colours"]),
            total_passes=_whole(data["total_passes"]),
            total_floor=_whole(data["total_floor"]),
            how=data["how"],
            nodes=_whole(data["nodes"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"bad certificate: {error}") from error
    if read.how not in get_args(How) or data["optimal"] is not read.optimal:
        raise InputError(f"bad certificate: optimal {data['optimal']!r} by {read.how!r}")
    return read


def _read_claim(data: Mapping[str, Any]) -> Claim:
    names = sorted(f.name for f in fields(Claim))
    if sorted(data) != names:
        raise ValueError(f"an access has {sorted(data)}, not {names}")
    claim = Claim(**data)
    for value in (claim.weight, claim.passes, claim.ideal, claim.floor):
        _whole(value)
    texts = (claim.name, claim.kind, claim.instruction, claim.lanes, claim.vector)
    for text in (*texts, claim.registers, claim.conflicts):
        _text(text)
    return claim


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r} is not a whole number")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text")
    return value
