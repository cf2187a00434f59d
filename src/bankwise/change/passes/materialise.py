"""*materialise*: vectors that are to go through shared memory get their tile there.

    %to = iree_vector_ext.to_layout %v to layout(#reader)
          <shared_memory_conversion = ..> {iree_codegen.swizzle = #xor}
      ->
    %a = bufferization.alloc_tensor() <{memory_space = ..}> : tensor<16x128xf16, ..>
    %h = iree_codegen.swizzle_hint %a[#xor] : ..
    %w = vector.transfer_write %v, %h[%c0, %c0]
    %b = iree_gpu.value_barrier %w
    %r = vector.transfer_read %b[%c0, %c0], %p
    %to = iree_vector_ext.to_layout %r to layout(#reader)

The hint is there only if *decide* wrote one. A barrier at the start of the block keeps the write
behind the reads of the round before, as IREE's iree-codegen-gpu-vector-alloc does. What is fetched
from global memory is fetched in order of memory: ``%v`` gets a layout for that, where it has none.

``#iree_gpu.use_global_load_dma`` asks for copies past the registers: no tile is made, the attribute
goes. What is no promotion of IREE's is refused.
"""

from __future__ import annotations

import re
from math import prod

from iree.compiler import ir

from bankwise.change.passes.conversions import CONVERSION, TO_LAYOUT, Conversion, conversions
from bankwise.change.passes.decide import hint_line
from bankwise.change.passes.hints import ATTRIBUTE
from bankwise.change.passes.nested import in_order
from bankwise.change.passes.statements import Statements, statements
from bankwise.change.passes.values import Outcome, Remark
from bankwise.errors import Refusal
from bankwise.read.mlir.kernels import stated_size
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.source import Edit, apply_edits

SPACE = "#gpu.address_space<workgroup>"
BARRIER = f"gpu.barrier memfence [{SPACE}]"
_DERIVED, _DIRECT = "#iree_gpu.derived_thread_config", "#iree_gpu.use_global_load_dma"
_NO_TILE = "a copy past the registers; no tile is made here, as IREE makes none"
_FETCHES = ("vector.transfer_read", "vector.gather")
_SWIZZLE = re.compile(r"\s*\{iree_codegen\.swizzle = #iree_codegen\.\w+<[^>]*>\}")


def materialise(opened: Opened) -> Outcome:
    """Give every such vector its allocation, hint, write, barrier and read."""
    text = statements(opened)
    edits: list[Edit] = []
    remarks: list[Remark] = []
    refusals: list[Refusal] = []
    blocks: list[ir.Block] = []
    for number, conversion in enumerate(conversions(opened)):
        name = text.name(conversion.op).removeprefix("%")
        direct = conversion.promotion == _DIRECT
        written = _direct(conversion, text) if direct else _written(conversion, number, text)
        if isinstance(written, str):
            refusals.append(Refusal(written, conversion.location))
            continue
        edits += written
        if direct:
            remarks.append(Remark(name, conversion.location, True, f"{_DIRECT}: {_NO_TILE}"))
            continue
        if conversion.op.block not in blocks:
            blocks.append(conversion.op.block)
            edits.append(_barrier(conversion.op.block, text))
        hinted = "with a hint" if ATTRIBUTE in conversion.op.attributes else "without a hint"
        shape = "x".join(map(str, conversion.shape))
        reason = f"a tile of {shape} x {conversion.element_type} in shared memory, {hinted}"
        remarks.append(Remark(name, conversion.location, True, reason))
    return Outcome(apply_edits(opened.source.text, edits), tuple(remarks), tuple(refusals))


def _barrier(block: ir.Block, text: Statements) -> Edit:
    first = block.operations[0].operation
    start = text.span(first).start
    return Edit(start, start, f"{BARRIER}{text.indent(first)}")


def _written(conversion: Conversion, number: int, text: Statements) -> list[Edit] | str:
    op = conversion.op
    if conversion.promotion not in ("", _DERIVED):
        return _unknown(conversion.promotion)
    span, body = text.span(op), text.body(op)
    statement = text.text[body.start : body.end]
    operand = re.match(r"[\w.]+\s+(%[\w$.\-]+(?:#\d+)?)", statement)
    bare = _bare(statement) if conversion.promotion else _SWIZZLE.sub("", statement)
    if operand is None or bare is None:
        return f"{op.name}: it is not written in a form that can be edited"
    names = {part: text.fresh(f"tile{number}_{part}") for part in _PARTS}
    lines = _fetched(conversion, operand[1], names)
    lines += _lines(conversion, names)
    moved = bare[: operand.start(1)] + names["read"] + bare[operand.end(1) :]
    lines.append(f"{text.name(op)} = {moved}")
    return [Edit(span.start, span.end, text.indent(op).join(lines))]


def _direct(conversion: Conversion, text: Statements) -> list[Edit] | str:
    """The operation without its promotion."""
    body = text.body(conversion.op)
    bare = _bare(text.text[body.start : body.end])
    if bare is None:
        return f"{conversion.op.name}: it is not written in a form that can be edited"
    return [Edit(body.start, body.end, bare)]


def _unknown(promotion: str) -> str:
    if promotion.startswith("#iree_gpu."):
        return f"{promotion}: what tile that wants is not known here, only {_DERIVED}"
    return f"{CONVERSION} = {promotion} is no promotion of #iree_gpu; IREE refuses it, too"


def _fetched(conversion: Conversion, value: str, names: dict[str, str]) -> list[str]:
    """The layout in which a value comes from global memory; ``names["fetched"]`` is the value."""
    producer = conversion.op.operands[0].owner
    threads = prod(stated_size(conversion.op) or (0,))
    layout = None
    if not isinstance(producer, ir.Block) and producer.operation.name in _FETCHES and threads:
        layout = in_order(conversion.shape, conversion.element_bits, threads)
    if layout is None or not conversion.promotion:
        names["fetched"] = value
        return []
    vector = str(conversion.op.operands[0].type)
    return [f"{names['fetched']} = {TO_LAYOUT} {value} to layout({layout}) : {vector}"]


_PARTS = ("fetched", "alloc", "hint", "zero", "write", "synced", "outside", "read")


def _lines(conversion: Conversion, names: dict[str, str]) -> list[str]:
    """The way through shared memory, one operation a line."""
    shape = "".join(f"{size}x" for size in conversion.shape)
    element, rank = conversion.element_type, len(conversion.shape)
    tensor, vector = f"tensor<{shape}{element}, {SPACE}>", f"vector<{shape}{element}>"
    at = f"[{', '.join([names['zero']] * rank)}]"
    inside = f" {{in_bounds = [{', '.join(['true'] * rank)}]}}" if rank else ""
    swizzle = conversion.op.attributes[ATTRIBUTE] if _has_hint(conversion) else None
    into = names["hint"] if swizzle is not None else names["alloc"]
    hint = [hint_line(into, names["alloc"], str(swizzle), tensor)] if swizzle is not None else []
    return [
        f"{names['alloc']} = bufferization.alloc_tensor() <{{memory_space = {SPACE}}}> : {tensor}",
        *hint,
        f"{names['zero']} = arith.constant 0 : index",
        f"{names['write']} = vector.transfer_write {names['fetched']}, {into}{at}{inside} : "
        f"{vector}, {tensor}",
        f"{names['synced']} = iree_gpu.value_barrier {names['write']} : {tensor}",
        f"{names['outside']} = ub.poison : {element}",
        f"{names['read']} = vector.transfer_read {names['synced']}{at}, {names['outside']}{inside}"
        f" : {tensor}, {vector}",
    ]


def _has_hint(conversion: Conversion) -> bool:
    return ATTRIBUTE in conversion.op.attributes


def _bare(statement: str) -> str | None:
    """The statement without its conversion and decision; None if they are not found.

    The attribute stands in angle brackets, or, in older texts, in braces with others.
    """
    statement = _SWIZZLE.sub("", statement)
    found = _CONVERTED.search(statement)
    if found is None:
        return None
    rest = (found["before"] or "").rstrip(", ") + (found["after"] or "").rstrip()
    kept = f" {{{rest.lstrip(', ')}}}" if rest.strip(", ") else ""
    return statement[: found.start()].rstrip() + kept + statement[found.end() :]


_CONVERTED = re.compile(
    rf"\s*[<{{](?P<before>[^<>{{}}]*,)?\s*{CONVERSION}\s*=\s*(?:[#\w.]+(?:<(?:[^<>]|<[^<>]*>)*>)?|\"[^\"]*\")"
    r"\s*(?P<after>,[^{}]*)?[>}]"
)
