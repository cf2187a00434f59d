"""The swizzle hints of a text: where they count from, who goes through them, and taking them away.

A hint is an operation, ``iree_codegen.swizzle_hint %m[#iree_codegen.xor_shuffle<..>]``, or the
attribute ``iree_codegen.swizzle`` of an allocation, which IREE's
iree-codegen-reinsert-swizzle-hints turns into such operations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from iree.compiler import ir

from bankwise.change.passes.statements import Statements, statements
from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.read.mlir.kernels import is_shared, operations
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.source import Edit, apply_edits
from bankwise.read.mlir.swizzle_hint import SwizzleHint, swizzle_hint
from bankwise.read.mlir.views import View, view_function, whole_allocation

HINT = "iree_codegen.swizzle_hint"
ATTRIBUTE = "iree_codegen.swizzle"
ALLOCATIONS = ("memref.alloc", "memref.alloca")


class Hinted(ByIdentity, frozen=True, eq=False):
    """A hint on shared memory. ``op``: the hint, or the allocation that carries it.

    ``allocation`` is the name of the allocation in the text, ``base`` the element of it from which
    the hint counts.
    """

    op: ir.Operation
    hint: SwizzleHint
    allocation: str
    base: int


def hints(opened: Opened, root: ir.Operation) -> tuple[list[Hinted], list[Refusal]]:
    """All hints on memrefs inside ``root``, and why some cannot be followed."""
    text = statements(opened)
    found: list[Hinted] = []
    refusals: list[Refusal] = []
    for op in operations(root):
        attribute = _attribute(op)
        if attribute is None:
            continue
        read = _read(op, attribute, text)
        if isinstance(read, Hinted):
            found.append(read)
        else:
            refusals.append(Refusal(read, opened.location_of(op)))
    return found, refusals


def hint_text(hint: SwizzleHint) -> str:
    """The attribute of a hint, all parameters written."""
    return f"#iree_codegen.{hint}"


def through(value: ir.Value) -> tuple[ir.Operation | None, ...] | None:
    """The hints that accesses of the memref ``value`` go through: a view's origin, or several.

    None among them stands for an allocation without hint. None for the whole if an origin is not
    known. An allocation with the attribute stands for itself.
    """
    found: list[ir.Operation | None] = []
    return tuple(found) if _collect(value, found, []) else None


def without(opened: Opened, hinted: Iterable[Hinted], *, keep_lines: bool = False) -> str:
    """The text without these hints: whatever used one uses its operand.

    ``keep_lines`` leaves the lines of removed statements empty, so that no place changes.
    """
    text = statements(opened)
    edits: list[Edit] = []
    for each in hinted:
        edits += _removed(each.op, text, keep_lines)
    return apply_edits(opened.source.text, edits)


def _attribute(op: ir.Operation) -> ir.Attribute | None:
    if op.name == HINT and is_shared(op.results[0].type):
        return op.attributes["swizzle"]
    if op.name in ALLOCATIONS and ATTRIBUTE in op.attributes:
        return op.attributes[ATTRIBUTE]
    return None


def _read(op: ir.Operation, attribute: ir.Attribute, text: Statements) -> Hinted | str:
    hint = swizzle_hint(attribute)
    if hint is None:
        return f"unknown swizzle {attribute}"
    root = rooted(op.results[0] if op.name in ALLOCATIONS else op.operands[0])
    if isinstance(root, str):
        return f"{hint}: {root}"
    allocation, view = root
    if not _contiguous(view):
        return f"{hint}: it stands on a memref that is not contiguous (a padded allocation)"
    assert isinstance(view.offset, int)
    return Hinted(op, hint, text.name(allocation).removeprefix("%"), view.offset)


def rooted(value: ir.Value) -> tuple[ir.Operation, View] | str:
    """The allocation under a memref and the window on it, or why they are not constant."""
    if isinstance(value.owner, ir.Block):
        return "what it stands on differs from round to round, or comes from outside"
    op = value.owner.operation
    if op.name in ALLOCATIONS:
        whole = whole_allocation("", ir.MemRefType(value.type), ())
        return whole if isinstance(whole, str) else (op, whole)
    if op.name == HINT:
        return rooted(op.operands[0])
    function = view_function(op)
    if function is None:
        return f"it stands on the result of {op.name}"
    root = rooted(op.operands[0])
    if isinstance(root, str):
        return root
    amounts = [constant(operand) for operand in list(op.operands)[1:]]
    if None in amounts:
        return f"it stands on a {op.name} that is not constant"
    made = function(root[1], [amount for amount in amounts if amount is not None])
    return made if isinstance(made, str) else (root[0], made[0])


def constant(value: ir.Value) -> int | None:
    """The number of an arith.constant, None if ``value`` is not one."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.name != "arith.constant":
        return None
    attribute = owner.operation.attributes["value"]
    return int(ir.IntegerAttr(attribute).value) if isinstance(attribute, ir.IntegerAttr) else None


def _contiguous(view: View) -> bool:
    step = 1
    for size, stride in zip(reversed(view.sizes), reversed(view.strides), strict=True):
        if stride != step:
            return False
        assert isinstance(size, int)
        step *= size
    return True


def _collect(value: ir.Value, found: list[ir.Operation | None], seen: list[ir.Value]) -> bool:
    if value in seen:
        return True
    seen.append(value)
    if isinstance(value.owner, ir.Block):
        sources = _carried(value)
    else:
        op = value.owner.operation
        if op.name == HINT or op.name in ALLOCATIONS:
            hinted = op.name == HINT or ATTRIBUTE in op.attributes
            found.append(op if hinted else None)
            return True
        sources = _forwarded(op, ir.OpResult(value).result_number)
    return bool(sources) and all(_collect(source, found, seen) for source in sources)


def _carried(value: ir.Value) -> Sequence[ir.Value]:
    """What a loop's block argument can be: its first value and the next one."""
    loop, number = value.owner.owner.operation, ir.BlockArgument(value).arg_number
    if loop.name != "scf.for" or number == 0:
        return ()
    return (loop.operands[3 + number - 1], _yields(loop, 0)[number - 1])


def _forwarded(op: ir.Operation, number: int) -> Sequence[ir.Value]:
    if view_function(op) is not None:
        return (op.operands[0],)
    if op.name == "arith.select":
        return (op.operands[1], op.operands[2])
    if op.name == "scf.for":
        return (op.operands[3 + number], _yields(op, 0)[number])
    if op.name == "scf.if":
        return tuple(_yields(op, region)[number] for region in range(2))
    return ()


def _yields(op: ir.Operation, region: int) -> Sequence[ir.Value]:
    *_, last = op.regions[region].blocks[0].operations
    return list(last.operation.operands)


_OPERAND = re.compile(r"%[\w$.\-]+(?:#\d+)?")
_SWIZZLE = r"iree_codegen\.swizzle\s*=\s*#[\w$.]+(?:<[^>]*>)?"
_IN_BRACES = re.compile(rf"\s*\{{\s*{_SWIZZLE}\s*\}}|{_SWIZZLE}\s*,\s*|,\s*{_SWIZZLE}")


def _removed(op: ir.Operation, text: Statements, keep_lines: bool) -> list[Edit]:
    span, body = text.span(op), text.body(op)
    if op.name != HINT:
        found = _IN_BRACES.search(text.text, body.start, body.end)
        assert found is not None, "an attribute of an operation stands in its text"
        return [Edit(found.start(), found.end(), "")]
    operand = _OPERAND.search(text.code, body.start, body.end)
    assert operand is not None, "a hint has an operand"
    edits = [Edit(span.start, span.end, "") if keep_lines else text.removed(op)]
    done: set[int] = set()
    for use in op.results[0].uses:
        for edit in text.renamed(use.owner.operation, text.name(op), operand[0]):
            edits += [edit] if edit.start not in done else []
            done.add(edit.start)
    return edits
