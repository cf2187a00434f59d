"""The accesses of one buffer as a problem for the exact solver.

What an instruction's lanes touch is read off at single lane bits and sent back to elements through
the present encoding. Only what is linear can be stated: the theorem speaks of nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from bankwise.counting.access import IntArray
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Machine
from bankwise.notation.triton import memory
from bankwise.notation.values import axis_names, points
from bankwise.read.ttgir.accesses import Moved
from bankwise.read.ttgir.lower import Issued
from bankwise.read.ttgir.values import Buffer
from bankwise.solver.problem import Problem, Request, Tile, problem


def stated(buffer: Buffer, accesses: Sequence[Moved], machine: Machine) -> Problem | Refusal:
    """The problem that the accesses of a buffer pose; a Refusal names what is not linear."""
    back = _elements(buffer)
    requests = []
    for access in accesses:
        for number, issued in enumerate(access.issued):
            name = f"{access.location.line}.{access.direction}.{number}"
            found = _request(name, issued, back, buffer, access.touch.executions)
            if isinstance(found, Refusal):
                return found
            requests.append(found)
    names, sizes = axis_names(len(buffer.tile))[::-1], buffer.tile[::-1]
    dims = tuple((n, s.bit_length() - 1) for n, s in zip(names, sizes, strict=True))
    unique = {(r.name, r.lanes, r.vector): r for r in requests}
    try:
        return problem(machine, Tile(dims, buffer.type.bits), tuple(unique.values()), widen=False)
    except InputError as error:
        return Refusal(error.message)


def _elements(buffer: Buffer) -> IntArray:
    """The row-major number in its tile of the element at every offset; -1 between elements."""
    laid = memory(buffer.type.encoding, buffer.type.shape)
    every = points(buffer.type.shape)
    found = np.full(laid.size, -1, np.int64)
    found[laid.offsets(every)] = np.arange(len(every)) % prod(buffer.tile)
    return found


def _request(
    name: str, issued: Issued, back: IntArray, buffer: Buffer, executions: int
) -> Request | Refusal:
    if not issued.active.all():
        return Refusal("not all lanes take part")
    step = buffer.type.bits // 8
    first = issued.offsets_bytes[0, 0] // step
    elements = back[first]
    if elements.min() < 0:
        return Refusal("a lane starts between elements")
    lanes = tuple(int(elements[1 << i] ^ elements[0]) for i in _bits(len(elements)))
    width = issued.width_bytes // step
    inside = back[np.minimum(first[0] + np.arange(width), len(back) - 1)]
    vector = tuple(int(inside[1 << i] ^ inside[0]) for i in _bits(width))
    waves, instructions = issued.offsets_bytes.shape[:2]
    return Request(
        name,
        issued.direction,
        lanes,
        vector,
        (),
        waves * instructions * executions,
        issued.instruction,
        "dma" if issued.kind == "dma" else "plain",
    )


def _bits(count: int) -> range:
    return range(count.bit_length() - 1)
