"""The claimed map as a term of the solver, from the definition of its parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import z3
from iree.compiler import ir

from bankwise.algebra.address import Fold
from bankwise.change.prove.claim import MapClaim
from bankwise.change.prove.smt_arithmetic import Term, number
from bankwise.identity import ByIdentity
from bankwise.notation.padding import PaddedFold


class AccessQuery(ByIdentity, frozen=True, eq=False):
    """A question: can ``wrong`` hold where all of ``given`` does?

    ``shown``: terms for a counterexample, by name; ``free``: those that the text does not decide,
    with their values. ``only_doubt``: if it can, nothing is shown, but ``what`` is not proved.
    """

    what: str
    given: Sequence[Term]
    wrong: Term
    shown: Sequence[tuple[str, Term]] = ()
    free: Sequence[tuple[str, Term, ir.Value]] = ()
    only_doubt: bool = False

    def told(self, model: z3.ModelRef, named: Callable[[ir.Value], str]) -> str:
        """A counterexample: thread, workgroup, sizes, old and new place."""
        parts = [f"{name} {_number(model, term)}" for name, term in self.shown]
        parts += [f"{named(value)} {_number(model, term)}" for _, term, value in self.free]
        return f"{self.what}: {', '.join(parts)}"


def _number(model: z3.ModelRef, term: Term) -> int:
    return int(model.eval(term, model_completion=True).as_signed_long())


def image(claim: MapClaim, offset: Term) -> tuple[Term, Term]:
    """Where the map puts an element, and whether it has a place; offsets are not negative."""
    has = z3.BoolVal(True)
    if claim.unpadded is not None:
        pitch, row = number(claim.unpadded.pitch), number(claim.unpadded.row)
        column = z3.URem(offset, pitch)
        has = z3.ULT(column, row)
        offset = z3.UDiv(offset, pitch) * row + column
    if isinstance(claim.fold, PaddedFold):
        return _padded(claim.fold, offset), has
    for fold in claim.fold.folds if claim.fold is not None else ():
        offset = _folded(fold, offset)
    return offset, has


def _folded(fold: Fold, offset: Term) -> Term:
    unit = number(fold.unit)
    chunk = z3.UDiv(offset, unit) ^ _phase(fold, offset)
    return chunk * unit + z3.URem(offset, unit)


def _phase(fold: Fold, offset: Term) -> Term:
    return z3.URem(z3.UDiv(offset, number(fold.divisor)), number(fold.phases))


def _padded(fold: PaddedFold, offset: Term) -> Term:
    column = z3.URem(offset, number(fold.row))
    delta = number(0)
    for each in fold.folds:
        delta = delta ^ _phase(each, offset) * number(each.unit)
    used = z3.ULT(column, number(fold.fold.row))
    return z3.If(used, offset - column + (column ^ delta), offset)


def bijection_query(claim: MapClaim, elements: int) -> AccessQuery:
    """Two elements at one place, or one outside: of the elements in use."""
    a, b = z3.BitVec("element", 64), z3.BitVec("other element", 64)
    rows = claim.unpadded
    places = elements if rows is None else elements // rows.pitch * rows.row
    (to_a, has_a), (to_b, has_b) = image(claim, a), image(claim, b)
    given = [z3.ULT(each, number(elements)) for each in (a, b)]
    twice = z3.And(a != b, to_a == to_b, has_a, has_b)
    outside = z3.And(has_a, z3.UGE(to_a, number(places)))
    shown = (("element", a), ("other element", b), ("both at", to_a))
    return AccessQuery("the map is no bijection", given, z3.Or(twice, outside), shown)
