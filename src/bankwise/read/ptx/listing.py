"""The instruction mix of PTX: which shared-memory instructions a compiler emitted, and how many."""

from __future__ import annotations

from bankwise.read.emitted import Listing, SharedInstruction, counted, some
from bankwise.read.follow.decoded import DecodedAccess
from bankwise.read.ptx.parse import PtxKernel, Statement, kernels, target
from bankwise.read.ptx.shared import touch


def listings(text: str, file: str = "<text>") -> tuple[Listing, ...]:
    """All kernels of a PTX text, in order; :class:`InputError` if it has none."""
    gpu = target(text)
    return some((_listing(kernel, gpu) for kernel in kernels(text, file)), file)


def _listing(kernel: PtxKernel, gpu: str) -> Listing:
    found = (_shared(statement) for statement in kernel.statements)
    names = [statement.name for statement in kernel.statements]
    return Listing(
        kernel=kernel.name,
        target=gpu,
        lds_bytes=kernel.lds_bytes,
        workgroup_size=kernel.workgroup_size,
        shared=tuple(one for one in found if one is not None),
        exchanges=counted(name for name in names if name.startswith("shfl.")),
        totals={"instructions": len(names)},
    )


def _shared(statement: Statement) -> SharedInstruction | None:
    """What is named as shared memory; a generic access may be any memory."""
    touched = touch(statement)
    if not isinstance(touched, DecodedAccess) or touched.generic:
        return None
    return SharedInstruction(touched.name, statement.line, (touched.immediate_bytes,))
