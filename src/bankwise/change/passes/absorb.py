"""*absorb*: a hint becomes the attribute of the allocation that it stands on.

    %a = memref.alloc() : memref<8192xbf16, ..>
    %h = iree_codegen.swizzle_hint %a[#iree_codegen.xor_shuffle<128, 8>] : ..
    vector.store %v, %h[%i] : ..
      ->
    %a = memref.alloc() {iree_codegen.swizzle = #iree_codegen.xor_shuffle<128, 8>} : ..
    vector.store %v, %a[%i] : ..

Then no pass that rewrites views stumbles over the hint; ``resolve``, and IREE's
iree-codegen-reinsert-swizzle-hints, read the attribute. It speaks for every access of the
allocation, so an access that went past the hint keeps the hint where it is.
"""

from __future__ import annotations

from iree.compiler import ir

from bankwise.change.passes.hints import ALLOCATIONS, ATTRIBUTE, HINT
from bankwise.change.passes.statements import Statements, statements, users
from bankwise.change.passes.values import Outcome, Remark
from bankwise.errors import Refusal
from bankwise.read.mlir.kernels import operations
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.source import Edit, apply_edits


def absorb(opened: Opened) -> Outcome:
    """Move the hint of every allocation that has exactly one into its attributes."""
    text = statements(opened)
    edits: list[Edit] = []
    remarks: list[Remark] = []
    refusals: list[Refusal] = []
    for op in operations(opened.module.operation):
        own = users(op.results[0]) if op.name in ALLOCATIONS else []
        hints = [user for user in own if user.name == HINT]
        if not hints:
            continue
        name, where = text.name(op).removeprefix("%"), opened.location_of(op)
        reason = _forbidden(op, own, hints)
        if reason:
            refusals.append(Refusal(f"{name}: {reason}", where))
            continue
        edits += _absorbed(op, hints, text)
        swizzle = hints[0].attributes["swizzle"]
        remarks.append(Remark(name, where, True, f"{swizzle} stands on the allocation"))
    return Outcome(apply_edits(opened.source.text, edits), tuple(remarks), tuple(refusals))


def _forbidden(op: ir.Operation, own: list[ir.Operation], hints: list[ir.Operation]) -> str:
    """Why the hints may not become the attribute; empty if they may."""
    swizzles = {str(hint.attributes["swizzle"]) for hint in hints}
    if len(swizzles) > 1 or ATTRIBUTE in op.attributes:
        return "it has several hints; an attribute can be only one"
    past = [user.name for user in own if user.name not in (HINT, "memref.dealloc")]
    if past:
        return f"{past[0]} goes past its hint; the attribute would swizzle that, too"
    if isinstance(ir.MemRefType(op.results[0].type).layout, ir.StridedLayoutAttr):
        return "it is strided; a hint counts elements one behind the other"
    return ""


def _absorbed(op: ir.Operation, hints: list[ir.Operation], text: Statements) -> list[Edit]:
    body = text.body(op)
    attribute = f"{ATTRIBUTE} = {hints[0].attributes['swizzle']}"
    brace = text.code.rfind("}", body.start, text.code.rindex(" : ", body.start, body.end))
    at = brace if brace >= 0 else text.code.rindex(" : ", body.start, body.end)
    edits = [Edit(at, at, f", {attribute}" if brace >= 0 else f" {{{attribute}}}")]
    done: set[int] = set()
    for hint in hints:
        edits.append(text.removed(hint))
        for user in users(hint.results[0]):
            found = text.renamed(user, text.name(hint), text.name(op))
            edits += [edit for edit in found if edit.start not in done]
            done |= {edit.start for edit in found}
    return edits
