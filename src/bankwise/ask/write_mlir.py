"""What ``check`` says is to be written of an MLIR kernel: the command that writes and proves it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from bankwise.ask.analysis import Analysis, scope_in
from bankwise.ask.cut_accesses import cut_accesses
from bankwise.ask.fix_groups import owned
from bankwise.errors import Refusal
from bankwise.read.options import Options, command
from bankwise.show.advised import Snippet

if TYPE_CHECKING:
    from bankwise.change.rewrite.plan import GroupPlan
    from bankwise.read.mlir.module import Opened
    from bankwise.solver.plan import Plan


def unwritable(opened: Opened, analysis: Analysis, chosen: GroupPlan, plan: Plan) -> str:
    """Why copies in lane order cannot be edited for a plan; empty where they can, or are none."""
    from bankwise.change.rewrite.apply import draft, write
    from bankwise.change.rewrite.emit import Emitter
    from bankwise.change.rewrite.plan import folded, unfollowed

    if why := unfollowed(chosen.group, plan):
        return why
    copied = any(site.access.kind == "dma" for site in chosen.group.accesses)
    if not copied or not folded(plan):
        return ""
    scope = scope_in(analysis, Emitter(opened.source.text, opened.offset_of))
    found = write(draft(chosen.group, plan), lambda _: scope)
    return found.reason if isinstance(found, Refusal) else ""


def written(opened: Opened, analysis: Analysis, chosen: GroupPlan) -> Plan:
    """The best plan that ``fix`` can put into a text; the present one where there is none."""
    plans = (*chosen.choices, chosen.best.present)
    return next(plan for plan in plans if not unwritable(opened, analysis, chosen, plan))


def to_write(opened: Opened, analysis: Analysis, options: Options) -> Iterator[Snippet]:
    """The allocations that ``fix`` has a better map for; costs as it plans them."""
    for each in owned((analysis,)):
        chosen = each.plan(options.width_policy)
        if isinstance(chosen, Refusal):
            continue
        shorter = None if chosen.without is None else chosen.without.chosen
        plans = [written(opened, analysis, plan) for plan in (chosen, shorter) if plan is not None]
        present, least = chosen.best.present, min(plans, key=_passes)
        if least.passes < present.passes:
            yield Snippet(
                language="MLIR",
                what=f"the indices of {each.group.names}, through {least.layout}",
                text="",
                location=each.group.allocations[0].location,
                before=present.run.passes,
                after=least.run.passes,
                command=_fix(opened, analysis, options),
                notes=(*cut_accesses(each, options.width_policy), *_whose_code(opened, options)),
                buffers=tuple(one.name for one in each.group.allocations),
            )


def _fix(opened: Opened, analysis: Analysis, options: Options) -> str:
    """The command that writes it: of a dump what iree-compile takes, for a patch of a log is none
    that anybody applies."""
    from bankwise.ask.fix_dump import is_program

    asked = command("fix", opened.source.file, options)
    program = is_program(opened, opened.source.text, [analysis.kernel.name])
    return f"{asked} -o fixed.mlir" if program else asked


def _whose_code(opened: Opened, options: Options) -> tuple[str, ...]:
    """Whose code says whether it gains, where that is not the compiler that is asked unasked."""
    from bankwise.change.compile.compilers import by_wave

    if options.iree_compile or not by_wave(opened.source.text):
        return ()
    where = "active, or named by --iree-compile PATH (docs/wave.md)"
    return (f"whether it gains, the compiler of Wave's environment says: {where}",)


def _passes(plan: Plan) -> Fraction | int:
    return plan.passes
