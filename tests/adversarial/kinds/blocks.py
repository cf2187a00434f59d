"""Addresses that depend on the workgroup in ways that its number 0 does not show."""

# ruff: noqa: E501 - a line of MLIR stays a line
from __future__ import annotations

from collections.abc import Iterator

from adversarial.kernel import AdversarialKernel
from adversarial.tiles import TILES, Copy, Tile, made

FORMS = {
    "block_floordiv_2": "%f = affine.apply affine_map<()[s0] -> (s0 floordiv 2)>()[%b]",
    "block_and_4": "%f = arith.andi %b, %c4 : index",
    "block_floordiv_3": "%f = affine.apply affine_map<()[s0] -> (s0 floordiv 3)>()[%b]",
    "block_mod_3": "%f = arith.remui %b, %c3 : index",
    "block_xor": "%x = arith.xori %b, %c5 : index\n  %f = arith.subi %x, %c5 : index",
    "block_select": "%late = arith.cmpi ugt, %b, %c2 : index\n"
    "  %f = arith.select %late, %c3, %c0 : index",
    "block_min": "%f = arith.minui %b, %c3 : index",
    "block_last": "%edge = arith.cmpi eq, %b, %c7 : index\n"
    "  %f = arith.select %edge, %c1, %c0 : index",
}
"""``%f``: a small number that is 0 in workgroup 0 (and of another sign there for none)."""


def _row(name: str, value: str, size: int) -> str:
    """``%name`` = (value + f) mod size, by an operation that stays in the rows."""
    return f"  %{name} = affine.apply affine_map<()[s0, s1] -> ((s0 + s1) mod {size})>()[{value}, %f]\n"


def _rows(tile: Tile, form: str, in_text: bool) -> Copy:
    """Rows of the store and of the load move with the workgroup."""
    lines = f"  {form}\n" + _row("r", "%t", tile.rows) + _row("q", "%u", tile.rows)
    return Copy(tile, lines, store="%r, %i", load="%q, %i", grid=(9, 1, 1), grid_in_text=in_text)


def _read(tile: Tile, form: str, in_text: bool) -> Copy:
    """The load's row alone moves."""
    lines = f"  {form}\n" + _row("q", "%u", tile.rows)
    return Copy(tile, lines, load="%q, %i", grid=(9, 1, 1), grid_in_text=in_text)


def _columns(tile: Tile, form: str, in_text: bool) -> Copy:
    """The columns of the load move, by whole vectors."""
    width, size = tile.width, tile.columns
    moved = f"(s0 + s1 * {width}) mod {size}"
    reads = (
        f"%j = affine.apply affine_map<()[s0, s1] -> ({moved})>()[%i, %f]\n"
        f"    %w = vector.load %lds[%u, %j] : {tile.shared}, {tile.vector}"
    )
    return Copy(tile, f"  {form}\n", reads=reads, grid=(9, 1, 1), grid_in_text=in_text)


def kernels() -> Iterator[AdversarialKernel]:
    for kind, form in FORMS.items():
        for n, tile in enumerate(TILES[:4]):
            build = (_rows, _read, _columns)[n % 3]
            for in_text in (True, False):
                copy = build(tile, form, in_text)
                given = {"launches": copy.launch((9, 1, 1), (1, 1, 1), (4, 1, 1))}
                name = f"{build.__name__[1:]}{'' if in_text else '_anygrid'}"
                yield made(kind, name, copy, True, **given)
