"""Maps that several shared arrays of one text can have together, with what each of them takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bankwise.algebra.address import AddressMap, Fold, Padded, RowFolds
from bankwise.ask.array_better import better
from bankwise.ask.array_posed import PosedArray
from bankwise.ask.every_launch import Passes, summed
from bankwise.change.cxx.index_map import IndexMap
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.identity import ByIdentity
from bankwise.read.names import listed, short
from bankwise.solver.plan import Plan, priced
from bankwise.solver.spaces import LAST_INDEX, PADDING


class CommonMap(ByIdentity, frozen=True, eq=False):
    """A map that all arrays of one text can have, with its plan for each."""

    map: IndexMap
    posed: Sequence[PosedArray]
    plans: tuple[Plan, ...]

    @property
    def passes(self) -> Passes:
        """What all of them take."""
        return summed(one.passes(plan) for one, plan in zip(self.posed, self.plans, strict=True))

    @property
    def parted(self) -> bool:
        """Whether it leaves some accesses narrower."""
        return any(one.parted for one in self.posed)

    @property
    def known(self) -> str:
        """How good it is known to be: for each size, where that is not the same."""
        told: dict[str, list[str]] = {}
        for one, plan in zip(self.posed, self.plans, strict=True):
            told.setdefault(str(one.known(plan)), []).append(short(one.kernels[0].name))
        if len(told) == 1:
            return next(iter(told))
        return "; ".join(f"in {listed(names)} {text}" for text, names in told.items())


def common_maps(posed: Sequence[PosedArray], gpu: Machine) -> Iterator[CommonMap]:
    """The best maps of each size that every other can have, those of the first size first."""
    tried: set[IndexMap] = set()
    for owner in posed:
        for plan, map_ in better(owner, gpu):
            if map_ not in tried and not (map_.folds and moves_matrices(posed)):
                plans = [plan if one is owner else _priced(map_, one) for one in posed]
                known = tuple(one for one in plans if one is not None)
                if len(known) == len(plans):
                    yield CommonMap(map_, posed, known)
            tried.add(map_)


def moves_matrices(posed: Sequence[PosedArray]) -> bool:
    """Whether wmma moves matrices of an array: it knows no swizzle of their rows."""
    return any(use.strides for one in posed for use in one.array.uses)


def _priced(map_: IndexMap, posed: PosedArray) -> Plan | None:
    """A map of another size as a plan for this one; None where it cannot have it."""
    scale, row = posed.scale, posed.tile.row
    if map_.columns and map_.columns * scale != row:
        return None
    if map_.pad:
        long, row = row, map_.row * scale or row
        if posed.tile.shape.elements % row or (len(posed.size.extents) > 1 and long % row):
            return None
        layout: AddressMap = Padded(row, map_.pad * scale)
    else:
        flat = len(posed.size.extents) == 1
        each = scale if flat or map_.columns else row
        folds = tuple(Fold(f.divisor * each, f.unit * scale, f.phases) for f in map_.folds)
        whole = posed.tile.shape.elements if map_.columns else row
        if any(whole % fold.block for fold in folds):
            return None
        layout = folds[0] if flat and len(folds) == 1 else RowFolds(row, folds)
    plan = priced(posed.best.work, PADDING if map_.pad else LAST_INDEX, layout)
    return None if isinstance(plan, Refusal) else plan
