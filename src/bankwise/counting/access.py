"""Accesses: which lane of which wave touches which bytes of which allocation, and how often.

An :class:`Access` is one operation of a program text (one ``vector.load``, say). Executed by all
waves of one workgroup it touches what its :class:`Pattern` values say: a new pattern for every
loop iteration in which the bytes, the active lanes or the allocation differ.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from bankwise.counting.bound import Bound
from bankwise.errors import Location
from bankwise.hardware.machine import AccessKind, Direction
from bankwise.identity import ByIdentity

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
_Number = TypeVar("_Number", bound=np.generic)


def distinct(values: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    """The different numbers of an array, sorted, as ``np.unique``, which first loads numpy's masked
    arrays: as long as following a small kernel takes."""
    every = np.sort(values, axis=None)
    new: BoolArray = np.concatenate([every[:1] == every[:1], every[1:] != every[:-1]])
    return every[new]


def row_bytes(values: npt.NDArray[Any]) -> list[bytes]:
    """What tells the rows of an array apart, along its first axis: for dictionaries."""
    text, size = values.tobytes(), values[:1].nbytes
    return [text[start : start + size] for start in range(0, len(text), max(1, size))]


class Pattern(ByIdentity, frozen=True, eq=False):
    """What all waves of one workgroup touch in one execution of an access.

    ``offsets_bytes``: int64 [waves, lanes], the first byte of every lane, from the start of the
    allocation. ``active``: bool [waves, lanes]. ``allocation``: the name of the allocation.
    ``executions``: in how many executions per workgroup this pattern occurs, as followed;
    ``really``: between which ends the truth lies, None if that is exact.
    ``iterations``: the first induction values of the enclosing loops, outermost first.
    ``anywhere``: 0, or the offsets of each wave count from a place that nobody knows, a multiple of
    so many bytes.
    """

    offsets_bytes: IntArray
    active: BoolArray
    allocation: str
    executions: int = 1
    iterations: tuple[int, ...] = ()
    really: Bound | None = None
    anywhere: int = 0


class Access(ByIdentity, frozen=True, eq=False):
    """One operation on shared memory, for all waves of one workgroup.

    ``width_bytes``: contiguous bytes per lane. ``element_bytes``: size of one element of the memref
    in the text (of the allocation too, unless a view changes the type). ``alignment_bytes``: the
    largest power of two (at most 16) dividing every offset. ``operation``: the name in the
    text ("vector.load"). ``shared_index`` numbers the accesses of a kernel in program order.
    ``variant`` completes the instruction's name where the width does not:
    the shape of an ldmatrix ("x4.trans"), the kind of an atomic ("add_f32").
    Of machine code: ``address``, of the instruction in its kernel, in bytes, None where the text
    has none; ``written``: its mnemonic as written, "LDS.128" or "ds_read_b64", empty otherwise.
    """

    operation: str
    direction: Direction
    kind: AccessKind
    width_bytes: int
    element_bytes: int
    alignment_bytes: int
    location: Location
    kernel: str
    patterns: tuple[Pattern, ...]
    shared_index: int = 0
    note: str = ""
    variant: str = ""
    address: int | None = None
    written: str = ""

    @property
    def executions(self) -> int:
        """Executions per workgroup, all patterns together."""
        return sum(p.executions for p in self.patterns)

    @property
    def allocations(self) -> tuple[str, ...]:
        """The allocations touched, in order of first use."""
        return tuple(dict.fromkeys(p.allocation for p in self.patterns))


class Allocation(Struct, frozen=True):
    """A piece of shared memory of one kernel. ``shape`` and ``strides`` are in elements."""

    name: str
    kernel: str
    location: Location
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    element_bytes: int
    element_type: str

    @property
    def size_bytes(self) -> int:
        """Bytes from the first to behind the last element."""
        if 0 in self.shape:
            return 0
        steps = zip(self.shape, self.strides, strict=True)
        return (1 + sum((n - 1) * s for n, s in steps)) * self.element_bytes
