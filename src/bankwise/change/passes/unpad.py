"""*unpad*: rows without the elements behind them that nobody uses.

    %a = memref.alloc() : memref<64x132xf16, ..>
    %v = memref.subview %a[0, 0] [64, 128] [1, 1] : .. to memref<64x128xf16, strided<[132, 1]>, ..>
      ->
    %a = memref.alloc() : memref<64x128xf16, ..>
    %v = memref.subview %a[0, 0] [64, 128] [1, 1] : .. to memref<64x128xf16, strided<[128, 1]>, ..>

What that costs is said, and not weighed: it makes room for a swizzle (``decide``), which wants rows
of a power of two. Every change is proved, or not made.
"""

from __future__ import annotations

from collections.abc import Sequence

from bankwise.algebra.address import Identity
from bankwise.change.passes.lowered import Lowered, lowered_groups
from bankwise.change.passes.pool_places import packed
from bankwise.change.passes.rows import allocating, in_rows
from bankwise.change.passes.statements import Statements, statements
from bankwise.change.passes.values import PROVED, Outcome, PassOptions, Remark
from bankwise.change.prove import MapClaim, prove
from bankwise.change.rewrite.group import Group, tile_of
from bankwise.change.rewrite.unpadded import padded_rows
from bankwise.errors import Location, Refusal
from bankwise.identity import ByIdentity
from bankwise.notation.padding import Unpadded
from bankwise.read.mlir.module import Opened, open_text
from bankwise.read.mlir.names import called
from bankwise.read.mlir.source import Edit, apply_edits
from bankwise.solver.price import Workload, costs
from bankwise.tile import COPIES


class _Shortening(ByIdentity, frozen=True, eq=False):
    """An allocation to be had in shorter rows."""

    names: str
    location: Location
    edits: list[Edit]
    claim: MapClaim
    story: str


def unpad(opened: Opened, launch: PassOptions) -> Outcome:
    """Take the padding of every allocation away whose types can follow."""
    text = statements(opened)
    found: list[_Shortening] = []
    remarks: list[Remark] = []
    refusals: list[Refusal] = []
    for lowered, group in lowered_groups(opened, launch):
        rows, where = padded_rows(group), group.allocations[0].location
        if rows is None:
            reason = "its rows end in no unused elements"
            remarks.append(Remark(group.names, where, False, reason))
            continue
        done = _shortened(lowered, group, rows, text)
        if isinstance(done, _Shortening):
            found.append(done)
        else:
            refusals.append(Refusal(f"{group.names}: {done}", where))
    proved, more = _proved(opened, found)
    told = (Remark(each.names, each.location, True, f"{each.story}; {PROVED}") for each in proved)
    return Outcome(_text(opened, proved), (*told, *remarks), (*refusals, *more))


def _proved(
    opened: Opened, found: Sequence[_Shortening]
) -> tuple[Sequence[_Shortening], list[Refusal]]:
    """Those that are proved together, and why the others are not."""
    refusals: list[Refusal] = []
    while found:
        after = open_text(_text(opened, found), opened.source.file)
        proofs = prove(opened, after, [each.claim for each in found])
        wrong = [proof.refusal for proof in proofs if proof.refusal is not None]
        if not wrong:
            break
        refusals += wrong
        pairs = zip(found, proofs, strict=True)
        found = [each for each, proof in pairs if proof.refusal is None]
    return found, refusals


def _text(opened: Opened, found: Sequence[_Shortening]) -> str:
    """The text with these in it, and byte pools that end behind them."""
    text = apply_edits(opened.source.text, [edit for each in found for edit in each.edits])
    for each in found:
        claim = each.claim
        text = packed(open_text(text, opened.source.file), claim.kernel, claim.allocations)
    return text


def _shortened(
    lowered: Lowered, group: Group, rows: Unpadded, text: Statements
) -> _Shortening | str:
    first = group.allocations[0]
    if lowered.unknown:
        return lowered.unknown
    if any(site.access.kind in COPIES for site in group.accesses):
        return "copies in lane order fill its rows, padding and all"
    names = tuple(allocation.name for allocation in group.allocations)
    ops = allocating(lowered.kernel.op, {*names}, called(lowered.opened))
    edits = in_rows(ops, rows, text) if ops else "nothing allocates it here"
    if isinstance(edits, str):
        return edits
    claim = MapClaim(first.kernel, names, None, rows)
    story = (
        f"{rows.pitch - rows.row} elements behind each row taken away{_price(lowered, group, rows)}"
    )
    return _Shortening(group.names, first.location, edits, claim, story)


def _price(lowered: Lowered, group: Group, rows: Unpadded) -> str:
    """What it costs and saves, in words; empty if nobody can count it."""
    tile = tile_of(group, {})
    saved = sum(a.size_bytes for a in group.allocations) * (rows.pitch - rows.row) // rows.pitch
    if isinstance(tile, Refusal):
        return f", {saved} bytes less"
    now, then = costs(Workload(lowered.machine, tile), [Identity(), rows])
    if isinstance(now, Refusal) or isinstance(then, Refusal):
        return f", {saved} bytes less"
    return f": {now.passes} -> {then.passes} passes, {saved} bytes less"
