"""Narrowing: issuing an access as more, narrower instructions, so that its vector pins less.

A 16-byte store pins three directions of f16 and takes banks away from every other access; two
8-byte stores pin two. The price is twice the instructions: a narrowed access weighs twice as much.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bankwise.hardware.machine import Direction
from bankwise.solver.problem import Problem, Request, TileAccess, problem

WIDTHS = (8, 4)
"""Bytes of a lane to which an access is narrowed for fewer passes."""

ANY_WIDTHS = (8, 4, 2, 1)
"""Where no layout serves the accesses as they are."""

_WHO: tuple[tuple[Direction, ...], ...] = (("write",), ("read",), ("read", "write"))


@dataclass(frozen=True, slots=True)
class Narrowed:
    """A problem in which some accesses are narrower. ``notes`` says which, in words."""

    problem: Problem
    notes: tuple[str, ...]


def narrowed(
    stated: Problem, named: tuple[str, ...] = (), widths: tuple[int, ...] = WIDTHS
) -> Iterator[Narrowed]:
    """The problem with its stores, its loads or both at most 8, then 4 bytes wide.

    ``named``: accesses whose instruction the user chose; they stay.
    """
    seen = {tuple(len(a.vector) for a in stated.accesses)}
    for who in _WHO:
        for width in widths:
            requests = [_request(stated, a, who, width, named) for a in stated.accesses]
            vectors = tuple(len(r.vector or ()) for r in requests)
            if vectors in seen:
                continue
            seen.add(vectors)
            narrow = problem(stated.machine, stated.tile, requests, widen=False)
            pairs = zip(stated.accesses, narrow.accesses, strict=True)
            notes = [
                f"{a.name} as {b.weight // a.weight} x {b.instruction}"
                for a, b in pairs
                if a.vector != b.vector
            ]
            yield Narrowed(narrow, tuple(notes))


def _request(
    stated: Problem, a: TileAccess, who: tuple[Direction, ...], width: int, named: tuple[str, ...]
) -> Request:
    op, keep = a.instruction.direction, len(a.vector)
    if op in who and a.kind == "plain" and a.name not in named:
        keep = max(0, min(keep, (8 * width // stated.tile.element_bits).bit_length() - 1))
    dropped = a.vector[keep:]
    fixed = a.instruction.name if not dropped else None
    return Request(
        a.name,
        op,
        a.lanes,
        a.vector[:keep],
        (*dropped, *a.registers),
        a.weight << len(dropped),
        fixed,
        a.kind,
    )
