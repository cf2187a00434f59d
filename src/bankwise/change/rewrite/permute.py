"""Direct-to-LDS copies: they write in lane order and cannot scatter, so their source is permuted.

The lane that fills a slot fetches the element that lives there under the new map. A fold is its
own inverse and moves elements inside a row only, so that is the same row, another column chunk:
``chunk XOR phase`` in place of ``chunk``. Or, whatever the source is: that lane fetches what
another lane of its wave has fetched so far (:mod:`.clone`).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

from iree.compiler import ir

from bankwise.algebra.address import RowFolds
from bankwise.change.rewrite.clone import clone_sources
from bankwise.change.rewrite.closed_form import ThreadValue
from bankwise.change.rewrite.emit import anchor_of, later
from bankwise.change.rewrite.exchange import Exchange, exchange
from bankwise.change.rewrite.fold_index import thread_terms
from bankwise.change.rewrite.group import elements
from bankwise.change.rewrite.scope import CannotRewriteError, Placed, Scope
from bankwise.counting.access import BoolArray, IntArray
from bankwise.identity import ByIdentity
from bankwise.read.mlir.extract import SharedAccess

CopyStyle = Literal["term", "step", "lane"]
"""How a source is written, the fewest operations first: one term of its index exchanged;
``index + (new - old)``, which is right where the index is linear in the lane; its computation
written again for another lane."""

COPY_STYLES: tuple[CopyStyle, ...] = ("term", "step", "lane")


def permute_source(site: SharedAccess, fold: RowFolds, scope: Scope, style: CopyStyle) -> None:
    """Replace the source of a copy by that of the element that now lives in its slot."""
    if style == "lane":
        clone_sources(site, fold, scope)
        return
    chunk = _chunk(site, fold, scope)
    index, operand = site.source_indices[-1], scope.operands(site, 0)[-1]
    name = operand.of(scope.emitter.text)
    if style == "step":
        shown = chunk.added(index, name)
    else:
        what = Exchange(chunk.old.ravel(), chunk.new.ravel(), chunk.active, chunk.written)
        found = exchange(index, name, what, scope.emitter, scope.numbers, site.op)
        if found is None:
            raise CannotRewriteError("its source shows no term that is the column it fills")
        shown = found[0]
    scope.emitter.replace(operand.start, operand.end, shown)


def _chunk(site: SharedAccess, fold: RowFolds, scope: Scope) -> _ChunkTerm:
    patterns, phases = site.access.patterns, thread_terms(site, fold, scope)
    slots = [elements(p, site.access.element_bytes) for p in patterns]
    chunks = [s % fold.block // fold.unit * fold.unit for s in slots]
    if any((c != chunks[0])[p.active].any() for c, p in zip(chunks, patterns, strict=True)):
        raise CannotRewriteError("the column this copy fills is not always the same")
    old = scope.thread_value(chunks, [p.active for p in patterns])
    new = chunks[0] ^ fold.delta(slots[0])
    return _ChunkTerm(chunks[0], new, patterns[0].active.ravel(), old, phases, site, scope)


class _ChunkTerm(ByIdentity, frozen=True, eq=False):
    """``old XOR phases`` of the slots that a copy fills, as lines of text; arrays per lane."""

    old: IntArray
    new: IntArray
    active: BoolArray
    form: ThreadValue | None
    phases: tuple[ThreadValue, ...]
    site: SharedAccess
    scope: Scope

    def written(self, name: str, chunk: ir.Value, divisor: int) -> Placed | None:
        """``new / divisor``; ``name`` is ``old / divisor``. None if uneven."""
        parts = [phase.divided(divisor) for phase in self.phases]
        if None in parts:
            return None
        placed, key = (name, anchor_of(chunk)), self.scope.emitter.key_of(chunk)
        for part in parts:
            assert part is not None
            placed = self.scope.exclusive_or(placed, key, part, self.site.op)
            key = ("xor", key, placed[0])
        return placed

    def added(self, index: ir.Value, name: str) -> str:
        """``index + (new - old)``, for an index that does not show its chunk."""
        chunk = self.form
        if chunk is None or chunk.form is None or chunk.flip:
            raise CannotRewriteError("the slots this copy fills are no simple function of one id")
        emitter, use = self.scope.emitter, self.site.op
        old, anchor = self.scope.write(chunk.form, use)
        new = old
        key: Hashable = chunk
        for phase in self.phases:
            new, anchor = self.scope.exclusive_or((new, anchor), key, phase, use)
            key = ("xor", key, new)
        step = emitter.value(("sub", new, old), anchor, use, f"arith.subi {new}, {old} : index")
        line = f"arith.addi {name}, {step} overflow<nsw> : index"
        anchor = later(anchor_of(index), anchor)
        return emitter.value(("add", emitter.key_of(index), step), anchor, use, line)
