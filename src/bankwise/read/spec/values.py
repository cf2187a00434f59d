"""What a spec file says, read and checked: tile, memory layout, accesses, launch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bankwise.errors import Location, Refusal
from bankwise.hardware.machine import Direction, Machine
from bankwise.notation.values import Distribution, Memory


@dataclass(frozen=True, slots=True, eq=False)
class SpecLayout:
    """A memory layout with the text it came from; ``memory`` is a Refusal where it cannot be read.

    ``what``: "row-major" or the notation.
    """

    text: str
    what: str
    memory: Memory | Refusal
    location: Location


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """A distribution with the text it came from, and what of the tile it is about.

    ``axes[i]``: which axis of the tile its axis i is.
    """

    text: str
    notation: str
    axes: tuple[int, ...]
    distribution: Distribution | Refusal


@dataclass(frozen=True, slots=True, eq=False)
class SpecAccess:
    """One ``[[access]]``: all lanes move the tile once.

    ``layout``: the memory in the words of this access, over its own axes; None: the memory of the
    file. ``vector``: elements that one access of the text moves, None for what the framework or
    the compiler makes of it. ``weight``: how often it runs for one pass over the tile.
    """

    name: str
    op: Direction
    held: Held
    layout: SpecLayout | None
    vector: int | None
    weight: int
    location: Location


@dataclass(frozen=True, slots=True, eq=False)
class GlobalAccess:
    """One ``[[global]]``: the same for global memory.

    ``base_bytes``: where the tile begins. ``swizzle_stride``: the cacheSwizzleStride that the
    program passes, None if it passes none.
    """

    name: str
    op: Direction
    held: Held
    layout: SpecLayout
    vector: int | None
    base_bytes: int
    swizzle_stride: int | None
    location: Location


@dataclass(frozen=True, slots=True)
class TileTrips:
    """How often the tile is passed: ``workgroups``, each ``iterations`` times."""

    workgroups: int
    iterations: int

    @property
    def passes(self) -> int:
        """Passes over the tile in the whole launch."""
        return self.workgroups * self.iterations


@dataclass(frozen=True, slots=True, eq=False)
class Spec:
    """A spec file. ``shape``: of the tile in elements, ``dims`` its axes' names, last one fastest.

    ``policy``: "" leaves the widths to the framework in whose words the access is.
    ``published``: what somebody measured, to be compared.
    """

    file: str
    title: str
    machine: Machine
    shape: tuple[int, ...]
    dims: tuple[str, ...]
    element_bits: int
    policy: str
    layout: SpecLayout | None
    accesses: tuple[SpecAccess, ...]
    globals: tuple[GlobalAccess, ...]
    launch: TileTrips | None
    published: Mapping[str, int | float | str]

    @property
    def element_bytes(self) -> int:
        """Bytes of one element."""
        return self.element_bits // 8
