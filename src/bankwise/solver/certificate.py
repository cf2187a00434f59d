"""Certificates: what was found, and everything a sceptic needs to check it without the solver.

A certificate is one JSON object (see :mod:`bankwise.solver.certificate_json`). It holds the problem
(machine, tile, accesses in coordinates), the answer (the offset of every coordinate bit), and the
claims: passes, ideal, floor and conflict directions of every access, the totals, and how optimality
is known. :mod:`bankwise.solver.certify` re-derives the claims by counting. ``digest`` guards what
nobody can re-derive (the size of a search) against damage, no more. This module is data only: the
judge may read it without touching the theorem.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct, to_builtins

SCHEMA = "bankwise.certificate/1"

How = Literal["floor", "lemma", "search", "budget"]
"""How optimality is known; :data:`HOW_TEXT` says it in words."""

HOW_TEXT: Mapping[How, str] = {
    "floor": "reaches the floor",
    "lemma": "dimension lemma",
    "search": "exhausted search",
    "budget": "best found within the budget",
}


class Claim(Struct, frozen=True):
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


class Certificate(Struct, frozen=True):
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

    @property
    def digest(self) -> str:
        """What guards its JSON against damage."""
        return digest({"schema": SCHEMA, **to_builtins(self), "optimal": self.optimal})

    def __str__(self) -> str:
        nodes = f" ({self.nodes} nodes)" if self.how == "search" else ""
        return f"{self.total_passes} passes, floor {self.total_floor}: {HOW_TEXT[self.how]}{nodes}"


def digest(body: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical text of everything but the digest itself."""
    import hashlib
    import json

    content = {key: value for key, value in body.items() if key != "digest"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
