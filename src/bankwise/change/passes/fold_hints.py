"""*fold-hints*: a slice, or another shape, of an empty hinted tensor is an empty hinted tensor.

    %e = tensor.empty() : tensor<64x64xf32>
    %h = iree_codegen.swizzle_hint %e[#swizzle] : tensor<64x64xf32>
    %s = tensor.extract_slice %h[0, 0] [16, 32] [1, 1] : .. to tensor<16x32xf32>
      ->
    %s_empty = tensor.empty() : tensor<16x32xf32>
    %s = iree_codegen.swizzle_hint %s_empty[#swizzle] : tensor<16x32xf32>

So that tiling does not leave the allocation as large as before it. A tensor with elements in it
stays: its slice lies where the hint of the whole puts it.
"""

from __future__ import annotations

import re

from iree.compiler import ir

from bankwise.change.passes.hints import HINT
from bankwise.change.passes.statements import Statements, statements, users
from bankwise.change.passes.values import Outcome, Remark
from bankwise.errors import Refusal
from bankwise.read.mlir.kernels import operations
from bankwise.read.mlir.module import Opened, open_text
from bankwise.read.mlir.source import Edit, apply_edits

_EMPTY = "tensor.empty"
_SLICE, _EXPAND, _COLLAPSE = "tensor.extract_slice", "tensor.expand_shape", "tensor.collapse_shape"
_ARROW = re.compile(r"\b(?:to|into)\s+(?=tensor<)")
_VALUE = re.compile(r"%[\w$.\-]+(?:#\d+)?")
_SIZES = 2
"""Which of the operand segments of a slice are its sizes: source, offsets, sizes, strides."""


def fold_hints(opened: Opened) -> Outcome:
    """Fold until nothing is left to fold: a slice of a slice goes with it."""
    remarks: list[Remark] = []
    while True:
        outcome = _folded_once(opened)
        if not outcome.changed:
            dead = _without_dead(opened)
            return Outcome(dead, (*remarks, *outcome.remarks), outcome.refusals)
        remarks += [remark for remark in outcome.remarks if remark.changed]
        opened = open_text(outcome.text, opened.source.file)


def _folded_once(opened: Opened) -> Outcome:
    text = statements(opened)
    edits: list[Edit] = []
    remarks: list[Remark] = []
    refusals: list[Refusal] = []
    for op in operations(opened.module.operation):
        hint = _hint_of(op)
        if hint is None:
            continue
        name, where = text.name(op).removeprefix("%"), opened.location_of(op)
        if not _is(hint.operands[0], _EMPTY):
            reason = "what the hint stands on has elements; only an empty tensor's shape is free"
            remarks.append(Remark(name, where, False, reason))
            continue
        sizes = _sizes(op, text)
        if sizes is None:
            reason = f"{op.name}: its dynamic sizes are not written at it"
            refusals.append(Refusal(f"{name}: {reason}", where))
            continue
        edits.append(_folded(op, hint, sizes, text))
        remarks.append(Remark(name, where, True, f"{op.name} of an empty hinted tensor, folded"))
    return Outcome(apply_edits(opened.source.text, edits), tuple(remarks), tuple(refusals))


def _hint_of(op: ir.Operation) -> ir.Operation | None:
    """The hint whose tensor ``op`` shows in another shape."""
    if op.name not in (_SLICE, _EXPAND, _COLLAPSE) or not _is(op.operands[0], HINT):
        return None
    return op.operands[0].owner.operation


def _is(value: ir.Value, name: str) -> bool:
    return not isinstance(value.owner, ir.Block) and value.owner.operation.name == name


def _sizes(op: ir.Operation, text: Statements) -> list[str] | None:
    """The names of the result's dynamic sizes; None if the operation does not say all of them."""
    dynamic = sum(size < 0 for size in op.results[0].type.shape)
    body = text.body(op)
    names = _VALUE.findall(text.code[body.start : body.end])
    if len(names) != len(op.operands):
        return None
    first, count = 1, len(names) - 1
    if op.name == _SLICE:
        segments = [int(n) for n in op.attributes["operandSegmentSizes"]]
        first, count = sum(segments[:_SIZES]), segments[_SIZES]
    elif op.name == _COLLAPSE:
        count = 0
    return names[first : first + count] if count == dynamic else None


def _folded(op: ir.Operation, hint: ir.Operation, sizes: list[str], text: Statements) -> Edit:
    body, span, name = text.body(op), text.span(op), text.name(op)
    statement = text.text[body.start : body.end]
    *_, arrow = _ARROW.finditer(statement)
    spelled = statement[arrow.end() :]
    empty = text.fresh(f"{name.removeprefix('%')}_empty")
    lines = [
        f"{empty} = {_EMPTY}({', '.join(sizes)}) : {spelled}",
        f"{name} = {HINT} {empty}[{hint.attributes['swizzle']}] : {spelled}",
    ]
    return Edit(span.start, span.end, text.indent(op).join(lines))


def _without_dead(opened: Opened) -> str:
    """The text without hinted empty tensors that nobody uses any more."""
    text = statements(opened)
    edits: list[Edit] = []
    for op in operations(opened.module.operation):
        if op.name != HINT or not _is(op.operands[0], _EMPTY) or users(op.results[0]):
            continue
        empty = op.operands[0].owner.operation
        edits.append(text.removed(op))
        if users(empty.results[0]) == [op]:
            edits.append(text.removed(empty))
    return apply_edits(opened.source.text, edits)
