"""One choice of everything that a generated transpose leaves open, and those that were best.

Which of them have a kernel is asked in :mod:`bankwise.lab.kernels.transpose_tune`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, structs

from bankwise.errors import InputError


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
        Variant(64, 64, 64, kind="tma", blocks=12),
        Variant(64, 64, 64, kind="tma", blocks=12, load="el"),
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
        Variant(64, 64, 128, 1, True, kind="grid", store="cg"),
        Variant(64, 256, 128, 3, True, kind="grid", load="lu", store="cg"),
        Variant(128, 128, 128, 4, True, blocks=3, load="na", store="wt"),
        Variant(64, 128, 256, 1, group=1, kind="grid", blocks=8, load="p256"),
        Variant(64, 128, 256, 1, group=1, kind="grid", load="cg", store="cs"),
        Variant(64, 32, 64, 2, group=1, kind="grid", blocks=8, load="p256", single=True),
        Variant(128, 32, 128, 4, group=1, kind="grid", blocks=8, single=True),
        Variant(128, 64, 128, 1, False, 32, 2, blocks=8, load="lu", store="ef", cluster=2),
        Variant(64, 64, 64, 0, kind="grid", blocks=12),
        Variant(64, 64, 128, 2, True, kind="grid", blocks=4, load="p128", store="wt"),
        Variant(64, 128, 256, 1, group=1, kind="grid"),
        Variant(64, 128, 256, 1, True, group=1, kind="grid", blocks=4),
        Variant(128, 128, 512, 1, blocks=2, load="el", store="cg"),
        Variant(128, 128, 512, 4, blocks=3, load="el", store="cg"),
        Variant(128, 64, 128, 1, False, 32, 2, blocks=8, load="el", store="ef", cluster=2),
        Variant(64, 128, 256, 1, group=1, kind="grid", load="el40", store="ef"),
        Variant(128, 64, 128, 1, False, 32, 2, blocks=8, load="el40", store="ef", cluster=2),
    ),
    "fp32": (
        Variant(128, 64, 512, 1, blocks=3, store="wt"),
        Variant(64, 64, 256, kind="tma", blocks=4, load="el"),
        Variant(64, 64, 128, kind="tma", blocks=4, load="el"),
        Variant(64, 64, 64, 0, True, across=2, blocks=6, store="wt"),
        Variant(64, 64, 64, 1, True, across=2, blocks=6, store="wt"),
        Variant(64, 32, 64, 0, True, 4, across=2, blocks=6, store="wt"),
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
        Variant(64, 64, 64, 1, True, across=2, blocks=2, store="wt"),
        Variant(64, 64, 128, 1, across=2, blocks=3, store="wt"),
        Variant(64, 64, 512, 1, False, 8, blocks=3, store="wt"),
        Variant(128, 64, 512, 1, blocks=1, load="nc", store="wt"),
        Variant(64, 64, 256, kind="tma", blocks=5, load="el"),
        Variant(64, 64, 256, blocks=1, load="el"),
        Variant(64, 64, 256, 0, False, 64, blocks=4, load="el", cluster=2),
        Variant(64, 64, 512, 1, blocks=3, load="el", store="wt", cluster=4),
        Variant(64, 64, 64, 1, True, across=2, blocks=2, load="el20", store="ef"),
        Variant(32, 64, 64, 4, True, kind="grid", load="el"),
    ),
}
"""Where a search starts: what was best, or nearly, in earlier searches on an H200."""


def to_json(variant: Variant) -> dict[str, Any]:
    """The choices by name."""
    return structs.asdict(variant)


def from_json(data: Mapping[str, Any]) -> Variant:
    """:func:`to_json` undone. InputError for names that no variant has."""
    unknown = set(data) - {*Variant.__struct_fields__}
    if unknown:
        raise InputError(f"a variant has no {', '.join(sorted(unknown))}")
    return Variant(**data)
