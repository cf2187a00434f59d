"""Accesses of the vector dialect that leave elements out: masks, bounds, gathers and transfers.

Semantics: the MLIR language reference of the vector dialect. An element that a mask switches off is
not touched at all: it is no fault, wherever it would lie.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from iree.compiler import ir
from msgspec import Struct

from bankwise.change.execute.memory import load, store
from bankwise.change.execute.memref import MemrefValue
from bankwise.change.execute.places import Place, lift, locate, place_of, placed, spread
from bankwise.change.execute.state import Node, Step, WorkgroupState
from bankwise.change.execute.values import Array, shape
from bankwise.counting.access import BoolArray, IntArray


def masked_load(node: Node) -> Step:
    """``vector.maskedload``: the pass-through value where the mask is off."""
    extent = shape(node.op.results[0].type)

    def run(state: WorkgroupState, view: MemrefValue, *rest: Array) -> tuple[Array]:
        *indices, mask, otherwise = rest
        place = locate(state, node, view, indices, extent, mask != 0)
        return (np.where(mask != 0, load(state, node, view, place), otherwise),)

    return run


def masked_store(node: Node) -> Step:
    """``vector.maskedstore``."""
    extent = shape(node.op.operands[-1].type)

    def run(state: WorkgroupState, view: MemrefValue, *rest: Array) -> tuple[()]:
        *indices, mask, value = rest
        place = locate(state, node, view, indices, extent, mask != 0)
        store(state, node, view, place, value)
        return ()

    return run


def gather(node: Node) -> Step:
    """``vector.gather``: every element has a step of its own along the last dimension.

    The steps are "1-D offsets on the base": they may lead into other rows.
    """
    extent = shape(node.op.results[0].type)

    def run(state: WorkgroupState, view: MemrefValue, *rest: Array) -> tuple[Array]:
        *indices, steps, mask, otherwise = rest
        place = _stepped(state, node, view, indices, steps, extent, mask != 0)
        return (np.where(mask != 0, load(state, node, view, place), otherwise),)

    return run


def scatter(node: Node) -> Step:
    """``vector.scatter``; of elements of one thread at one place the last one stays."""
    extent = shape(node.op.operands[len(node.op.operands) - 1].type)

    def run(state: WorkgroupState, view: MemrefValue, *rest: Array) -> tuple[()]:
        *indices, steps, mask, value = rest
        place = _stepped(state, node, view, indices, steps, extent, mask != 0)
        store(state, node, view, placed(place.at, place.legal & ~_overwritten(place)), value)
        return ()

    return run


def expand_load(node: Node) -> Step:
    """``vector.expandload``: the elements that the mask selects lie side by side in memory."""
    extent = shape(node.op.results[0].type)

    def run(state: WorkgroupState, view: MemrefValue, *rest: Array) -> tuple[Array]:
        *indices, mask, otherwise = rest
        steps = np.cumsum(mask, axis=1) - mask
        place = _stepped(state, node, view, indices, steps, extent, mask != 0)
        return (np.where(mask != 0, load(state, node, view, place), otherwise),)

    return run


def compress_store(node: Node) -> Step:
    """``vector.compressstore``: the elements that the mask selects, side by side."""
    extent = shape(node.op.operands[len(node.op.operands) - 1].type)

    def run(state: WorkgroupState, view: MemrefValue, *rest: Array) -> tuple[()]:
        *indices, mask, value = rest
        steps = np.cumsum(mask, axis=1) - mask
        store(
            state,
            node,
            view,
            _stepped(state, node, view, indices, steps, extent, mask != 0),
            value,
        )
        return ()

    return run


def _stepped(
    state: WorkgroupState,
    node: Node,
    view: MemrefValue,
    indices: Sequence[IntArray],
    steps: IntArray,
    extent: tuple[int, ...],
    wanted: BoolArray,
) -> Place:
    elements = spread(indices, extent, [None] * len(extent))
    return place_of(state, node, view, elements, extent, wanted, along=steps)


def _overwritten(place: Place) -> BoolArray:
    """Elements whose thread stores a later one at the same place."""
    at = place.at.reshape(len(place.at), -1)
    legal = place.legal.reshape(at.shape)
    lost = np.zeros_like(legal)
    for later in range(1, at.shape[1]):
        same = (at[:, :later] == at[:, later, None]) & legal[:, later, None]
        lost[:, :later] |= same
    return lost.reshape(place.at.shape)


class _Transfer(Struct, frozen=True):
    """How a vector of shape ``extent`` lies in a memref.

    ``axes``: the memref dimension of each dimension of the vector; None where it repeats one
    element. ``checked``: the dimensions of the vector along which elements may lie outside.
    """

    extent: tuple[int, ...]
    axes: tuple[int | None, ...]
    checked: tuple[int, ...]

    def lifted(self, mask: Array) -> Array:
        """The mask, whose dimensions are those of the memref in order, as the vector has them."""
        used = sorted(d for d in self.axes if d is not None)
        order = [1 + used.index(d) for d in self.axes if d is not None]
        turned = mask.transpose(0, *order)
        repeated = tuple(1 + axis for axis, d in enumerate(self.axes) if d is None)
        return np.asarray(np.expand_dims(turned, repeated))

    def wanted(
        self, view: MemrefValue, elements: Sequence[IntArray], mask: Array | None
    ) -> BoolArray:
        """The elements to transfer: not masked, and inside where nobody promises that they are."""
        wanted = np.ones((1, *self.extent), np.bool_)
        for axis in self.checked:
            dimension = self.axes[axis]
            assert dimension is not None, "a repeated element has no bound of its own"
            wanted = wanted & (elements[dimension] < lift(view.sizes[dimension], self.extent))
        return wanted if mask is None else wanted & (self.lifted(mask) != 0)


def _transfer(node: Node, vector: ir.Value) -> _Transfer:
    """The form of a transfer; the language reference allows dimensions and zeros in its map."""
    if any("vector" in str(o.type.element_type) for o in node.op.operands if _is_memref(o)):
        raise node.refuse("transfers of vector elements are not executed")
    results = list(node.op.attributes["permutation_map"].value.results)
    axes = tuple(e.position if isinstance(e, ir.AffineDimExpr) else None for e in results)
    in_bounds = [bool(b.value) for b in node.op.attributes["in_bounds"]]
    checked = (i for i, sure in enumerate(in_bounds) if not sure and axes[i] is not None)
    return _Transfer(shape(vector.type), axes, tuple(checked))


def _is_memref(value: ir.Value) -> bool:
    return isinstance(value.type, ir.MemRefType)


def transfer_read(node: Node) -> Step:
    """``vector.transfer_read``: masked off or out of bounds gives the padding value."""
    form = _transfer(node, node.op.results[0])

    def run(state: WorkgroupState, view: MemrefValue, *rest: Array) -> tuple[Array]:
        count = len(view.sizes)
        elements = spread(rest[:count], form.extent, form.axes)
        mask = rest[count + 1] if len(rest) > count + 1 else None
        wanted = form.wanted(view, elements, mask)
        got = load(state, node, view, place_of(state, node, view, elements, form.extent, wanted))
        padding = lift(rest[count], form.extent)
        return (np.where(wanted, got, padding).astype(got.dtype, copy=False),)

    return run


def transfer_write(node: Node) -> Step:
    """``vector.transfer_write``: masked off or out of bounds writes nothing."""
    form = _transfer(node, node.op.operands[0])
    if None in form.axes:
        raise node.refuse("a write that repeats elements is not defined")

    def run(state: WorkgroupState, value: Array, view: MemrefValue, *rest: Array) -> tuple[()]:
        count = len(view.sizes)
        elements = spread(rest[:count], form.extent, form.axes)
        wanted = form.wanted(view, elements, rest[count] if len(rest) > count else None)
        place = place_of(state, node, view, elements, form.extent, wanted)
        store(state, node, view, place, value)
        return ()

    return run


TABLE: Mapping[str, Callable[[Node], Step]] = {
    "vector.compressstore": compress_store,
    "vector.expandload": expand_load,
    "vector.gather": gather,
    "vector.maskedload": masked_load,
    "vector.maskedstore": masked_store,
    "vector.scatter": scatter,
    "vector.transfer_read": transfer_read,
    "vector.transfer_write": transfer_write,
}
