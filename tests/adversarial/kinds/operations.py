"""Operations beside plain loads and stores, in the same buffer."""

# ruff: noqa: E501 - a line of MLIR stays a line
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adversarial.kernel import AdversarialKernel
from adversarial.tiles import TILES, Copy, Tile, made

_UNNAMED = "touches elements that its indices do not name"
_I32 = (
    Tile("i32", 64, 32, 4, "gfx942"),
    Tile("i32", 32, 64, 4, "gfx950"),
    Tile("i32", 64, 64, 4, "sm_90"),
    Tile("i32", 128, 32, 2, "gfx942"),
    Tile("i32", 32, 32, 4, "sm_90"),
    Tile("i32", 64, 128, 4, "gfx950"),
)


def _atomics() -> Iterator[AdversarialKernel]:
    for n, tile in enumerate(_I32):
        kind = ("addi", "maxs", "assign", "ori", "addi", "mins")[n]
        kind = {"ori": "andi", "mins": "addi"}.get(kind, kind)
        middle = (
            "  %one = arith.constant 77 : i32\n"
            f"  %q = affine.apply affine_map<()[s0, s1] -> ((s0 + s1) mod {tile.rows})>()[%u, %b]\n"
            f"  %old = memref.atomic_rmw {kind} %one, %lds[%q, %c{(1, 3)[n % 2]}] : (i32, {tile.shared}) -> i32\n"
            "  gpu.barrier\n"
        )
        copy = Copy(tile, middle=middle, grid_in_text=bool(n % 2))
        yield made("atomics", str(n), copy, True)


def _copies() -> Iterator[AdversarialKernel]:
    """``memref.copy`` of the whole buffer, or of a part of it."""
    for n, tile in enumerate(TILES):
        outer = tile.globals(4 * tile.rows, tile.columns)
        one = f"memref<{tile.rows}x{tile.columns}x{tile.element}, strided<[{tile.columns}, 1], offset: ?>>"
        lines = f"  %from = affine.apply affine_map<()[s0] -> (s0 * {tile.rows})>()[%b]\n"
        name = ("in", "out")[n % 2]
        lines += (
            f"  %part = memref.subview %{name}[%from, 0] [{tile.rows}, {tile.columns}] [1, 1] : "
            f"{outer} to {one}\n"
        )
        copy = Copy(tile, lines)
        text = copy.text
        first = text.index("  scf.for")
        barrier = text.index("  gpu.barrier\n")
        second, end = text.index("  scf.for", barrier), text.index("  return\n}")
        if n % 2:
            done = f"  memref.copy %lds, %part : {tile.shared} to {one}\n"
            text = text[:second] + done + text[end:]
        else:
            done = f"  memref.copy %part, %lds : {one} to {tile.shared}\n"
            text = text[:first] + done + text[barrier:]
        kernel = made("memref_copy", str(n), copy, False, f"memref.copy {_UNNAMED}")
        yield replace(kernel, text=text)


def _copies_of_rows() -> Iterator[AdversarialKernel]:
    """A row is copied into another buffer, whose conflicts are its own."""
    for n, tile in enumerate(TILES[:6]):
        row = tile.memref(1, tile.columns, layout=f"strided<[{tile.columns}, 1], offset: ?>")
        middle = (
            f"  %one = memref.subview %lds[%u, 0] [1, {tile.columns}] [1, 1] : {tile.shared} to {row}\n"
            f"  %two = memref.subview %other[%t, 0] [1, {tile.columns}] [1, 1] : {tile.shared} to {row}\n"
            f"  memref.copy %one, %two : {row} to {row}\n  gpu.barrier\n"
        )
        allocation = "\n  ".join(
            f"{m} = memref.alloc() : {tile.shared}" for m in ("%lds", "%other")
        )
        reads = f"%w = vector.load %other[%u, %i] : {tile.shared}, {tile.vector}"
        copy = Copy(tile, allocation=allocation, middle=middle, reads=reads)
        yield made("memref_copy_rows", str(n), copy, False, f"memref.copy {_UNNAMED}")


def _ldmatrix() -> Iterator[AdversarialKernel]:
    """``ldmatrix`` names a row of eight elements per lane: they move as one."""
    for n, tile in enumerate(
        (Tile("f16", 32, 64, 8, "sm_90"), Tile("f16", 64, 64, 8, "sm_80"), Tile("bf16", 32, 128, 8, "sm_90"),
         Tile("f16", 64, 32, 8, "sm_90"), Tile("f16", 32, 64, 8, "sm_80"), Tile("bf16", 64, 64, 8, "sm_80"))
    ):  # fmt: skip
        outer = tile.globals(4 * tile.rows, tile.columns)
        tiles = (4, 2, 4, 1, 4, 2)[n]
        flip = ("false", "true")[n % 2]
        of = f"vector<{tiles}x2x{tile.element}>"
        flat = f"vector<{2 * tiles}x{tile.element}>"
        reads = (
            f"%m = nvgpu.ldmatrix %lds[%q, %i] {{numTiles = {tiles} : i32, transpose = {flip}}} : "
            f"{tile.shared} -> {of}\n    %x = vector.shape_cast %m : {of} to {flat}\n"
            f"    vector.store %x, %out[%g, %i] : {outer}, {flat}"
        )
        lines = (
            f"  %q = affine.apply affine_map<()[s0, s1] -> ((s0 + s1) mod {tile.rows})>()[%t, %b]\n"
        )
        copy = Copy(tile, lines, reads=reads, grid_in_text=bool(n % 2))
        text = copy.text.replace(
            f"    vector.store %w, %out[%g, %i] : {outer}, {tile.vector}\n", ""
        )
        yield replace(made("ldmatrix", str(n), copy, True), text=text)


def _matrices() -> Iterator[AdversarialKernel]:
    """A subgroup's matrix load reads 16 rows from the one element that is named."""
    for n, tile in enumerate(
        (Tile("f16", 32, 64, 8, "sm_90"), Tile("f16", 64, 64, 8, "sm_80"), Tile("f16", 64, 32, 8, "gfx942"),
         Tile("f16", 32, 128, 8, "sm_90"), Tile("f16", 64, 64, 8, "gfx942"))
    ):  # fmt: skip
        matrix = '!gpu.mma_matrix<16x16xf16, "AOp">'
        result = matrix.replace("AOp", "COp")
        outer = tile.globals(4 * tile.rows, tile.columns)
        tail = (
            f"  %first = affine.apply affine_map<()[s0] -> (s0 * {tile.rows})>()[%b]\n"
            f"  %matrix = gpu.subgroup_mma_load_matrix %lds[%c16, %c0] "
            f"{{leadDimension = {tile.columns} : index}} : {tile.shared} -> {result}\n"
            f"  gpu.subgroup_mma_store_matrix %matrix, %out[%first, %c16] "
            f"{{leadDimension = {tile.columns} : index}} : {result}, {outer}\n"
        )
        copy = Copy(tile, tail=tail)
        kernel = made("matrix_load", str(n), copy, False, f"the matrix load {_UNNAMED}")
        yield replace(kernel, text=copy.text)


def _transposing() -> Iterator[AdversarialKernel]:
    """gfx950's transposing load exchanges elements between lanes, wherever they come from."""
    for n, tile in enumerate(
        (
            Tile("f16", 64, 64, 4, "gfx950"),
            Tile("f16", 64, 128, 4, "gfx950"),
            Tile("bf16", 128, 64, 4, "gfx950"),
        )
    ):
        reads = f"%w = amdgpu.transpose_load %lds[%u, %i] : {tile.shared} -> {tile.vector}"
        yield made("transpose_load", str(n), Copy(tile, reads=reads), True)


def _gathers() -> Iterator[AdversarialKernel]:
    """Each element of a gather or a scatter has an index of its own."""
    for n, tile in enumerate(TILES):
        width = tile.width
        zero = "0.0" if tile.element[0] in "fb" else "0"
        lines = (
            f"  %none = arith.constant dense<{zero}> : {tile.vector}\n"
            f"  %all = arith.constant dense<true> : vector<{width}xi1>\n"
            f"  %lane = vector.step : vector<{width}xindex>\n"
        )
        mix = f"vector<{width}xindex>"
        if n % 2:
            lines += f"  %few = arith.addi %b, %c1 : index\n  %mask = vector.create_mask %few : vector<{width}xi1>\n"
        mask = ("%all", "%mask")[n % 2]
        reads = (
            f"%w = vector.gather %lds[%u, %i] [%lane], {mask}, %none : {tile.shared}, {mix}, "
            f"vector<{width}xi1>, {tile.vector} into {tile.vector}"
        )
        copy = Copy(tile, lines, reads=reads)
        if n // 4:
            writes = (
                f"vector.scatter %lds[%t, %i] [%lane], %all, %v : {tile.shared}, {mix}, "
                f"vector<{width}xi1>, {tile.vector}"
            )
            copy = replace(copy, reads="", writes=writes)
        kind = "scatter" if n // 4 else "gather"
        yield made(kind, str(n), copy, False, "an index per element, and one base to rewrite")


def _compare_and_masked() -> Iterator[AdversarialKernel]:
    """A masked store that leaves a part of the row as it was."""
    for n, tile in enumerate(TILES):
        width = tile.width
        lines = (
            f"  %few = arith.andi %b, %c{(1, 2)[n % 2]} : index\n"
            f"  %left = arith.subi %c{width}, %few : index\n"
            f"  %mask = vector.create_mask %left : vector<{width}xi1>\n"
        )
        middle = (
            f"  %o = vector.load %lds[%t, %c0] : {tile.shared}, {tile.vector}\n  gpu.barrier\n"
            f"  vector.maskedstore %lds[%u, %c{width}], %mask, %o : {tile.shared}, "
            f"vector<{width}xi1>, {tile.vector}\n  gpu.barrier\n"
        )
        copy = Copy(tile, lines, middle=middle, grid_in_text=bool(n // 2 % 2))
        yield made("masked_store", str(n), copy, True)


def _escapes() -> Iterator[AdversarialKernel]:
    """The address goes where nobody follows it."""
    why = "the address escapes"
    for n, tile in enumerate(TILES):
        if n % 2:
            part = f"memref<{tile.element}, #gpu.address_space<workgroup>>"
            scalar = tile.memref(1, layout="strided<[1], offset: ?>")
            lines = (
                f"  %base, %from, %sizes:2, %strides:2 = memref.extract_strided_metadata %lds : "
                f"{tile.shared} -> {part}, index, index, index, index, index\n"
                f"  %x = arith.muli %u, %strides#0 : index\n"
                f"  %one = memref.reinterpret_cast %base to offset: [%x], sizes: [1], strides: [1] : "
                f"{part} to {scalar}\n"
            )
            tail = f"  %e = memref.load %one[%c0] : {scalar}\n"
            outer = tile.globals(4 * tile.rows, tile.columns)
            tail += f"  memref.store %e, %out[%g, %c1] : {outer}\n"
            yield made("metadata", str(n), Copy(tile, lines, tail=tail), False, why)
        else:
            lines = f"  func.call @outside(%lds) : ({tile.shared}) -> ()\n"
            head = f"func.func private @outside({tile.shared})\n"
            kernel = made("call_outside", str(n), Copy(tile, lines, head=head), False, why)
            yield kernel


def _mixed() -> Iterator[AdversarialKernel]:
    """Scalars beside vectors: an element of a vector's unit alone."""
    for n, tile in enumerate(TILES):
        column = (1, tile.width + 1, tile.columns - 1)[n % 3]
        outer = tile.globals(4 * tile.rows, tile.columns)
        lines = f"  %calone = arith.constant {column} : index\n"
        moved = f"affine_map<()[s0, s1] -> ((s0 + s1) mod {tile.columns})>()[%calone, %b]"
        lines += f"  %alone = affine.apply {moved}\n"
        tail = (
            f"  gpu.barrier\n  %e = memref.load %lds[%u, %alone] : {tile.shared}\n"
            f"  memref.store %e, %out[%g, %c0] : {outer}\n"
        )
        copy = Copy(tile, lines, tail=tail, grid_in_text=bool(n // 2 % 2))
        yield made("scalar_beside", str(n), copy, True)


def kernels() -> Iterator[AdversarialKernel]:
    yield from _atomics()
    yield from _copies()
    yield from _copies_of_rows()
    yield from _ldmatrix()
    yield from _matrices()
    yield from _transposing()
    yield from _gathers()
    yield from _compare_and_masked()
    yield from _escapes()
    yield from _mixed()
