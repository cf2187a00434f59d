"""Whether barriers stand between asynchronous copies and everything else on a buffer.

A lane sees what it copied itself once it has waited; what another lane copied only once that one
has waited and a barrier follows. Where lanes begin to copy for each other, the text must not have
relied on the difference: no access without a barrier behind the copy and behind every wait, which
may be the one that ends it.
"""

from __future__ import annotations

from collections.abc import Mapping

from iree.compiler import ir

_COPY, _WAIT, _OTHER = "copy", "wait", "other"
_WAITS = ("nvgpu.device_async_wait", "nvvm.cp.async.")
_TOO_EARLY = {_OTHER: frozenset({_COPY, _WAIT}), _COPY: frozenset({_OTHER}), _WAIT: frozenset()}
"""By what comes: what may not have been there since the last barrier."""


def without_barrier(
    function: ir.Operation, copies: frozenset[ir.Operation], others: frozenset[ir.Operation]
) -> ir.Operation | None:
    """An access of a buffer between which and another of the other kind no barrier stands."""
    kinds = dict.fromkeys(copies, _COPY) | dict.fromkeys(others, _OTHER)
    for region in function.regions:
        if len(region.blocks) > 1:
            return next(iter(copies))
        for block in region.blocks:
            found = _block(block, frozenset(), kinds)
            if isinstance(found, ir.Operation):
                return found
    return None


def _block(
    block: ir.Block, since: frozenset[str], kinds: Mapping[ir.Operation, str]
) -> frozenset[str] | ir.Operation:
    """What was there since the last barrier, behind a block; an access that comes too early."""
    for view in block.operations:
        op = view.operation
        kind = _WAIT if op.name.startswith(_WAITS) else kinds.get(op)
        if _orders(op):
            since = frozenset()
        elif kind is not None:
            if since & _TOO_EARLY[kind]:
                return op
            since = since | {kind}
        elif len(op.regions):
            found = _regions(op, since, kinds)
            if isinstance(found, ir.Operation):
                return found
            since = found
    return since


def _orders(op: ir.Operation) -> bool:
    """Whether this is a barrier of the workgroup, for its memory among others."""
    if op.name != "gpu.barrier":
        return False
    fenced = str(op.attributes["address_spaces"]) if "address_spaces" in op.attributes else None
    scope = str(op.attributes["scope"]) if "scope" in op.attributes else "workgroup"
    return "workgroup" in scope and (fenced is None or "workgroup" in fenced)


def _regions(
    op: ir.Operation, since: frozenset[str], kinds: Mapping[ir.Operation, str]
) -> frozenset[str] | ir.Operation:
    """Bodies may run not at all, one of them, or again and again."""
    for _ in range(2):
        after = since
        for region in op.regions:
            for block in region.blocks:
                found = _block(block, since, kinds)
                if isinstance(found, ir.Operation):
                    return found
                after = after | found
        since = after
    return since
