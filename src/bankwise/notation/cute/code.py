"""CuTe layouts as source text for CUTLASS C++ and for its Python DSL."""

from __future__ import annotations

from bankwise.errors import Refusal
from bankwise.notation.cute.strided import StridedLayout
from bankwise.notation.cute.swizzle import CuteLayout, in_elements
from bankwise.notation.cute.tuples import Nested


def cpp(where: CuteLayout) -> str:
    """A C++ expression; pointer swizzles become ``smem_ptr_flag_bits``."""
    if isinstance(where, StridedLayout):
        shape, stride = (_static(name, v) for name, v in _parts(where))
        return f"Layout<{shape}, {stride}>{{}}"
    x = where.swizzle
    swizzle = f"Swizzle<{x.bits},{x.base},{x.shift}>{{}}"
    offset = f"Int<{where.offset}>{{}}"
    if where.pointer_bits:
        offset = f"smem_ptr_flag_bits<{where.pointer_bits}>{{}}"
    return f"make_composed_layout({swizzle}, {offset}, {cpp(where.layout)})"


def python(where: CuteLayout) -> str | Refusal:
    """An expression of the Python DSL, its swizzle in elements.

    A :class:`Refusal` where a swizzle of bytes is none of elements.
    """
    if isinstance(where, StridedLayout):
        return f"cute.make_layout({where.shape}, stride={where.stride})"
    plain = in_elements(where)
    if isinstance(plain, Refusal):
        return plain
    x = plain.swizzle
    swizzle = f"cute.make_swizzle({x.bits}, {x.base}, {x.shift})"
    return f"cute.make_composed_layout({swizzle}, {plain.offset}, {python(plain.layout)})"


def _parts(where: StridedLayout) -> tuple[tuple[str, Nested], tuple[str, Nested]]:
    return ("Shape", where.shape), ("Stride", where.stride)


def _static(name: str, value: Nested) -> str:
    if isinstance(value, int):
        return f"Int<{value}>"
    return f"{name}<{', '.join(_static(name, part) for part in value)}>"
