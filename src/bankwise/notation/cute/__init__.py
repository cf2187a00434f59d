"""CuTe: strided layouts and their algebra, swizzles, and what TMA and wgmma want of them.

    Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)

reads: element (i, j) of 8 rows of 64 lies at 64 i + j; its byte address, 2 (64 i + j), has bits 7
to 9 XORed into bits 4 to 6. :func:`parse` reads what CUTLASS prints; :func:`memory` says where in
shared memory the elements lie.
"""

from bankwise.notation.cute.parse import parse, parse_swizzle
from bankwise.notation.cute.strided import (
    StridedLayout,
    coalesce,
    complement,
    composition,
    crd2idx,
    layout,
)
from bankwise.notation.cute.swizzle import (
    ComposedLayout,
    CuteLayout,
    CuteMemory,
    Swizzle,
    memory,
    recast,
)
from bankwise.notation.cute.thread_value import thread_value

__all__ = [
    "ComposedLayout",
    "CuteLayout",
    "CuteMemory",
    "StridedLayout",
    "Swizzle",
    "coalesce",
    "complement",
    "composition",
    "crd2idx",
    "layout",
    "memory",
    "parse",
    "parse_swizzle",
    "recast",
    "thread_value",
]
