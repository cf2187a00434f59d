"""The canonical layouts of a tile, each with its price and what to paste for it.

Every mode is listed once for each order of its blocks, also those that a unit or an access of
threads does not take, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bankwise.algebra.address import Linear
from bankwise.algebra.offset import Shape
from bankwise.errors import InputError, Refusal
from bankwise.identity import ByIdentity
from bankwise.notation.cute.canonical import CanonicalLayout, canonical_layouts
from bankwise.notation.cute.hopper import Major, Mode
from bankwise.notation.fold import sizes
from bankwise.notation.triton.encodings import NvmmaShared
from bankwise.notation.triton.shared import memory as triton_memory
from bankwise.notation.values import Mapped, same_memory
from bankwise.solver.plan import Plan, priced
from bankwise.solver.price import Workload
from bankwise.solver.simplest import SOLVER
from bankwise.solver.units import BoxRows, UnitUse, box_rows, other_axis

_VERSION = {"tcgen05": 1 << 46}
"""What a descriptor has beside the fields of wgmma's. Source: CUTLASS, mma_sm100_desc.hpp."""


class OperandWords(Struct, frozen=True):
    """One operand in one mode: the descriptor, and CuTe's names.

    ``bits``: of a tile at address 0. ``starts``: of the instructions along K, bytes.
    """

    name: str
    major: Major
    leading_bytes: int
    stride_bytes: int
    bits: int
    starts: tuple[int, ...]
    atom: str
    tiled: str


class ModePlan(ByIdentity, frozen=True, eq=False):
    """One canonical layout; ``plan`` is None where there is a ``reason`` against it.

    ``inner``: the contiguous dimension. ``blocks``: which dimension neighbouring blocks follow;
    empty where the mode has no room. ``triton``: the encoding, empty if it has none.
    """

    mode: Mode
    inner: str
    blocks: str = ""
    layout: CanonicalLayout | None = None
    plan: Plan | None = None
    reason: str = ""
    boxes: tuple[BoxRows, ...] = ()
    operands: tuple[OperandWords, ...] = ()
    triton: str = ""

    @property
    def rows(self) -> int:
        """Box rows of all bulk copies."""
        return sum(one.rows for one in self.boxes)

    @property
    def cycles(self) -> float | None:
        """Of all bulk copies; None if some are not known."""
        known = [one.cycles for one in self.boxes if one.cycles is not None]
        return sum(known) if len(known) == len(self.boxes) else None

    @property
    def tensor_map_swizzle(self) -> str:
        """What the tensor map says."""
        return f"CU_TENSOR_MAP_SWIZZLE_{self.mode.name.upper()}"

    @property
    def label(self) -> str:
        """In few words."""
        stacked = f", blocks along {self.blocks}" if self.blocks else ""
        return f"{self.mode.name} swizzle, {self.inner} contiguous{stacked}"


def mode_plans(work: Workload, units: Sequence[UnitUse], inner: str) -> Iterator[ModePlan]:
    """All modes with this contiguous dimension, priced where every unit takes them."""
    lengths = dict(work.shape.dims)
    outer = other_axis(units[0], inner)
    operand = any(unit.kind == "operand" for unit in units)
    bits = work.shape.element_bits
    for found in canonical_layouts(lengths[outer], lengths[inner], bits, operand=operand):
        if not isinstance(found, CanonicalLayout):
            yield ModePlan(found[0], inner, reason=found[1])
            continue
        blocks = outer if found.order == "outward" else inner
        one = ModePlan(found.mode, inner, blocks, found)
        against = [(unit.name, unit.refuses(found, inner)) for unit in units]
        reason = "; ".join(f"{name}: {why}" for name, why in against if why)
        yield replace(one, reason=reason) if reason else _priced(one, found, work, units)


def _priced(
    one: ModePlan, layout: CanonicalLayout, work: Workload, units: Sequence[UnitUse]
) -> ModePlan:
    outer = other_axis(units[0], one.inner)
    address = linear_map(layout, work.shape, outer, one.inner)
    plan = priced(work, SOLVER, address, one.label)
    if isinstance(plan, Refusal):
        return replace(one, reason=plan.reason)
    tiles = work.shape.elements // (layout.outer * layout.inner)
    copies = [unit for unit in units if unit.kind == "bulk"]
    return replace(
        one,
        plan=plan,
        boxes=tuple(box_rows(unit, layout, tiles, work.machine) for unit in copies),
        operands=tuple(_words(u, layout, one.inner) for u in units if u.kind == "operand"),
        triton=_triton(address, layout, work.shape, one.inner),
    )


def linear_map(layout: CanonicalLayout, shape: Shape, outer: str, inner: str) -> Linear:
    """A canonical layout as a map of the row-major offsets; other dimensions lie above it."""
    bases: list[int] = []
    above = layout.outer * layout.inner
    for name, size in shape.dims:
        units = 1 << np.arange(size.bit_length() - 1)
        if name == inner:
            bases += layout(np.zeros_like(units), units).tolist()
        elif name == outer:
            bases += layout(units, np.zeros_like(units)).tolist()
        else:
            bases += (above * units).tolist()
            above *= size
    return Linear(tuple(bases))


def _words(unit: UnitUse, layout: CanonicalLayout, inner: str) -> OperandWords:
    major = unit.major_if(inner)
    found = layout.descriptor(major)
    return OperandWords(
        unit.name,
        major,
        found.leading_bytes,
        found.stride_bytes,
        found.bits | _VERSION.get(unit.instruction, 0),
        layout.starts(major),
        layout.atom_text(major, unit.space, unit.element.cute),
        layout.tiled_text(major, unit.space, unit.element.cute),
    )


def _triton(address: Linear, layout: CanonicalLayout, shape: Shape, inner: str) -> str:
    """``nvmma_shared`` where it is this very map."""
    if len(shape.dims) != 2:
        return ""
    width = layout.mode.span_bytes if layout.mode.swizzle.bits else 0
    named = NvmmaShared(width, inner != shape.dims[0][0], shape.element_bits)
    tile = sizes(shape)
    try:
        same = same_memory(triton_memory(named, tile), Mapped(tile, address))
    except InputError:
        # The encoding has a smallest tile.
        return ""
    return str(named) if same else ""
