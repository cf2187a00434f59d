"""What the guards of a kernel decide, for many workgroups and threads at once.

Integer values are evaluated as arrays [workgroups, threads], where 1 stands for "the same for all",
as far as they are known. Only what guards need is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from iree.compiler import ir

from bankwise.change.execute.program import Known
from bankwise.change.execute.values import shape
from bankwise.counting.access import IntArray
from bankwise.identity import ByIdentity
from bankwise.read.mlir import indexing
from bankwise.read.mlir.affine import map_function
from bankwise.read.mlir.indexing import ThreadIds
from bankwise.read.mlir.kernels import operations

Ids = tuple[int, int, int]
_Answer = Callable[[ir.Operation, Sequence[IntArray]], IntArray]


class Decisions(ByIdentity, frozen=True, eq=False):
    """``answers``: by number of the guard, one number a workgroup; equal numbers, equal decisions.

    ``unsearched``: guards that depend on the workgroup and on what is not known.
    """

    answers: Mapping[int, IntArray]
    unsearched: frozenset[int]


def decisions(
    func: ir.Operation,
    ids: ThreadIds,
    threads: IntArray,
    blocks: IntArray,
    grid: Ids,
    known: Known,
) -> Decisions:
    """What the guards of ``func`` decide in the workgroups ``blocks`` [n, 3], for ``threads``."""
    guards = [op for op in operations(func) if op.name in _GUARDS]
    needed = _needed(func, guards)
    found: dict[int, IntArray] = {}
    unsearched: set[int] = set()
    for last in (False, True):
        values = _Evaluation(ids, threads, blocks, grid, known, last, needed, {}, set())
        for argument in func.regions[0].blocks[0].arguments:
            values.note(argument, values.given(argument))
        values.block(func.regions[0].blocks[0])
        for number, guard in enumerate(guards):
            if not values.asks(guard):
                continue
            answer = values.answer(guard)
            if answer is None:
                unsearched.add(number)
            else:
                found[number] = found.get(number, np.int64(0)) * 31 + answer
    searched = {n: answer for n, answer in found.items() if n not in unsearched}
    return Decisions(searched, frozenset(unsearched))


def _needed(func: ir.Operation, guards: Sequence[ir.Operation]) -> set[ir.Value]:
    """The values on which the decisions of the guards depend."""
    needed = {value for guard in guards for value in _asked(guard)}
    for op in reversed(operations(func)):
        if any(result in needed for result in op.results):
            needed.update(op.operands)
            for region in op.regions:
                for block in region.blocks:
                    needed.update(block.operations[len(block.operations) - 1].operands)
        if op.name == "scf.for":
            needed.update(list(op.operands)[:3])
    return needed


def _asked(guard: ir.Operation) -> list[ir.Value]:
    """The operands by which a guard decides."""
    operands = list(guard.operands)
    if guard.name in ("arith.select", "scf.if"):
        return [] if _is_comparison(operands[0]) else operands[:1]
    if guard.name == "scf.for":
        return operands[:2]
    if guard.name in ("vector.transfer_read", "vector.transfer_write"):
        return [operands[n] for n, _, _ in _open_ends(guard)]
    return operands


def _is_comparison(value: ir.Value) -> bool:
    """Whether a condition is a guard of its own."""
    return not isinstance(value.owner, ir.Block) and value.owner.name in _COMPARISONS


class _Evaluation(ByIdentity, frozen=True, eq=False):
    """``last``: loops are in their last round, else in their first.

    ``values``: what is known; ``asking``: what depends on the workgroup, known or not.
    """

    ids: ThreadIds
    threads: IntArray
    blocks: IntArray
    grid: Ids
    known: Known
    last: bool
    needed: set[ir.Value]
    values: dict[ir.Value, IntArray]
    asking: set[ir.Value]

    def note(self, value: ir.Value, number: IntArray | None) -> None:
        if number is not None:
            whole = np.asarray(number, np.int64)
            self.values[value] = whole if whole.ndim else whole.reshape(1, 1)

    def given(self, value: ir.Value) -> IntArray | None:
        number = self.known(value)
        return None if number is None else np.full((1, 1), number, np.int64)

    def asks(self, op: ir.Operation) -> bool:
        return any(value in self.asking for value in _asked(op))

    def answer(self, guard: ir.Operation) -> IntArray | None:
        """One number per workgroup that tells its decisions apart; None if it is not known."""
        asked = _asked(guard)
        if not asked or any(value not in self.values for value in asked):
            return None
        decided = _GUARDS[guard.name](guard, [self.values[value] for value in asked])
        whole = np.broadcast_to(decided, (len(self.blocks), len(self.threads)))
        weights = np.random.default_rng(1).integers(1, 1 << 62, len(self.threads))
        with np.errstate(over="ignore"):
            return np.asarray((whole.astype(np.int64) * weights).sum(axis=1), np.int64)

    def block(self, block: ir.Block) -> None:
        with np.errstate(all="ignore"):
            for view in block.operations:
                self.operation(view.operation)

    def operation(self, op: ir.Operation) -> None:
        for region in op.regions:
            for block in region.blocks:
                if op.name == "scf.for":
                    self._round(op, *block.arguments)
                self.block(block)
        if any(value in self.asking for value in _sources(op)) or _asks_workgroup(op):
            self.asking.update(op.results)
        if any(result in self.needed for result in op.results):
            for result, number in zip(op.results, self._results(op), strict=True):
                self.note(result, number if number is not None else self.given(result))

    def _round(self, op: ir.Operation, variable: ir.Value, *carried: ir.Value) -> None:
        low, high, step, *initial = list(op.operands)
        pairs = zip(carried, initial, strict=True)
        self.asking.update(inner for inner, outer in pairs if outer in self.asking)
        if any(value in self.asking for value in (low, high, step)):
            self.asking.add(variable)
        if all(value in self.values for value in (low, high, step)):
            first, end, width = (self.values[value] for value in (low, high, step))
            rounds = np.maximum(-(-(end - first) // np.maximum(width, 1)) - 1, 0)
            self.note(variable, first + rounds * width if self.last else first)

    def _results(self, op: ir.Operation) -> Sequence[IntArray | None]:
        nothing = [None] * len(op.results)
        asked = indexing.quantity(op)
        if asked is not None and asked[0] in ("workgroup", "global"):
            return [self._of_workgroup(*asked)]
        operands = [self.values[v] for v in op.operands if v in self.values]
        if len(operands) < len(op.operands):
            return nothing
        if op.name == "scf.if":
            return self._branch(op, operands[0]) if len(op.regions) > 1 else nothing
        if indexing.asks_for_threads(op):
            return self._of_thread(op, operands)
        function = None if op.regions else indexing.compiled(op)
        return nothing if function is None else function(operands)

    def _of_workgroup(self, what: str, axis: int) -> IntArray:
        number = self.blocks[:, axis : axis + 1]
        if what == "workgroup":
            return number
        return number * self.ids.workgroup_size[axis] + self.ids.thread_id(axis)[self.threads]

    def _of_thread(self, op: ir.Operation, operands: Sequence[IntArray]) -> list[IntArray | None]:
        """A number of the thread or launch; broadcasts take the nearest lane that is looked at."""
        if operands:
            wave = self.threads // self.ids.wave_size
            first = np.searchsorted(wave, wave)
            value = operands[0]
            return [value if value.shape[1] == 1 else value[:, first]]
        ids = ThreadIds(self.ids.workgroup_size, self.ids.wave_size, grid=self.grid)
        found = indexing.thread_results(op, ids)
        if found is None:
            return [None]
        return [v[None, self.threads] if v.ndim else v for v in found]

    def _branch(self, op: ir.Operation, condition: IntArray) -> list[IntArray | None]:
        ends = [r.blocks[0].operations for r in op.regions]
        yields = [list(block[len(block) - 1].operands) for block in ends]
        pairs = zip(*yields, strict=True)
        return [
            np.where(condition != 0, self.values[a], self.values[b])
            if a in self.values and b in self.values
            else None
            for a, b in pairs
        ]


def _sources(op: ir.Operation) -> list[ir.Value]:
    """Operands, and what the regions of the operation hand out."""
    found = list(op.operands)
    for region in op.regions:
        for block in region.blocks:
            found += [value for op in list(block.operations)[-1:] for value in op.operands]
    return found


def _asks_workgroup(op: ir.Operation) -> bool:
    asked = indexing.quantity(op)
    return asked is not None and asked[0] in ("workgroup", "global")


def _open_ends(op: ir.Operation) -> list[tuple[int, int, int]]:
    """Of a transfer that may leave its memref: index operand, size of the dimension, extent."""
    memref = 1 if op.name == "vector.transfer_write" else 0
    vector = op.operands[0] if memref else op.results[0]
    of = ir.MemRefType(op.operands[memref].type)
    results = list(op.attributes["permutation_map"].value.results)
    sure = [bool(b.value) for b in op.attributes["in_bounds"]]
    return [
        (memref + 1 + e.position, of.get_dim_size(e.position), extent)
        for e, extent, inside in zip(results, shape(vector.type), sure, strict=True)
        if isinstance(e, ir.AffineDimExpr) and not inside and not of.is_dynamic_dim(e.position)
    ]


def _condition(op: ir.Operation, operands: Sequence[IntArray]) -> IntArray:
    return operands[0]


def _compared(op: ir.Operation, operands: Sequence[IntArray]) -> IntArray:
    function = indexing.compiled(op)
    return operands[0] if function is None else function(operands)[0]


def _chosen(op: ir.Operation, operands: Sequence[IntArray]) -> IntArray:
    """Which operand a minimum or maximum takes."""
    function = indexing.compiled(op)
    return np.asarray(function is not None and function(operands)[0] == operands[0])


def _affine_chosen(op: ir.Operation, operands: Sequence[IntArray]) -> IntArray:
    results = np.broadcast_arrays(*map_function(op.attributes["map"].value)(operands))
    stacked = np.stack(results)
    best = stacked.argmin(axis=0) if op.name == "affine.min" else stacked.argmax(axis=0)
    return np.asarray(best, np.int64)


def _runs(op: ir.Operation, operands: Sequence[IntArray]) -> IntArray:
    return np.asarray(operands[0] < operands[1])


def _mask(op: ir.Operation, operands: Sequence[IntArray]) -> IntArray:
    total = np.zeros((1, 1), np.int64)
    for bound, extent in zip(operands, shape(op.results[0].type), strict=True):
        total = total * (extent + 1) + np.clip(bound, 0, extent)
    return total


def _transferred(op: ir.Operation, operands: Sequence[IntArray]) -> IntArray:
    total = np.zeros((1, 1), np.int64)
    for index, (_, size, extent) in zip(operands, _open_ends(op), strict=True):
        total = total * (extent + 1) + np.clip(size - index, 0, extent)
    return total


_COMPARISONS = ("arith.cmpi", "index.cmp")
_GUARDS: Mapping[str, _Answer] = {
    **dict.fromkeys(_COMPARISONS, _compared),
    **dict.fromkeys((f"arith.{m}{s}i" for m in ("min", "max") for s in "su"), _chosen),
    **dict.fromkeys((f"index.{m}{s}" for m in ("min", "max") for s in "su"), _chosen),
    "affine.max": _affine_chosen,
    "affine.min": _affine_chosen,
    "arith.select": _condition,
    "scf.for": _runs,
    "scf.if": _condition,
    "vector.create_mask": _mask,
    "vector.transfer_read": _transferred,
    "vector.transfer_write": _transferred,
}
"""The operations that decide, and how. A condition that is a comparison is one guard with it."""
