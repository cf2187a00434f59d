"""Applying a plan: every access of its group is edited, or nothing of it is."""

from __future__ import annotations

from bankwise.algebra.address import RowFolds
from bankwise.change.rewrite.fold_index import fold_index
from bankwise.change.rewrite.group import Group
from bankwise.change.rewrite.permute import permute_source
from bankwise.change.rewrite.plan import fold_of
from bankwise.change.rewrite.scope import CannotRewriteError, Scope, refusal_of
from bankwise.errors import Refusal
from bankwise.solver.plan import Plan
from bankwise.tile import COPIES


def apply(group: Group, plan: Plan, scope: Scope) -> Refusal | None:
    """Edit every access of a group by its plan; a Refusal, and no edit, if one cannot be."""
    mark, fold = scope.emitter.mark(), fold_of(plan)
    for site in group.accesses:
        try:
            if site.access.kind in COPIES:
                assert isinstance(fold, RowFolds), "copies in lane order fill the padding too"
                permute_source(site, fold, scope)
            else:
                fold_index(site, fold, scope)
        except CannotRewriteError as error:
            scope.emitter.back_to(mark)
            return refusal_of(error, site, group.names)
    return None
