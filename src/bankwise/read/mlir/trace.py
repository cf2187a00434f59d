"""Running the cut-down kernel for all threads of one workgroup, and noting what it touches.

Loops are run as often as needed, not as often as they say: as soon as everything that the body
depends on repeats (three buffers in rotation, or nothing at all), what was found so far is
multiplied instead of found again. An operation whose operands are the very same arrays as the last
time keeps its results, so that what does not vary in a loop is computed once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from iree.compiler import ir
from msgspec import Struct
from msgspec.structs import replace

from bankwise.counting.access import BoolArray, IntArray
from bankwise.counting.bound import Bound
from bankwise.errors import Location, Refusal
from bankwise.identity import ByIdentity
from bankwise.read.mlir.decode import Locate
from bankwise.read.mlir.footprint import Footprint, footprint, outside
from bankwise.read.mlir.indexing import ThreadIds
from bankwise.read.mlir.loops import (
    Body,
    Certainty,
    Counts,
    Key,
    Repetition,
    Round,
    run_all,
    run_until_repeated,
)
from bankwise.read.mlir.loops import rounds as loop_rounds
from bankwise.read.mlir.slice import Branch, Compute, KernelSlice, Loop, Made, Step, Visit
from bankwise.read.mlir.value import ActiveThreads, Outcome, UnknownValue, Value, chosen, either
from bankwise.read.mlir.views import PossibleView, View, size_bytes

MOST_PASSES = 65_536
"""Loop bodies run in one trace before a loop is refused."""


class Note(Struct, frozen=True):
    """Something that the reader of a result should know, and where."""

    text: str
    location: Location | None = None

    def __str__(self) -> str:
        return f"{self.location}: {self.text}" if self.location else self.text


class Seen(ByIdentity, frozen=True, eq=False):
    """One footprint of an access, and the induction values of the loops when it was first seen.

    ``really``: between which ends ``executions`` lie; None if they are exact.
    """

    footprint: Footprint
    iterations: tuple[int, ...]
    executions: int = 0
    really: Bound | None = None


class WorkgroupTrace(ByIdentity, frozen=True, eq=False):
    """What one workgroup touches: for each access its distinct footprints, in order of first use.

    ``allocations``: by name, what makes each, and the whole of it as a view.
    """

    seen: tuple[tuple[Seen, ...], ...]
    allocations: dict[str, tuple[Made, View]]
    refusals: tuple[Refusal, ...]
    notes: tuple[Note, ...]


def trace(program: KernelSlice, ids: ThreadIds, locate: Locate) -> WorkgroupTrace:
    """Run a cut-down kernel for the workgroup that ``ids`` names."""
    runner = _Runner(program, ids, locate)
    with np.errstate(all="ignore"):
        counts = runner.run(program.steps, ActiveThreads(ids, ids.valid), ())
    seen = tuple(
        tuple(
            _counted(each, counts, (number, index))
            for index, each in enumerate(runner.seen[number])
        )
        for number in range(len(program.touches))
    )
    refusals, notes = tuple(runner.refusals), tuple(runner.notes)
    return WorkgroupTrace(seen, runner.allocations, refusals, notes)


def _counted(each: Seen, counts: Counts, key: Key) -> Seen:
    sure, maybe, unknown = (counts[key, c] for c in ("sure", "may run", "any number"))
    really = Bound(sure, None if unknown else sure + maybe)
    executions = sure + maybe + unknown
    return replace(each, executions=executions, really=None if really.exact else really)


class _Runner:
    """The state of one run."""

    def __init__(self, program: KernelSlice, ids: ThreadIds, locate: Locate) -> None:
        self.ids = ids
        self.locate = locate
        self.values: list[Any] = [None] * program.slots
        self.memory: dict[Step, tuple[tuple[Any, ...], Any]] = {}
        self.seen: list[list[Seen]] = [[] for _ in program.touches]
        self.numbers: dict[Hashable, Key] = {}
        self.allocations: dict[str, tuple[Made, View]] = {}
        self.sizes: dict[str, int | None] = {}
        self.refusals: dict[Refusal, None] = {}
        self.notes: dict[Note, None] = {}
        self.passes = 0
        self.certainty: Certainty = "sure"

    def run(self, steps: Sequence[Step], scope: ActiveThreads, path: tuple[int, ...]) -> Counts:
        """Run steps once; how often each footprint occurs."""
        counts: Counts = Counter()
        for step in steps:
            if isinstance(step, Compute):
                self.compute(step, scope)
            elif isinstance(step, Visit):
                counts.update((key, self.certainty) for key in self.visit(step, scope, path))
            elif isinstance(step, Branch):
                counts.update(self.branch(step, scope, path))
            else:
                counts.update(self.loop(step, scope, path))
        return counts

    @contextmanager
    def unsure(self, certainty: Certainty) -> Iterator[None]:
        """What runs inside is less certain than what runs outside."""
        outside = self.certainty
        self.certainty = outside if outside == "any number" else certainty
        yield
        self.certainty = outside

    def refuse(self, reason: str, op: ir.Operation) -> None:
        """Report once that something cannot be analysed."""
        self.refusals.setdefault(Refusal(reason, self.locate(op)))

    def note(self, text: str, op: ir.Operation) -> None:
        """Tell once what the reader should know."""
        self.notes.setdefault(Note(text, self.locate(op)))

    def remembered(self, step: Step, operands: tuple[Any, ...]) -> Any:
        """The result of ``step`` if it last had these very operands; None otherwise."""
        last = self.memory.get(step)
        if last is None or any(a is not b for a, b in zip(last[0], operands, strict=True)):
            return None
        return last[1]

    def compute(self, step: Compute, scope: ActiveThreads) -> None:
        """Run one operation."""
        operands = tuple(self.values[slot] for slot in step.operands)
        outcome = self.remembered(step, (*operands, scope.active))
        if outcome is None:
            outcome = self.outcome(step, operands, scope)
            self.memory[step] = ((*operands, scope.active), outcome)
        for number, slot in enumerate(step.results):
            if slot is not None:
                self.values[slot] = (
                    outcome if isinstance(outcome, UnknownValue) else outcome[number]
                )

    def outcome(self, step: Compute, operands: Sequence[Any], scope: ActiveThreads) -> Outcome:
        """The results of one operation; an unknown operand makes them unknown."""
        outcome = _first_unknown(operands) or step.function(operands, scope)
        if isinstance(outcome, UnknownValue) and outcome.location is None:
            outcome = replace(outcome, location=self.locate(step.op))
        if step.allocates is not None:
            self.allocate(step.allocates, outcome)
        return outcome

    def allocate(self, made: Made, outcome: Outcome) -> None:
        """Keep the whole of an allocation."""
        if isinstance(outcome, UnknownValue):
            self.refuse(f"the allocation {made.name} depends on {outcome}", made.op)
            return
        assert isinstance(outcome, tuple)
        (value,) = outcome
        assert isinstance(value, tuple)
        (part,) = value
        assert isinstance(part, PossibleView)
        self.allocations[made.name] = (made, part.view)
        self.sizes[made.name] = size_bytes(part.view)

    def visit(self, step: Visit, scope: ActiveThreads, path: tuple[int, ...]) -> list[Key]:
        """Note the footprints of one access."""
        slots = (step.memref, *step.indices, *(() if step.mask is None else (step.mask,)))
        operands = tuple(self.values[slot] for slot in slots)
        known = self.remembered(step, (*operands, scope.active))
        if known is None:
            known = self.footprints(step, operands, scope, path)
            self.memory[step] = ((*operands, scope.active), known)
        return list(known)

    def footprints(
        self, step: Visit, operands: Sequence[Any], scope: ActiveThreads, path: tuple[int, ...]
    ) -> list[Key]:
        """The footprints of one access in each buffer that its memref can be."""
        op = step.touch.op
        unknown = _first_unknown(operands)
        if unknown is not None:
            what = "buffer" if unknown is operands[0] else "index"
            what = "mask" if step.mask is not None and unknown is operands[-1] else what
            self.refuse(f"the {what} of {op.name} depends on {unknown}", op)
            return []
        indices = operands[1 : 1 + len(step.indices)]
        mask = None if step.mask is None else operands[-1]
        keys = []
        for part in operands[0]:
            active = scope.active if part.active is None else scope.active & part.active
            if active.any():
                inner = replace(scope, active=active)
                found = footprint(step.touch, part.view, indices, mask, inner)
                keys.extend(self.record(step, found, path))
        return keys

    def record(self, step: Visit, found: Footprint | str, path: tuple[int, ...]) -> list[Key]:
        """Give a footprint its number, the old one if it was seen before."""
        if not isinstance(found, str):
            size = self.sizes[found.allocation]
            if size is None:
                found = f"the size of {found.allocation} is not the same for all threads"
            else:
                found = outside(found, step.touch, size, self.ids.wave_size) or found
        if isinstance(found, str):
            self.refuse(found, step.touch.op)
            return []
        identity = (step.number, found.identity())
        key = self.numbers.get(identity)
        if key is None:
            seen = self.seen[step.number]
            key = self.numbers[identity] = (step.number, len(seen))
            seen.append(Seen(found, path))
        return [key]

    def branch(self, step: Branch, scope: ActiveThreads, path: tuple[int, ...]) -> Counts:
        """Run an scf.if: one branch, both for different threads, or both because nobody knows."""
        condition = self.values[step.condition]
        if isinstance(condition, UnknownValue):
            return self.undecided(step, condition, scope, path)
        holds, first, second = self.split(step, condition, scope)
        counts: Counts = Counter()
        if first is not None:
            counts.update(self.run(step.then, first, path))
        if second is not None:
            counts.update(self.run(step.otherwise, second, path))
        for then, otherwise, result in step.results:
            if second is None:
                self.values[result] = self.values[then]
            elif first is None:
                self.values[result] = self.values[otherwise]
            else:
                self.values[result] = chosen(holds, self.values[then], self.values[otherwise])
        return counts

    def split(
        self, step: Branch, condition: IntArray, scope: ActiveThreads
    ) -> tuple[BoolArray, ActiveThreads | None, ActiveThreads | None]:
        """Which threads take which branch; a whole scope stays the same object."""
        known = self.remembered(step, (condition, scope.active))
        if known is None:
            holds = np.broadcast_to(condition != 0, scope.active.shape)
            known = (holds, _narrowed_scope(scope, holds), _narrowed_scope(scope, ~holds))
            self.memory[step] = ((condition, scope.active), known)
        holds, first, second = known
        return holds, first, second

    def undecided(
        self, step: Branch, why: UnknownValue, scope: ActiveThreads, path: tuple[int, ...]
    ) -> Counts:
        """Run both branches of an scf.if as possible."""
        self.note(f"both branches are counted: the condition depends on {why}", step.op)
        some = replace(scope, exact=False)
        with self.unsure("may run"):
            counts = self.run(step.then, some, path)
            counts.update(self.run(step.otherwise, some, path))
        for then, otherwise, result in step.results:
            self.values[result] = either(self.values[then], self.values[otherwise], why)
        return counts

    def loop(self, step: Loop, scope: ActiveThreads, path: tuple[int, ...]) -> Counts:
        """Run an scf.for, as far as it must be run."""
        bounds = [self.values[slot] for slot in (step.lower, step.upper, step.step)]
        reason = self.unbounded(step, bounds)
        ran = None
        if not reason:
            ran = self.rounds(step, bounds, scope, path)
            reason = f"scf.for runs more than {MOST_PASSES} rounds that all differ"
        if ran is None:
            self.refuse(reason, step.op)
        why = UnknownValue("the number of rounds of scf.for", self.locate(step.op))
        after = None if ran is None else ran.carried
        for number, each in enumerate(step.carried):
            if each.result is not None:
                self.values[each.result] = why if after is None else after[number]
        return Counter() if ran is None else ran.counts

    def unbounded(self, step: Loop, bounds: Sequence[Any]) -> str:
        """Why the rounds of a loop cannot be told, empty if they can."""
        unknown = _first_unknown(bounds)
        if unknown is None:
            return "" if (bounds[2] > 0).all() else "scf.for has a step that is not positive"
        if step.induction is not None:
            return f"accesses depend on the variable of scf.for, whose bounds depend on {unknown}"
        self.note(f"counted for one round of each kind: the bounds depend on {unknown}", step.op)
        return ""

    def rounds(
        self, step: Loop, bounds: Sequence[Any], scope: ActiveThreads, path: tuple[int, ...]
    ) -> Repetition | None:
        """Run the rounds of a loop; None if there are too many."""
        initial = [self.values[each.initial] for each in step.carried]
        if _first_unknown(bounds) is not None:
            some = replace(scope, exact=False)
            with self.unsure("any number"):
                return run_until_repeated(self.body(step, None, some, path), initial, None)
        count = loop_rounds(*bounds)
        counts = np.broadcast_to(count, scope.active.shape)[scope.active]
        most = int(counts.max(initial=0))
        body = self.body(step, bounds, scope, path)
        agree = bool((counts == most).all())
        if agree and step.induction is None:
            return run_until_repeated(body, initial, most)
        return run_all(body, initial, most)

    def body(
        self, step: Loop, bounds: Sequence[Any] | None, scope: ActiveThreads, path: tuple[int, ...]
    ) -> Body:
        """One round of a loop as a function of its number and of the carried values."""
        count = None if bounds is None else loop_rounds(*bounds)

        def run(number: int, carried: Sequence[Value]) -> Round | None:
            self.passes += 1
            if self.passes > MOST_PASSES:
                return None
            at = np.asarray(number if bounds is None else bounds[0] + number * bounds[2])
            if step.induction is not None:
                self.values[step.induction] = at
            for each, value in zip(step.carried, carried, strict=True):
                self.values[each.argument] = value
            going = scope if count is None else _narrowed_scope(scope, np.asarray(number < count))
            assert going is not None
            first = int(at.flat[0] if at.ndim == 0 else at[going.active][0])
            counts = self.run(step.body, going, (*path, first))
            after = [self.values[each.yielded] for each in step.carried]
            if going is not scope:
                merged = zip(after, carried, strict=True)
                after = [chosen(going.active, new, old) for new, old in merged]
            return counts, after

        return run


def _first_unknown(values: Sequence[Any]) -> UnknownValue | None:
    return next((value for value in values if isinstance(value, UnknownValue)), None)


def _narrowed_scope(scope: ActiveThreads, holds: BoolArray) -> ActiveThreads | None:
    """The scope of the threads for which ``holds``; the same object if that is all of them."""
    active = scope.active & holds
    if (active == scope.active).all():
        return scope
    return replace(scope, active=active) if active.any() else None
