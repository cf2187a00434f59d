"""What ``check`` says is to be written of an MLIR kernel: the command that writes and proves it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from bankwise.ask.analysis import Analysis
from bankwise.ask.fix_groups import owned
from bankwise.ask.fix_wave import promoted_paddings
from bankwise.errors import Refusal
from bankwise.notation.wave.settings import EMITTED, HOST_FUNCTION, padding_statement
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


def wave_statement(text: str, analyses: Sequence[Analysis], options: Options) -> Iterator[Snippet]:
    """The one padding of all promoted tiles that is better than Wave's own, as its Python."""
    known = promoted_paddings(analyses, options.width_policy) if HOST_FUNCTION in text else None
    now, best = known or (None, None)
    if now is None or best is None:
        return
    yield Snippet(
        language="Wave's Python",
        what=f"padding of all promoted tiles: {best.bits} bits",
        text=padding_statement(best.bits),
        location=analyses[0].location,
        before=now.passes,
        after=best.passes,
        notes=(f"{best}; now {now}", EMITTED),
    )
