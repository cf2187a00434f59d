"""What a plan costs, in words."""

from __future__ import annotations

from bankwise.solver.plan import Plan, number


def price_text(plan: Plan) -> str:
    """Data and issue cycles, or the passes and why no more is said."""
    if plan.cycles is None:
        return f"{number(plan.passes)} data cycles, issue cycles not known"
    parts = f"{number(plan.passes)} data + {plan.issue_cycles:,} issue"
    return f"{number(plan.cycles)} cycles ({parts})"
