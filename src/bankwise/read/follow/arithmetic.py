"""Integer operations of GPUs on arrays of unsigned integers, named by what they compute.

Operands and results are uint32 unless a name says 64. Shift counts are taken modulo the width, as
AMD's instructions do; PTX, which clamps them, says so where it differs.
"""

from __future__ import annotations

import numpy as np

from bankwise.read.follow.marks import marked, may_be_set, swizzle, varying, xored
from bankwise.read.follow.values import Array

_U64 = np.uint64


def signed(a: Array) -> Array:
    """The same bits as a signed number."""
    return a.view(np.int32 if a.dtype == np.uint32 else np.int64)


def unsigned(a: Array) -> Array:
    """A signed number of any width as uint32."""
    return a.astype(np.int64).astype(np.uint32)


def shift_left(a: Array, n: Array) -> Array:
    """``a << (n mod width)``."""
    return np.left_shift(a, _count(a, n))


def shift_right(a: Array, n: Array) -> Array:
    """``a >> (n mod width)``, zeros from the left."""
    return np.right_shift(a, _count(a, n))


def shift_right_signed(a: Array, n: Array) -> Array:
    """``a >> (n mod width)``, the sign from the left."""
    return np.right_shift(signed(a), signed(_count(a, n))).view(a.dtype)


def _count(a: Array, n: Array) -> Array:
    mask = np.asarray(8 * a.dtype.itemsize - 1, a.dtype)
    return np.asarray(n.astype(a.dtype) & mask)


def low_ones(count: Array) -> Array:
    """``2 ** (count mod 32) - 1``."""
    one = np.uint32(1)
    return (one << (count & np.uint32(31))) - one


def extract(a: Array, start: Array, width: Array) -> Array:
    """``width`` bits of ``a`` from bit ``start``, both modulo 32; no bits give 0."""
    return shift_right(a, start) & low_ones(width)


def extract_signed(a: Array, start: Array, width: Array) -> Array:
    """As :func:`extract`, the highest bit repeated to the left."""
    bits = extract(a, start, width)
    wide = width & np.uint32(31)
    sign = np.where(wide > 0, np.uint32(1) << ((wide - np.uint32(1)) & np.uint32(31)), np.uint32(0))
    return ((bits ^ sign) - sign).astype(np.uint32)


def multiply_high(a: Array, b: Array) -> Array:
    """The upper 32 bits of an unsigned product."""
    return ((a.astype(_U64) * b.astype(_U64)) >> _U64(32)).astype(np.uint32)


def multiply_high_signed(a: Array, b: Array) -> Array:
    """The upper 32 bits of a signed product."""
    product = signed(a).astype(np.int64) * signed(b).astype(np.int64)
    return (product >> np.int64(32)).astype(np.int32).view(np.uint32)


def low24(a: Array) -> Array:
    """The lower 24 bits."""
    return a & np.uint32(0xFFFFFF)


def low24_signed(a: Array) -> Array:
    """The lower 24 bits with their sign."""
    return ((low24(a) ^ np.uint32(0x800000)) - np.uint32(0x800000)).astype(np.uint32)


def sign_extend(a: Array, bits: int) -> Array:
    """The lower ``bits`` bits with their sign."""
    top = np.uint32(1 << (bits - 1))
    low = a & np.uint32((1 << bits) - 1)
    return ((low ^ top) - top).astype(np.uint32)


def reverse(a: Array) -> Array:
    """The bits in the opposite order."""
    bits = np.unpackbits(a.astype("<u4")[..., None].view(np.uint8), axis=-1, bitorder="little")
    packed = np.packbits(bits[..., ::-1], axis=-1, bitorder="little")
    return np.ascontiguousarray(packed).view("<u4")[..., 0].astype(np.uint32)


def ones(a: Array) -> Array:
    """How many bits are set."""
    bits = np.unpackbits(a.astype("<u4")[..., None].view(np.uint8), axis=-1)
    return np.asarray(np.add.reduce(bits, axis=-1, dtype=np.uint32))


def lowest_one(a: Array) -> Array:
    """The position of the lowest set bit; all ones if there is none."""
    lowest = a & (~a + np.uint32(1))
    return np.where(a == 0, np.uint32(0xFFFFFFFF), ones(lowest - np.uint32(1))).astype(np.uint32)


def leading_zeros(a: Array) -> Array:
    """Zeros above the highest set bit; all ones if there is none."""
    return lowest_one(reverse(a))


def join(low: Array, high: Array) -> Array:
    """One uint64 of two uint32."""
    return low.astype(_U64) | (high.astype(_U64) << _U64(32))


def halves(a: Array) -> tuple[Array, Array]:
    """Two uint32 of one uint64: low, high."""
    return (a & _U64(0xFFFFFFFF)).astype(np.uint32), (a >> _U64(32)).astype(np.uint32)


def permute_bytes(low: Array, high: Array, selector: Array) -> list[Array]:
    """The four bytes that ``selector`` picks of the eight of ``join(low, high)``, by its low bits
    modulo 8; the caller treats the special selectors."""
    both = join(*np.broadcast_arrays(low, high))
    picked = []
    for at in range(4):
        index = (selector >> np.uint32(8 * at)).astype(_U64) & _U64(7)
        picked.append(((both >> (index * _U64(8))) & _U64(0xFF)).astype(np.uint32))
    return picked


def from_bytes(parts: list[Array]) -> Array:
    """One uint32 of four byte values, lowest first."""
    out = parts[0]
    for at, part in enumerate(parts[1:], 1):
        out = out | (part << np.uint32(8 * at))
    return out


def truth_table(a: Array, b: Array, c: Array, table: int) -> Array:
    """Bitwise: bit ``4 a + 2 b + c`` of ``table`` (PTX lop3, AMD bitop3)."""
    sources = tuple(np.asarray(x) for x in (a, b, c))
    out = (sources[0] & sources[1] & sources[2]) & np.uint32(0)
    for row in range(8):
        if table >> row & 1:
            picked = [x if row & 4 >> n else ~x for n, x in enumerate(sources)]
            out = out | picked[0] & picked[1] & picked[2]
    return marked(out, _table_marks((a, b, c), table))


def exclusive_or(a: Array, b: Array) -> Array:
    """Bitwise exclusive or, which marks the bits that it swizzles."""
    return swizzle(a, b, np.bitwise_xor(a, b))


def _table_marks(sources: tuple[Array, Array, Array], table: int) -> int:
    """The marks of a truth table: it is an XOR of products (its algebraic normal form).

    A bit is swizzled where one product differs between threads and another may be set.
    """
    plain = [np.asarray(x) for x in np.broadcast_arrays(*sources)]
    bits = [xored(x) for x in sources]
    kept, new, changing, settable = 0, 0, 0, 0
    for product in range(8):
        if not _coefficient(table, product):
            continue
        chosen = [n for n in range(3) if product & 4 >> n]
        ones = np.full_like(plain[0], 0xFFFFFFFF)
        value = np.bitwise_and.reduce([ones, *(plain[n] for n in chosen)], axis=0)
        new |= varying(value) & settable | may_be_set(value) & changing
        changing, settable = changing | varying(value), settable | may_be_set(value)
        kept |= int(np.bitwise_or.reduce([bits[n] for n in chosen] or [0])) & may_be_set(value)
    return new | kept


def _coefficient(table: int, product: int) -> int:
    """Whether a product of sources (as bits 4, 2, 1) occurs in the normal form of a table."""
    rows = [row for row in range(8) if row & product == row]
    return sum(table >> row & 1 for row in rows) & 1
