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
with conflicts are touched. Every change is proved, or not made.
"""

from __future__ import annotations

from collections.abc import Sequence

from iree.compiler import ir

from bankwise.change.passes.lowered import Lowered, lowered_groups
from bankwise.change.passes.statements import Statements, statements
from bankwise.change.passes.swizzled_index import CutVector
from bankwise.change.passes.values import PROVED, Outcome, PassOptions, Remark
from bankwise.change.rewrite.emit import Emitter, anchor_of
from bankwise.change.rewrite.group import Group, tile_of
from bankwise.change.rewrite.operand_text import index_operands
from bankwise.change.rewrite.scope import CannotRewriteError
from bankwise.errors import InputError, Refusal
from bankwise.read.mlir.extract import SharedAccess
from bankwise.read.mlir.module import Opened, open_text
from bankwise.read.mlir.source import Edit, apply_edits
from bankwise.solver.best import best
from bankwise.solver.spaces import Space

_HALF_BYTES = 8
_NARROW = f"no vector.load or vector.store of it takes more than {_HALF_BYTES} bytes"
_SPLIT = ("vector.load", "vector.store")


def split_access(opened: Opened, launch: PassOptions) -> Outcome:
    """Split the wide accesses of every allocation that has conflicts."""
    wanted: list[tuple[SharedAccess, int]] = []
    remarks: list[Remark] = []
    refusals: list[Refusal] = []
    for lowered, group in lowered_groups(opened, launch):
        where = group.allocations[0].location
        wide = {s.op: s for s in group.every if divides(s, _HALF_BYTES)}
        reason = _needless(lowered, group) if wide else _NARROW
        pieces = [(site, _HALF_BYTES) for site in wide.values()]
        alone = None if reason else split(opened, pieces)
        if isinstance(alone, Refusal):
            refusals.append(Refusal(f"{group.names}: {alone.reason}", alone.location or where))
        elif alone is None:
            remarks.append(Remark(group.names, where, False, reason))
        else:
            told = f"wide accesses in pieces of {_HALF_BYTES} bytes: {len(wide)}; {PROVED}"
            remarks.append(Remark(group.names, where, True, told))
            wanted += pieces
    text = split(opened, wanted) if wanted else opened
    if isinstance(text, Refusal):
        return Outcome(opened.source.text, (), (*refusals, text))
    return Outcome(text.source.text, tuple(remarks), tuple(refusals))


def split(opened: Opened, wanted: Sequence[tuple[SharedAccess, int]]) -> Opened | Refusal:
    """The text with each access in pieces of so many bytes, proved to be the same kernel."""
    from bankwise.change.prove import prove_parts

    text = statements(opened)
    emitter = Emitter(opened.source.text, opened.offset_of, prefix="part")
    # An operation of more than 16 bytes is several accesses.
    once = {site.op: (site, each_bytes) for site, each_bytes in wanted}
    try:
        edits = [e for site, size in once.values() for e in _pieces(site, size, emitter, text)]
        after = apply_edits(opened.source.text, [*emitter.edits, *edits])
        done = open_text(after, opened.source.file)
    except CannotRewriteError as error:
        return Refusal(str(error))
    except InputError as error:
        return Refusal(f"the text in parts: {error.message}", error.location)
    return prove_parts(opened, done, list(once)) or done


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


def _needless(lowered: Lowered, group: Group) -> str:
    """Why there is nothing to gain; empty if there may be."""
    tile = tile_of(group, lowered.issues)
    asis = [Space("as it is", ())]
    found = tile if isinstance(tile, Refusal) else best(tile, lowered.machine, asis)
    if isinstance(found, Refusal):
        return f"whether it has conflicts is not known: {found.reason}"
    now = found.present
    return f"no conflict: {now.passes} passes are the ideal" if now.passes == now.ideal else ""


def _pieces(site: SharedAccess, each_bytes: int, emitter: Emitter, text: Statements) -> list[Edit]:
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
