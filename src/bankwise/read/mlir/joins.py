"""Accesses that the compiler is sure to join or to drop, seen in the source.

    memref.store %a, %lds[%t, %j]      %j1 = arith.addi %j, %c1
    memref.store %b, %lds[%t, %j1]     one store of both elements: LLVM's load/store vectorizer
    %x = memref.load %lds[%t, %j]      forwarded from the first store (early CSE, GVN)

Only what is plain to see counts: in one block, with nothing between that might touch shared memory,
wait or call; indices that are the same values but for constants. What LLVM finds beyond that (over
blocks, by arithmetic) the source does not know: ``check --isa`` does. Source: LLVM's passes
LoadStoreVectorizer, EarlyCSE and GVN; tests hold the rule against what is emitted.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
from iree.compiler import ir
from msgspec import Struct, field

from bankwise.identity import ByIdentity
from bankwise.read.mlir.extract import SharedAccess

_STORES, _LOADS = ("memref.store", "vector.store"), ("memref.load", "vector.load")
_HARMLESS = (
    *("arith.", "affine.", "math.", "vector.extract", "vector.insert", "vector.broadcast"),
    *("vector.splat", "vector.shape_cast", "vector.bitcast", "vector.from_elements"),
    *("vector.to_elements", *_STORES, *_LOADS),
)
"""What neither waits nor touches shared memory."""
_BETWEEN = ("arith.addi", "arith.muli", "arith.constant", "affine.apply", "vector.extract")
"""What may stand between stores that are joined: of values that are chosen or loaded there LLVM may
make branches, and joins nothing across them."""
_DEPTH = 16
_SHARED = "#gpu.address_space<workgroup>"


class IndexSum(Struct, frozen=True):
    """A value as a constant more than something that is compared as a whole."""

    root: Hashable
    constant: int


class Joins(Struct, frozen=True):
    """``runs``: stores of neighbouring elements, in order, by their numbers among the accesses.
    ``repeated``: loads whose bytes the same thread stored or loaded before, with the number of that
    access."""

    runs: tuple[tuple[int, ...], ...]
    repeated: Mapping[int, int]


class _SharedPlace(ByIdentity, frozen=True, eq=False):
    """Where an access of ``width`` bytes starts: ``bytes`` behind something that all of equal
    ``root`` share."""

    number: int
    site: SharedAccess
    root: Hashable
    bytes: int
    width: int


class _BlockWalk(Struct):
    """What is known while one block is walked through."""

    runs: list[list[_SharedPlace]] = field(default_factory=list)
    repeated: dict[int, int] = field(default_factory=dict)
    known: list[_SharedPlace] = field(default_factory=list)
    open: bool = False

    def stop(self) -> None:
        """Something that nobody looks into: what was known may have changed."""
        self.known.clear()
        self.open = False


def joins(accesses: Sequence[SharedAccess]) -> Joins:
    """What the compiler joins and drops of the accesses of one kernel, in their order."""
    found: dict[ir.Operation, list[int]] = {}
    blocks: list[ir.Block] = []
    for number, site in enumerate(accesses):
        found.setdefault(site.op.operation, []).append(number)
        if site.op.block not in blocks:
            blocks.append(site.op.block)
    walk = _BlockWalk()
    for block in blocks:
        walk.stop()
        for op in block.operations:
            _step(walk, op.operation, accesses, found.get(op.operation, []))
    runs = tuple(tuple(p.number for p in run) for run in walk.runs if len(run) > 1)
    return Joins(runs, walk.repeated)


def _step(
    walk: _BlockWalk, op: ir.Operation, accesses: Sequence[SharedAccess], numbers: Sequence[int]
) -> None:
    if not numbers and op.name.startswith(_HARMLESS) and not _touches_shared(op):
        walk.open &= op.name.startswith(_BETWEEN)
        return
    place = _place(accesses[numbers[0]], numbers[0]) if len(numbers) == 1 else None
    if place is None or op.name not in (*_STORES, *_LOADS):
        walk.stop()
    elif op.name in _STORES:
        _store(walk, place)
    else:
        walk.open = False
        _load(walk, place)


def _store(walk: _BlockWalk, place: _SharedPlace) -> None:
    if walk.open and _follows(walk.runs[-1], place) and not _chosen(place.site.op):
        walk.runs[-1].append(place)
    else:
        walk.runs.append([place])
    walk.open = True
    walk.known = [old for old in walk.known if _apart(old, place)]
    walk.known.append(place)


def _load(walk: _BlockWalk, place: _SharedPlace) -> None:
    for old in walk.known:
        # Roots hold values of MLIR, which are slow to compare.
        same = (old.bytes, old.width) == (place.bytes, place.width) and old.root == place.root
        if same and _alike(old.site, place.site, 0):
            walk.repeated[place.number] = old.number
            return
    walk.known.append(place)


def _follows(run: Sequence[_SharedPlace], place: _SharedPlace) -> bool:
    """Whether a store goes on where a run of stores ends, for all lanes, in all executions."""
    first = run[0]
    ahead = sum(one.width for one in run)
    if (place.root, place.width, place.bytes) != (first.root, first.width, first.bytes + ahead):
        return False
    return _alike(first.site, place.site, ahead)


def _chosen(op: ir.Operation) -> bool:
    """Whether what is stored is a choice."""
    value = op.operands[0].owner
    return not isinstance(value, ir.Block) and value.operation.name == "arith.select"


def _alike(one: SharedAccess, other: SharedAccess, ahead: int) -> bool:
    """Whether ``other`` runs as ``one`` does, ``ahead`` bytes further: what was followed agrees."""
    pairs = list(zip(one.access.patterns, other.access.patterns, strict=False))
    same = len(one.access.patterns) == len(other.access.patterns) == len(pairs)
    return same and all(
        (a.executions, a.allocation) == (b.executions, b.allocation)
        and np.array_equal(a.active, b.active)
        and bool(((b.offsets_bytes - a.offsets_bytes)[a.active] == ahead).all())
        for a, b in pairs
    )


def _apart(one: _SharedPlace, other: _SharedPlace) -> bool:
    """Whether two places of one thread are sure not to overlap."""
    if one.root != other.root:
        return False
    return one.bytes + one.width <= other.bytes or other.bytes + other.width <= one.bytes


def _place(site: SharedAccess, number: int) -> _SharedPlace | None:
    if site.base is None or site.access.kind != "plain" or len(site.indices) == 0:
        return None
    sums = [split(index) for index in site.indices]
    elements = sum(s.constant * step for s, step in zip(sums, site.base.strides, strict=True))
    root = (site.memref, *(s.root for s in sums))
    first = elements * site.base.element_bytes
    return _SharedPlace(number, site, root, first, site.access.width_bytes)


def _touches_shared(op: ir.Operation) -> bool:
    return any(_SHARED in str(value.type) for value in (*op.operands, *op.results))


def split(value: ir.Value, depth: int = _DEPTH) -> IndexSum:
    """A value as a root and a constant; values of equal roots differ by their constants."""
    op = value.owner
    if isinstance(op, ir.Block) or not depth:
        return IndexSum(value, 0)
    name, operands = op.operation.name, list(op.operands)
    if name == "arith.constant" and isinstance(op.attributes["value"], ir.IntegerAttr):
        return IndexSum("constant", int(ir.IntegerAttr(op.attributes["value"]).value))
    if name == "arith.addi":
        a, b = (split(operand, depth - 1) for operand in operands)
        constant = next((x for x in (b, a) if x.root == "constant"), None)
        other = a if constant is b else b
        return IndexSum(value, 0) if constant is None else _more(other, constant.constant)
    if name == "affine.apply":
        return _applied(op.operation, depth - 1)
    return IndexSum(value, 0)


def _more(found: IndexSum, constant: int) -> IndexSum:
    return IndexSum(found.root, found.constant + constant)


def _applied(op: ir.Operation, depth: int) -> IndexSum:
    """``affine.apply``: its expression on its operands, less a constant that is added last."""
    applied = ir.AffineMapAttr(op.attributes["map"]).value
    expression, constant = applied.results[0], 0
    if isinstance(expression, ir.AffineAddExpr) and isinstance(
        expression.rhs, ir.AffineConstantExpr
    ):
        expression, constant = expression.lhs, expression.rhs.value
    if isinstance(expression, ir.AffineDimExpr):
        return _more(split(op.operands[expression.position], depth), constant)
    if isinstance(expression, ir.AffineSymbolExpr):
        place = applied.n_dims + expression.position
        return _more(split(op.operands[place], depth), constant)
    return IndexSum(("affine.apply", str(expression), *op.operands), constant)
