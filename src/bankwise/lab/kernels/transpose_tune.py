"""Variants of a transpose that are tried: which have a kernel, and orders to try them in.

The layout is never chosen here: every variant takes the one that the solver proves best for it.
Those whose tiles the copy engine moves (kind ``tma``) exist for sm_90 alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

import numpy as np
from msgspec.structs import replace

from bankwise.errors import InputError
from bankwise.hardware.machine import Machine
from bankwise.lab.kernels.transpose_hints import LOADS, POLICIES, STORES
from bankwise.lab.kernels.transpose_ladder import blocked, element_bytes, solved
from bankwise.lab.kernels.transpose_launch import fitted
from bankwise.lab.kernels.transpose_order import grid
from bankwise.lab.kernels.transpose_plan import Schedule, Transpose, checked
from bankwise.lab.kernels.transpose_tma import (
    TARGET,
    AnyTranspose,
    TensorTranspose,
    engine_plan,
    engine_solved,
)
from bankwise.lab.kernels.transpose_variant import Variant

Size = tuple[int, int]
Kind = Literal["tile", "persistent", "grid"]
_BLOCKS = {
    2: ((8, 8), (4, 8), (8, 4), (2, 8), (4, 4), (2, 2)),
    4: ((4, 4), (2, 4), (4, 2), (1, 4), (2, 2), (1, 1)),
}
_CHOICES: Mapping[str, tuple[Any, ...]] = {
    "tile_m": (32, 64, 128, 256, 512),
    "tile_k": (32, 64, 128, 256, 512),
    "threads": (64, 128, 256, 512, 1024),
    "block": (0, 1, 2, 3, 4, 5),
    "late": (False, True),
    "single": (False, True),
    "group": (0, 1, 2, 4, 8, 16, 32, 64, 128, 256),
    "across": (1, 2, 4, 8),
    "skew": (0, 1, 4, 16, 64),
    "kind": ("tile", "persistent", "grid", "tma"),
    "prefetch": (False, True),
    "blocks": (0, 1, 2, 3, 4, 5, 6, 8, 12),
    "load": tuple(dict.fromkeys((*LOADS, *POLICIES))),
    "store": tuple(dict.fromkeys((*STORES, *POLICIES))),
    "cluster": (1, 2, 4, 8),
}
_ALONE: Mapping[str, Any] = {"kind": "grid", "across": 1, "skew": 0, "cluster": 1}
"""What is fixed of the order where tiles do not divide a matrix."""
_ENGINE: Mapping[str, Any] = {
    "kind": "tma",
    "block": 0,
    "late": False,
    "single": False,
    "group": 0,
    "skew": 0,
    "prefetch": False,
    "cluster": 1,
}
"""What is no choice where the copy engine moves the tiles."""
_SHARED_BYTES = 132 * 1024
_THREADS = 2048
"""Of a multiprocessor (CUDA C++ Programming Guide, compute capability 9.0)."""
_REGISTERS = 128
"""Words of a thread that may wait between global and shared memory."""


def plan(variant: Variant, dtype: str, machine: Machine, name: str = "") -> AnyTranspose:
    """The kernel of a variant, with its solved layout. InputError where its parts do not fit."""
    made = _bare(variant, dtype, name)
    if isinstance(made, TensorTranspose):
        return engine_solved(made, machine)
    return solved(made, machine)


def fits(variant: Variant, dtype: str) -> bool:
    """Whether :func:`plan` has a kernel for it; the solver is not asked."""
    return takes(variant, dtype, None)


def takes(
    variant: Variant, dtype: str, size: Size | None, batch: int = 1, target: str = TARGET
) -> bool:
    """Whether ``target`` has a kernel for ``batch`` matrices of ``size`` = (m, k); None: for
    some.
    """
    if variant.kind == "tma" and target != TARGET:
        return False
    try:
        made = _bare(variant, dtype, "")
        if size is not None:
            one = fitted(made, size)
            grid(checked(one) if isinstance(one, Transpose) else one, size, 1, batch)
    except InputError:
        return False
    return True


def _bare(variant: Variant, dtype: str, name: str) -> AnyTranspose:
    """The kernel on a row-major tile. InputError where its choices do not go together."""
    if variant.blocks * variant.threads > _THREADS:
        raise InputError(f"{variant.blocks} blocks of {variant.threads} threads do not fit")
    if variant.kind == "tma":
        return _by_engine(variant, dtype, name)
    size, tile = element_bytes(dtype), (variant.tile_m, variant.tile_k)
    _check_tile(variant, tile, size)
    _check_order(variant)
    if variant.single and (variant.late or variant.store == "ef"):
        raise InputError("elements leave as they lie, and without a policy")
    return blocked(
        dtype,
        tile,
        variant.threads,
        _BLOCKS[size][variant.block],
        late=variant.late,
        single=variant.single,
        schedule=_schedule(variant),
        name=name,
    )


def _check_tile(variant: Variant, tile: tuple[int, int], size: int) -> None:
    """It fits shared memory, and its threads' registers."""
    words = tile[0] * tile[1] * size // 4 // variant.threads
    if tile[0] * tile[1] * size > _SHARED_BYTES or not 4 <= words <= _REGISTERS:
        raise InputError(f"a tile of {tile[0]} x {tile[1]} is not for {variant.threads} threads")


def _check_order(variant: Variant) -> None:
    """The order in which blocks take their tiles, and how many they are, fit the kind."""
    if variant.kind == "grid" and (variant.group > 1 or (variant.across, variant.skew) != (1, 0)):
        raise InputError("blocks of a grid go along all of m, then on along k, or the other way")
    if variant.kind != "persistent" and variant.prefetch:
        raise InputError("one tile per block has no next tile to load")
    if variant.kind == "persistent" and variant.cluster > 1:
        raise InputError("persistent blocks start together anyway")
    if variant.kind == "grid" and variant.cluster > 1:
        raise InputError("blocks of a grid start alone")
    if variant.kind == "persistent" and not variant.blocks:
        raise InputError("persistent blocks need a number per multiprocessor")


def _schedule(variant: Variant) -> Schedule:
    """Who takes which tile, and by which instructions it comes and goes."""
    return Schedule(
        cast(Kind, variant.kind),
        variant.group,
        variant.across,
        variant.skew,
        variant.prefetch,
        variant.load,
        variant.store,
        variant.blocks,
        variant.cluster,
    )


def _by_engine(variant: Variant, dtype: str, name: str) -> TensorTranspose:
    """The kernel whose tiles the copy engine moves, without a swizzle."""
    other = next((k for k, v in _ENGINE.items() if getattr(variant, k) != v), "")
    if other:
        raise InputError(f"{other} is no choice where the copy engine moves the tiles")
    order = {k: getattr(variant, k) for k in ("group", "across", "load", "store", "blocks")}
    return engine_plan(
        name or f"transpose_{dtype}_tuned",
        element_bytes(dtype),
        (variant.tile_m, variant.tile_k),
        variant.threads,
        Schedule("tile", **order),
    )


def sample(
    dtype: str,
    number: int,
    seed: int = 0,
    size: Size | None = None,
    batch: int = 1,
    target: str = TARGET,
) -> tuple[Variant, ...]:
    """``number`` different variants that have kernels, for ``size`` if it is given, drawn at
    random; the default one first.
    """
    random = np.random.default_rng(seed)
    found: dict[Variant, None] = dict.fromkeys(
        one for one in (Variant(),) if takes(one, dtype, size, batch, target)
    )
    every = size is None or takes(Variant(), dtype, size, batch)
    for _ in range(1000 * number):
        if len(found) >= number:
            break
        drawn = {k: v[int(random.integers(len(v)))] for k, v in _CHOICES.items()}
        fixed = _ALONE if not every else _ENGINE if drawn["kind"] == "tma" else {}
        variant = Variant(**{**drawn, **fixed})
        if takes(variant, dtype, size, batch, target):
            found.setdefault(variant)
    return tuple(found)[:number]


def neighbours(
    variant: Variant,
    dtype: str,
    size: Size | None = None,
    batch: int = 1,
    target: str = TARGET,
) -> Iterator[Variant]:
    """Variants that differ in one choice and take the ``size``, if it is given."""
    for name, values in _CHOICES.items():
        for value in values:
            other = replace(variant, **{name: value})
            if other != variant and takes(other, dtype, size, batch, target):
                yield other


def follow(
    best: tuple[Variant, ...],
    known: set[Variant],
    dtype: str,
    number: int,
    size: Size | None = None,
    batch: int = 1,
    target: str = TARGET,
) -> list[Variant]:
    """``number`` untried neighbours of the best variants, taken from each in turn.

    Each gives them in an order of its own, so that no choice is always asked last.
    """
    random = np.random.default_rng(len(known))
    walks = []
    for variant in best:
        every = neighbours(variant, dtype, size, batch, target)
        near = [one for one in every if one not in known]
        walks.append([near[i] for i in random.permutation(len(near))])
    turns = itertools.chain.from_iterable(itertools.zip_longest(*walks))
    return list(dict.fromkeys(one for one in turns if one is not None))[:number]
