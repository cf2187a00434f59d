"""Which bits of a register may be set, in every launch: a mask for each, on no path forgotten.

    mov.u32 %r1, tile         tile is aligned to 4,096: ..11110000 00000000
    mov.u32 %r2, %tid.x       at most 1,023:            ..00000011 11111111
    shl.b32 %r3, %r2, 2                                 ..00001111 11111100
    add.s32 %r4, %r1, %r3     no bit in common, so no carry

The masks of all writes of a register are joined; a loop that makes one grow gives it all its bits
above the lowest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod

from bankwise.read.ptx.operands import integer, registers
from bankwise.read.ptx.parse import BYTES, PtxKernel, Statement

_ALL = (1 << 64) - 1
_ROUNDS = 6
"""Of exact masks; from then on what still grows has all bits above its lowest."""
_SPECIALS = {"%tid.x": 0x3FF, "%tid.y": 0x3FF, "%tid.z": 0x3F, "%laneid": 0x1F}
"""A block has 1,024 threads at most, 64 of them along z (CUDA programming guide, compute
capabilities)."""

Masks = Mapping[str, int]
"""By register, the bits that may be set."""


def possible_bits(kernel: PtxKernel, symbols: Mapping[str, int]) -> Masks:
    """The masks of all registers that a kernel writes. ``symbols``: the alignment of each
    variable."""
    writes = [(_mask(one), _results(one)) for one in kernel.statements]
    masks = {name: 0 for _, names in writes for name in names}
    known = _SPECIALS | dict(_threads(kernel))
    known |= {name: 0xFFFFFFFF & -size for name, size in symbols.items()}

    def operand(text: str) -> int:
        return masks[text] if text in masks else known.get(text, _ALL)

    changed, rounds = True, 0
    while changed:
        changed, rounds = False, rounds + 1
        for written, names in writes:
            for name in names:
                if masks[name] == _ALL:
                    continue
                after = masks[name] | written(operand)
                if after != masks[name]:
                    masks[name] = after if rounds < _ROUNDS else _from(after)
                    changed = True
    return masks


def _threads(kernel: PtxKernel) -> Iterator[tuple[str, int]]:
    """Of threads in the block that the text demands; a bound is one of their product."""
    size = kernel.workgroup_size or ()
    for axis, count in zip("xyz", size, strict=False):
        most = min(prod(size) if kernel.bounded else count, 1 << 10)
        yield f"%tid.{axis}", (1 << (most - 1).bit_length()) - 1


def _results(one: Statement) -> tuple[str, ...]:
    """The registers that the first operand names; those of an address are only read."""
    if not one.operands or "[" in one.operands[0]:
        return ()
    return registers(one.operands[0])


def _from(mask: int) -> int:
    """All bits from the lowest on."""
    return _ALL & -(mask & -mask) if mask else 0


def _bits(kind: str) -> int:
    return 8 * BYTES.get(kind, 8)


_Operand = Callable[[str], int]
"""The mask of what is no number."""


def _mask(one: Statement) -> Callable[[_Operand], int]:
    """What one statement may write, of the masks of its operands: as far as they do not decide it,
    it is decided here, once."""
    words, kind = one.parts, one.parts[-1]
    ones = (1 << _bits(kind)) - 1
    rule = _RULES.get(words[0])
    if rule is None or "{" in "".join(one.operands) or kind not in BYTES or "hi" in words:
        return _anything
    texts = (*one.operands[1:], "?", "?", "?")[:3]
    numbers = [integer(text) for text in texts]
    if words[0] == "cvt":
        return lambda operand: _converted(_given(operand, texts, numbers)[0], words[-2], kind)
    wide, signed = "wide" in words, kind[0] == "s"
    if words[0] == "bfe" and signed:
        return _anything
    extends = _bits(kind) if signed and (wide or words[0] == "shr") else 0
    cuts = 2 if wide else 3

    def written(operand: _Operand) -> int:
        given = _given(operand, texts, numbers)
        cut = [*(n & ones for n in given[:cuts]), *given[cuts:]]
        if extends:
            cut[:2] = [_extended(n, extends) for n in cut[:2]]
        return rule(cut, numbers) & (_ALL if wide else ones)

    return written


def _anything(_: _Operand) -> int:
    return _ALL


def _given(operand: _Operand, texts: Sequence[str], numbers: _Numbers) -> list[int]:
    """The masks of the operands."""
    return [
        operand(text) if number is None else number & _ALL
        for text, number in zip(texts, numbers, strict=True)
    ]


def _extended(mask: int, bits: int) -> int:
    """With the sign in all bits above, where it may be set."""
    return mask | (_ALL & -(1 << bits)) if mask >> (bits - 1) & 1 else mask


def _converted(mask: int, to: str, source: str) -> int:
    if to not in BYTES or source not in BYTES or to[0] not in "usb" or source[0] not in "usb":
        return _ALL
    cut = mask & (1 << _bits(source)) - 1
    return (_extended(cut, _bits(source)) if source[0] == "s" else cut) & (1 << _bits(to)) - 1


def _sum(a: int, b: int) -> int:
    """A carry begins at the lowest bit that both may have, and ends below the sum of the most."""
    both = a & b
    if not both:
        return a | b
    low = both & -both
    return (a | b) & (low - 1) | (1 << (a + b).bit_length()) - 1 & -low


def _product(a: int, b: int) -> int:
    low = (a & -a) * (b & -b)
    return (1 << (a * b).bit_length()) - 1 & -low if low else 0


_Numbers = Sequence[int | None]


def _left(given: Sequence[int], numbers: _Numbers) -> int:
    by = numbers[1]
    return _from(given[0]) if by is None else given[0] << by if 0 <= by < 64 else 0


def _right(given: Sequence[int], numbers: _Numbers) -> int:
    by = numbers[1]
    return _ALL if by is None or not 0 <= by < 32 else given[0] >> by


def _field(given: Sequence[int], numbers: _Numbers) -> int:
    _, place, count = numbers
    if place is None or count is None or not (0 <= place < 32 and 0 <= count <= 32):
        return _ALL
    return given[0] >> place & (1 << count) - 1


_RULES: Mapping[str, Callable[[Sequence[int], _Numbers], int]] = {
    "mov": lambda v, n: v[0],
    "cvt": lambda v, n: v[0],
    "add": lambda v, n: _sum(v[0], v[1]),
    "sub": lambda v, n: _from(v[0] | v[1]),
    "mul": lambda v, n: _product(v[0], v[1]),
    "mad": lambda v, n: _sum(_product(v[0], v[1]), v[2]),
    "and": lambda v, n: v[0] & v[1],
    "or": lambda v, n: v[0] | v[1],
    "xor": lambda v, n: v[0] | v[1],
    "shl": _left,
    "shr": _right,
    "bfe": _field,
    "selp": lambda v, n: v[0] | v[1],
    "min": lambda v, n: v[0] | v[1],
    "max": lambda v, n: v[0] | v[1],
}
"""From the masks of the operands, and the numbers that they are."""
