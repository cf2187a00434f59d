"""Reads of a TTGIR kernel that compilers cut: the operands of a ``tt.dot`` without matrix units.

Such a dot becomes multiplications of single elements, and LLVM and ptxas move and cut the loads
among them: of 16 bytes a lane, some become 8 and 4, which take other passes. A product of f32 in
IEEE arithmetic whose text has no conflict at all has 256 a workgroup in its SASS, and an H200
counts these (docs/triton.md). Which loads are cut no rule says: the machine code does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bankwise.errors import Refusal
from bankwise.notation.triton.encodings import Blocked, DotOp
from bankwise.read.ttgir.accesses import Moved
from bankwise.read.ttgir.types import Types, split_arrow
from bankwise.read.ttgir.values import TensorType

_CUT = (
    "ttg.local_load: for a tt.dot without matrix units, of whose reads compilers cut some: "
    "it is counted whole, `triton-plan` and `check` of the machine code count what is made of it"
)


def cut_reads(accesses: Iterable[Moved], types: Types) -> Iterator[Refusal]:
    """What is not said of such reads, at each of them."""
    told = set()
    for access in accesses:
        op = access.touch.op
        if op.name != "ttg.local_load" or op.line in told:
            continue
        told.add(op.line)
        tensor = types.tensor(split_arrow(op.types)[1][0], op.line)
        held = tensor.encoding if isinstance(tensor, TensorType) else None
        if isinstance(held, DotOp) and isinstance(held.parent, Blocked):
            yield Refusal(_CUT, access.location)
