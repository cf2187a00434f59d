"""Rules of low confidence, and the machines on which another rule that is stated holds instead.

A gain may rest on one: it is worth naming where confidence is low enough, and where the machine
file says as a row how the instruction would be served otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from bankwise.hardware.machine import Instruction, Machine

NAMED_BELOW = 0.7
"""Confidence below which a rule is named where the sign of a gain rests on it: one in three such
rules may be wrong. Rules that nobody knows are named whatever theirs is."""


class WeakRule(Struct, frozen=True):
    """A rule of low confidence. ``otherwise``: the instruction as whose the other stated rule
    serves it; ``machine``: the one on which that holds."""

    row: Instruction
    otherwise: str
    machine: Machine


def weak_rules(gpu: Machine, names: Iterable[str]) -> Iterator[WeakRule]:
    """Of the instructions called ``names`` those whose rule is known, weakly, and has a rival."""
    for row in (gpu.instruction(name) for name in dict.fromkeys(names)):
        if row.evidence == "unknown" or row.confidence >= NAMED_BELOW:
            continue
        for other in (each.served_as for each in row.alternatives if each.served_as):
            served = gpu.instruction(other)
            changed = replace(row, banks=served.banks, phases=served.phases, span=served.span)
            rows = {**gpu.instructions, row.name: changed}
            yield WeakRule(row, other, replace(gpu, instructions=rows))
