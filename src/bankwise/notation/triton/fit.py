"""The shared encoding of a memory, if there is one.

The linear encodings are told apart by their bases alone, so each family is a short list to look
through; what comes out is compared on every element.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from bankwise.algebra.layout import Layout, invert, unpack
from bankwise.errors import InputError, Refusal
from bankwise.notation.linear import Bases, is_power_of_two
from bankwise.notation.triton.encodings import (
    NvmmaShared,
    PaddedShared,
    Shared,
    SharedLinear,
    SwizzledShared,
)
from bankwise.notation.triton.shared import bases_of
from bankwise.notation.triton.shared import memory as memory_of
from bankwise.notation.values import Memory, MemoryTable, linear_memory, same_memory, tabulate

_MAX_RANK = 4


def to_triton_shared(memory: Memory, element_bits: int = 16) -> Shared | Refusal:
    """The encoding that puts every element where the memory does; else a Refusal.

    The most specific one: ``swizzled_shared``, ``nvmma_shared``, ``amd_rotating_shared``,
    ``padded_shared``, and ``shared_linear``, which says every linear layout without padding.
    """
    shape = memory.shape
    if not all(map(is_power_of_two, shape)) or len(shape) > _MAX_RANK:
        return Refusal(f"Triton's shared encodings are of powers of two: the tile is {list(shape)}")
    gaps = memory.size > np.prod(shape)
    found = _padded(memory) if gaps else _linear(memory, element_bits)
    if isinstance(found, Refusal):
        return found
    assert same_memory(memory_of(found, shape), memory), f"{found} is not the memory"
    return found


def _linear(memory: Memory, element_bits: int) -> Shared | Refusal:
    bases = _bases(memory)
    if isinstance(bases, Refusal):
        return Refusal(f"Triton has no shared encoding for it: {bases.reason}")
    for candidate in _candidates(memory.shape, element_bits):
        if _fits(candidate, memory.shape, bases):
            return candidate
    return SharedLinear(bases)


def _candidates(shape: tuple[int, ...], element_bits: int) -> Iterator[Shared]:
    orders = sorted(permutations(range(len(shape))), reverse=True)
    for order in orders:
        yield from swizzles(shape, order)
    if len(shape) == 2 and element_bits in (8, 16, 32, 64):
        for width, transposed in product((32, 64, 128), (False, True)):
            yield NvmmaShared(width, transposed, element_bits)
    for order in orders if len(shape) > 1 else []:
        yield from _rotating(shape, order)


def swizzles(shape: tuple[int, ...], order: tuple[int, ...]) -> Iterator[SwizzledShared]:
    """Every ``swizzled_shared`` of an order once, the plain one first.

    Phases that would wrap around in the columns, or that no row reaches, repeat others.
    """
    yield SwizzledShared(1, 1, 1, order)
    if len(shape) < 2:
        return
    columns, rows = shape[order[0]], shape[order[1]]
    for vec, per_phase in product(_powers(1, columns // 2), _powers(1, rows // 2)):
        for max_phase in _powers(2, min(columns // vec, rows // per_phase)):
            yield SwizzledShared(vec, per_phase, max_phase, order)


def _rotating(shape: tuple[int, ...], order: tuple[int, ...]) -> Iterator[SwizzledShared]:
    columns, rows = shape[order[0]], shape[order[1]]
    for vec, per_phase, max_phase in product(
        _powers(1, columns // 2), _powers(1, rows // 2), _powers(2, max(columns, rows))
    ):
        yield SwizzledShared(vec, per_phase, max_phase, order, rotating=True)


def _fits(candidate: Shared, shape: tuple[int, ...], bases: Bases) -> bool:
    try:
        return bases_of(candidate, shape) == bases
    except InputError:
        # nvmma_shared has a smallest tile; on a smaller one it is no candidate.
        return False


def _padded(memory: Memory) -> Shared | Refusal:
    """Rank the elements by offset: without the gaps the order must be linear."""
    table = tabulate(memory).table
    order = np.argsort(table, axis=None, kind="stable")
    ranks = np.empty(table.size, np.int64)
    ranks[order] = np.arange(table.size)
    bases = _bases(MemoryTable(ranks.reshape(table.shape), table.size))
    if isinstance(bases, Refusal):
        return Refusal(f"the elements between the gaps lie in no linear order: {bases.reason}")
    if any(sum(step > 0 for step in basis) > 1 for basis in bases):
        return Refusal("padded_shared permutes whole index bits: it has no XOR beside its padding")
    addresses = table.flat[order]
    pads: list[tuple[int, int]] = []
    for bit in range(table.size.bit_length() - 1):
        place = 1 << bit
        pad = int(addresses[place]) - place - sum(place // i * p for i, p in pads)
        if pad and not is_power_of_two(pad):
            return Refusal(f"a gap of {pad} elements: padded_shared adds powers of two")
        pads += [(place, pad)] if pad else []
    places = np.arange(table.size)
    if not pads or not np.array_equal(places + sum(places // i * p for i, p in pads), addresses):
        return Refusal("the gaps are not regular: padded_shared adds a pad after every interval")
    return _named(PaddedShared(tuple(pads), offset=bases), memory.shape)


def _named(found: PaddedShared, shape: tuple[int, ...]) -> PaddedShared:
    """With an order instead of bases, where one says the same."""
    for order in permutations(range(len(shape))):
        named = PaddedShared(found.paddings, order, shape)
        if bases_of(named, shape) == found.offset:
            return named
    return found


def _bases(memory: Memory) -> Bases | Refusal:
    """The step in coordinates of every offset bit."""
    forward = linear_memory(memory)
    if isinstance(forward, Refusal):
        return forward
    back: Layout | Refusal = invert(forward)
    if isinstance(back, Refusal):
        return back
    steps = (unpack(back.outputs, column) for column in back.columns)
    return tuple(tuple(reversed(step.values())) for step in steps)


def _powers(first: int, last: int) -> list[int]:
    return [1 << bit for bit in range(max(last, 0).bit_length()) if first <= 1 << bit <= last]
