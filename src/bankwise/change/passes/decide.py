"""*decide*: for every allocation, an xor_shuffle that is legal and helps, or padding; and why.

Two rules. ``pr23778`` is the rule of iree-org/iree#23778, which reads nothing but two widths and
the length of a row. ``solver`` counts: it tries every XOR fold on all accesses and takes the one
with the fewest passes. Both work on tiles, from their layouts (:mod:`.conversions`), and on lowered
kernels: ``solver`` from the addresses of all threads, ``pr23778`` from the widest vectors that
threads store and load, which is all that it reads off the layouts of a tile.

A decision about a tile is written on its ``to_layout`` as the attribute ``iree_codegen.swizzle``,
where *materialise* finds it; one about an allocation becomes its hint:

    %a = memref.alloc() : memref<64x128xf16, ..>
      ->
    %a_flat = memref.alloc() : memref<8192xf16, ..>
    %a_hint = iree_codegen.swizzle_hint %a_flat[#iree_codegen.xor_shuffle<64, 8, 128, 1>] : ..
    %a = memref.expand_shape %a_hint [[0, 1]] output_shape [64, 128] : ..
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Literal

from iree.compiler import ir
from msgspec.structs import replace

from bankwise.change.passes.conversions import (
    Conversion,
    banks,
    by_rule,
    by_search,
    conversions,
    hint_of,
)
from bankwise.change.passes.hints import ATTRIBUTE, hint_text, hints, rooted
from bankwise.change.passes.legality import dropped_by_iree, use_of, why_not
from bankwise.change.passes.lowered import Lowered, lowered_groups
from bankwise.change.passes.rows import allocation_op
from bankwise.change.passes.rule_23778 import Choice, choose
from bankwise.change.passes.statements import Statements, statements, users
from bankwise.change.passes.values import Outcome, PassOptions, Remark
from bankwise.change.rewrite.group import Group
from bankwise.change.rewrite.plan import plan
from bankwise.errors import Location, Refusal
from bankwise.hardware.machine import machine
from bankwise.identity import ByIdentity
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.source import Edit, apply_edits

Rule = Literal["solver", "pr23778"]


class Decision(ByIdentity, frozen=True, eq=False):
    """What was decided about the allocations of one group of a lowered kernel."""

    lowered: Lowered
    group: Group
    choice: Choice


def decide(
    opened: Opened, launch: PassOptions, *, rule: Rule = "solver", enabled: bool = True
) -> Outcome:
    """Decide for every tile and allocation. With ``enabled`` false the text stays as it is."""
    if not enabled:
        return Outcome(opened.source.text)
    text = statements(opened)
    edits: list[Edit] = []
    remarks: list[Remark] = []
    for conversion in conversions(opened):
        choice = _tile_choice(opened, conversion, launch, rule)
        name = text.name(conversion.op).removeprefix("%")
        edits += [_marked(conversion.op, choice, text)] if choice.hint else []
        remarks.append(_remark(name, conversion.location, choice))
    for decision in decisions(opened, launch, rule):
        chosen = insert(decision, text, edits)
        first = decision.group.allocations[0]
        remarks.append(_remark(decision.group.names, first.location, chosen))
    return Outcome(apply_edits(opened.source.text, edits), tuple(remarks))


def decisions(opened: Opened, launch: PassOptions, rule: Rule = "solver") -> list[Decision]:
    """The decisions on all allocations of all lowered kernels."""
    decided = _choice if rule == "solver" else _by_widths
    return [
        Decision(lowered, group, decided(opened, lowered, group))
        for lowered, group in lowered_groups(opened, launch)
    ]


def _tile_choice(opened: Opened, conversion: Conversion, launch: PassOptions, rule: Rule) -> Choice:
    if rule == "pr23778":
        return by_rule(conversion, banks(opened))
    if not launch.target:
        return Choice(None, "which GPU is not said (--target); left to padding")
    return by_search(conversion, machine(launch.target))


def _choice(opened: Opened, lowered: Lowered, group: Group) -> Choice:
    if lowered.unknown:
        return Choice(None, lowered.unknown)
    present, unknown = hints(opened, lowered.kernel.op)
    names = {a.name for a in group.allocations}
    if unknown or any(each.allocation in names for each in present):
        return Choice(None, "it has a hint already")
    planned = plan(group, lowered.issues, lowered.machine)
    if isinstance(planned, Refusal):
        reason = planned.reason.removeprefix(f"{group.names}: ")
        return Choice(None, f"{reason}; left to padding")
    found, now = planned.shuffle, planned.best.present
    if now.passes == now.ideal:
        return Choice(None, f"no conflict: {now.ideal} passes are the ideal")
    cost = f"{now.passes} -> {found.passes} passes per workgroup, ideal {now.ideal}"
    if planned.writable.passes < found.passes:
        cost += f"; `bankwise fix` reaches {planned.writable.passes} with what is no xor_shuffle"
    hint = hint_of(found.layout) if found.passes < now.passes else None
    if hint is None:
        return Choice(None, f"no xor_shuffle helps ({cost}); left to padding")
    uses = [use_of(site, hint) for site in group.accesses]
    refusal = why_not(group.names, prod(group.allocations[0].shape), uses)
    if refusal:
        reason = refusal.reason.removeprefix(f"{group.names}: ")
        return Choice(None, f"{reason}; left to padding")
    if any(map(dropped_by_iree, uses)):
        cost += "; resolve it with bankwise: IREE 3.13.0 drops hints over narrower accesses"
    return Choice(hint, cost)


def _by_widths(opened: Opened, lowered: Lowered, group: Group) -> Choice:
    """The choice of iree-org/iree#23778 for the widest store and load of an allocation."""
    first = group.allocations[0]
    writer, reader = _widest(group, "write"), _widest(group, "read")
    return choose(first.shape, 8 * first.element_bytes, writer, reader, banks(opened))


def _widest(group: Group, direction: str) -> list[int] | None:
    """The element tile of one side: the most elements that an access of it takes at once."""
    sizes = [s.vector_elements for s in group.accesses if s.access.direction == direction]
    return [max(sizes)] if sizes else None


def _remark(name: str, location: Location, choice: Choice) -> Remark:
    reason = f"{hint_text(choice.hint)}: {choice.reason}" if choice.hint else choice.reason
    return Remark(name, location, choice.hint is not None, reason)


def _marked(op: ir.Operation, choice: Choice, text: Statements) -> Edit:
    """The decision as an attribute of a to_layout, before its type."""
    assert choice.hint is not None
    body = text.body(op)
    colon = text.code.rindex(" : ", body.start, body.end)
    return Edit(colon, colon, f" {{{ATTRIBUTE} = {hint_text(choice.hint)}}}")


def insert(decision: Decision, text: Statements, edits: list[Edit]) -> Choice:
    """Write the hint on every allocation of the group, or on none."""
    choice = decision.choice
    if choice.hint is None:
        return choice
    own: list[Edit] = []
    for allocation in decision.group.allocations:
        op = allocation_op(decision.lowered.opened, decision.lowered.kernel.op, allocation.name)
        written = "nothing allocates it here" if op is None else _written(op, choice, text)
        if isinstance(written, str):
            return replace(choice, hint=None, reason=f"{written}; left to padding")
        own += written
    edits += own
    return choice


def _written(op: ir.Operation, choice: Choice, text: Statements) -> list[Edit] | str:
    """The allocation, flat, with its hint and in its old shape; its deallocations follow."""
    assert choice.hint is not None
    root = rooted(op.results[0])
    if isinstance(root, str):
        return root
    old = ir.MemRefType(op.results[0].type)
    if isinstance(old.layout, ir.StridedLayoutAttr):
        return f"{old} says its strides"
    name, body, span = text.name(op), text.body(op), text.span(op)
    statement = text.text[body.start : body.end]
    spelled = statement[statement.rindex(" : ") + 3 :]
    flat_type = flat(old)
    stem = name.removeprefix("%")
    hint, flat_name = text.fresh(f"{stem}_hint"), text.fresh(f"{stem}_flat")
    lines = [
        f"{flat_name} = {statement[: statement.rindex(' : ')]} : {flat_type}",
        hint_line(hint, flat_name, hint_text(choice.hint), flat_type),
        expand_line(name, hint, old, flat_type, spelled),
    ]
    if old.rank == 1:
        lines[1:] = [hint_line(name, flat_name, hint_text(choice.hint), flat_type)]
    edits = [Edit(span.start, span.end, text.indent(op).join(lines))]
    for user in users(op.results[0]):
        if user.name == "memref.dealloc":
            at = text.body(user)
            edits.append(Edit(at.start, at.end, f"memref.dealloc {flat_name} : {flat_type}"))
    return edits


def flat(of: ir.MemRefType) -> str:
    """The type of the same elements in one dimension, in the same memory space."""
    return f"memref<{prod(of.shape)}x{of.element_type}, {of.memory_space}>"


def hint_line(name: str, operand: str, attribute: str, of: str) -> str:
    """A hint as a line of text."""
    return f"{name} = iree_codegen.swizzle_hint {operand}[{attribute}] : {of}"


def expand_line(name: str, operand: str, of: ir.MemRefType, flat_type: str, spelled: str) -> str:
    """The old shape of a flat memref as a line of text."""
    shape: Sequence[int] = of.shape
    dimensions = ", ".join(map(str, range(of.rank)))
    return (
        f"{name} = memref.expand_shape {operand} [[{dimensions}]] output_shape "
        f"[{', '.join(map(str, shape))}] : {flat_type} into {spelled}"
    )
