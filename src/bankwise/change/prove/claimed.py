"""Which buffers a claim is about, and whether the claims agree about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from iree.compiler import ir

from bankwise.change.prove.claim import MapClaim
from bankwise.change.prove.storage import StorageClass, storage_classes
from bankwise.errors import Location, Refusal
from bankwise.identity import ByIdentity
from bankwise.read.mlir.demand import allocators
from bankwise.read.mlir.graph import Graph, read
from bankwise.read.mlir.kernels import KernelFunction, kernels
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.names import called
from bankwise.read.mlir.pools import Pool
from bankwise.read.mlir.slice import allocation_name


class ClaimedBuffers(ByIdentity, frozen=True, eq=False):
    """A claim, its kernel, and the storage classes of its allocations. ``pools``: byte pools that
    these are parts of, and no part of which escapes: their parts may lie anywhere."""

    claim: MapClaim
    kernel: KernelFunction
    origins: tuple[ir.Value, ...]
    classes: tuple[StorageClass, ...]
    pools: tuple[Pool, ...] = ()


def claimed_buffers(
    opened: Opened, claims: Sequence[MapClaim]
) -> tuple[ClaimedBuffers | Refusal, ...]:
    """The buffers of every claim; a Refusal where there are none, or a claim covers but a part."""
    classes = storage_classes(opened)
    found = [_buffers(opened, claim, classes) for claim in claims]
    known = [each for each in found if isinstance(each, ClaimedBuffers)]
    return tuple(_agreed(opened, each, known) for each in found)


def _buffers(
    opened: Opened, claim: MapClaim, classes: Sequence[StorageClass]
) -> ClaimedBuffers | Refusal:
    named = [kernel for kernel in kernels(opened) if kernel.name == claim.kernel]
    if len(named) != 1:
        return Refusal(f"{len(named)} kernels are called {claim.kernel}: one is needed")
    known = _names(named[0], called(opened))
    missing = [name for name in claim.allocations if name not in known]
    if missing:
        return Refusal(f"{claim.kernel} has no allocation {missing[0]}")
    origins = [value for name in claim.allocations for value in known[name]]
    mine = tuple(c for c in classes if any(value in c.values for value in origins))
    closed = {value for c in classes if not c.escapes for value in c.values}
    pools = dict.fromkeys(p for c in mine for p in c.pools if closed.issuperset(p.views))
    return ClaimedBuffers(claim, named[0], tuple(origins), mine, tuple(pools))


def _names(kernel: KernelFunction, called: Callable[[ir.Value], str]) -> dict[str, list[ir.Value]]:
    """The allocations of a kernel by name: one for each operation that makes or names it."""
    graph: Graph = read(kernel.op, called)
    found: dict[str, list[ir.Value]] = {}
    for value in kernel.op.regions[0].blocks[0].arguments:
        if value in graph.shared:
            found.setdefault(graph.name(value), []).append(value)
    for op in allocators(graph):
        found.setdefault(allocation_name(graph, op), []).append(op.results[0])
    return found


def _agreed(
    opened: Opened, mine: ClaimedBuffers | Refusal, everyone: Sequence[ClaimedBuffers]
) -> ClaimedBuffers | Refusal:
    """``mine``, if every origin of its classes is claimed, always with the same map."""
    if isinstance(mine, Refusal):
        return mine
    claim = mine.claim
    for storage in mine.classes:
        for origin in storage.origins:
            others = [each.claim for each in everyone if origin in each.origins]
            where = _where(opened, origin)
            if not others:
                return Refusal(f"{claim.names}: no claim covers the same buffer elsewhere", where)
            if any((o.fold, o.unpadded) != (claim.fold, claim.unpadded) for o in others):
                return Refusal(f"{claim.names}: two maps are claimed for one buffer", where)
    return mine


def _where(opened: Opened, value: ir.Value) -> Location:
    owner = value.owner.owner if isinstance(value.owner, ir.Block) else value.owner
    return opened.location_of(owner.operation)
