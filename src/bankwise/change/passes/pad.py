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

With a number of ``bits`` nothing is counted: every allocation that can carry it gets that padding,
as IREE's iree-codegen-gpu-reduce-bank-conflicts does (64 bits there); all of a function, or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from iree.compiler import ir

from bankwise.algebra.address import Padded
from bankwise.change.passes.hints import ALLOCATIONS, ATTRIBUTE, hints
from bankwise.change.passes.lowered import Lowered, lower
from bankwise.change.passes.rows import allocation_op, followed, memref, relaid
from bankwise.change.passes.statements import Statements, statements
from bankwise.change.passes.values import Outcome, PassOptions, Remark, told
from bankwise.change.prove import MapClaim, prove
from bankwise.change.rewrite.group import Group, groups, tile_of
from bankwise.errors import Location, Refusal
from bankwise.hardware.machine import machine
from bankwise.identity import ByIdentity
from bankwise.notation.padding import PADDINGS_BYTES, Unpadded, row_pads
from bankwise.read.mlir.kernels import is_shared, kernels, operations
from bankwise.read.mlir.module import Opened, open_text
from bankwise.read.mlir.source import Edit, apply_edits
from bankwise.read.mlir.views import bytes_of
from bankwise.solver.best import Best, best
from bankwise.solver.spaces import PADDING, Space

_ASSUMED_LIMIT = 64 * 1024
"""Bytes of shared memory of a workgroup where no target is named; IREE takes the same."""


def pad(opened: Opened, launch: PassOptions, *, bits: int = 0) -> Outcome:
    """Pad every allocation that gains by it, or by ``bits``, and may be padded."""
    if bits:
        return _everywhere(opened, launch, bits)
    text = statements(opened)
    done: list[_Lengthened] = []
    kept: list[Remark] = []
    refusals: list[Refusal] = []
    for lowered in lower(opened, launch):
        used = sum(a.size_bytes for a in lowered.extraction.allocations)
        for group in groups(lowered.extraction):
            found = _pad(lowered, group, used, launch.policy, text)
            if isinstance(found, _Lengthened):
                done.append(found)
                used += found.more_bytes
            elif isinstance(found, Refusal):
                refusals.append(found)
            else:
                kept.append(Remark(group.names, group.allocations[0].location, False, found))
    return _outcome(opened, done, kept, refusals)


class _Lengthened(ByIdentity, frozen=True, eq=False):
    """An allocation to pad: its edits, and what they do. ``claim``: undone, it is the old text."""

    subject: str
    location: Location
    edits: list[Edit]
    reason: str
    claim: MapClaim
    more_bytes: int


def _outcome(
    opened: Opened, done: Sequence[_Lengthened], kept: Sequence[Remark], refusals: Sequence[Refusal]
) -> Outcome:
    """The padded text; the old one is proved to be that without its padding."""
    text = apply_edits(opened.source.text, [edit for each in done for edit in each.edits])
    if not done:
        return Outcome(text, tuple(kept), tuple(refusals))
    proofs = prove(open_text(text, opened.source.file), opened, [each.claim for each in done])
    remarks = tuple(
        Remark(each.subject, each.location, True, f"{each.reason}; {told(proof.refusal)}")
        for each, proof in zip(done, proofs, strict=True)
    )
    ordered = sorted((*remarks, *kept), key=lambda remark: remark.location.line)
    return Outcome(text, tuple(ordered), tuple(refusals))


def _pad(
    lowered: Lowered, group: Group, used: int, policy: str, text: Statements
) -> _Lengthened | Refusal | str:
    """What is to be done; a string says why nothing is."""
    first = group.allocations[0]
    reason = _forbidden(lowered, group)
    if reason:
        return Refusal(f"{group.names}: {reason}", first.location)
    if len(first.shape) < 2:
        return _rowless(len(first.shape))
    if len(group.allocations) > 1:
        return Refusal(f"{group.names}: they share accesses; their type goes round", first.location)
    found = _best(lowered, group, policy)
    if isinstance(found, Refusal):
        return Refusal(f"{group.names}: {found.reason}", first.location)
    before, plan = found.present, found.plans[0]
    if before.passes == before.ideal:
        return f"no conflict: {before.passes} passes are the ideal"
    if plan.passes == before.passes or not isinstance(plan.layout, Padded):
        return f"no padding up to {PADDINGS_BYTES[-1]} bytes takes fewer passes"
    best = plan.layout.pad
    more = best * prod(first.shape[:-1]) * first.element_bytes
    if used + more > lowered.machine.lds_bytes:
        limit = lowered.machine.lds_bytes
        reason = f"{best} elements a row make {used + more} bytes; a workgroup has {limit}"
        return Refusal(f"{group.names}: {reason}", first.location)
    story = (
        f"{best} elements behind each row: {before.passes} -> {plan.passes} passes, "
        f"{before.addresses} -> {plan.addresses} accesses, {more} bytes more"
    )
    op = allocation_op(lowered.opened, lowered.kernel.op, first.name)
    if op is None or op.name not in ALLOCATIONS:
        reason = (
            "nothing allocates it here" if op is None else "all parts of its byte pool would move"
        )
        return Refusal(f"{group.names}: {reason}; {story}", first.location)
    return _padding(op, best, story, first.kernel, text)


def _best(lowered: Lowered, group: Group, policy: str) -> Best | Refusal:
    """The best padding of an allocation; every access as the policy issues it at the new pitch."""
    tile = tile_of(group, {})
    if isinstance(tile, Refusal):
        return tile
    pads = tuple(row_pads(group.allocations[0].shape[-1], tile.shape.element_bits))
    return best(tile, lowered.machine, [Space(PADDING, pads)], policy=policy)


def _forbidden(lowered: Lowered, group: Group) -> str:
    """Why this allocation may not be padded, whatever it would bring."""
    if lowered.unknown:
        return lowered.unknown
    present, unknown = hints(lowered.opened, lowered.kernel.op)
    names = {a.name for a in group.allocations}
    if unknown or any(each.allocation in names for each in present):
        return _HINTED
    if any(site.access.kind in ("dma", "async") for site in group.accesses):
        return "copies in lane order fill it: with longer rows they would miss the rows"
    return ""


def _everywhere(opened: Opened, launch: PassOptions, bits: int) -> Outcome:
    """The same padding behind the rows of all allocations."""
    text = statements(opened)
    done: list[_Lengthened] = []
    refusals: list[Refusal] = []
    for function in operations(opened.module.operation):
        if not function.name.endswith(".func"):
            continue
        inner = operations(function)
        allocations = [
            op for op in inner if op.name in ALLOCATIONS and is_shared(op.results[0].type)
        ]
        reason = _no_room(allocations, bits, _limit(opened, function, launch))
        kernel = ir.StringAttr(function.attributes["sym_name"]).value
        for op in allocations:
            name, where = text.name(op).removeprefix("%"), opened.location_of(op)
            no = Refusal(f"{name}: {reason}", where)
            found = no if reason else _by(op, bits, kernel, text)
            if isinstance(found, Refusal):
                refusals.append(found)
            else:
                done.append(found)
    return _outcome(opened, done, (), refusals)


def _limit(opened: Opened, function: ir.Operation, launch: PassOptions) -> int:
    own = [kernel.target for kernel in kernels(opened) if kernel.op == function]
    target = launch.target or next(filter(None, own), "")
    return machine(target).lds_bytes if target else _ASSUMED_LIMIT


def _no_room(allocations: Sequence[ir.Operation], bits: int, limit: int) -> str:
    """Why a function with these allocations is left as it is; empty if all paddings fit."""
    total = 0
    for op in allocations:
        of = ir.MemRefType(op.results[0].type)
        if not of.has_static_shape:
            return f"{of} has no fixed size: what all paddings would take is not known"
        size = 8 * (bytes_of(of.element_type) or 1)
        total += prod(of.shape) * size
        total += prod(of.shape[:-1]) * (bits // size * size) if of.rank else 0
    if total <= 8 * limit:
        return ""
    return f"{bits} bits behind each row make {total // 8} bytes; a workgroup has {limit}"


def _by(op: ir.Operation, bits: int, kernel: str, text: Statements) -> _Lengthened | Refusal:
    """One allocation with ``bits`` behind its rows, or why it stays."""
    of = ir.MemRefType(op.results[0].type)
    name, where = text.name(op).removeprefix("%"), text.opened.location_of(op)
    size = 8 * (bytes_of(of.element_type) or bits + 1)
    if of.rank < 2:
        reason = _rowless(of.rank)
    elif not isinstance(of.layout, ir.AffineMapAttr):
        reason = f"{of} says its strides"
    elif ATTRIBUTE in op.attributes:
        reason = _HINTED
    elif bits < size:
        reason = f"{bits} bits hold no element of {of.element_type}"
    else:
        return _padding(op, bits // size, f"{bits} bits behind each row; not counted", kernel, text)
    return Refusal(f"{name}: {reason}", where)


def _rowless(rank: int) -> str:
    return f"it has {('one element', 'one dimension')[rank]}, no rows to pad"


_HINTED = "it carries a swizzle hint: padded or swizzled, never both"


def _padding(
    op: ir.Operation, elements: int, story: str, kernel: str, text: Statements
) -> _Lengthened | Refusal:
    """The allocation with so many elements behind each row, its view, and all types that follow."""
    old = ir.MemRefType(op.results[0].type)
    row, where, name = old.shape[-1], text.opened.location_of(op), text.name(op)
    narrow = relaid(old, Padded(row, elements))
    assert narrow is not None, "an allocation consists of whole rows"
    span, body = text.span(op), text.body(op)
    head = text.text[body.start : body.end].rpartition(" : ")[0]
    wide = memref((*old.shape[:-1], row + elements), old)
    padded, subject = text.fresh(f"{name.removeprefix('%')}_padded"), name.removeprefix("%")
    lines = [f"{padded} = {head} : {wide}", _subview(name, padded, old.shape, wide, narrow)]
    rest = followed(op.results[0], narrow, Padded(row, elements), text)
    if isinstance(rest, str):
        return Refusal(f"{subject}: {rest}", where)
    edits = [Edit(span.start, span.end, text.indent(op).join(lines)), *rest]
    claim = MapClaim(kernel, (padded.removeprefix("%"),), None, Unpadded(row + elements, row))
    more = prod(old.shape[:-1]) * elements * (bytes_of(old.element_type) or 1)
    return _Lengthened(subject, where, edits, story, claim, more)


def _subview(name: str, padded: str, sizes: Sequence[int], wide: str, narrow: str) -> str:
    zeros, ones = ["0"] * len(sizes), ["1"] * len(sizes)
    lists = " ".join(f"[{', '.join(each)}]" for each in (zeros, list(map(str, sizes)), ones))
    first, _, rest = lists.partition(" ")
    return f"{name} = memref.subview {padded}{first} {rest} : {wide} to {narrow}"
