"""The instruction mix of AMD assembly: which LDS instructions a compiler emitted, and how many."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bankwise.read.amd.literals import integer
from bankwise.read.amd.parse import AmdInstruction, AmdKernel, kernels
from bankwise.read.amd.shared import EXCHANGES, touch
from bankwise.read.amd.text import target
from bankwise.read.emitted import SPILLED, EmittedStep, Listing, SharedInstruction, counted, some
from bankwise.read.follow.decoded import DecodedAccess

_WAIT = re.compile(r"\blgkmcnt\(([0-9]+)\)")


def listings(text: str, file: str = "<text>") -> tuple[Listing, ...]:
    """All kernels of an assembly text, in order; :class:`InputError` if it has none."""
    gpu = target(text)
    return some((_listing(kernel, gpu) for kernel in kernels(text, file)), file)


def steps(
    operations: Sequence[AmdInstruction], labels: Mapping[str, int]
) -> tuple[EmittedStep, ...]:
    """The operations in order; ``labels``: to the number of the operation behind each."""
    lines = {n: operations[at].line for n, at in labels.items() if at < len(operations)}
    return tuple(
        EmittedStep(op.line, op.mnemonic, _waits_for(op), _goes_to(op, lines)) for op in operations
    )


def shared(operations: Sequence[AmdInstruction]) -> tuple[SharedInstruction, ...]:
    """Those that touch LDS, also those of which it is not known where."""
    found = ((op, touch(op)) for op in operations)
    return tuple(
        SharedInstruction(touched.name, op.line, _offsets(touched))
        if isinstance(touched, DecodedAccess)
        else SharedInstruction(op.name, op.line, (0,))
        for op, touched in found
        if touched is not None
    )


def _listing(kernel: AmdKernel, gpu: str) -> Listing:
    stated = kernel.descriptor.get("group_segment_fixed_size")
    names = [op.name for op in kernel.operations]
    spilled = kernel.numbers.get("vgpr_spill_count", 0)
    return Listing(
        kernel=kernel.name,
        target=gpu,
        lds_bytes=None if stated is None else kernel.lds_bytes,
        vgprs=kernel.numbers.get("vgpr_count"),
        sgprs=kernel.numbers.get("sgpr_count"),
        workgroup_size=kernel.workgroup_size,
        wave_size=kernel.numbers.get("wavefront_size"),
        shared=shared(kernel.operations),
        exchanges=counted(name for name in names if name.startswith(EXCHANGES)),
        totals={
            **{f"{unit}_*": sum(n.startswith(f"{unit}_") for n in names) for unit in "vs"},
            **({SPILLED: spilled} if spilled else {}),
        },
        steps=steps(kernel.operations, kernel.labels),
    )


def _offsets(touched: DecodedAccess) -> tuple[int, ...]:
    first = touched.address.offset_bytes
    return (first,) if touched.apart_bytes is None else (first, first + touched.apart_bytes)


def _waits_for(op: AmdInstruction) -> int | None:
    """N of a wait for LDS operations; None for any other instruction."""
    if op.name == "s_wait_dscnt" and op.operands:
        return integer(op.operands[0])
    found = _WAIT.search(" ".join(op.modifiers)) if op.name == "s_waitcnt" else None
    return integer(found[1]) if found else None


def _goes_to(op: AmdInstruction, lines: Mapping[str, int]) -> int:
    branches = op.name.startswith(("s_cbranch", "s_branch")) and op.operands
    return lines.get(op.operands[0], 0) if branches else 0
