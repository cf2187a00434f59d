"""From claims to proofs: the buffers, the two texts side by side, then every access."""

from __future__ import annotations

from collections.abc import Sequence

from iree.compiler import ir

from bankwise.change.prove.claim import MapClaim, Proof
from bankwise.change.prove.claimed import ClaimedBuffers, claimed_buffers
from bankwise.change.prove.pairing import MayDiffer, PairedModules, pair
from bankwise.errors import Refusal
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.touches import MemrefAccess


def prove(before: Opened, after: Opened, claims: Sequence[MapClaim]) -> tuple[Proof, ...]:
    """One proof for each claim, in order; the edit is proved if none of them has a refusal.

    Every claim is refused if the two texts differ anywhere but in where accesses to claimed
    allocations go (and in the source of a copy into one).
    """
    claimed = claimed_buffers(before, claims)
    good = [each for each in claimed if isinstance(each, ClaimedBuffers)]
    paired = pair(before, after, _may_differ(good))
    return tuple(
        _proof(claim, buffers, paired) for claim, buffers in zip(claims, claimed, strict=True)
    )


def _may_differ(claimed: Sequence[ClaimedBuffers]) -> MayDiffer:
    operands: dict[ir.Operation, frozenset[int]] = {}
    types: set[ir.Value] = set()
    for each in claimed:
        for storage in each.classes:
            operands |= {access.op: _indices(access) for access in storage.accesses}
            types |= storage.values if each.claim.unpadded else set()
    return MayDiffer(operands, frozenset(types))


def _indices(access: MemrefAccess) -> frozenset[int]:
    """The operands of an access that say where it goes, and where a copy comes from."""
    sources = () if access.source is None else access.source[1]
    return frozenset((*access.indices, *sources))


def _proof(
    claim: MapClaim, buffers: ClaimedBuffers | Refusal, paired: PairedModules | Refusal
) -> Proof:
    found = buffers if isinstance(buffers, Refusal) else _closed(buffers)
    if found is None:
        found = paired if isinstance(paired, Refusal) else None
    if found is None:
        found = Refusal(f"{claim.names}: accesses are not proved yet")
    return Proof(claim, 0, (), found)


def _closed(buffers: ClaimedBuffers) -> Refusal | None:
    """Why an operation on the buffers is out of sight."""
    escapes = [each for storage in buffers.classes for each in storage.escapes]
    if not escapes:
        return None
    return Refusal(f"{buffers.claim.names}: {escapes[0].reason}", escapes[0].location)
