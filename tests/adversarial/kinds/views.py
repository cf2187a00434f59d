"""Several views of one buffer: other shapes, other starts, other element types."""

# ruff: noqa: E501 - a line of MLIR stays a line
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adversarial.kernel import AdversarialKernel, Launch
from adversarial.tiles import LDS, TILES, Copy, Tile, made

_BYTES = {"f16": 2, "bf16": 2, "f32": 4, "i32": 4, "i8": 1}


def _strided(tile: Tile, rows: int, columns: int, pitch: int, offset: str = "") -> str:
    layout = f"strided<[{pitch}, 1]{f', offset: {offset}' if offset else ''}>"
    return tile.memref(rows, columns, layout=layout)


def _subviews() -> Iterator[AdversarialKernel]:
    """The store goes to the whole buffer, the load through a view that starts behind."""
    for n, tile in enumerate(TILES):
        rows, columns, width = tile.rows, tile.columns, tile.width
        down, right = ((8, 0), (0, width), (3, 0), (16, 2 * width))[n % 4]
        seen = _strided(tile, rows - down, columns - right, columns, str(down * columns + right))
        lines = (
            f"  %view = memref.subview %lds[{down}, {right}] [{rows - down}, {columns - right}] "
            f"[1, 1] : {tile.shared} to {seen}\n"
            f"  %q = affine.apply affine_map<()[s0] -> (s0 mod {rows - down})>()[%u]\n"
        )
        inner = f"affine_map<()[s0] -> (s0 mod {columns - right})>()[%i]"
        reads = (
            f"%j = affine.apply {inner}\n    %w = vector.load %view[%q, %j] : {seen}, {tile.vector}"
        )
        yield made("subview_offset", str(n), Copy(tile, lines, reads=reads), True)


def _moving_subviews() -> Iterator[AdversarialKernel]:
    """The view starts at a column or a row that depends on the workgroup."""
    why = "the view begins inside a group of chunks: a swizzled column may lie before it or behind"
    for n, tile in enumerate(TILES):
        rows, columns, width = tile.rows, tile.columns, tile.width
        wide = 2 * columns
        whole, seen = tile.memref(rows, wide), _strided(tile, rows, columns, wide, "?")
        lines = (
            f"  %bit = arith.andi %b, %c{1 + n % 2} : index\n"
            f"  %first = arith.muli %bit, %c{width} : index\n"
            f"  %view = memref.subview %lds[0, %first] [{rows}, {columns}] [1, 1] : {whole} to {seen}\n"
        )
        allocation = f"%lds = memref.alloc() : {whole}"
        first = f"vector.store %v, %view[%t, %i] : {seen}, {tile.vector}"
        again = f"%w = vector.load %view[%u, %i] : {seen}, {tile.vector}"
        middle = (
            f"  %old = vector.load %view[%t, %c0] : {seen}, {tile.vector}\n"
            f"  vector.store %old, %lds[%t, %c{columns}] : {whole}, {tile.vector}\n"
            f"  gpu.barrier\n" * (n % 3 == 0)
        )
        copy = Copy(tile, lines, allocation, writes=first, reads=again, middle=middle)
        copy = replace(copy, grid_in_text=bool(n % 2))
        yield made("subview_of_workgroup", str(n), copy, False, why)


def _shapes() -> Iterator[AdversarialKernel]:
    """One buffer seen as a row of elements and as a tile, by collapse, expand or a cast."""
    for n, tile in enumerate(TILES):
        rows, columns = tile.rows, tile.columns
        flat = tile.memref(rows * columns)
        other = tile.memref(rows // 2, columns * 2)
        apply = f"affine_map<()[s0, s1] -> (s0 * {columns} + s1)>()[%u, %i]"
        if n % 4 == 0:
            lines = f"  %flat = memref.collapse_shape %lds [[0, 1]] : {tile.shared} into {flat}\n"
            allocation = f"%lds = memref.alloc() : {tile.shared}"
        elif n % 4 == 1:
            allocation = f"%flat = memref.alloc() : {flat}"
            lines = (
                f"  %lds = memref.expand_shape %flat [[0, 1]] output_shape [{rows}, {columns}] : "
                f"{flat} into {tile.shared}\n"
            )
        else:
            allocation = f"%lds = memref.alloc() : {tile.shared}"
            lines = (
                f"  %flat = memref.reinterpret_cast %lds to offset: [0], sizes: [{rows * columns}], "
                f"strides: [1] : {tile.shared} to {flat}\n"
            )
        reads = f"%x = affine.apply {apply}\n    %w = vector.load %flat[%x] : {flat}, {tile.vector}"
        if n % 4 == 3:
            lines += (
                f"  %wide = memref.reinterpret_cast %lds to offset: [0], sizes: [{rows // 2}, "
                f"{columns * 2}], strides: [{columns * 2}, 1] : {tile.shared} to {other}\n"
            )
            reads = (
                "%p = arith.divui %u, %c2 : index\n    %odd = arith.remui %u, %c2 : index\n"
                f"    %y = arith.muli %odd, %c{columns} : index\n    %x = arith.addi %y, %i : index\n"
                f"    %w = vector.load %wide[%p, %x] : {other}, {tile.vector}"
            )
        kind = ("collapsed_view", "expanded_view", "flat_cast", "wider_cast")[n % 4]
        for twice, more in enumerate(("", "  gpu.barrier\n")):
            copy = Copy(tile, lines, allocation, reads=reads, middle=more)
            if twice:
                again = "  %again = arith.remui %b, %c3 : index\n"
                moved = f"affine_map<()[s0, s1] -> ((s0 + s1) mod {rows})>()[%u, %again]"
                copy = replace(
                    copy,
                    lines=lines + again + f"  %q = affine.apply {moved}\n",
                    reads=reads.replace("[%u, %i]", "[%q, %i]")
                    .replace("divui %u", "divui %q")
                    .replace("remui %u", "remui %q"),
                    grid_in_text=False,
                )
            yield made(kind, f"{n}-{twice}", copy, True)


def _pools() -> Iterator[AdversarialKernel]:
    """An i8 pool whose parts are memrefs of several types; two of them may lie on each other."""
    for n, tile in enumerate(TILES):
        size = tile.rows * tile.columns * _BYTES[tile.element]
        pool = f"memref<{2 * size}xi8, {LDS}>"
        other = Tile("f32", tile.rows, tile.columns * _BYTES[tile.element] // 4, 4, tile.target)
        shift = 0 if n % 2 else size
        lines = (
            f"  %shift = arith.constant {shift} : index\n"
            f"  %lds = memref.view %pool[%c0][] : {pool} to {tile.shared}\n"
            f"  %other = memref.view %pool[%shift][] : {pool} to {other.shared}\n"
        )
        extra = (
            f"  %f = vector.load %other[%u, %c0] : {other.shared}, {other.vector}\n"
            "  gpu.barrier\n"
            f"  vector.store %f, %other[%u, %c0] : {other.shared}, {other.vector}\n"
            "  gpu.barrier\n"
        )
        if not n % 2:
            zero = f"  %z = arith.constant dense<0.0> : {other.vector}\n"
            extra = f"{zero}  vector.store %z, %other[%u, %c0] : {other.shared}, {other.vector}\n"
        copy = Copy(tile, lines, f"%pool = memref.alloc() : {pool}", middle=extra)
        yield made("byte_pool" if n % 2 == 0 else "pool_overlap", str(n), copy, True)


def _overlapping() -> Iterator[AdversarialKernel]:
    """Two views of one flat buffer, of rows of different lengths."""
    for n, tile in enumerate(TILES[:6]):
        rows, columns = tile.rows, tile.columns
        flat = tile.memref(rows * columns * 2)
        one = _strided(tile, rows, columns, columns)
        half = columns // 2
        two = tile.memref(rows * 2, half, layout=f"strided<[{half}, 1]>")
        lines = (
            f"  %lds = memref.reinterpret_cast %flat to offset: [0], sizes: [{rows}, {columns}], "
            f"strides: [{columns}, 1] : {flat} to {one}\n"
            f"  %two = memref.reinterpret_cast %flat to offset: [0], sizes: [{rows * 2}, {half}], "
            f"strides: [{half}, 1] : {flat} to {two}\n"
        )
        reads = (
            f"%p = affine.apply affine_map<()[s0, s1] -> (s0 * 2 + s1 floordiv {half})>()[%u, %i]\n"
            f"    %j = arith.remui %i, %chalf : index\n"
            f"    %w = vector.load %two[%p, %j] : {two}, {tile.vector}"
        )
        lines = f"  %chalf = arith.constant {half} : index\n" + lines
        copy = Copy(tile, lines, f"%flat = memref.alloc() : {flat}", reads=reads, shared=one)
        yield made("two_row_lengths", str(n), copy, True)


def _casts() -> Iterator[AdversarialKernel]:
    """A view whose offset or size only a run can tell; and one that reverses the dimensions."""
    for n, tile in enumerate(TILES[:6]):
        rows, columns = tile.rows, tile.columns
        whole = tile.memref(2 * rows, columns)
        seen = _strided(tile, rows, columns, columns, "?")
        lines = (
            f"  %from = arith.muli %n, %c{columns} : index\n"
            f"  %view = memref.reinterpret_cast %lds to offset: [%from], sizes: [{rows}, {columns}], "
            f"strides: [{columns}, 1] : {whole} to {seen}\n"
        )
        copy = Copy(
            tile, lines, f"%lds = memref.alloc() : {whole}", arguments=", %n: index",
            buffer="%view", shared=seen,
        )  # fmt: skip
        launches = tuple(Launch((4, 1, 1), arguments={2: n}) for n in (0, 1, 5, rows))
        yield made("cast_offset", str(n), copy, True, launches=launches, dims=("n=0",))


def kernels() -> Iterator[AdversarialKernel]:
    yield from _subviews()
    yield from _moving_subviews()
    yield from _shapes()
    yield from _pools()
    yield from _overlapping()
    yield from _casts()
