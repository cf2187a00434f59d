"""Wave's swizzle as a framework: ``swizzle<[32, 64], unit = 8, max_phase = 8>``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bankwise.algebra.address import Fold
from bankwise.algebra.offset import Shape
from bankwise.errors import Refusal
from bankwise.notation.fold import fold_of, folded_tile, sizes, unfolded
from bankwise.notation.framework import Framework, Ground, Language, Member, Setting
from bankwise.notation.linear import is_power_of_two
from bankwise.notation.values import Distribution, Memory, collision
from bankwise.notation.wave.index import distribution, parse_index
from bankwise.notation.wave.swizzle import MAX_PHASE, SwizzledTile, legality, parse_swizzle

_NO = "no Wave swizzle agrees"


def _read(text: str, shape: Shape, setting: Setting) -> Memory:
    return parse_swizzle(text)


def _hold(text: str, shape: Shape, setting: Setting) -> Distribution:
    return distribution(
        parse_index(text),
        sizes(shape),
        workgroup=setting.workgroup,
        lanes=setting.machine.wave_size,
        symbols=setting.symbols,
    )


def _fault(memory: Memory) -> str:
    found = legality(memory) if isinstance(memory, SwizzledTile) else collision(memory)
    return str(found) if found else ""


def _swizzle_of_fold(fold: Fold | None, ground: Ground) -> SwizzledTile | Refusal:
    """The swizzle that is a fold: of whole rows, at most 8 phases, chunks of the row.

    Wave takes chunks of the widest access and as many phases as there are chunks, so that others
    are refused where the accesses are known.
    """
    rows, columns = sizes(ground.shape)
    if fold is None:
        return SwizzledTile(rows, columns, columns, 1)
    if fold.divisor != columns or fold.phases > MAX_PHASE or columns % fold.block:
        return Refusal(f"{_NO}: it XORs a chunk number with row mod 1 .. {MAX_PHASE}")
    if ground.span and (fold.unit != ground.span or not is_power_of_two(fold.phases)):
        return Refusal(f"{_NO}: it moves chunks of the widest access, {ground.span} elements")
    return SwizzledTile(rows, columns, fold.unit, fold.phases)


def _write(memory: Memory, ground: Ground) -> object:
    if len(memory.shape) != 2:
        return Refusal(f"Wave swizzles tiles of rank 2, not {len(memory.shape)}")
    fold = fold_of(memory)
    return (
        Refusal(f"{_NO}: {fold.reason}")
        if isinstance(fold, Refusal)
        else _swizzle_of_fold(fold, ground)
    )


def _members(ground: Ground) -> Iterator[Member]:
    shape = ground.shape
    if len(shape.dims) != 2:
        return
    yield Member("row-major", unfolded(shape))
    for fold, address in folded_tile(shape):
        said = _swizzle_of_fold(fold, ground)
        if isinstance(said, SwizzledTile):
            label = f"unit={said.unit}, max_phase={said.max_phase}"
            yield Member(label, address)


WAVE = Framework(
    "wave",
    Language(
        "wave",
        re.compile(r"\s*(swizzle\s*<|\{)"),
        _read,
        _hold,
        _fault,
        example="swizzle<[64, 64], unit = 8, max_phase = 8>",
    ),
    "Wave chunk XOR (row mod max_phase)",
    _members,
    _write,
)
