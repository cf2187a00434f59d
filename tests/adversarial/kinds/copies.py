"""Copies straight into shared memory: lane order fixes the place, so the source has to move."""

# ruff: noqa: E501 - a line of MLIR stays a line
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from adversarial.kernel import AdversarialKernel, Launch
from adversarial.tiles import LDS, TILES, Copy, Tile, made

_COLUMNS = {
    "dma_min": "affine.min affine_map<()[s0, s1] -> (s0 + s1 * {c}, {last})>()[%j, %b]",
    "dma_min_thread": "affine.min affine_map<()[s0, s1] -> (s0 + s1 * 8, {half})>()[%j, %b]",
    "dma_rem": "affine.apply affine_map<()[s0, s1] -> ((s0 + s1 * {c} + s1 * 16) mod {two})>()[%j, %b]",
    "dma_xor": "arith.xori %j, %fb : index",
    "dma_select": "arith.select %odd, %turned, %j : index",
    "dma_linear": "affine.apply affine_map<()[s0, s1] -> (s0 + s1 * {c})>()[%j, %b]",
    "dma_scaled": "affine.apply affine_map<()[s0, s1] -> (s0 * 2 + s1 * 8)>()[%j, %b]",
}  # fmt: skip
"""The source column of a copy: a function of the lane's column %j and of the workgroup."""


@dataclass(frozen=True, slots=True)
class Direct:
    """A tile of 64 columns that one wave after the other fills, 16 bytes a lane, in rows.

    ``waves`` of 64 lanes; every wave fills 8 rows at a time. ``guard``: around each copy.
    """

    column: str
    waves: int = 4
    element: str = "f16"
    grid: int = 5
    in_text: bool = True
    guard: str = ""
    raw: bool = False
    carried: bool = False
    target: str = "gfx950"
    row: str = "%r"

    @property
    def each(self) -> int:
        """Elements that a lane copies."""
        return 16 // {"f16": 2, "bf16": 2, "f32": 4, "i8": 1}[self.element]

    @property
    def text(self) -> str:
        e, each, threads, columns = self.element, self.each, 64 * self.waves, 8 * self.each
        rows, wide = 8 * self.waves, 16 * columns
        tile, vector = f"memref<{rows}x{columns}x{e}, {LDS}>", f"vector<{each}x{e}>"
        source = f"memref<{rows}x{wide}x{e}>"
        held = source.replace(">", ", #amdgpu.address_space<fat_raw_buffer>>")
        out = f"memref<{self.grid * rows}x{columns}x{e}>"
        column = self.column.format(c=columns, last=columns * 3, half=columns // 2, two=2 * columns)
        view, kind = ("%raw", held) if self.raw else ("%in", source)
        cast = f"%raw = amdgpu.fat_raw_buffer_cast %in resetOffset : {source} to {held}\n  "
        known = [f"gpu.known_block_size = array<i32: {threads}, 1, 1>"]
        known += [f"gpu.known_grid_size = array<i32: {self.grid}, 1, 1>"] * self.in_text
        copied = f"amdgpu.gather_to_lds {view}[{self.row}, %col], %lds[%to, %c0] : {vector}, {kind}, {tile}"
        zero = f"dense<0{'.0' if e[0] in 'fb' else ''}> : {vector}"
        fill = (
            f"%zero = arith.constant {zero}\n"
            f"  vector.store %zero, %lds[%r, %j] : {tile}, {vector}\n  gpu.barrier"
        ) * bool(self.guard)
        if self.guard:
            copied = f"{self.guard} {{\n    {copied}\n  }}"
        if self.carried:
            copied = (
                f"%end = scf.for %k = %c0 to %c3 step %c1 iter_args(%col_k = %col) -> (index) {{\n"
                f"    gpu.barrier\n    {copied.replace('%col]', '%col_k]')}\n"
                f"    %next = arith.addi %col_k, %c{columns} : index\n    scf.yield %next : index\n  }}"
            )
        numbers = sorted({0, 1, 2, 3, 4, 7, 8, 16, columns, each, 5 * each, rows})
        constants = "".join(f"\n  %c{n} = arith.constant {n} : index" for n in numbers)
        return f"""func.func @k(%in: {source}, %out: {out}) attributes {{{", ".join(known)}}} {{{constants}
  %t = gpu.thread_id x upper_bound {threads}
  %b = gpu.block_id x
  {cast * self.raw}%lds = memref.alloc() : {tile}
  %r = affine.apply affine_map<()[s0] -> (s0 floordiv 8)>()[%t]
  %j = affine.apply affine_map<()[s0] -> ((s0 mod 8) * {each})>()[%t]
  %first = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) * 8)>()[%t]
  %to = gpu.subgroup_broadcast %first, first_active_lane : index
  %bit = arith.andi %b, %c1 : index
  %fb = arith.muli %bit, %c{5 * each} : index
  %odd = arith.cmpi eq, %bit, %c1 : index
  %back = arith.subi %c7, %bit : index
  %turned = arith.xori %j, %c{5 * each} : index
  %limit = arith.subi %c{rows}, %bit : index
  %on = arith.cmpi ult, %r, %limit : index
  %col = {column}
  {fill}
  {copied}
  amdgpu.memory_counter_wait load(0)
  gpu.barrier
  %u = affine.apply affine_map<()[s0] -> ((s0 * 5 + 3) mod {rows})>()[%t]
  %n = affine.apply affine_map<()[s0] -> (((s0 floordiv {rows}) mod 8) * {each})>()[%t]
  %o = affine.apply affine_map<()[s0, s1] -> (s0 mod {rows} + s1 * {rows})>()[%t, %b]
  %w = vector.load %lds[%u, %n] : {tile}, {vector}
  vector.store %w, %out[%o, %n] : {out}, {vector}
  return
}}
"""

    @property
    def launches(self) -> tuple[Launch, ...]:
        grids = (self.grid,) if self.in_text else (self.grid, 1, 2)
        return tuple(Launch((n, 1, 1)) for n in grids)


_DIRECT = (
    {"waves": 4},
    {"waves": 4, "in_text": False},
    {"waves": 2, "element": "bf16", "raw": True},
    {"waves": 4, "element": "f32", "in_text": False},
    {"waves": 8, "element": "f16", "grid": 3},
    {"waves": 4, "element": "i8", "raw": True, "in_text": False},
)


def _direct(kind: str, fixable: bool, why: str = "", **more: object) -> Iterator[AdversarialKernel]:
    for n, given in enumerate(_DIRECT):
        direct = Direct(
            **{"column": _COLUMNS.get(kind, "arith.addi %j, %c0 : index"), **given, **more}
        )  # type: ignore[arg-type]
        name = f"{kind}-{n}-{direct.element}_{direct.waves}waves"
        yield AdversarialKernel(
            kind, name, direct.text, fixable, direct.launches, why, target=direct.target
        )


def _asynchronous(kind: str, column: str) -> Iterator[AdversarialKernel]:
    """``cp.async`` names its destination per lane: that moves, and the source stays."""
    for n, tile in enumerate((TILES[3], TILES[4], TILES[7], Tile("f16", 64, 64, 8, "sm_90"))):
        wide = 4 * tile.columns
        source = f"memref<{9 * tile.rows}x{wide}x{tile.element}>"
        of = column.format(c=tile.columns, last=2 * tile.columns, wide=wide, v=tile.width)
        writes = (
            f"%col = {of}\n    %token = nvgpu.device_async_copy %wide[%g, %col], %lds[%t, %i], "
            f"{tile.width} : {source} to {tile.shared}"
        )
        middle = (
            "  %all = nvgpu.device_async_create_group\n"
            "  nvgpu.device_async_wait %all {numGroups = 0 : i32}\n  gpu.barrier\n"
        )
        copy = Copy(
            tile,
            "  %bit = arith.andi %b, %c1 : index\n"
            f"  %fb = arith.muli %bit, %c{tile.width} : index\n"
            "  %odd = arith.cmpi eq, %bit, %c1 : index\n",
            writes=writes,
            middle=middle,
            arguments=f", %wide: {source}",
            grid=(9, 1, 1),
            grid_in_text=bool(n % 2),
        )
        yield made(kind, str(n), copy, True, launches=copy.launch((9, 1, 1), (2, 1, 1)))


def kernels() -> Iterator[AdversarialKernel]:
    for kind in ("dma_min", "dma_rem", "dma_xor", "dma_select", "dma_linear"):
        yield from _direct(kind, True)
    yield from _direct("dma_min_thread", True)
    yield from _direct("dma_scaled", True)
    guarded = "lanes that a guard turns off fetch nothing for the slots of others"
    yield from _direct("dma_guard_row", True, guard="scf.if %on")
    yield from _direct(
        "dma_guard_column", False, guarded + ": a row's chunks are guarded one by one",
        guard="scf.if %part", column="arith.addi %j, %c0 : index\n"
        "  %edge = arith.subi %c8, %bit : index\n"
        "  %chunk = arith.remui %t, %c8 : index\n"
        "  %part = arith.cmpi ult, %chunk, %edge : index",
    )  # fmt: skip
    yield from _direct("dma_carried", True, carried=True)
    yield from _direct(
        "dma_row_min", True, row="%rmin",
        column="arith.addi %j, %c0 : index\n"
        "  %rmin = affine.min affine_map<()[s0, s1] -> (s0 + s1 * 2, 7)>()[%r, %b]",
    )  # fmt: skip
    yield from _asynchronous(
        "async_min", "affine.min affine_map<()[s0, s1] -> (s0 + s1 * {c}, {last})>()[%i, %b]"
    )
    yield from _asynchronous(
        "async_rem",
        "affine.apply affine_map<()[s0, s1] -> ((s0 + s1 * {c} + s1 * {v}) mod {wide})>()[%i, %b]",
    )
    yield from _asynchronous("async_xor", "arith.xori %i, %fb : index")
    yield from _asynchronous("async_select", "arith.select %odd, %c0, %i : index")
