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
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from iree.compiler import ir

from bankwise.algebra.address import Padded
from bankwise.change.passes.decide import allocation_op
from bankwise.change.passes.hints import hints
from bankwise.change.passes.lowered import Lowered, lower
from bankwise.change.passes.statements import Statements, statements, users
from bankwise.change.passes.values import Outcome, PassOptions, Remark
from bankwise.change.rewrite.plan import Group, groups, tile_of
from bankwise.counting.access import Allocation
from bankwise.errors import Refusal
from bankwise.notation.padding import PADDINGS_BYTES, row_pads
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
        f"{before.addresses} -> {plan.addresses} accesses, {more} bytes more"
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
        if user.name not in _PLAIN_USERS:
            return f"{user.name} uses it, and cannot take the type of longer rows"
        places = text.occurrences(user, spelled)
        if len(places) != 1:
            return f"{user.name} does not write its type as the allocation does"
        edits.append(Edit(places[0].start, places[0].end, narrow))
    return edits


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
