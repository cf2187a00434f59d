"""The answer of ``bankwise fix``: what was changed, what it brings, and the verdicts on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.counting.cost import Cost
from bankwise.counting.counted import AccessReport
from bankwise.errors import FINDINGS, INCOMPLETE, Location, Refusal, exit_code
from bankwise.identity import ByIdentity
from bankwise.read.names import short
from bankwise.show.notebook import printed
from bankwise.show.values import CheckReport, KernelReport
from bankwise.show.words import adds, still_open
from bankwise.solver.certificate import Certificate
from bankwise.solver.plan import Plan

Status = Literal["passed", "failed", "not available", "no answer", "skipped"]
"""No answer: who can say it crashed."""


class Verdict(Struct, frozen=True):
    """What one judge says: ``proof``, ``smt``, ``execution``, ``isa`` or ``run``.

    ``rows``: numbers before and after, by name (instruction counts, bytes). ``complete``: whether
    it is about the whole launch, and not about some workgroups that stand for it. ``open``: the
    rules that nobody knows, or that are assumed, on which the numbers afterwards rest, in words.
    ``gamble``: what is gained if a rule that nobody knows is as assumed, and lost if it is not, in
    words; None where that was not judged. ``hinge``: what is gained if such a rule is as assumed,
    with nothing lost and nothing gained if it is not, or if a rule of low confidence holds
    (:mod:`bankwise.hardware.weak`). ``unproved``: what a proof does not know, in words.
    ``foreign``: the code is of another compiler than the one that makes what runs.
    """

    judge: str
    status: Status
    detail: str
    rows: tuple[tuple[str, int, int], ...] = ()
    complete: bool = True
    open: tuple[str, ...] = ()
    gamble: str | None = None
    hinge: str = ""
    unproved: tuple[str, ...] = ()
    foreign: bool = False


class Change(Struct, frozen=True):
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


class SlowerText(Struct, frozen=True):
    """A text of a source that takes fewer passes than what is written, and is left since it may be
    slower. ``address``: what it makes of the ``allocations``; ``before``, ``after``: passes of a
    workgroup of all kernels, with what is written and with this text; ``why``: what it takes more
    of, in words."""

    allocations: tuple[str, ...]
    address: str
    before: int
    after: int
    why: str

    @property
    def told(self) -> str:
        """In words, without its arrays."""
        return (
            f"{self.address} would take {self.after:,} passes for {self.before:,}, and may be "
            f"slower: {self.why}"
        )


class EditedFile(Struct, frozen=True):
    """A file of the author's before and after."""

    path: str
    before: str
    text: str


class GroupFront(ByIdentity, frozen=True, eq=False):
    """What competes for some allocations that share a layout: plans that can be written, of those
    that were looked at the ones that no other beats or equals in everything."""

    kernel: str
    allocations: tuple[str, ...]
    target: str
    plans: tuple[Plan, ...]


_NAMED = 4
"""Kernels that the last line names."""


@printed("bankwise.show.fix_story:print_fix")
class FixReport(Struct, frozen=True):
    """Before, after, the changes, the verdicts, the patch.

    Every change is proved: the verdict ``proof`` says of what, and what that rests on. Execution
    is the second judge. ``accept_sampled``: it need not have seen the whole launch. ``parts``: into
    how many an access was split, by its place in the text before. ``by_line``: the accesses are
    instructions that a compiler made, before and after, and only their lines go together;
    ``lines``: which line of a text before a line after is, none where all have their numbers
    still. ``fronts``: what else could be written. ``settings``: what to do with it in the framework
    that wrote the text, in lines. ``assumed``: what is taken if no conflict by a rule that nobody
    knows is real, in words. ``files``: where a folder was asked for, what goes below it, by
    path. ``modules``: of a dump of a compiler, the executables that are written in its place, by
    name. ``notes``: what the change may cost; ``slower``: why it may take longer though it has
    fewer conflicts. ``emitted``: kernels of the text that the answer leaves, as they are compiled:
    where there is one, it has the last word, not its text.
    ``gamble``: what is gained if a rule that nobody knows is as assumed, and lost if it is not;
    ``hinge``: gained, and nothing if it is not, or not if a rule of low confidence does not hold.
    ``texts``: the files that change, where headers are among them;
    ``passed_over``: texts with fewer passes that are left since they may be slower;
    ``accept_slower``: the user asked for the fewest passes, and none is.
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
    lines: Mapping[Location, Location] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    files: tuple[tuple[str, bytes], ...] = ()
    modules: tuple[tuple[str, str], ...] = ()
    assumed: str = ""
    notes: tuple[str, ...] = ()
    slower: tuple[str, ...] = ()
    emitted: tuple[KernelReport, ...] = ()
    gamble: str = ""
    hinge: str = ""
    passed_over: tuple[SlowerText, ...] = ()
    accept_slower: bool = False
    texts: tuple[EditedFile, ...] = ()

    @property
    def unsure(self) -> str:
        """What of the gain rests on rules that are not known, or weakly, in words."""
        return "; ".join(filter(None, (self.gamble, self.hinge)))

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
        return (
            "execution did not see the whole launch" if ran else "nothing was executed and compared"
        )

    @property
    def _where(self) -> str:
        """Of which text the last word is."""
        return "what is written" if self.accepted else "the text, which stays as it is"

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
            f"conflicts are possible in {self._where}": self.ends.conflict == "possible",
            f"{self._seen} (--accept-sampled takes the proof instead)": (
                self.sampled and not self.accept_sampled
            ),
            **{_silent(v): True for v in asked},
            "the proof holds for this launch alone": partly,
            **{one: True for v in self.verdicts for one in v.unproved},
            f"whether it gains is not known: {self.gamble} (measure both)": bool(self.gamble),
            f"whether it gains is not known: {self.hinge} (measure both)": bool(self.hinge),
            "it may be slower (note: ..)": (
                self.accepted and bool(self.slower) and not (self._timed or self.accept_slower)
            ),
            "something stays as it is (not changed: ..)": bool(self.refusals),
            f"not all is analysed and known{self._told_open}": not self.ends.accounted,
            **{f"{rule}, in the code": True for v in self.verdicts for rule in v.open},
            "the code that runs is another compiler's (--iree-compile)": any(
                v.foreign for v in self.verdicts
            ),
        }
        return tuple(reason for reason, holds in found.items() if holds)

    @property
    def _timed(self) -> bool:
        """Whether a GPU ran both texts, which names what is slower."""
        return any(v.judge == "run" and v.status == "passed" for v in self.verdicts)

    @property
    def _told_open(self) -> str:
        """Where it is told what is open."""
        found = [
            short(k.name) for k in self.ends.kernels if still_open(k, len(self.ends.refused(k)))
        ]
        more = [f"{len(found) - _NAMED} more kernels"] * (len(found) > _NAMED)
        if found:
            return f" (above: open in {', '.join((*found[:_NAMED], *more))})"
        return " (above: what is not analysed)" * bool(self.ends.refusals)

    @property
    def remaining(self) -> tuple[str, ...]:
        """What is left that is sure: the reasons of exit 1."""
        sure = [kernel for kernel in self.ends.kernels if kernel.conflict == "sure"]
        named = [f"{short(k.name)} ({adds(k.added)} {self.after.each(k.name)})" for k in sure]
        more = [f"{len(named) - _NAMED} more kernels"] * (len(named) > _NAMED)
        where = self._where
        where += ", by its emitted code" * any(k.compiled is not None for k in sure)
        left = f"conflicts are left in {where}: {', '.join((*named[:_NAMED], *more))}"
        found = dict.fromkeys(f"{one.rule}: {one.message}" for one in self.after.findings)
        return (*((left,) if sure else ()), *found)

    def reasons(self, code: int) -> tuple[str, ...]:
        """Why a run ends with an exit code; of 0 and 2 nothing."""
        found = {FINDINGS: self.remaining, INCOMPLETE: self.incomplete}.get(code, ())
        return (*found, *((_FEWEST,) if found and self.passed_over else ()))


_FEWEST = "--prefer fewest-passes writes what takes fewer passes and may be slower"


def _silent(verdict: Verdict) -> str:
    said = f" ({verdict.status})" * (verdict.status != "no answer")
    return f"{verdict.judge} gives no answer{said}"


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
    moved: tuple[Mapping[Location, Location], ...] = ({}, report.lines)
    for side, check, lines in zip(sides, (report.before, report.after), moved, strict=True):
        files = {one.file for one in lines}
        for one in (a for kernel in check.kernels for a in kernel.accesses):
            place = Location(one.location.file, one.location.line)
            place = lines.get(place, Location("") if place.file in files else place)
            side.setdefault((place, one.direction), []).append(one)
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
