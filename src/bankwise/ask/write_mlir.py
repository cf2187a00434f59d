"""What ``check`` says is to be written of an MLIR kernel: the command that writes and proves it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from bankwise.ask.analysis import Analysis
from bankwise.ask.fix_groups import owned
from bankwise.errors import Refusal
from bankwise.read.options import Options, command
from bankwise.show.values import Snippet

if TYPE_CHECKING:
    from bankwise.change.rewrite.plan import GroupPlan
    from bankwise.solver.plan import Plan


def written(chosen: GroupPlan) -> Plan:
    """The best plan that ``fix`` can put into a text; the present one where there is none."""
    from bankwise.change.rewrite.plan import unfollowed

    plans = (*chosen.choices, chosen.best.present)
    return next(plan for plan in plans if not unfollowed(chosen.group, plan))


def to_write(analysis: Analysis, file: str, options: Options) -> Iterator[Snippet]:
    """The allocations that ``fix`` has a better map for; costs as it plans them."""
    for each in owned((analysis,)):
        chosen = each.plan(options.width_policy)
        if isinstance(chosen, Refusal):
            continue
        shorter = None if chosen.without is None else chosen.without.chosen
        plans = [written(plan) for plan in (chosen, shorter) if plan is not None]
        present, least = chosen.best.present, min(plans, key=_passes)
        if least.passes < present.passes:
            yield Snippet(
                language="MLIR",
                what=f"the indices of {each.group.names}, through {least.layout}",
                text="",
                location=each.group.allocations[0].location,
                before=present.run.passes,
                after=least.run.passes,
                command=command("fix", file, options),
                buffers=tuple(one.name for one in each.group.allocations),
            )


def _passes(plan: Plan) -> Fraction | int:
    return plan.passes
