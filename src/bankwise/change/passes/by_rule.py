"""The whole flow of iree-org/iree#23778 on a lowered kernel: decide, hint, resolve, pad the rest.

The rule of the pull request (:mod:`.rule_23778`) wants the layouts of a tile's writer and reader,
and reads only the number of elements that a thread moves at once. On a lowered kernel that number
is there too: the widest vector of the accesses. So the flow can be put on any kernel that was
lowered without mitigation, and its counters be compared with the published ones.

What the rule declines is padded by :mod:`.pad`, which pads where counting says that it helps, and
by whole 16-byte units; IREE would add 8 bytes to every row.
"""

from __future__ import annotations

from bankwise.change.passes.conversions import banks
from bankwise.change.passes.decide import Decision, insert
from bankwise.change.passes.lowered import Lowered, lowered_groups
from bankwise.change.passes.pad import pad
from bankwise.change.passes.resolve import resolve
from bankwise.change.passes.rule_23778 import Choice, choose
from bankwise.change.passes.statements import statements
from bankwise.change.passes.values import Outcome, PassOptions, Remark
from bankwise.change.rewrite.group import Group
from bankwise.read.mlir.module import Opened, open_text
from bankwise.read.mlir.source import Edit, apply_edits


def by_rule(opened: Opened, launch: PassOptions) -> Outcome:
    """The kernel after the flow. Remarks of all its passes, in order."""
    hinted = _hinted(opened, launch)
    file = opened.source.file
    resolved = resolve(open_text(hinted.text, file), launch)
    padded = pad(open_text(resolved.text, file), launch)
    return Outcome(
        padded.text,
        (*hinted.remarks, *resolved.remarks, *padded.remarks),
        (*hinted.refusals, *resolved.refusals, *padded.refusals),
    )


def _hinted(opened: Opened, launch: PassOptions) -> Outcome:
    text = statements(opened)
    edits: list[Edit] = []
    remarks: list[Remark] = []
    for lowered, group in lowered_groups(opened, launch):
        chosen = insert(Decision(lowered, group, _choice(lowered, group)), text, edits)
        first, changed = group.allocations[0], chosen.hint is not None
        remarks.append(Remark(group.names, first.location, changed, chosen.reason))
    return Outcome(apply_edits(opened.source.text, edits), tuple(remarks))


def _choice(lowered: Lowered, group: Group) -> Choice:
    first = group.allocations[0]
    writer, reader = _widest(group, "write"), _widest(group, "read")
    return choose(first.shape, 8 * first.element_bytes, writer, reader, banks(lowered.opened))


def _widest(group: Group, direction: str) -> list[int] | None:
    """The element tile of one side: the most elements that an access of it takes at once."""
    sizes = [s.vector_elements for s in group.accesses if s.access.direction == direction]
    return [max(sizes)] if sizes else None
