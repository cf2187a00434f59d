"""A kernel of this package as CUDA text: what the tiles of attention and of a product share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from bankwise.identity import ByIdentity
from bankwise.lab.kernels.text import cuda_text, defines
from bankwise.lab.kernels.tiles import (
    KernelTile,
    Passes,
    Placement,
    Variant,
    accesses,
    address_text,
    passes,
    placements,
    shared_bytes,
)

ElementType = Literal["f16", "f32"]


class GeneratedKernel(ByIdentity, frozen=True, eq=False):
    """One compiled text serves all sizes. ``definitions``: constants that the text asks for.

    ``placements``: of the ``tiles``, in their order.
    """

    name: str
    element: ElementType
    target: str
    tiles: tuple[KernelTile, ...]
    placements: tuple[Placement, ...]
    definitions: Mapping[str, int]

    @property
    def shared_bytes(self) -> int:
        """Shared memory of a workgroup."""
        return shared_bytes(self.placements)


def generate(
    name: str,
    element: ElementType,
    tiles: tuple[KernelTile, ...],
    variant: Variant,
    target: str,
    definitions: Mapping[str, int],
) -> GeneratedKernel:
    """The kernel whose tiles lie as ``variant`` says."""
    found = placements(tiles, variant, target)
    return GeneratedKernel(name, element, target, tiles, found, definitions)


def source(kernel: GeneratedKernel) -> str:
    """The CUDA text; the file ``cuda/<name>_<element>.cu`` says how it is launched."""
    placed = tuple(zip(kernel.tiles, kernel.placements, strict=True))
    sizes = {f"{p.tile.upper()}_BYTES": p.size_bytes for p in kernel.placements}
    addresses = [address_text(tile, placement) for tile, placement in placed]
    texts = [cuda_text("helpers.cuh"), cuda_text(f"{kernel.name}_{kernel.element}.cu")]
    return "\n".join([defines({**kernel.definitions, **sizes}), *addresses, *texts])


def workgroup_passes(kernel: GeneratedKernel, trips: int) -> Passes:
    """What one workgroup costs in shared memory, by counting."""
    found = accesses(kernel.tiles, kernel.placements, trips, kernel.target)
    return passes(found, kernel.target)
