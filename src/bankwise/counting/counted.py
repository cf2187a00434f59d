"""A counted access, whoever read it. Nothing is computed here but sums of what was counted.

``cost`` is one execution by all waves of one workgroup, ``run`` all executions of a workgroup. A
number that is not exact says between which ends it lies (:mod:`bankwise.counting.cost`); a number
under a rule whose evidence is "unknown" is *assumed*, however exact its count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bankwise.counting.bound import Bound, exactly
from bankwise.counting.conflict import Witness
from bankwise.counting.cost import Cost
from bankwise.counting.kernel import InstructionSource
from bankwise.counting.reason import Reason
from bankwise.errors import Location
from bankwise.hardware.machine import AccessKind, Direction, Evidence

Sureness = Literal["none", "possible", "sure"]


@dataclass(frozen=True, slots=True)
class Iteration:
    """One distinct pattern of an access: in how many executions, at what cost.

    ``really``: where the executions are not exact, between which ends they lie.
    """

    first: tuple[int, ...]
    allocation: str
    executions: int
    cost: Cost
    really: Bound | None = None


@dataclass(frozen=True, slots=True)
class Lanes:
    """The costliest execution of an access, lane by lane, for whoever draws it.

    ``instruction`` of ``wave`` touches ``offsets_bytes[lane]`` first, on the ``active`` lanes.
    ``apart_bytes``: from there to the second address of a two-address form, None if it has one.
    """

    instruction: str
    wave: int
    offsets_bytes: tuple[int, ...]
    active: tuple[bool, ...]
    apart_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class AccessReport:
    """One access to shared memory, predicted (or read from the emitted code).

    ``issued``: the instructions that one execution issues per wave, by name. ``executions``: per
    workgroup, as followed; ``times``: between which ends they lie. ``share``: its part of the
    kernel's LDS time. ``evidence``, ``confidence``: of the least certain row. ``address``,
    ``written``: of machine code, where the instruction stands and how it is written.
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
    reason: Reason | None
    evidence: Evidence
    confidence: float
    note: str
    iterations: tuple[Iteration, ...]
    share: float = 0.0
    lanes: Lanes | None = None
    address: int | None = None
    written: str = ""

    @property
    def instruction(self) -> str:
        """The name of the instruction; of several the distinct names, ``b64 + b32``."""
        return " + ".join(dict.fromkeys(self.issued))

    @property
    def instructions(self) -> int:
        """How many instructions one execution issues per wave."""
        return len(self.issued)

    @property
    def counted(self) -> bool:
        """Whether ``executions`` is exact."""
        return self.times == exactly(self.executions)

    @property
    def assumed(self) -> bool:
        """Whether nobody knows the rule that it is counted by."""
        return self.evidence == "unknown"

    @property
    def conflict(self) -> Sureness:
        """Whether it conflicts: "sure" if it does whenever it runs, by a rule that is known.

        How often that is, ``run`` says: a loop of unknown length hides no conflict.
        """
        if self.run.ends.extra.high == 0:
            return "none"
        whenever = any(i.cost.ends.extra.low for i in self.iterations)
        return "sure" if whenever and not self.assumed else "possible"

    @property
    def rule(self) -> str:
        """The rule this access breaks; empty if none."""
        return "bank-conflict" if self.run.extra > 0 else ""
