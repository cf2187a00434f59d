"""The address identity once more, by an SMT solver over bit-vectors: the third judge.

What :func:`bankwise.change.prove.prove` decides by affine forms is asked again as a question about
64-bit integers: is there a thread, a workgroup, a size, a round in which an access goes elsewhere
than where the map puts its element? The two texts are paired as there, and buffers are classed as
there; no arithmetic is shared. An access that leaves its allocation is no counterexample: what it
does was not defined before.

The solver's work is limited by its own count (``rlimit``), not by time: "unknown" is an answer,
and the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import z3
from iree.compiler import ir
from msgspec import Struct

from bankwise.change.prove.claim import MapClaim
from bankwise.change.prove.claimed import ClaimedBuffers, claimed_buffers
from bankwise.change.prove.pairing import PairedModules
from bankwise.change.prove.places import PlaceError, elements_of
from bankwise.change.prove.prove import paired_texts
from bankwise.change.prove.smt_access import AccessQuery, UnknownError, access_queries
from bankwise.change.prove.smt_map import bijection_query
from bankwise.change.prove.storage import StorageClass, storage_classes
from bankwise.change.prove.threads import text_launches
from bankwise.errors import Location, Refusal
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.names import Called, called
from bankwise.read.mlir.touches import MemrefAccess

RLIMIT = 5_000_000
"""The most of z3's own steps for one question; those of real kernels take a tenth of it."""


class SmtAnswer(Struct, frozen=True):
    """What the solver says of one claim. ``detail``: the counterexample, or why it is not known.

    ``accesses``: how many were decided before that.
    """

    claim: MapClaim
    status: Literal["proved", "counterexample", "unknown"]
    accesses: int
    detail: str = ""
    location: Location | None = None


def solver_version() -> str:
    """The solver and its version, as verdicts name it."""
    return f"z3 {z3.get_version_string()}"


def decide(
    before: Opened, after: Opened, claims: Sequence[MapClaim], rlimit: int = RLIMIT
) -> tuple[SmtAnswer, ...]:
    """One answer for each claim, in order."""
    buffers = claimed_buffers(before, claims)
    good = [each for each in buffers if isinstance(each, ClaimedBuffers)]
    paired = paired_texts(before, after, good)
    if isinstance(paired, Refusal):
        return tuple(_unknown(claim, paired) for claim in claims)
    judge = _SmtJudge(before, after, paired, rlimit)
    return tuple(
        judge.answer(each) if isinstance(each, ClaimedBuffers) else _unknown(claim, each)
        for claim, each in zip(claims, buffers, strict=True)
    )


def _unknown(claim: MapClaim, refusal: Refusal) -> SmtAnswer:
    return SmtAnswer(claim, "unknown", 0, refusal.reason, refusal.location)


class _SmtJudge:
    """What asking about two paired texts needs."""

    def __init__(self, before: Opened, after: Opened, paired: PairedModules, rlimit: int) -> None:
        self.before, self.paired, self.rlimit = before, paired, rlimit
        self.launches = text_launches(before)
        self.called: Called = called(before)
        self.after = {v: c for c in storage_classes(after) for v in c.values}

    def answer(self, buffers: ClaimedBuffers) -> SmtAnswer:
        claim = buffers.claim
        escapes = [escape for storage in buffers.classes for escape in storage.escapes]
        if escapes:
            return _unknown(claim, escapes[0])
        accesses = [(s, access) for s in buffers.classes for access in s.accesses]
        done = 0
        try:
            sizes = {elements_of(o) for s in buffers.classes for o in s.origins}
            found = [self._ask(bijection_query(claim, size)) for size in sorted(sizes)]
            bad = next((text for text in found if text is not None), None)
            if bad is not None:
                return SmtAnswer(claim, "counterexample", 0, f"no bijection: {bad}")
            for storage, access in accesses:
                for query in self._queries(claim, storage, access):
                    text = self._ask(query)
                    if text is not None:
                        told = f"{access.op.name}: {text}"
                        where = self.before.location_of(access.op)
                        return SmtAnswer(claim, "counterexample", done, told, where)
                done += 1
        except (PlaceError, UnknownError, RecursionError) as error:
            reason = "the expressions are too deep" if not str(error) else str(error)
            op = accesses[done][1].op if accesses else None
            place = None if op is None else self.before.location_of(op)
            return SmtAnswer(claim, "unknown", done, reason, place)
        return SmtAnswer(claim, "proved", done)

    def _queries(
        self, claim: MapClaim, storage: StorageClass, access: MemrefAccess
    ) -> Iterator[AccessQuery]:
        partner = self.paired.partners[access.op]
        memref = partner.operands[access.memref]
        classes = (storage, self.after[memref])
        return access_queries(
            claim, access, partner, classes, self.paired.numbering, self.launches(access.op)
        )

    def _named(self, value: ir.Value) -> str:
        """A value that the text does not decide, as a counterexample calls it."""
        around = value.owner.owner.operation if isinstance(value.owner, ir.Block) else None
        if around is not None and not around.name.endswith(".func"):
            place = self.before.location_of(around)
            first = around.name == "scf.for" and ir.BlockArgument(value).arg_number == 0
            return f"round of the loop at {place}:" if first else f"a value carried at {place}:"
        called = self.called(value)
        return f"%{called} =" if called else "another value ="

    def _ask(self, query: AccessQuery) -> str | None:
        """The counterexample in words; None if there is none. Raises :class:`UnknownError`."""
        solver = z3.SolverFor("QF_BV")
        solver.set("rlimit", self.rlimit)
        solver.add(*query.given)
        solver.add(query.wrong)
        found = solver.check()
        if found == z3.unsat:
            return None
        if found == z3.unknown:
            raise UnknownError(
                f"{query.what}: no answer within {self.rlimit:,} steps of the solver"
            )
        if query.only_doubt:
            raise UnknownError(query.what)
        carried = next((v for _, _, v in query.free if _is_carried(v)), None)
        if carried is not None:
            raise UnknownError(
                f"{query.what}, perhaps: {self._named(carried)[:-2]} is not followed"
            )
        return query.told(solver.model(), self._named)


def _is_carried(value: ir.Value) -> bool:
    """Whether a value goes round a loop, so that not every number need be one of its values."""
    if not isinstance(value.owner, ir.Block):
        return False
    around = value.owner.owner.operation
    counts = around.name == "scf.for" and ir.BlockArgument(value).arg_number == 0
    return not counts and not around.name.endswith(".func")
