"""What a file asks about a tile, read and checked: tile, memory layout, accesses, launch.

An access says who moves which element: as a distribution, in the words of any framework
(:class:`Held`), or one by one, as directions of lane bits or an expression of lane and reg
(:class:`bankwise.solver.general.Listed`); or which unit uses the tile
(:class:`bankwise.solver.units.UnitUse`). All are asked the same questions: what they cost under
the layout of the file (:mod:`bankwise.ask.spec_count`), and which layout is best
(:mod:`bankwise.ask.solve`).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from bankwise.algebra.offset import Dims, Shape
from bankwise.errors import InputError, Location, Refusal
from bankwise.hardware.machine import Direction, Machine
from bankwise.hardware.policies import policies
from bankwise.identity import ByIdentity
from bankwise.notation.values import Distribution, Memory
from bankwise.solver.general import Listed
from bankwise.solver.plan import Prefer
from bankwise.solver.units import UnitUse


class WrittenLayout(ByIdentity, frozen=True, eq=False):
    """A memory layout with the text it came from; ``memory`` is a Refusal where it cannot be read.

    ``what``: "row-major" or the notation.
    """

    text: str
    what: str
    memory: Memory | Refusal
    location: Location


class Held(ByIdentity, frozen=True, eq=False):
    """A distribution with the text it came from, and what of the tile it is about.

    ``axes[i]``: which axis of the tile its axis i is.
    """

    text: str
    notation: str
    axes: tuple[int, ...]
    distribution: Distribution | Refusal


class WrittenAccess(ByIdentity, frozen=True, eq=False):
    """One ``[[access]]``: all lanes move the tile once. ``held``: who moves which element.

    ``layout``: the memory in the words of this access, over its own axes; None: the memory of the
    file. ``vector``: elements that one access of the text moves, None for what the framework or
    the compiler makes of it. ``weight``: how often it runs for one pass over the tile.
    """

    name: str
    op: Direction
    held: Held | Listed | UnitUse
    layout: WrittenLayout | None
    vector: int | None
    weight: int
    location: Location

    @property
    def words(self) -> str:
        """In whose words it is."""
        if isinstance(self.held, Held):
            return f"{self.held.notation} distribution"
        if isinstance(self.held, UnitUse):
            return self.held.kind
        return "directions" if self.held.offset is None else "offset expression"


class GlobalAccess(ByIdentity, frozen=True, eq=False):
    """One ``[[global]]``: the same for global memory.

    ``base_bytes``: where the tile begins. ``swizzle_stride``: the cacheSwizzleStride that the
    program passes, None if it passes none.
    """

    name: str
    op: Direction
    held: Held
    layout: WrittenLayout
    vector: int | None
    base_bytes: int
    swizzle_stride: int | None
    location: Location


class TileTrips(Struct, frozen=True):
    """How often the tile is passed: ``workgroups``, each ``iterations`` times."""

    workgroups: int
    iterations: int

    @property
    def passes(self) -> int:
        """Passes over the tile in the whole launch."""
        return self.workgroups * self.iterations


class SolveOptions(Struct, frozen=True):
    """The ``[solve]`` table. ``family``: restrict the answer to it; ``budget_s``: seconds.

    ``prefer``: by what plans are ranked; ``allow_narrowing``: whether accesses may be issued in
    parts, None where the file does not say.
    """

    family: str = ""
    budget_s: float | None = None
    allow_narrowing: bool | None = None
    max_lds_bytes: int | None = None
    prefer: Prefer | Literal[""] = ""


class TileQuestion(ByIdentity, frozen=True, eq=False):
    """A file. ``shape``: of the tile in elements, ``dims`` its axes' names, last one fastest.

    ``stages``: leading dimensions that no access moves, the outermost last. ``policy``: "" leaves
    the widths to the framework in whose words an access is. ``layout``: None asks for one.
    ``published``: what somebody measured, to be compared.
    """

    file: str
    title: str
    machine: Machine
    shape: tuple[int, ...]
    dims: tuple[str, ...]
    element_bits: int
    stages: Dims
    policy: str
    layout: WrittenLayout | None
    accesses: tuple[WrittenAccess, ...]
    globals: tuple[GlobalAccess, ...]
    launch: TileTrips | None
    published: Mapping[str, int | float | str]
    options: SolveOptions

    @property
    def element_bytes(self) -> int:
        """Bytes of one element; 0 for less than a byte."""
        return self.element_bits // 8

    @property
    def whole(self) -> Shape:
        """The tile with all its stages."""
        dims = zip(reversed(self.dims), reversed(self.shape), strict=True)
        return Shape(tuple(dims), self.element_bits)

    @property
    def tile(self) -> Shape:
        """The tile without its stages: what the accesses are about."""
        dims = self.whole.dims
        return Shape(dims[: len(dims) - len(self.stages)], self.element_bits)

    @property
    def batch(self) -> int:
        """How many such tiles lie behind each other."""
        return prod(size for _, size in self.stages)


def chosen(question: TileQuestion, policy: str) -> TileQuestion:
    """The question under a policy of the caller; "" keeps its own. :class:`InputError` for one that
    is not known."""
    if policy and policy not in policies():
        raise InputError(f"unknown policy {policy!r}", hint="known: " + ", ".join(policies()))
    return replace(question, policy=policy or question.policy)
