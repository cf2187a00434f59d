"""Right-fixable kernels, plain or in unusual spellings, and buffers of other ranks."""

# ruff: noqa: E501 - a line of MLIR stays a line
from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from adversarial.kernel import AdversarialKernel
from adversarial.tiles import LDS, TILES, Copy, Tile, made


def _plain() -> Iterator[AdversarialKernel]:
    for n, tile in enumerate(TILES):
        for in_text in (True, False):
            copy = Copy(tile, grid_in_text=in_text)
            yield made("plain", f"{n}-{in_text:d}", copy, True)


def _transposed() -> Iterator[AdversarialKernel]:
    """Rows are written by neighbouring threads, columns are read, one element a lane."""
    for n, tile in enumerate(TILES[:6]):
        rows, columns, width = tile.rows, tile.columns, tile.width
        outer = tile.globals(4 * rows, columns)
        lines = f"  %slot = affine.apply affine_map<()[s0] -> ((s0 mod {columns // width}) * {width})>()[%t]\n"
        writes = (
            f"%s = affine.apply affine_map<()[s0, s1] -> ((s0 + s1) mod {columns})>()[%slot, %i]\n"
            f"    %v1 = vector.load %in[%g, %s] : {outer}, {tile.vector}\n"
            f"    vector.store %v1, %lds[%t, %s] : {tile.shared}, {tile.vector}"
        )
        reads = (
            f"%e = memref.load %lds[%u, %i] : {tile.shared}\n"
            f"    %w = vector.broadcast %e : {tile.element} to {tile.vector}"
        )
        yield made("transposed", str(n), Copy(tile, lines, writes=writes, reads=reads), True)


def _commented(text: str) -> str:
    lines = text.replace(
        "  gpu.barrier\n", "  // vector.load %lds[%u, %i] : is next\n  gpu.barrier\n"
    )
    return lines.replace("    %w =", "    // %w = vector.load %lds[%t, %i] {\n    %w =")


def _located(text: str) -> str:
    return text.replace("  gpu.barrier\n", '  gpu.barrier loc("a.py":3:7)\n')


def _several_on_a_line(text: str) -> str:
    return re.sub(r"\n    vector\.store", "  vector.store", text)


def _renamed(text: str) -> str:
    text = re.sub(r"%t\b", "%swz0", text)
    return re.sub(r"%u\b", "%swz1", text)


def _numbered(text: str) -> str:
    return re.sub(r"%w\b", "%7", re.sub(r"%v\b", "%3", text))


def _generic(text: str) -> str:
    def load(match: re.Match[str]) -> str:
        name, buffer, indices, kind, vector = match.groups()
        count = len(indices.split(","))
        return (
            f'{name} = "vector.load"({buffer}, {indices}) : '
            f"({kind}, {', '.join(['index'] * count)}) -> {vector}"
        )

    return re.sub(
        r"(%w) = vector\.load (%\w+)\[([^\]]*)\] : (memref<.*>), (vector<\w+>)", load, text
    )


def _broken(text: str) -> str:
    return text.replace(
        "vector.store %v, %lds[%t, %i] :", "vector.store %v, %lds[%t,\n        %i] :"
    )


def _dollars(text: str) -> str:
    return re.sub(r"%lds\b", "%l.d-s$1", re.sub(r"%i\b", "%i.0", text))


def _attributed(text: str) -> str:
    return text.replace(
        "vector.store %v, %lds[%t, %i] :", "vector.store %v, %lds[%t, %i] {nontemporal = true} :"
    )


def _strings(text: str) -> str:
    return (
        text.replace(
            "  return\n}",
            '  "test.note"() {text = "vector.load %lds[%u, %i]"} : () -> ()\n  return\n}',
        )
        .replace('"test.note"() {text', "%note = arith.constant {text")
        .replace('"} : () -> ()', '"} 0 : i32')
    )


_SPELLINGS: tuple[Callable[[str], str], ...] = (
    _commented,
    _located,
    _several_on_a_line,
    _renamed,
    _numbered,
    _generic,
    _broken,
    _dollars,
    _attributed,
    _strings,
)


def _spelled() -> Iterator[AdversarialKernel]:
    for spelling in _SPELLINGS:
        for n, tile in enumerate(TILES[:2]):
            copy = Copy(tile)
            text = spelling(copy.text)
            assert text != copy.text, f"{spelling.__name__} changes nothing"
            kind = f"spelling{spelling.__name__}"
            yield replace(made(kind, str(n), copy, True), text=text)


def _ranks() -> Iterator[AdversarialKernel]:
    """One dimension, four of them, and a scalar beside the tile."""
    for n, tile in enumerate(TILES):
        rows, columns = tile.rows, tile.columns
        if n % 3 == 0:
            kind = tile.memref(rows * columns)
            at = "%x = affine.apply affine_map<()[s0, s1] -> (s0 * {c} + s1)>()[{row}, %i]\n    "
            writes = (
                at.format(c=columns, row="%t")
                + f"vector.store %v, %lds[%x] : {kind}, {tile.vector}"
            )
            reads = (
                at.format(c=columns, row="%u")
                + f"%w = vector.load %lds[%x] : {kind}, {tile.vector}"
            )
            name = "rank_1"
        elif n % 3 == 1:
            kind = tile.memref(2, rows // 8, 8, columns)
            at = (
                "%p:2 = affine.delinearize_index {row} into ("
                + str(rows // 8)
                + ", 8) : index, index\n    "
            )
            where = f"%lds[%bit, %p#0, %p#1, %i] : {kind}, {tile.vector}"
            writes = at.format(row="%t") + f"vector.store %v, {where}"
            reads = at.format(row="%u") + f"%w = vector.load {where}"
            name = "rank_4"
        else:
            kind, name, writes, reads = tile.shared, "rank_0", "", ""
        lines = "  %bit = arith.andi %b, %c1 : index\n"
        scalar = f"memref<{tile.element}, {LDS}>"
        allocation = f"%lds = memref.alloc() : {kind}"
        tail = ""
        if name == "rank_0":
            allocation += f"\n  %one = memref.alloc() : {scalar}"
            outer = tile.globals(4 * rows, columns)
            tail = (
                f"  gpu.barrier\n  %first = arith.cmpi eq, %t, %c5 : index\n  scf.if %first {{\n"
                f"    %e = memref.load %lds[%t, %c3] : {kind}\n"
                f"    memref.store %e, %one[] : {scalar}\n  }}\n  gpu.barrier\n"
                f"  %all = memref.load %one[] : {scalar}\n"
                f"  memref.store %all, %out[%g, %c0] : {outer}\n"
            )
        copy = Copy(tile, lines, allocation, writes=writes, reads=reads, tail=tail)
        yield made(name, str(n), replace(copy, grid_in_text=bool(n % 2)), True)


def _nothing_to_do() -> Iterator[AdversarialKernel]:
    """No conflicts: neighbouring lanes take neighbouring words."""
    for n, tile in enumerate(
        (
            Tile("f32", 64, 32, 1, "gfx942"),
            Tile("f32", 32, 32, 1, "sm_90"),
            Tile("i32", 64, 64, 1, "gfx950"),
        )
    ):
        lines = f"  %n = affine.apply affine_map<()[s0] -> (s0 mod {tile.columns})>()[%t]\n"
        at = f"%lds[%i, %n] : {tile.shared}, {tile.vector}"
        outer = tile.globals(4 * tile.rows, tile.columns)
        store = f"%w = vector.load {at}\n    vector.store %w, %out[%g, %i] : {outer}, {tile.vector}"
        copy = Copy(tile, lines, writes=f"vector.store %v, {at}", reads=store)
        text = copy.text.replace(
            f"    vector.store %w, %out[%g, %i] : {outer}, {tile.vector}\n", "", 1
        )
        kernel = made("no_conflicts", str(n), copy, False, "there are no conflicts")
        yield replace(kernel, text=text)


def kernels() -> Iterator[AdversarialKernel]:
    yield from _plain()
    yield from _transposed()
    yield from _spelled()
    yield from _ranks()
    yield from _nothing_to_do()
