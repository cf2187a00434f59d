"""A shared encoding as Gluon writes it: ``gl.SwizzledSharedLayout(..)``.

``gl`` is ``triton.experimental.gluon.language``. Source of the names: triton 3.9,
experimental/gluon/language/_layouts.py. Gluon has no rotating swizzle; as bases it has all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from bankwise.notation.linear import Bases
from bankwise.notation.triton.encodings import (
    NvmmaShared,
    PaddedShared,
    Shared,
    SharedLinear,
    SwizzledShared,
)
from bankwise.notation.triton.shared import memory


def gluon_text(encoding: Shared, tile: Sequence[int]) -> str:
    """The layout in Python; ``tile``: the shape that it is applied to."""
    match encoding:
        case SwizzledShared(rotating=False):
            return (
                f"gl.SwizzledSharedLayout(vec={encoding.vec}, per_phase={encoding.per_phase}, "
                f"max_phase={encoding.max_phase}, order={list(encoding.order)})"
            )
        case SwizzledShared():
            return _linear(memory(encoding, tile).bases, 16)
        case PaddedShared():
            pads = [list(pair) for pair in encoding.paddings]
            if encoding.order:
                order = list(encoding.order)
                return f"gl.PaddedSharedLayout.with_identity_for({pads}, {list(tile)}, {order})"
            return f"gl.PaddedSharedLayout({pads}, {_listed(encoding.offset)}, [], {list(tile)})"
        case NvmmaShared():
            return _nvmma(encoding)
        case SharedLinear():
            return _linear(encoding.offset, encoding.alignment)
        case _:
            assert_never(encoding)


def _nvmma(x: NvmmaShared) -> str:
    more = ", transposed=True" if x.transposed else ""
    more += ", fp4_padded=True" if x.fp4_padded else ""
    first = f"swizzle_byte_width={x.swizzling_byte_width}, element_bitwidth={x.element_bit_width}"
    return f"gl.NVMMASharedLayout({first}, rank={x.rank}{more})"


def _linear(bases: Bases, alignment: int) -> str:
    return f"gl.SharedLinearLayout({_listed(bases)}, alignment={alignment})"


def _listed(bases: Bases) -> str:
    return str([list(basis) for basis in bases])
