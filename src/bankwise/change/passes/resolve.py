"""*resolve*: swizzle hints become address arithmetic at every access, and vanish.

All accesses of an allocation are verified first (:mod:`.legality`); then all of them are rewritten,
stores and loads through the same map, or none and the hint stays. On hints that IREE's
iree-codegen-resolve-swizzle-hints resolves rightly the addresses are the same as there.

    %h = iree_codegen.swizzle_hint %f[#iree_codegen.xor_shuffle<128, 8, 128, 1>] : memref<2048xf16>
    %v = memref.expand_shape %h [[0, 1]] output_shape [16, 128]
    %r = vector.load %v[%row, %column]
      ->
    %v = memref.expand_shape %f [[0, 1]] output_shape [16, 128]
    %p = affine.apply affine_map<()[s0] -> ((s0 mod 16) * 8)>()[%row]
    %c = arith.xori %column, %p : index
    %r = vector.load %v[%row, %c]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iree.compiler import ir

from bankwise.change.passes.fetch_order import fetch_order
from bankwise.change.passes.hints import (
    ALLOCATIONS,
    HINT,
    Hinted,
    hint_text,
    hints,
    through,
    without,
)
from bankwise.change.passes.legality import HintedUse, period, unsound, use_of, why_not
from bankwise.change.passes.lowered import Lowered, lower
from bankwise.change.passes.statements import statements
from bankwise.change.passes.swizzled_index import TRANSCRIBED, fold_of_hint, swizzle_index
from bankwise.change.passes.unrooted import resolve_unrooted
from bankwise.change.passes.values import PROVED, Outcome, PassOptions, Remark, told
from bankwise.change.prove import MapClaim, prove
from bankwise.change.rewrite.emit import Emitter
from bankwise.change.rewrite.fold_index import ROW_STYLES, RowStyle
from bankwise.change.rewrite.group import Group, groups
from bankwise.change.rewrite.scope import CannotRewriteError
from bankwise.counting.access import Allocation
from bankwise.errors import Location, Refusal
from bankwise.identity import ByIdentity
from bankwise.read.mlir.extract import SharedAccess
from bankwise.read.mlir.kernels import kernels, operations
from bankwise.read.mlir.module import Opened, open_text
from bankwise.read.mlir.source import Edit, apply_edits
from bankwise.read.mlir.swizzle_hint import SwizzleHint
from bankwise.tile import COPIES


class Swizzled(ByIdentity, frozen=True, eq=False):
    """Allocations that share accesses, some hint among them. ``uses``: of all their accesses.

    ``refusal`` says why the hints may not be resolved; ``unknown``: because of places that only a
    run can tell. ``folded``: how many copies in lane order fetch under the hint already; they are
    none of the ``sites`` that have to follow it.
    """

    allocations: tuple[Allocation, ...]
    hints: tuple[Hinted, ...]
    sites: tuple[SharedAccess, ...]
    uses: tuple[HintedUse, ...]
    refusal: Refusal | None
    unknown: bool = False
    folded: int = 0

    @property
    def names(self) -> str:
        """The allocations' names, for messages."""
        return ", ".join(a.name for a in self.allocations)


def resolve(opened: Opened, launch: PassOptions) -> Outcome:
    """Resolve every hint of the module that may be; the others stay, each with its refusal."""
    found, refusals = classified(opened, launch)
    loose = resolve_unrooted(opened, _loose(opened, found))
    if loose.changed:
        rest = resolve(open_text(loose.text, opened.source.file), launch)
        return Outcome(rest.text, (*loose.remarks, *rest.remarks), rest.refusals)
    known = {refusal.location for refusal in refusals}
    refusals += [refusal for refusal in loose.refusals if refusal.location not in known]
    legal = [each for each in found if each.refusal is None]
    refusals += [each.refusal for each in found if each.refusal is not None]
    if not legal:
        return Outcome(opened.source.text, (), tuple(refusals))
    return _rewrite(opened, launch, legal, refusals)


def classified(opened: Opened, launch: PassOptions) -> tuple[list[Swizzled], list[Refusal]]:
    """Every group of allocations with a hint, classified; and hints that cannot be followed."""
    by_kernel: list[list[Hinted]] = []
    refusals: list[Refusal] = []
    for kernel in kernels(opened):
        here, unknown = hints(opened, kernel.op)
        by_kernel.append(here)
        refusals += unknown
    found = [hinted for here in by_kernel for hinted in here]
    if not found:
        return [], refusals
    plain = open_text(without(opened, found, keep_lines=True), opened.source.file)
    pairs = _pairs(plain, opened, found)
    return [
        swizzled
        for lowered, here in zip(lower(plain, launch), by_kernel, strict=True)
        for swizzled in _swizzled(lowered, pairs, here)
    ], refusals


def _loose(opened: Opened, found: Sequence[Swizzled]) -> list[ir.Operation]:
    """Hints on allocations of which not all accesses are known."""
    settled = [hinted.op for each in found if not each.unknown for hinted in each.hints]
    return [
        op
        for op in operations(opened.module.operation)
        if op.name == HINT and op not in settled and _allocated(op.operands[0])
    ]


def _allocated(value: ir.Value) -> bool:
    return not isinstance(value.owner, ir.Block) and value.owner.operation.name in ALLOCATIONS


def _pairs(plain: Opened, opened: Opened, found: Sequence[Hinted]) -> Mapping[int, ir.Operation]:
    """The operation with hints for each one without, by its offset in the text without."""
    gone = {opened.offset_of(each.op) for each in found if each.op.name == HINT}
    old = [o for o in operations(opened.module.operation) if opened.offset_of(o) not in gone]
    new = operations(plain.module.operation)
    offsets = [plain.offset_of(op) for op in new]
    return {at: op for at, op in zip(offsets, old, strict=True) if at is not None}


def _swizzled(
    lowered: Lowered, pairs: Mapping[int, ir.Operation], found: Sequence[Hinted]
) -> list[Swizzled]:
    result = []
    for group in groups(lowered.extraction):
        names = {a.name for a in group.allocations}
        own = tuple(each for each in found if each.allocation in names)
        if not own:
            continue
        sites = _following(lowered, group.accesses, own[0].hint)
        uses, refusal = _uses(lowered, sites, pairs, own)
        first = group.allocations[0]
        unknown = _unknown(lowered, group)
        refusal = refusal or unknown or why_not(group.names, _elements(first), uses)
        open_ended = refusal is unknown and bool(lowered.extraction.refusals)
        folded = len(group.accesses) - len(sites)
        result.append(
            Swizzled(group.allocations, own, sites, tuple(uses), refusal, open_ended, folded)
        )
    return result


def _following(
    lowered: Lowered, sites: Sequence[SharedAccess], hint: SwizzleHint
) -> tuple[SharedAccess, ...]:
    """The accesses that have to follow a hint: not the copies, if all fetch under it already."""
    copies = [site for site in sites if site.access.kind in COPIES]
    if not copies or unsound(hint) or hint.rotates:
        return tuple(sites)
    folded = [fetch_order(lowered, site, fold_of_hint(hint)) == "folded" for site in copies]
    return tuple(site for site in sites if site not in copies) if all(folded) else tuple(sites)


def _elements(allocation: Allocation) -> int:
    return allocation.size_bytes // allocation.element_bytes


def _unknown(lowered: Lowered, group: Group) -> Refusal | None:
    for first in lowered.extraction.refusals:
        return Refusal(f"{group.names}: {lowered.unknown}", first.location)
    for site in group.unseen:
        reason = f"one workgroup never executes this {site.access.operation}, another one may"
        return Refusal(f"{group.names}: {reason}", site.access.location)
    return None


def _uses(
    lowered: Lowered,
    sites: Sequence[SharedAccess],
    pairs: Mapping[int, ir.Operation],
    own: Sequence[Hinted],
) -> tuple[list[HintedUse], Refusal | None]:
    uses: list[HintedUse] = []
    for site in sites:
        number = next(n for n, operand in enumerate(site.op.operands) if operand == site.memref)
        offset = lowered.opened.offset_of(site.op)
        assert offset is not None, "accesses are written in the text"
        origins = through(pairs[offset].operands[number])
        if origins is None:
            reason = f"{site.access.operation}: what it goes through is not known"
            return uses, Refusal(reason, site.access.location)
        for origin in origins:
            hinted = next((h for h in own if h.op == origin), None)
            uses.append(use_of(site, hinted.hint, hinted.base) if hinted else use_of(site, None))
    return uses, None


def _rewrite(
    opened: Opened,
    launch: PassOptions,
    legal: Sequence[Swizzled],
    refusals: list[Refusal],
    styles: Sequence[RowStyle] = ROW_STYLES,
) -> Outcome:
    """The text without the legal hints, every access through them swizzled.

    Closed forms of thread ids are kept if they are proved: they hold where they were looked at.
    """
    chosen = [hinted for each in legal for hinted in each.hints]
    plain = open_text(without(opened, chosen), opened.source.file)
    emitter = Emitter(plain.source.text, plain.offset_of)
    text = statements(plain)
    edits: list[Edit] = []
    by_name = {(a.kernel, a.name): each for each in legal for a in each.allocations}
    for lowered in lower(plain, launch):
        scope = lowered.scope(emitter)
        for group in groups(lowered.extraction):
            first = group.allocations[0]
            each = by_name.get((first.kernel, first.name))
            if each is None:
                continue
            copies = COPIES if each.folded else ()
            sites = [site for site in group.accesses if site.access.kind not in copies]
            for site, old in zip(sites, each.sites, strict=True):
                use = _first_use(each, old)
                try:
                    edits += swizzle_index(site, use, scope, text, styles) if use.hint else []
                except CannotRewriteError as error:
                    refused = Refusal(f"{each.names}: {error}", old.access.location)
                    rest = [other for other in legal if other is not each]
                    return _without_refused(opened, launch, rest, [*refusals, refused])
    result = apply_edits(plain.source.text, [*emitter.edits, *edits])
    told = _proofs(plain, open_text(result, plain.source.file), legal)
    if styles is ROW_STYLES and any(said != PROVED for said in told):
        return _rewrite(opened, launch, legal, refusals, TRANSCRIBED)
    remarks = tuple(_remark(opened, each, said) for each, said in zip(legal, told, strict=True))
    return Outcome(result, remarks, tuple(refusals))


def _proofs(plain: Opened, resolved: Opened, legal: Sequence[Swizzled]) -> list[str]:
    """What is proved of each group: that its accesses go through its map, whatever the launch."""
    claims = [_claim(each) for each in legal]
    known = [claim for claim in claims if claim is not None]
    if len(known) < len(claims):
        reason = "not proved: a hint is no fold of whole rows, or cuts vectors, or has copies"
        return [reason] * len(claims)
    return [told(proof.refusal) for proof in prove(plain, resolved, known)]


def _claim(each: Swizzled) -> MapClaim | None:
    """The map of all accesses of a group, where it is a fold of rows that no vector straddles."""
    maps = {(use.hint, use.base % period(use.hint)) if use.hint else None for use in each.uses}
    first = each.hints[0].hint
    if maps != {(first, 0)} or first.rotates or any(u.span > first.access for u in each.uses):
        return None
    if each.folded:
        return None
    names = tuple(allocation.name for allocation in each.allocations)
    return MapClaim(each.allocations[0].kernel, names, fold_of_hint(first))


def _without_refused(
    opened: Opened, launch: PassOptions, rest: Sequence[Swizzled], refusals: list[Refusal]
) -> Outcome:
    if not rest:
        return Outcome(opened.source.text, (), tuple(refusals))
    return _rewrite(opened, launch, rest, refusals)


def _first_use(swizzled: Swizzled, site: SharedAccess) -> HintedUse:
    """The use of a site; all its origins have one map, as :func:`.why_not` made sure."""
    place = site.access.location
    own = [use for use in swizzled.uses if use.location == place]
    return next((use for use in own if use.hint), own[0])


def _remark(opened: Opened, each: Swizzled, proof: str) -> Remark:
    first = each.hints[0]
    where: Location = opened.location_of(first.op)
    hinted = sum(use.hint is not None for use in each.uses)
    done = f"{hint_text(first.hint)} resolved at {hinted} accesses; {proof}"
    if each.folded:
        done += f"; assumed: its {each.folded} copies fetch under it in all rounds, as in the first"
    return Remark(each.names, where, True, done, assumed=bool(each.folded))
