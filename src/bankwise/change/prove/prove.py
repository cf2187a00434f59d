"""From claims to proofs: the buffers, the two texts side by side, then every access."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iree.compiler import ir

from bankwise.change.prove.accesses import AccessPair, check_access
from bankwise.change.prove.claim import MapClaim, Proof
from bankwise.change.prove.claimed import ClaimedBuffers, claimed_buffers
from bankwise.change.prove.pairing import MayDiffer, PairedModules, pair
from bankwise.change.prove.places import Incoming, PlaceError, elements_of
from bankwise.change.prove.sigma import MapError, check_bijection
from bankwise.change.prove.storage import StorageClass, storage_classes
from bankwise.change.prove.threads import Evaluators, evaluators
from bankwise.errors import Refusal
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.touches import MemrefAccess
from bankwise.tile import COPIES

_ASKS_SIZES = frozenset({"memref.dim", "memref.extract_strided_metadata"})


def prove(before: Opened, after: Opened, claims: Sequence[MapClaim]) -> tuple[Proof, ...]:
    """One proof for each claim, in order; the edit is proved if none of them has a refusal.

    Every claim is refused if the two texts differ anywhere but in where accesses to claimed
    allocations go (and in the source of a copy into one).
    """
    claimed = claimed_buffers(before, claims)
    good = [each for each in claimed if isinstance(each, ClaimedBuffers)]
    paired = pair(before, after, _may_differ(good))
    if isinstance(paired, Refusal):
        refused = [paired if isinstance(c, ClaimedBuffers) else c for c in claimed]
        return tuple(Proof(c, 0, (), r) for c, r in zip(claims, refused, strict=True))
    judge = _Judge(before, after, paired)
    return tuple(
        judge.proof(each) if isinstance(each, ClaimedBuffers) else Proof(claim, 0, (), each)
        for claim, each in zip(claims, claimed, strict=True)
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


class _Judge:
    """What judging the claims about two paired texts needs."""

    def __init__(self, before: Opened, after: Opened, paired: PairedModules) -> None:
        self.before, self.paired = before, paired
        self.evaluators: Evaluators = evaluators(before, paired.numbering)
        self.incoming_after: Incoming = {
            value: sources
            for storage in storage_classes(after)
            for value, sources in storage.incoming.items()
        }

    def proof(self, buffers: ClaimedBuffers) -> Proof:
        """The proof of one claim, with the first reason against it."""
        claim = buffers.claim
        accesses = [(s, access) for s in buffers.classes for access in s.accesses]
        reason = next(self._reasons(buffers, accesses), None)
        facts = [fact for s in buffers.classes for fact in s.facts]
        for _, access in accesses if reason is None else ():
            used = self.evaluators.executing(access.op)
            facts += () if used is None else used.facts
        count = len(accesses) if reason is None else 0
        return Proof(claim, count, tuple(dict.fromkeys(facts)), reason)

    def _reasons(
        self, buffers: ClaimedBuffers, accesses: Sequence[tuple[StorageClass, MemrefAccess]]
    ) -> Iterator[Refusal]:
        """Everything that is not proved, what concerns the buffers first."""
        claim = buffers.claim
        for storage in buffers.classes:
            for escape in storage.escapes:
                yield Refusal(f"{claim.names}: {escape.reason}", escape.location)
            yield from self._sizes(buffers, storage)
        for storage, access in accesses:
            reason = self._access(buffers, storage, access)
            if reason is not None:
                where = self.before.location_of(access.op)
                yield Refusal(f"{claim.names}: {access.op.name}: {reason}", where)

    def _sizes(self, buffers: ClaimedBuffers, storage: StorageClass) -> Iterator[Refusal]:
        """Why the map is none of the elements that there are."""
        claim = buffers.claim
        for origin in storage.origins:
            try:
                check_bijection(claim, elements_of(origin))
            except (PlaceError, MapError) as error:
                yield Refusal(f"{claim.names}: {error}")
        if claim.unpadded is None:
            return
        for value in storage.values:
            for use in value.uses:
                if use.owner.operation.name in _ASKS_SIZES:
                    where = self.before.location_of(use.owner)
                    yield Refusal(f"{claim.names}: {use.owner.name} asks for its size", where)

    def _access(
        self, buffers: ClaimedBuffers, storage: StorageClass, access: MemrefAccess
    ) -> str | None:
        evaluator = self.evaluators.executing(access.op)
        if evaluator is None:
            return None
        partner = self.paired.partners[access.op]
        if access.kind in COPIES:
            return "copies in lane order are not proved yet"
        pair = AccessPair(access, partner, storage.incoming, self.incoming_after)
        return check_access(pair, buffers.claim, evaluator)
