"""A copy's source, computed for another lane: the arithmetic is written again with that lane's ids.

    %col = affine.apply affine_map<()[s0] -> (s0 mod 8)>()[%tid]
    %row = arith.remui %col, %n : index
      ->
    %swz1 = arith.xori %tid, %swz0 : index                         the lane whose element it is now
    %swz2 = affine.apply affine_map<()[s0] -> (s0 mod 8)>()[%swz1]
    %swz3 = arith.remui %swz2, %n : index

It holds for any arithmetic: nothing is assumed of what stands between the lane and the index. What
another lane loaded, or carried around a loop, this lane cannot know: that is refused by name.
"""

from __future__ import annotations

import re

import numpy as np
from iree.compiler import ir
from msgspec import Struct, field

from bankwise.algebra.address import RowFolds
from bankwise.change.rewrite.emit import anchor_of, later
from bankwise.change.rewrite.lanes import other_lanes
from bankwise.change.rewrite.scope import CannotRewriteError, Placed, Scope
from bankwise.counting.access import IntArray
from bankwise.read.mlir.extract import SharedAccess
from bankwise.read.mlir.indexing import exchanges, quantity

_PURE = ("arith.", "affine.", "index.")
_LANES = frozenset({"gpu.lane_id", "nvvm.read.ptx.sreg.laneid"})


def clone_sources(site: SharedAccess, fold: RowFolds, scope: Scope) -> None:
    """Replace every source index of a copy by that of the lane whose element now has its slot."""
    other = other_lanes(site, fold)
    clone = _Clone(site, other, scope)
    spans = scope.operands(site, 0)
    changed = 0
    for value, span in zip(site.source_indices, spans, strict=True):
        if clone.depends(value):
            name, _ = clone.written(value, span.of(scope.emitter.text))
            scope.emitter.replace(span.start, span.end, name)
            changed += 1
    if not changed:
        raise CannotRewriteError("all lanes of this copy fetch from one place")
    own = {site.memref, site.source, *site.indices, *site.source_indices}
    if any(clone.depends(v) for v in site.op.operands if v not in own):
        raise CannotRewriteError("how much this copy fetches differs from lane to lane")


class _Clone(Struct):
    """The computation of one copy's source, for the thread ``other[t]`` in thread t."""

    site: SharedAccess
    other: IntArray
    scope: Scope
    _depends: dict[ir.Value, bool] = field(default_factory=dict)

    def depends(self, value: ir.Value) -> bool:
        """Whether a value may differ between the lanes of a wave."""
        if value not in self._depends:
            self._depends[value] = False  # a loop that only hands it on adds nothing
            self._depends[value] = any(map(self.depends, _behind(value))) or _is_lane(value)
        return self._depends[value]

    def written(self, value: ir.Value, name: str) -> Placed:
        """The value of the other lane; ``name`` is what the text calls this lane's."""
        if not self.depends(value):
            return name, anchor_of(value)
        if isinstance(value.owner, ir.Block):
            raise CannotRewriteError(f"its source depends on {name}, which a loop carries by lane")
        op = value.owner.operation
        if _is_lane(value):
            return self._id(value, name)
        if not op.name.startswith(_PURE) or len(op.regions):
            reason = f"its source depends on the result of {op.name}, which is another lane's own"
            raise CannotRewriteError(reason)
        return self._again(op, ir.OpResult(value).result_number)

    def _id(self, value: ir.Value, name: str) -> Placed:
        """An id of the other lane: this lane's, with a few bits flipped."""
        known = self.scope.numbers.of(value)
        if known is None:
            raise CannotRewriteError(f"{name} is not known on all threads")
        flipped = known ^ known[self.other]
        active = np.ones(flipped.shape, np.bool_)
        terms = self.scope.thread_values([flipped], [active])
        if not terms:
            raise CannotRewriteError("the rows this copy fills are no simple function of the ids")
        placed, key = (name, anchor_of(value)), self.scope.emitter.key_of(value)
        for term in terms:
            placed = self.scope.exclusive_or(placed, key, term, self.site.op)
            key = ("xor", key, placed[0])
        return placed

    def _again(self, op: ir.Operation, number: int) -> Placed:
        """The operation once more, behind the first one, with the operands of the other lane."""
        emitter = self.scope.emitter
        line, tokens = _line(op, self.scope)
        anchor = anchor_of(op.results[0])
        pieces, end = [], 0
        for operand, token in zip(op.operands, tokens, strict=True):
            name, at = self.written(operand, token[0])
            anchor = later(anchor, at)
            pieces += [line[end : token.start()], name]
            end = token.end()
        again = "".join(pieces) + line[end:]
        key = ("again", emitter.offset(op), again)
        name = emitter.value(key, anchor, self.site.op, again, results=len(op.results))
        return (name if len(op.results) == 1 else f"{name}#{number}"), anchor


def _behind(value: ir.Value) -> list[ir.Value]:
    """The values from which a value comes, round by round."""
    if not isinstance(value.owner, ir.Block):
        op = value.owner.operation
        if op.name == "gpu.subgroup_id" or exchanges(op):
            return []
        if op.name == "scf.for":
            carried = ir.OpResult(value).result_number
            return [*op.operands, _yielded(op, 0)[carried]]
        yielded = [v for n in range(len(op.regions)) for v in _yielded(op, n)]
        return [*op.operands, *yielded]
    loop, number = value.owner.owner.operation, ir.BlockArgument(value).arg_number
    if loop.name != "scf.for":
        return list(loop.operands)
    carried = [loop.operands[3 + number - 1], _yielded(loop, 0)[number - 1]] if number else []
    return [*list(loop.operands)[:3], *carried]


def _yielded(op: ir.Operation, region: int) -> list[ir.Value]:
    blocks = op.regions[region].blocks
    if not len(blocks):
        return []
    *_, last = blocks[len(blocks) - 1].operations
    return list(last.operation.operands)


def _is_lane(value: ir.Value) -> bool:
    """Whether a value names the lane."""
    if isinstance(value.owner, ir.Block):
        return False
    op = value.owner.operation
    asked = quantity(op)
    return op.name in _LANES or (asked is not None and asked[0] in ("thread", "global"))


_VALUE = re.compile(r"%[\w$.\-]+(?:#\d+)?")


def _line(op: ir.Operation, scope: Scope) -> tuple[str, list[re.Match[str]]]:
    """The statement of ``op`` from its name on, if it is alone on its line, and its operands."""
    emitter = scope.emitter
    offset = emitter.offset(op)
    line = "" if offset is None else emitter.code[offset:].partition("\n")[0].rstrip()
    tokens = list(_VALUE.finditer(line))
    if not line or "=" in line or len(tokens) != len(op.operands):
        raise CannotRewriteError(f"{op.name}, on which its source depends, is not on its own line")
    return line, tokens
