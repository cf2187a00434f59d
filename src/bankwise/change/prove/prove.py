"""From claims to proofs: the buffers, the two texts side by side, then every access."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iree.compiler import ir

from bankwise.change.prove.accesses import AccessPair, check_access
from bankwise.change.prove.barriers import without_barrier
from bankwise.change.prove.claim import MapClaim, Proof
from bankwise.change.prove.claimed import ClaimedBuffers, claimed_buffers
from bankwise.change.prove.copies import CopyProof, check_copy, counts_of
from bankwise.change.prove.pairing import MayDiffer, PairedModules, pair
from bankwise.change.prove.places import Incoming, PlaceError, elements_of
from bankwise.change.prove.sigma import MapError, check_bijection
from bankwise.change.prove.storage import StorageClass, storage_classes
from bankwise.change.prove.threads import FormEvaluators, evaluators, function_of
from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.pools import Pool, pool_of
from bankwise.read.mlir.touches import MemrefAccess
from bankwise.tile import COPIES

_PLACE = 1
"""The operand of a memref.view that says where it begins."""

_ASKS_SIZES = frozenset({"memref.dim", "memref.extract_strided_metadata"})


def prove(before: Opened, after: Opened, claims: Sequence[MapClaim]) -> tuple[Proof, ...]:
    """One proof for each claim, in order; the edit is proved if none of them has a refusal.

    Every claim is refused if the two texts differ anywhere but in where accesses to claimed
    allocations go (and in the source of a copy into one).
    """
    claimed = claimed_buffers(before, claims)
    good = [each for each in claimed if isinstance(each, ClaimedBuffers)]
    paired = paired_texts(before, after, good)
    if isinstance(paired, Refusal):
        refused = [paired if isinstance(c, ClaimedBuffers) else c for c in claimed]
        return tuple(Proof(c, 0, (), r) for c, r in zip(claims, refused, strict=True))
    incoming = [storage.incoming for storage in storage_classes(after)]
    known = evaluators(before, paired.numbering)
    judge = _Judge(before, paired, known, {v: s for each in incoming for v, s in each.items()})
    return tuple(
        judge.proof(each) if isinstance(each, ClaimedBuffers) else Proof(claim, 0, (), each)
        for claim, each in zip(claims, claimed, strict=True)
    )


def prove_parts(before: Opened, after: Opened, parted: Sequence[ir.Operation]) -> Refusal | None:
    """Why ``after`` is not ``before`` with some of the loads and stores ``parted`` in parts; None
    if it is: every lane touches the same elements, in the same order among its accesses."""
    found = pair(before, after, MayDiffer({}, frozenset(), frozenset(parted)))
    return found if isinstance(found, Refusal) else None


def paired_texts(
    before: Opened, after: Opened, claimed: Sequence[ClaimedBuffers]
) -> PairedModules | Refusal:
    """The two texts side by side, if they differ only where an edit that claims these buffers may.

    Parts of a byte pool may move, and it may be as small, as long as they share no byte.
    """
    operands: dict[ir.Operation, frozenset[int]] = {}
    types: set[ir.Value] = set()
    pools = [pool for each in claimed if each.claim.unpadded for pool in each.pools]
    for each in claimed:
        for storage in each.classes:
            operands |= {access.op: _indices(access) for access in storage.accesses}
            types |= storage.values if each.claim.unpadded else set()
    operands |= {view.owner: frozenset({_PLACE}) for pool in pools for view in pool.views}
    types |= {pool.op.results[0] for pool in pools}
    found = pair(before, after, MayDiffer(operands, frozenset(types)))
    mixed = None if isinstance(found, Refusal) else next(_mixed(pools, found), None)
    if mixed is None:
        return found
    return Refusal("parts of a byte pool do not lie apart", before.location_of(mixed))


def _mixed(pools: Sequence[Pool], paired: PairedModules) -> Iterator[ir.Operation]:
    """The pools that are not in the same parts in the text after."""
    for pool in pools:
        found = pool_of(paired.resized[pool.op.results[0]].owner)
        parts = {frozenset(paired.partners[view] for view in part) for part in pool.parts}
        if found is None or {*map(frozenset, found.parts)} != parts:
            yield pool.op


def _indices(access: MemrefAccess) -> frozenset[int]:
    """The operands of an access that say where it goes, and where a copy comes from."""
    if access.source is None:
        return frozenset(access.indices)
    return frozenset((*access.indices, *access.source[1], *counts_of(access)))


class _Judge(ByIdentity, frozen=True, eq=False):
    """What judging the claims about two paired texts needs; ``incoming_after``: of all classes."""

    before: Opened
    paired: PairedModules
    evaluators: FormEvaluators
    incoming_after: Incoming

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
        exchanged: list[StorageClass] = []
        for storage, access in accesses:
            found = self._access(buffers, storage, access)
            if found.reason is not None:
                where = self.before.location_of(access.op)
                yield Refusal(f"{claim.names}: {access.op.name}: {found.reason}", where)
            if found.exchanges and access.kind == "async":
                exchanged.append(storage)
        for storage in exchanged:
            yield from self._barriers(claim, storage)

    def _barriers(self, claim: MapClaim, storage: StorageClass) -> Iterator[Refusal]:
        """Why lanes may not copy for each other: a barrier is missing."""
        copies = frozenset(a.op for a in storage.accesses if a.kind == "async")
        others = frozenset(a.op for a in storage.accesses) - copies
        functions = {function_of(op) for op in (*copies, *others)}
        found = without_barrier(functions.pop(), copies, others) if len(functions) == 1 else None
        if found is not None or functions:
            where = None if found is None else self.before.location_of(found)
            reason = "no barrier stands between a copy and other accesses"
            yield Refusal(f"{claim.names}: lanes would copy for each other, and {reason}", where)

    def _sizes(self, buffers: ClaimedBuffers, storage: StorageClass) -> Iterator[Refusal]:
        """Why the map is none of the elements that there are."""
        claim = buffers.claim
        for origin in storage.origins:
            try:
                check_bijection(claim, elements_of(origin))
                self._room(claim, origin)
            except (PlaceError, MapError) as error:
                yield Refusal(f"{claim.names}: {error}")
        if claim.unpadded is None:
            return
        for value in storage.values:
            for use in value.uses:
                op = use.owner.operation
                if op.name in _ASKS_SIZES:
                    where = self.before.location_of(op)
                    yield Refusal(f"{claim.names}: {op.name} asks for its size", where)
                if op.name == "memref.assume_alignment" and value not in storage.origins:
                    where = self.before.location_of(op)
                    reason = f"{op.name} says where a part of it begins"
                    yield Refusal(f"{claim.names}: {reason}", where)

    def _room(self, claim: MapClaim, origin: ir.Value) -> None:
        """Raise :class:`PlaceError` unless a buffer without its padding holds all that is left."""
        rows, after = claim.unpadded, self.paired.resized.get(origin)
        if rows is None or after is None:
            return
        wanted = elements_of(origin) // rows.pitch * rows.row
        if elements_of(after) != wanted:
            raise PlaceError(f"{after.type} does not hold {wanted} elements")

    def _access(
        self, buffers: ClaimedBuffers, storage: StorageClass, access: MemrefAccess
    ) -> CopyProof:
        evaluator = self.evaluators.executing(access.op)
        if evaluator is None:
            return CopyProof()
        partner = self.paired.partners[access.op]
        pair = AccessPair(access, partner, storage.incoming, self.incoming_after)
        if access.kind in COPIES:
            return check_copy(pair, buffers.claim, evaluator)
        return CopyProof(check_access(pair, buffers.claim, evaluator))
