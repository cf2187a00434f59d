"""The functional judge: run kernels, make inputs for them, and compare what they leave behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from iree.compiler import ir
from msgspec import Struct

from bankwise.change.execute.ops_memref import is_lds
from bankwise.change.execute.program import (
    ExecutableKernel,
    Known,
    Locate,
    compiled,
    nothing_known,
    run,
)
from bankwise.change.execute.side_by_side import Bindings
from bankwise.change.execute.state import Fault, new_state
from bankwise.change.execute.values import Array, Element, element, rounded
from bankwise.errors import InputError
from bankwise.read.mlir.indexing import ThreadIds

Ids = tuple[int, int, int]

LARGEST_ELEMENTS = 1 << 27  # of a buffer that is filled


class Execution(Struct, frozen=True):
    """What a run did: its faults, and how often each operation ran (per workgroup, not per thread).

    Workgroups that show a fault at the same operation share one entry, with the first witness.
    """

    faults: tuple[Fault, ...]
    workgroups: int
    operations: Mapping[str, int]


class Difference(Struct, frozen=True):
    """A buffer that two runs leave different: how many elements, and the first of them."""

    binding: int
    count: int
    first: int
    before: float
    after: float

    def __str__(self) -> str:
        return (
            f"binding {self.binding}: {self.count} elements differ, the first at {self.first}: "
            f"{self.before} before, {self.after} after"
        )


def execute(
    func: ir.Operation | ir.OpView,
    buffers: Sequence[Array],
    *,
    workgroup_size: Ids,
    wave_size: int,
    grid: Ids | None,
    workgroups: Iterable[Ids] | None = None,
    locate: Locate,
    progress: Callable[[int, int], None] | None = None,
    known: Known = nothing_known,
) -> Execution:
    """Run a kernel function on the CPU, one workgroup after the other; ``buffers`` change in place.

    ``buffers``: the bindings in order, flat arrays of the element's storage (bf16 as uint16 and the
    8-bit floats as uint8 bit patterns). ``workgroups``: which to run, default all of ``grid``
    (None: not known).
    ``locate`` gives the place of an operation in the user's file. ``progress(done, total)`` is
    called after each workgroup. ``known``: the numbers that only the launch knows, by value.

    Within a workgroup the waves run in lockstep, and shadow memory finds where another schedule
    could differ. A fault does not stop the run. Raises :class:`InputError` for an operation, a form
    of one, or a buffer that cannot be executed; then nothing is known about the kernel.
    """
    program = compiled(getattr(func, "operation", func), locate, known)
    todo = list(workgroups) if workgroups is not None else _all(grid or (1, 1, 1))
    faults: dict[Any, Fault] = {}
    counts: Counter[str] = Counter()
    for done, workgroup in enumerate(todo, 1):
        ids = ThreadIds(workgroup_size, wave_size, workgroup, grid)
        found = execute_workgroup(program, buffers, ids)
        faults = {(f.location, f.site, f.kind): f for f in found.faults} | faults
        counts.update(found.operations)
        if progress:
            progress(done, len(todo))
    ordered = sorted(faults.values(), key=lambda fault: (fault.location, fault.kind))
    return Execution(tuple(ordered), len(todo), dict(counts))


def execute_workgroup(
    program: ExecutableKernel,
    buffers: Sequence[Array],
    ids: ThreadIds,
    bindings: Bindings | None = None,
) -> Execution:
    """One workgroup of a kernel that :func:`compiled` has read, as :func:`execute` runs it.

    ``bindings``: notes what the workgroup does to them.
    """
    state = new_state([ids], buffers, bindings or Bindings())
    with np.errstate(all="ignore"):
        run(program, state)
    counts: Counter[str] = Counter()
    for names, (times,) in state.blocks.items():
        for name in names:
            counts[name] += int(times)
    return Execution(tuple(state.faults.values()), 1, counts)


def compare(before: Sequence[Array], after: Sequence[Array]) -> tuple[Difference, ...]:
    """The buffers that differ in any bit, none if all are equal; NaN equals NaN."""
    assert len(before) == len(after), "the same bindings on both sides"
    found = []
    for binding, (a, b) in enumerate(zip(before, after, strict=True)):
        assert (a.shape, a.dtype) == (b.shape, b.dtype), f"binding {binding} changed its form"
        differ = _bits(a) != _bits(b)
        if a.dtype.kind == "f":
            differ &= ~(np.isnan(a) & np.isnan(b))
        if differ.any():
            at = int(differ.argmax())
            count = int(differ.sum())
            found.append(Difference(binding, count, at, float(a[at]), float(b[at])))
    return tuple(found)


def random_buffers(
    func: ir.Operation | ir.OpView,
    seed: int,
    sizes: Mapping[int, int] | None = None,
    known: Known = nothing_known,
) -> list[Array]:
    """Random bindings for a kernel: floats in [-1, 1), integers in [-8, 8), outputs too.

    The sizes come from the shapes of the bindings, dynamic ones through ``known`` as in
    :func:`execute`; ``sizes`` (elements by binding) decides where a binding has none. Raises
    :class:`InputError` where neither does.
    """
    random = np.random.default_rng(seed)
    bindings = _bindings(getattr(func, "operation", func), known)
    buffers = []
    for binding in range(max(bindings, default=-1) + 1):
        if binding not in bindings:
            buffers.append(np.zeros(0, np.uint8))
            continue
        of, count = bindings[binding]
        count = (sizes or {}).get(binding, count)
        if not count:
            raise InputError(
                f"binding {binding} has no static size",
                hint="give the argument a static size; without one the proof stands alone",
            )
        buffers.append(_random(random, of, count))
    return buffers


def _all(grid: Ids) -> list[Ids]:
    """The workgroups of a grid, x fastest."""
    x, y, z = grid
    return [(i, j, k) for k, j, i in product(range(z), range(y), range(x))]


def _bits(values: Array) -> Array:
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")


def _random(random: np.random.Generator, of: Element, count: int) -> Array:
    if of.kind == "integer":
        low, high = (
            (0, 2) if of.bits == 1 else (-(1 << min(3, of.bits - 1)), 1 << min(3, of.bits - 1))
        )
        return random.integers(low, high, count).astype(of.storage)
    return rounded(of, random.uniform(-1, 1, count).astype(np.float32))


def _bindings(function: ir.Operation, known: Known) -> dict[int, tuple[Element, int]]:
    """Element type and element count (0: not known) by binding."""
    found: dict[int, tuple[Element, int]] = {}
    firsts = [0]

    def note(binding: int, kind: ir.Type, behind: Sequence[ir.Value] = ()) -> None:
        """``behind``: the byte at which the span begins, then its dynamic sizes."""
        memref = ir.MemRefType(kind)
        count = _elements(memref, behind[1:], known)
        if count and behind:
            first = (_number(behind[0], known) or 0) // element(memref).bytes
            firsts.append(first)
            count += first
        before = found.get(binding, (element(memref), 0))
        found[binding] = (before[0], max(before[1], count))

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "hal.interface.binding.subspan":
            note(int(op.attributes["binding"]), op.results[0].type, list(op.operands))
        if op.name == "stream.binding.subspan":
            which = ir.BlockArgument(op.operands[0]).arg_number
            note(which, op.results[0].type, list(op.operands)[1:])
        return ir.WalkResult.ADVANCE

    for argument in function.regions[0].blocks[0].arguments:
        if isinstance(argument.type, ir.MemRefType) and not is_lds(ir.MemRefType(argument.type)):
            note(argument.arg_number, argument.type)
    function.walk(visit)
    if (first := max(firsts)) > LARGEST_ELEMENTS:
        raise InputError(f"a span at element {first:,} is too far to execute here")
    return found


def _elements(memref: ir.MemRefType, dynamic: Sequence[ir.Value], known: Known) -> int:
    """Elements of a memref; 0 if one of its sizes is not known."""
    rest = iter(dynamic)
    sizes = [
        _number(next(rest, None), known) if memref.is_dynamic_dim(d) else memref.get_dim_size(d)
        for d in range(memref.rank)
    ]
    return prod(size or 0 for size in sizes)


def _number(value: ir.Value | None, known: Known) -> int | None:
    if value is None or isinstance(value.owner, ir.Block):
        return known(value) if value is not None else None
    if value.owner.name == "arith.constant":
        return int(ir.IntegerAttr(value.owner.attributes["value"]).value)
    return known(value)
