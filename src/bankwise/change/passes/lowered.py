"""A lowered kernel as the passes see it: its accesses, and the instructions they become."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from iree.compiler import ir

from bankwise.change.passes.values import PassOptions
from bankwise.change.rewrite.emit import Emitter
from bankwise.change.rewrite.group import Group, Issues, groups
from bankwise.change.rewrite.scope import Scope, scope_of
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Machine, machine
from bankwise.identity import ByIdentity
from bankwise.read.mlir.extract import Extraction, extract
from bankwise.read.mlir.indexing import ThreadIds
from bankwise.read.mlir.joined import issues_of
from bankwise.read.mlir.kernels import KernelFunction, kernels
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.names import called

_T = TypeVar("_T")


class Lowered(ByIdentity, frozen=True, eq=False):
    """One kernel; ``issues`` are the instructions of each access whose instructions are known."""

    opened: Opened
    kernel: KernelFunction
    machine: Machine
    workgroup_size: tuple[int, int, int]
    extraction: Extraction
    issues: Issues

    @property
    def unknown(self) -> str:
        """Why not all of its accesses are known; empty if they are."""
        first = next(iter(self.extraction.refusals), None)
        return f"not all accesses of this kernel are known: {first.reason}" if first else ""

    def name_of(self, op: ir.Operation) -> str:
        """What the text calls the only result of ``op``, without ``%``."""
        return called(self.opened)(op.results[0])

    def scope(self, emitter: Emitter) -> Scope:
        """The kernel's text, for new lines in it."""
        ids = ThreadIds(self.workgroup_size, self.machine.wave_size, grid=self.kernel.grid)
        return scope_of(self.kernel.op, ids, emitter)


def lower(opened: Opened, launch: PassOptions) -> tuple[Lowered, ...]:
    """The kernels of a module. :class:`InputError` if a target or workgroup size is unknown."""
    return tuple(_lower(opened, kernel, launch) for kernel in kernels(opened))


def lowered_groups(opened: Opened, launch: PassOptions) -> Iterator[tuple[Lowered, Group]]:
    """All groups of allocations of all kernels, in the order of the text."""
    for lowered in lower(opened, launch):
        for group in groups(lowered.extraction):
            yield lowered, group


def _lower(opened: Opened, kernel: KernelFunction, launch: PassOptions) -> Lowered:
    gpu = machine(_known(opened, kernel, launch.target or kernel.target, "target"))
    size = launch.workgroup_size or kernel.workgroup_size
    size = _known(opened, kernel, size, "workgroup size")
    extraction = extract(
        kernel.op,
        name=kernel.name,
        workgroup_size=size,
        wave_size=gpu.wave_size,
        locate=opened.location_of,
        dims=launch.dims,
        grid=kernel.grid,
        called=called(opened),
    )
    found = ((s.access.shared_index, issues_of(s, gpu, launch.policy)) for s in extraction.accesses)
    issues = {number: chosen for number, chosen in found if not isinstance(chosen, Refusal)}
    return Lowered(opened, kernel, gpu, size, extraction, issues)


def _known(opened: Opened, kernel: KernelFunction, value: _T | None, what: str) -> _T:
    if value:
        return value
    raise InputError(
        f"kernel {kernel.name} does not say its {what}",
        location=opened.location_of(kernel.op),
        hint=f"pass --{what.replace(' ', '-')}",
    )
