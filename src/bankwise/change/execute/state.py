"""The running state of a workgroup: threads, masks, waves, faults and outstanding copies.

Several workgroups may run side by side, as rows of the same arrays
(:mod:`bankwise.change.execute.side_by_side`): the threads and the waves of the first come first,
then those of the second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from iree.compiler import ir
from msgspec import Struct, field

from bankwise.change.execute.shadow import Shadow, finish
from bankwise.change.execute.side_by_side import ApartError, Bindings
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


_NO_LIMIT = 1 << 62


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
    """What running workgroups have. ``mask`` None: all threads are active.

    ``beside``: the workgroups, ``ids`` is the first of them. ``wave_of``: among the waves of all.
    ``slots``: the SSA values, by the numbers that the program gave them. ``copies``: the places
    of the copies begun so far. ``globals``: the named shared memory in use. ``blocks``: how often
    each workgroup ran the blocks of operations with these names. ``spent``: operations that some
    workgroup ran, ``limit`` of them at most. ``wave_rows``: what :meth:`waves_by` has made.
    """

    ids: ThreadIds
    beside: Sequence[ThreadIds]
    buffers: Sequence[npt.NDArray[Any]]
    bindings: Bindings
    wave_of: IntArray
    mask: BoolArray | None
    epochs: npt.NDArray[np.int32]
    queues: list[list[Copy]]
    groups: list[int]
    copies: list[Location] = field(default_factory=list)
    slots: list[Any] = field(default_factory=list)
    globals: dict[str, Any] = field(default_factory=dict)
    faults: dict[tuple[Location, int, Kind], Fault] = field(default_factory=dict)
    blocks: dict[tuple[str, ...], IntArray] = field(default_factory=dict)
    wave_rows: dict[int, IntArray] = field(default_factory=dict)
    spent: int = 0
    limit: int = _NO_LIMIT

    @property
    def threads(self) -> int:
        """Rows of a value: the threads of each workgroup, filled up to whole waves."""
        return len(self.wave_of)

    @property
    def waves(self) -> int:
        """The waves of all workgroups."""
        return len(self.epochs)

    @property
    def workgroup_of(self) -> IntArray:
        """The workgroup of every thread, [threads], as a place in ``beside``."""
        return self.wave_of // self.ids.waves

    @property
    def running(self) -> BoolArray:
        """Which workgroups have an active thread, one at least: [workgroups]."""
        return np.asarray(self.active.reshape(len(self.beside), -1).any(axis=1))

    @property
    def active(self) -> BoolArray:
        """The active threads, [threads]."""
        return np.ones(self.threads, np.bool_) if self.mask is None else self.mask

    def waves_by(self, each: int) -> IntArray:
        """The wave in its workgroup of every thread, repeated ``each`` times."""
        if each not in self.wave_rows:
            self.wave_rows[each] = np.repeat(self.wave_of % self.ids.waves, each)
        return self.wave_rows[each]

    def begin(self, block: tuple[str, ...]) -> None:
        """Count a block of operations for the workgroups that run it."""
        ran = self.blocks.setdefault(block, np.zeros(len(self.beside), np.int64))
        ran += 1 if self.mask is None else self.running
        self.spent += len(block)
        if self.spent > self.limit:
            raise ApartError

    def fault(
        self, node: Node, kind: Kind, message: str, thread: int = 0, shared: bool = False
    ) -> None:
        """Record a fault; only the first of its kind at an operation is kept.

        Side by side it is not told which workgroup has it first: they have to run alone.
        """
        if len(self.beside) > 1:
            raise ApartError
        key = (node.location, node.site, kind)
        if key not in self.faults:
            self.faults[key] = Fault(
                *(kind, message, node.location, node.name, node.site),
                *(self.ids.workgroup_id, thread, shared),
            )

    def active_waves(self) -> list[int]:
        """The waves with an active thread."""
        if self.mask is None:
            return list(range(self.waves))
        return [int(w) for w in distinct(self.wave_of[self.mask])]


def new_state(
    beside: Sequence[ThreadIds], buffers: Sequence[npt.NDArray[Any]], bindings: Bindings
) -> WorkgroupState:
    """Workgroups of one launch before their first operation."""
    ids, waves = beside[0], beside[0].waves * len(beside)
    return WorkgroupState(
        ids,
        beside,
        buffers,
        bindings,
        np.repeat(np.arange(waves), ids.wave_size),
        None if ids.valid.all() else np.tile(ids.valid, len(beside)),
        np.zeros(waves, np.int32),
        [[] for _ in range(waves)],
        [0] * waves,
    )


def meet(state: WorkgroupState, node: Node, waits: bool, everyone: bool) -> None:
    """A barrier of the workgroup, for the waves that are active here.

    ``waits``: it completes outstanding copies first. ``everyone``: the operation demands that all
    threads reach it (``gpu.barrier``); otherwise single waves may pass it alone (``s_barrier``),
    which shifts them by one epoch.
    """
    if everyone and state.mask is not None:
        here = state.mask.reshape(len(state.beside), -1)[:, : state.ids.count]
        if not (here.all(axis=1) | ~here.any(axis=1)).all():
            state.fault(node, "barrier", "not all threads of the workgroup reach this barrier")
    waves = state.active_waves()
    if waits:
        wait(state, waves, 0)
    state.epochs[waves] += 1


def issue(state: WorkgroupState, wave: int, copy: Copy) -> None:
    """A vector-memory operation joins the queue of its wave."""
    state.queues[wave].append(copy)


def wait(state: WorkgroupState, waves: Sequence[int], newest: int) -> None:
    """Wait until at most the ``newest`` youngest vector-memory operations are outstanding."""
    ended: list[tuple[int, Copy]] = []
    for wave in waves:
        queue = state.queues[wave]
        done = max(0, len(queue) - newest)
        ended += [(wave, copy) for copy in queue[:done]]
        del queue[:done]
    _complete(state, ended)


def close_group(state: WorkgroupState, waves: Sequence[int]) -> None:
    """Commit the copies that are in no group yet to a new one (``asyncmark``, ``create_group``)."""
    for wave in waves:
        for copy in state.queues[wave]:
            if copy.group < 0 and copy.shadow is not None:
                copy.group = state.groups[wave]
        state.groups[wave] += 1


def wait_groups(state: WorkgroupState, waves: Sequence[int], newest: int) -> None:
    """Wait until at most the ``newest`` youngest groups are outstanding."""
    ended: list[tuple[int, Copy]] = []
    for wave in waves:
        queue, limit = state.queues[wave], state.groups[wave] - newest
        ended += [(wave, copy) for copy in queue if 0 <= copy.group < limit]
        state.queues[wave] = [copy for copy in queue if not 0 <= copy.group < limit]
    _complete(state, ended)


def _complete(state: WorkgroupState, ended: Sequence[tuple[int, Copy]]) -> None:
    """Copies, each with its wave, are complete: those of one buffer at once."""
    by_shadow: dict[Shadow, list[tuple[int, Copy]]] = {}
    for wave, copy in ended:
        if copy.shadow is not None:
            by_shadow.setdefault(copy.shadow, []).append((wave, copy))
    for shadow, copies in by_shadow.items():
        sizes = [len(copy.granules) for _, copy in copies]
        finish(
            shadow,
            np.concatenate([copy.granules for _, copy in copies]),
            np.repeat([copy.number for _, copy in copies], sizes),
            np.repeat(state.epochs[[wave for wave, _ in copies]], sizes),
        )
