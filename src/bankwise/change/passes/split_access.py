"""*split-access*: loads and stores of 16 bytes become two of 8, so that a swizzle may part them.

    vector.store %v, %lds[%i, %j] : memref<64x64xf16, ..>, vector<8xf16>
      ->
    %a = vector.extract_strided_slice %v offsets = [0], sizes = [4], strides = [1] : ..
    vector.store %a, %lds[%i, %j] : memref<64x64xf16, ..>, vector<4xf16>
    %b = vector.extract_strided_slice %v offsets = [4], sizes = [4], strides = [1] : ..
    %k = affine.apply affine_map<()[s0] -> (s0 + 4)>()[%j]
    vector.store %b, %lds[%i, %k] : memref<64x64xf16, ..>, vector<4xf16>

Alone it gains nothing: a compiler joins neighbours again. What it gains is chunks of 8 bytes for
``decide`` and ``fix``, where 16-byte stores keep 8-byte loads from being spread. Only allocations
with conflicts are touched. Nothing is proved of it: the elements are the same, in the same order.
"""

from __future__ import annotations

from iree.compiler import ir

from bankwise.change.passes.lowered import Lowered, lower
from bankwise.change.passes.statements import Statements, statements
from bankwise.change.passes.swizzled_index import CutVector
from bankwise.change.passes.values import Outcome, PassOptions, Remark
from bankwise.change.rewrite.emit import Emitter, anchor_of
from bankwise.change.rewrite.group import Group, groups, tile_of
from bankwise.change.rewrite.operand_text import index_operands
from bankwise.change.rewrite.scope import CannotRewriteError
from bankwise.errors import Refusal
from bankwise.read.mlir.extract import SharedAccess
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.source import Edit, apply_edits
from bankwise.solver.best import best
from bankwise.solver.spaces import Space

_HALF_BYTES = 8
_SPLIT = ("vector.load", "vector.store")


def split_access(opened: Opened, launch: PassOptions) -> Outcome:
    """Split the wide accesses of every allocation that has conflicts."""
    text = statements(opened)
    emitter = Emitter(opened.source.text, opened.offset_of, prefix="half")
    edits: list[Edit] = []
    remarks: list[Remark] = []
    refusals: list[Refusal] = []
    for lowered in lower(opened, launch):
        for group in groups(lowered.extraction):
            where = group.allocations[0].location
            wide = [site for site in group.every if _wide(site)]
            reason = _needless(lowered, group, wide)
            if reason:
                remarks.append(Remark(group.names, where, False, reason))
                continue
            try:
                edits += [
                    edit for site in wide for edit in pieces(site, _HALF_BYTES, emitter, text)
                ]
            except CannotRewriteError as error:
                refusals.append(Refusal(f"{group.names}: {error}", where))
                continue
            done = f"{len(wide)} accesses of 16 bytes are two of {_HALF_BYTES}; not proved"
            remarks.append(Remark(group.names, where, True, done))
    result = apply_edits(opened.source.text, [*emitter.edits, *edits])
    return Outcome(result, tuple(remarks), tuple(refusals))


def _wide(site: SharedAccess) -> bool:
    return divides(site, _HALF_BYTES)


def divides(site: SharedAccess, each_bytes: int) -> bool:
    """Whether an access can be written in several pieces of so many bytes."""
    size = site.access.element_bytes
    return (
        site.op.name in _SPLIT
        and site.access.width_bytes > each_bytes
        and _vector(site).rank == 1
        and _vector(site).shape[0] * size % each_bytes == each_bytes % size == 0
    )


def _vector(site: SharedAccess) -> ir.VectorType:
    value = site.op.results[0] if len(site.op.results) else site.op.operands[0]
    return ir.VectorType(value.type)


def _needless(lowered: Lowered, group: Group, wide: list[SharedAccess]) -> str:
    """Why there is nothing to split; empty if there is."""
    if not wide:
        return f"no vector.load or vector.store of it takes more than {_HALF_BYTES} bytes"
    tile = tile_of(group, lowered.issues)
    found = (
        tile if isinstance(tile, Refusal) else best(tile, lowered.machine, [Space("as it is", ())])
    )
    if isinstance(found, Refusal):
        return f"whether it has conflicts is not known: {found.reason}"
    now = found.present
    return f"no conflict: {now.passes} passes are the ideal" if now.passes == now.ideal else ""


def pieces(site: SharedAccess, each_bytes: int, emitter: Emitter, text: Statements) -> list[Edit]:
    """A load or store in pieces of so many bytes: new lines to the emitter, the rest returned.

    Raises :class:`CannotRewriteError` where the text does not show its indices.
    """
    offset = emitter.offset(site.op)
    operands = () if offset is None else index_operands(emitter.code, offset, 0)
    if not operands:
        raise CannotRewriteError("the indices of this access are not found in the text")
    span, last = int(_vector(site).shape[0]), operands[-1]
    each, token = each_bytes // site.access.element_bytes, last.of(emitter.text)
    places = [token]
    for ahead in range(each, span, each):
        line = f"affine.apply affine_map<()[s0] -> (s0 + {ahead})>()[{token}]"
        key = ("ahead", ahead, emitter.key_of(site.indices[-1]))
        places.append(emitter.value(key, anchor_of(site.indices[-1]), site.op, line))
    whole = text.span(site.op)
    cut = CutVector(site.op, text, text.body(site.op), last, each, span)
    lines = cut.load(places) if site.access.direction == "read" else cut.store(places)
    return [Edit(whole.start, whole.end, text.indent(site.op).join(lines))]
