"""Dividing a layout into tiles and repeating a layout as a tile (CuTe).

A tiler is a layout for the whole, or a tuple with one tiler for every leading mode: an integer n
means ``n:1``, None leaves the mode alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bankwise.errors import InputError
from bankwise.notation.cute.strided import (
    StridedLayout,
    coalesce_modes,
    complement,
    composition,
    join,
    layout,
)
from bankwise.notation.cute.tuples import text

Tiler = StridedLayout | int | None | tuple["Tiler", ...]
Split = Callable[[StridedLayout, StridedLayout], StridedLayout]


def logical_divide(a: StridedLayout, tiler: Tiler) -> StridedLayout:
    """Every tiled mode becomes (tile, rest)."""
    return _by_mode(_divide, a, tiler)


def zipped_divide(a: StridedLayout, tiler: Tiler) -> StridedLayout:
    """((tile of every mode), (rest of every mode))."""
    return _zipped(_divide, a, tiler)


def tiled_divide(a: StridedLayout, tiler: Tiler) -> StridedLayout:
    """((tile of every mode), rest, rest, ..)."""
    tile, rest = zipped_divide(a, tiler).modes()
    return join([tile, *rest.modes()])


def logical_product(a: StridedLayout, tiler: Tiler) -> StridedLayout:
    """(a, its repetitions as the tiler orders them); by mode for a tuple."""
    return _by_mode(_product, a, tiler)


def zipped_product(a: StridedLayout, tiler: Tiler) -> StridedLayout:
    """((the modes of a), (their repetitions))."""
    return _zipped(_product, a, tiler)


def blocked_product(block: StridedLayout, tiler: StridedLayout) -> StridedLayout:
    """Every mode becomes (block, repetition): whole blocks one after the other."""
    inner, outer = _same_rank_product(block, tiler)
    pairs = zip(inner.modes(), outer.modes(), strict=True)
    return coalesce_modes(join([join(pair) for pair in pairs]))


def raked_product(block: StridedLayout, tiler: StridedLayout) -> StridedLayout:
    """Every mode becomes (repetition, block): the elements of the blocks interleaved."""
    inner, outer = _same_rank_product(block, tiler)
    pairs = zip(outer.modes(), inner.modes(), strict=True)
    return coalesce_modes(join([join(pair) for pair in pairs]))


def tile_to_shape(
    block: StridedLayout, shape: Sequence[int], order: Sequence[int] = ()
) -> StridedLayout:
    """Blocks side by side until the shape is covered.

    ``order``: rank of every mode, 0 the fastest, in which blocks follow each other in memory;
    default 0, 1, 2, .. Raises :class:`InputError` where the shape is no whole number of blocks.
    """
    sizes = [mode.size for mode in block.modes()]
    ranks = tuple(order) or tuple(range(len(sizes)))
    if len(shape) != len(sizes) or sorted(ranks) != list(range(len(sizes))):
        raise InputError(f"{block} has {len(sizes)} modes: shape and order must have as many")
    if any(whole % part for whole, part in zip(shape, sizes, strict=True)):
        raise InputError(f"{list(shape)} is no whole number of blocks of {text(tuple(sizes))}")
    counts = [whole // part for whole, part in zip(shape, sizes, strict=True)]
    strides, step = [0] * len(sizes), 1
    for mode in sorted(range(len(sizes)), key=ranks.__getitem__):
        strides[mode] = step
        step *= counts[mode]
    return blocked_product(block, layout(tuple(counts), tuple(strides)))


def _divide(a: StridedLayout, tiler: StridedLayout) -> StridedLayout:
    return composition(a, join([tiler, complement(tiler, a.size)]))


def _product(a: StridedLayout, tiler: StridedLayout) -> StridedLayout:
    return join([a, composition(complement(a, a.size * tiler.cosize), tiler)])


def _same_rank_product(
    block: StridedLayout, tiler: StridedLayout
) -> tuple[StridedLayout, StridedLayout]:
    rank = max(block.rank, tiler.rank)
    inner, outer = _product(_padded(block, rank), _padded(tiler, rank)).modes()
    return inner, outer


def _padded(a: StridedLayout, rank: int) -> StridedLayout:
    """Modes of size 1 appended up to the rank."""
    return join([*a.modes(), *[layout(1, 0)] * (rank - a.rank)])


def _by_mode(split: Split, a: StridedLayout, tiler: Tiler) -> StridedLayout:
    if tiler is None:
        return a
    if isinstance(tiler, tuple):
        _check_rank(a, tiler)
        parts = a.modes()
        done = [_by_mode(split, part, t) for part, t in zip(parts, tiler, strict=False)]
        return join([*done, *parts[len(tiler) :]])
    return split(a, layout(tiler, 1) if isinstance(tiler, int) else tiler)


def _zipped(split: Split, a: StridedLayout, tiler: Tiler) -> StridedLayout:
    if tiler is None:
        return join([layout(1, 0), a])
    if not isinstance(tiler, tuple):
        return _by_mode(split, a, tiler)
    _check_rank(a, tiler)
    parts = a.modes()
    pairs = [_zipped(split, part, t).modes() for part, t in zip(parts, tiler, strict=False)]
    rest = [*(outer for _, outer in pairs), *parts[len(tiler) :]]
    return join([join([inner for inner, _ in pairs]), join(rest)])


def _check_rank(a: StridedLayout, tiler: tuple[Tiler, ...]) -> None:
    if len(tiler) > a.rank:
        raise InputError(f"a tiler of {len(tiler)} modes for {a}, which has {a.rank}")
