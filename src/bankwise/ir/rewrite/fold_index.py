"""Loads and stores: the row stays, the last index becomes ``column XOR phase(row)``."""

from __future__ import annotations

from iree.compiler import ir

from bankwise.address import XorFold
from bankwise.ir.extract import SharedAccess
from bankwise.ir.rewrite.emit import anchor_of, later
from bankwise.ir.rewrite.plan import elements
from bankwise.ir.rewrite.scope import CannotRewriteError, Placed, Scope, destination_group


def fold_index(site: SharedAccess, fold: XorFold, scope: Scope) -> None:
    """Replace the last index of a load or store by the folded one."""
    start = _start(site, fold)
    phase, at = _phase(site, fold, start, scope)
    emitter = scope.emitter
    operand = scope.operands(site, destination_group(site.op))[-1]
    column = site.indices[-1]
    key = ("xor", emitter.key_of(column), phase)
    line = f"arith.xori {operand.of(emitter.text)}, {phase} : index"
    name = emitter.value(key, later(anchor_of(column), at), site.op, line)
    emitter.replace(operand.start, operand.end, name)


def _start(site: SharedAccess, fold: XorFold) -> int:
    """The constant start of the view, elements, if XOR of the last index is the fold.

    It is if only the last index carries chunk bits (all other steps are whole groups of chunks);
    it stays inside the view if its last dimension is whole groups too.
    """
    base = site.base
    if base is None or not base.strides or base.strides[-1] != 1:
        raise CannotRewriteError("the last index does not step through neighbouring elements")
    first = base.offsets[0]
    if first is None or set(base.offsets) != {first}:
        raise CannotRewriteError("the start of this view is not one constant")
    if any(amount % fold.width for amount in (first, *base.strides[:-1])):
        raise CannotRewriteError("the rows of this view do not begin at whole groups of chunks")
    size = ir.MemRefType(site.memref.type).shape[-1]
    if size >= 0 and size % fold.width:
        raise CannotRewriteError("the swizzled column could leave the last dimension of this view")
    return first


def _phase(site: SharedAccess, fold: XorFold, start: int, scope: Scope) -> Placed:
    """``phase(row) * unit`` of every thread."""
    patterns = site.access.patterns
    values = [fold.phase(elements(p, site.access.element_bytes)) * fold.unit for p in patterns]
    form = scope.closed(values, [p.active for p in patterns])
    if form is not None:
        return scope.write(form, site.op)
    emitter = scope.emitter
    operands = scope.operands(site, destination_group(site.op))
    anchor = anchor_of(site.indices[0])
    for index in site.indices[1:]:
        anchor = later(anchor, anchor_of(index))
    line = _phase_line(site, fold, start, [o.of(emitter.text) for o in operands])
    key = (fold, start, *map(emitter.key_of, site.indices))
    return emitter.value(key, anchor, site.op, line), anchor


def _phase_line(site: SharedAccess, fold: XorFold, start: int, tokens: list[str]) -> str:
    """``phase(row) * unit`` transcribed from the access's own indices."""
    assert site.base is not None, "checked by _start"
    terms = [f"s{k} * {s}" if s != 1 else f"s{k}" for k, s in enumerate(site.base.strides)]
    terms += [str(start)] if start else []
    names = ", ".join(f"s{k}" for k in range(len(tokens)))
    step = fold.stride * fold.per_phase
    body = f"((({' + '.join(terms)}) floordiv {step}) mod {fold.period}) * {fold.unit}"
    return f"affine.apply affine_map<()[{names}] -> ({body})>()[{', '.join(tokens)}]"
