"""The instruction mix of an emitted kernel, and how often its instructions run.

Assembly says which instructions stand in a loop, not how often the loop runs. The IR says how many
bytes every lane moves through shared memory, but not in which instructions. Together they give the
number of executed instructions: joining two 4-byte reads into one changes their number, never the
bytes, so that for a kernel with loops of one common trip count

    bytes of a lane = bytes outside loops + trips * bytes inside        =>  trips

which must come out whole, or nothing is claimed. Counted like ``SQ_INSTS_LDS``: one per wave and
instruction, lane exchanges (``ds_bpermute``, ``ds_swizzle``) included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from bankwise.hardware.machine import Machine
from bankwise.read.emitted import EmittedStep, Listing, SharedInstruction


class InstructionCount(Struct, frozen=True):
    """One kind of instruction: how many stand outside and inside of loops."""

    name: str
    outside: int
    inside: int

    @property
    def static(self) -> int:
        """How many stand in the text."""
        return self.outside + self.inside

    def executed(self, trips: int) -> int:
        """How many one wave executes if every loop runs ``trips`` times."""
        return self.outside + trips * self.inside


class LoopLines(Struct, frozen=True):
    """The lines of a loop: from the label that a later branch goes back to, to that branch."""

    first: int
    last: int


def loops(steps: Sequence[EmittedStep]) -> tuple[LoopLines, ...]:
    """The loops of a kernel, in the order of the text; a nested one lies inside another."""
    found: dict[int, LoopLines] = {}
    for step in steps:
        if 0 < step.goes_to <= step.line:
            found[step.goes_to] = LoopLines(step.goes_to, step.line)
    return tuple(sorted(found.values(), key=lambda loop: (loop.first, -loop.last)))


def mix(listing: Listing, prefixes: tuple[str, ...] = ("ds_",)) -> tuple[InstructionCount, ...]:
    """The instructions whose names begin with one of ``prefixes``, sorted by name."""
    where = loops(listing.steps)
    outside: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    for step in listing.steps:
        if step.name.startswith(prefixes):
            (inside if _within(step.line, where) else outside)[step.name] += 1
    names = sorted(outside.keys() | inside.keys())
    return tuple(InstructionCount(name, outside[name], inside[name]) for name in names)


def trips(listing: Listing, lane_bytes: int, machine: Machine) -> int | None:
    """How often the loops of the kernel run, if one number explains the traffic.

    ``lane_bytes``: bytes that every lane moves through shared memory by loads and stores in one
    execution of the kernel, as the IR says; direct-to-LDS copies are neither. 1 for a kernel
    without loops that moves just these. None if no whole number fits: loops of different lengths,
    or accesses that some waves skip.
    """
    where = loops(listing.steps)
    inside = outside = 0
    for one in listing.shared:
        if "_lds" in one.name:
            continue
        size = bytes_of(one, machine)
        if size is None:
            return None
        inside += size if _within(one.line, where) else 0
        outside += 0 if _within(one.line, where) else size
    if not inside:
        return 1 if lane_bytes == outside else None
    times, rest = divmod(lane_bytes - outside, inside)
    return times if times >= 1 and not rest else None


def bytes_of(instruction: SharedInstruction, machine: Machine) -> int | None:
    """Bytes that one lane moves, None for an instruction that the machine file does not know."""
    row = machine.instructions.get(instruction.name)
    if row is None:
        return None
    return row.width_bytes * row.addresses


def executed(uses: Sequence[InstructionCount], times: int) -> int:
    """Instructions that one wave executes."""
    return sum(use.executed(times) for use in uses)


def _within(line: int, where: Sequence[LoopLines]) -> bool:
    return any(loop.first <= line <= loop.last for loop in where)
