"""``bankwise fix`` on padded rows: the padding is undone first where that is sure to pay.

    memref<64x132xf16>  12,288 passes  ->  memref<64x128xf16>, then the best fold: 6,144 passes

The types are edited, the text is opened and read again, and every access has to be where its
coordinates say it is in the shorter rows. What follows (the fold, the judges) sees a text like any
other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from bankwise.ask.analysis import Analysis, analyse
from bankwise.ask.fix_groups import Key, OwnedGroup
from bankwise.errors import InputError, Refusal
from bankwise.identity import ByIdentity
from bankwise.read.options import Options

if TYPE_CHECKING:
    from bankwise.change.passes.statements import Statements
    from bankwise.change.rewrite.plan import GroupPlan, Unpadding
    from bankwise.counting.access import Access
    from bankwise.notation.padding import Unpadded
    from bankwise.read.mlir.module import Opened
    from bankwise.read.mlir.source import Edit
    from bankwise.solver.plan import Plan


class Padding(ByIdentity, frozen=True, eq=False):
    """Allocations whose padding is to be undone: how they are planned with it and without."""

    owned: OwnedGroup
    kept: GroupPlan
    undone: Unpadding

    @property
    def key(self) -> Key:
        """Of the allocation."""
        return self.owned.key

    @property
    def names(self) -> set[str]:
        """Of its allocations."""
        return {allocation.name for allocation in self.kept.group.allocations}

    def stays(self, reason: str) -> Refusal:
        """The refusal to report where it stays."""
        where = self.kept.group.allocations[0].location
        return Refusal(f"{self.kept.group.names}: its padding stays: {reason}", where)


class Start(ByIdentity, frozen=True, eq=False):
    """The text that folds are written into. ``undone``: the paddings that are gone from it."""

    opened: Opened
    analyses: tuple[Analysis, ...]
    undone: Mapping[Key, Padding]
    refusals: tuple[Refusal, ...] = ()


def paddings(groups: Sequence[OwnedGroup], options: Options) -> tuple[Padding, ...]:
    """The allocations that take fewer passes, or less memory, without their padding.

    By the preference *least-lds* all that are no worse than they are without it.
    """
    from bankwise.change.rewrite.plan import GroupPlan

    shorter = options.prefer == "least-lds"
    found: list[Padding] = []
    for owned in groups:
        if owned.unknown is not None or len(owned.analyses) > 1:
            continue
        kept = owned.plan(options.width_policy, shorter=shorter)
        if isinstance(kept, GroupPlan) and kept.without and kept.without.chosen:
            found.append(Padding(owned, kept, kept.without))
    return tuple(found)


def without(
    opened: Opened, analyses: tuple[Analysis, ...], wanted: Sequence[Padding], options: Options
) -> Start:
    """The text without these paddings, as far as their types can be followed."""
    from bankwise.change.passes.statements import statements
    from bankwise.read.mlir.module import open_text
    from bankwise.read.mlir.source import apply_edits

    if not wanted:
        return Start(opened, analyses, {})
    text = statements(opened)
    written = [(padding, _written(opened, padding, text)) for padding in wanted]
    refusals = tuple(p.stays(found) for p, found in written if isinstance(found, str))
    done = {p.key: p for p, found in written if not isinstance(found, str)}
    edits = [edit for _, found in written if not isinstance(found, str) for edit in found]
    try:
        shorter = _packed(
            open_text(apply_edits(opened.source.text, edits), opened.source.file), done
        )
        again = analyse(shorter, options)
    except InputError as error:
        rejected = (p.stays(f"the text without it: {error.message}") for p in done.values())
        return Start(opened, analyses, {}, (*refusals, *rejected))
    moved = [p for p in done.values() if not _agrees(p, again)]
    if moved:
        rest = without(opened, analyses, [p for p in done.values() if p not in moved], options)
        told = tuple(p.stays("an access goes on in the next row") for p in moved)
        return replace(rest, refusals=(*refusals, *told, *rest.refusals))
    return Start(shorter, again, done, refusals)


def _written(opened: Opened, padding: Padding, text: Statements) -> list[Edit] | str:
    from bankwise.change.passes.rows import allocating, in_rows
    from bankwise.read.mlir.names import called

    function = padding.owned.analyses[0].kernel.op
    ops = allocating(function, padding.names, called(opened))
    return in_rows(ops, padding.undone.rows, text) if ops else "something else allocates it"


def _packed(opened: Opened, done: Mapping[Key, Padding]) -> Opened:
    """The text with the byte pools of what lost its padding as small as they can be."""
    from bankwise.change.passes.pool_places import packed
    from bankwise.read.mlir.module import open_text

    for kernel in dict.fromkeys(kernel for kernel, _ in done):
        names = {
            name for key, padding in done.items() if key[0] == kernel for name in padding.names
        }
        text = packed(opened, kernel, names)
        if text != opened.source.text:
            opened = open_text(text, opened.source.file)
    return opened


def _agrees(padding: Padding, again: Sequence[Analysis]) -> bool:
    """Whether every access of an allocation is at the same coordinates of the shorter rows."""
    names = padding.names
    now = [a.extraction for a in again if a.kernel.name == padding.key[0]]
    sites = [s.access for e in now for s in e.accesses if names & {*s.access.allocations}]
    old = [site.access for site in padding.kept.group.accesses]
    pairs = zip(old, sites, strict=False)
    return len(old) == len(sites) and all(_moved(a, b, padding.undone.rows) for a, b in pairs)


def _moved(old: Access, new: Access, rows: Unpadded) -> bool:
    size = old.element_bytes
    if len(old.patterns) != len(new.patterns) or old.width_bytes != new.width_bytes:
        return False
    return all(
        np.array_equal(a.active, b.active)
        and np.array_equal(rows(a.offsets_bytes // size) * size, b.offsets_bytes)
        for a, b in zip(old.patterns, new.patterns, strict=True)
    )


def kept(chosen: GroupPlan, written: Plan) -> list[Refusal]:
    """Why padded rows keep their padding, where what was written leaves conflicts."""
    padding = chosen.without
    if padding is None or written.passes == written.ideal:
        return []
    if isinstance(padding.plan, Refusal):
        return [padding.plan]
    counted, names = padding.plan.writable.run.passes, chosen.group.names
    if not padding.least < counted < written.passes:
        return []
    reason = f"{counted:,} passes are counted without it and {written.run.passes:,} with it"
    reason = f"{names}: its padding stays: {reason}, but by a rule that is unknown"
    return [Refusal(reason, chosen.group.allocations[0].location)]


def against(padding: Padding, found: Plan) -> str:
    """What there was before a padding was undone, and what is planned, in words."""
    kept, undone = padding.kept, padding.undone
    now, folded = kept.best.present, kept.writable
    least = f" ({undone.present:,} if no assumed conflict is real)"
    told = least * (undone.present < now.passes)
    inside = f"folded inside its padding: {folded.run.passes:,} passes; "
    return (
        f"{undone.rows}; as it is: {now.run.passes:,} passes{told}, "
        f"{now.lds_bytes:,} bytes; {inside * (folded.passes < now.passes)}"
        f"planned: {found.run.passes:,} passes, {found.lds_bytes:,} bytes"
    )
