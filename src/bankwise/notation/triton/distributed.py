"""From a distributed encoding and a tensor shape to who holds which element.

Every encoding is built the same way: every dimension starts covered up to 1 element; ``take(to,
n, d)`` gives input ``to`` log2(n) more bits, which step along d from where it is covered; ``fit``
repeats the tile with registers until the tensor is covered. Where the tile is larger than the
tensor, the bits that lead outside move nothing: those lanes, warps and registers hold copies.

Checked against Triton 3.9.0 with the order of bases and zeros (tests/data/triton_golden.json).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, assert_never

from bankwise.errors import InputError
from bankwise.notation.linear import Bases, LinearDistribution, check_shape
from bankwise.notation.triton.encodings import (
    AmdMfma,
    Blocked,
    Distributed,
    DotOp,
    LinearEncoding,
    NvidiaMma,
    SliceEncoding,
)

To = Literal["register", "lane", "warp"]
Steps = list[tuple[int, int]]
"""One (dimension, step) for every bit; a step of 0 moves nothing."""

_AMD_LANE_BITS = 6


def distribution(encoding: Distributed, shape: Sequence[int]) -> LinearDistribution:
    """Who holds which element of a tensor of this shape.

    Raises :class:`InputError` where the encoding does not fit the shape: another rank, a size
    that is no power of two, explicit bases of another extent.
    """
    check_shape(shape)
    if encoding.rank != len(shape):
        raise InputError(f"{encoding} has rank {encoding.rank}, the tensor {list(shape)} has not")
    match encoding:
        case Blocked():
            return _blocked(encoding, shape)
        case NvidiaMma():
            return _nvidia_mma(encoding, shape)
        case AmdMfma():
            return _amd_mfma(encoding, shape)
        case DotOp():
            return _operand(encoding, shape)
        case LinearEncoding():
            return _linear(encoding, shape)
        case SliceEncoding():
            return _slice(encoding, shape)
        case _:
            assert_never(encoding)


class _Builder:
    """Collects the steps of every input, and how far every dimension is covered."""

    def __init__(self, shape: Sequence[int]) -> None:
        self.shape = tuple(shape)
        self.covered = [1] * len(shape)
        self.steps: dict[To, Steps] = {"register": [], "lane": [], "warp": []}

    def take(self, to: To, count: int, dim: int) -> None:
        """``count`` more values of ``to`` step along ``dim``."""
        for _ in range(count.bit_length() - 1):
            self.steps[to].append((dim, self.covered[dim]))
            self.covered[dim] *= 2

    def zero(self, to: To, count: int) -> None:
        """``count`` more values of ``to`` move nothing."""
        self.steps[to] += [(0, 0)] * (count.bit_length() - 1)

    def fit(self, order: Iterable[int]) -> None:
        """Repeat with registers until the tensor is covered."""
        for dim in order:
            while self.covered[dim] < self.shape[dim]:
                self.take("register", 2, dim)

    def done(self, *, keep_copies: bool) -> LinearDistribution:
        """Bits that lead outside the tensor move nothing; registers that do are kept or not."""
        bases = {to: tuple(map(self._basis, steps)) for to, steps in self.steps.items()}
        register = bases["register"]
        if not keep_copies:
            register = tuple(basis for basis in register if any(basis))
        return LinearDistribution(self.shape, register, bases["lane"], bases["warp"])

    def _basis(self, step: tuple[int, int]) -> tuple[int, ...]:
        dim, value = step
        inside = value if value < self.shape[dim] else 0
        return tuple(inside if d == dim else 0 for d in range(len(self.shape)))


def _blocked(x: Blocked, shape: Sequence[int]) -> LinearDistribution:
    build = _Builder(shape)
    for dim in x.order:
        build.take("register", x.size_per_thread[dim], dim)
    for dim in x.order:
        build.take("lane", x.threads_per_warp[dim], dim)
    for dim in x.order:
        build.take("warp", x.warps_per_cta[dim], dim)
    build.fit(x.order)
    return build.done(keep_copies=False)


def _nvidia_mma(x: NvidiaMma, shape: Sequence[int]) -> LinearDistribution:
    m, n = x.rank - 2, x.rank - 1
    rows, columns = _tile(x)
    build = _Builder(shape)
    build.take("register", 2, n)
    build.take("lane", 4, n)
    build.take("lane", 8, m)
    build.take("register", rows // 8, m)
    build.take("register", columns // 8, n)
    _nvidia_warps(build, x, still=None)
    build.fit(_inner_first(x.rank))
    return build.done(keep_copies=True)


def _operand(x: DotOp, shape: Sequence[int]) -> LinearDistribution:
    if isinstance(x.parent, NvidiaMma):
        return _nvidia_operand(x, x.parent, shape)
    if isinstance(x.parent, Blocked):
        return _plain_operand(x, x.parent, shape)
    return _amd_operand(x, x.parent, shape)


def _plain_operand(x: DotOp, parent: Blocked, shape: Sequence[int]) -> LinearDistribution:
    """Multiply-adds: every lane holds all of K for its rows or columns."""
    _, k = _operand_dims(x)
    build = _Builder(shape)
    for dim in parent.order:
        build.take("register", shape[k] if dim == k else parent.size_per_thread[dim], dim)
    sides: tuple[tuple[To, tuple[int, ...]], ...] = (
        ("lane", parent.threads_per_warp),
        ("warp", parent.warps_per_cta),
    )
    for to, counts in sides:
        for dim in parent.order:
            if dim == k:
                build.zero(to, counts[dim])
            else:
                build.take(to, counts[dim], dim)
    build.fit(parent.order)
    return build.done(keep_copies=True)


def _nvidia_operand(x: DotOp, parent: NvidiaMma, shape: Sequence[int]) -> LinearDistribution:
    other, k = _operand_dims(x)
    build = _Builder(shape)
    build.take("register", x.k_width, k)
    build.take("lane", 4, k)
    build.take("lane", 8, other)
    if _tile(parent) != (8, 8):
        build.take("register", 2 if x.op_idx == 0 else 1, other)
        build.take("register", 2, k)
    _nvidia_warps(build, parent, still=k)
    build.fit([k, other, *_batch(x.rank)])
    return build.done(keep_copies=True)


def _nvidia_warps(build: _Builder, x: NvidiaMma, still: int | None) -> None:
    """Warps: mma.sync N first, wgmma M first; along ``still`` they hold copies."""
    order = _inner_first(x.rank)
    if x.version_major == 3:
        order = [order[1], order[0], *order[2:]]
    for dim in order:
        if dim == still:
            build.zero("warp", x.warps_per_cta[dim])
        else:
            build.take("warp", x.warps_per_cta[dim], dim)


def _amd_mfma(x: AmdMfma, shape: Sequence[int]) -> LinearDistribution:
    build = _Builder(shape)
    _amd_tile(build, x)
    tile = _amd_sizes(x)
    order = _inner_first(x.rank)
    for dim in order:
        _amd_warps(build, x, dim, tile[dim])
    for dim in order:
        _amd_repeat(build, x, dim, tile[dim])
    return build.done(keep_copies=True)


def _amd_tile(build: _Builder, x: AmdMfma) -> None:
    """One instruction: four registers (one of f64), then lanes, then the rest, along the rows.

    Of the transposed result the columns take the place of the rows.
    """
    m, n = x.rank - 2, x.rank - 1
    down, along = (n, m) if x.is_transposed else (m, n)
    size = _amd_sizes(x)
    group = 4 if x.element_bit_width == 32 else 1
    build.take("register", group, down)
    build.take("lane", size[along], along)
    lanes = 1 << _AMD_LANE_BITS - len(build.steps["lane"])
    build.take("lane", lanes, down)
    build.take("register", size[down] // (group * lanes), down)


def _amd_operand(x: DotOp, parent: AmdMfma, shape: Sequence[int]) -> LinearDistribution:
    other, k = _operand_dims(x)
    tile = _amd_sizes(parent)
    lanes = tile[other]
    build = _Builder(shape)
    build.take("register", x.k_width, k)
    build.take("lane", lanes, other)
    build.take("lane", (1 << _AMD_LANE_BITS) // lanes, k)
    if lanes == 1 << _AMD_LANE_BITS:
        build.take("register", 16, k)
    for dim in _inner_first(x.rank):
        if dim == k:
            build.zero("warp", parent.warps_per_cta[dim])
        else:
            _amd_warps(build, parent, dim, tile[dim])
    build.fit([k])
    for dim in (other, *_batch(x.rank)):
        _amd_repeat(build, parent, dim, tile[dim])
    return build.done(keep_copies=True)


def _amd_warps(build: _Builder, x: AmdMfma, dim: int, tile: int) -> None:
    """Warps step over the tiles that one warp owns."""
    build.covered[dim] = tile * x.tiles[dim]
    build.take("warp", x.warps_per_cta[dim], dim)


def _amd_repeat(build: _Builder, x: AmdMfma, dim: int, tile: int) -> None:
    """Registers: the tiles of one warp, then everything again until the tensor is covered."""
    build.covered[dim] = tile
    build.take("register", x.tiles[dim], dim)
    build.covered[dim] = tile * x.tiles[dim] * x.warps_per_cta[dim]
    build.fit([dim])


def _linear(x: LinearEncoding, shape: Sequence[int]) -> LinearDistribution:
    """Explicit bases of another extent: what leads outside moves nothing, registers repeat it.

    Source: LinearEncodingAttr::toLinearLayout (ensureLayoutNotSmallerThan, NotLargerThan).
    """
    extent = [1] * x.rank
    for basis in (*x.register, *x.lane, *x.warp):
        for dim, step in enumerate(basis):
            extent[dim] = max(extent[dim], 1 << step.bit_length())
    if extent == list(shape):
        return LinearDistribution(tuple(shape), x.register, x.lane, x.warp)

    def inside(bases: Bases) -> Bases:
        return tuple(tuple(v % n for v, n in zip(b, shape, strict=True)) for b in bases)

    register = tuple(basis for basis in inside(x.register) if any(basis))
    for dim in reversed(range(x.rank)):
        register += _powers(dim, extent[dim], shape)
    return LinearDistribution(tuple(shape), register, inside(x.lane), inside(x.warp))


def _powers(dim: int, first: int, shape: Sequence[int]) -> Bases:
    """The steps from ``first`` up to the end of one dimension."""
    bits = range(first.bit_length() - 1, shape[dim].bit_length() - 1)
    return tuple(tuple(1 << bit if d == dim else 0 for d in range(len(shape))) for bit in bits)


def _slice(x: SliceEncoding, shape: Sequence[int]) -> LinearDistribution:
    parent = distribution(x.parent, (*shape[: x.dim], 1, *shape[x.dim :]))

    def without(bases: Bases) -> Bases:
        return tuple(b[: x.dim] + b[x.dim + 1 :] for b in bases)

    register = tuple(basis for basis in without(parent.register_bases) if any(basis))
    return LinearDistribution(
        tuple(shape), register, without(parent.lane_bases), without(parent.wave_bases)
    )


def _tile(x: NvidiaMma) -> tuple[int, int]:
    """Rows and columns of the instruction; version 3 names k last."""
    if x.version_major == 3:
        return x.instr_shape[0], x.instr_shape[1]
    return x.instr_shape[-2], x.instr_shape[-1]


def _amd_sizes(x: AmdMfma) -> tuple[int, ...]:
    """The instruction's size along every dimension of the tensor."""
    return (1,) * (x.rank - 2) + x.instr_shape[:2]


def _operand_dims(x: DotOp) -> tuple[int, int]:
    """(the dimension that is no K, the dimension K) of an operand."""
    m, n = x.rank - 2, x.rank - 1
    return (m, n) if x.op_idx == 0 else (n, m)


def _inner_first(rank: int) -> list[int]:
    """N, M, then the batch dimensions."""
    return [rank - 1, rank - 2, *_batch(rank)]


def _batch(rank: int) -> list[int]:
    return list(range(rank - 2))
