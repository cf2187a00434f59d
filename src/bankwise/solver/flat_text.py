"""A layout of a flat buffer as text: a formula on byte addresses, and the frameworks' notations.

A single fold has a name everywhere. With ``e`` bytes an element:

    a ^ ((a >> 3) & 0x70)     a: byte offset from the start of the buffer
    Swizzle<3,4,3>            CuTe, on byte offsets
    xor_shuffle<W, u, S, 1>   IREE: width 2^(target+count), unit 2^target, row 2^source, in bytes
    make_xor_transform        CK, where the bits read lie right above the bits changed

Sources: as :mod:`bankwise.solver.families`.
"""

from __future__ import annotations

from typing import Literal

from bankwise.algebra.address import AddressMap, Identity, Linear, Padded
from bankwise.algebra.offset import Shape, offset_text
from bankwise.solver.address import xor_terms
from bankwise.solver.flat import Flat, Fold

Framework = Literal["", "cute", "triton", "iree", "ck"]
"""Where a kernel comes from; empty where nothing says so."""


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


def notation(flat: Flat, fold: Fold | None, framework: Framework) -> str:
    """The fold in the framework's notation; empty if it has none for it."""
    if fold is None:
        return ""
    low = flat.element_bytes.bit_length() - 1
    target, source = fold.target + low, fold.source + low
    if framework == "iree":
        return f"{_xor_shuffle(flat, fold)} on bytes (divide by the size of an element)"
    if framework == "ck" and fold.adjacent:
        return _xor_descriptor(flat, fold)
    return f"Swizzle<{fold.count},{target},{source - target}> on byte offsets"


def _xor_shuffle(flat: Flat, fold: Fold) -> str:
    size = flat.element_bytes
    width, unit, stride = (size << n for n in (fold.target + fold.count, fold.target, fold.source))
    return f"#iree_codegen.xor_shuffle<{width}, {unit}, {stride}, 1>"


def _xor_descriptor(flat: Flat, fold: Fold) -> str:
    """CK's own three steps: a box [b, a, pack], ``a ^= b mod len(a)``, pack left alone."""
    chunks, pack = 1 << fold.count, flat.element_bytes << fold.target
    rows = flat.elements * flat.element_bytes // (chunks * pack)
    box = f"make_naive_tensor_descriptor_packed(make_tuple({rows}, {chunks}, {pack}))"
    xor = f"make_xor_transform(make_tuple({rows}, {chunks}))"
    kept = f"make_pass_through_transform({pack})"
    return f"{box} with {xor} on (0, 1) and {kept} on 2; the pack of {pack} is in bytes"
