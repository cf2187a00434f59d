"""A counted access, whoever read it. Nothing is computed here but sums of what was counted.

``cost`` is one execution by all waves of one workgroup, the first; ``run`` all executions of a
workgroup. A number that is not exact says between which ends it lies
(:mod:`bankwise.counting.cost`); a number under a rule whose evidence is "unknown" is *assumed*,
however exact its count.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from bankwise.counting.bound import Bound, around, exactly
from bankwise.counting.conflict import Witness
from bankwise.counting.cost import Cost, Ends
from bankwise.counting.kernel import InstructionSource
from bankwise.counting.reason import Meeting, Reason
from bankwise.errors import Location
from bankwise.hardware.machine import LEVELS, AccessKind, Direction, Evidence

Sureness = Literal["none", "possible", "sure"]


class Iteration(Struct, frozen=True):
    """One distinct pattern of an access: in how many executions, at what cost.

    ``really``: where the executions are not exact, between which ends they lie.
    """

    first: tuple[int, ...]
    allocation: str
    executions: int
    cost: Cost
    really: Bound | None = None


class Lanes(Struct, frozen=True):
    """The costliest execution of an access, lane by lane, for whoever draws it.

    ``instruction`` of ``wave`` touches ``offsets_bytes[lane]`` first, on the ``active`` lanes.
    ``apart_bytes``: from there to the second address of a two-address form, None if it has one.
    """

    instruction: str
    wave: int
    offsets_bytes: tuple[int, ...]
    active: tuple[bool, ...]
    apart_bytes: int | None = None


class AccessReport(Struct, frozen=True):
    """One access to shared memory, predicted (or read from the emitted code).

    ``issued``: the instructions that one execution issues per wave, by name. ``executions``: per
    workgroup, as followed; ``times``: between which ends they lie. ``share``: its part of the
    kernel's LDS time. ``evidence``, ``confidence``: of the least certain row.
    ``one_workgroup``: it is counted for one workgroup, and others touch other places. ``address``,
    ``written``: of machine code, where the instruction stands and how it is written.
    ``origin``: the author's place that a compiler names for it, where that is another.
    ``over_launches``: its conflict over several launches of its kernel, None if there is one.
    ``joins``: the read that it may be served together with, which is counted otherwise: numbers are
    those of the access alone, and between which ends they lie. ``across_words``: a lane begins
    inside of a word and ends in another, which the hardware takes apart as nobody knows.
    """

    location: Location
    kernel: str
    operation: str
    kind: AccessKind
    allocations: tuple[str, ...]
    direction: Direction
    issued: tuple[str, ...]
    instruction_source: InstructionSource
    waves: int
    executions: int
    times: Bound
    cost: Cost
    run: Cost
    ways: int
    witness: Witness | None
    reason: Reason | Meeting | None
    evidence: Evidence
    confidence: float
    note: str
    iterations: tuple[Iteration, ...]
    share: float = 0.0
    lanes: Lanes | None = None
    one_workgroup: bool = False
    address: int | None = None
    written: str = ""
    origin: Location | None = None
    over_launches: Sureness | None = None
    joins: str = ""
    across_words: bool = False

    @property
    def instruction(self) -> str:
        """The name of the instruction; of several the distinct names, ``b64 + b32``."""
        return " + ".join(dict.fromkeys(self.issued))

    @property
    def ruled(self) -> str:
        """What the rule is of: the instruction, and where it is none of whole words."""
        return f"{self.instruction} across words" if self.across_words else self.instruction

    @property
    def called(self) -> str:
        """The instruction as the text that was read writes it; of a source, as predicted."""
        return self.written or self.instruction

    @property
    def instructions(self) -> int:
        """How many instructions one execution issues per wave."""
        return len(self.issued)

    @property
    def counted(self) -> bool:
        """Whether ``executions`` is exact."""
        return self.times == exactly(self.executions)

    @property
    def apiece(self) -> Ends:
        """Between which ends an execution lies, whichever it is: ``cost`` is that of the first."""
        every = [self.cost.ends, *(one.cost.ends for one in self.iterations)]
        passes, ideal = around(e.passes for e in every), around(e.ideal for e in every)
        return Ends(passes, ideal, around(e.extra for e in every))

    @property
    def assumed(self) -> bool:
        """Whether nobody knows the rule that it is counted by."""
        return self.evidence == "unknown"

    @property
    def taken(self) -> bool:
        """Whether its rule is assumed at best: free of conflicts by it is no promise."""
        return self.evidence in ("assumed", "unknown")

    @property
    def conflict(self) -> Sureness:
        """Whether it conflicts: "sure" if it does whenever it runs, by a rule that is known.

        How often that is, ``run`` says: a loop of unknown length hides no conflict.
        """
        if self.over_launches is not None:
            return self.over_launches
        if self.run.ends.extra.high == 0:
            return "none"
        whenever = any(i.cost.ends.extra.low for i in self.iterations)
        return "sure" if whenever and not self.assumed else "possible"

    @property
    def surely_free(self) -> bool:
        """Whether it never conflicts: in no workgroup, with no lanes, however often it runs, and by
        a rule that is known."""
        return self.conflict == "none" and not self.taken and not self.one_workgroup

    @property
    def rule(self) -> str:
        """The rule this access breaks; empty if none."""
        return "bank-conflict" if self.run.extra > 0 else ""


def repeated(access: AccessReport, times: int) -> AccessReport:
    """An access that runs so many times, in a workgroup, as it was followed once."""
    executions = access.executions * times
    again = (
        replace(one, executions=one.executions * times, really=None) for one in access.iterations
    )
    return replace(
        access,
        executions=executions,
        times=exactly(executions),
        run=sum((one.cost * one.executions for one in access.iterations), Cost()) * times,
        iterations=tuple(again),
    )


class Added(Struct, frozen=True):
    """What the conflict counter adds for some accesses together.

    ``known``: by rules that are known. ``assumed``: what is counted by rules that nobody knows,
    None if there are none such: a count under an unknown rule bounds nothing, so it is never added
    to the other. ``evidence``: of the least certain of all these rules, None without any.
    """

    known: Cost
    assumed: Cost | None
    evidence: Evidence | None

    @property
    def bound(self) -> Bound:
        """Between which ends the counter's number lies."""
        known = self.known.ends.extra
        return known if self.assumed is None else Bound(known.low, None)


def added(counted: Iterable[tuple[AccessReport, Cost]]) -> Added:
    """Of accesses with what each of them costs: as often as the caller asks about."""
    return summed((cost, access.evidence) for access, cost in counted)


def summed(costs: Iterable[tuple[Cost, Evidence]]) -> Added:
    """The same of costs, each with the evidence of its rule."""
    pairs = list(costs)
    assumed = [cost for cost, evidence in pairs if evidence == "unknown"]
    return Added(
        sum((cost for cost, evidence in pairs if evidence != "unknown"), Cost()),
        sum(assumed, Cost()) if assumed else None,
        max((evidence for _, evidence in pairs), key=LEVELS.index, default=None),
    )
