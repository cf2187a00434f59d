"""Accesses over an edge: of a row, of a vector's unit, of a buffer, of a mask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adversarial.kernel import AdversarialKernel
from adversarial.tiles import TILES, Copy, Tile, made

_NEIGHBOURS = "a vector crosses from one swizzled unit into the next"


def _zero(tile: Tile) -> str:
    return "0.0" if tile.element[0] in "fb" else "0"


def _overruns() -> Iterator[AdversarialKernel]:
    """``tile[0][i]`` with i past the row, in all workgroups or in some."""
    for n, tile in enumerate(TILES):
        size = tile.columns
        rest = f"  %bit = arith.andi %b, %c{(1, 2)[n % 2]} : index\n"
        rest += "  %on = arith.cmpi ne, %bit, %c0 : index\n"
        rest += f"  %over = arith.muli %u, %c{size} : index\n"
        if n % 3 == 0:
            reads = (
                "%x = arith.addi %over, %i : index\n"
                f"    %w = vector.load %lds[%c0, %x] : {tile.shared}, {tile.vector}"
            )
        elif n % 3 == 1:
            rest += "  %row = arith.select %on, %c0, %u : index\n"
            rest += "  %from = arith.select %on, %over, %c0 : index\n"
            reads = (
                "%x = arith.addi %from, %i : index\n"
                f"    %w = vector.load %lds[%row, %x] : {tile.shared}, {tile.vector}"
            )
        else:
            last = tile.rows - 1
            rest += f"  %clast = arith.constant {last} : index\n"
            rest += "  %back = arith.subi %u, %clast : index\n"
            rest += f"  %from = arith.muli %back, %c{size} : index\n"
            reads = (
                "%x = arith.addi %from, %i : index\n"
                f"    %w = vector.load %lds[%clast, %x] : {tile.shared}, {tile.vector}"
            )
        why = "an index leaves its row: one cell has two coordinates"
        for in_text in (True, False):
            copy = Copy(tile, rest, reads=reads, grid_in_text=in_text)
            yield made("row_overrun", f"{n}-{in_text:d}", copy, False, why)


def _straddling() -> Iterator[AdversarialKernel]:
    """A vector begins in the middle of a unit, or goes on in the next row, in some workgroups."""
    for n, tile in enumerate(TILES):
        half = tile.width // 2
        rest = f"  %chalf = arith.constant {half} : index\n"
        rest += f"  %clast = arith.constant {tile.rows - 1} : index\n"
        rest += "  %bit = arith.andi %b, %c2 : index\n  %on = arith.cmpi ne, %bit, %c0 : index\n"
        rest += "  %some = arith.select %on, %chalf, %c0 : index\n"
        by = ("%chalf", "%some")[n % 2]
        reads = (
            f"%x = arith.addi %i, {by} : index\n"
            f"    %q = arith.minui %u, %cprev : index\n"
            f"    %w = vector.load %lds[%q, %x] : {tile.shared}, {tile.vector}"
        )
        rest += f"  %cprev = arith.constant {tile.rows - 2} : index\n"
        kind = ("straddling", "straddling_some")[n % 2]
        for more in (False, True):
            if more:
                fence = f"  %cedge = arith.constant {tile.columns - tile.width} : index\n"
                inner = reads.replace("arith.addi %i", "arith.addi %i0").replace(
                    "%x =", "%i0 = arith.minui %i, %cinner : index\n    %x =", 1
                )
                fence += f"  %cinner = arith.constant {tile.columns - 2 * tile.width} : index\n"
                copy = Copy(tile, rest + fence, reads=inner, grid_in_text=bool(n // 2 % 2))
            else:
                copy = Copy(tile, rest, reads=reads, grid_in_text=bool(n // 2 % 2))
            yield made(kind, f"{n}-{more:d}", copy, False, _NEIGHBOURS)


def _transfers() -> Iterator[AdversarialKernel]:
    """A transfer over the edge of the buffer: what is outside is padding, or is not written."""
    for n, tile in enumerate(TILES):
        pad = f"  %pad = arith.constant {_zero(tile)} : {tile.element}\n"
        pad += f"  %chalf = arith.constant {tile.width // 2} : index\n"
        pad += "  %bit = arith.andi %b, %c1 : index\n  %on = arith.cmpi ne, %bit, %c0 : index\n"
        pad += "  %some = arith.select %on, %chalf, %c0 : index\n"
        plain = "%i" if n % 2 else "%x"
        reads = (
            f"%x = arith.addi %i, %some : index\n"
            f"    %w = vector.transfer_read %lds[%u, {plain}], %pad "
            f"{{in_bounds = [false]}} : {tile.shared}, {tile.vector}"
        )
        why = "" if n % 2 else "the part that is outside differs from workgroup to workgroup"
        copy = Copy(tile, pad, reads=reads, grid_in_text=bool(n // 2 % 2))
        yield made("transfer_out_of_bounds", str(n), copy, bool(n % 2), why)


def _masked_transfers() -> Iterator[AdversarialKernel]:
    """A mask goes with the elements of the vector: they keep their lanes and their mask."""
    for n, tile in enumerate(TILES):
        lines = f"  %pad = arith.constant {_zero(tile)} : {tile.element}\n"
        lines += "  %four = arith.remui %b, %c3 : index\n  %few = arith.addi %four, %c1 : index\n"
        lines += f"  %mask = vector.create_mask %few : vector<{tile.width}xi1>\n"
        if n % 2:
            reads = (
                f"%w = vector.transfer_read %lds[%u, %i], %pad, %mask {{in_bounds = [true]}} : "
                f"{tile.shared}, {tile.vector}"
            )
        else:
            lines += f"  %none = arith.constant dense<{_zero(tile)}> : {tile.vector}\n"
            reads = (
                f"%w = vector.maskedload %lds[%u, %i], %mask, %none : {tile.shared}, "
                f"vector<{tile.width}xi1>, {tile.vector} into {tile.vector}"
            )
        copy = Copy(tile, lines, reads=reads, grid_in_text=bool(n // 2 % 2))
        yield made("masked_transfer" if n % 2 else "masked_load", str(n), copy, True)


def _masked_by_column() -> Iterator[AdversarialKernel]:
    """The mask depends on the column: it belongs to the logical one, not to the swizzled one."""
    for n, tile in enumerate(TILES):
        lines = f"  %none = arith.constant dense<{_zero(tile)}> : {tile.vector}\n"
        edge = (3 * tile.columns // 4) + n % 2
        lines += f"  %cedge = arith.constant {edge} : index\n"
        reads = (
            "%left = arith.subi %cedge, %i : index\n"
            "    %some = arith.maxsi %left, %c0 : index\n"
            f"    %mask = vector.create_mask %some : vector<{tile.width}xi1>\n"
            f"    %w = vector.maskedload %lds[%u, %i], %mask, %none : {tile.shared}, "
            f"vector<{tile.width}xi1>, {tile.vector} into {tile.vector}"
        )
        copy = Copy(tile, lines, reads=reads, grid_in_text=bool(n // 2 % 2))
        yield made("mask_of_column", str(n), copy, True)


def _permuted() -> Iterator[AdversarialKernel]:
    """Transfers that turn a column into a vector, or repeat one element of it."""
    for n, tile in enumerate(TILES):
        lines = f"  %pad = arith.constant {_zero(tile)} : {tile.element}\n"
        lines += f"  %ctop = arith.constant {tile.rows - tile.width} : index\n"
        lines += "  %q = arith.minui %u, %ctop : index\n"
        how, kind = (
            ("affine_map<(d0, d1) -> (d0)>", "transfer_column"),
            ("affine_map<(d0, d1) -> (0)>", "transfer_broadcast"),
        )[n % 2]
        reads = (
            f"%w = vector.transfer_read %lds[%q, %i], %pad {{in_bounds = [true], "
            f"permutation_map = {how}}} : {tile.shared}, {tile.vector}"
        )
        why = "one column index cannot move the rows of a column vector apart" * (not n % 2)
        copy = Copy(tile, lines, reads=reads)
        yield made(kind, str(n), copy, bool(n % 2), why)


def _square_transfers() -> Iterator[AdversarialKernel]:
    """A transfer of two rows at once."""
    why = "one column index cannot move two rows apart"
    for n, tile in enumerate(TILES[:5]):
        half = tile.width // 2
        two = f"vector<2x{half}x{tile.element}>"
        lines = f"  %pad = arith.constant {_zero(tile)} : {tile.element}\n"
        lines += f"  %ctop = arith.constant {tile.rows - 2} : index\n"
        lines += "  %q = arith.minui %u, %ctop : index\n"
        reads = (
            f"%two = vector.transfer_read %lds[%q, %i], %pad {{in_bounds = [true, true]}} : "
            f"{tile.shared}, {two}\n    %w = vector.shape_cast %two : {two} to {tile.vector}"
        )
        yield made("transfer_rows", str(n), Copy(tile, lines, reads=reads), False, why)


def _wider() -> Iterator[AdversarialKernel]:
    """The load takes twice as many elements as the store, aligned; or one at a time."""
    for n, tile in enumerate(TILES):
        outer = tile.globals(4 * tile.rows, tile.columns)
        width = tile.width // 4 if n % 2 else tile.width // 2
        less = replace(tile, width=width)
        store = "\n    ".join(
            f"%i{k} = affine.apply affine_map<()[s0] -> (s0 + {k * width})>()[%i]\n"
            f"    %v{k} = vector.load %in[%g, %i{k}] : {outer}, {less.vector}\n"
            f"    vector.store %v{k}, %lds[%t, %i{k}] : {tile.shared}, {less.vector}"
            for k in range(tile.width // width)
        )
        yield made("two_widths", str(n), Copy(tile, writes=store), True)


def kernels() -> Iterator[AdversarialKernel]:
    yield from _overruns()
    yield from _straddling()
    yield from _transfers()
    yield from _masked_transfers()
    yield from _masked_by_column()
    yield from _permuted()
    yield from _square_transfers()
    yield from _wider()
