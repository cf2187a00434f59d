"""What becomes of the addresses of a shared variable of PTX, and when that is a permutation."""

from __future__ import annotations

from msgspec import Struct

from bankwise.algebra.address_fold import AddressFold
from bankwise.errors import Refusal
from bankwise.read.ptx.parse import Variable

BEGINS_BYTES = 1_024
"""The largest multiple at which a shared variable can be made to begin. From sm_90 on the driver
keeps the first 1,024 bytes, and ptxas aligns what lies behind them without counting them: with
.align 4096 a variable begins at 1,024 (measured on an H200; ptxas 13.0)."""


def begins(declared: Variable) -> int:
    """At which multiple of bytes a variable is sure to begin."""
    return min(declared.alignment_bytes, BEGINS_BYTES)


class VariableFold(Struct, frozen=True):
    """The map of one shared variable. ``alignment_bytes``: at which multiple it will begin."""

    variable: str
    map: AddressFold
    alignment_bytes: int


def permutes(fold: VariableFold, declared: Variable) -> Refusal | None:
    """Why a map is no permutation of the bytes of a variable; None if it is one."""
    map_ = fold.map
    binary = all(one.binary and one.divisor > one.unit for one in map_.folds)
    if not binary or not map_.changed or map_.read & map_.changed:
        return Refusal("its fold is not its own inverse")
    if begins(declared) % map_.block:
        return Refusal(
            f"{declared.name} begins at a multiple of {begins(declared)} bytes; the fold "
            f"exchanges blocks of {map_.block}"
        )
    if declared.size_bytes is not None and declared.size_bytes % map_.block:
        return Refusal(
            f"{declared.name} has {declared.size_bytes:,} bytes, which are no whole blocks of "
            f"{map_.block}"
        )
    return None
