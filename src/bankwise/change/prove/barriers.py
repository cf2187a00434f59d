"""Whether barriers stand between asynchronous copies and everything else on a buffer.

A lane sees what it copied itself once it has waited; what another lane copied only behind a
barrier. Where lanes begin to copy for each other, the text must not have relied on the difference.
"""

from __future__ import annotations

from collections.abc import Mapping

from iree.compiler import ir

_COPY, _OTHER = "copy", "other"


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
    """What was accessed since the last barrier, behind a block; an access that comes too early."""
    for view in block.operations:
        op = view.operation
        if op.name == "gpu.barrier":
            since = frozenset()
        elif op in kinds:
            if since - {kinds[op]}:
                return op
            since = since | {kinds[op]}
        elif len(op.regions):
            found = _regions(op, since, kinds)
            if isinstance(found, ir.Operation):
                return found
            since = found
    return since


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
