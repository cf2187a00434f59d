"""Variants of the register-blocked transpose: what can be chosen, and orders to try it in.

The layout is never chosen here: every variant takes the one that the solver proves best for it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

import numpy as np
from msgspec import Struct, structs
from msgspec.structs import replace

from bankwise.errors import InputError
from bankwise.hardware.machine import Machine
from bankwise.lab.kernels.transpose_hints import LOADS, STORES
from bankwise.lab.kernels.transpose_ladder import blocked, element_bytes, solved
from bankwise.lab.kernels.transpose_launch import fitted
from bankwise.lab.kernels.transpose_order import grid
from bankwise.lab.kernels.transpose_plan import Schedule, Transpose, checked

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
    "kind": ("tile", "persistent", "grid"),
    "prefetch": (False, True),
    "blocks": (0, 1, 2, 3, 4, 6, 8),
    "load": tuple(LOADS),
    "store": tuple(STORES),
    "cluster": (1, 2, 4, 8),
}
_ALONE: Mapping[str, Any] = {"kind": "grid", "across": 1, "skew": 0, "cluster": 1}
"""What is fixed of the order where tiles do not divide a matrix."""
_SHARED_BYTES = 132 * 1024
_THREADS = 2048
"""Of a multiprocessor (CUDA C++ Programming Guide, compute capability 9.0)."""
_REGISTERS = 128
"""Words of a thread that may wait between global and shared memory."""


class Variant(Struct, frozen=True):
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
    single: bool = False

    def __str__(self) -> str:
        words = [
            f"{self.tile_m}x{self.tile_k}",
            f"t{self.threads}",
            f"block{self.block}",
            "late" if self.late else "early",
            "single" if self.single else "",
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
        Variant(256, 32, 256, 2, kind="grid", blocks=4),
        Variant(128, 32, 64, 2, kind="grid", blocks=8, single=True),
        Variant(64, 128, 512, 3, kind="grid", store="cg", single=True),
        Variant(128, 64, 512, 4, kind="grid", load="nc"),
        Variant(64, 64, 128, 2, kind="grid"),
        Variant(64, 64, 128, 3, True, kind="grid", store="cg"),
        Variant(64, 128, 256, 1, kind="grid"),
        Variant(64, 128, 256, 1, group=1, kind="grid", blocks=8, load="p256"),
        Variant(64, 128, 256, 1, group=1, kind="grid", load="cg", store="cs"),
        Variant(64, 32, 64, 2, group=1, kind="grid", blocks=8, load="p256", single=True),
        Variant(128, 32, 128, 4, group=1, kind="grid", blocks=8, single=True),
    ),
    "fp32": (
        Variant(128, 64, 512, 1, blocks=3, store="wt"),
        Variant(64, 64, 64, 0, True, across=2, blocks=6, store="wt"),
        Variant(128, 64, 512, 2, True, blocks=3, store="wt"),
        Variant(64, 64, 512, 1, across=2, blocks=3, store="wt"),
        Variant(128, 32, 512, 2, kind="grid", load="nc"),
        Variant(128, 32, 128, 2, kind="grid", blocks=2, single=True),
        Variant(128, 32, 256, 0, kind="grid", blocks=4),
        Variant(128, 32, 512, 5, kind="grid", blocks=2),
        Variant(32, 32, 128, 1, True, kind="grid", store="cs"),
        Variant(32, 64, 64, 4, True, kind="grid"),
        Variant(64, 64, 256, kind="grid", store="wt"),
        Variant(64, 128, 256, 3, True, kind="grid", store="cg"),
        Variant(128, 32, 512, 4, group=1, kind="grid", load="nc", store="cg", single=True),
        Variant(64, 32, 256, 5, True, group=1, kind="grid", blocks=4, load="p128"),
        Variant(128, 32, 512, 5, group=1, kind="grid", blocks=2, load="p256"),
        Variant(128, 32, 128, 2, group=1, kind="grid", blocks=4, load="p128", single=True),
    ),
}
"""Where a search starts: what was best, or nearly, in earlier searches on an H200."""


def plan(variant: Variant, dtype: str, machine: Machine, name: str = "") -> Transpose:
    """The kernel of a variant, with its solved layout. InputError where its parts do not fit."""
    return solved(_bare(variant, dtype, name), machine)


def fits(variant: Variant, dtype: str) -> bool:
    """Whether :func:`plan` has a kernel for it; the solver is not asked."""
    return takes(variant, dtype, None)


def takes(variant: Variant, dtype: str, size: Size | None, batch: int = 1) -> bool:
    """Whether it has a kernel for ``batch`` matrices of ``size`` = (m, k); None: for some."""
    try:
        made = _bare(variant, dtype, "")
        if size is not None:
            grid(checked(fitted(made, size)), size, 1, batch)
    except InputError:
        return False
    return True


def _bare(variant: Variant, dtype: str, name: str) -> Transpose:
    """The kernel on a row-major tile."""
    size, tile = element_bytes(dtype), (variant.tile_m, variant.tile_k)
    words = tile[0] * tile[1] * size // 4 // variant.threads
    if tile[0] * tile[1] * size > _SHARED_BYTES or not 4 <= words <= _REGISTERS:
        raise InputError(f"a tile of {tile[0]} x {tile[1]} is not for {variant.threads} threads")
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
    if variant.single and (variant.late or variant.store == "ef"):
        raise InputError("elements leave as they lie, and without a policy")
    return blocked(
        dtype,
        tile,
        variant.threads,
        block,
        late=variant.late,
        single=variant.single,
        schedule=schedule,
        name=name,
    )


def sample(
    dtype: str, number: int, seed: int = 0, size: Size | None = None, batch: int = 1
) -> tuple[Variant, ...]:
    """``number`` different variants that have kernels, for ``size`` if it is given, drawn at
    random; the default one first.
    """
    random = np.random.default_rng(seed)
    found: dict[Variant, None] = dict.fromkeys(
        one for one in (Variant(),) if takes(one, dtype, size, batch)
    )
    every = size is None or takes(Variant(), dtype, size, batch)
    for _ in range(1000 * number):
        if len(found) >= number:
            break
        drawn = {k: v[int(random.integers(len(v)))] for k, v in _CHOICES.items()}
        variant = Variant(**drawn) if every else Variant(**{**drawn, **_ALONE})
        if takes(variant, dtype, size, batch):
            found.setdefault(variant)
    return tuple(found)[:number]


def neighbours(
    variant: Variant, dtype: str, size: Size | None = None, batch: int = 1
) -> Iterator[Variant]:
    """Variants that differ in one choice and take the ``size``, if it is given."""
    for name, values in _CHOICES.items():
        for value in values:
            other = replace(variant, **{name: value})
            if other != variant and takes(other, dtype, size, batch):
                yield other


def follow(
    best: tuple[Variant, ...],
    known: set[Variant],
    dtype: str,
    number: int,
    size: Size | None = None,
    batch: int = 1,
) -> list[Variant]:
    """``number`` untried neighbours of the best variants, taken from each in turn.

    Each gives them in an order of its own, so that no choice is always asked last.
    """
    random = np.random.default_rng(len(known))
    walks = []
    for variant in best:
        near = [one for one in neighbours(variant, dtype, size, batch) if one not in known]
        walks.append([near[i] for i in random.permutation(len(near))])
    turns = itertools.chain.from_iterable(itertools.zip_longest(*walks))
    return list(dict.fromkeys(one for one in turns if one is not None))[:number]


def to_json(variant: Variant) -> dict[str, Any]:
    """The choices by name."""
    return structs.asdict(variant)


def from_json(data: Mapping[str, Any]) -> Variant:
    """:func:`to_json` undone. InputError for names that no variant has."""
    unknown = set(data) - {*Variant.__struct_fields__}
    if unknown:
        raise InputError(f"a variant has no {', '.join(sorted(unknown))}")
    return Variant(**data)
