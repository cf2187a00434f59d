"""*flatten*: tensors in shared memory become memrefs, and hints stand on one dimension.

    %a = bufferization.alloc_tensor() <{memory_space = ..}> : tensor<16x128xf16, ..>
    %h = iree_codegen.swizzle_hint %a[#xor] : ..
    %w = vector.transfer_write %v, %h[%c0, %c0]
    %b = iree_gpu.value_barrier %w
    %r = vector.transfer_read %b[%c0, %c0], %p
      ->
    %a = memref.alloc() : memref<2048xf16, ..>
    %h = iree_codegen.swizzle_hint %a[#xor] : memref<2048xf16, ..>
    %h_tile = memref.expand_shape %h [[0, 1]] output_shape [16, 128]
    vector.transfer_write %v, %h_tile[%c0, %c0]
    gpu.barrier
    %r = vector.transfer_read %h_tile[%c0, %c0], %p

The same for a hint on a memref of more dimensions. No allocation is left behind unused, as IREE's
iree-codegen-flatten-swizzle-hint-allocs does until its IR is cleaned up.
"""

from __future__ import annotations

import re

from iree.compiler import ir
from msgspec import Struct

from bankwise.change.passes.decide import expand_line, flat, hint_line
from bankwise.change.passes.hints import HINT
from bankwise.change.passes.materialise import BARRIER, SPACE
from bankwise.change.passes.statements import Statements, statements, users
from bankwise.change.passes.values import Outcome, Remark
from bankwise.errors import Refusal
from bankwise.read.mlir.kernels import is_shared, operations
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.source import Edit, apply_edits

_ALLOC_TENSOR = "bufferization.alloc_tensor"
_WRITE, _READ = "vector.transfer_write", "vector.transfer_read"
_VALUE_BARRIER = "iree_gpu.value_barrier"
_UNPROVED = "; not proved"
_TENSOR = re.compile(r"tensor<(?:[^<>]|<[^<>]*>)*>")


class CannotFlattenError(Exception):
    """This allocation keeps its form; the message says why."""


def flatten(opened: Opened) -> Outcome:
    """Bufferise every tensor in shared memory, and flatten every hinted allocation."""
    text = statements(opened)
    edits: list[Edit] = []
    remarks: list[Remark] = []
    refusals: list[Refusal] = []
    for op in operations(opened.module.operation):
        if op.name not in (_ALLOC_TENSOR, "memref.alloc"):
            continue
        name, where = text.name(op).removeprefix("%"), opened.location_of(op)
        try:
            done = _tensor(op, text) if op.name == _ALLOC_TENSOR else _memref(op, text)
        except CannotFlattenError as error:
            refusals.append(Refusal(f"{name}: {error}", where))
            continue
        if done is not None:
            edits += done.edits
            remarks.append(Remark(name, where, True, done.reason))
    return Outcome(apply_edits(opened.source.text, edits), tuple(remarks), tuple(refusals))


class _Flattened(Struct, frozen=True):
    edits: list[Edit]
    reason: str


def _tensor(op: ir.Operation, text: Statements) -> _Flattened | None:
    """An alloc_tensor and all that becomes of its value."""
    if "memory_space" not in op.attributes or str(op.attributes["memory_space"]) != SPACE:
        return None
    of = ir.RankedTensorType(op.results[0].type)
    with ir.Location.unknown(op.context):
        shaped = ir.MemRefType.get(of.shape, of.element_type, None, op.attributes["memory_space"])
    hints = [user for user in users(op.results[0]) if user.name == HINT]
    if hints and len(users(op.results[0])) > 1:
        raise CannotFlattenError("some users go past its hint")
    name, span = text.name(op), text.span(op)
    if not hints:
        line = f"{name} = memref.alloc() : {shaped}"
        edits = [Edit(span.start, span.end, line), *_followed(op, name, shaped, text)]
        return _Flattened(edits, f"{of} becomes {shaped}{_UNPROVED}")
    (hint,) = hints
    tile = text.fresh(f"{text.name(hint).removeprefix('%')}_tile")
    line = f"{name} = memref.alloc() : {flat(shaped)}"
    edits = [Edit(span.start, span.end, line), _flat_hint(hint, name, tile, shaped, text)]
    edits += _followed(hint, tile, shaped, text)
    return _Flattened(edits, f"{of} becomes {flat(shaped)}, its hint and its old shape{_UNPROVED}")


def _memref(op: ir.Operation, text: Statements) -> _Flattened | None:
    """A hint that stands directly on an allocation of more than one dimension."""
    of = ir.MemRefType(op.results[0].type)
    own = users(op.results[0])
    hints = [user for user in own if user.name == HINT]
    if not hints or of.rank < 2 or not is_shared(of):
        return None
    others = [user for user in own if user.name not in (HINT, "memref.dealloc")]
    if others or len(hints) > 1 or not of.has_static_shape or not _row_major(of):
        raise CannotFlattenError("only a static row-major allocation used by its hint alone is")
    (hint,) = hints
    name, span = text.name(op), text.span(op)
    statement = text.text[span.start : span.end]
    edits = [Edit(span.start, span.end, f"{statement[: statement.rindex(' : ')]} : {flat(of)}")]
    tile = text.fresh(f"{text.name(hint).removeprefix('%')}_tile")
    edits.append(_flat_hint(hint, name, tile, of, text))
    for user in users(hint.results[0]):
        edits += text.renamed(user, text.name(hint), tile)
    for user in own:
        if user.name == "memref.dealloc":
            at = text.body(user)
            edits.append(Edit(at.start, at.end, f"memref.dealloc {name} : {flat(of)}"))
    return _Flattened(edits, f"{of} becomes {flat(of)}, its hint and its old shape{_UNPROVED}")


def _row_major(of: ir.MemRefType) -> bool:
    return not isinstance(of.layout, ir.StridedLayoutAttr)


def _flat_hint(
    hint: ir.Operation, allocation: str, tile: str, of: ir.MemRefType, text: Statements
) -> Edit:
    name, span = text.name(hint), text.span(hint)
    lines = [
        hint_line(name, allocation, str(hint.attributes["swizzle"]), flat(of)),
        expand_line(tile, name, of, flat(of), str(of)),
    ]
    return Edit(span.start, span.end, text.indent(hint).join(lines))


def _followed(op: ir.Operation, new: str, of: ir.MemRefType, text: Statements) -> list[Edit]:
    """Rewrite all users of a tensor value, and of what they hand on, to use the memref ``new``."""
    edits: list[Edit] = []
    name = text.name(op)
    for user in users(op.results[0]):
        span, body = text.span(user), text.body(user)
        if user.name == _VALUE_BARRIER and len(user.operands) == 1:
            edits.append(Edit(span.start, span.end, BARRIER))
            edits += _followed(user, new, of, text)
        elif user.name in (_WRITE, _READ):
            edits += [*text.renamed(user, name, new), *_retyped(user, of, text)]
            if user.name == _WRITE:
                _only_user(op, user)
                edits.append(Edit(span.start, body.start, ""))
                edits += _followed(user, new, of, text)
        else:
            raise CannotFlattenError(f"{user.name} uses it; no memref is made for that")
    return edits


def _only_user(op: ir.Operation, user: ir.Operation) -> None:
    """A tensor that is written has another value after that: nobody may need the old one."""
    if users(op.results[0]) != [user]:
        raise CannotFlattenError("its value before a write is used as well as that after it")


def _retyped(user: ir.Operation, of: ir.MemRefType, text: Statements) -> list[Edit]:
    body = text.body(user)
    found = list(_TENSOR.finditer(text.text, body.start, body.end))
    if not found:
        raise CannotFlattenError(f"{user.name} does not write its type")
    edits = [Edit(m.start(), m.end(), str(of)) for m in found[:1]]
    for extra in found[1:]:
        arrow = text.text.rindex("->", body.start, extra.start())
        edits.append(Edit(arrow, extra.end(), ""))
    return edits
