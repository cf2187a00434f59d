"""A layout of a flat buffer as text: a formula on byte addresses, and the framework's notation.

A single fold has a name everywhere. With ``e`` bytes an element:

    a ^ ((a >> 3) & 0x70)     a: byte offset from the start of the buffer
    Swizzle<3,4,3>            CuTe, on byte offsets

and what :mod:`bankwise.notation.frameworks` writes of a row of bytes.
"""

from __future__ import annotations

from bankwise.algebra.address import AddressMap, Fold, Identity, Linear, Padded
from bankwise.algebra.offset import Shape, offset_text
from bankwise.errors import Refusal
from bankwise.solver.address import xor_terms
from bankwise.tile import Tile


def formula(tile: Tile, address: AddressMap) -> str:
    """The layout on byte offsets ``a``; of a map that moves bits, on elements ``e``."""
    size, low = _element(tile)
    if isinstance(address, Identity):
        return "a"
    if isinstance(address, Padded):
        row, pad = address.row << low, address.pad << low
        return f"a + (a / {row}) * {pad}"
    if isinstance(address, Fold):
        target, source, count = _bits(tile, address)
        return f"a ^ ((a >> {source - target}) & {(1 << count) - 1 << target:#x})"
    assert isinstance(address, Linear), f"no other maps are tried: {address}"
    terms = xor_terms(address.bases)
    if terms is None:
        elements = 1 << (tile.shape.elements - 1).bit_length()
        text = offset_text(Shape((("e", elements),), 8 * size), address)
        return f"{text} (e: units of {size} bytes)"
    return " ^ ".join(["a", *(f"((a >> {s}) & {m << low:#x})" for s, m in terms)])


def notation(tile: Tile, address: AddressMap, framework: str = "") -> str:
    """A single fold in the words of the framework that made the kernel, of a buffer of bytes.

    In CuTe's where it has none, or is not known, or lays out tensors alone as Triton does; empty
    for any other layout.
    """
    if not isinstance(address, Fold):
        return ""
    target, source, count = _bits(tile, address)
    fold = Fold(1 << source, 1 << target, 1 << count)
    own = _own_words(tile.shape.bytes_of(tile.shape.elements), fold, framework) if framework else ""
    return own or f"Swizzle<{count},{target},{source - target}> on byte offsets"


def _own_words(size_bytes: int, fold: Fold, framework: str) -> str:
    """A fold of bytes in the words of a framework; empty where it has none, or is not known."""
    from bankwise.notation.framework import Ground
    from bankwise.notation.frameworks import frameworks
    from bankwise.notation.values import Mapped

    known = frameworks().get(framework)
    if known is None or not known.flat:
        return ""
    whole = Shape((("a", size_bytes),), 8)
    said = known.write(Mapped((size_bytes,), fold.address(size_bytes)), Ground(whole))
    return (
        "" if isinstance(said, Refusal) else f"{said} on bytes (divide by the size of an element)"
    )


def _element(tile: Tile) -> tuple[int, int]:
    """Bytes of an element, and their logarithm."""
    size = tile.shape.element_bits // 8
    return size, size.bit_length() - 1


def _bits(tile: Tile, fold: Fold) -> tuple[int, int, int]:
    """The lowest byte-offset bit that a fold changes, the lowest that it reads, and how many."""
    low = _element(tile)[1]
    target, source, above = (n.bit_length() - 1 for n in (fold.unit, fold.divisor, fold.phases))
    return target + low, source + low, above
