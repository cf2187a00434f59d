"""*dma-swizzle*: memory that copies in lane order fill gets a swizzle, by permuting their source.

    amdgpu.gather_to_lds %src[%row, %column], %lds[%c0, %c0] : vector<8xf16>, ..
    %v = vector.load %lds[%i, %j]
      ->
    amdgpu.gather_to_lds %src[%row, %other], %lds[%c0, %c0] : vector<8xf16>, ..
    %v = vector.load %lds[%i, %k]

A copy writes where its lane stands, so no hint can move what it writes: the lane that fills a slot
fetches the element that belongs there instead. A hint on such memory says which swizzle; without
one, counting chooses. Every change is proved, or not made.

A text of IREE's may have a hint there *and* sources that are permuted (its lowering of
coalesced copies does that, and leaves the readers to iree-codegen-resolve-swizzle-hints). Permuting
them twice would be wrong: that is left to ``resolve``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bankwise.algebra.address import RowFolds
from bankwise.change.passes.fetch_order import FetchOrder, fetch_order
from bankwise.change.passes.hints import Hinted, hint_text, hints, without
from bankwise.change.passes.legality import period, unsound
from bankwise.change.passes.lowered import Lowered, lower, lowered_groups
from bankwise.change.passes.resolve import Swizzled, classified
from bankwise.change.passes.swizzled_index import fold_of_hint
from bankwise.change.passes.values import PROVED, Outcome, PassOptions, Remark
from bankwise.change.prove import MapClaim, prove
from bankwise.change.rewrite.apply import Draft, draft, write
from bankwise.change.rewrite.emit import Emitter
from bankwise.change.rewrite.group import Group, tile_of
from bankwise.change.rewrite.plan import fold_of, folded, plan
from bankwise.counting.access import Allocation
from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.read.mlir.module import Opened, open_text
from bankwise.read.mlir.source import apply_edits
from bankwise.solver.plan import Plan, priced
from bankwise.solver.price import Workload
from bankwise.tile import COPIES

_NOT_IN_ORDER: dict[FetchOrder, str] = {
    "folded": "the source of its copies follows it already; `resolve` is left to the readers",
    "unknown": "which column its copies fetch is not seen",
}


class _Swizzling(ByIdentity, frozen=True, eq=False):
    """A group that copies fill, and the maps to try. ``why``: where they come from."""

    group: Group
    plans: tuple[Plan, ...]
    now: int
    why: str


def dma_swizzle(opened: Opened, launch: PassOptions) -> Outcome:
    """Swizzle every such allocation that has a hint, or gains by it."""
    found = classified(opened, launch)[0]
    hinted = [each for each in found if _copied(each)]
    refusals = [*_unknown(opened, launch, found)]
    refusals += [r for each in hinted if (r := _unfit(each)) is not None]
    chosen = [each for each in hinted if _unfit(each) is None]
    removed = [hint for each in chosen for hint in each.hints]
    text = without(opened, removed) if removed else opened.source.text
    plain = open_text(text, opened.source.file) if removed else opened
    stays = {name for each in hinted if each not in chosen for name in _names(each.allocations)}
    remarks: list[Remark] = []
    for number in range(sum(1 for _ in _groups(plain, launch))):
        lowered, group = list(_groups(plain, launch))[number]
        if stays & set(_names(group.allocations)):
            continue
        wanted = _wanted(lowered, group, _hint_on(chosen, group))
        done = wanted if isinstance(wanted, Refusal | str) else _written(plain, lowered, wanted)
        where = group.allocations[0].location
        if isinstance(done, Refusal):
            if _hint_on(chosen, group) is not None:
                return Outcome(opened.source.text, (), (*refusals, done))
            refusals.append(done)
        elif isinstance(done, str):
            remarks.append(Remark(group.names, where, False, done))
        else:
            plain, said = done
            remarks.append(Remark(group.names, where, True, said))
    return Outcome(plain.source.text, tuple(remarks), tuple(refusals))


def _unknown(opened: Opened, launch: PassOptions, found: Sequence[Swizzled]) -> Iterator[Refusal]:
    """Hints on memory of which no access is known: copies perhaps."""
    settled = [hinted.op for each in found for hinted in each.hints]
    for lowered in lower(opened, launch):
        for hinted in hints(opened, lowered.kernel.op)[0]:
            if hinted.op in settled or not lowered.extraction.refusals:
                continue
            first = lowered.extraction.refusals[0]
            reason = f"{hinted.allocation}: where its accesses go is not known: {first.reason}"
            yield Refusal(reason, opened.location_of(hinted.op))


def _groups(opened: Opened, launch: PassOptions) -> Iterator[tuple[Lowered, Group]]:
    """The groups that copies in lane order fill."""
    for lowered, group in lowered_groups(opened, launch):
        if any(site.access.kind in COPIES for site in group.accesses):
            yield lowered, group


def _copied(each: Swizzled) -> bool:
    return bool(each.folded) or any(use.kind in COPIES for use in each.uses)


def _unfit(each: Swizzled) -> Refusal | None:
    """Why a hint on memory that copies fill is no map for all of it."""
    hint = each.hints[0].hint
    others = {(one.hint, one.base % period(one.hint)) for one in each.hints} != {(hint, 0)}
    reason = unsound(hint)
    if not reason and hint.rotates:
        reason = "a rotation is not written into the source of a copy"
    if not reason and others:
        reason = "its hints are not one map that counts from its start"
    where = each.allocations[0].location
    return Refusal(f"{each.names}: {hint}: {reason}", where) if reason else None


def _names(allocations: Sequence[Allocation]) -> list[str]:
    return [allocation.name for allocation in allocations]


def _hint_on(chosen: Sequence[Swizzled], group: Group) -> Hinted | None:
    names = {allocation.name for allocation in group.allocations}
    found = (each.hints[0] for each in chosen if names & {a.name for a in each.allocations})
    return next(found, None)


def _wanted(lowered: Lowered, group: Group, hinted: Hinted | None) -> _Swizzling | Refusal | str:
    """What to write; a string says why nothing is to be done."""
    where = group.allocations[0].location
    if lowered.extraction.refusals:
        return Refusal(f"{group.names}: {lowered.unknown}", where)
    if hinted is not None:
        return _as_hinted(lowered, group, hinted)
    planned = plan(group, lowered.issues, lowered.machine)
    if isinstance(planned, Refusal):
        return planned
    now = planned.best.present
    if not planned.helps:
        return f"no swizzle of its rows takes fewer passes than {now.passes} (ideal {now.ideal})"
    plans = tuple(p for p in planned.choices if folded(p) and p.passes < now.passes)
    return _Swizzling(group, plans, int(now.passes), "counted")


def _as_hinted(lowered: Lowered, group: Group, hinted: Hinted) -> _Swizzling | Refusal:
    where, fold = group.allocations[0].location, fold_of_hint(hinted.hint)
    copies = [site for site in group.accesses if site.access.kind in COPIES]
    for site in copies:
        order = fetch_order(lowered, site, fold)
        if order != "in order":
            reason = f"{group.names}: {hinted.hint}: {_NOT_IN_ORDER[order]}"
            return Refusal(reason, site.access.location)
    tile = tile_of(group, lowered.issues)
    if isinstance(tile, Refusal):
        return tile
    work = Workload(lowered.machine, tile)
    now, then = priced(work, "as it is", RowFolds(fold.row, ())), priced(work, "hint", fold)
    if isinstance(then, Refusal) or isinstance(now, Refusal):
        reason = then.reason if isinstance(then, Refusal) else "its passes are not known"
        return Refusal(f"{group.names}: {hinted.hint}: {reason}", where)
    return _Swizzling(group, (then,), int(now.passes), hint_text(hinted.hint))


def _emitter(opened: Opened) -> Emitter:
    return Emitter(opened.source.text, opened.offset_of)


def _written(opened: Opened, lowered: Lowered, wanted: _Swizzling) -> tuple[Opened, str] | Refusal:
    """The text with the first map that can be written and proved, and what was done."""
    refused = Refusal(f"{wanted.group.names}: nothing was tried")
    names = tuple(a.name for a in wanted.group.allocations)
    for chosen in wanted.plans:
        attempt: Draft | None = draft(wanted.group, chosen)
        while attempt is not None:
            emitter = _emitter(opened)
            shown = write(attempt, {lowered.kernel.name: lowered.scope(emitter)}.__getitem__)
            if isinstance(shown, Refusal):
                refused = shown
                break
            after = open_text(apply_edits(opened.source.text, emitter.edits), opened.source.file)
            claim = MapClaim(lowered.kernel.name, names, fold_of(chosen))
            (proof,) = prove(opened, after, [claim])
            if proof.refusal is None:
                return after, _said(wanted, chosen)
            refused, attempt = proof.refusal, shown.after(proof.refusal.location)
    return refused


def _said(wanted: _Swizzling, chosen: Plan) -> str:
    copies = sum(site.access.kind in COPIES for site in wanted.group.accesses)
    others = len(wanted.group.accesses) - copies
    return (
        f"{wanted.why}: {chosen.layout}, {copies} copies fetch in its order and {others} accesses "
        f"go through it: {wanted.now} -> {chosen.passes} passes; {PROVED}"
    )
