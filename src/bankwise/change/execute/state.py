"""The running state of one workgroup: threads, masks, waves, faults and outstanding copies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from iree.compiler import ir
from msgspec import Struct, field

from bankwise.change.execute.shadow import Shadow, finish
from bankwise.counting.access import BoolArray, IntArray, distinct
from bankwise.errors import InputError, Location
from bankwise.identity import ByIdentity
from bankwise.read.mlir.indexing import ThreadIds

Kind = Literal["poison", "bounds", "write-write", "race", "dma", "barrier"]
"""What can go wrong: reading LDS that nobody wrote; leaving a buffer; two lanes writing different
values to one element in one operation; unordered accesses of two waves; touching LDS that a copy
still fills; waves that do not meet at a barrier."""

Step = Callable[..., tuple[Any, ...]]
"""One operation, its attributes read: ``step(state, *operands) -> results``."""


class Fault(Struct, frozen=True):
    """One thing that went wrong, told once per operation and kind, with its first witness.

    ``site`` numbers the operations of the same name in program order, from 0: it stays the same
    when a rewrite only inserts other operations. ``thread`` is the linear thread number in
    the workgroup. ``shared``: it is about shared memory.
    """

    kind: Kind
    message: str
    location: Location
    operation: str
    site: int
    workgroup: tuple[int, int, int]
    thread: int = 0
    shared: bool = False

    def __str__(self) -> str:
        return f"{self.location}: {self.kind}: {self.operation}: {self.message}"


class Node(ByIdentity, frozen=True, eq=False):
    """One operation of the program with its place. ``site`` as in :class:`Fault`."""

    op: ir.Operation
    name: str
    location: Location
    site: int

    def refuse(self, reason: str, hint: str = "") -> InputError:
        """The error for an operation, or a form of one, that is not executed."""
        return InputError(f"{self.name}: {reason}", location=self.location, hint=hint)


class Copy(Struct, eq=False):
    """An entry of a wave's queue of vector-memory operations: an LDS copy, or another (``None``).

    ``group``: the number of the group it was committed to, -1 while it is in none.
    """

    shadow: Shadow | None
    granules: IntArray
    number: int
    group: int = -1


class WorkgroupState(Struct, eq=False):
    """What one running workgroup has. ``mask`` None: all threads are active.

    ``slots``: the SSA values, by the numbers that the program gave them. ``copies``: the places
    of the copies begun so far. ``globals``: the named shared memory in use.
    """

    ids: ThreadIds
    buffers: Sequence[npt.NDArray[Any]]
    wave_of: IntArray
    mask: BoolArray | None
    epochs: npt.NDArray[np.int32]
    queues: list[list[Copy]]
    groups: list[int]
    copies: list[Location] = field(default_factory=list)
    slots: list[Any] = field(default_factory=list)
    globals: dict[str, Any] = field(default_factory=dict)
    faults: dict[tuple[Location, int, Kind], Fault] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def threads(self) -> int:
        """Rows of a value: the threads of the workgroup, filled up to whole waves."""
        return len(self.wave_of)

    @property
    def active(self) -> BoolArray:
        """The active threads, [threads]."""
        return np.ones(self.threads, np.bool_) if self.mask is None else self.mask

    def fault(
        self, node: Node, kind: Kind, message: str, thread: int = 0, shared: bool = False
    ) -> None:
        """Record a fault; only the first of its kind at an operation is kept."""
        key = (node.location, node.site, kind)
        if key not in self.faults:
            self.faults[key] = Fault(
                *(kind, message, node.location, node.name, node.site),
                *(self.ids.workgroup_id, thread, shared),
            )

    def active_waves(self) -> list[int]:
        """The waves with an active thread."""
        if self.mask is None:
            return list(range(self.ids.waves))
        return [int(w) for w in distinct(self.wave_of[self.mask])]


def new_state(ids: ThreadIds, buffers: Sequence[npt.NDArray[Any]]) -> WorkgroupState:
    """A workgroup before its first operation."""
    return WorkgroupState(
        ids,
        buffers,
        ids.linear // ids.wave_size,
        None if ids.valid.all() else ids.valid,
        np.zeros(ids.waves, np.int32),
        [[] for _ in range(ids.waves)],
        [0] * ids.waves,
    )


def meet(state: WorkgroupState, node: Node, waits: bool, everyone: bool) -> None:
    """A barrier of the workgroup, for the waves that are active here.

    ``waits``: it completes outstanding copies first. ``everyone``: the operation demands that all
    threads reach it (``gpu.barrier``); otherwise single waves may pass it alone (``s_barrier``),
    which shifts them by one epoch.
    """
    if everyone and state.mask is not None and not state.mask[: state.ids.count].all():
        state.fault(node, "barrier", "not all threads of the workgroup reach this barrier")
    for wave in state.active_waves():
        if waits:
            wait(state, wave, 0)
        state.epochs[wave] += 1


def issue(state: WorkgroupState, wave: int, copy: Copy) -> None:
    """A vector-memory operation joins the queue of its wave."""
    state.queues[wave].append(copy)


def wait(state: WorkgroupState, wave: int, newest: int) -> None:
    """Wait until at most the ``newest`` youngest vector-memory operations are outstanding."""
    queue = state.queues[wave]
    done = max(0, len(queue) - newest)
    _complete(state, wave, queue[:done])
    del queue[:done]


def close_group(state: WorkgroupState, wave: int) -> None:
    """Commit the copies that are in no group yet to a new one (``asyncmark``, ``create_group``)."""
    for copy in state.queues[wave]:
        if copy.group < 0 and copy.shadow is not None:
            copy.group = state.groups[wave]
    state.groups[wave] += 1


def wait_groups(state: WorkgroupState, wave: int, newest: int) -> None:
    """Wait until at most the ``newest`` youngest groups are outstanding."""
    limit = state.groups[wave] - newest
    done = [copy for copy in state.queues[wave] if 0 <= copy.group < limit]
    _complete(state, wave, done)
    state.queues[wave] = [copy for copy in state.queues[wave] if not 0 <= copy.group < limit]


def _complete(state: WorkgroupState, wave: int, copies: list[Copy]) -> None:
    for copy in copies:
        if copy.shadow is not None:
            finish(copy.shadow, copy.granules, copy.number, int(state.epochs[wave]))
