"""Triton's layout encodings, read and written without Triton.

An encoding (:func:`parse`) is a rule; applied to a tensor shape it says who holds which element
(:func:`distribution`) or where in shared memory an element lies (:func:`memory`):

    #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], ..}>
    #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>

Everything is a list of *bases*: the step in coordinates that each index bit makes, lowest bit
first. Row 3 of the swizzle above is rows 1 and 2 together, so its columns are XORed with
8 ^ 16 = 24: nothing else is needed to place all elements of the tile. Padding is the exception:
it adds, and what adds is counted, not reasoned about (:mod:`bankwise.counting.conflict`).

Not read: several CTAs, ``amd_wmma``, ``partitioned_shared``, tensor memory. Triton's rules:
lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp.
"""

from bankwise.notation.triton.distributed import distribution
from bankwise.notation.triton.encodings import Distributed, Encoding, Shared
from bankwise.notation.triton.parse import (
    parse,
    parse_aliases,
    parse_distributed,
    parse_shared,
)
from bankwise.notation.triton.shared import memory

__all__ = [
    "Distributed",
    "Encoding",
    "Shared",
    "distribution",
    "memory",
    "parse",
    "parse_aliases",
    "parse_distributed",
    "parse_shared",
]
