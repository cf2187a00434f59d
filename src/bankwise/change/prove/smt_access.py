"""Questions about accesses: does every element go where the map puts it, in every thread?

Loads and stores: the place of every element of the vector, and which elements a transfer leaves
out. Copies: lane t of a wave fills its slot with what belongs there, that is, what the lane u
fetched whose element the map puts into the slot of t.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import z3
from iree.compiler import ir

from bankwise.change.prove.claim import MapClaim
from bankwise.change.prove.copies import counts_of
from bankwise.change.prove.launch import TextLaunch
from bankwise.change.prove.numbering import Numbering
from bankwise.change.prove.places import begins, elements_of, strides_of
from bankwise.change.prove.smt_arithmetic import Term, number
from bankwise.change.prove.smt_map import AccessQuery, image
from bankwise.change.prove.smt_terms import Terms, mentions_lane, possible
from bankwise.change.prove.storage import StorageClass
from bankwise.counting.access import IntArray
from bankwise.identity import ByIdentity
from bankwise.read.mlir.touches import MemrefAccess
from bankwise.read.mlir.views import bytes_of
from bankwise.tile import COPIES

__all__ = ["AccessQuery", "UnknownError", "access_queries"]

_DYNAMIC = -(2**63)
_WAVES = {"dma": 64, "async": 32}
_WIDE_BYTES = 16
"""What a lane of a direct copy fills where waves have 64 lanes in any case; see copies."""
_SAME_START = frozenset(
    {
        *("memref.cast", "memref.memory_space_cast", "memref.assume_alignment"),
        *("memref.expand_shape", "memref.collapse_shape"),
    }
)


class UnknownError(Exception):
    """The solver cannot be asked, or gives no answer; the message says why."""


class _AccessTerms(ByIdentity, frozen=True, eq=False):
    """One access with its partner. ``elements``: of the allocation, before."""

    claim: MapClaim
    touch: MemrefAccess
    partner: ir.Operation
    before: StorageClass
    after: StorageClass
    elements: int
    terms: Terms

    def first(self, terms: Terms) -> tuple[Term, Term]:
        """The element that the indices name, before and after."""
        ours = _place(self.touch.op, self.touch, terms, self.before)
        return ours, _place(self.partner, self.touch, terms, self.after)

    def facts(self, *terms: Terms) -> list[Term]:
        """What holds of threads that execute the access; call it when all terms are made."""
        paths = [fact for each in terms for fact in each.path(self.touch.op)]
        return [*(bound for each in terms for bound in each.bounds), *paths]


def access_queries(
    claim: MapClaim,
    touch: MemrefAccess,
    partner: ir.Operation,
    classes: tuple[StorageClass, StorageClass],
    numbering: Numbering,
    launch: TextLaunch,
) -> Iterator[AccessQuery]:
    """The questions about one access; it is as claimed if none has an answer."""
    before, after = classes
    elements = min(elements_of(origin) for origin in before.origins)
    terms = Terms(numbering, launch)
    asked = _AccessTerms(claim, touch, partner, before, after, elements, terms)
    if touch.kind in COPIES:
        yield from _copy(asked)
    else:
        yield _moved(asked)
        yield from _left_out(asked)


def _moved(asked: _AccessTerms) -> AccessQuery:
    """An element of the vector that goes elsewhere."""
    old, new = asked.first(asked.terms)
    ours, theirs = (_steps(op, asked.touch) for op in (asked.touch.op, asked.partner))
    wrong = []
    for step, other in zip(ours, theirs, strict=True):
        at, to = old + number(int(step)), new + number(int(other))
        wanted, has = image(asked.claim, at)
        inside = z3.ULT(at, number(asked.elements))
        wrong.append(z3.And(inside, z3.Or(z3.Not(has), to != wanted)))
    given = asked.facts(asked.terms)
    shown = [*asked.terms.launch_variables, ("element before", old), ("after", new)]
    shown.append(("the map says", image(asked.claim, old)[0]))
    return AccessQuery("it goes elsewhere", given, z3.Or(*wrong), shown, _free(asked.terms))


def _left_out(asked: _AccessTerms) -> Iterator[AccessQuery]:
    """Elements that a transfer leaves out in one of the texts alone."""
    touch = asked.touch
    for dimension in touch.checked:
        place = touch.indices[dimension]
        reach = sorted({0} if touch.steps is None else set(touch.steps[:, dimension].tolist()))
        if touch.steps is None and dimension == len(touch.indices) - 1:
            reach = list(range(touch.elements))
        sides = []
        for op in (touch.op, asked.partner):
            size = op.operands[touch.memref].type.shape[dimension]
            if size == _DYNAMIC:
                raise UnknownError("a transfer may leave a memref of unknown size")
            index = asked.terms.value(op.operands[place])
            sides.append([index + number(step) < number(size) for step in reach])
        wrong = z3.Or(*(a != b for a, b in zip(*sides, strict=True)))
        given = asked.facts(asked.terms)
        shown = asked.terms.launch_variables
        yield AccessQuery("it leaves out others", given, wrong, shown, _free(asked.terms))


def _copy(asked: _AccessTerms) -> Iterator[AccessQuery]:
    """A copy whose lanes stay, and go elsewhere like stores; or whose lanes are exchanged."""
    touch = asked.touch
    assert touch.source is not None
    terms = asked.terms
    moved = [
        terms.value(touch.op.operands[n]) != terms.value(asked.partner.operands[n])
        for n in (*touch.source[1], *counts_of(touch))
    ]
    stays = touch.kind != "dma" or (asked.claim.fold, asked.claim.unpadded) == (None, None)
    if stays and not possible(z3.Or(*moved, False), asked.facts(terms)):
        yield _moved(asked)
    else:
        yield from _exchanged(asked)


def _exchanged(asked: _AccessTerms) -> Iterator[AccessQuery]:
    touch, launch = asked.touch, asked.terms.launch
    if not launch.stated or asked.claim.unpadded is not None:
        raise UnknownError("the lanes of a wave are not known, or fill a padding")
    if launch.wave is None and touch.slot_bytes not in (None, _WIDE_BYTES):
        raise UnknownError("the text does not say how many threads a wave has")
    wave = launch.wave or _WAVES[touch.kind]
    t, u = asked.terms, Terms(asked.terms.numbering, launch, "u")
    slot_t, slot_u = _slot(asked, t, wave), _slot(asked, u, wave)
    assert t.linear is not None
    assert u.linear is not None
    together = z3.UDiv(t.linear, number(wave)) == z3.UDiv(u.linear, number(wave))
    yield _as_one(asked, u, together)
    old, new = asked.first(t)
    facts = [*asked.facts(t, u), together]
    yield AccessQuery("its destination changed", facts, old != new, t.launch_variables, _free(t))
    yield from _permuted(asked, u, slot_u, wave)
    image_u, _ = image(asked.claim, slot_u)
    assert touch.source is not None
    pairs = [
        t.value(asked.partner.operands[n]) != u.value(touch.op.operands[n])
        for n in (*touch.source[1], *counts_of(touch))
    ]
    facts = [*asked.facts(t, u), together]
    shown = [*t.launch_variables, ("slot", slot_t), ("filled before by thread", u.linear)]
    belongs = z3.And(image_u == slot_t, z3.ULT(slot_u, number(asked.elements)))
    wrong = z3.And(belongs, z3.Or(*pairs))
    yield AccessQuery("a lane fetches what belongs elsewhere", facts, wrong, shown, _free(t))


def _as_one(asked: _AccessTerms, u: Terms, together: Term) -> AccessQuery:
    """All lanes of a wave execute it, or none."""
    paths = [z3.And(True, *each.path(asked.touch.op)) for each in (asked.terms, u)]
    given = [*asked.terms.bounds, *u.bounds, together]
    what = "some lanes of a wave may execute it without the others"
    return AccessQuery(what, given, paths[0] != paths[1], only_doubt=True)


def _permuted(asked: _AccessTerms, u: Terms, slot: Term, wave: int) -> Iterator[AccessQuery]:
    """The map keeps the slots of a wave, and what a lane fills, together."""
    assert u.linear is not None
    first = z3.UDiv(u.linear, number(wave)) * number(wave)
    if mentions_lane(slot, unknown=True):
        raise UnknownError("where a lane writes depends on what only that lane knows")
    image_u, _ = image(asked.claim, slot)
    lanes = [
        z3.And(
            z3.ULT(first + number(lane), number(u.launch.threads)),
            z3.substitute(slot, (u.linear, first + number(lane))) == image_u,
        )
        for lane in range(wave)
    ]
    apart = [
        image(asked.claim, slot + number(step))[0] != image_u + number(step)
        for step in range(1, asked.touch.elements)
    ]
    inside = z3.ULT(slot, number(asked.elements))
    wrong = z3.And(inside, z3.Or(z3.Not(z3.Or(*lanes)), *apart))
    shown = [*u.launch_variables, ("slot", slot)]
    yield AccessQuery("the slots of a wave are not kept", asked.facts(u), wrong, shown, _free(u))


def _slot(asked: _AccessTerms, terms: Terms, wave: int) -> Term:
    """The first element that a lane fills."""
    touch = asked.touch
    start = _place(touch.op, touch, terms, asked.before)
    if touch.slot_bytes is None:
        return start
    element = bytes_of(touch.op.operands[touch.memref].type.element_type) or 0
    if touch.elements * element != touch.slot_bytes:
        raise UnknownError("a lane fills more bytes than it copies")
    if mentions_lane(start, unknown=True):
        raise UnknownError("where a wave begins to write depends on what only a lane knows")
    lane = z3.URem(terms.linear, number(wave))
    base = z3.substitute(start, (terms.linear, terms.linear - lane))
    return base + lane * number(touch.elements)


def _free(terms: Terms) -> list[tuple[str, Term, ir.Value]]:
    return [(name, term, value) for name, (term, value) in terms.free.items()]


def _place(op: ir.Operation, touch: MemrefAccess, terms: Terms, storage: StorageClass) -> Term:
    """The element of its allocation that the indices of an access name."""
    memref = op.operands[touch.memref]
    total = _start(memref, terms, storage, ())
    for n, stride in zip(touch.indices, strides_of(memref), strict=True):
        total = total + terms.value(op.operands[n]) * number(stride)
    return total


def _steps(op: ir.Operation, touch: MemrefAccess) -> IntArray:
    strides = np.array(strides_of(op.operands[touch.memref]), np.int64)
    if touch.steps is not None:
        return np.asarray(touch.steps @ strides, np.int64)
    return np.arange(touch.elements, dtype=np.int64) * (strides[-1] if len(strides) else 1)


def _start(
    value: ir.Value, terms: Terms, storage: StorageClass, around: tuple[ir.Value, ...]
) -> Term:
    """Where a memref begins in its allocation."""
    if value in storage.incoming:
        if value in around:
            raise UnknownError("a memref goes round a loop")
        sources = [
            z3.simplify(_start(each, terms, storage, (*around, value)))
            for each in storage.incoming[value]
            if each not in around and each != value
        ]
        if not sources or any(not each.eq(sources[0]) for each in sources):
            raise UnknownError("it is one of several views, which begin at different places")
        return sources[0]
    if isinstance(value.owner, ir.Block) or begins(value.owner.operation):
        return number(0)
    op = value.owner.operation
    if op.name in _SAME_START:
        return _start(op.operands[0], terms, storage, around)
    if op.name == "memref.subview":
        return _start(op.operands[0], terms, storage, around) + _ahead(op, terms)
    if op.name == "memref.view":
        sizes = [bytes_of(each.type.element_type) for each in (op.operands[0], value)]
        if sizes == [1, 1]:
            start = _start(op.operands[0], terms, storage, around)
            return start + terms.value(op.operands[1])
    raise UnknownError(f"where {op.name} begins is not followed")


def _ahead(op: ir.Operation, terms: Terms) -> Term:
    dynamic = iter(list(op.operands)[1:])
    total = number(0)
    for offset, stride in zip(
        op.attributes["static_offsets"], strides_of(op.operands[0]), strict=True
    ):
        by = terms.value(next(dynamic)) if offset == _DYNAMIC else number(int(offset))
        total = total + by * number(stride)
    return total
