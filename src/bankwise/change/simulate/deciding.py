"""The registers of a PTX kernel that decide which ways its threads go and where they touch memory.

    ld.shared.f32 %f1, [%r1];         %r1 decides a place, %f1 does not
    fma.rn.f32 %f3, %f1, %f2, %f3;    nothing here decides anything
    add.s32 %r2, %r2, 1;              does, with %r2 below
    setp.lt.s32 %p1, %r2, %r3;
    @%p1 bra LOOP;

One set for the whole kernel: a register that decides something somewhere does so everywhere. Where
a value that decides comes from memory, all that is stored may.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from bankwise.read.ptx.parse import Statement

REGISTER = re.compile(r"%[\w.$]+")


def deciding(
    statements: Sequence[Statement], is_plain: Callable[[Statement], bool]
) -> frozenset[str]:
    """``is_plain``: whether a statement loads, stores or computes, and no more; of any other all
    registers decide."""
    wanted: set[str] = set()
    made: list[tuple[set[str], set[str], bool]] = []
    stored: set[str] = set()
    hands_over = any(one.parts[:2] == ["st", "param"] for one in statements)
    for one in statements:
        wanted |= _in(one.guard)
        if not is_plain(one):
            wanted |= _in(*one.operands)
            continue
        word, (first, *others) = one.parts[0], one.operands
        if word == "st":
            wanted |= _in(first)
            stored |= _in(*others)
            continue
        loads = word in ("ld", "ldu")
        wanted |= _in(*others) if loads else set()
        made.append((_in(first), _in(*others), loads and (hands_over or "param" not in one.parts)))
    grown = True
    while grown:
        before = len(wanted)
        for writes, reads, loads in made:
            if not writes.isdisjoint(wanted):
                wanted |= reads | (stored if loads else set())
        grown = len(wanted) > before
    return frozenset(wanted)


def _in(*texts: str) -> set[str]:
    return {name for text in texts for name in REGISTER.findall(text)}
