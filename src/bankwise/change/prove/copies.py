"""Copies into workgroup memory: lanes fill their slots as before, with what belongs there now.

The slot of lane t holds, under the map, the element that was in the slot of lane ``pi(t)``. If pi
permutes the lanes of each wave, and lane t fetches what lane ``pi(t)`` fetched, as an identity of
the source indices, one execution of one wave leaves the same elements, each where the map says.

``amdgpu.gather_to_lds``: lane 0 says where the wave begins, the others follow in lane order (the
dialect's reference). ``nvgpu.device_async_copy``: every lane says where it writes; it may also
simply write elsewhere, like a store. What it fills is the lane's own until it is waited for and a
barrier follows: another lane may fill it only if barriers stand between (:mod:`.barriers`).
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from bankwise.algebra.address import RowFolds
from bankwise.change.prove.accesses import AccessPair, access_start, check_access
from bankwise.change.prove.claim import MapClaim
from bankwise.change.prove.evaluate import FormEvaluator
from bankwise.change.prove.forms import AffineForm, BeyondError, added, constant, less
from bankwise.change.prove.lanes import first_lanes, permuted
from bankwise.change.prove.places import PlaceError, strides_of
from bankwise.change.prove.sigma import MapError, source
from bankwise.change.prove.waves import same_memref, split_wave
from bankwise.counting.access import IntArray, distinct
from bankwise.read.mlir.touches import MemrefAccess
from bankwise.read.mlir.views import bytes_of

_WIDE_BYTES = 16
_WIDE_WAVE = 64
"""gather_to_lds of 16 bytes a lane is of gfx950 alone, whose waves have 64 (CDNA4 ISA); narrower
ones are of gfx10, too."""


class CopyProof(Struct, frozen=True):
    """``reason``: why a copy is not proved, None if it is. ``exchanges``: lanes fill for others."""

    reason: str | None = None
    exchanges: bool = False


def check_copy(pair: AccessPair, claim: MapClaim, evaluator: FormEvaluator) -> CopyProof:
    """Whether a copy leaves every element where the map puts it."""
    touch = pair.touch
    assert touch.source is not None, "a copy has a source"
    same = [_number(pair, n, evaluator) for n in (*touch.source[1], *counts_of(touch))]
    if all(same) and (touch.kind == "async" or (claim.fold, claim.unpadded) == (None, None)):
        return CopyProof(check_access(pair, claim, evaluator))
    if not isinstance(claim.fold, RowFolds | None) or claim.unpadded is not None:
        return CopyProof("copies in lane order fill the padding, too")
    try:
        return CopyProof(_exchanged(pair, claim, evaluator), True)
    except (PlaceError, MapError) as error:
        return CopyProof(str(error))
    except (BeyondError, RecursionError):
        return CopyProof("its numbers are too large, or its indices too deep, to calculate with")


def _number(pair: AccessPair, operand: int, evaluator: FormEvaluator) -> bool:
    """Whether an operand is the same in both texts."""
    ours, theirs = (op.operands[operand] for op in (pair.touch.op, pair.partner))
    return evaluator.value(ours).key == evaluator.value(theirs).key


def counts_of(touch: MemrefAccess) -> tuple[int, ...]:
    """The operand that says how many elements an asynchronous copy really reads, if it has one."""
    sizes = touch.op.attributes["operandSegmentSizes"]
    count = touch.kind == "async" and int(sizes[len(sizes) - 1]) == 1
    return (len(touch.op.operands) - 1,) if count else ()


def _exchanged(pair: AccessPair, claim: MapClaim, evaluator: FormEvaluator) -> str | None:
    touch, launch = pair.touch, evaluator.launch
    assert touch.source is not None
    if not launch.stated:
        return "the text does not say how many threads a workgroup has"
    wave = launch.wave or (_WIDE_WAVE if touch.slot_bytes == _WIDE_BYTES else None)
    if wave is None:
        return "the text does not say how many threads a wave has"
    evaluator.facts[f"waves of {wave} threads"] = None
    reason = split_wave(touch.op, evaluator, wave)
    if reason is not None:
        return reason
    old, new = (
        access_start(op, touch, evaluator, into)
        for op, into in ((touch.op, pair.incoming), (pair.partner, pair.incoming_after))
    )
    if less(old, new).number != 0:
        return "both its source and where it writes changed"
    slots = _slots(touch, old, evaluator, wave)
    lanes = _lanes(slots, claim, touch.elements, evaluator, wave)
    if not same_memref(touch.op.operands[touch.source[0]], evaluator, wave):
        return "lanes of a wave may copy from different memrefs"
    for n in (*touch.source[1], *counts_of(touch)):
        before, after = (evaluator.value(op.operands[n]) for op in (touch.op, pair.partner))
        wanted = permuted(evaluator.table, before, lanes)
        if wanted is None:
            return "its source depends on what may differ from lane to lane, and is not known"
        if less(wanted, after).number != 0:
            return "that each lane fetches what belongs into its slot is not proved"
    return None


def _slots(
    touch: MemrefAccess, start: AffineForm, evaluator: FormEvaluator, wave: int
) -> AffineForm:
    """The first element that every lane fills."""
    if touch.slot_bytes is None:
        if strides_of(touch.op.operands[touch.memref])[-1:] != (1,):
            raise PlaceError("its elements do not follow each other")
        return start
    element = bytes_of(touch.op.operands[touch.memref].type.element_type) or 0
    if touch.elements * element != touch.slot_bytes:
        raise PlaceError(f"a lane fills {touch.slot_bytes} bytes, and copies fewer")
    base = permuted(evaluator.table, start, first_lanes(evaluator.waves(wave)))
    if base is None:
        raise PlaceError("where a wave begins to write is not known")
    return added(base, constant(evaluator.lane_numbers(wave) * touch.elements))


def _lanes(
    slots: AffineForm, claim: MapClaim, elements: int, evaluator: FormEvaluator, wave: int
) -> IntArray:
    """For every lane the one, of the same wave, in whose slot its element was: a permutation."""
    table, waves = evaluator.table, evaluator.waves(wave)
    folds = claim.fold if isinstance(claim.fold, RowFolds) else None
    wanted = slots if folds is None else source(table, folds, slots)
    places = [np.broadcast_to(each.const, waves.shape) for each in (slots, wanted)]
    lanes = np.full(len(waves), -1, np.int64)
    for each_wave in distinct(waves):
        own = np.flatnonzero(waves == each_wave)
        order = own[np.argsort(places[0][own], kind="stable")]
        found = np.searchsorted(places[0][order], places[1][own])
        lanes[own] = order[np.minimum(found, len(order) - 1)]
    if len(distinct(lanes)) < len(lanes):
        raise PlaceError("the slots of a wave are not permuted among themselves")
    there = permuted(table, slots, lanes)
    for step in range(elements):
        moved = wanted if folds is None else source(table, folds, added(slots, constant(step)))
        if there is None or less(moved, added(there, constant(step))).number != 0:
            raise PlaceError("that the slots of a wave are permuted among themselves is not proved")
    return lanes
