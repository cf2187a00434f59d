"""Loads and stores: the row stays, the last index becomes ``column XOR phase(row)``."""

from __future__ import annotations

from collections.abc import Sequence

from iree.compiler import ir

from bankwise.algebra.address import Fold, RowFolds
from bankwise.change.rewrite.closed_form import ThreadValue
from bankwise.change.rewrite.emit import anchor_of, later
from bankwise.change.rewrite.group import elements
from bankwise.change.rewrite.scope import CannotRewriteError, Placed, Scope, destination_group
from bankwise.notation.padding import PaddedFold
from bankwise.read.mlir.extract import SharedAccess


def fold_index(site: SharedAccess, fold: RowFolds | PaddedFold, scope: Scope) -> None:
    """Replace the last index of a load or store by the folded one."""
    start = _start(site, fold)
    emitter = scope.emitter
    operand = scope.operands(site, destination_group(site.op))[-1]
    column = site.indices[-1]
    placed, key = (operand.of(emitter.text), anchor_of(column)), emitter.key_of(column)
    term = _thread_value(site, fold, scope)
    if term is not None:
        name, _ = scope.exclusive_or(placed, key, term, site.op)
    else:
        name, at = placed
        for part in fold.folds:
            phase, where = _phase(site, part, fold.row, start, scope)
            at, key = later(at, where), ("xor", key, phase)
            name = emitter.value(key, at, site.op, f"arith.xori {name}, {phase} : index")
    emitter.replace(operand.start, operand.end, name)


def _thread_value(
    site: SharedAccess, fold: RowFolds | PaddedFold, scope: Scope
) -> ThreadValue | None:
    """``phase(row) * unit``, if it is a simple function of one thread id in every workgroup."""
    if site.asks_workgroup:
        return None
    patterns = site.access.patterns
    values = [fold.delta(elements(p, site.access.element_bytes)) for p in patterns]
    return scope.thread_value(values, [p.active for p in patterns])


def _start(site: SharedAccess, fold: RowFolds | PaddedFold) -> int:
    """The constant start of the view, elements, if XOR of the last index is the fold.

    It is if only the last index carries chunk bits (all other steps are whole groups of chunks);
    it stays inside the view if its last dimension is whole groups too.
    """
    base = site.base
    if base is None or not base.strides or base.strides[-1] != 1:
        raise CannotRewriteError("the last index does not step through neighbouring elements")
    memref = ir.MemRefType(site.memref.type)
    if site.asks_workgroup and memref.get_strides_and_offset()[1] < 0:
        raise CannotRewriteError("the start of this view may differ from workgroup to workgroup")
    first = base.offsets[0]
    if first is None or set(base.offsets) != {first}:
        raise CannotRewriteError("the start of this view is not one constant")
    if not _whole_groups(fold, first, base.strides[:-1]):
        raise CannotRewriteError("the rows of this view do not begin at whole groups of chunks")
    size = memref.shape[-1]
    if size >= 0 and size % fold.block and size != fold.row:
        raise CannotRewriteError("the swizzled column could leave the last dimension of this view")
    return first


def _whole_groups(fold: RowFolds | PaddedFold, first: int, strides: Sequence[int]) -> bool:
    """Whether every row of a view begins at a group of chunks, a padded row at its start."""
    if isinstance(fold, PaddedFold):
        whole = not any(stride % fold.row for stride in strides)
        return whole and first % fold.row % fold.block == 0
    return not any(amount % fold.block for amount in (first, *strides))


def _phase(site: SharedAccess, part: Fold, row: int, start: int, scope: Scope) -> Placed:
    """One field of row bits, transcribed from the access's own indices. ``row``: its elements."""
    assert site.base is not None, "checked by _start"
    emitter, count = scope.emitter, len(site.indices)
    operands = scope.operands(site, destination_group(site.op))
    whole = all(s % row == 0 for s in (start, *site.base.strides[:-1]))
    if whole and 0 <= int(ir.MemRefType(site.memref.type).shape[-1]) <= row:
        count -= 1
    used = site.indices[:count]
    if not used:
        raise CannotRewriteError("the row of this access is not an index of its own")
    anchor = anchor_of(used[0])
    for index in used[1:]:
        anchor = later(anchor, anchor_of(index))
    tokens = [o.of(emitter.text) for o in operands[:count]]
    line = _phase_line(site.base.strides[:count], part, row, start, tokens)
    key = (part, row, start, *map(emitter.key_of, used))
    return emitter.value(key, anchor, site.op, line), anchor


def _phase_line(
    strides: tuple[int, ...], part: Fold, row: int, start: int, tokens: list[str]
) -> str:
    """One affine.apply; steps of whole rows are written in rows."""
    scale = row if all(s % row == 0 for s in (start, *strides)) else 1
    terms = [f"s{k} * {s // scale}" if s != scale else f"s{k}" for k, s in enumerate(strides)]
    terms += [str(start // scale)] if start else []
    names = ", ".join(f"s{k}" for k in range(len(tokens)))
    sum_text, divisor = f"({' + '.join(terms)})", part.divisor // scale
    quotient = sum_text if divisor == 1 else f"({sum_text} floordiv {divisor})"
    body = f"({quotient} mod {part.phases}) * {part.unit}"
    return f"affine.apply affine_map<()[{names}] -> ({body})>()[{', '.join(tokens)}]"
