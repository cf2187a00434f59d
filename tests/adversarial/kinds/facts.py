"""Facts of one launch: sizes, numbers and grids that the options say and the text does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adversarial.kernel import AdversarialKernel, Launch
from adversarial.kinds.copies import Direct
from adversarial.tiles import TILES, Copy, Tile, made

_MIX = "affine_map<()[s0, s1] -> ((s0 + s1) mod {size})>()"
_TIMES = "affine_map<()[s0, s1] -> ((s0 + s1 * {by}) mod {size})>()"


def _argument(tile: Tile, n: int) -> Copy:
    """An index argument shifts rows or columns; what ``--dim`` says of it holds once."""
    size = tile.rows
    if n % 3 == 0:
        lines = f"  %q = affine.apply {_MIX.format(size=size)}[%u, %n]\n"
        return Copy(tile, lines, load="%q, %i", arguments=", %n: index")
    if n % 3 == 1:
        lines = f"  %x = arith.muli %t, %n : index\n  %r = arith.remui %x, %c{size} : index\n"
        lines += "  %odd = arith.ori %n, %c1 : index\n"
        lines += "  %y = arith.muli %t, %odd : index\n"
        lines += f"  %q = arith.remui %y, %c{size} : index\n"
        return Copy(tile, lines, store="%q, %i", load="%u, %i", arguments=", %n: index")
    reads = (
        f"%j = affine.apply {_TIMES.format(by=tile.width, size=tile.columns)}[%i, %n]\n"
        f"    %w = vector.load %lds[%u, %j] : {tile.shared}, {tile.vector}"
    )
    return Copy(tile, reads=reads, arguments=", %n: index")


def _with_dims(kind: str, build: object, given: str, which: int) -> Iterator[AdversarialKernel]:
    for n, tile in enumerate(TILES):
        copy = replace(build(tile, n), grid_in_text=bool(n % 2))  # type: ignore[operator]
        launches = tuple(Launch((4, 1, 1), arguments={which: a}) for a in (0, 1, 2, 3, 5, 8, 13))
        yield made(kind, str(n), copy, True, launches=launches, dims=(given,))


def _trips(tile: Tile, n: int) -> Copy:
    """The argument is the stride between the rows that neighbouring threads read."""
    power = "  %p = arith.shli %c1, %n : index\n  %k = arith.addi %p, %c1 : index\n"
    lines = power + "  %x = arith.muli %t, %k : index\n"
    lines += "  %y = arith.muli %t, %p : index\n  %z = arith.addi %y, %x : index\n"
    lines += f"  %q = arith.remui %z, %c{tile.rows} : index\n"
    return Copy(tile, lines, load="%q, %i", arguments=", %n: index")


def _sizes(tile: Tile, n: int) -> Copy:
    """The row comes from the number of threads, which only ``--workgroup-size`` says."""
    size = "%bd = gpu.block_dim x\n"
    if n % 2:
        lines = f"  {size}  %s = arith.subi %bd, %c1 : index\n  %r0 = arith.subi %s, %t : index\n"
        lines += f"  %r = arith.remui %r0, %c{tile.rows} : index\n"
    else:
        lines = f"  {size}  %h = arith.divui %bd, %c2 : index\n"
        lines += (
            f"  %r0 = arith.addi %t, %h : index\n  %r = arith.remui %r0, %c{tile.rows} : index\n"
        )
    return Copy(tile, lines, store="%r, %i", size_in_text=False, grid_in_text=False)


def _sizes_kernels() -> Iterator[AdversarialKernel]:
    """The tile has rows for 64 threads; launches have fewer. Each reads what it wrote."""
    for n, tile in enumerate(TILES):
        copy = replace(_sizes(tile, n), load="%r, %i")
        launches = tuple(
            Launch((2, 1, 1), (threads, 1, 1)) for threads in (tile.rows, tile.rows // 2, 24)
        )
        yield made("workgroup_size_option", str(n), copy, True, launches=launches)


def _two_axes() -> Iterator[AdversarialKernel]:
    """One launch has all threads in x, another in x and y: x alone is then no thread number."""
    for n, tile in enumerate(TILES[:6]):
        lines = (
            "  %ty = gpu.thread_id y\n  %bx = gpu.block_dim x\n  %m = arith.muli %ty, %bx : index\n"
        )
        lines += "  %l = arith.addi %t, %m : index\n"
        lines += (
            f"  %gl = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * {tile.rows})>()[%l, %b]\n"
        )
        lines += f"  %q = affine.apply affine_map<()[s0] -> ((s0 * 5 + 3) mod {tile.rows})>()[%l]\n"
        outer = tile.globals(4 * tile.rows, tile.columns)
        copy = Copy(
            tile,
            lines,
            load="%q, %i",
            size_in_text=False,
            writes=f"%x = vector.load %in[%gl, %i] : {outer}, {tile.vector}\n"
            f"    vector.store %x, %lds[%l, %i] : {tile.shared}, {tile.vector}",
            reads=f"%w = vector.load %lds[%q, %i] : {tile.shared}, {tile.vector}\n"
            f"    vector.store %w, %out[%gl, %i] : {outer}, {tile.vector}",
        )
        text = copy.text.replace(
            f"    vector.store %w, %out[%g, %i] : {outer}, {tile.vector}\n", ""
        ).replace(f"    %v = vector.load %in[%g, %i] : {outer}, {tile.vector}\n", "")
        rows = tile.rows
        launches = tuple(
            Launch((4, 1, 1), b) for b in ((rows, 1, 1), (rows // 4, 4, 1), (8, rows // 8, 1))
        )
        yield replace(made("thread_shape_option", str(n), copy, True, launches=launches), text=text)


def _push_constants() -> Iterator[AdversarialKernel]:
    """A number that the host pushes, with bindings as IREE writes them."""
    for n, tile in enumerate(TILES):
        size, by = tile.rows, (1, tile.rows // 2)[n % 2]
        outer = tile.globals(4 * size, tile.columns)
        layout = (
            "#hal.pipeline.layout<constants = 1, bindings = [#hal.pipeline.binding"
            "<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>"
        )
        lines = f"  %p = hal.interface.constant.load layout({layout}) ordinal(0) : i32\n"
        lines += "  %n = arith.index_castui %p : i32 to index\n"
        lines += f"  %q = affine.apply {_TIMES.format(by=by, size=size)}[%u, %n]\n"
        for which, name in enumerate(("in", "out")):
            lines += (
                f"  %{name} = hal.interface.binding.subspan layout({layout}) binding({which}) "
                f"alignment(64) offset(%c0) : {outer}\n"
            )
        copy = Copy(tile, lines, load="%q, %i", grid_in_text=bool(n % 2))
        text = copy.text.replace(f"%in: {outer}, %out: {outer}", "")
        launches = tuple(Launch((4, 1, 1), arguments={0: a}) for a in (0, 1, 7, 8, 1000))
        kernel = made("push_constant", str(n), copy, True, launches=launches, dims=("p=0",))
        yield replace(kernel, text=text)


def _dynamic_sizes() -> Iterator[AdversarialKernel]:
    """The global buffers have rows of n; so has, in the last ones, the count of loop rounds."""
    for n, tile in enumerate(TILES):
        outer = tile.globals(4 * tile.rows, tile.columns)
        dynamic = f"memref<?x?x{tile.element}>"
        lines = "  %n = memref.dim %in, %c1 : " + dynamic + "\n"
        lines += (
            f"  %q = affine.apply {_TIMES.format(by=3 if n % 2 else 1, size=tile.rows)}[%u, %n]\n"
        )
        copy = Copy(tile, lines, load="%q, %i", grid_in_text=bool(n % 2))
        text = copy.text.replace(outer, dynamic)
        wide = (tile.columns, tile.columns + 1, tile.columns + 8, 3 * tile.columns)
        launches = []
        for columns in wide:
            shape = (4 * tile.rows, columns)
            launches.append(Launch((4, 1, 1), shapes={0: shape, 1: shape}))
        kernel = made("dynamic_size", str(n), copy, True, launches=tuple(launches))
        yield replace(kernel, text=text, dims=(f"n={tile.columns}",))


def _large_grids() -> Iterator[AdversarialKernel]:
    """2,048 workgroups, of which one is at an edge that clamps its index."""
    for n, tile in enumerate(
        (
            Tile("f16", 32, 32, 8, "gfx942"), Tile("f16", 32, 32, 8, "sm_90"),
            Tile("f32", 32, 16, 4, "gfx942"), Tile("i8", 32, 64, 16, "gfx950"),
            Tile("f32", 16, 32, 4, "sm_90"), Tile("bf16", 16, 64, 8, "gfx942"),
        )
    ):  # fmt: skip
        at = (2_047, 2_000, 1_125)[n % 3]
        source = tile.globals(2 * tile.rows, tile.columns)
        lines = f"  %which = arith.constant {at} : index\n"
        lines += "  %is = arith.cmpi eq, %b, %which : index\n"
        lines += "  %f = arith.select %is, %c5, %c0 : index\n"
        kind = _MIX.format(size=tile.rows)
        lines += f"  %q = affine.apply {kind}[%u, %f]\n  %r = affine.apply {kind}[%t, %f]\n"
        store, load = (("%t, %i", "%q, %i"), ("%r, %i", "%u, %i"))[n // 3]
        copy = Copy(tile, lines, store=store, load=load, grid=(2_048, 1, 1))
        text = copy.text.replace(
            f"%in[%g, %i] : {tile.globals(2_048 * tile.rows, tile.columns)}",
            f"%few[%t, %i] : {source}",
        ).replace(f"%in: {tile.globals(2_048 * tile.rows, tile.columns)}", f"%few: {source}")
        yield replace(made("large_grid_edge", str(n), copy, True), text=text)


def _large_grids_of_copies() -> Iterator[AdversarialKernel]:
    """The same, and what is clamped is the source of a copy in lane order."""
    for n, (element, at) in enumerate((("f16", 2_047), ("f32", 1_125), ("i8", 2_000))):
        column = (
            f"arith.addi %j, %c0 : index\n  %which = arith.constant {at} : index\n"
            "  %is = arith.cmpi eq, %b, %which : index\n"
            "  %edge = arith.select %is, %turned, %j : index"
        )
        direct = Direct(column, 1, element, 2_048)
        text = direct.text.replace("[%r, %col]", "[%r, %edge]")
        name = f"large_grid_copy-{n}-{element}"
        yield AdversarialKernel(
            "large_grid_copy", name, text, True, direct.launches, target=direct.target
        )


def kernels() -> Iterator[AdversarialKernel]:
    yield from _with_dims("dim_argument", _argument, "n=0", 2)
    yield from _with_dims("dim_power", _trips, "n=0", 2)
    yield from _sizes_kernels()
    yield from _two_axes()
    yield from _push_constants()
    yield from _dynamic_sizes()
    yield from _large_grids()
    yield from _large_grids_of_copies()
