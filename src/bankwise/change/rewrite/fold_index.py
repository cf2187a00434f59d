"""Loads and stores: the row stays, the last index becomes ``column XOR phase(row)``.

A fold of several rows together moves rows, too: each index gets the part of the phase that lies in
its own bits.

Where the phase comes from can be written in three ways. Each is a proposal: it is right for what
was looked at, and :mod:`bankwise.change.prove` says whether it is right everywhere.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from math import lcm
from typing import Literal

from iree.compiler import ir
from msgspec import Struct

from bankwise.algebra.address import Fold, RowFolds
from bankwise.change.rewrite.closed_form import ThreadValue
from bankwise.change.rewrite.emit import Anchor, anchor_of, later
from bankwise.change.rewrite.group import elements
from bankwise.change.rewrite.scope import CannotRewriteError, Placed, Scope, destination_group
from bankwise.notation.padding import PaddedFold
from bankwise.read.mlir.extract import SharedAccess

RowStyle = Literal["thread", "row", "offset"]
"""Where a phase comes from, the shortest text first: a closed form of one thread id; the indices of
the row, as the access has them; its whole offset, the last index too, which needs no range."""

ROW_STYLES: tuple[RowStyle, ...] = ("thread", "row", "offset")


def fold_index(
    site: SharedAccess,
    fold: RowFolds | PaddedFold,
    scope: Scope,
    style: RowStyle,
    lead: SharedAccess | None = None,
) -> None:
    """Replace the last index of a load or store by the folded one, and others that the fold moves.

    ``lead``: an earlier store of the same row that it stays a neighbour of. Its folded index more
    the distance is what compilers see to be a neighbour; of another XOR they do not.
    """
    operands = scope.operands(site, destination_group(site.op))
    source = site if lead is None else lead
    for part in _by_index(source, fold):
        name, at, key = _folded(source, part, scope, style)
        if lead is not None and part.axis == len(operands) - 1:
            ahead, emitter = _distance(site, lead), scope.emitter
            line = f"arith.constant {ahead} : index"
            constant = emitter.value(("constant", ahead), at, site.op, line)
            line = f"arith.addi {name}, {constant} overflow<nsw> : index"
            name = emitter.value(("ahead", key, ahead), at, site.op, line)
        operand = operands[part.axis]
        scope.emitter.replace(operand.start, operand.end, name)


class _IndexFold(Struct, frozen=True):
    """What a fold does to one index, of number ``axis``, whose steps are ``stride`` elements."""

    axis: int
    stride: int
    fold: RowFolds | PaddedFold


def _by_index(site: SharedAccess, fold: RowFolds | PaddedFold) -> list[_IndexFold]:
    """The indices that a fold moves, the last one first."""
    base = site.base
    if base is None or not base.strides or base.strides[-1] != 1:
        raise CannotRewriteError("the last index does not step through neighbouring elements")
    last = len(base.strides) - 1
    if isinstance(fold, PaddedFold) or fold.block <= fold.row <= base.strides[max(last - 1, 0)]:
        return [_IndexFold(last, 1, fold)]
    found: list[_IndexFold] = []
    low, rest = 1, fold.folds
    for axis in range(last, -1, -1):
        high = base.strides[axis - 1] if axis else 0
        own, rest = _split(rest, high)
        if own:
            found.append(_IndexFold(axis, low, RowFolds(fold.row, own)))
        low = high
    return found


def _split(folds: Sequence[Fold], high: int) -> tuple[tuple[Fold, ...], tuple[Fold, ...]]:
    """What folds move below ``high`` elements (0: no end), and from there on."""
    own: list[Fold] = []
    rest: list[Fold] = []
    for fold in folds:
        if not high or fold.block <= high:
            own.append(fold)
        elif fold.unit >= high:
            rest.append(fold)
        else:
            phases = high // fold.unit
            if high % fold.unit or fold.phases % phases:
                raise CannotRewriteError("the rows of this view are no power of two")
            own.append(Fold(fold.divisor, fold.unit, phases))
            rest.append(Fold(fold.divisor * phases, high, fold.phases // phases))
    return tuple(own), tuple(rest)


def _distance(site: SharedAccess, lead: SharedAccess) -> int:
    """Elements from ``lead`` to ``site``, in one row."""
    if site.memref != lead.memref or list(site.indices[:-1]) != list(lead.indices[:-1]):
        raise CannotRewriteError("its neighbour is in another row")
    ours, theirs = (each.access.patterns[0] for each in (site, lead))
    ahead = (ours.offsets_bytes - theirs.offsets_bytes)[ours.active]
    return int(ahead[0]) // site.access.element_bytes


def _folded(
    site: SharedAccess, part: _IndexFold, scope: Scope, style: RowStyle
) -> tuple[str, Anchor, Hashable]:
    """The folded index of an access: its name, from where on it may be used, its key."""
    start = _start(site, part)
    emitter = scope.emitter
    operand = scope.operands(site, destination_group(site.op))[part.axis]
    column = site.indices[part.axis]
    placed, key = (operand.of(emitter.text), anchor_of(column)), emitter.key_of(column)
    if style == "thread":
        for term in thread_terms(site, part.fold, scope):
            own = term.divided(part.stride)
            assert own is not None, "all of it lies in the bits of this index"
            placed = scope.exclusive_or(placed, key, own, site.op)
            key = ("xor", key, placed[0])
        return (*placed, key)
    name, at = placed
    for fold in part.fold.folds:
        phase, where = _phase(site, fold, part, start, scope, style)
        at, key = later(at, where), ("xor", key, phase)
        name = emitter.value(key, at, site.op, f"arith.xori {name}, {phase} : index")
    return name, at, key


def thread_terms(
    site: SharedAccess, fold: RowFolds | PaddedFold, scope: Scope
) -> tuple[ThreadValue, ...]:
    """``phase(row) * unit`` as simple functions of thread ids to be XORed, one if that will do."""
    patterns = site.access.patterns
    if not patterns:
        raise CannotRewriteError("what it touches is not known")
    slots = [elements(p, site.access.element_bytes) for p in patterns]
    active = [p.active for p in patterns]
    whole = scope.thread_values([fold.delta(s) for s in slots], active)
    if whole:
        return whole
    parts = [scope.thread_values([f.delta(s) for s in slots], active) for f in fold.folds]
    if not all(parts):
        raise CannotRewriteError("its rows are no simple function of thread ids")
    return tuple(term for part in parts for term in part)


def _start(site: SharedAccess, part: _IndexFold) -> int:
    """The constant start of the view, elements, if XOR of an index is what the fold does to it.

    It is if no index before it, and no start, carries bits that are moved (all other steps are
    whole groups of chunks); it stays inside the view if its dimension is whole groups too. Of
    several starts (stages) one stands for all, if they see the same phases.
    """
    base, fold = site.base, part.fold
    assert base is not None, "checked by _by_index"
    first = _common(base.offsets, fold)
    if first is None:
        raise CannotRewriteError("the start of this view is not one constant")
    if not _whole_groups(fold, first, base.strides[: part.axis]):
        raise CannotRewriteError("the rows of this view do not begin at whole groups of chunks")
    size = ir.MemRefType(site.memref.type).shape[part.axis]
    if size >= 0 and size * part.stride % fold.block and size != fold.row:
        raise CannotRewriteError("the swizzled column could leave the last dimension of this view")
    return first


def _common(starts: Iterable[int | None], fold: RowFolds | PaddedFold) -> int | None:
    """One start for all of them: the only one, or what is left modulo the period of the fold."""
    found = set(starts)
    known = [start for start in found if start is not None]
    if len(known) < len(found) or not known:
        return None
    if len(known) == 1:
        return known[0]
    period = lcm(fold.row, fold.block, *(f.divisor * f.phases for f in fold.folds))
    (rest, *others) = {start % period for start in known}
    return None if others else rest


def _whole_groups(fold: RowFolds | PaddedFold, first: int, strides: Sequence[int]) -> bool:
    """Whether every row of a view begins at a group of chunks, a padded row at its start."""
    if isinstance(fold, PaddedFold):
        whole = not any(stride % fold.row for stride in strides)
        return whole and first % fold.row % fold.block == 0
    return not any(amount % fold.block for amount in (first, *strides))


def _phase(
    site: SharedAccess, fold: Fold, part: _IndexFold, start: int, scope: Scope, style: RowStyle
) -> Placed:
    """One field of row bits, transcribed from the access's own indices."""
    assert site.base is not None, "checked by _by_index"
    emitter, strides = scope.emitter, site.base.strides
    count, row = len(strides), min((part.fold.row, *strides[-2:-1]))
    operands = scope.operands(site, destination_group(site.op))
    if style == "row":
        whole = all(s % row == 0 for s in (start, *strides[:-1]))
        if not whole or not 0 <= int(ir.MemRefType(site.memref.type).shape[-1]) <= row:
            raise CannotRewriteError("the row of this access is not an index of its own")
        count -= 1
    used = site.indices[:count]
    if not used:
        raise CannotRewriteError("the row of this access is not an index of its own")
    anchor = anchor_of(used[0])
    for index in used[1:]:
        anchor = later(anchor, anchor_of(index))
    tokens = [o.of(emitter.text) for o in operands[:count]]
    own = Fold(fold.divisor, fold.unit // part.stride, fold.phases)
    line = _phase_line(strides[:count], own, row, start, tokens)
    key = (own, row, start, *map(emitter.key_of, used))
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
