"""Which bits of an address came out of an XOR: arrays that remember, at no cost to others.

A *swizzled* bit is one in which an XOR combined two things: it differs between threads in one
operand, and the other may have it set. A buffer toggle (``v ^ 0x2000``, the bit equal in all
threads) and an XOR that only joins separate bits are none. The mark travels with the bits through
masks, sums and shifts by a constant:

    x ^ (x >> 3 & 0x70)     bits 4-6 marked
    .. << 1                 bits 5-7
    .. & 0x20               bit 5
    .. + 0x1000             the same: where a carry may go is judged at the access

Whatever else is computed from a marked array forgets the mark: a rule that asks for marks may stay
silent, it never invents one.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_KEEP = (np.bitwise_or, np.bitwise_xor, np.add, np.subtract)
_WORD = 0xFFFFFFFF


class Marked(np.ndarray[Any, np.dtype[Any]]):
    """An array whose bits ``xored`` (an integer of 32 bits) came out of an XOR."""

    xored: int = 0

    def __array_finalize__(self, source: Any) -> None:
        """Views, slices and conversions keep the mark."""
        self.xored = getattr(source, "xored", 0)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Compute as a plain array; mark the result where its bits are still those of the XOR."""
        if method == "__call__" and ufunc in _KEEP and len(inputs) == 2 and not options:
            first, second = inputs
            return _mark(ufunc(_unmarked(first), _unmarked(second)), xored(first) | xored(second))
        plain = tuple(map(_unmarked, inputs))
        result = getattr(ufunc, method)(*plain, **options)
        bits = _after(ufunc, inputs) if method == "__call__" else 0
        return marked(result, bits) if isinstance(result, np.ndarray) else result

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        """A choice keeps the marks of what it chooses from; nothing else keeps any."""
        result = super().__array_function__(function, types, inputs, options)
        if function is np.where and len(inputs) == 3:
            return marked(result, xored(inputs[1]) | xored(inputs[2]))
        return result


def _unmarked(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, Marked) else value


def _mark(result: Any, bits: int) -> Any:
    """The common case of :func:`marked`: an array of integers, a mark that is there."""
    out = result.view(Marked)
    out.xored = bits
    return out


def behind(array: Array, distance: np.uint32) -> Array:
    """``array + distance``, which keeps the mark; without asking numpy how."""
    if isinstance(array, Marked):
        return cast("Array", _mark(array.view(np.ndarray) + distance, array.xored))
    return array + distance


def xored(value: object) -> int:
    """The marked bits of a value."""
    return value.xored if isinstance(value, Marked) else 0


def marked(array: Array, bits: int) -> Array:
    """``array`` with the mark ``bits``; a plain array if there is none."""
    plain = np.asarray(array)
    if not bits or plain.dtype == np.bool_:
        return plain
    out = plain.view(Marked)
    out.xored = bits & _WORD
    return out


def swizzle(a: Array, b: Array, result: Array) -> Array:
    """``result``, an XOR of ``a`` and ``b``, with the bits marked that it swizzled."""
    if a.dtype == np.bool_:
        return result
    new = varying(a) & may_be_set(b) | varying(b) & may_be_set(a)
    return marked(result, new | xored(a) | xored(b))


def varying(a: Array) -> int:
    """The bits that differ between threads."""
    if a.size == 1:
        return 0
    plain = np.asarray(a)
    return int(np.bitwise_or.reduce(plain ^ plain.flat[0], axis=None)) & _WORD


def may_be_set(a: Array) -> int:
    """The bits that are set in some thread."""
    if a.size == 1:
        return int(a.item()) & _WORD
    return int(np.bitwise_or.reduce(np.asarray(a), axis=None)) & _WORD


def _after(ufunc: Any, inputs: tuple[Any, ...]) -> int:
    """The mark of a result."""
    if ufunc is np.invert:
        return xored(inputs[0])
    if len(inputs) != 2:
        return 0
    first, second = (xored(x) for x in inputs)
    if ufunc in _KEEP:
        return first | second
    if ufunc is np.bitwise_and:
        return first & may_be_set(inputs[1]) | second & may_be_set(inputs[0])
    if second or ufunc not in (np.left_shift, np.right_shift):
        return 0
    counts = np.asarray(inputs[1])
    count = int(counts.flat[0])
    if not 0 <= count < 64 or (counts.size > 1 and (counts != count).any()):
        return 0
    return first << count if ufunc is np.left_shift else first >> count
