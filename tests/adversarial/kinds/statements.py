"""What a text seems to say of its launches and does not; loops that count in other ways."""

# ruff: noqa: E501 - a line of MLIR stays a line
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adversarial.kernel import AdversarialKernel, Launch
from adversarial.kinds.copies import Direct
from adversarial.tiles import TILES, Copy, Tile, made


def _bounds_in_branches() -> Iterator[AdversarialKernel]:
    """A thread id has a bound in a branch that only small workgroups take: it binds those alone."""
    for n, tile in enumerate(TILES[:6]):
        rows, columns = tile.rows, tile.columns
        few, half = (8, 16)[n % 2], columns // 2
        outer = tile.globals(4 * rows, columns)
        lines = (
            "  %bd = gpu.block_dim x\n"
            f"  %small = arith.constant {few} : index\n  %is = arith.cmpi eq, %bd, %small : index\n"
            f"  %same = scf.if %is -> (index) {{\n    %t2 = gpu.thread_id x upper_bound {few}\n"
            "    scf.yield %t2 : index\n  } else {\n    scf.yield %t : index\n  }\n"
            f"  %r = affine.apply affine_map<()[s0] -> (s0 floordiv 2)>()[%t]\n"
            f"  %first = affine.apply affine_map<()[s0] -> ((s0 mod 2) * {half})>()[%t]\n"
            f"  %chalf = arith.constant {half} : index\n"
            f"  %gr = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * {rows})>()[%same, %b]\n"
        )
        at = "affine_map<()[s0, s1] -> (s0 + s1)>()[%first, %i]"
        writes = (
            f"%x = affine.apply {at}\n    %y = vector.load %in[%gr, %x] : {outer}, {tile.vector}\n"
            f"    vector.store %y, %lds[%r, %x] : {tile.shared}, {tile.vector}"
        )
        reads = (
            f"%x = affine.apply {at}\n    %q = arith.xori %r, %c1 : index\n"
            f"    %w = vector.load %lds[%q, %x] : {tile.shared}, {tile.vector}"
        )
        copy = Copy(tile, lines, writes=writes, reads=reads, size_in_text=False, grid=(4, 1, 1))
        text = copy.text.replace(f"to %c{columns} step", "to %chalf step")
        launches = tuple(Launch((4, 1, 1), (threads, 1, 1)) for threads in (rows, few, rows // 2))
        yield replace(made("bound_in_branch", str(n), copy, True, launches=launches), text=text)


def _grids_in_branches() -> Iterator[AdversarialKernel]:
    """The same of workgroup ids."""
    for n, tile in enumerate(TILES[:6]):
        lines = (
            "  %gd = gpu.grid_dim x\n  %is = arith.cmpi eq, %gd, %c2 : index\n"
            "  %same = scf.if %is -> (index) {\n    %b2 = gpu.block_id x upper_bound 2\n"
            "    scf.yield %b2 : index\n  } else {\n    scf.yield %b : index\n  }\n"
            f"  %r = affine.apply affine_map<()[s0, s1] -> ((s0 + s1) mod {tile.rows})>()[%t, %same]\n"
            f"  %q = affine.apply affine_map<()[s0, s1] -> ((s0 + s1) mod {tile.rows})>()[%u, %b]\n"
        )
        copy = Copy(tile, lines, store="%r, %i", load="%q, %i", grid=(7, 1, 1), grid_in_text=False)
        text = copy.text.replace("  %by = gpu.block_id y\n", "").replace(
            "[%t, %b, %by]", "[%t, %b, %c0]"
        )
        launches = copy.launch((7, 1, 1), (2, 1, 1))
        yield replace(made("grid_in_branch", str(n), copy, True, launches=launches), text=text)


def _bounds_alone() -> Iterator[AdversarialKernel]:
    """Thread ids have a bound, the workgroup may be smaller: then lanes of a wave are missing."""
    why = "a launch may have fewer lanes, which then fetch nothing for the others"
    for n, element in enumerate(("f16", "f32", "bf16")):
        direct = Direct("arith.addi %j, %c0 : index", 1, element, 3, True)
        text = direct.text.replace("gpu.known_block_size = array<i32: 64, 1, 1>, ", "")
        text = text.replace(
            "  %w = vector.load",
            "  %bd = gpu.block_dim x\n  %full = arith.cmpi eq, %bd, %c64 : index\n"
            "  %row = arith.select %full, %u, %r : index\n"
            "  %place = arith.select %full, %n, %j : index\n"
            "  %w = vector.load",
        ).replace("%lds[%u, %n]", "%lds[%row, %place]")
        text = text.replace("  %t = gpu", "  %c64 = arith.constant 64 : index\n  %t = gpu")
        if text.count("%c64 = ") > 1:
            text = text.replace("  %c64 = arith.constant 64 : index\n", "", 1)
        launches = tuple(Launch((3, 1, 1), (threads, 1, 1)) for threads in (64, 60, 4))
        yield AdversarialKernel(
            "copy_bound_only", f"copy_bound_only-{n}-{element}", text, False, launches, why,
            direct.target, workgroup_size="64,1,1",
        )  # fmt: skip


def _own_copies() -> Iterator[AdversarialKernel]:
    """A lane reads what it copied itself before any barrier: others may not copy it for it."""
    for n, element in enumerate(("f16", "f32", "bf16", "i8")):
        each = 16 // {"f16": 2, "bf16": 2, "f32": 4, "i8": 1}[element]
        rows, columns = 16, 8 * each
        tile = Tile(element, rows, columns, each, "sm_90")
        source = tile.globals(4 * rows, columns)
        out = tile.globals(8 * rows, columns)
        barrier = "  gpu.barrier\n" * (n % 2)
        text = f"""func.func @k(%in: {source}, %out: {out}) attributes {{gpu.known_block_size = array<i32: 128, 1, 1>, gpu.known_grid_size = array<i32: 4, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x upper_bound 128
  %b = gpu.block_id x
  %lds = memref.alloc() : {tile.shared}
  %r = affine.apply affine_map<()[s0] -> (s0 floordiv 8)>()[%t]
  %j = affine.apply affine_map<()[s0] -> ((s0 mod 8) * {each})>()[%t]
  %g = affine.apply affine_map<()[s0, s1] -> (s0 floordiv 8 + s1 * {rows})>()[%t, %b]
  %token = nvgpu.device_async_copy %in[%g, %j], %lds[%r, %j], {each} : {source} to {tile.shared}
  %all = nvgpu.device_async_create_group
  nvgpu.device_async_wait %all {{numGroups = 0 : i32}}
{barrier}  %own = vector.load %lds[%r, %j] : {tile.shared}, {tile.vector}
  %o = affine.apply affine_map<()[s0, s1] -> (s0 floordiv 8 + s1 * {2 * rows})>()[%t, %b]
  vector.store %own, %out[%o, %j] : {out}, {tile.vector}
  gpu.barrier
  %u = affine.apply affine_map<()[s0] -> ((s0 * 5 + 3) mod {rows})>()[%t]
  %n = affine.apply affine_map<()[s0] -> ((s0 floordiv {rows}) * {each})>()[%t]
  %p = affine.apply affine_map<()[s0, s1] -> (s0 mod {rows} + s1 * {2 * rows} + {rows})>()[%t, %b]
  %w = vector.load %lds[%u, %n] : {tile.shared}, {tile.vector}
  vector.store %w, %out[%p, %n] : {out}, {tile.vector}
  return
}}
"""
        kind = ("async_own_data", "async_barrier")[n % 2]
        launches = (Launch((4, 1, 1)),)
        yield AdversarialKernel(kind, f"{kind}-{n}-{element}", text, True, launches, target="sm_90")


def _loops() -> Iterator[AdversarialKernel]:
    """Loops from below zero, from the thread's own number, and with unsigned bounds."""
    for n, tile in enumerate(TILES):
        rows, columns, width = tile.rows, tile.columns, tile.width
        outer = tile.globals(4 * rows, columns)
        copy = Copy(tile, grid_in_text=bool(n % 2))
        text = copy.text
        second = text.index("  scf.for", text.index("gpu.barrier"))
        if n % 2:
            start = f"  %low = arith.constant {-columns} : index\n"
            loop = f"scf.for %k = %low to %c0 step %c{width}"
            inside = f"    %i = affine.apply affine_map<()[s0] -> (s0 + {columns})>()[%k]\n"
        else:
            start = f"  %low = affine.apply affine_map<()[s0] -> ((s0 mod 4) * {width})>()[%t]\n"
            start += f"  %high = affine.apply affine_map<()[s0] -> ((s0 mod 4) * {width} + {columns})>()[%t]\n"
            loop = f"scf.for %k = %low to %high step %c{width}"
            inside = f"    %i = affine.apply affine_map<()[s0] -> (s0 mod {columns})>()[%k]\n"
        body = (
            f"{start}  {loop} {{\n{inside}"
            f"    %w = vector.load %lds[%u, %i] : {tile.shared}, {tile.vector}\n"
            f"    vector.store %w, %out[%g, %i] : {outer}, {tile.vector}\n  }}\n  return\n}}\n"
        )
        kind = ("loop_of_thread", "loop_below_zero")[n % 2]
        yield replace(made(kind, str(n), copy, True), text=text[:second] + body)


def kernels() -> Iterator[AdversarialKernel]:
    yield from _bounds_in_branches()
    yield from _grids_in_branches()
    yield from _bounds_alone()
    yield from _own_copies()
    yield from _loops()
