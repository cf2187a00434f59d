"""Variants of the register-blocked transpose: what can be chosen, and orders to try it in.

The layout is never chosen here: every variant takes the one that the solver proves best for it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, cast

import numpy as np

from bankwise.errors import InputError
from bankwise.hardware.machine import Machine
from bankwise.lab.kernels.transpose_hints import LOADS, STORES
from bankwise.lab.kernels.transpose_ladder import blocked, element_bytes, solved
from bankwise.lab.kernels.transpose_plan import Schedule, Transpose

Kind = Literal["tile", "persistent"]
_BLOCKS = {2: ((8, 8), (4, 8), (8, 4), (2, 8)), 4: ((4, 4), (2, 4), (4, 2), (1, 4))}
_CHOICES: Mapping[str, tuple[Any, ...]] = {
    "tile_m": (32, 64, 128, 256, 512),
    "tile_k": (32, 64, 128, 256, 512),
    "threads": (64, 128, 256, 512, 1024),
    "block": (0, 1, 2, 3),
    "late": (False, True),
    "group": (0, 1, 2, 4, 8, 16, 32, 64, 128, 256),
    "across": (1, 2, 4, 8),
    "skew": (0, 1, 4, 16, 64),
    "kind": ("tile", "persistent"),
    "prefetch": (False, True),
    "blocks": (0, 1, 2, 3, 4, 6, 8),
    "load": tuple(LOADS),
    "store": tuple(STORES),
    "cluster": (1, 2, 4, 8),
}
_SHARED_BYTES = 132 * 1024
_THREADS = 2048
"""Of a multiprocessor (CUDA C++ Programming Guide, compute capability 9.0)."""
_REGISTERS = 128
"""Words of a thread that may wait between global and shared memory."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One choice. ``block``: index into the register blocks of the type (rows, columns)."""

    tile_m: int = 128
    tile_k: int = 64
    threads: int = 128
    block: int = 0
    late: bool = False
    group: int = 0
    across: int = 1
    skew: int = 0
    kind: str = "tile"
    prefetch: bool = False
    blocks: int = 0
    load: str = ""
    store: str = ""
    cluster: int = 1

    def __str__(self) -> str:
        words = [
            f"{self.tile_m}x{self.tile_k}",
            f"t{self.threads}",
            f"block{self.block}",
            "late" if self.late else "early",
            f"order{self.across}x{self.group or 'all'}",
            f"skew{self.skew}" if self.skew else "",
            self.kind,
            "prefetch" if self.prefetch else "",
            f"x{self.blocks}" if self.blocks else "",
            f"cluster{self.cluster}" if self.cluster > 1 else "",
            f"{self.load or 'plain'}/{self.store or 'plain'}",
        ]
        return " ".join(word for word in words if word)


SEEDS: Mapping[str, tuple[Variant, ...]] = {
    "fp16": (
        Variant(128, 128, 512, 1, blocks=3, store="wt"),
        Variant(64, 64, 256, 3, True, 512, 4, blocks=2, load="lu", store="cg"),
        Variant(128, 128, 128, 2, True, blocks=3, store="wt"),
        Variant(64, 64, 128, 3, False, 128, 4, blocks=2, load="lu", store="cg"),
    ),
    "fp32": (
        Variant(128, 64, 512, 1, blocks=3, store="wt"),
        Variant(64, 64, 64, 0, True, across=2, blocks=6, store="wt"),
        Variant(128, 64, 512, 2, True, blocks=3, store="wt"),
        Variant(64, 64, 512, 1, across=2, blocks=3, store="wt"),
    ),
}
"""Where a search starts: what was best, or nearly, in earlier searches on an H200."""


def plan(variant: Variant, dtype: str, machine: Machine, name: str = "") -> Transpose:
    """The kernel of a variant, with its solved layout. InputError where its parts do not fit."""
    return solved(_bare(variant, dtype, name), machine)


def fits(variant: Variant, dtype: str) -> bool:
    """Whether :func:`plan` has a kernel for it; the solver is not asked."""
    try:
        _bare(variant, dtype, "")
    except InputError:
        return False
    return True


def _bare(variant: Variant, dtype: str, name: str) -> Transpose:
    """The kernel on a row-major tile."""
    size, tile = element_bytes(dtype), (variant.tile_m, variant.tile_k)
    words = tile[0] * tile[1] * size // 4 // variant.threads
    if tile[0] * tile[1] * size > _SHARED_BYTES or not 4 <= words <= _REGISTERS:
        raise InputError(f"a tile of {tile[0]} x {tile[1]} is not for {variant.threads} threads")
    if variant.kind == "tile" and variant.prefetch:
        raise InputError("one tile per block has no next tile to load")
    if variant.kind == "persistent" and variant.cluster > 1:
        raise InputError("persistent blocks start together anyway")
    if variant.kind == "persistent" and not variant.blocks:
        raise InputError("persistent blocks need a number per multiprocessor")
    if variant.blocks * variant.threads > _THREADS:
        raise InputError(f"{variant.blocks} blocks of {variant.threads} threads do not fit")
    schedule = Schedule(
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
    block = _BLOCKS[size][variant.block]
    late = variant.late
    return blocked(dtype, tile, variant.threads, block, late=late, schedule=schedule, name=name)


def sample(dtype: str, number: int, seed: int = 0) -> tuple[Variant, ...]:
    """``number`` different variants that have kernels, drawn at random; the default one first."""
    random = np.random.default_rng(seed)
    found: dict[Variant, None] = {Variant(): None}
    for _ in range(1000 * number):
        if len(found) >= number:
            break
        drawn = {k: v[int(random.integers(len(v)))] for k, v in _CHOICES.items()}
        variant = Variant(**drawn)
        if fits(variant, dtype):
            found.setdefault(variant)
    return tuple(found)[:number]


def neighbours(variant: Variant, dtype: str) -> Iterator[Variant]:
    """Variants that differ in one choice."""
    for name, values in _CHOICES.items():
        for value in values:
            other = replace(variant, **{name: value})
            if other != variant and fits(other, dtype):
                yield other


def follow(
    best: tuple[Variant, ...], known: set[Variant], dtype: str, number: int
) -> list[Variant]:
    """``number`` untried neighbours of the best variants, taken from each in turn.

    Each gives them in an order of its own, so that no choice is always asked last.
    """
    random = np.random.default_rng(len(known))
    walks = []
    for variant in best:
        near = [one for one in neighbours(variant, dtype) if one not in known]
        walks.append([near[i] for i in random.permutation(len(near))])
    turns = itertools.chain.from_iterable(itertools.zip_longest(*walks))
    return list(dict.fromkeys(one for one in turns if one is not None))[:number]


def to_json(variant: Variant) -> dict[str, Any]:
    """The choices by name."""
    return asdict(variant)


def from_json(data: Mapping[str, Any]) -> Variant:
    """:func:`to_json` undone. InputError for names that no variant has."""
    unknown = set(data) - {f.name for f in fields(Variant)}
    if unknown:
        raise InputError(f"a variant has no {', '.join(sorted(unknown))}")
    return Variant(**data)
