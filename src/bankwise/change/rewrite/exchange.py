"""Exchanging one additive term of an index for another.

The source index of a copy is a sum, and one of its terms is the column chunk that a swizzle
permutes. Adding ``(new chunk - old chunk)`` to the whole costs every copy an addition and a
subtraction, and is right only where nothing but sums stands behind the chunk. Where the kernel's
own arithmetic shows the chunk as a term, that arithmetic is written again with the new chunk in its
place, and costs nothing. Which term it is, is found by comparing values, not by reading names.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from iree.compiler import ir
from msgspec import Struct, field

from bankwise.change.rewrite.emit import Anchor, Emitter, anchor_of, later
from bankwise.counting.access import BoolArray, IntArray
from bankwise.identity import ByIdentity
from bankwise.read.mlir.affine import map_function
from bankwise.read.mlir.indexing import ThreadIds, evaluate, quantity, thread_results

Placed = tuple[str, Anchor]
"""The name of a value and where it stands."""

_UNKNOWN_SAMPLES = (0, 1, 37, 192)
"""What values only a run can tell (loop variables, workgroup ids) are taken to be, in turn."""


class Numbers(Struct):
    """Integer values of a kernel on all threads, [threads]; None for what only a run can tell."""

    ids: ThreadIds
    _known: dict[ir.Value, IntArray | None] = field(default_factory=dict)

    def of(self, value: ir.Value) -> IntArray | None:
        """The value on every thread, or None."""
        if value not in self._known:
            found = self._compute(value)
            self._known[value] = found if found is None else np.broadcast_to(found, self._shape)
        return self._known[value]

    @property
    def _shape(self) -> tuple[int, ...]:
        return self.ids.linear.shape

    def _compute(self, value: ir.Value) -> IntArray | None:
        if isinstance(value.owner, ir.Block):
            return None
        op, number = value.owner.operation, ir.OpResult(value).result_number
        asked = quantity(op)
        if asked is not None and asked[0] in ("workgroup", "global"):
            return None
        results = thread_results(op, self.ids)
        if results is None:
            operands = [self.of(v) for v in op.operands]
            known = [v for v in operands if v is not None]
            results = evaluate(op, known) if len(known) == len(operands) else None
        return None if results is None else results[number]


class Exchange(ByIdentity, frozen=True, eq=False):
    """Exchange the term ``old`` ([threads], compared where ``active``) for ``new``.

    ``written(name, value, k)`` writes ``new / k`` and places it, given that ``value`` (called
    ``name`` in the text) is ``old / k``; None if it cannot.
    """

    old: IntArray
    new: IntArray
    active: BoolArray
    written: Callable[[str, ir.Value, int], Placed | None]


def exchange(
    value: ir.Value,
    name: str,
    what: Exchange,
    emitter: Emitter,
    numbers: Numbers,
    use: ir.Operation,
) -> Placed | None:
    """A value like ``value`` (``name`` in the text) with one term exchanged; None if it has none.

    The term is looked for as deep as possible: nearer to the thread ids it is the smaller number.
    """
    op = None if isinstance(value.owner, ir.Block) else value.owner.operation
    names = [] if op is None else _names(op, emitter)
    for place, inner in enumerate(names):
        assert op is not None, "only operations have operands"
        if op.name == "arith.addi":
            found = exchange(op.operands[place], inner, what, emitter, numbers, use)
        else:
            found = _factor(op, place, inner, what, numbers)
        if found is not None:
            anchor = later(anchor_of(value), found[1])
            line = _again(op, place, found[0], emitter)
            return emitter.value(("again", line), anchor, use, line), anchor
    if _same(numbers.of(value), what.old, what.active):
        return what.written(name, value, 1)
    return None


def _names(op: ir.Operation, emitter: Emitter) -> list[str]:
    """The operands of an addition or affine.apply as the user wrote them; empty for all others."""
    if op.name not in ("arith.addi", "affine.apply"):
        return []
    names = _VALUE.findall(_line(op, emitter))
    return names if len(names) == len(op.operands) else []


def _same(values: IntArray | None, wanted: IntArray, active: BoolArray) -> bool:
    return values is not None and bool((values == wanted)[active].all())


def _factor(
    op: ir.Operation, place: int, name: str, what: Exchange, numbers: Numbers
) -> Placed | None:
    """``new / k`` if operand ``place`` of an affine.apply times some k is the old term."""
    own = numbers.of(op.operands[place])
    if own is None:
        return None
    old = what.old[what.active]
    used = own[what.active] != 0
    ratios = set((old[used] // own[what.active][used]).tolist())
    k = ratios.pop() if len(ratios) == 1 else 0
    if k < 1 or (what.new % k)[what.active].any() or not _additive(op, place, k, what, numbers):
        return None
    return what.written(name, op.operands[place], k)


def _additive(op: ir.Operation, place: int, k: int, what: Exchange, numbers: Numbers) -> bool:
    """Whether exchanging the operand changes the result by ``new - old``, whatever the others."""
    function = map_function(ir.AffineMapAttr(op.attributes["map"]).value)
    for sample in _UNKNOWN_SAMPLES:
        operands = [numbers.of(v) for v in op.operands]
        known = [np.full_like(what.old, sample) if v is None else v for v in operands]
        (before,) = function(known)
        known[place] = what.new // k
        (after,) = function(known)
        if not _same(after - before, what.new - what.old, what.active):
            return False
    return True


_VALUE = re.compile(r"%[\w$.\-]+(?:#\d+)?")


def _line(op: ir.Operation, emitter: Emitter) -> str:
    """The rest of the line from the name of ``op`` on; empty if more than ``op`` may be on it."""
    offset = emitter.offset(op)
    line = "" if offset is None else emitter.code[offset:].partition("\n")[0].rstrip()
    return line if line.endswith((": index", "]", ")")) else ""


def _again(op: ir.Operation, place: int, name: str, emitter: Emitter) -> str:
    """The line of ``op`` with another name as operand ``place``."""
    line = _line(op, emitter)
    found = list(_VALUE.finditer(line))[place]
    return line[: found.start()] + name + line[found.end() :]
