"""The answer of ``bankwise fix``: what was changed, what it brings, and the verdicts on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from rich.console import Console
from rich.markup import escape

from bankwise.counting.cost import Cost
from bankwise.counting.counted import AccessReport
from bankwise.errors import FINDINGS, INCOMPLETE, Location, Refusal, exit_code
from bankwise.read.names import short, short_each, variables
from bankwise.show.columns import say, table
from bankwise.show.notebook import printed
from bankwise.show.prices import price_text
from bankwise.show.values import CheckReport, KernelReport
from bankwise.show.words import adds, still_open
from bankwise.solver.certificate import Certificate
from bankwise.solver.plan import AS_IT_IS, Plan

Status = Literal["passed", "failed", "not available", "no answer", "skipped"]
"""No answer: who can say it crashed."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one judge says: ``proof``, ``smt``, ``execution``, ``isa`` or ``run``.

    ``rows``: numbers before and after, by name (instruction counts, bytes). ``complete``: whether
    it is about the whole launch, and not about some workgroups that stand for it. ``open``: the
    rules that nobody knows, or that are assumed, on which the numbers afterwards rest, in words.
    ``gamble``: what is gained if a rule that nobody knows is as assumed, and lost if it is not, in
    words; None where that was not judged.
    """

    judge: str
    status: Status
    detail: str
    rows: tuple[tuple[str, int, int], ...] = ()
    complete: bool = True
    open: tuple[str, ...] = ()
    gamble: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One group of allocations that got a new address map. Costs are per workgroup, all accesses.

    ``kernel``: its name, or the names of all that share the allocations (a ``memref.global``).
    ``optimum`` says how far the new map is from the best one. ``coalescing`` says what the permuted
    global addresses of direct-to-LDS copies do; ``members`` is how many maps were tried.
    ``certificate``: of the new map; None where its passes were only counted. ``padding``: of rows
    whose padding was undone, what they cost with it and without, in words. ``parts``: of accesses
    that are issued in parts, the same, beside the best plan that leaves all whole.
    """

    kernel: str
    allocations: tuple[str, ...]
    address: str
    before: Cost
    after: Cost
    members: int
    coalescing: str
    optimum: str = ""
    certificate: Certificate | None = None
    padding: str = ""
    parts: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class GroupFront:
    """What competes for some allocations that share a layout: plans that can be written, of those
    that were looked at the ones that no other beats or equals in everything."""

    kernel: str
    allocations: tuple[str, ...]
    target: str
    plans: tuple[Plan, ...]


_NAMED = 4
"""Kernels that the last line names."""


@printed("bankwise.show.fixing:print_fix")
@dataclass(frozen=True, slots=True)
class FixReport:
    """Before, after, the changes, the verdicts, the patch.

    Every change is proved: the verdict ``proof`` says of what, and what that rests on. Execution
    is the second judge. ``accept_sampled``: it need not have seen the whole launch. ``parts``: into
    how many an access was split, by its place in the text before. ``by_line``: the accesses are
    instructions that a compiler made, before and after, and only their lines go together;
    ``lines``: which line of the text before a line after is, none where all have their numbers
    still. ``fronts``: what else could be written. ``settings``: what to do with it in the framework
    that wrote the text, in lines. ``assumed``: what is taken if no conflict by a rule that nobody
    knows is real, in words. ``files``: where a folder was asked for, what goes below it, by
    path. ``modules``: of a dump of a compiler, the executables that are written in its place, by
    name. ``notes``: what the change may cost. ``emitted``: kernels of the text that the answer
    leaves, as they are compiled: where there is one, it has the last word, not its text.
    ``gamble``: what is gained if a rule that nobody knows is as assumed, and lost if it is not.
    """

    before: CheckReport
    after: CheckReport
    changes: tuple[Change, ...]
    refusals: tuple[Refusal, ...]
    verdicts: tuple[Verdict, ...]
    source_text: str
    fixed_text: str
    patch: str
    accept_sampled: bool = False
    parts: Mapping[Location, int] = field(default_factory=dict)
    fronts: tuple[GroupFront, ...] = ()
    by_line: bool = False
    lines: Mapping[int, int] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    files: tuple[tuple[str, bytes], ...] = ()
    modules: tuple[tuple[str, str], ...] = ()
    assumed: str = ""
    notes: tuple[str, ...] = ()
    emitted: tuple[KernelReport, ...] = ()
    gamble: str = ""

    @property
    def ends(self) -> CheckReport:
        """What the answer leaves, as it runs: kernels as they are emitted, where that is known."""
        left = self.after if self.accepted else self.before
        code = {kernel.name: kernel for kernel in self.emitted}
        return replace(left, kernels=tuple(code.get(k.name, k) for k in left.kernels))

    @property
    def accepted(self) -> bool:
        """Whether there is a change and no judge rejected it: only then is anything offered."""
        return bool(self.changes) and not any(v.status == "failed" for v in self.verdicts)

    @property
    def sampled(self) -> bool:
        """Whether the judge of execution was heard, and did not see the whole launch."""
        heard = [v for v in self.verdicts if v.judge == "execution"]
        return any(v.status == "not available" or not v.complete for v in heard)

    @property
    def _seen(self) -> str:
        """What execution saw, where that is not the whole launch."""
        ran = [v for v in self.verdicts if v.judge == "execution" and v.status != "not available"]
        return "execution did not see the whole launch" if ran else "nothing was executed"

    @property
    def exit_code(self) -> int:
        """2 rejected, 1 conflicts remain, 3 not all analysed, executed or sure, 0 conflict-free.

        A proof that holds for this launch alone is no more than that, whatever is accepted.
        A judge of execution who was not asked (``--no-execute``) leaves it to the proof; a solver
        or a GPU that was asked and gives no answer does not.
        """
        after = self.ends
        return exit_code(
            failed=bool(self.changes) and not self.accepted,
            findings=after.conflict == "sure" or bool(after.findings),
            incomplete=bool(self.incomplete),
        )

    @property
    def incomplete(self) -> tuple[str, ...]:
        """What is not all analysed, executed or sure, and what opens it: the reasons of exit 3."""
        asked = [v for v in self.verdicts if v.judge in ("smt", "run") and v.status != "passed"]
        asked += [v for v in self.verdicts if v.status == "no answer"]
        partly = any(v.judge == "proof" and not v.complete for v in self.verdicts)
        found = {
            "conflicts are possible in what was written": self.ends.conflict == "possible",
            f"{self._seen} (--accept-sampled: the proof will do)": (
                self.sampled and not self.accept_sampled
            ),
            **{_silent(v): True for v in asked},
            "the proof holds for this launch alone": partly,
            f"whether it gains is not known: {self.gamble} (measure both)": bool(self.gamble),
            "something stays as it is (not changed: ..)": bool(self.refusals),
            "not all is analysed and known (open in ..)": not self.ends.accounted,
            **{f"{rule}, in the code": True for v in self.verdicts for rule in v.open},
        }
        return tuple(reason for reason, holds in found.items() if holds)

    @property
    def remaining(self) -> tuple[str, ...]:
        """What is left that is sure: the reasons of exit 1."""
        sure = [kernel for kernel in self.ends.kernels if kernel.conflict == "sure"]
        named = [f"{short(k.name)} ({adds(k.added)} {self.after.each(k.name)})" for k in sure]
        more = [f"{len(named) - _NAMED} more kernels"] * (len(named) > _NAMED)
        where = "what is written" if self.accepted else "the text, which stays as it is"
        where += ", by its emitted code" * any(k.compiled is not None for k in sure)
        left = f"conflicts are left in {where}: {', '.join((*named[:_NAMED], *more))}"
        found = dict.fromkeys(f"{one.rule}: {one.message}" for one in self.after.findings)
        return (*((left,) if sure else ()), *found)

    def reasons(self, code: int) -> tuple[str, ...]:
        """Why a run ends with an exit code; of 0 and 2 nothing."""
        return {FINDINGS: self.remaining, INCOMPLETE: self.incomplete}.get(code, ())


def _silent(verdict: Verdict) -> str:
    said = f" ({verdict.status})" * (verdict.status != "no answer")
    return f"{verdict.judge} gives no answer{said}"


def print_fix(report: FixReport, console: Console, *, everything: bool = False) -> None:
    """Tell the before / after story, and why it ends so. ``everything``: each access."""
    print_story(report, console, everything=everything)
    print_exit(report.exit_code, report.reasons(report.exit_code), console)


def print_exit(code: int, reasons: Iterable[str], console: Console) -> None:
    """Why a run ends with an exit code, where there are reasons."""
    said = "; ".join(dict.fromkeys(reasons))
    if said:
        colour = "red" if code == FINDINGS else "yellow"
        console.print(f"[{colour}]exit {code}:[/] {escape(said)}")


def print_story(
    report: FixReport, console: Console, *, everything: bool = False, name: str = ""
) -> None:
    """What :func:`print_fix` tells, but for the end. ``name``: of one answer of several."""
    for refusal in report.before.refusals:
        console.print(f"[yellow]not analysed:[/] {escape(str(refusal))}")
    if not report.changes and not report.refusals:
        said = "nothing to fix: no allocation has conflicts that a swizzle removes"
        console.print(f"{escape(name)}{said}")
    for change in report.changes:
        names = escape("".join(f"{name}: " for name in _others(change)))
        named = escape(short_each(change.kernel))
        each = report.before.each(change.kernel).replace("a workgroup", "per workgroup")
        console.print(f"[bold]{named}[/]: {names}{escape(change.address)}")
        console.print(
            f"  {change.before.passes:,} -> {change.after.passes:,} passes {each}, ideal "
            f"{change.after.ideal:,}; {escape(change.optimum)}"
        )
        for told in filter(None, (change.padding, change.parts, _competing(change, report))):
            console.print(f"  {escape(told)}")
        if change.coalescing:
            console.print(f"  {escape(change.coalescing)}")
    for refusal in report.refusals:
        console.print(f"[yellow]not changed:[/] {escape(str(refusal))}")
    if report.changes:
        _print_table(report, console, everything)
        _print_doubt(report, console)
    _print_open(report, console)
    for verdict in report.verdicts:
        _print_verdict(verdict, console)
    if report.changes and not report.accepted:
        console.print("[red]not offered[/]: a judge rejected it")
    for note in report.notes if report.accepted else ():
        say(console, note, "note: ", "  ", style="yellow")
    for line in report.settings if report.accepted or not report.changes else ():
        console.print(escape(line))


def _others(change: Change) -> tuple[str, ...]:
    """What is changed, where that is not the kernel by its own name."""
    return () if change.allocations == (change.kernel,) else (variables(change.allocations),)


_SHOWN = 4
"""Plans of a front that are printed; documents hold every one."""


def _competing(change: Change, report: FixReport) -> str:
    """The front of a change, if it has more than is said of it anyway."""
    named = change.kernel, change.allocations
    every = [p for f in report.fronts if (f.kernel, f.allocations) == named for p in f.plans]
    plans = [plan for plan in every if plan.space != AS_IT_IS]
    shown = [_planned(plan) for plan in plans[:_SHOWN]]
    more = [f"{len(plans) - _SHOWN} more (--format json)"] * (len(plans) > _SHOWN)
    told = 2 if change.parts else 1
    return f"what competes: {'; '.join((*shown, *more))}" if len(plans) > told else ""


def _planned(plan: Plan) -> str:
    split = f", {len(plan.splits)} accesses in parts" if plan.splits else ""
    return f"{price_text(plan)}, {plan.lds_bytes:,} bytes{split}"


_ROWS = 10
"""Rows of accesses that are printed unasked."""


def _print_table(report: FixReport, console: Console, everything: bool) -> None:
    """The accesses that conflict, in program order; of those that are alike one row, with sums."""
    alike: dict[object, list[tuple[AccessReport, AccessReport]]] = {}
    for number, (old, new) in enumerate(pairs(report)):
        if old.run != new.run or old.run.extra:
            shown = old.kernel, old.run, new.run, new.instruction, old.direction, old.allocations
            alike.setdefault(number if everything else shown, []).append((old, new))
    found = list(alike.values())
    shown_rows = found if everything else found[:_ROWS]
    rows = [list(_cells(row, report.by_line)) for row in shown_rows]
    colours = ["red" if row[0][1].run.extra else "green" for row in shown_rows]
    for kernel, fixed in zip(report.before.kernels, report.after.kernels, strict=True):
        before, after = kernel.whole, fixed.whole
        several = len(report.before.kernels) > 1
        every = "all loads and stores" if before == kernel.totals.run else "all accesses"
        what = f"all of {short(kernel.name)}" if several else every
        sums = (before.passes, after.passes, after.ideal)
        rows.append([*(f"{cost:,}" for cost in sums), "", "", what])
        colours.append("")
    titles = ("before", "after", "ideal", "place", "instruction", "access")
    console.print()
    table(console, titles, rows, colours)
    if len(found) > len(shown_rows):
        console.print(f"[dim]and {len(found) - len(shown_rows)} more rows (--all)[/]")
    console.print()


def _cells(row: Sequence[tuple[AccessReport, AccessReport]], by_line: bool) -> Iterator[str]:
    """Of accesses that are alike what they take together, and the first place."""
    old, new = row[0]
    many = len(row)
    for cost in (old.run.passes, new.run.passes, new.run.ideal):
        yield f"{many * cost:,}"
    at = old.location
    yield (str(at.line) if by_line else f"{at.line}:{at.column}") + ", .." * (many > 1)
    yield f"{many} x {new.instruction}" if many > 1 else new.instruction
    yield f"{old.direction} {variables(old.allocations)}"


def _print_doubt(report: FixReport, console: Console) -> None:
    if not all(kernel.counted for kernel in report.after.kernels):
        said = "as followed: how often some accesses run is not known"
        console.print(f"[dim]passes are {said}[/]")
    if report.assumed:
        console.print(f"[yellow]assumed:[/] {escape(report.assumed)}")


_ANOTHER = "another block may have conflicts: --workgroup-size or --launch says yours"


def _print_open(report: FixReport, console: Console) -> None:
    for before, kernel in zip(report.before.kernels, report.ends.kernels, strict=True):
        left = still_open(kernel, len(report.ends.refused(kernel)))
        if left:
            console.print(
                f"[yellow]open in {escape(short(kernel.name))}:[/] {escape('; '.join(left))}"
            )
        if not report.changes:
            continue
        for other in _other_launches(before, kernel):
            say(console, other, "  ", "    ")
        if kernel.assumed:
            say(console, _ANOTHER, "  ", "    ", style="yellow")


def _other_launches(before: KernelReport, after: KernelReport) -> Iterator[str]:
    """What a change does under the launches that are not shown."""
    old = {(one.workgroup_size, one.said): one.added for one in before.others}
    for one in after.others:
        was = old.get((one.workgroup_size, one.said))
        if was is not None:
            size = ",".join(map(str, one.workgroup_size))
            said = f"{size} threads a block ({one.said or 'tried, too'})"
            yield f"{said}: conflicts {adds(was)} -> {adds(one.added)}"


def pairs(report: FixReport) -> list[tuple[Any, Any]]:
    """Each access before beside the same access after, its parts as one, in program order."""
    if report.by_line:
        return _by_line(report)
    old = [a for kernel in report.before.kernels for a in kernel.accesses]
    new = iter([a for kernel in report.after.kernels for a in kernel.accesses])
    return [
        (one, _joined([next(new) for _ in range(report.parts.get(one.location, 1))])) for one in old
    ]


def _by_line(report: FixReport) -> list[tuple[Any, Any]]:
    """What each line reads and writes before and after; lines that have both."""
    sides: list[dict[object, list[AccessReport]]] = [{}, {}]
    moved: tuple[Mapping[int, int], ...] = ({}, report.lines)
    for side, check, lines in zip(sides, (report.before, report.after), moved, strict=True):
        for one in (a for kernel in check.kernels for a in kernel.accesses):
            line = lines.get(one.location.line, 0) if lines else one.location.line
            side.setdefault((line, one.direction), []).append(one)
    old, new = sides
    return [(_joined(old[key]), _joined(new[key])) for key in old if key in new]


def _joined(parts: Sequence[AccessReport]) -> AccessReport:
    """The parts of one access, as one."""
    first, *rest = parts
    if not rest:
        return first
    runs = [part.run for part in parts]
    run = Cost(sum(run.passes for run in runs), sum(run.ideal for run in runs))
    return replace(first, run=run, issued=tuple(name for part in parts for name in part.issued))


def _print_verdict(verdict: Verdict, console: Console) -> None:
    colour = {"passed": "green", "failed": "red"}.get(verdict.status, "yellow")
    console.print(f"{verdict.judge}: [{colour}]{verdict.status}[/]: {escape(verdict.detail)}")
    for name, before, after in verdict.rows:
        mark = "" if before == after else " [dim](changed)[/]"
        console.print(f"  {escape(name)}: {before:,} -> {after:,}{mark}")
    for rule in verdict.open:
        say(console, rule, "  ", "    ", style="yellow")
