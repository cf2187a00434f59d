"""Writing a plan: every access of its group is edited, or nothing of it is.

A :class:`Draft` is one way to do it. What it is worth :mod:`bankwise.change.prove` says; if that is
nothing, :meth:`Draft.after` is the next way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from bankwise.algebra.address import RowFolds
from bankwise.change.rewrite.fold_index import ROW_STYLES, RowStyle, fold_index
from bankwise.change.rewrite.group import Group
from bankwise.change.rewrite.permute import COPY_STYLES, CopyStyle, permute_source
from bankwise.change.rewrite.plan import fold_of
from bankwise.change.rewrite.scope import CannotRewriteError, Scope, refusal_of
from bankwise.errors import Location, Refusal
from bankwise.notation.padding import PaddedFold
from bankwise.read.mlir.extract import SharedAccess
from bankwise.solver.plan import Plan
from bankwise.tile import COPIES

ScopeOf = Callable[[str], Scope]
"""The scope of a kernel, by its name."""

Fold = RowFolds | PaddedFold
Style = RowStyle | CopyStyle


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """One way to write a plan. ``ways``: of each access of the group, which of its styles."""

    group: Group
    plan: Plan
    ways: tuple[int, ...]

    def after(self, refused: Location | None) -> Draft | None:
        """The next way: another style where the access ``refused`` stands, else of all accesses.

        None if there is none left.
        """
        last = [len(_styles(site)) - 1 for site in self.group.every]
        here = [site.access.location == refused for site in self.group.every]
        chosen = here if any(here) else [True] * len(here)
        steps = zip(self.ways, chosen, last, strict=True)
        ways = tuple(min(way + moves, most) for way, moves, most in steps)
        return None if ways == self.ways else replace(self, ways=ways)


def draft(group: Group, plan: Plan) -> Draft:
    """The first way to write a plan: the shortest text."""
    return Draft(group, plan, (0,) * len(group.every))


def write(draft: Draft, scope_of: ScopeOf) -> Draft | Refusal:
    """Edit every access; the draft with the styles that could be written.

    A Refusal, and no edit, if an access has no style left.
    """
    ways: list[int] = []
    marks = []
    for site, way in zip(draft.group.every, draft.ways, strict=True):
        scope = scope_of(site.access.kernel)
        marks.append((scope.emitter, scope.emitter.mark()))
        found = _written(site, fold_of(draft.plan), scope, way)
        if isinstance(found, CannotRewriteError):
            emitter, mark = marks[0]
            emitter.back_to(mark)
            return refusal_of(found, site, draft.group.names)
        ways.append(found)
    return replace(draft, ways=tuple(ways))


def _styles(site: SharedAccess) -> tuple[Style, ...]:
    """What may be tried. The places of an asynchronous copy are its own, too, lane by lane."""
    copies = {"dma": COPY_STYLES, "async": (*COPY_STYLES, *ROW_STYLES)}
    return copies.get(site.access.kind, ROW_STYLES)


def _written(site: SharedAccess, fold: Fold, scope: Scope, way: int) -> int | CannotRewriteError:
    """The number of the first style, from ``way`` on, that can be written, and is."""
    mark, styles = scope.emitter.mark(), _styles(site)
    try:
        _edit(site, fold, scope, styles[way])
    except CannotRewriteError as error:
        scope.emitter.back_to(mark)
        return error if way + 1 == len(styles) else _written(site, fold, scope, way + 1)
    return way


def _edit(site: SharedAccess, fold: Fold, scope: Scope, style: Style) -> None:
    if style == "thread" or style == "row" or style == "offset":
        fold_index(site, fold, scope, style)
        return
    assert site.access.kind in COPIES
    assert isinstance(fold, RowFolds), "copies in lane order fill the padding too"
    permute_source(site, fold, scope, style)
