"""What a check knows of a kernel beside its accesses: launch, shared memory, optima, sums."""

from __future__ import annotations

from bankwise.counting.cost import Cost
from bankwise.read.names import short, variable, variables
from bankwise.show.advised import Optimum
from bankwise.show.columns import Console, say
from bankwise.show.values import CheckReport, KernelReport, Totals
from bankwise.show.words import blocks_line, compiled_line, kernel_verdict, other_launch, several

_NOTES = 4
"""Notes of a kernel, unless all are asked for."""


def print_facts(
    kernel: KernelReport, report: CheckReport, console: Console, *, everything: bool
) -> None:
    """The facts of one kernel; ``everything``: with notes, sums and other launches."""
    size = "x".join(map(str, kernel.workgroup_size)) if all(kernel.workgroup_size) else "unknown"
    grid = "unknown grid" if kernel.grid is None else "grid " + "x".join(map(str, kernel.grid))
    named = short(kernel.name)
    say(console, f"{named} on {kernel.target}: {size} threads, {grid}", rest="  ", style="bold")
    if everything and named != kernel.name:
        say(console, kernel.name, "  ", style="dim")
    _print_allocations(kernel, console)
    for optimum in kernel.optima:
        _print_optimum(kernel, optimum, report, console, everything)
    if kernel.compiled is not None:
        say(console, compiled_line(kernel.compiled), "  ")
    whole = kernel.launch_added
    if whole is not None and whole.bound.high != 0:
        say(console, blocks_line(kernel), "  ", "    ")
    notes = (*kernel.notes, *map(other_launch, kernel.others))
    for note in notes if everything else notes[:_NOTES]:
        say(console, note, "  note: ", style="dim")
    if len(notes) > _NOTES and not everything:
        more = several(len(notes) - _NOTES, "more note")
        say(console, f"and {more} (--all)", "  ", style="dim")
    if everything:
        _print_totals(kernel, console)
        if len(report.kernels) > 1:
            say(console, kernel_verdict(kernel, report), "  ", "    ")
    console.print()


def _print_allocations(kernel: KernelReport, console: Console) -> None:
    for a in kernel.allocations:
        say(
            console,
            f"{variable(a.name)}: {a.bytes:,} bytes, {a.share:.1%} of the LDS ({a.location})",
            "  ",
            "    ",
        )
    found = kernel.occupancy
    if found is None:
        return
    most = f"{_workgroups(found.workgroups)} a unit"
    limit = " and ".join(most if name == "workgroups" else name for name in found.limited_by)
    known = "" if found.by("vector registers") else "; registers are not known here"
    vector = found.by("vector registers")
    registers = f", {vector} by vector registers" if vector is not None else ""
    text = (
        f"together {kernel.lds_bytes:,} bytes: {_workgroups(found.by('shared memory'))} by "
        f"shared memory, {found.by('wave slots')} by wave slots{registers} (limit: {limit}{known})"
    )
    say(console, text, "  ", "    ")


def _workgroups(count: int | None) -> str:
    return f"{count} workgroup{'s' * (count != 1)}"


def _print_optimum(
    kernel: KernelReport,
    optimum: Optimum,
    report: CheckReport,
    console: Console,
    everything: bool,
) -> None:
    names, here, best = variables(optimum.allocations), optimum.present, optimum.best
    word = "optimum" if optimum.known.optimal else "best found"
    each = f"per {kernel.each}" if kernel.counted else "as followed"
    known = f"({optimum.known.within}: {optimum.known.how})"
    text = f"{names}: {here.passes:,} passes {each}, {word} {best.passes:,} {known}"
    say(console, text, "  ", "    ")
    if report.policy == "emitted":
        _print_layout(optimum, console)
    elif optimum.notation and (everything or not kernel.snippets):
        say(console, optimum.notation, "    ")
    for note in optimum.notes:
        say(console, note, "    ", style="dim")


def _print_layout(optimum: Optimum, console: Console) -> None:
    """The one layout for all accesses of a buffer, or that there is no better one."""
    if optimum.address:
        named = f"; {optimum.notation}" if optimum.notation else ""
        say(console, f"byte a of it moves to {optimum.address}{named}", "    ")
        if optimum.certificate is None:
            say(console, "known by counting, without a certificate", "    ", style="dim")
    elif optimum.present.passes > optimum.present.ideal:
        known = (
            f"none {optimum.known.within} takes fewer"
            if optimum.known.optimal
            else "no better layout of the same size was found"
        )
        stays = "" if optimum.pitch else ": it stays as it is"
        say(console, f"{known}{stays}", "    ")
    if optimum.pitch is not None:
        say(console, str(optimum.pitch), "    ")


def _print_totals(kernel: KernelReport, console: Console) -> None:
    rows = [("loads and stores", kernel.totals), ("direct-to-LDS copies", kernel.totals_dma)]
    rows.append(("atomics, transposing reads, operands, barriers", kernel.totals_assumed))
    for name, totals in rows:
        if totals.once.ideal:
            say(console, _totals_line(name, totals), "  ", "    ")


def _totals_line(name: str, totals: Totals) -> str:
    once, run = _passes_and_ideal(totals.once), _passes_and_ideal(totals.run)
    launch = totals.launch
    whole = "unknown grid" if launch is None else f"launch {_passes_and_ideal(launch)}"
    return f"{name}: once {once} passes / ideal, workgroup {run}, {whole}"


def _passes_and_ideal(cost: Cost) -> str:
    return f"{cost.ends.passes} / {cost.ends.ideal}"
