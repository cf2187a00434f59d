"""Direct-to-LDS copies: they write in lane order and cannot scatter, so their source is permuted.

The lane that fills a slot fetches the element that lives there under the new map. A fold is its
own inverse and moves elements inside a row only, so that is the same row, another column chunk:
``chunk XOR phase`` in place of ``chunk``.
"""

from __future__ import annotations

from dataclasses import dataclass

from iree.compiler import ir

from bankwise.algebra.address import RowFolds
from bankwise.change.rewrite.closed_form import ThreadValue
from bankwise.change.rewrite.emit import anchor_of, later
from bankwise.change.rewrite.exchange import Exchange, exchange
from bankwise.change.rewrite.group import elements
from bankwise.change.rewrite.scope import CannotRewriteError, Placed, Scope
from bankwise.read.mlir.extract import SharedAccess


def permute_source(site: SharedAccess, fold: RowFolds, scope: Scope) -> None:
    """Replace the last source index of a copy by that of the element that now lives in its slot."""
    patterns, active = site.access.patterns, [p.active for p in site.access.patterns]
    slots = [elements(p, site.access.element_bytes) for p in patterns]
    chunks = [s % fold.block // fold.unit * fold.unit for s in slots]
    phases = [fold.delta(s) for s in slots]
    phase = None if site.asks_workgroup else scope.thread_value(phases, active)
    if phase is None:
        raise CannotRewriteError("the rows this copy fills are no simple function of a thread id")
    if any((c != chunks[0])[p.active].any() for c, p in zip(chunks, patterns, strict=True)):
        raise CannotRewriteError("the column this copy fills is not always the same")
    moved = _ChunkTerm(phase, site, scope)
    new = (chunks[0] ^ phases[0]).ravel()
    what = Exchange(chunks[0].ravel(), new, active[0].ravel(), moved.written)
    index, operand = site.source_indices[-1], scope.operands(site, 0)[-1]
    name = operand.of(scope.emitter.text)
    found = exchange(index, name, what, scope.emitter, scope.numbers, site.op)
    shown = found[0] if found else moved.added(index, name, scope.thread_value(chunks, active))
    scope.emitter.replace(operand.start, operand.end, shown)


@dataclass(frozen=True, slots=True)
class _ChunkTerm:
    """``chunk XOR phase`` of the slots that a copy fills, as lines of text."""

    phase: ThreadValue
    site: SharedAccess
    scope: Scope

    def written(self, name: str, chunk: ir.Value, divisor: int) -> Placed | None:
        """``(chunk XOR phase) / divisor``; ``name`` is ``chunk / divisor``. None if uneven."""
        part = self.phase.divided(divisor)
        if part is None:
            return None
        key = self.scope.emitter.key_of(chunk)
        return self.scope.exclusive_or((name, anchor_of(chunk)), key, part, self.site.op)

    def added(self, index: ir.Value, name: str, chunk: ThreadValue | None) -> str:
        """``index + ((chunk XOR phase) - chunk)``, for an index that does not show its chunk."""
        if chunk is None or chunk.form is None or chunk.flip:
            raise CannotRewriteError("the slots this copy fills are no simple function of one id")
        emitter, use = self.scope.emitter, self.site.op
        old, at = self.scope.write(chunk.form, use)
        new, anchor = self.scope.exclusive_or((old, at), chunk, self.phase, use)
        step = emitter.value(("sub", new, old), anchor, use, f"arith.subi {new}, {old} : index")
        line = f"arith.addi {name}, {step} overflow<nsw> : index"
        anchor = later(anchor_of(index), anchor)
        return emitter.value(("add", emitter.key_of(index), step), anchor, use, line)
