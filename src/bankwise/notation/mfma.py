"""AMD's matrix instructions: which lane and register holds which element of A, B and D.

``D = A * B + C`` with A[i][k], B[k][j], D[i][j]; C is held as D. In the table ``l`` is the lane and
``r`` the element of the operand in that lane; B has j where A has i.

Sources: AMD's matrix instruction calculator 1.3.2 (shapes of gfx942); IREE's
``getSingleSubgroupLayout``, to which a test holds every row it has (not 32x32x2 f32, not xf32).

Any order of k that A and B share computes the same, so IREE names "virtual" variants: of f16, two
instructions become one with longer runs of k in a lane; of fp8, the runs are cut in two.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Literal

from msgspec import Struct

from bankwise.errors import InputError, Refusal
from bankwise.notation.formula import Formula

Operand = Literal["A", "B", "C", "D"]

_NAME = re.compile(r"(v?mfma_)?(f32|i32|f64)_(\d+)x(\d+)x(\d+)(?:_(\d+)b)?_(\w+)")
_IREE_TYPES = {
    "f8e4m3fnuz": "fp8",
    "f8e5m2fnuz": "bf8",
    "f8e4m3fn": "fp8",
    "f8e5m2": "bf8",
}
_BITS: Mapping[str, int] = {
    "f16": 16,
    "bf16": 16,
    "f32": 32,
    "xf32": 32,
    "f64": 64,
    "fp8": 8,
    "bf8": 8,
    "i8": 8,
    "i32": 32,
}

_D16 = "4*(l//16) + r"
_D32 = "8*(r//4) + 4*(l//32) + r%4"


class _MfmaLayout(Struct, frozen=True):
    """Instructions with one layout: A's i, k and D's i as expressions, elements per lane."""

    names: tuple[str, ...]
    i: str
    k: str
    a_registers: int
    d: str
    d_registers: int


def _runs(rows: int, run: int, *names: str) -> _MfmaLayout:
    """Each lane holds ``run`` neighbours in k: the layout of all but a few instructions."""
    d, registers = (_D16, 4) if rows == 16 else (_D32, 16)
    return _MfmaLayout(names, f"l%{rows}", f"{run}*(l//{rows}) + r", run, d, registers)


def _eights(shape: str) -> tuple[str, ...]:
    """The names of the 8-bit float instructions of one shape."""
    kinds = ("fp8", "bf8")
    return tuple(f"f32_{shape}_{a}_{b}" for a in kinds for b in kinds)


_TABLE = (
    _runs(16, 1, "f32_16x16x4_f32"),
    _runs(32, 1, "f32_32x32x2_f32"),
    _runs(16, 2, "f32_16x16x8_xf32", "f32_16x16x8_bf16"),
    _runs(32, 2, "f32_32x32x4_bf16"),
    _runs(16, 4, "f32_16x16x16_f16", "f32_16x16x16_bf16", "i32_16x16x16_i8"),
    _runs(32, 4, "f32_32x32x8_f16", "f32_32x32x8_bf16", "i32_32x32x8_i8"),
    _runs(16, 8, "f32_16x16x32_f16", "f32_16x16x32_bf16", "i32_16x16x32_i8"),
    _runs(16, 8, *_eights("16x16x32"), "vmfma_f32_16x16x32_f16"),
    _runs(32, 8, "f32_32x32x16_f16", "f32_32x32x16_bf16", "i32_32x32x16_i8"),
    _runs(32, 8, *_eights("32x32x16"), "vmfma_f32_32x32x16_f16"),
    _runs(16, 16, "i32_16x16x64_i8"),
    _runs(32, 16, "i32_32x32x32_i8"),
    _MfmaLayout(("vmfma_f32_16x16x32_fp8_fp8",), "l%16", "16*(r//4) + 4*(l//16) + r%4", 8, _D16, 4),
    _MfmaLayout(("vmfma_f32_32x32x16_fp8_fp8",), "l%32", "8*(r//4) + 4*(l//32) + r%4", 8, _D32, 16),
    _MfmaLayout(("f64_16x16x4_f64",), "l%16", "l//16", 1, "4*r + l//16", 4),
    _MfmaLayout(
        ("f32_4x4x4_16b_f16", "f32_4x4x4_16b_bf16", "i32_4x4x4_16b_i8"), "l%4", "r", 4, "r", 4
    ),
)

_DISPUTED = (
    "the order of k in {}: IREE gives a lane 32 neighbours, Wave (8-bit, unscaled) two runs of 16; "
    "nothing measured decides"
)


class Mfma(Struct, frozen=True):
    """One matrix instruction: ``m`` x ``n`` x ``k``, ``blocks`` of them at once.

    ``a_bits``, ``b_bits``, ``d_bits``: of one element. ``str`` is the name; :func:`mfma` reads it.
    """

    name: str
    m: int
    n: int
    k: int
    blocks: int
    a_bits: int
    b_bits: int
    d_bits: int
    row: _MfmaLayout

    def __str__(self) -> str:
        return self.name


def names() -> tuple[str, ...]:
    """The names of all instructions of the table."""
    return tuple(name for row in _TABLE for name in row.names)


def mfma(name: str) -> Mfma | Refusal:
    """The instruction called ``name``, for example ``v_mfma_f32_16x16x16_f16``.

    IREE's spelling (``MFMA_F32_16x16x16_F16``) is read too. A Refusal for an instruction whose
    layout the sources dispute; :class:`InputError` for a name that is not known.
    """
    plain = _canonical(name)
    if re.search(r"16x16x128|32x32x64", plain):
        return Refusal(_DISPUTED.format(name))
    row = next((row for row in _TABLE if plain in row.names), None)
    match = _NAME.fullmatch(plain)
    if row is None or match is None:
        near = get_close_matches(plain, names(), n=3, cutoff=0.5)
        raise InputError(
            f"unknown matrix instruction {name!r}",
            hint=f"did you mean {', '.join(near)}?" if near else "known: " + ", ".join(names()),
        )
    m, n, k = (int(match[i]) for i in (3, 4, 5))
    kinds = match[7].split("_")
    return Mfma(
        plain, m, n, k, int(match[6] or 1), _BITS[kinds[0]], _BITS[kinds[-1]], _BITS[match[2]], row
    )


def operand(instruction: Mfma, which: Operand) -> Formula:
    """Who holds which element of an operand: A[i][k], B[k][j], C and D[i][j].

    With several blocks the block number is the first coordinate.
    """
    row, size = instruction.row, instruction
    j = row.i
    if which == "A":
        shape, axes, registers = (size.m, size.k), (row.i, row.k), row.a_registers
    elif which == "B":
        shape, axes, registers = (size.k, size.n), (row.k, j), row.a_registers
    else:
        shape, axes, registers = (size.m, size.n), (row.d, j), row.d_registers
    if size.blocks == 1:
        return Formula(shape, axes, registers)
    block = f"l // {64 // size.blocks}"
    return Formula((size.blocks, *shape), (block, *axes), registers)


def _canonical(name: str) -> str:
    plain = re.sub(r"x(\d+)b_", r"_\1b_", name.strip().lower().removeprefix("v_"))
    if not plain.startswith("vmfma_"):
        plain = plain.removeprefix("mfma_")
    for iree, ours in _IREE_TYPES.items():
        plain = re.sub(rf"_{iree}(?=_|$)", f"_{ours}", plain)
    plain = re.sub(r"_(fp8|bf8)$", r"_\1_\1", plain) if plain.count("8") else plain
    return re.sub(r"_(fp8|bf8)_(fp8|bf8)_\2$", r"_\1_\2", plain)
