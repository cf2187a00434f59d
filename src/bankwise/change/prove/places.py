"""Where a memref of workgroup memory begins in its allocation, as an affine form.

    element = start + sum of index_i * stride_i

Strides are those of the memref's own type; of subviews only the start is followed, and a
reinterpret_cast counts from where the buffer itself begins. A memref that goes round a loop, or is
one of several, begins where all that it can be begin; if these are stages of a buffer, at an
unknown multiple of what all of their starts are multiples of.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from iree.compiler import ir

from bankwise.change.prove.evaluate import FormEvaluator
from bankwise.change.prove.forms import (
    AffineForm,
    added,
    constant,
    floored,
    power_of_two_in,
    scaled,
    span,
)
from bankwise.read.mlir.graph import ALLOCATORS
from bankwise.read.mlir.pools import part_of

_DYNAMIC = -(2**63)
_SAME_START = frozenset(
    {
        *("memref.cast", "memref.memory_space_cast", "memref.assume_alignment"),
        *("memref.expand_shape", "memref.collapse_shape", "memref.transpose"),
    }
)
_SAME_BASE = frozenset(
    {"memref.subview", "memref.reinterpret_cast", "memref.extract_strided_metadata"}
)
Incoming = Mapping[ir.Value, tuple[ir.Value, ...]]
"""See :attr:`bankwise.change.prove.storage.StorageClass.incoming`."""


class PlaceError(Exception):
    """Where a memref begins, or how it steps, is not known; the message says why."""


def begins(op: ir.Operation) -> bool:
    """Whether the result of an operation is an allocation, or a part of a byte pool, as a whole."""
    return op.name in ALLOCATORS or part_of(op) is not None


def elements_of(value: ir.Value) -> int:
    """Elements of an allocation that is row-major, without gaps, of a known size."""
    of = value.type
    strides = strides_of(value)
    if _DYNAMIC in of.shape or int(of.get_strides_and_offset()[1]) != 0:
        raise PlaceError(f"the size of {of} is not known")
    if strides != tuple(prod(of.shape[d + 1 :]) for d in range(of.rank)):
        raise PlaceError(f"{of} is not row-major")
    return int(prod(of.shape))


def strides_of(value: ir.Value) -> tuple[int, ...]:
    """The strides of a memref, elements."""
    try:
        strides = tuple(int(s) for s in value.type.get_strides_and_offset()[0])
    except RuntimeError as error:
        raise PlaceError(f"the layout of {value.type} is not strided") from error
    if _DYNAMIC in strides:
        raise PlaceError(f"{value.type} has no constant strides")
    return strides


def start_of(
    value: ir.Value, evaluator: FormEvaluator, incoming: Incoming, around: tuple[ir.Value, ...] = ()
) -> AffineForm:
    """The element of its allocation at which a memref begins; ``around``: who asks for it."""
    if value in around:
        raise PlaceError("its start moves on in every round of a loop")
    around = (*around, value)
    starts = [_start(each, evaluator, incoming, around) for each in _sources(value, incoming)]
    if len({start.key for start in starts}) == 1:
        return starts[0]
    return _one_of(value, starts, evaluator)


def _one_of(value: ir.Value, starts: list[AffineForm], evaluator: FormEvaluator) -> AffineForm:
    """Where one of several views begins: a multiple of what all starts are multiples of.

    Both texts share it where it can begin at the same places, in the same order: which view it is
    they decide alike.
    """
    size = min(power_of_two_in(start) for start in starts)
    ends = tuple(zip(*map(span, starts), strict=True))
    number = evaluator.numbering.of(value)
    if number < 0 or size < 2:
        raise PlaceError("it is one of several views, which begin at different places")
    key = ("starts", number, *(start.key for start in starts))
    low, high = floored(min(ends[0]), size), floored(max(ends[1]), size)
    return scaled(evaluator.table.leaf(key, low, high), size)


def _sources(value: ir.Value, incoming: Incoming) -> list[ir.Value]:
    """The values, no loop argument or selection any more, that a memref can be."""
    waiting, seen, found = [value], set(), []
    while waiting:
        each = waiting.pop()
        if each in seen:
            continue
        seen.add(each)
        if each in incoming:
            waiting.extend(incoming[each])
        else:
            found.append(each)
    return found


def _start(
    value: ir.Value, evaluator: FormEvaluator, incoming: Incoming, around: tuple[ir.Value, ...]
) -> AffineForm:
    if isinstance(value.owner, ir.Block):
        return constant(0)
    op = value.owner.operation
    if begins(op):
        return constant(0)
    source = op.operands[0]
    if op.name in _SAME_START:
        return start_of(source, evaluator, incoming, around)
    if op.name == "memref.subview":
        return added(start_of(source, evaluator, incoming, around), _ahead(op, evaluator))
    if op.name == "memref.extract_strided_metadata":
        _check_base(source, incoming, around)
        return constant(0)
    if op.name == "memref.reinterpret_cast":
        _check_base(source, incoming, around)
        offset = op.attributes["static_offsets"][0]
        return evaluator.value(op.operands[1]) if offset == _DYNAMIC else constant(int(offset))
    raise PlaceError(f"where {op.name} begins is not followed")


def _ahead(op: ir.Operation, evaluator: FormEvaluator) -> AffineForm:
    """The elements from the start of a memref to the start of its subview."""
    dynamic = iter(list(op.operands)[1:])
    total = constant(0)
    strides = strides_of(op.operands[0])
    for offset, stride in zip(op.attributes["static_offsets"], strides, strict=True):
        by = evaluator.value(next(dynamic)) if offset == _DYNAMIC else constant(int(offset))
        total = added(total, scaled(by, stride))
    return total


def _check_base(value: ir.Value, incoming: Incoming, around: tuple[ir.Value, ...]) -> None:
    """Raise :class:`PlaceError` unless the buffer of a memref begins where its allocation does."""
    if value in around:
        return
    for each in _sources(value, incoming):
        if isinstance(each.owner, ir.Block) or begins(each.owner.operation):
            continue
        op = each.owner.operation
        if op.name not in (*_SAME_START, *_SAME_BASE):
            raise PlaceError(f"where {op.name} begins is not followed")
        _check_base(op.operands[0], incoming, (*around, each))
