"""What a small function of MLIR does, for comparing two texts of it: a judge of its own.

:func:`traces` runs every function of a text on a few sets of arguments and says, element by
element, what it loads, what it leaves where, and what it returns. Values that only the caller knows
are tokens. Nothing of bankwise takes part: a pass and its judge share no code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

from iree.compiler import ir

SAMPLES = (0, 16, 64, 1040, 4128)
"""What an index argument is, in turn: multiples of every group of the battery."""

LANES = (0, 1, 5, 31, 63)
"""Of these lanes copies and ids are looked at."""

Token = tuple[Any, ...]
Effect = tuple[Any, ...]


class UnknownError(Exception):
    """An operation that is not evaluated here."""


@dataclass(frozen=True)
class Place:
    """A memref: its allocation or argument, and the window on it, in elements."""

    root: Token
    offset: int
    strides: tuple[int, ...]

    def element(self, indices: Sequence[int]) -> int:
        return self.offset + sum(i * s for i, s in zip(indices, self.strides, strict=True))


@dataclass
class Run:
    """One execution: what is known of values, and what was seen."""

    lane: int
    sample: int
    values: dict[Any, Any] = field(default_factory=dict)
    seen: list[Effect] = field(default_factory=list)
    allocations: int = 0

    def of(self, value: ir.Value) -> Any:
        if value not in self.values:
            raise UnknownError(f"the value of {value.owner.name} is not known")
        return self.values[value]


def traces(text: str) -> Mapping[str, object]:
    """What every function does, by name; a string says why that is not known."""
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(text)
        return {_name(op): _trace(op) for op in _functions(module.operation)}


def _functions(root: ir.Operation) -> Iterator[ir.Operation]:
    for region in root.regions:
        for block in region.blocks:
            for op in block.operations:
                if op.operation.name == "func.func":
                    yield op.operation
                elif op.operation.regions:
                    yield from _functions(op.operation)


def _name(function: ir.Operation) -> str:
    return str(ir.StringAttr(function.attributes["sym_name"]).value)


def _trace(function: ir.Operation) -> object:
    try:
        return tuple(_executed(function, lane, sample) for lane, sample in product(LANES, SAMPLES))
    except UnknownError as error:
        return f"not evaluated: {error}"


def _executed(function: ir.Operation, lane: int, sample: int) -> object:
    run = Run(lane, sample)
    block = function.regions[0].blocks[0]
    for argument in block.arguments:
        run.values[argument] = _argument(argument, sample)
    returned = _block(block, run)
    return tuple(sorted(map(repr, run.seen))), repr(returned)


def _argument(argument: ir.BlockArgument, sample: int) -> object:
    of, number = argument.type, argument.arg_number
    if isinstance(of, ir.MemRefType):
        return Place(("argument", number), 0, _strides(of))
    if isinstance(of, ir.VectorType):
        return tuple(("argument", number, n) for n in range(prod(of.shape)))
    return sample + 16 * number if isinstance(of, ir.IndexType) else ("argument", number)


def _strides(of: ir.MemRefType) -> tuple[int, ...]:
    strides, _ = of.get_strides_and_offset()
    if any(stride < 0 for stride in strides):
        raise UnknownError(f"the strides of {of}")
    return tuple(strides)


def _block(block: ir.Block, run: Run) -> object:
    for view in block.operations:
        op = view.operation
        if op.name in ("func.return", "scf.yield", "scf.forall.in_parallel"):
            return tuple(run.of(value) for value in op.operands)
        results = _operation(op, run)
        for value, found in zip(op.results, results, strict=True):
            run.values[value] = found
    return ()


def _operation(op: ir.Operation, run: Run) -> Sequence[object]:
    name = op.name
    if name == "scf.for":
        return _loop(op, run)
    if name == "scf.forall":
        (argument,) = op.regions[0].blocks[0].arguments
        run.values[argument] = run.lane
        _block(op.regions[0].blocks[0], run)
        return ()
    if name in _SILENT:
        return ()
    known = _OPERATIONS.get(name)
    if known is None:
        raise UnknownError(name)
    return known(op, [run.of(value) for value in op.operands], run)


_SILENT = frozenset({"gpu.barrier", "memref.dealloc", "amdgpu.lds_barrier"})


def _loop(op: ir.Operation, run: Run) -> Sequence[object]:
    low, high, step, *carried = (run.of(value) for value in op.operands)
    body = op.regions[0].blocks[0]
    for number in range(low, high, step):
        for argument, value in zip(body.arguments, (number, *carried), strict=True):
            run.values[argument] = value
        found = _block(body, run)
        assert isinstance(found, tuple)
        carried = list(found)
    return carried


def _constant(op: ir.Operation, _: Sequence[Any], run: Run) -> Sequence[object]:
    attribute, of = op.attributes["value"], op.results[0].type
    if isinstance(of, ir.VectorType):
        return [tuple(("constant", str(attribute)) for _ in range(prod(of.shape)))]
    if isinstance(attribute, ir.IntegerAttr):
        return [int(attribute.value)]
    return [("constant", str(attribute))]


def _vector(op: ir.Operation) -> ir.VectorType:
    value = op.results[0] if len(op.results) else op.operands[0]
    return ir.VectorType(value.type)


def _reads(place: Place, indices: Sequence[int], of: ir.VectorType) -> list[int]:
    """The elements of a vector that begins at ``indices``: its dimensions are the last ones."""
    outer = len(indices) - of.rank
    steps = product(*(range(size) for size in of.shape))
    moved = ((*[0] * outer, *step) for step in steps)
    return [place.element([i + d for i, d in zip(indices, more, strict=True)]) for more in moved]


def _load(op: ir.Operation, operands: Sequence[Any], run: Run) -> Sequence[object]:
    place, *indices = operands
    if op.name == "vector.transfer_read":
        indices = indices[:-1]
    found = [(place.root, at) for at in _reads(place, indices, _vector(op))]
    run.seen += [("load", *each) for each in found]
    return [tuple(found)]


def _store(op: ir.Operation, operands: Sequence[Any], run: Run) -> Sequence[object]:
    value, place, *indices = operands
    elements = _reads(place, indices, _vector(op))
    stored = zip(elements, value, strict=True)
    run.seen += [("store", place.root, at, token) for at, token in stored]
    return []


def _copy(op: ir.Operation, operands: Sequence[Any], run: Run) -> Sequence[object]:
    """A lane's part of a copy to shared memory: it lands where the lane stands."""
    width = prod(ir.VectorType(ir.TypeAttr(op.attributes["transferType"]).value).shape)
    segments = [int(n) for n in op.attributes["operandSegmentSizes"]]
    source, *rest = operands
    first = rest[: segments[1]]
    target, *second = rest[segments[1] :]
    taken, put = source.element(first), target.element(second) + run.lane * width
    pairs = ((target.root, put + n, source.root, taken + n) for n in range(width))
    run.seen += [("copy", *pair) for pair in pairs]
    return []


def _allocated(op: ir.Operation, _: Sequence[Any], run: Run) -> Sequence[object]:
    run.allocations += 1
    return [Place(("allocation", run.allocations), 0, _strides(ir.MemRefType(op.results[0].type)))]


def _subview(op: ir.Operation, operands: Sequence[Any], run: Run) -> Sequence[object]:
    source, *amounts = operands
    left = iter(amounts)
    dynamic = -(2**63)
    offsets, sizes, strides = (
        [int(next(left)) if n == dynamic else int(n) for n in op.attributes[f"static_{word}"]]
        for word in ("offsets", "sizes", "strides")
    )
    steps = [s * t for s, t in zip(source.strides, strides, strict=True)]
    rank = ir.MemRefType(op.results[0].type).rank
    kept = [n for n, size in enumerate(sizes) if size != 1] if rank < len(sizes) else range(rank)
    return [Place(source.root, source.element(offsets), tuple(steps[n] for n in kept))]


def _reshaped(op: ir.Operation, operands: Sequence[Any], run: Run) -> Sequence[object]:
    """Another shape of the same elements: the strides stand in the type."""
    source = operands[0]
    return [Place(source.root, source.offset, _strides(ir.MemRefType(op.results[0].type)))]


def _extract(op: ir.Operation, operands: Sequence[Any], run: Run) -> Sequence[object]:
    (start,), (size,), _ = ([int(n.value) for n in op.attributes[w]] for w in _SLICE)
    return [operands[0][start : start + size]]


def _insert(op: ir.Operation, operands: Sequence[Any], run: Run) -> Sequence[object]:
    piece, whole = operands
    (start,) = (int(n.value) for n in op.attributes["offsets"])
    return [(*whole[:start], *piece, *whole[start + len(piece) :])]


_SLICE = ("offsets", "sizes", "strides")


def _apply(op: ir.Operation, operands: Sequence[Any], run: Run) -> Sequence[object]:
    of = ir.AffineMapAttr(op.attributes["map"]).value
    dims, symbols = operands[: of.n_dims], operands[of.n_dims :]
    return [_affine(expression, dims, symbols) for expression in of.results]


def _affine(expression: ir.AffineExpr, dims: Sequence[int], symbols: Sequence[int]) -> int:
    if isinstance(expression, ir.AffineConstantExpr):
        return int(expression.value)
    if isinstance(expression, ir.AffineDimExpr):
        return dims[expression.position]
    if isinstance(expression, ir.AffineSymbolExpr):
        return symbols[expression.position]
    left = _affine(expression.lhs, dims, symbols)
    right = _affine(expression.rhs, dims, symbols)
    return _AFFINE[type(expression)](left, right)


_AFFINE: dict[Any, Callable[[int, int], int]] = {
    ir.AffineAddExpr: lambda a, b: a + b,
    ir.AffineMulExpr: lambda a, b: a * b,
    ir.AffineModExpr: lambda a, b: a % b,
    ir.AffineFloorDivExpr: lambda a, b: a // b,
    ir.AffineCeilDivExpr: lambda a, b: -(-a // b),
}
_INTEGERS: dict[str, Callable[[int, int], int]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "divui": lambda a, b: a // b,
    "remui": lambda a, b: a % b,
    "xori": lambda a, b: a ^ b,
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "shli": lambda a, b: a << b,
    "shrui": lambda a, b: a >> b,
}


def _integer(op: ir.Operation, operands: Sequence[Any], run: Run) -> Sequence[object]:
    return [_INTEGERS[op.name.removeprefix("arith.")](*operands)]


def _basis(op: ir.Operation) -> list[int]:
    return [int(n) for n in op.attributes["static_basis"]]


def _delinearized(op: ir.Operation, operands: Sequence[Any], run: Run) -> Sequence[object]:
    rest, found = operands[0], list[int]()
    basis = _basis(op)
    inner = basis[1:] if len(basis) == len(op.results) else basis
    for size in reversed(inner):
        found.append(rest % size)
        rest //= size
    return [rest, *reversed(found)]


def _linearized(op: ir.Operation, operands: Sequence[Any], run: Run) -> Sequence[object]:
    basis, total = _basis(op), 0
    inner = basis[1:] if len(basis) == len(operands) else basis
    for number, index in enumerate(operands):
        total = index if number == 0 else total * inner[number - 1] + index
    return [total]


_OPERATIONS: dict[str, Callable[[ir.Operation, Sequence[Any], Run], Sequence[object]]] = {
    "arith.constant": _constant,
    "ub.poison": lambda op, _, run: [
        (("poison",),) * prod(getattr(op.results[0].type, "shape", []))
    ],
    "affine.apply": _apply,
    "affine.delinearize_index": _delinearized,
    "affine.linearize_index": _linearized,
    **{f"arith.{name}": _integer for name in _INTEGERS},
    **dict.fromkeys(("vector.load", "vector.transfer_read"), _load),
    **dict.fromkeys(("vector.store", "vector.transfer_write"), _store),
    "vector.extract_strided_slice": _extract,
    "vector.insert_strided_slice": _insert,
    "amdgpu.gather_to_lds": _copy,
    **dict.fromkeys(("memref.alloc", "memref.alloca"), _allocated),
    "memref.subview": _subview,
    **dict.fromkeys(("memref.expand_shape", "memref.collapse_shape", "memref.cast"), _reshaped),
    "iree_codegen.swizzle_hint": lambda op, operands, run: [operands[0]],
    **dict.fromkeys(("gpu.thread_id", "gpu.lane_id"), lambda op, _, run: [run.lane]),
    "gpu.subgroup_broadcast": lambda op, operands, run: [operands[0]],
}
