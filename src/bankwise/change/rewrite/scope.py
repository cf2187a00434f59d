"""What one kernel offers to the lines that are added to it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
from iree.compiler import ir
from msgspec import Struct

from bankwise.change.rewrite import closed_form
from bankwise.change.rewrite.closed_form import ClosedForm, ThreadValue
from bankwise.change.rewrite.emit import Anchor, Emitter, later
from bankwise.change.rewrite.exchange import Numbers
from bankwise.change.rewrite.operand_text import Span, index_operands
from bankwise.counting.access import BoolArray, IntArray
from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.read.mlir.extract import SharedAccess
from bankwise.read.mlir.indexing import ThreadIds, thread_results

Placed = tuple[str, Anchor]
"""The name of a value in the text, and the place from which on it may be used."""

_DESTINATION_GROUP = {"amdgpu.gather_to_lds": 1, "nvgpu.device_async_copy": 1}
"""Operations whose shared-memory indices stand in the second bracket of their text."""


class CannotRewriteError(Exception):
    """This access cannot be rewritten; :func:`refusal_of` makes a value of it."""


class ThreadId(Struct, frozen=True):
    """One thread id that the kernel computes at its top level: on every thread, and where."""

    values: IntArray
    op: ir.Operation


class Scope(ByIdentity, frozen=True, eq=False):
    """One kernel's text under edit, its thread ids by their name there, and its known values."""

    emitter: Emitter
    thread_ids: Mapping[str, ThreadId]
    numbers: Numbers

    def thread_value(
        self, values: Sequence[IntArray], active: Sequence[BoolArray]
    ) -> ThreadValue | None:
        """The only one of :meth:`thread_values`; None if there is none, or more."""
        found = self.thread_values(values, active)
        return found[0] if len(found) == 1 else None

    def thread_values(
        self, values: Sequence[IntArray], active: Sequence[BoolArray]
    ) -> tuple[ThreadValue, ...]:
        """What holds on all active lanes of all patterns ([waves, lanes] each), to be XORed.

        As few values of one thread id each as will do; none if it is not so simple.
        """
        flat = np.concatenate([v[a] for v, a in zip(values, active, strict=True)])
        ids = {
            name: np.concatenate([t.values.reshape(a.shape)[a] for a in active])
            for name, t in self.thread_ids.items()
        }
        return closed_form.parts(flat, ids)

    def write(self, form: ClosedForm, use: ir.Operation) -> Placed:
        """A closed form as a line of text, right behind its thread id."""
        op = self.thread_ids[form.name].op
        anchor = Anchor(op.block, op)
        line = f"affine.apply affine_map<()[s0] -> ({form.affine()})>()[{form.name}]"
        return self.emitter.value(form, anchor, use, line), anchor

    def exclusive_or(
        self, placed: Placed, key: Hashable, term: ThreadValue, use: ir.Operation
    ) -> Placed:
        """``placed XOR term`` in as few lines as possible; ``key`` identifies ``placed``."""
        name, anchor = placed
        if term.form is not None:
            other, at = self.write(term.form, use)
            anchor = later(anchor, at)
            key = ("xor", key, other)
            name = self.emitter.value(key, anchor, use, f"arith.xori {name}, {other} : index")
        if term.flip:
            line = f"arith.constant {term.flip} : index"
            constant = self.emitter.value(("constant", term.flip), anchor, use, line)
            key = ("xor", key, term.flip)
            name = self.emitter.value(key, anchor, use, f"arith.xori {name}, {constant} : index")
        return name, anchor

    def operands(self, site: SharedAccess, group: int) -> tuple[Span, ...]:
        """The index operands in the ``group``-th bracket of an access, in the user's text."""
        offset = self.emitter.offset(site.op)
        found = () if offset is None else index_operands(self.emitter.code, offset, group)
        if not found:
            raise CannotRewriteError("the indices of this access are not found in the text")
        return found


def destination_group(op: ir.Operation) -> int:
    """Which bracket of the text of ``op`` holds the indices into shared memory."""
    return _DESTINATION_GROUP.get(op.name, 0)


def scope_of(func: ir.Operation, threads: ThreadIds, emitter: Emitter) -> Scope:
    """The scope of one kernel function."""
    found: dict[str, ThreadId] = {}
    for each in func.regions[0].blocks[0].operations:
        op = each.operation
        results = thread_results(op, threads) if op.name == "gpu.thread_id" else None
        name = emitter.name_of(op)
        if results is not None and name:
            found[name] = ThreadId(np.broadcast_to(results[0], threads.linear.shape), op)
    return Scope(emitter, found, Numbers(threads))


def refusal_of(error: CannotRewriteError, site: SharedAccess, names: str) -> Refusal:
    """The refusal to report for a group of allocations ``names`` that keeps its layout."""
    return Refusal(f"{names}: {error}", site.access.location)
