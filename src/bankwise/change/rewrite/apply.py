"""Writing a plan: every access of its group is edited, or nothing of it is.

A :class:`Draft` is one way to do it. What it is worth :mod:`bankwise.change.prove` says; if that is
nothing, :meth:`Draft.after` is the next way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from bankwise.algebra.address import RowFolds
from bankwise.change.rewrite.fold_index import ROW_STYLES, RowStyle, fold_index
from bankwise.change.rewrite.group import Group, neighbours
from bankwise.change.rewrite.permute import COPY_STYLES, CopyStyle, permute_source
from bankwise.change.rewrite.plan import fold_of
from bankwise.change.rewrite.scope import CannotRewriteError, Scope, refusal_of
from bankwise.errors import Location, Refusal
from bankwise.identity import ByIdentity
from bankwise.notation.padding import PaddedFold
from bankwise.read.mlir.extract import SharedAccess
from bankwise.solver.plan import Plan
from bankwise.tile import COPIES

ScopeOf = Callable[[str], Scope]
"""The scope of a kernel, by its name."""

Fold = RowFolds | PaddedFold
Style = tuple[RowStyle | CopyStyle, SharedAccess | None]
"""How one access is written; with another one, beside the folded place of that."""


class Draft(ByIdentity, frozen=True, eq=False):
    """One way to write a plan. ``ways``: of each access of the group, which of its ``styles``."""

    group: Group
    plan: Plan
    ways: tuple[int, ...]
    styles: tuple[tuple[Style, ...], ...]

    def after(self, refused: Location | None) -> Draft | None:
        """The next way: another style where the access ``refused`` stands, else of all accesses.

        None if there is none left.
        """
        last = [len(styles) - 1 for styles in self.styles]
        here = [site.access.location == refused for site in self.group.every]
        chosen = here if any(here) else [True] * len(here)
        steps = zip(self.ways, chosen, last, strict=True)
        ways = tuple(min(way + moves, most) for way, moves, most in steps)
        return None if ways == self.ways else replace(self, ways=ways)


def draft(group: Group, plan: Plan) -> Draft:
    """The first way to write a plan: the shortest text."""
    leads = neighbours(group, plan.layout)
    styles = tuple(_styles(s, leads.get(s.access.shared_index)) for s in group.accesses)
    unseen = tuple(_styles(site, None) for site in group.unseen)
    return Draft(group, plan, (0,) * len(group.every), (*styles, *unseen))


def write(draft: Draft, scope_of: ScopeOf) -> Draft | Refusal:
    """Edit every access; the draft with the styles that could be written.

    A Refusal, and no edit, if an access has no style left.
    """
    ways: list[int] = []
    marks = []
    for site, styles, way in zip(draft.group.every, draft.styles, draft.ways, strict=True):
        scope = scope_of(site.access.kernel)
        marks.append((scope.emitter, scope.emitter.mark()))
        found = _written(site, fold_of(draft.plan), scope, styles, way)
        if isinstance(found, CannotRewriteError):
            emitter, mark = marks[0]
            emitter.back_to(mark)
            return refusal_of(found, site, draft.group.names)
        ways.append(found)
    return replace(draft, ways=tuple(ways))


def _styles(site: SharedAccess, lead: SharedAccess | None) -> tuple[Style, ...]:
    """What may be tried. The places of an asynchronous copy are its own, too, lane by lane."""
    copies = {"dma": COPY_STYLES, "async": (*COPY_STYLES, *ROW_STYLES)}
    alone = tuple((style, None) for style in copies.get(site.access.kind, ROW_STYLES))
    return alone if lead is None else (*((style, lead) for style in ROW_STYLES), *alone)


def _written(
    site: SharedAccess, fold: Fold, scope: Scope, styles: Sequence[Style], way: int
) -> int | CannotRewriteError:
    """The number of the first style, from ``way`` on, that can be written, and is."""
    mark = scope.emitter.mark()
    try:
        _edit(site, fold, scope, styles[way])
    except CannotRewriteError as error:
        scope.emitter.back_to(mark)
        if way + 1 == len(styles):
            return error
        return _written(site, fold, scope, styles, way + 1)
    return way


def _edit(site: SharedAccess, fold: Fold, scope: Scope, style: Style) -> None:
    how, lead = style
    if how == "thread" or how == "row" or how == "offset":
        fold_index(site, fold, scope, how, lead)
        return
    assert site.access.kind in COPIES
    assert isinstance(fold, RowFolds), "copies in lane order fill the padding too"
    permute_source(site, fold, scope, how)
