"""A layout of a flat buffer as text: a formula on byte addresses, and the framework's notation.

A single fold has a name everywhere. With ``e`` bytes an element:

    a ^ ((a >> 3) & 0x70)     a: byte offset from the start of the buffer
    Swizzle<3,4,3>            CuTe, on byte offsets

and what :mod:`bankwise.notation.frameworks` writes of a row of bytes.
"""

from __future__ import annotations

from bankwise.algebra.address import AddressMap, Identity, Linear, Padded
from bankwise.algebra.offset import Shape, offset_text
from bankwise.errors import Refusal
from bankwise.notation.fold import SingleFold
from bankwise.notation.framework import Ground
from bankwise.notation.frameworks import frameworks
from bankwise.notation.values import Mapped
from bankwise.solver.address import xor_terms
from bankwise.solver.flat import Flat, Fold


def formula(flat: Flat, address: AddressMap) -> str:
    """The layout on byte offsets ``a``; of a map that moves bits, on elements ``e``."""
    low = flat.element_bytes.bit_length() - 1
    if isinstance(address, Identity):
        return "a"
    if isinstance(address, Padded):
        row, pad = address.row << low, address.pad << low
        return f"a + (a / {row}) * {pad}"
    assert isinstance(address, Linear), f"no other maps are tried: {address}"
    terms = xor_terms(address.bases)
    if terms is None:
        text = offset_text(Shape((("e", 1 << flat.bits),), 8 * flat.element_bytes), address)
        return f"{text} (e: units of {flat.element_bytes} bytes)"
    return " ^ ".join(["a", *(f"((a >> {s}) & {m << low:#x})" for s, m in terms)])


def notation(flat: Flat, fold: Fold | None, framework: str) -> str:
    """The fold in the words of the framework that made the kernel, of a buffer of bytes.

    In CuTe's where it has none, or is not known, or lays out tensors alone as Triton does; empty
    without a fold.
    """
    if fold is None:
        return ""
    low = flat.element_bytes.bit_length() - 1
    target, source = fold.target + low, fold.source + low
    known = frameworks().get(framework)
    if known is not None and known.flat:
        tile = Shape((("a", flat.elements * flat.element_bytes),), 8)
        moved = SingleFold(1 << source, 1 << target, 1 << fold.count).address(tile.elements)
        said = known.write(Mapped((tile.elements,), moved), Ground(tile))
        if not isinstance(said, Refusal):
            return f"{said} on bytes (divide by the size of an element)"
    return f"Swizzle<{fold.count},{target},{source - target}> on byte offsets"
