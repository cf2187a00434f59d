"""A shared array as the compiler may access it where it can no longer join neighbouring elements.

    float tile[128][32 + 4];   for (c..) tile[row][c]     rows of 144 bytes: 8 x LDS.128
    float tile[128][32 + 1];                              rows of 132 bytes: 32 x LDS

Only accesses that are wider than what the source moves together are narrower then; a float4 stays
one. What is planned so is compiled and counted like every plan: the compiler decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from bankwise.algebra.address import AddressMap, Fold, Padded, RowFolds
from bankwise.ask.array_posed import PosedArray, spaces_of
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.hardware.policies import one_by_one
from bankwise.solver.best import best
from bankwise.solver.spaces import Space
from bankwise.solver.variants import split, splits
from bankwise.tile import Tile, Use

_POLICY = "iree"
"""What names the instructions of the parts."""

_TRIED = Refusal("only these were tried")


def narrowed(posed: Sequence[PosedArray], gpu: Machine) -> Iterator[tuple[PosedArray, ...]]:
    """The same arrays with accesses of half the bytes, a quarter, .. down to what the source moves
    together, each time with the maps alone that part the wider ones."""
    single = one_by_one(gpu)
    widest = max(_widest(one.tile) for one in posed)
    least = max(one.size.kept_bytes for one in posed)
    while (widest := widest // 2) >= least:
        found = [_narrowed(one, widest, single) for one in posed]
        parts = [one for one in found if one is not None]
        if len(parts) == len(found) and parts[0].parted:
            yield tuple(parts)


def _widest(tile: Tile) -> int:
    return tile.span * tile.shape.element_bits // 8


def _narrowed(posed: PosedArray, width: int, gpu: Machine) -> PosedArray | None:
    """An array with no access of more than so many bytes; None where there is no such code."""
    wanted = [_parts(use, posed.tile, width) for use in posed.tile.uses]
    if max(wanted, default=1) == 1:
        return posed
    free = replace(
        posed.tile,
        uses=tuple(
            replace(use, named=use.named and parts == 1)
            for use, parts in zip(posed.tile.uses, wanted, strict=True)
        ),
    )
    known = splits(free, gpu, _POLICY, narrowest_bytes=width)
    if any(parts not in some for parts, some in zip(wanted, known, strict=True)):
        return None
    tile = split(free, wanted, gpu, _POLICY)
    spaces = list(_parting(spaces_of(tile, posed.size, gpu), posed.tile.span))
    told = best(tile, gpu, spaces, certify=False, proof=_TRIED)
    if isinstance(told, Refusal):
        return None
    pairs = zip(posed.tile.uses, tile.uses, wanted, strict=True)
    said = (f"{_names(old)} as {n} x {_names(new)}" for old, new, n in pairs if n > 1)
    return replace(posed, tile=tile, best=told, parted=tuple(dict.fromkeys(said)))


def _parts(use: Use, tile: Tile, width: int) -> int:
    """How many accesses of so many bytes one is; copies and matrices stay whole."""
    whole = use.span * tile.shape.element_bits // 8
    return max(1, whole // width) if use.kind == "plain" else 1


def _names(use: Use) -> str:
    return ", ".join(dict.fromkeys(issue.instruction for issue in use.issues))


def _parting(spaces: Sequence[Space], span: int) -> Iterator[Space]:
    """The maps of spaces under which ``span`` elements do not stay together, or not aligned."""
    for space in spaces:
        maps = tuple(one for one in space.maps if _parts_some(one, span))
        if maps:
            yield Space(space.name, maps)


def _parts_some(layout: AddressMap, span: int) -> bool:
    if isinstance(layout, Padded):
        return bool(layout.pad % span)
    folds = layout.folds if isinstance(layout, RowFolds) else (layout,)
    return any(isinstance(fold, Fold) and fold.unit < span for fold in folds)
