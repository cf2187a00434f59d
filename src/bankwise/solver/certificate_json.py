"""A certificate as JSON, and back: what ``solve -o`` writes and ``certify`` reads."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from bankwise.errors import InputError
from bankwise.solver.certificate import SCHEMA, Certificate, How

Whole = Annotated[int, Meta(ge=0)]
Directions = Annotated[str, Meta(description="directions of the tile, e.g. n0 m1^n2")]


class ClaimedDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """One access: what it does, and what one execution of it is said to cost."""

    name: str
    kind: str
    instruction: str
    lanes: Directions
    vector: Directions
    registers: Directions
    weight: Whole
    passes: Whole
    ideal: Whole
    floor: Annotated[int, Meta(ge=0, description="no layout takes fewer passes")]
    conflicts: Annotated[str, Meta(description="a basis of the directions that collide")]


class CertificateDocument(
    Struct,
    frozen=True,
    forbid_unknown_fields=True,
    tag_field="schema",
    tag=SCHEMA,
):
    """A problem, its answer, and all that a sceptic needs to check it without the solver."""

    machine: str
    dims: Annotated[tuple[tuple[str, Whole], ...], Meta(description="names and bits")]
    element_bits: Whole
    accesses: tuple[ClaimedDocument, ...]
    bases: Annotated[
        tuple[Whole, ...], Meta(description="of each coordinate bit, its offset in elements")
    ]
    colours: Annotated[tuple[Whole, ...], Meta(description="the bank bits that it moves")]
    total_passes: Whole
    total_floor: Whole
    how: Annotated[How, Meta(description="how optimality is known")]
    nodes: Annotated[int, Meta(ge=0, description="of the exhausted search")]
    optimal: bool
    digest: Annotated[str, Meta(description="SHA-256 of all the others as canonical JSON")]


def certificate_document(certificate: Certificate) -> CertificateDocument:
    """``bankwise.certificate/1``."""
    return msgspec.convert(certificate, CertificateDocument, from_attributes=True)


def read_certificate(data: object) -> Certificate:
    """The certificate of a parsed JSON object; InputError if it is none, or damaged."""
    try:
        found = msgspec.convert(data, CertificateDocument)
    except msgspec.ValidationError as error:
        raise InputError(f"not a certificate: {error}") from error
    read = msgspec.convert(found, Certificate, from_attributes=True)
    if found.digest != read.digest:
        raise InputError("bad certificate: the digest does not fit the content")
    if found.optimal is not read.optimal:
        raise InputError(f"bad certificate: optimal {found.optimal} by {read.how!r}")
    return read
