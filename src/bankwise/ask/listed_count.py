"""An access by directions or by an offset, under the layout of the file.

It passes over the whole tile, as a distribution does: also where its registers do not say so, and
in every stage.
"""

from __future__ import annotations

import numpy as np

from bankwise.counting.access import BoolArray, IntArray
from bankwise.errors import InputError, Refusal
from bankwise.hardware.policies import WIDEST_BYTES, Issue, select
from bankwise.notation.accesses import TileInstruction
from bankwise.notation.values import Memory
from bankwise.read.tile_file.question import TileQuestion
from bankwise.solver.general import Listed, listed_workload
from bankwise.tile import Use


def listed_moves(
    question: TileQuestion, listed: Listed, memory: Memory
) -> tuple[TileInstruction, ...] | Refusal:
    """The instructions of one pass over the tile by one wave; a Refusal where there are none."""
    policy = question.policy or "iree"
    (use,) = listed_workload(question.machine, question.tile, [listed], policy).uses
    offsets, active = _placed(question, use, memory)
    if not _together(offsets, active):
        return Refusal(f"splits the {use.span} elements that a lane of {use.name!r} moves at once")
    if use.kind == "dma":
        return _copy(question, use, offsets, active)
    first = offsets[..., 0] * question.element_bytes
    issues = _issues(question, use, first[active], policy)
    if isinstance(issues, Refusal):
        return issues
    return _issued(question, use, issues, first, active)


def _placed(question: TileQuestion, use: Use, memory: Memory) -> tuple[IntArray, BoolArray]:
    """Offsets in elements, [executions, lanes, span], in all stages; lanes that take no part stand
    where the first element of the tile is."""
    stage = np.arange(question.batch)[:, None, None, None] * question.tile.elements
    elements = (np.where(use.active[..., None], use.elements, 0) + stage).reshape(
        -1, *use.elements.shape[1:]
    )
    places = np.stack(np.unravel_index(elements, question.shape), axis=-1)
    return memory.offsets(places), np.tile(use.active, (question.batch, 1))


def _together(offsets: IntArray, active: BoolArray) -> bool:
    steps = offsets - offsets[..., :1] == np.arange(offsets.shape[-1])
    return bool(steps[active].all())


def _issues(
    question: TileQuestion, use: Use, first: IntArray, policy: str
) -> tuple[Issue, ...] | Refusal:
    """The instructions of one execution at the alignment that all active lanes have."""
    low = int(np.bitwise_or.reduce(first, initial=WIDEST_BYTES))
    alignment = low & -low
    if use.issues and alignment >= use.alignment_bytes:
        return use.issues
    if use.named:
        name = use.issues[0].instruction
        return Refusal(f"{use.name!r}: {name} would be aligned to {alignment} bytes only")
    width = use.span * question.element_bytes
    return select(question.machine, use.op, width, alignment, policy)


def _copy(
    question: TileQuestion, use: Use, offsets: IntArray, active: BoolArray
) -> tuple[TileInstruction, ...] | Refusal:
    """A copy fills consecutive bytes in lane order, so what it is given must leave no gap."""
    flat = np.sort(offsets.reshape(len(offsets), -1), axis=1)
    if not active.all() or not (flat - flat[:, :1] == np.arange(flat.shape[1])).all():
        return Refusal(
            f"the copy {use.name!r} fills consecutive bytes, and the layout has its elements apart"
        )
    width = use.span * question.element_bytes
    lanes = np.arange(offsets.shape[1]) * width
    first = flat[:, :1] * question.element_bytes + lanes
    return _issued(question, use, use.issues, first, active)


def _issued(
    question: TileQuestion,
    use: Use,
    issues: tuple[Issue, ...],
    first: IntArray,
    active: BoolArray,
) -> tuple[TileInstruction, ...]:
    rows = [question.machine.instruction(issue.instruction) for issue in issues]
    if not rows:
        raise InputError(f"access {use.name!r}: no instruction of this machine")
    return tuple(
        TileInstruction(row, start[None] + issue.offset_bytes, tuple(range(use.span)), mask[None])
        for start, mask in zip(first, active, strict=True)
        for issue, row in zip(issues, rows, strict=True)
    )
