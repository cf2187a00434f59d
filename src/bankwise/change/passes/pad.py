"""*pad*: rows made longer, so that they begin on different banks. The fallback of *decide*.

    %a = memref.alloc() : memref<64x128xf16, ..>
    vector.store %v, %a[%i, %j] : memref<64x128xf16, ..>, vector<8xf16>
      ->
    %a_padded = memref.alloc() : memref<64x136xf16, ..>
    %a = memref.subview %a_padded[0, 0] [64, 128] [1, 1]
           : .. to memref<64x128xf16, strided<[136, 1]>, ..>
    vector.store %v, %a[%i, %j] : memref<64x128xf16, strided<[136, 1]>, ..>, vector<8xf16>

Every padding in question is counted with the instructions that it leads to: rows that are only
8-byte aligned turn each 16-byte access into a pair of 8-byte ones. The fewest passes win, then the
fewest accesses (a pair counts as two), then the fewest bytes. Never padded: what has no conflict,
carries a hint, is filled by copies in lane order, or would not fit.

:func:`unpadded` is the way back: the allocation and all views of it in rows without their padding.
Indices stay as they are: ``%a[%i, %j]`` is the same element of the tile in rows of any length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from iree.compiler import ir

from bankwise.algebra.address import Padded
from bankwise.change.passes.decide import allocation_op
from bankwise.change.passes.hints import hints
from bankwise.change.passes.lowered import Lowered, lower
from bankwise.change.passes.statements import Statements, statements, users
from bankwise.change.passes.values import Outcome, PassOptions, Remark
from bankwise.change.rewrite.group import Group, groups, tile_of
from bankwise.counting.access import Allocation
from bankwise.errors import Refusal
from bankwise.notation.padding import PADDINGS_BYTES, Unpadded, row_pads
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.source import Edit, apply_edits
from bankwise.solver.best import Best, best
from bankwise.solver.spaces import PADDING, Space

_PLAIN_USERS = frozenset(
    {
        *("vector.load", "vector.store", "vector.maskedload", "vector.maskedstore"),
        *("vector.transfer_read", "vector.transfer_write", "memref.load", "memref.store"),
        *("amdgpu.transpose_load", "memref.dealloc"),
    }
)


def pad(opened: Opened, launch: PassOptions) -> Outcome:
    """Pad every allocation that gains by it and may be padded."""
    text = statements(opened)
    edits: list[Edit] = []
    remarks: list[Remark] = []
    refusals: list[Refusal] = []
    for lowered in lower(opened, launch):
        used = sum(a.size_bytes for a in lowered.extraction.allocations)
        for group in groups(lowered.extraction):
            done = _pad(lowered, group, used, launch.policy, text)
            if isinstance(done, Refusal):
                refusals.append(done)
                continue
            edits += done.edits
            used += done.more_bytes
            remarks.append(
                Remark(group.names, group.allocations[0].location, bool(done.edits), done.reason)
            )
    return Outcome(apply_edits(opened.source.text, edits), tuple(remarks), tuple(refusals))


@dataclass(frozen=True, slots=True)
class _Done:
    edits: list[Edit]
    reason: str
    more_bytes: int = 0


def _pad(
    lowered: Lowered, group: Group, used: int, policy: str, text: Statements
) -> _Done | Refusal:
    first = group.allocations[0]
    reason = _forbidden(lowered, group)
    if reason:
        return Refusal(f"{group.names}: {reason}", first.location)
    if len(first.shape) < 2:
        return _Done([], "it has one dimension, no rows to pad")
    if len(group.allocations) > 1:
        return Refusal(f"{group.names}: they share accesses; their type goes round", first.location)
    found = _best(lowered, group, policy)
    if isinstance(found, Refusal):
        return Refusal(f"{group.names}: {found.reason}", first.location)
    before, plan = found.present, found.plans[0]
    if before.passes == before.ideal:
        return _Done([], f"no conflict: {before.passes} passes are the ideal")
    if plan.passes == before.passes or not isinstance(plan.layout, Padded):
        return _Done([], f"no padding up to {PADDINGS_BYTES[-1]} bytes takes fewer passes")
    best = plan.layout.pad
    more = best * prod(first.shape[:-1]) * first.element_bytes
    if used + more > lowered.machine.lds_bytes:
        limit = lowered.machine.lds_bytes
        reason = f"{best} elements a row make {used + more} bytes; a workgroup has {limit}"
        return Refusal(f"{group.names}: {reason}", first.location)
    written = _written(lowered, first, best, text)
    if isinstance(written, str):
        return Refusal(f"{group.names}: {written}", first.location)
    story = (
        f"{best} elements behind each row: {before.passes} -> {plan.passes} passes, "
        f"{before.addresses} -> {plan.addresses} accesses, {more} bytes more; not proved"
    )
    return _Done(written, story, more)


def _best(lowered: Lowered, group: Group, policy: str) -> Best | Refusal:
    """The best padding of an allocation; every access as the policy issues it at the new pitch."""
    tile = tile_of(group, {})
    if isinstance(tile, Refusal):
        return tile
    pads = tuple(row_pads(group.allocations[0].shape[-1], tile.shape.element_bits))
    return best(tile, lowered.machine, [Space(PADDING, pads)], policy=policy)


def _forbidden(lowered: Lowered, group: Group) -> str:
    """Why this allocation may not be padded, whatever it would bring."""
    if lowered.extraction.refusals:
        first = lowered.extraction.refusals[0]
        return f"not all accesses of this kernel are known: {first.reason}"
    present, unknown = hints(lowered.opened, lowered.kernel.op)
    names = {a.name for a in group.allocations}
    if unknown or any(each.allocation in names for each in present):
        return "it carries a swizzle hint: padded or swizzled, never both"
    if any(site.access.kind in ("dma", "async") for site in group.accesses):
        return "copies in lane order fill it: with longer rows they would miss the rows"
    return ""


def _written(
    lowered: Lowered, allocation: Allocation, elements: int, text: Statements
) -> list[Edit] | str:
    op = allocation_op(lowered, allocation)
    if op is None:
        return "nothing allocates it here"
    old = ir.MemRefType(op.results[0].type)
    span, body = text.span(op), text.body(op)
    statement = text.text[body.start : body.end]
    head, _, spelled = statement.rpartition(" : ")
    shape = (*old.shape[:-1], old.shape[-1] + elements)
    wide = f"memref<{'x'.join(map(str, shape))}x{old.element_type}, {old.memory_space}>"
    narrow = _strided(old, shape)
    name = text.name(op)
    padded = text.fresh(f"{name.removeprefix('%')}_padded".replace("%", ""))
    padded = padded if not padded[1].isdigit() else text.fresh(f"m{padded[1:]}")
    lines = [f"{padded} = {head} : {wide}", _subview(name, padded, old.shape, wide, narrow)]
    edits = [Edit(span.start, span.end, text.indent(op).join(lines))]
    for user in users(op.results[0]):
        edited = _retyped(user, spelled, narrow, text)
        if isinstance(edited, str):
            return edited
        edits.append(edited)
    return edits


def _retyped(user: ir.Operation, old: str, new: str, text: Statements) -> Edit | str:
    """One use of a memref with its type written anew."""
    if user.name not in _PLAIN_USERS:
        return f"{user.name} uses it, and cannot take the type of other rows"
    places = text.occurrences(user, old)
    if len(places) != 1:
        return f"{user.name} does not write its type as the allocation does"
    return Edit(places[0].start, places[0].end, new)


def unpadded(op: ir.Operation, rows: Unpadded, text: Statements) -> list[Edit] | str:
    """The allocation ``op`` in rows of ``rows.row``, and every type that follows; or why not."""
    old = ir.MemRefType(op.results[0].type)
    if not isinstance(old.layout, ir.AffineMapAttr):
        return f"{old} says its strides"
    body = text.body(op)
    _, _, spelled = text.text[body.start : body.end].rpartition(" : ")
    # A view writes the type of its pool before its own.
    spelled = spelled.rpartition(" to ")[2]
    shape = (*old.shape[:-1], rows.row)
    new = f"memref<{'x'.join(map(str, shape))}x{old.element_type}, {old.memory_space}>"
    followed = _followed(op.results[0], spelled, new, rows, text)
    if isinstance(followed, str):
        return followed
    return [Edit(body.end - len(spelled), body.end, new), *followed]


def _followed(
    value: ir.Value, old: str, new: str, rows: Unpadded, text: Statements
) -> list[Edit] | str:
    """The uses of a memref, those of its views included, with the types of shorter rows."""
    edits: list[Edit] = []
    for user in users(value):
        if user.name == "memref.subview":
            more = _view(user, old, new, rows, text)
        else:
            edited = _retyped(user, old, new, text)
            more = edited if isinstance(edited, str) else [edited]
        if isinstance(more, str):
            return more
        edits += more
    return edits


def _view(
    op: ir.Operation, old: str, new: str, rows: Unpadded, text: Statements
) -> list[Edit] | str:
    """A subview of a padded memref, and its uses."""
    sizes, offsets = (op.attributes[f"static_{name}"] for name in ("sizes", "offsets"))
    if not 0 <= sizes[len(sizes) - 1] + max(0, offsets[len(offsets) - 1]) <= rows.row:
        return "memref.subview covers its padding"
    shorter = _shorter(ir.MemRefType(op.results[0].type), rows)
    if shorter is None:
        return "memref.subview steps through its padding"
    body = text.body(op)
    tail = text.text[body.start : body.end].rpartition(" : ")[2]
    source, arrow, result = tail.partition(" to ")
    if source != old or not arrow:
        return "memref.subview does not write its type as the allocation does"
    followed = _followed(op.results[0], result, shorter, rows, text)
    if isinstance(followed, str):
        return followed
    return [Edit(body.end - len(tail), body.end, f"{new} to {shorter}"), *followed]


def _shorter(old: ir.MemRefType, rows: Unpadded) -> str | None:
    """The type of a view in shorter rows; None if a step of it ends inside a row further on."""
    strides, offset = old.get_strides_and_offset()
    if any(0 < s % rows.pitch < s for s in strides if s > 0):
        return None
    offset, *steps = (n if n < 0 else int(rows(np.array(n))) for n in (offset, *strides))
    layout = f"[{', '.join(map(_amount, steps))}]" + (f", offset: {_amount(offset)}" * bool(offset))
    sizes = "".join(f"{_amount(size)}x" for size in old.shape)
    return f"memref<{sizes}{old.element_type}, strided<{layout}>, {old.memory_space}>"


def _amount(number: int) -> str:
    """A number of a memref type; what is not known is a question mark."""
    return "?" if number < 0 else str(number)


def _subview(name: str, padded: str, sizes: Sequence[int], wide: str, narrow: str) -> str:
    zeros, ones = ["0"] * len(sizes), ["1"] * len(sizes)
    lists = " ".join(f"[{', '.join(each)}]" for each in (zeros, list(map(str, sizes)), ones))
    first, _, rest = lists.partition(" ")
    return f"{name} = memref.subview {padded}{first} {rest} : {wide} to {narrow}"


def _strided(old: ir.MemRefType, shape: Sequence[int]) -> str:
    """The old shape in rows as long as those of ``shape``."""
    strides = [prod(shape[d + 1 :]) for d in range(len(shape))]
    sizes = "x".join(map(str, old.shape))
    return f"memref<{sizes}x{old.element_type}, strided<{strides}>, {old.memory_space}>"
