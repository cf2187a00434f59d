"""Direct-to-LDS copies: they write in lane order and cannot scatter, so their source is permuted.

The lane that fills a slot fetches the element that lives there under the new map. A fold is its
own inverse and moves elements inside a row only, so that is the same row, another column chunk:
``chunk XOR phase`` in place of ``chunk``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from iree.compiler import ir

from bankwise.address import XorFold
from bankwise.ir.extract import SharedAccess
from bankwise.ir.rewrite.closed_form import ClosedForm
from bankwise.ir.rewrite.emit import anchor_of, later
from bankwise.ir.rewrite.exchange import Exchange, exchange
from bankwise.ir.rewrite.plan import elements
from bankwise.ir.rewrite.scope import CannotRewriteError, Placed, Scope


def permute_source(site: SharedAccess, fold: XorFold, scope: Scope) -> None:
    """Replace the last source index of a copy by that of the element that now lives in its slot."""
    patterns, active = site.access.patterns, [p.active for p in site.access.patterns]
    slots = [elements(p, site.access.element_bytes) for p in patterns]
    chunks = [s % fold.width // fold.unit * fold.unit for s in slots]
    phases = [fold.phase(s) * fold.unit for s in slots]
    phase = scope.closed(phases, active)
    if phase is None:
        raise CannotRewriteError("the rows this copy fills are no simple function of a thread id")
    moved = _Moved(phase, site, scope)
    new = (chunks[0] ^ phases[0]).ravel()
    what = Exchange(chunks[0].ravel(), new, active[0].ravel(), moved.written)
    index, operand = site.source_indices[-1], scope.operands(site, 0)[-1]
    name = operand.of(scope.emitter.text)
    found = exchange(index, name, what, scope.emitter, scope.numbers, site.op)
    shown = found[0] if found else moved.added(index, name, scope.closed(chunks, active))
    scope.emitter.replace(operand.start, operand.end, shown)


@dataclass(frozen=True, slots=True)
class _Moved:
    """``chunk XOR phase`` of the slots that a copy fills, as lines of text."""

    phase: ClosedForm
    site: SharedAccess
    scope: Scope

    def written(self, name: str, chunk: ir.Value, divisor: int) -> Placed | None:
        """``(chunk XOR phase) / divisor``; ``name`` is ``chunk / divisor``. None if uneven."""
        if self.phase.factor % divisor:
            return None
        use, emitter = self.site.op, self.scope.emitter
        part = replace(self.phase, factor=self.phase.factor // divisor)
        phase, at = self.scope.write(part, use)
        anchor = later(anchor_of(chunk), at)
        key = ("xor", emitter.key_of(chunk), phase)
        return emitter.value(key, anchor, use, f"arith.xori {name}, {phase} : index"), anchor

    def added(self, index: ir.Value, name: str, chunk: ClosedForm | None) -> str:
        """``index + ((chunk XOR phase) - chunk)``, for an index that does not show its chunk."""
        if chunk is None:
            raise CannotRewriteError("the slots this copy fills are no simple function of one id")
        emitter, use = self.scope.emitter, self.site.op
        old, at = self.scope.write(chunk, use)
        phase, bt = self.scope.write(self.phase, use)
        anchor = later(at, bt)
        new = emitter.value(("xor", old, phase), anchor, use, f"arith.xori {old}, {phase} : index")
        step = emitter.value(("sub", new, old), anchor, use, f"arith.subi {new}, {old} : index")
        line = f"arith.addi {name}, {step} overflow<nsw> : index"
        anchor = later(anchor_of(index), anchor)
        return emitter.value(("add", emitter.key_of(index), step), anchor, use, line)
