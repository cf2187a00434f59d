"""Indices that are loaded, wrap around, are negative on the way, or come from several ids."""

# ruff: noqa: E501 - a line of MLIR stays a line
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adversarial.kernel import AdversarialKernel
from adversarial.tiles import TILES, Copy, Tile, made


def _loaded() -> Iterator[AdversarialKernel]:
    """The row or the column comes out of memory, as large as it may be."""
    for n, tile in enumerate(TILES):
        kind = ("index", "i32", "i8", "i64")[n % 4]
        limit = (tile.rows, tile.columns // tile.width)[n // 4]
        lines = f"  %x = memref.load %table[%t] : memref<{tile.rows}x{kind}>\n"
        cast = f"  %q = arith.index_cast %x : {kind} to index\n"
        lines += cast if kind != "index" else "  %q = arith.addi %x, %c0 : index\n"
        load, reads = "%q, %i", ""
        if n // 4:
            lines += f"  %shift = arith.muli %q, %c{tile.width} : index\n"
            mixed = f"affine_map<()[s0, s1] -> ((s0 + s1) mod {tile.columns})>()[%i, %shift]"
            reads = f"%j = affine.apply {mixed}\n    %w = vector.load %lds[%u, %j] : {tile.shared}, {tile.vector}"
        copy = Copy(
            tile, lines, load=load, reads=reads,
            arguments=f", %table: memref<{tile.rows}x{kind}>",
        )  # fmt: skip
        launches = tuple(replace(at, fill={2: (0, limit - 1)}) for at in copy.launch())
        launches += tuple(replace(at, fill={2: (limit - 1, limit - 1)}) for at in copy.launch())
        yield made("loaded_index", str(n), copy, True, launches=launches)


def _loaded_beyond() -> Iterator[AdversarialKernel]:
    """A loaded column goes over the row: it is the row below that is meant."""
    why = "what memory holds may leave the row"
    for n, tile in enumerate(TILES[:6]):
        most = 2 * tile.columns // tile.width - 1
        lines = f"  %x = memref.load %table[%t] : memref<{tile.rows}xindex>\n"
        lines += f"  %shift = arith.muli %x, %c{tile.width} : index\n"
        lines += f"  %ctop = arith.constant {tile.rows - 2} : index\n  %q = arith.minui %u, %ctop : index\n"
        reads = f"%w = vector.load %lds[%q, %shift] : {tile.shared}, {tile.vector}"
        copy = Copy(tile, lines, reads=reads, arguments=f", %table: memref<{tile.rows}xindex>")
        launches = tuple(replace(at, fill={2: (0, most)}) for at in copy.launch())
        yield made("loaded_overrun", str(n), copy, False, why, launches=launches)


def _wrapping() -> Iterator[AdversarialKernel]:
    """The row in narrow integers, that wrap around in later workgroups or for later threads."""
    for n, tile in enumerate(TILES):
        kind, factor = (("i8", 37), ("i32", 1 << 30), ("i16", 4099), ("i64", 1 << 61))[n % 4]
        unsigned = n // 4
        lines = (
            f"  %t8 = arith.index_cast %u : index to {kind}\n"
            f"  %b8 = arith.index_cast %b : index to {kind}\n"
            f"  %big = arith.constant {factor} : {kind}\n"
            f"  %mask = arith.constant {tile.rows - 1} : {kind}\n"
            f"  %x = arith.muli %b8, %big : {kind}\n  %y = arith.addi %x, %t8 : {kind}\n"
            f"  %three = arith.constant 3 : {kind}\n"
            f"  %z = arith.{'shrui' if unsigned else 'shrsi'} %y, %three : {kind}\n"
            f"  %s = arith.xori %t8, %z : {kind}\n"
            f"  %m = arith.andi %s, %mask : {kind}\n"
            f"  %q = arith.index_castui %m : {kind} to index\n"
        )
        copy = Copy(tile, lines, load="%q, %i", grid=(5, 1, 1), grid_in_text=bool(n % 2))
        yield made("wrap_around", str(n), copy, True)


def _signed() -> Iterator[AdversarialKernel]:
    """Differences that are negative on the way, and what division makes of them."""
    operations = ("divsi", "remsi", "floordivsi", "ceildivsi")
    for n, tile in enumerate(TILES):
        half = tile.rows // 2
        name = operations[n % 4]
        lines = (
            f"  %chalf = arith.constant {half} : index\n"
            f"  %divisor = arith.constant {(2, 3)[n // 4]} : index\n"
            "  %neg = arith.subi %t, %chalf : index\n  %moved = arith.subi %neg, %b : index\n"
            f"  %x = arith.{name} %moved, %divisor : index\n"
            "  %y = arith.addi %x, %moved : index\n"
            f"  %q = affine.apply affine_map<()[s0] -> (s0 mod {tile.rows})>()[%y]\n"
        )
        copy = Copy(tile, lines, load="%q, %i", grid=(5, 1, 1), grid_in_text=bool(n % 2))
        yield made("negative_values", str(n), copy, True)


def _threads() -> Iterator[AdversarialKernel]:
    """Thread ids in two and three dimensions; a workgroup of an odd shape."""
    for n, tile in enumerate(TILES):
        rows = tile.rows
        shape = ((8, rows // 8, 1), (4, 2, rows // 8))[n % 2]
        x, y, z = shape
        copy = Copy(tile, grid_in_text=bool(n // 2 % 2))
        text = copy.text.replace(f"array<i32: {rows}, 1, 1>", f"array<i32: {x}, {y}, {z}>")
        linear = f"affine_map<()[s0, s1, s2] -> (s0 + s1 * {x} + s2 * {x * y})>()[%tx, %ty, %tz]"
        ids = f"%tx = gpu.thread_id x\n  %ty = gpu.thread_id y\n  %tz = gpu.thread_id z\n  %t = affine.apply {linear}"
        text = text.replace(f"%t = gpu.thread_id x upper_bound {rows}", ids)
        if n // 4:
            text = text.replace("[%t, %i] : memref", "[%r, %i] : memref").replace(
                "  scf.for",
                f"  %r = affine.apply affine_map<()[s0, s1] -> ((s0 + s1) mod {rows})>()[%t, %b]\n  scf.for",
                1,
            )
            text = text.replace("[%u, %i]", "[%u, %i]")
        kernel = made(("threads_2d", "threads_3d")[n % 2], str(n), copy, True)
        yield replace(kernel, text=text)


def _odd() -> Iterator[AdversarialKernel]:
    """Tiles of odd sizes: no power of two rows, no power of two columns."""
    tiles = (
        Tile("f16", 48, 64, 8, "gfx942"), Tile("f16", 48, 80, 8, "gfx942"), Tile("f32", 33, 64, 4, "sm_90"),
        Tile("i8", 40, 96, 16, "gfx950"), Tile("f16", 64, 96, 8, "gfx950"), Tile("f32", 64, 48, 4, "sm_90"),
        Tile("f16", 21, 128, 8, "gfx942"), Tile("bf16", 64, 40, 8, "gfx942"),
    )  # fmt: skip
    for n, tile in enumerate(tiles):
        half = n % 2
        lines = f"  %q = affine.apply affine_map<()[s0, s1] -> ((s0 + s1 * {1 + half}) mod {tile.rows})>()[%t, %b]\n"
        copy = Copy(tile, lines, load="%q, %i", grid_in_text=bool(n // 2 % 2))
        whole = tile.columns != 40
        why = "" if whole else "rows of 80 bytes have no conflicts"
        yield made("odd_tile", str(n), copy, whole, why)


def _padded() -> Iterator[AdversarialKernel]:
    """Rows with padding that some access uses: it may not be undone."""
    for n, tile in enumerate(TILES):
        pad = (tile.width, 2 * tile.width)[n % 2] if n // 4 else tile.columns
        pitch = tile.columns + pad
        whole = tile.memref(tile.rows, pitch)
        mark = tile.columns
        lines = f"  %cpad = arith.constant {mark} : index\n"
        condition = n % 2
        lines += f"  %on = arith.cmpi eq, %b, %c{2 * condition} : index\n"
        lines += "  %at = arith.select %on, %cpad, %c0 : index\n"
        middle = (
            f"  %o = vector.load %lds[%t, %c0] : {whole}, {tile.vector}\n  gpu.barrier\n"
            f"  vector.store %o, %lds[%t, %at] : {whole}, {tile.vector}\n  gpu.barrier\n"
            f"  %p = vector.load %lds[%u, %at] : {whole}, {tile.vector}\n  gpu.barrier\n"
            f"  vector.store %p, %lds[%t, %c0] : {whole}, {tile.vector}\n  gpu.barrier\n"
        )
        copy = Copy(
            tile, lines, f"%lds = memref.alloc() : {whole}", middle=middle, shared=whole,
            grid_in_text=bool(n // 2 % 2),
        )  # fmt: skip
        why = "this padding leaves no conflicts" * (n in (4, 6))
        yield made("padding_used", str(n), copy, not why, why)


def _mixed() -> Iterator[AdversarialKernel]:
    """The row is computed by delinearising, or by other operations than affine ones."""
    for n, tile in enumerate(TILES):
        rows = tile.rows
        ways = (
            f"  %x = arith.addi %u, %b : index\n  %y:2 = affine.delinearize_index %x into (8, {rows}) : index, index\n"
            "  %q = arith.addi %y#1, %c0 : index\n",
            f"  %l = affine.linearize_index [%b, %u] by (8, {rows}) : index\n"
            f"  %q = arith.remui %l, %c{rows} : index\n",
            f"  %x = arith.shli %u, %c1 : index\n  %h = arith.shrui %u, %c{3} : index\n"
            f"  %y = arith.xori %x, %h : index\n  %z = arith.ori %y, %c1 : index\n"
            f"  %q = arith.remui %z, %c{rows} : index\n",
            f"  %x = affine.max affine_map<()[s0, s1] -> (s0 - s1, 0)>()[%u, %b]\n"
            f"  %q = affine.min affine_map<()[s0] -> (s0, {rows - 1})>()[%x]\n",
        )
        copy = Copy(tile, ways[n % 4], load="%q, %i", grid_in_text=bool(n // 4))
        yield made("other_arithmetic", str(n), copy, True)


def kernels() -> Iterator[AdversarialKernel]:
    yield from _loaded()
    yield from _loaded_beyond()
    yield from _wrapping()
    yield from _signed()
    yield from _threads()
    yield from _odd()
    yield from _padded()
    yield from _mixed()
