"""Control flow: buffers that change places, stages, loops, conditions, barriers."""

# ruff: noqa: E501 - a line of MLIR stays a line
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adversarial.kernel import AdversarialKernel, Launch
from adversarial.tiles import TILES, Copy, Tile, made


def _two(tile: Tile) -> str:
    return "\n  ".join(f"{m} = memref.alloc() : {tile.shared}" for m in ("%lds", "%other"))


def _swaps() -> Iterator[AdversarialKernel]:
    """Two buffers change places in every round of a loop; one is filled, the other one read."""
    for n, tile in enumerate(TILES):
        outer = tile.globals(4 * tile.rows, tile.columns)
        lines = f"  scf.for %i = %c0 to %c{tile.columns} step %c{tile.width} {{\n"
        lines += f"    %v = vector.load %in[%g, %i] : {outer}, {tile.vector}\n"
        lines += f"    vector.store %v, %other[%t, %i] : {tile.shared}, {tile.vector}\n  }}\n"
        middle = f"""  %last:2 = scf.for %s = %c0 to %c{3 + n % 3} step %c1 iter_args(%x = %lds, %y = %other) -> ({tile.shared}, {tile.shared}) {{
    %old = vector.load %x[%u, %c0] : {tile.shared}, {tile.vector}
    gpu.barrier
    vector.store %old, %y[%t, %c0] : {tile.shared}, {tile.vector}
    gpu.barrier
    scf.yield %y, %x : {tile.shared}, {tile.shared}
  }}
"""
        read = ("%lds", "%last#0", "%other", "%last#1")[n % 4]
        copy = Copy(
            tile, lines, _two(tile), middle=middle,
            reads=f"%w = vector.load {read}[%u, %i] : {tile.shared}, {tile.vector}",
        )  # fmt: skip
        yield made("swapped_buffers", str(n), copy, True)


def _selects() -> Iterator[AdversarialKernel]:
    """Which of two buffers is read depends on the workgroup, or on the thread."""
    for n, tile in enumerate(TILES):
        by = ("%b", "%t")[n % 2]
        lines = f"  %bit = arith.andi {by}, %c{(1, 2)[n // 2 % 2]} : index\n"
        lines += "  %on = arith.cmpi ne, %bit, %c0 : index\n"
        lines += f"  %buffer = arith.select %on, %lds, %other : {tile.shared}\n"
        outer = tile.globals(4 * tile.rows, tile.columns)
        writes = (
            f"vector.store %v, %lds[%t, %i] : {tile.shared}, {tile.vector}\n"
            f"    %v2 = vector.load %in[%t, %i] : {outer}, {tile.vector}\n"
            f"    vector.store %v2, %other[%t, %i] : {tile.shared}, {tile.vector}"
        )
        reads = f"%w = vector.load %buffer[%u, %i] : {tile.shared}, {tile.vector}"
        copy = Copy(tile, lines, _two(tile), writes=writes, reads=reads, grid_in_text=bool(n // 4))
        kind = ("select_by_workgroup", "select_by_thread")[n % 2]
        yield made(kind, str(n), copy, True)


def _carried() -> Iterator[AdversarialKernel]:
    """The row or the column is carried from round to round."""
    for n, tile in enumerate(TILES):
        step = (1, 3)[n // 2 % 2]
        outer = tile.globals(4 * tile.rows, tile.columns)
        if n % 2:
            nxt = f"affine_map<()[s0, s1] -> ((s0 + s1 * {step} + 1) mod {tile.rows})>()[%q, %b]"
            inside = (
                f"%w = vector.load %lds[%q, %i] : {tile.shared}, {tile.vector}\n"
                f"    vector.store %w, %out[%g, %i] : {outer}, {tile.vector}\n"
                f"    %next = affine.apply {nxt}\n    scf.yield %next : index"
            )
            start = "%u"
        else:
            nxt = f"affine_map<()[s0, s1] -> ((s0 + s1 * {tile.width} + {step * tile.width}) mod {tile.columns})>()[%q, %b]"
            inside = (
                f"%w = vector.load %lds[%u, %q] : {tile.shared}, {tile.vector}\n"
                f"    vector.store %w, %out[%g, %i] : {outer}, {tile.vector}\n"
                f"    %next = affine.apply {nxt}\n    scf.yield %next : index"
            )
            start = "%c0"
        copy = Copy(tile, grid_in_text=bool(n // 4))
        text = copy.text
        second = text.index("  scf.for", text.index("gpu.barrier"))
        loop = (
            f"  %end = scf.for %i = %c0 to %c{tile.columns} step %c{tile.width} "
            f"iter_args(%q = {start}) -> (index) {{\n    {inside}\n  }}\n  return\n}}\n"
        )
        kernel = made(("carried_column", "carried_row")[n % 2], str(n), copy, True)
        yield replace(kernel, text=text[:second] + loop)


def _conditions() -> Iterator[AdversarialKernel]:
    """An access that workgroup 0 never executes, or that some threads do not."""
    for n, tile in enumerate(TILES):
        lines = f"  %on = arith.cmpi {('ugt', 'eq')[n // 2 % 2]}, %b, %c1 : index\n"
        lines += f"  %few = arith.cmpi ult, %t, %c{(16, 5)[n // 4]} : index\n"
        guard = ("%on", "%few")[n % 2]
        back = (
            f"  %o = vector.load %lds[%t, %c0] : {tile.shared}, {tile.vector}\n  gpu.barrier\n"
            f"  scf.if {guard} {{\n"
            f"    vector.store %o, %lds[%u, %c{tile.width}] : {tile.shared}, {tile.vector}\n"
            "  }\n  gpu.barrier\n"
        )
        copy = Copy(tile, lines, middle=back, grid_in_text=n % 4 != 1)
        yield made(("unseen_store", "guarded_threads")[n % 2], str(n), copy, True)
    for n, tile in enumerate(TILES[:6]):
        lines = f"  %on = arith.cmpi ugt, %b, %c{2 * (n % 2)} : index\n"
        reads = (
            f"%w = scf.if %on -> ({tile.vector}) {{\n"
            f"      %w0 = vector.load %lds[%t, %i] : {tile.shared}, {tile.vector}\n"
            f"      scf.yield %w0 : {tile.vector}\n    }} else {{\n"
            f"      %w1 = vector.load %lds[%u, %i] : {tile.shared}, {tile.vector}\n"
            f"      scf.yield %w1 : {tile.vector}\n    }}"
        )
        copy = Copy(tile, lines, reads=reads, grid_in_text=bool(n // 2 % 2))
        yield made("unseen_load", str(n), copy, True)


def _whiles() -> Iterator[AdversarialKernel]:
    """A while loop whose rounds depend on the workgroup or on the thread moves the row."""
    for n, tile in enumerate(TILES):
        bound = ("%b", "%few")[n % 2]
        lines = f"""  %few = arith.remui %t, %c3 : index
  %q, %rounds = scf.while (%x = %u, %k = %c0) : (index, index) -> (index, index) {{
    %more = arith.cmpi ult, %k, {bound} : index
    scf.condition(%more) %x, %k : index, index
  }} do {{
  ^bb0(%x: index, %k: index):
    %next = affine.apply affine_map<()[s0] -> ((s0 * 3 + 1) mod {tile.rows})>()[%x]
    %one = arith.addi %k, %c1 : index
    scf.yield %next, %one : index, index
  }}
"""
        copy = Copy(tile, lines, load="%q, %i", grid_in_text=bool(n // 2 % 2))
        yield made("while_loop", str(n), copy, True)


def _stages() -> Iterator[AdversarialKernel]:
    """Two or three stages of one buffer; which one is read depends on the round."""
    for n, tile in enumerate(TILES):
        count = (2, 3, 4)[n % 3]
        whole = tile.memref(count, tile.rows, tile.columns)
        first = f"%s = affine.apply affine_map<()[s0, s1] -> ((s0 + s1 floordiv {tile.width}) mod {count})>()[%b, %i]"
        writes = f"{first}\n    vector.store %v, %lds[%s, %t, %i] : {whole}, {tile.vector}"
        reads = f"{first}\n    %w = vector.load %lds[%s, %u, %i] : {whole}, {tile.vector}"
        copy = Copy(
            tile, allocation=f"%lds = memref.alloc() : {whole}", writes=writes, reads=reads,
            grid_in_text=bool(n // 2 % 2),
        )  # fmt: skip
        yield made("stages", str(n), copy, True)


def _bounds() -> Iterator[AdversarialKernel]:
    """How many rounds a loop has, and in which steps, is an argument."""
    for n, tile in enumerate(TILES):
        copy = Copy(tile, arguments=", %n: index", grid_in_text=bool(n % 2))
        text = copy.text
        at = text.index("  scf.for", text.index("gpu.barrier"))
        high = f"%c{tile.columns}"
        fewer = f"  %some = arith.muli %n, %c{tile.width} : index\n"
        text = text[:at] + fewer + text[at:].replace(f"to {high}", "to %some", 1)
        trips = tile.columns // tile.width
        launches = tuple(Launch((4, 1, 1), arguments={2: k}) for k in (0, 1, trips))
        kernel = made("trip_argument", str(n), copy, True, launches=launches, dims=("n=2",))
        yield replace(kernel, text=text)


def _barriers() -> Iterator[AdversarialKernel]:
    """The buffer is used twice, with barriers between; the second time by other rows."""
    for n, tile in enumerate(TILES[:6]):
        lines = f"  %r = arith.xori %t, %c{(1, 4, 16)[n % 3]} : index\n"
        middle = (
            f"  scf.for %i = %c0 to %c{tile.columns} step %c{tile.width} {{\n"
            f"    gpu.barrier\n"
            f"    %o = vector.load %lds[%u, %i] : {tile.shared}, {tile.vector}\n    gpu.barrier\n"
            f"    vector.store %o, %lds[%r, %i] : {tile.shared}, {tile.vector}\n  }}\n"
            "  gpu.barrier\n"
        )
        yield made("used_twice", str(n), Copy(tile, lines, middle=middle), True)


def kernels() -> Iterator[AdversarialKernel]:
    yield from _swaps()
    yield from _selects()
    yield from _carried()
    yield from _conditions()
    yield from _whiles()
    yield from _stages()
    yield from _bounds()
    yield from _barriers()
