"""Integer operations of a kernel, evaluated for all threads of a workgroup at once.

Values are int64 arrays [threads], or 0-d where all threads agree;
:func:`bankwise.read.integers.wrap` says how narrower integers are kept. Threads are numbered as the
hardware numbers them: x fastest, then y and z, cut into waves of consecutive threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from iree.compiler import ir
from msgspec import Struct

from bankwise.counting.access import BoolArray, IntArray
from bankwise.read import integers
from bankwise.read.integers import Operation, fit, wrap
from bankwise.read.mlir.affine import map_function
from bankwise.read.operations import ARITH, COMPARISONS

INDEX_BITS = 64

Results = tuple[IntArray, ...]
Function = Callable[[Sequence[IntArray]], Results]

_DYNAMIC = -(2**63)
"""How static_basis and its kin mark "look among the operands"."""


class ThreadIds(Struct, frozen=True):
    """The threads of one workgroup, filled up to whole waves.

    ``workgroup_size``: (x, y, z). ``grid``: workgroups of the launch, None if unknown.
    """

    workgroup_size: tuple[int, int, int]
    wave_size: int
    workgroup_id: tuple[int, int, int] = (0, 0, 0)
    grid: tuple[int, int, int] | None = None

    @property
    def count(self) -> int:
        """Threads that exist."""
        x, y, z = self.workgroup_size
        return x * y * z

    @property
    def waves(self) -> int:
        """Waves of the workgroup, the last one perhaps not full."""
        return -(-self.count // self.wave_size)

    @property
    def linear(self) -> IntArray:
        """The number of every thread: [waves * wave_size]."""
        return np.arange(self.waves * self.wave_size, dtype=np.int64)

    @property
    def valid(self) -> BoolArray:
        """Which of them exist."""
        return self.linear < self.count

    def thread_id(self, axis: int) -> IntArray:
        """The thread id along x (0), y (1) or z (2)."""
        x, y, _ = self.workgroup_size
        below = (1, x, x * y)[axis]
        return self.linear // below % self.workgroup_size[axis]


def evaluate(op: ir.Operation, operands: Sequence[IntArray]) -> Results | None:
    """The results of one integer operation without regions; None if it is not one we know.

    ``operands``: int64 arrays, [threads] or 0-d, in the operation's own order.
    """
    function = compiled(op)
    if function is None:
        return None
    with np.errstate(all="ignore"):
        return function(operands)


def compiled(op: ir.Operation) -> Function | None:
    """The function of one integer operation; None if it is not one we know.

    For operations that run often. Call it under ``np.errstate(all="ignore")``: lanes that are
    switched off may divide by zero.
    """
    special = _SPECIAL.get(op.name)
    if special is not None:
        return special(op)
    binary = _BINARY.get(op.name)
    bits = integer_bits(op.results[0].type) if binary else None
    return None if binary is None or bits is None else _binary(binary, bits)


def integer_bits(of: ir.Type) -> int | None:
    """The width of an integer or index type in bits; None for any other type."""
    if isinstance(of, ir.IndexType):
        return INDEX_BITS
    return int(of.width) if isinstance(of, ir.IntegerType) else None


def thread_results(
    op: ir.Operation,
    ids: ThreadIds,
    operands: Sequence[IntArray] = (),
    active: BoolArray | None = None,
) -> Results | None:
    """The results of an operation that asks who runs; None if it is not one we know.

    Also None where the answer is not known: the grid of a launch, or a broadcast from a lane that
    is not the first active one. ``active``: [threads], default all that exist.
    """
    if exchanges(op):
        return _broadcast(op, ids, operands, ids.valid if active is None else active)
    value = _thread_value(op, ids)
    if value is None:
        return None
    bits = integer_bits(op.results[0].type)
    return (wrap(np.asarray(value, np.int64), bits or INDEX_BITS),)


def asks_for_threads(op: ir.Operation) -> bool:
    """Whether :func:`thread_results` is the one to ask about this operation."""
    return exchanges(op) or op.name in _PER_THREAD or quantity(op) is not None


def exchanges(op: ir.Operation) -> bool:
    """Whether an operation gives every lane of a wave what one of them has.

    ``llvm.amdgcn.readfirstlane`` is ``rocdl.readfirstlane`` by its name in LLVM.
    """
    if op.name == "llvm.call_intrinsic":
        return str(op.attributes["intrin"]).strip('"').removesuffix(".i32") == _FIRST_LANE
    return op.name in _BROADCASTS


def first_active(values: IntArray, ids: ThreadIds, active: BoolArray) -> IntArray:
    """For every thread the value of the first active lane of its wave (lane 0 if none is)."""
    shape = (ids.waves, ids.wave_size)
    lane = np.broadcast_to(active, shape[0] * shape[1]).reshape(shape).argmax(axis=1)
    rows = np.broadcast_to(values, shape[0] * shape[1]).reshape(shape)
    return np.repeat(rows[np.arange(shape[0]), lane], ids.wave_size)


def _binary(operation: Operation, bits: int) -> Function:
    def run(operands: Sequence[IntArray]) -> Results:
        first, second = (fit(np.asarray(value), bits) for value in operands[:2])
        return (_sign_extended(operation(first, second, bits), bits),)

    return run


def _sign_extended(result: IntArray, bits: int) -> IntArray:
    """As the numbers of a kernel are kept here: sign-extended, but one bit alone is 0 or 1."""
    if result.dtype == np.bool_ or bits == 1:
        return np.asarray(result, np.int64)
    return integers.signed(np.asarray(result), bits)


def _constant(op: ir.Operation) -> Function | None:
    value = op.attributes["value"]
    if not isinstance(value, ir.IntegerAttr | ir.BoolAttr):
        return None
    bits = integer_bits(op.results[0].type)
    number = np.asarray(wrap(np.asarray(int(value.value), np.int64), bits or INDEX_BITS))
    return lambda operands: (number,)


def _compare(op: ir.Operation) -> Function | None:
    bits = integer_bits(op.operands[0].type)
    if bits is None:
        return None
    if "predicate" in op.attributes:
        name = list(COMPARISONS)[op.attributes["predicate"].value]
    else:
        name = str(op.attributes["pred"]).partition("<")[2].rstrip(">")
    return _binary(COMPARISONS[name], bits)


def _select(op: ir.Operation) -> Function | None:
    if integer_bits(op.results[0].type) is None or integer_bits(op.operands[0].type) is None:
        return None
    return lambda operands: (np.where(operands[0] != 0, operands[1], operands[2]),)


def _sign_cast(op: ir.Operation) -> Function | None:
    return _cast(op, integers.extend)


def _zero_cast(op: ir.Operation) -> Function | None:
    return _cast(op, lambda value, before, after: fit(value, after))


def _cast(op: ir.Operation, read: Callable[[IntArray, int, int], IntArray]) -> Function | None:
    before, after = integer_bits(op.operands[0].type), integer_bits(op.results[0].type)
    if before is None or after is None:
        return None
    return lambda operands: (
        _sign_extended(read(fit(np.asarray(operands[0]), before), before, after), after),
    )


def _identity(op: ir.Operation) -> Function | None:
    if any(integer_bits(result.type) is None for result in op.results):
        return None
    count = len(op.results)
    return lambda operands: tuple(operands[:count])


def _affine_apply(op: ir.Operation) -> Function:
    return map_function(op.attributes["map"].value)


def _affine_best(best: Callable[[IntArray, IntArray], IntArray]) -> Callable[[Any], Function]:
    def build(op: ir.Operation) -> Function:
        function = map_function(op.attributes["map"].value)

        def apply(operands: Sequence[IntArray]) -> Results:
            first, *others = function(operands)
            for other in others:
                first = best(first, other)
            return (first,)

        return apply

    return build


def _basis(op: ir.Operation, operands: Sequence[IntArray]) -> list[IntArray]:
    """The mixed-radix basis, outermost first; ``operands`` are those behind the indices."""
    dynamic = iter(operands)
    return [
        next(dynamic) if size == _DYNAMIC else np.asarray(size, np.int64)
        for size in op.attributes["static_basis"]
    ]


def _linearize(op: ir.Operation) -> Function:
    digits = op.attributes["operandSegmentSizes"][0]

    def apply(operands: Sequence[IntArray]) -> Results:
        basis = _basis(op, operands[digits:])
        inner = basis[len(basis) - (digits - 1) :]
        total = operands[0]
        for digit, size in zip(operands[1:digits], inner, strict=True):
            total = total * size + digit
        return (np.asarray(total, np.int64),)

    return apply


def _delinearize(op: ir.Operation) -> Function:
    count = len(op.results)

    def apply(operands: Sequence[IntArray]) -> Results:
        basis = _basis(op, operands[1:])
        digits: list[IntArray] = []
        rest = operands[0]
        for size in reversed(basis[len(basis) - (count - 1) :]):
            digits.append(np.mod(rest, size))
            rest = np.floor_divide(rest, size)
        return (rest, *reversed(digits))

    return apply


_BINARY: Mapping[str, Operation] = {
    f"{dialect}.{name}{suffix}": function
    for name, function in ARITH.items()
    for dialect, suffix in (("arith", "i"), ("index", ""))
}
"""arith has the names of the index dialect with an i behind: divs and arith.divsi."""

_SPECIAL: Mapping[str, Callable[[Any], Function | None]] = {
    "arith.constant": _constant,
    "index.constant": _constant,
    "index.bool.constant": _constant,
    "arith.cmpi": _compare,
    "index.cmp": _compare,
    "arith.select": _select,
    "arith.index_cast": _sign_cast,
    "arith.index_castui": _zero_cast,
    "arith.extsi": _sign_cast,
    "arith.extui": _zero_cast,
    "arith.trunci": _sign_cast,
    "index.casts": _sign_cast,
    "index.castu": _zero_cast,
    "util.assume.int": _identity,
    "util.optimization_barrier": _identity,
    "affine.apply": _affine_apply,
    "affine.min": _affine_best(np.minimum),
    "affine.max": _affine_best(np.maximum),
    "affine.linearize_index": _linearize,
    "affine.delinearize_index": _delinearize,
}

_PER_AXIS: Mapping[str, Callable[[ThreadIds, int], IntArray | int | None]] = {
    "thread": lambda ids, axis: ids.thread_id(axis),
    "workgroup": lambda ids, axis: ids.workgroup_id[axis],
    "size": lambda ids, axis: ids.workgroup_size[axis],
    "count": lambda ids, axis: None if ids.grid is None else ids.grid[axis],
    "global": lambda ids, axis: (
        ids.workgroup_id[axis] * ids.workgroup_size[axis] + ids.thread_id(axis)
    ),
}
_PER_THREAD: Mapping[str, Callable[[ThreadIds], IntArray | int]] = {
    "gpu.lane_id": lambda ids: ids.linear % ids.wave_size,
    "gpu.subgroup_id": lambda ids: ids.linear // ids.wave_size,
    "gpu.subgroup_size": lambda ids: ids.wave_size,
    "gpu.num_subgroups": lambda ids: ids.waves,
    "rocdl.wavefrontsize": lambda ids: ids.wave_size,
    "nvvm.read.ptx.sreg.laneid": lambda ids: ids.linear % ids.wave_size,
    "nvvm.read.ptx.sreg.warpsize": lambda ids: ids.wave_size,
}
_WITH_DIMENSION: Mapping[str, str] = {
    "gpu.thread_id": "thread",
    "gpu.block_id": "workgroup",
    "gpu.block_dim": "size",
    "gpu.grid_dim": "count",
    "gpu.global_id": "global",
    "hal.interface.workgroup.id": "workgroup",
    "hal.interface.workgroup.size": "size",
    "hal.interface.workgroup.count": "count",
}
_WITH_SUFFIX: Mapping[str, str] = {
    "rocdl.workitem.id": "thread",
    "rocdl.workgroup.id": "workgroup",
    "nvvm.read.ptx.sreg.tid": "thread",
    "nvvm.read.ptx.sreg.ctaid": "workgroup",
    "nvvm.read.ptx.sreg.ntid": "size",
    "nvvm.read.ptx.sreg.nctaid": "count",
}
_BROADCASTS = frozenset({"gpu.subgroup_broadcast", "rocdl.readfirstlane"})
_FIRST_LANE = "llvm.amdgcn.readfirstlane"
_AXES = {"x": 0, "y": 1, "z": 2, "0": 0, "1": 1, "2": 2}


def quantity(op: ir.Operation) -> tuple[str, int] | None:
    """What a thread, workgroup or launch operation asks for, and along which axis.

    "thread", "workgroup" (ids), "size" (threads of a workgroup), "count" (workgroups of the
    launch) or "global"; None for any other operation.
    """
    if op.name in _WITH_DIMENSION:
        text = str(op.attributes["dimension"])
        return _WITH_DIMENSION[op.name], _AXES[text.removeprefix("#gpu.dim<")[0]]
    stem, _, axis = op.name.rpartition(".")
    return (_WITH_SUFFIX[stem], _AXES[axis]) if stem in _WITH_SUFFIX else None


def _thread_value(op: ir.Operation, ids: ThreadIds) -> IntArray | int | None:
    if op.name in _PER_THREAD:
        return _PER_THREAD[op.name](ids)
    asked = quantity(op)
    return None if asked is None else _PER_AXIS[asked[0]](ids, asked[1])


def _broadcast(
    op: ir.Operation, ids: ThreadIds, operands: Sequence[IntArray], active: BoolArray
) -> Results | None:
    known = "broadcast_type" not in op.attributes or "specific_lane" not in str(
        op.attributes["broadcast_type"]
    )
    if not known or not operands or integer_bits(op.results[0].type) is None:
        return None
    value = operands[0]
    return (value if value.ndim == 0 else first_active(value, ids, active),)
