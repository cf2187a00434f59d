"""The kernel: what every reader yields, what is counted, solved and printed.

Readers differ in what they know. MLIR knows elements and leaves the instruction to a policy;
emitted code knows the instruction and follows addresses; TTGIR and spec files know layouts and
emit by rule. All end here: an access is one operation of a text that all waves of one workgroup
execute; each of its distinct patterns (:class:`IssuedPattern`) says which instructions every wave
issues, with which bytes of which lanes, and how often.

Worked example: a loop of 16 rounds over two buffers in rotation, one ``ds_read_b128`` per round,
is one access with two patterns, 8 executions each. The same loop of unknown length: two patterns,
followed once each, in truth any number of times (``really`` is unknown).
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from bankwise.counting.access import BoolArray, IntArray
from bankwise.counting.bound import Bound, exactly, total
from bankwise.errors import Location
from bankwise.hardware.machine import AccessKind, Direction
from bankwise.identity import ByIdentity

InstructionSource = Literal["predicted", "emitted"]
Size = tuple[int, int, int]


class WaveInstruction(ByIdentity, frozen=True, eq=False):
    """One instruction, executed once by every wave.

    ``name``: a row of the machine file. ``offsets_bytes``: int64 [waves, lanes], the first byte of
    every lane; ``active``: bool [waves, lanes]. ``apart_bytes``: of a two-address form, from there
    to the second address; None for the bytes right behind the first.
    """

    name: str
    offsets_bytes: IntArray
    active: BoolArray
    apart_bytes: int | None = None


class IssuedPattern(ByIdentity, frozen=True, eq=False):
    """One distinct way in which an access runs: its instructions, and in how many executions.

    ``executions``: per workgroup, as followed. ``really``: between which ends the truth lies, None
    if ``executions`` is exact. ``iterations``: the first induction values of the enclosing loops.
    ``anywhere``: 0, or the offsets of each wave count from a place that nobody knows, a multiple of
    so many bytes, and as aligned as the instruction demands.
    """

    instructions: tuple[WaveInstruction, ...]
    allocation: str
    executions: int = 1
    really: Bound | None = None
    iterations: tuple[int, ...] = ()
    anywhere: int = 0

    @property
    def times(self) -> Bound:
        """How often it runs."""
        return exactly(self.executions) if self.really is None else self.really


class KernelAccess(ByIdentity, frozen=True, eq=False):
    """One operation on shared memory, for all waves of one workgroup.

    ``patterns`` all issue the same instructions, each at its own places. ``some_lanes``: nobody
    knows which of the active lanes take part. ``unseen``: why it may run in other ways, too, that
    nobody has seen; empty if not. ``one_workgroup``: the patterns are those of one workgroup, and
    another one has others. ``address``, ``written``: where the instruction stands and how
    it is written, of machine code (:class:`bankwise.counting.access.Access`). ``origin``: the place
    in the author's source that a compiler names for it, None if it names none. ``joins``: the read
    with which a compiler may make one two-address instruction of it, in words; empty if none.
    """

    location: Location
    operation: str
    kind: AccessKind
    direction: Direction
    patterns: tuple[IssuedPattern, ...]
    source: InstructionSource = "predicted"
    note: str = ""
    some_lanes: bool = False
    unseen: str = ""
    one_workgroup: bool = False
    address: int | None = None
    written: str = ""
    origin: Location | None = None
    joins: str = ""

    @property
    def allocations(self) -> tuple[str, ...]:
        """What it touches, in order of first use."""
        return tuple(dict.fromkeys(p.allocation for p in self.patterns))

    @property
    def times(self) -> Bound:
        """How often it runs per workgroup."""
        known = total(p.times for p in self.patterns)
        return Bound(known.low, None) if self.unseen else known


class AllocationReport(Struct, frozen=True):
    """One shared allocation: its size and what part of the machine's shared memory it takes."""

    name: str
    kernel: str
    location: Location
    bytes: int
    share: float


class Kernel(ByIdentity, frozen=True, eq=False):
    """One kernel. ``target``: the machine to count for. ``grid``: workgroups, None if unknown.

    ``notes``: what was assumed.
    """

    name: str
    target: str
    location: Location
    workgroup_size: Size
    grid: Size | None
    lds_bytes: int
    accesses: tuple[KernelAccess, ...]
    allocations: tuple[AllocationReport, ...] = ()
    notes: tuple[str, ...] = ()
