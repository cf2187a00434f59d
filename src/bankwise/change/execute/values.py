"""Values of a kernel as numpy arrays: one row per thread, the bits of the MLIR type.

Every SSA value is an array ``[threads, *vector shape]``; a value that is the same for all threads
may have one row (``[1, ...]``), which numpy broadcasts. What a row holds:

* f16, f32, f64: the numpy type of that width;
* bf16 and the 8-bit floats: their **bits**, as uint16 or uint8, in registers and in buffers alike.
  Arithmetic decodes to float32, computes, and rounds back to nearest even; moving never converts.
* integers and index: int64 holding the sign-extended value (i1: 0 or 1); in buffers int8 to int64.

Formats of the 8-bit floats: LLVM's ``APFloat.h`` (``Float8E4M3FN`` and its neighbours). A value too
large for a format becomes infinity, or NaN where the format has no infinity, as ``arith.truncf``
does when it is folded.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from iree.compiler import ir
from msgspec import Struct

from bankwise.errors import InputError, Location
from bankwise.read.integers import wrap

Array = npt.NDArray[Any]
BitFormat = Literal["ieee", "fn", "fnuz"]

_EIGHT_BIT: dict[str, tuple[int, int, BitFormat]] = {
    # name: (mantissa bits, exponent bias, how infinities and NaN are coded)
    "f8E4M3FN": (3, 7, "fn"),
    "f8E4M3FNUZ": (3, 8, "fnuz"),
    "f8E5M2": (2, 15, "ieee"),
    "f8E5M2FNUZ": (2, 16, "fnuz"),
}
_NATIVE = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
_INTEGER = {8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}


class Element(Struct, frozen=True):
    """An element type. ``storage`` is what buffers (and, for floats, registers) hold."""

    name: str
    bits: int
    storage: np.dtype[Any]
    kind: Literal["native", "coded", "integer"]

    def __str__(self) -> str:
        return self.name

    @property
    def bytes(self) -> int:
        """Bytes of one element in memory; i1 takes one."""
        return max(1, self.bits // 8)


def element(kind: ir.Type, location: Location | None = None) -> Element:
    """The element type of a scalar, vector or memref type.

    Raises :class:`InputError` for a type that has no value here (tokens, 4-bit floats, ...).
    """
    name = str(kind.element_type if hasattr(kind, "element_type") else kind)
    found = _element(name)
    if found is None:
        raise InputError(
            f"the element type {name} cannot be executed",
            location=location,
            hint="f16, f32, f64, bf16, the four 8-bit floats and integers up to 64 bits can",
        )
    return found


@cache
def _element(name: str) -> Element | None:
    if name in _NATIVE:
        storage = np.dtype(_NATIVE[name])
        return Element(name, storage.itemsize * 8, storage, "native")
    if name == "bf16":
        return Element(name, 16, np.dtype(np.uint16), "coded")
    if name in _EIGHT_BIT:
        return Element(name, 8, np.dtype(np.uint8), "coded")
    if name == "index":
        return Element(name, 64, np.dtype(np.int64), "integer")
    if name[:1] == "i" and name[1:].isdigit() and int(name[1:]) <= 64:
        bits = int(name[1:])
        holder = next(width for width in _INTEGER if bits <= width)
        return Element(name, bits, np.dtype(_INTEGER[holder]), "integer")
    return None


def shape(kind: ir.Type) -> tuple[int, ...]:
    """The static shape of a vector type; ``()`` for a scalar type."""
    return tuple(ir.VectorType(kind).shape) if isinstance(kind, ir.VectorType) else ()


def numbers(of: Element, bits: Array) -> Array:
    """The numbers that registers of type ``of`` hold: float32 for the coded floats."""
    return bits if of.kind != "coded" else _table(of.name)[bits]


def rounded(of: Element, values: Array) -> Array:
    """Numbers as registers of the float type ``of`` hold them, rounded to nearest even."""
    if of.kind == "coded":
        narrow = np.asarray(values, np.float32)
        return _to_bfloat16(narrow) if of.name == "bf16" else _to_eight_bits(of.name, narrow)
    return np.asarray(values, of.storage)


def to_memory(of: Element, registers: Array) -> Array:
    """Registers as a buffer holds them."""
    return registers.astype(of.storage) if of.kind == "integer" else registers


def to_registers(of: Element, stored: Array) -> Array:
    """What a buffer holds, as registers."""
    return wrap(stored.astype(np.int64), of.bits) if of.kind == "integer" else stored


def arithmetic(of: Element, function: Callable[..., Any]) -> Callable[..., Array]:
    """``function`` of numbers, as a function of registers of the float type ``of``."""
    if of.kind == "native":
        return lambda *operands: np.asarray(function(*operands), of.storage)
    return lambda *operands: rounded(of, function(*(numbers(of, x) for x in operands)))


def rows(values: Array, threads: int) -> Array:
    """The same value with one row per thread (a view)."""
    return np.broadcast_to(values, (threads, *values.shape[1:]))


@cache
def _table(name: str) -> Array:
    """The number behind every bit pattern of a coded float, float32."""
    if name == "bf16":
        return (np.arange(1 << 16, dtype=np.uint32) << 16).view(np.float32)
    mantissa_bits, bias, style = _EIGHT_BIT[name]
    code = np.arange(128)
    exponent, mantissa = code >> mantissa_bits, code & ((1 << mantissa_bits) - 1)
    fraction = mantissa / (1 << mantissa_bits)
    normal = (1 + fraction) * 2.0 ** (exponent - bias)
    positive = np.where(exponent == 0, fraction * 2.0 ** (1 - bias), normal)
    if style == "fn":
        positive[127] = np.nan
    if style == "ieee":
        top = exponent == exponent.max()
        positive[top] = np.where(mantissa[top] == 0, np.inf, np.nan)
    both = np.concatenate([positive, -positive]).astype(np.float32)
    if style == "fnuz":
        both[128] = np.nan
    return both


def _to_bfloat16(values: Array) -> Array:
    bits = np.ascontiguousarray(values).view(np.uint32)
    carry = np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    quiet = (bits >> np.uint32(16)) | np.uint32(0x40)
    return np.where(np.isnan(values), quiet, (bits + carry) >> np.uint32(16)).astype(np.uint16)


def _to_eight_bits(name: str, values: Array) -> Array:
    positive = _table(name)[:128].astype(np.float64)
    finite = positive[np.isfinite(positive)]
    half = (finite[-1] - finite[-2]) / 2
    middles = np.append((finite[1:] + finite[:-1]) / 2, finite[-1] + half)
    size = np.abs(values.astype(np.float64))
    code = np.searchsorted(middles, size, side="left")
    odd_tie = (size == middles[np.minimum(code, len(middles) - 1)]) & (code % 2 == 1)
    code = code + odd_tie
    style = _EIGHT_BIT[name][2]
    nan = 128 if style == "fnuz" else 127
    overflow = len(finite) if style == "ieee" else nan
    code = np.where(code >= len(finite), overflow, code)
    negative = np.signbit(values) & ((code > 0) | (style != "fnuz")) & (code < 128)
    code = code + 128 * negative
    return np.where(np.isnan(values), nan, code).astype(np.uint8)
