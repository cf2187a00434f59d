"""A program made ready for runs from a start: what can be worked out before anything runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from bankwise.read.follow.lost import without_lost
from bankwise.read.follow.program import Program
from bankwise.read.follow.state import State
from bankwise.read.follow.values import Unknown
from bankwise.read.follow.widen import address_registers, loop_heads


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A program as it is ``written``, and without the steps whose results are lost.

    ``open_branches``: those that a lost register decides, by their lines; ``heads``: of loops;
    ``addresses``: what addresses are computed from, at the start of every block; of a program
    without loops nobody asks.
    """

    written: Program
    program: Program
    open_branches: Mapping[int, Unknown]
    heads: frozenset[int]
    addresses: Sequence[Collection[str]]


def prepared(written: Program, start: State) -> Prepared:
    """``written`` for runs from ``start``, and from others that have other numbers in the same
    registers: what is lost with one number may be taken for lost with all."""
    program, open_branches = without_lost(written, start)
    heads = loop_heads(program)
    addresses = address_registers(program) if heads else ()
    return Prepared(written, program, open_branches, heads, addresses)
