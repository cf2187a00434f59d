"""Loads and stores: the new index is the old one under the map, element by element.

    sigma(old offset + step) == new offset + step'     for every element of the vector

as affine forms, in every thread that may execute the access. Offsets are flat; of single indices
is asked that new ones lie inside of their dimensions, and, where elements outside of the memref are
left out, that they leave out the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from iree.compiler import ir

from bankwise.change.prove.cases import by_cases
from bankwise.change.prove.claim import MapClaim
from bankwise.change.prove.division import floor_divided, modulo
from bankwise.change.prove.evaluate import FormEvaluator
from bankwise.change.prove.forms import (
    AffineForm,
    BeyondError,
    added,
    constant,
    inside,
    less,
    power_of_two_in,
    scaled,
)
from bankwise.change.prove.places import Incoming, PlaceError, start_of, strides_of
from bankwise.change.prove.sigma import MapError, image, unit_kept
from bankwise.counting.access import IntArray
from bankwise.identity import ByIdentity
from bankwise.read.mlir.touches import MemrefAccess
from bankwise.read.mlir.views import bytes_of

_ALIGNED = frozenset({"matrix", "transpose", "async"})
"""Kinds of accesses whose instructions take no address that is not a multiple of their width."""


class AccessPair(ByIdentity, frozen=True, eq=False):
    """An access of the text before and its partner; ``incoming``: what memrefs may be, in both."""

    touch: MemrefAccess
    partner: ir.Operation
    incoming: Incoming
    incoming_after: Incoming


def check_access(pair: AccessPair, claim: MapClaim, evaluator: FormEvaluator) -> str | None:
    """Why an access is not proved; None if it is."""
    try:
        try:
            _check(pair, claim, evaluator)
        except MapError as error:
            again = None if error.form is None else by_cases(evaluator, error.form)
            if again is None:
                return str(error)
            _check(pair, claim, again)
    except (PlaceError, MapError) as error:
        return str(error)
    except (BeyondError, RecursionError):
        return "its numbers are too large, or its indices too deep, to calculate with"
    return None


def _check(pair: AccessPair, claim: MapClaim, evaluator: FormEvaluator) -> None:
    old = access_start(pair.touch.op, pair.touch, evaluator, pair.incoming)
    new = access_start(pair.partner, pair.touch, evaluator, pair.incoming_after)
    old_steps, new_steps = _steps(pair.touch.op, pair.touch), _steps(pair.partner, pair.touch)
    for step, moved in _representatives(claim, evaluator, old, old_steps, new_steps):
        wanted = image(evaluator.table, claim, added(old, constant(step)))
        gap = less(wanted, added(new, constant(moved)))
        if gap.number != 0:
            raise MapError("that the new index is the old one under the map is not proved", gap)
    _check_inside(pair, evaluator)
    _check_left_out(pair, evaluator)
    _check_alignment(pair, old, new)


def access_start(
    op: ir.Operation, touch: MemrefAccess, evaluator: FormEvaluator, incoming: Incoming
) -> AffineForm:
    """The element of its allocation that the indices of an access name.

    ``op``: the operation itself or its partner.
    """
    memref = op.operands[touch.memref]
    total = start_of(memref, evaluator, incoming)
    for n, stride in zip(touch.indices, strides_of(memref), strict=True):
        total = added(total, scaled(evaluator.value(op.operands[n]), stride))
    return total


def _steps(op: ir.Operation, touch: MemrefAccess) -> IntArray:
    """The steps from it to each element of the vector."""
    strides = strides_of(op.operands[touch.memref])
    if touch.steps is not None:
        return np.asarray(touch.steps @ np.array(strides, np.int64), np.int64)
    if touch.elements > 1 and not strides:
        raise PlaceError("a vector in a memref without dimensions")
    return np.arange(touch.elements, dtype=np.int64) * (strides[-1] if strides else 1)


def _representatives(
    claim: MapClaim,
    evaluator: FormEvaluator,
    old: AffineForm,
    old_steps: IntArray,
    new_steps: IntArray,
) -> Sequence[tuple[int, int]]:
    """The elements to look at: one where the map is proved to keep the whole vector together."""
    unit, count = unit_kept(claim), len(old_steps)
    follow = np.array_equal(old_steps, np.arange(count)) and np.array_equal(old_steps, new_steps)
    fits = unit > 1 and follow and count <= unit
    if fits and inside(modulo(evaluator.table, old, unit), 0, unit - count + 1):
        return [(0, 0)]
    return [(int(a), int(b)) for a, b in zip(old_steps, new_steps, strict=True)]


def _check_inside(pair: AccessPair, evaluator: FormEvaluator) -> None:
    """A new index lies inside of its own dimension, or exactly if the old one did.

    The right element by indices that are too large or negative is not defined (language reference
    of memref), and LLVM is told that they are not.
    """
    touch = pair.touch
    shapes = [op.operands[touch.memref].type.shape for op in (touch.op, pair.partner)]
    for place, before, size in zip(touch.indices, *shapes, strict=True):
        old = evaluator.value(touch.op.operands[place])
        new = evaluator.value(pair.partner.operands[place])
        if old.key == new.key or (size > 0 and inside(new, 0, size)):
            continue
        windows = [floor_divided(evaluator.table, i, size) for i in (old, new) if size > 0]
        if before != size or not windows or windows[0].key != windows[1].key:
            raise MapError("that a new index lies inside of its dimension is not proved", new)


def _check_left_out(pair: AccessPair, evaluator: FormEvaluator) -> None:
    """Where elements outside of the memref are left out: the same ones in both texts."""
    touch = pair.touch
    for dimension in touch.checked:
        place = touch.indices[dimension]
        old = evaluator.value(touch.op.operands[place])
        new = evaluator.value(pair.partner.operands[place])
        shapes = [
            op.operands[touch.memref].type.shape[dimension] for op in (touch.op, pair.partner)
        ]
        if old.key == new.key and shapes[0] == shapes[1]:
            continue
        reach = _reach(touch, dimension)
        if not all(
            size >= 0 and inside(index, 0, size - reach)
            for index, size in zip((old, new), shapes, strict=True)
        ):
            reason = "it leaves out what lies outside of the memref, the new index perhaps another"
            raise MapError(reason, new)


def _check_alignment(pair: AccessPair, old: AffineForm, new: AffineForm) -> None:
    """What the operation says, or its instruction asks for, of where it starts stays true.

    It is true of the new start, or is so exactly if it was of the old one.
    """
    touch = pair.touch
    element = bytes_of(touch.op.operands[touch.memref].type.element_type) or 1
    wanted = (
        int(touch.op.attributes["alignment"].value) if "alignment" in touch.op.attributes else 1
    )
    if touch.kind in _ALIGNED:
        wanted = max(wanted, touch.elements * element)
    if all(power_of_two_in(each) * element % wanted for each in (new, less(new, old))):
        raise MapError(f"that it still starts at a multiple of {wanted} bytes is not proved", new)


def _reach(touch: MemrefAccess, dimension: int) -> int:
    """How far the vector goes on along a dimension from its index."""
    if touch.steps is None:
        return touch.elements - 1 if dimension == len(touch.indices) - 1 else 0
    return int(touch.steps[:, dimension].max(initial=0))
