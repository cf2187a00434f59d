"""Applying a plan: every access of its group is edited, or nothing of it is."""

from __future__ import annotations

from bankwise.change.rewrite.fold_index import fold_index
from bankwise.change.rewrite.group import Group
from bankwise.change.rewrite.permute import permute_source
from bankwise.change.rewrite.plan import fold_of
from bankwise.change.rewrite.scope import CannotRewriteError, Scope, refusal_of
from bankwise.errors import Refusal
from bankwise.solver.plan import Plan


def apply(group: Group, plan: Plan, scope: Scope) -> Refusal | None:
    """Edit every access of a group by its plan; a Refusal, and no edit, if one cannot be."""
    mark = scope.emitter.mark()
    for site in group.accesses:
        edit = permute_source if site.access.kind in ("dma", "async") else fold_index
        try:
            edit(site, fold_of(plan), scope)
        except CannotRewriteError as error:
            scope.emitter.back_to(mark)
            return refusal_of(error, site, group.names)
    return None
