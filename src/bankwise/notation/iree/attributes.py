"""IREE's attributes: swizzles and paddings of shared memory, nested layouts, matrix layouts.

Formulas of ``xor_shuffle``, ``rotate_rows`` and ``nested_layout`` as in iree-org/iree@b48a5955
(IREECodegenAttrs.cpp, VectorExtAttrs); all numbers are elements. On a flat offset o, with
r = o mod access_width and q = o - r:

    xor_shuffle<W, a, S, p>   column (q mod W) / a   XOR   row (q / S / p) mod (W / a)
    rotate_rows<W, a>         column (q mod W) / a   +     row q / W,   modulo W / a

IREE's verifier asks that a divides W, W divides S and p <= W / a. That is not enough for a
bijection: :func:`legality` says what is.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from msgspec import Struct

from bankwise.algebra.address import Fold, Padded
from bankwise.counting.access import IntArray
from bankwise.errors import InputError, Refusal
from bankwise.notation.mfma import Mfma, mfma
from bankwise.notation.reader import Cursor, Token, fields, placed, unknown
from bankwise.notation.values import DistributionTable, Mapped, collision, limit

MAX_WIDTH = 1 << 24

_XOR = ("row_width", "access_width", "row_stride", "per_phase")
_TILES = ("subgroup_tile", "batch_tile", "outer_tile", "thread_tile", "element_tile")
_STRIDES = ("subgroup_strides", "thread_strides")
_HINTS = {
    "xor_shuffle": "#iree_codegen.xor_shuffle<128, 4, 128, 1>",
    "rotate_rows": "#iree_codegen.rotate_rows<64, 8>",
    "nested_layout": "#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], ...>",
    "mma_layout": "#iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>",
}


class XorShuffle(Struct, frozen=True):
    """``#iree_codegen.xor_shuffle``; an address map on flat offsets.

    ``row_stride`` and ``per_phase`` of 0 mean IREE's defaults, ``row_width`` and 1. Raises
    :class:`InputError` for what IREE's verifier refuses, and for zeros that crash it.
    """

    row_width: int
    access_width: int
    row_stride: int = 0
    per_phase: int = 0

    def __post_init__(self) -> None:
        _check_groups("xor_shuffle", self.row_width, self.access_width)
        if self.stride % self.row_width or not 0 <= self.row_stride <= MAX_WIDTH:
            raise InputError(
                f"xor_shuffle: a row_stride of {self.row_stride} for rows of {self.row_width}",
                hint="row_width must divide row_stride",
            )
        if not 0 <= self.per_phase <= self.groups:
            raise InputError(
                f"xor_shuffle: per_phase {self.per_phase} with {self.groups} groups in a row",
                hint="per_phase is at most row_width / access_width",
            )

    @property
    def stride(self) -> int:
        """Elements from one row to the next."""
        return self.row_stride or self.row_width

    @property
    def groups(self) -> int:
        """Groups that are exchanged within a row."""
        return self.row_width // self.access_width

    @property
    def fold(self) -> Fold | None:
        """The same map in bankwise's own terms; None where it is no bijection."""
        if self.groups & (self.groups - 1):
            return None
        return Fold(self.stride * (self.per_phase or 1), self.access_width, self.groups)

    def __call__(self, offsets: IntArray) -> IntArray:
        """The shuffled offsets."""
        group = offsets % self.row_width // self.access_width
        phase = offsets // (self.stride * (self.per_phase or 1)) % self.groups
        return offsets + ((group ^ phase) - group) * self.access_width

    def __str__(self) -> str:
        given = [self.row_width, self.access_width, self.row_stride, self.per_phase]
        while not given[-1]:
            given.pop()
        return f"#iree_codegen.xor_shuffle<{', '.join(map(str, given))}>"


class RotateRows(Struct, frozen=True):
    """``#iree_codegen.rotate_rows``; an address map on flat offsets. Always a bijection of rows."""

    row_width: int
    access_width: int

    def __post_init__(self) -> None:
        _check_groups("rotate_rows", self.row_width, self.access_width)

    def __call__(self, offsets: IntArray) -> IntArray:
        """The rotated offsets."""
        groups = self.row_width // self.access_width
        group = offsets % self.row_width // self.access_width
        turned = (group + offsets // self.row_width) % groups
        return offsets + (turned - group) * self.access_width

    def __str__(self) -> str:
        return f"#iree_codegen.rotate_rows<{self.row_width}, {self.access_width}>"


class NestedLayout(Struct, frozen=True):
    """``#iree_vector_ext.nested_layout``: every dimension is cut five times, slowest first.

    A coordinate is the mixed-radix number of (subgroup, batch, outer, thread, element). Subgroup
    and thread digits come from the ids: (id / stride) mod tile, 0 where the stride is 0.
    """

    subgroup_tile: tuple[int, ...]
    batch_tile: tuple[int, ...]
    outer_tile: tuple[int, ...]
    thread_tile: tuple[int, ...]
    element_tile: tuple[int, ...]
    subgroup_strides: tuple[int, ...]
    thread_strides: tuple[int, ...]

    def __post_init__(self) -> None:
        named = {name: getattr(self, name) for name in (*_TILES, *_STRIDES)}
        rank = len(self.subgroup_tile)
        for name, values in named.items():
            if len(values) != rank or not rank:
                raise InputError(f"nested_layout: {name} {list(values)} is not of rank {rank}")
            least = 0 if name in _STRIDES else 1
            if not all(least <= v <= MAX_WIDTH for v in values):
                raise InputError(f"nested_layout: {name} {list(values)}", hint=f"{least} and more")
        if prod(v for name in _TILES for v in named[name]) > MAX_WIDTH:
            raise InputError(f"nested_layout: a tile of {self.shape} is too large")

    @property
    def shape(self) -> tuple[int, ...]:
        """The tile, in elements."""
        return tuple(map(prod, zip(*self._tiles(), strict=True)))

    @property
    def vector_shape(self) -> tuple[int, ...]:
        """The vector of one thread: all batch, then all outer, then all element dimensions."""
        return (*self.batch_tile, *self.outer_tile, *self.element_tile)

    def spread(self, *, lanes: int = 64, waves: int = 0) -> DistributionTable:
        """The distribution over ``waves`` (default: as many as subgroups) of ``lanes`` lanes.

        Registers are numbered row-major over :attr:`vector_shape`.
        """
        rank = len(self.subgroup_tile)
        shape = (waves or prod(self.subgroup_tile), lanes, prod(self.vector_shape))
        limit(f"a nested layout over {shape[0]} waves of {lanes} lanes", prod(shape))
        wave, lane, register = np.indices(shape, dtype=np.int64)
        inner = np.unravel_index(register, self.vector_shape)
        axes = []
        for d in range(rank):
            digits = (
                _digit(wave, self.subgroup_strides[d], self.subgroup_tile[d]),
                inner[d],
                inner[rank + d],
                _digit(lane, self.thread_strides[d], self.thread_tile[d]),
                inner[2 * rank + d],
            )
            total = np.zeros(shape, np.int64)
            for digit, tile in zip(digits, self._tiles(), strict=True):
                total = total * tile[d] + digit
            axes.append(total)
        return DistributionTable(self.shape, np.stack(axes, axis=-1))

    def _tiles(self) -> tuple[tuple[int, ...], ...]:
        return (
            self.subgroup_tile,
            self.batch_tile,
            self.outer_tile,
            self.thread_tile,
            self.element_tile,
        )

    def __str__(self) -> str:
        parts = (f"{name} = {list(getattr(self, name))}" for name in (*_TILES, *_STRIDES))
        return f"#iree_vector_ext.nested_layout<{', '.join(parts)}>"


Attribute = XorShuffle | RotateRows | NestedLayout | Mfma


def parse(text: str, file: str = "iree") -> Attribute | Refusal:
    """Read an attribute; the dialect prefix may be left out.

    The parameters of a swizzle may be named (``row_width = 128``) as IREE's documentation prints
    them, which IREE's own parser does not take. A Refusal for a matrix instruction whose layout is
    disputed; :class:`InputError` with the place otherwise.
    """
    cursor = Cursor(text, file)
    if cursor.accept("#"):
        cursor.name()
        cursor.expect(".", _HINTS["xor_shuffle"])
    token = cursor.name(_HINTS["xor_shuffle"])
    if token.text not in _HINTS:
        raise unknown(cursor, token, "attribute", _HINTS)
    hint = _HINTS[token.text]
    cursor.expect("<", hint)
    found = _inside(cursor, token, hint)
    cursor.finish(hint)
    return found


def swizzle(text: str, file: str = "iree") -> XorShuffle | RotateRows:
    """Read a swizzle; :class:`InputError` if the text is anything else."""
    found = parse(text, file)
    if not isinstance(found, XorShuffle | RotateRows):
        raise InputError(f"{text!r} is no swizzle", hint=_HINTS["xor_shuffle"])
    return found


def legality(swizzle: XorShuffle | RotateRows, elements: int) -> Refusal | None:
    """Why an allocation of ``elements`` may not be swizzled so: two elements meet, or one leaves.

    IREE accepts group counts that are no power of two; some of those lose data silently.
    """
    memory = Mapped((elements,), swizzle)
    clash = collision(memory)
    if clash is not None:
        return Refusal(f"{swizzle} is no bijection of {elements} elements: {clash}")
    if memory.size > elements:
        return Refusal(f"{swizzle} puts an element at {memory.size - 1} of {elements}")
    return None


def padded(shape: tuple[int, ...], element_bits: int, padding_bits: int) -> Mapped:
    """What ``iree-codegen-gpu-reduce-bank-conflicts{padding-bits=N}`` makes of an allocation.

    The last dimension grows by ``padding_bits / element_bits`` elements, rounded down.
    """
    if not shape or element_bits < 1 or padding_bits < 0:
        raise InputError(f"padding {shape} of {element_bits}-bit elements by {padding_bits} bits")
    return Mapped(shape, Padded(shape[-1], padding_bits // element_bits))


def _inside(cursor: Cursor, token: Token, hint: str) -> Attribute | Refusal:
    """What stands between < and >, which is read too."""
    if token.text == "nested_layout":
        given = fields(cursor, (*_TILES, *_STRIDES), hint)
        return placed(cursor, token, lambda: NestedLayout(**given))
    if token.text == "mma_layout":
        name = cursor.name(hint)
        cursor.expect(">", hint)
        return placed(cursor, name, lambda: mfma(name.text))
    names = _XOR if token.text == "xor_shuffle" else _XOR[:2]
    given_numbers = _parameters(cursor, names, hint)
    make = XorShuffle if token.text == "xor_shuffle" else RotateRows
    return placed(cursor, token, lambda: make(*given_numbers))


def _parameters(cursor: Cursor, names: Sequence[str], hint: str) -> list[int]:
    """Numbers in order, each possibly behind its name, up to and with ``>``."""
    found: list[int] = []
    while not cursor.accept(">"):
        if found:
            cursor.expect(",", hint)
        if len(found) == len(names):
            raise cursor.error(f"more than {len(names)} parameters", hint)
        if cursor.token.kind == "name":
            cursor.expect(names[len(found)], hint)
            cursor.expect("=", hint)
        found.append(cursor.number(hint))
    if len(found) < 2:
        raise cursor.error(f"{names[len(found)]} is missing", hint)
    return found


def _digit(number: IntArray, stride: int, tile: int) -> IntArray:
    return number // stride % tile if stride else np.zeros_like(number)


def _check_groups(what: str, row_width: int, access_width: int) -> None:
    if not (0 < access_width <= row_width <= MAX_WIDTH) or row_width % access_width:
        raise InputError(
            f"{what}: rows of {row_width} in groups of {access_width}",
            hint="both at least 1, access_width divides row_width",
        )
