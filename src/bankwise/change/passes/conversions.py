"""Vectors that are to go through shared memory: ``to_layout`` with ``shared_memory_conversion``.

A change from one layout to another whose threads hold other elements goes that way, too, though
nobody wrote the attribute. Here the logical tile is still one value. What a hint on its allocation
would mean is known from the layouts of its writer and its reader alone.
"""

from __future__ import annotations

import re
from math import prod

import numpy as np
from iree.compiler import ir

from bankwise.algebra.address import AddressMap, RowFolds
from bankwise.algebra.offset import Shape
from bankwise.change.passes.legality import HintedUse, why_not
from bankwise.change.passes.nested import NestedLayout, first_elements, nested_layout
from bankwise.change.passes.rule_23778 import DEFAULT_BANKS, Choice, choose
from bankwise.counting.access import IntArray, distinct
from bankwise.errors import Location, Refusal
from bankwise.hardware.machine import Direction, Machine
from bankwise.identity import ByIdentity
from bankwise.read.mlir.kernels import operations
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.swizzle_hint import SwizzleHint
from bankwise.read.mlir.views import bytes_of
from bankwise.solver.best import best
from bankwise.solver.spaces import SHUFFLE, Space, row_folds
from bankwise.tile import Tile, Use, runs

TO_LAYOUT = "iree_vector_ext.to_layout"
CONVERSION = "shared_memory_conversion"
_LANES = 64
_BANKS = re.compile(r"workgroup_memory_bank_count = (\d+)")


class Conversion(ByIdentity, frozen=True, eq=False):
    """One such operation: the tile, and the layouts of its writer and reader where known."""

    op: ir.Operation
    location: Location
    shape: tuple[int, ...]
    element_type: ir.Type
    writer: NestedLayout | None
    reader: NestedLayout | None

    @property
    def promotion(self) -> str:
        """The attribute that asks for it; empty where only the layouts do."""
        return str(self.op.attributes[CONVERSION]) if CONVERSION in self.op.attributes else ""

    @property
    def element_bits(self) -> int:
        """Bits of one element."""
        of = self.element_type
        return 64 if isinstance(of, ir.IndexType) else int(of.width)


def conversions(opened: Opened) -> list[Conversion]:
    """All of them, in the order of the text."""
    named = (op for op in operations(opened.module.operation) if op.name == TO_LAYOUT)
    found = (_conversion(opened, op) for op in named)
    return [each for each in found if each.promotion or _exchanges(each)]


def _exchanges(conversion: Conversion) -> bool:
    """Whether some thread of the reader needs an element that another thread of the writer has."""
    writer, reader = conversion.writer, conversion.reader
    if writer is None or reader is None or writer.shape != reader.shape:
        return False
    waves = max(prod(writer.subgroup_tile), prod(reader.subgroup_tile))
    return not np.array_equal(_held(writer, waves), _held(reader, waves))


def _held(layout: NestedLayout, waves: int) -> IntArray:
    """The elements of every thread, in order of memory: int64 [waves, lanes, elements]."""
    places = np.moveaxis(layout.spread(lanes=_LANES, waves=waves).coordinates(), -1, 0)
    return np.sort(np.ravel_multi_index(tuple(places), layout.shape), axis=-1)


def banks(opened: Opened) -> int:
    """``workgroup_memory_bank_count`` of the target in the text; 32 where there is none."""
    found = _BANKS.search(opened.source.parsed)
    return int(found[1]) if found else DEFAULT_BANKS


def by_rule(conversion: Conversion, bank_count: int) -> Choice:
    """The choice of iree-org/iree#23778, held against the classifier."""
    writer, reader = _tile(conversion.writer), _tile(conversion.reader)
    choice = choose(conversion.shape, conversion.element_bits, writer, reader, bank_count)
    return _classified(conversion, choice)


def _tile(layout: NestedLayout | None) -> tuple[int, ...] | None:
    return None if layout is None else layout.element_tile


def by_search(conversion: Conversion, gpu: Machine) -> Choice:
    """The xor_shuffle with the fewest passes over all accesses of writer and reader."""
    element_bytes = bytes_of(conversion.element_type)
    if conversion.reader is None or not conversion.shape or element_bytes is None:
        return Choice(None, "no layout says which elements a thread takes; left to padding")
    row = conversion.shape[-1]
    shape = Shape((("n", row), ("m", prod(conversion.shape) // row)), 8 * element_bytes)
    uses = tuple(_use(side, layout, gpu) for side, layout in _sides(conversion))
    tile = Tile(shape, uses)
    found = best(tile, gpu, [Space(SHUFFLE, tuple(row_folds(tile, [row])))])
    if isinstance(found, Refusal):
        return Choice(None, f"{found.reason}; left to padding")
    present, (plan,) = found.present, found.plans
    if present.passes == present.ideal:
        return Choice(None, f"no conflict: {present.ideal} passes are the ideal")
    hint = None if plan.passes == present.passes else hint_of(plan.layout)
    cost = f"{present.passes} -> {plan.passes} passes of ideal {present.ideal}"
    if hint is None:
        return Choice(None, f"no xor_shuffle helps ({cost}); left to padding")
    return _classified(conversion, Choice(hint, cost))


def hint_of(address: AddressMap) -> SwizzleHint | None:
    """The xor_shuffle that is the same map as an XOR fold, None if there is none.

    A fold whose phases repeat after so many rows exchanges chunks inside one block of them.
    """
    if not isinstance(address, RowFolds) or len(address.folds) > 1:
        return None
    (fold,) = address.folds
    per_phase = fold.divisor // address.row
    if per_phase > fold.phases:
        return None
    return SwizzleHint(False, fold.block, fold.unit, address.row, per_phase)


def _conversion(opened: Opened, op: ir.Operation) -> Conversion:
    of = ir.VectorType(op.results[0].type)
    producer = op.operands[0].owner
    writer = None
    if not isinstance(producer, ir.Block) and producer.operation.name == TO_LAYOUT:
        writer = nested_layout(str(producer.operation.attributes["layout"]))
    reader = nested_layout(str(op.attributes["layout"]))
    where = opened.location_of(op)
    return Conversion(op, where, tuple(of.shape), of.element_type, writer, reader)


def _sides(conversion: Conversion) -> tuple[tuple[Direction, NestedLayout], ...]:
    assert conversion.reader is not None
    return ("write", conversion.writer or conversion.reader), ("read", conversion.reader)


def _classified(conversion: Conversion, choice: Choice) -> Choice:
    """The choice, or none if the classifier says no to it."""
    if choice.hint is None or conversion.reader is None:
        return choice
    uses: list[HintedUse] = []
    for direction, layout in _sides(conversion):
        name = "vector.store" if direction == "write" else "vector.load"
        elements = distinct(first_elements(layout, _LANES))
        span = layout.element_tile[-1]
        uses.append(HintedUse(name, "plain", conversion.location, elements, span, choice.hint))
    refusal = why_not("the tile", prod(conversion.shape), uses)
    return Choice(None, f"{refusal.reason}; left to padding") if refusal else choice


def _use(side: Direction, layout: NestedLayout, gpu: Machine) -> Use:
    """What the threads of a layout take of its tile, a run of elements at a time."""
    span = layout.element_tile[-1]
    starts = first_elements(layout, gpu.wave_size).reshape(-1, gpu.wave_size)
    active = np.ones(starts.shape, np.bool_)
    return Use(side, side, runs(starts, span), active, weight=len(starts))
