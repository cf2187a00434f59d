"""What all lanes of a wave have in common, and whether they execute an operation together."""

from __future__ import annotations

import numpy as np
from iree.compiler import ir

from bankwise.change.prove.evaluate import FormEvaluator
from bankwise.change.prove.lanes import same_in_wave

_UNIFORM_VIEWS = frozenset(
    {
        *("memref.cast", "memref.memory_space_cast", "memref.assume_alignment"),
        *("memref.subview", "memref.reinterpret_cast", "memref.expand_shape"),
        *("memref.collapse_shape", "memref.get_global", "amdgpu.fat_raw_buffer_cast"),
        *("hal.interface.binding.subspan", "stream.binding.subspan"),
    }
)
"""Operations whose result differs between threads only if an operand does."""


def split_wave(op: ir.Operation, evaluator: FormEvaluator, wave: int) -> str | None:
    """Why a wave may not execute ``op`` as a whole, all lanes equally often; None if it does."""
    waves = evaluator.waves(wave)
    present = np.bincount(waves)
    exist = np.bincount(np.arange(evaluator.launch.threads) // wave)[: len(present)]
    if ((present > 0) & (present < exist)).any():
        return "only some lanes of a wave execute it"
    while not op.name.endswith(".func") and op.parent is not None:
        op = op.parent.operation
        if any(len(region.blocks) > 1 for region in op.regions):
            return f"lanes of a wave may differ in the blocks of the {op.name} around it"
        if op.name in ("scf.if", "scf.for"):
            deciding = list(op.operands)[: 3 if op.name == "scf.for" else 1]
            if not all(same_in_wave(evaluator.value(v), waves) for v in deciding):
                return f"lanes of a wave may differ in the {op.name} around it"
        elif not op.name.endswith(".func"):
            return f"it is inside of {op.name}"
    return None


def same_memref(value: ir.Value, evaluator: FormEvaluator, wave: int) -> bool:
    """Whether all lanes of a wave hold the same memref, where that is known."""
    if isinstance(value.owner, ir.Block):
        around = value.owner.owner.operation
        return evaluator.launch.entry and around.name.endswith(".func")
    op = value.owner.operation
    if op.name not in _UNIFORM_VIEWS:
        return False
    waves = evaluator.waves(wave)
    return all(
        same_in_wave(evaluator.value(each), waves)
        if isinstance(each.type, ir.IndexType | ir.IntegerType)
        else same_memref(each, evaluator, wave)
        for each in op.operands
    )
