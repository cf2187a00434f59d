"""The other half of *resolve*: hints on memory whose allocation cannot be followed.

An argument, memory of another space, an allocation with accesses at places that only the caller
knows. Here nothing is known of all accesses together; each is rewritten by itself, as IREE's
iree-codegen-resolve-swizzle-hints does, and what has to be true beside that is said and assumed:

    %h = iree_codegen.swizzle_hint %arg[#iree_codegen.xor_shuffle<64, 4>] : memref<?xf32>
    %v = vector.load %h[%i]
      ->
    %g = affine.apply affine_map<()[s0] -> ((s0 mod 64) floordiv 4)>()[%i]
    %p = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) mod 16)>()[%i]
    %x = arith.xori %g, %p : index
    %j = affine.apply affine_map<()[s0, s1, s2] -> (s0 + (s1 - s2) * 4)>()[%i, %x, %g]
    %v = vector.load %arg[%j]

All hints on one value are resolved, or none. Copies to shared memory pass through a hint as if it
were not there: who permutes their source is ``dma-swizzle``.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from iree.compiler import ir

from bankwise.change.passes.hints import ALLOCATIONS, HINT, Hinted, constant, hint_text, without
from bankwise.change.passes.legality import unsound
from bankwise.change.passes.statements import statements, users
from bankwise.change.passes.swizzled_index import HintedIndex
from bankwise.change.passes.values import Outcome, Remark
from bankwise.change.rewrite.emit import Emitter
from bankwise.change.rewrite.operand_text import index_operands
from bankwise.change.rewrite.scope import CannotRewriteError
from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.read.mlir.kernels import is_shared, operations
from bankwise.read.mlir.module import Opened, open_text
from bankwise.read.mlir.source import Edit, apply_edits
from bankwise.read.mlir.swizzle_hint import SwizzleHint, swizzle_hint

COPY = "amdgpu.gather_to_lds"
_LOAD, _STORE = "vector.load", "vector.store"


class Unrooted(ByIdentity, frozen=True, eq=False):
    """All hints on one value, which nobody follows any further."""

    value: ir.Value
    hints: tuple[ir.Operation, ...]
    swizzle: SwizzleHint | None

    @property
    def users(self) -> list[ir.Operation]:
        """What uses one of the hints."""
        return [user for hint in self.hints for user in users(hint.results[0])]

    @property
    def accesses(self) -> list[ir.Operation]:
        """The loads and stores among them."""
        return [user for user in self.users if user.name in (_LOAD, _STORE)]


def resolve_unrooted(opened: Opened, followed: Sequence[ir.Operation]) -> Outcome:
    """Resolve such hints. ``followed``: those on allocations with accesses that are not known."""
    text = statements(opened)
    emitter = Emitter(opened.source.text, opened.offset_of)
    found = _unrooted(opened, followed)
    edits: list[Edit] = []
    done: list[Unrooted] = []
    refusals: list[Refusal] = []
    for each in found:
        reason = _why_not(each)
        mark = emitter.mark()
        own: list[Edit] = []
        try:
            for op in [] if reason else each.accesses:
                own += _index(op, each, emitter).edits(text)
        except CannotRewriteError as error:
            reason = str(error)
            emitter.back_to(mark)
        if reason:
            refusals.append(Refusal(reason, opened.location_of(each.hints[0])))
            continue
        edits += own
        done.append(each)
    if not done:
        return Outcome(opened.source.text, (), tuple(refusals))
    swizzled = open_text(
        apply_edits(opened.source.text, [*emitter.edits, *edits]), opened.source.file
    )
    gone = {number for each in done for number in _numbers(opened, each.hints)}
    hints = [op for number, op in enumerate(_hints(swizzled)) if number in gone]
    plain = without(swizzled, [Hinted(op, _EMPTY, "", 0) for op in hints])
    remarks = tuple(_remark(opened, each) for each in done)
    return Outcome(plain, remarks, tuple(refusals))


_EMPTY = SwizzleHint(False, 1, 1, 1, 1)


def _hints(opened: Opened) -> list[ir.Operation]:
    return [
        op
        for op in operations(opened.module.operation)
        if op.name == HINT and isinstance(op.results[0].type, ir.MemRefType)
    ]


def _numbers(opened: Opened, hints: Sequence[ir.Operation]) -> list[int]:
    return [number for number, op in enumerate(_hints(opened)) if op in hints]


def _unrooted(opened: Opened, followed: Sequence[ir.Operation]) -> list[Unrooted]:
    values: list[ir.Value] = []
    for op in _hints(opened):
        value = op.operands[0]
        if value not in values and (op in followed or _outside(value) or _only_copies(value)):
            values.append(value)
    return [_of(value) for value in values]


def _of(value: ir.Value) -> Unrooted:
    hints = tuple(reversed([user for user in users(value) if user.name == HINT]))
    swizzles = {swizzle_hint(hint.attributes["swizzle"]) for hint in hints}
    return Unrooted(value, hints, swizzles.pop() if len(swizzles) == 1 else None)


def _outside(value: ir.Value) -> bool:
    """Whether it is an argument of a function, or in another memory than the workgroup's."""
    if not isinstance(value.owner, ir.Block):
        return not is_shared(value.type)
    owner = value.owner.owner
    return owner is not None and owner.operation.name.endswith(".func")


def _only_copies(value: ir.Value) -> bool:
    """Whether nothing but copies goes through its hints, and nothing past them."""
    own = [user for user in users(value) if user.name not in (HINT, "memref.dealloc")]
    through = _of(value).users
    return not own and bool(through) and all(user.name == COPY for user in through)


def _why_not(each: Unrooted) -> str:
    """Why the hints stay; empty if they may be resolved."""
    hint, of = each.swizzle, ir.MemRefType(each.value.type)
    if hint is None:
        return "its hints are not one swizzle that is known"
    past = [user.name for user in users(each.value) if user.name not in (HINT, "memref.dealloc")]
    if unsound(hint):
        return f"{hint}: {unsound(hint)}"
    if of.rank != 1 or of.get_strides_and_offset()[0] != [1]:
        return f"{hint} stands on {of}; it counts in one dimension, element behind element"
    if past:
        return f"{hint}: {past[0]} goes past the hint"
    copies = [user for user in each.users if user.name == COPY]
    if copies and each.accesses:
        return f"{hint}: {COPY} moves elements in lane order; `dma-swizzle` permutes its source"
    for user in each.users:
        reason = "" if user.name == COPY else _unfit(user, hint)
        if reason:
            return f"{hint}: {user.name}: {reason}"
    return ""


def _unfit(user: ir.Operation, hint: SwizzleHint) -> str:
    """Why an access cannot go through the hint."""
    if user.name not in (_LOAD, _STORE):
        return f"only {_LOAD} and {_STORE} go through a hint here"
    of = _vector(user)
    if of.rank != 1:
        return f"{of} is not one run of elements"
    span, access = of.shape[0], hint.access
    first = constant(_indices(user)[0])
    whole = span % access == 0 and not (first or 0) % access
    inside = access % span == 0 and (first or 0) % access + span <= access
    if whole or inside:
        return ""
    at = "" if first is None else f" at {first}"
    return f"{span} elements{at} do not begin and end at whole groups of {access}"


def _vector(user: ir.Operation) -> ir.VectorType:
    value = user.results[0] if user.name == _LOAD else user.operands[0]
    return ir.VectorType(value.type)


def _indices(user: ir.Operation) -> tuple[ir.Value, ...]:
    return tuple(user.operands)[1 if user.name == _LOAD else 2 :]


def _index(user: ir.Operation, each: Unrooted, emitter: Emitter) -> HintedIndex:
    assert each.swizzle is not None, "checked by _why_not"
    offset = emitter.offset(user)
    spans = () if offset is None else index_operands(emitter.code, offset, 0)
    if len(spans) != 1:
        raise CannotRewriteError("the index of this access is not found in the text")
    span = int(_vector(user).shape[0])
    return HintedIndex(user, _indices(user), spans, (1,), 0, span, each.swizzle, emitter)


def _remark(opened: Opened, each: Unrooted) -> Remark:
    assert each.swizzle is not None, "checked by _why_not"
    name = statements(opened).name(each.hints[0]).removeprefix("%")
    where, hint = opened.location_of(each.hints[0]), hint_text(each.swizzle)
    if not each.accesses:
        return Remark(
            name, where, True, f"{hint}: nothing but copies in lane order goes through it"
        )
    needed = [gcd(_vector(op).shape[0], each.swizzle.access) for op in each.accesses if _open(op)]
    rests = [f"offsets are multiples of {max(needed)}"] if needed else []
    if isinstance(each.value.owner, ir.Block) or each.value.owner.operation.name not in ALLOCATIONS:
        rests.append("whoever else accesses this memory swizzles it, too")
    done = f"{hint} resolved at {len(each.accesses)} accesses; not proved"
    said = f"{done}; assumed: {', and '.join(rests)}" if rests else done
    return Remark(name, where, True, said, assumed=bool(rests))


def _open(user: ir.Operation) -> bool:
    return constant(_indices(user)[0]) is None
