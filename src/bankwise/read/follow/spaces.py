"""Which memory a pointer of NVIDIA leads to, by what it is made of.

A pointer into shared memory is a number of a window that no host knows: what the host passes to a
kernel never lies in it, and a pointer and numbers are a pointer into the same memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np

from bankwise.read.follow.values import Array

Origin = Literal["number", "host", "shared", "any"]
"""A number that is no pointer; what the host passes; an address of shared memory; anything."""

WINDOW_HIGH = 0x5EA7_51DE
"""Stands for the upper word of the addresses of shared memory: a placeholder that no program
computes by chance; nothing but equality with it is asked."""

OTHER_BLOCK = "mapa, which leads to another block's shared memory"
"""Why an address is not followed: what lies there is served by another multiprocessor, and no
counter of shared memory shows it (NVIDIA H200, tests/data/h200_units.csv)."""

NOT_SHARED = -1
"""The byte of a lane whose address lies outside of shared memory."""


_HIGH, _LOW = np.uint64(WINDOW_HIGH << 32), np.uint64(0xFFFFFFFF)


def to_window(address: Array) -> Array:
    """An address of shared memory as a generic one."""
    return np.asarray((address.astype(np.uint64) & _LOW) | _HIGH)


def from_window(address: Array) -> Array:
    """A generic address as one of shared memory."""
    return np.asarray(address.astype(np.uint64) & _LOW)


def in_window(address: Array) -> Array:
    """Whether a generic address is one of shared memory."""
    return np.asarray(address.astype(np.uint64) & ~_LOW == _HIGH)


def shared_byte(address: Array) -> Array:
    """The byte of shared memory, int64; -1 where the address is of other memory."""
    return np.where(in_window(address), from_window(address).astype(np.int64), NOT_SHARED)


def either(a: Origin, b: Origin) -> Origin:
    """What is one or the other."""
    if a == b:
        return a
    return "host" if {a, b} == {"number", "host"} else "any"


def either_of(origins: Iterable[Origin]) -> Origin:
    """What is one of some; anything, if there are none."""
    found: Origin | None = None
    for one in origins:
        found = one if found is None else either(found, one)
    return found or "any"


def sum_of(origins: Iterable[Origin]) -> Origin:
    """A pointer and numbers are a pointer into the same memory; what the host passes may be a
    number."""
    rest = [one for one in origins if one != "number"]
    if not rest or set(rest) == {"host"}:
        return rest[0] if rest else "number"
    return "shared" if set(rest) <= {"host", "shared"} and rest.count("shared") == 1 else "any"
