"""The kernel that most kinds are made of: a workgroup copies a tile by way of shared memory.

Thread t writes row t of the tile and reads row (5 t + 3) mod rows, a vector at a time: all lanes
of a phase want the same banks, and a row that goes astray is seen by another thread.
"""

# ruff: noqa: E501 - a line of MLIR stays a line
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from adversarial.kernel import AdversarialKernel, Launch, Size

LDS = "#gpu.address_space<workgroup>"


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile of ``rows`` by ``columns``, moved in vectors of ``width``, for a GPU."""

    element: str = "f16"
    rows: int = 64
    columns: int = 64
    width: int = 8
    target: str = "gfx942"

    @property
    def shared(self) -> str:
        return self.memref(self.rows, self.columns)

    @property
    def vector(self) -> str:
        return f"vector<{self.width}x{self.element}>"

    @property
    def name(self) -> str:
        return f"{self.element}_{self.rows}x{self.columns}v{self.width}_{self.target}"

    def memref(self, *shape: int, layout: str = "") -> str:
        sizes = "".join(f"{n}x" for n in shape)
        return f"memref<{sizes}{self.element}{f', {layout}' if layout else ''}, {LDS}>"

    def globals(self, *shape: int) -> str:
        return f"memref<{'x'.join(map(str, shape))}x{self.element}>"


TILES = (
    Tile(),
    Tile("f32", 64, 32, 4, "gfx942"),
    Tile("i8", 64, 128, 16, "gfx950"),
    Tile("bf16", 32, 64, 8, "sm_90"),
    Tile("f32", 128, 64, 4, "sm_90"),
    Tile("f16", 64, 128, 4, "gfx950"),
    Tile("i32", 32, 32, 4, "gfx942"),
    Tile("f16", 128, 32, 8, "sm_90"),
)
"""Each has conflicts when a lane takes a row."""


@dataclass(frozen=True, slots=True)
class Copy:
    """The text of the kernel, with places for what a kind does otherwise.

    ``lines`` stand behind the ids, ``writes`` and ``reads`` in the two loops (an empty one is the
    plain store or load of ``%v`` at ``store`` and of ``%w`` at ``load``), ``middle`` behind the
    barrier, ``tail`` at the end. ``grid``: the greatest of all launches.
    """

    tile: Tile
    lines: str = ""
    allocation: str = ""
    store: str = "%t, %i"
    load: str = "%u, %i"
    writes: str = ""
    reads: str = ""
    middle: str = ""
    tail: str = ""
    head: str = ""
    more: str = ""
    arguments: str = ""
    grid: Size = (4, 1, 1)
    grid_in_text: bool = True
    size_in_text: bool = True
    buffer: str = "%lds"
    shared: str = ""

    @property
    def text(self) -> str:
        tile = self.tile
        shared = self.shared or tile.shared
        groups = self.grid[0] * self.grid[1] * self.grid[2]
        outer = tile.globals(groups * tile.rows, tile.columns)
        known = [f"gpu.known_block_size = array<i32: {tile.rows}, 1, 1>"] * self.size_in_text
        sizes = ", ".join(map(str, self.grid))
        known += [f"gpu.known_grid_size = array<i32: {sizes}>"] * self.grid_in_text
        attributes = f" attributes {{{', '.join(known)}}}" * bool(known)
        bound = f" upper_bound {tile.rows}" * self.size_in_text
        linear = "" if self.grid[1:] == (1, 1) else f" + s2 * {self.grid[0]}"
        allocation = self.allocation or f"%lds = memref.alloc() : {tile.shared}"
        write = f"vector.store %v, {self.buffer}[{self.store}] : {shared}, {tile.vector}"
        read = f"%w = vector.load {self.buffer}[{self.load}] : {shared}, {tile.vector}"
        numbers = sorted({0, 1, 2, 3, 4, 5, 7, 8, 16, 32, 64, tile.rows, tile.columns, tile.width})
        constants = "".join(f"\n  %c{n} = arith.constant {n} : index" for n in numbers)
        return f"""{self.head}func.func @k(%in: {outer}, %out: {outer}{self.arguments}){attributes} {{{constants}
  %t = gpu.thread_id x{bound}
  %b = gpu.block_id x
  %by = gpu.block_id y
  %g = affine.apply affine_map<()[s0, s1, s2] -> (s0 + (s1{linear}) * {tile.rows})>()[%t, %b, %by]
  %u = affine.apply affine_map<()[s0] -> ((s0 * 5 + 3) mod {tile.rows})>()[%t]
  {allocation}
{self.lines}  scf.for %i = %c0 to %c{tile.columns} step %c{tile.width} {{
    %v = vector.load %in[%g, %i] : {outer}, {tile.vector}
    {self.writes or write}
  }}
  gpu.barrier
{self.middle}  scf.for %i = %c0 to %c{tile.columns} step %c{tile.width} {{
    {self.reads or read}
    vector.store %w, %out[%g, %i] : {outer}, {tile.vector}
  }}
{self.tail}  return
}}
{self.more}"""

    def launch(self, *grids: Size, **given: object) -> tuple[Launch, ...]:
        """Launches over these grids, default the greatest one."""
        block = None if self.size_in_text else (self.tile.rows, 1, 1)
        return tuple(Launch(grid, block, **given) for grid in grids or (self.grid,))  # type: ignore[arg-type]


def made(
    kind: str, name: str, copy: Copy, fixable: bool, why: str = "", **given: object
) -> AdversarialKernel:
    """The kernel of a copy; ``given``: launches, dims, entries, as far as they are not plain."""
    if not copy.size_in_text:
        given.setdefault("workgroup_size", f"{copy.tile.rows},1,1")
    given.setdefault("launches", copy.launch())
    return AdversarialKernel(
        kind=kind,
        name=f"{kind}-{name}-{copy.tile.name}",
        text=copy.text,
        fixable=fixable,
        why=why,
        target=copy.tile.target,
        **given,  # type: ignore[arg-type]
    )


def without_grid(copy: Copy) -> Copy:
    """The same, the grid not in its text."""
    return replace(copy, grid_in_text=False)


def numbered(tiles: tuple[Tile, ...] = TILES) -> Iterator[tuple[int, Tile]]:
    return enumerate(tiles)
