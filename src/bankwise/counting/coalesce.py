"""Global memory: how many transactions the addresses of one wave become, and which cache sets.

A wave names a byte offset per lane; the memory unit fetches every line that any of those bytes
lies in, once. ``lines`` counts them; ``useful / fetched`` is the efficiency. AMD fetches lines of
64 bytes (source: coalescing model of the CK tile tutorials), NVIDIA sectors of 32 bytes per
request. That is the definition of the count; what the caches behind it make of it is not modelled.

Worked example: 64 lanes read 16 bytes each, one behind the other. From an aligned start they touch
16 lines of 64 bytes; from byte 4, they touch 17, and every fourth lane straddles two.

The L1 of AMD's MI300 has 4 sets of 128-byte lines, chosen by address bits 8:7. A power-of-two
stride of 512 bytes or more keeps both bits: all accesses meet in one set. The buffer descriptor's
cache swizzle is the remedy; :func:`cache_swizzle` gives its stride operand and its limits.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from bankwise.counting.access import BoolArray, IntArray
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Machine
from bankwise.identity import ByIdentity

LINE_BYTES = {"amd": 64, "nvidia": 32}
"""Granularity of a global-memory transaction, by vendor: a line of 64 or a sector of 32 bytes."""

SWIZZLE_ENABLE = 0x4000
"""Bit 62 of a buffer descriptor, as it stands in the 16-bit stride operand (CDNA3 ISA)."""

SWIZZLE_LIMIT_BYTES = 8192
"""Largest cache swizzle stride that IREE and Triton call supported."""

_STRIDE_BITS = 14


class Coalesced(ByIdentity, frozen=True, eq=False):
    """Transactions of waves: integer arrays over the leading axes of the offsets.

    ``lines``: distinct lines; ``useful_bytes``: distinct bytes that some lane wants;
    ``straddling``: lanes whose bytes lie in more than one line.
    """

    line_bytes: int
    lines: IntArray
    useful_bytes: IntArray
    straddling: IntArray

    @property
    def fetched_bytes(self) -> IntArray:
        """Bytes of all touched lines."""
        return self.lines * self.line_bytes

    @property
    def efficiency(self) -> npt.NDArray[np.float64]:
        """Useful over fetched bytes; 1 for a wave without active lanes."""
        fetched = self.fetched_bytes
        return np.where(fetched > 0, self.useful_bytes / np.maximum(fetched, 1), 1.0)


class CacheSwizzle(Struct, frozen=True):
    """A buffer descriptor's cache swizzle.

    ``stride_bytes``: from one row to the next; ``operand``: the 16-bit stride operand of
    ``make.buffer.rsrc``; ``immediate``: the same stride as MLIR prints the i14
    ``cacheSwizzleStride`` (8192 is -8192); ``notes``: what to know before using it.
    """

    stride_bytes: int
    operand: int
    immediate: int
    notes: tuple[str, ...]


def coalesce(
    offsets_bytes: npt.ArrayLike,
    width_bytes: int,
    *,
    line_bytes: int,
    active: npt.ArrayLike | None = None,
) -> Coalesced:
    """Count the lines that waves touch.

    ``offsets_bytes``: integers [..., lanes], first byte of every lane; ``width_bytes``: contiguous
    bytes per lane; ``active``: booleans, broadcast against it. Raises :class:`InputError` for
    negative offsets, for sizes that are not positive, and for other shapes and types.
    """
    offsets, mask = _checked(offsets_bytes, active, width_bytes, line_bytes)
    flat, taking = offsets.reshape(-1, offsets.shape[-1]), mask.reshape(-1, offsets.shape[-1])
    lines = [_covered(o[a], width_bytes, line_bytes) for o, a in zip(flat, taking, strict=True)]
    useful = [_covered(o[a], width_bytes, 1) for o, a in zip(flat, taking, strict=True)]
    over = (flat // line_bytes != (flat + width_bytes - 1) // line_bytes) & taking
    shape = offsets.shape[:-1]
    return Coalesced(
        line_bytes,
        np.array(lines, np.int64).reshape(shape),
        np.array(useful, np.int64).reshape(shape),
        over.sum(axis=-1).reshape(shape),
    )


def cache_sets(machine: Machine, offsets_bytes: npt.ArrayLike) -> IntArray:
    """How many of the offsets fall into each set of the L1 cache, by address bits.

    Raises :class:`InputError` for a machine whose sets are not known.
    """
    sets, line = _sets(machine)
    offsets = np.asarray(offsets_bytes, np.int64)
    return np.bincount((offsets // line % sets).ravel(), minlength=sets)


def sets_of_stride(machine: Machine, stride_bytes: int) -> int:
    """How many L1 sets a walk with this stride ever reaches."""
    sets, line = _sets(machine)
    return int((cache_sets(machine, np.arange(sets * line) * stride_bytes) > 0).sum())


def cache_swizzle(stride_bytes: int) -> CacheSwizzle | Refusal:
    """The cache swizzle of rows ``stride_bytes`` apart; a Refusal where hardware has none.

    The field has 14 bits: compilers truncate to them, and 16384 becomes 0 with the enable bit
    set. Up to 8192 bytes is what IREE and Triton call supported. The set function under the
    swizzle is not public, so its effect is not computed.
    """
    if stride_bytes <= 0:
        return Refusal(f"a cache swizzle stride of {stride_bytes} bytes is not positive")
    if stride_bytes > SWIZZLE_LIMIT_BYTES:
        kept = stride_bytes % (1 << _STRIDE_BITS)
        lost = f"; the 14-bit field keeps {kept}" if kept != stride_bytes else ""
        return Refusal(
            f"a cache swizzle stride of {stride_bytes} bytes is above {SWIZZLE_LIMIT_BYTES}{lost}: "
            "pad the rows instead"
        )
    half = 1 << (_STRIDE_BITS - 1)
    immediate = stride_bytes - (1 << _STRIDE_BITS) if stride_bytes >= half else stride_bytes
    notes = [
        "the stride is in bytes: elements times their size",
        "no other access may reach the same memory: mixing gives wrong results",
    ]
    if stride_bytes & (stride_bytes - 1):
        notes.append("the stride is no power of two: plain addresses spread over the sets already")
    return CacheSwizzle(stride_bytes, stride_bytes | SWIZZLE_ENABLE, immediate, tuple(notes))


def swizzle_unit(given: int, row_elements: int, element_bytes: int) -> Refusal | None:
    """Whether a cache swizzle stride is that of the rows, in bytes; a Refusal says what it is."""
    wanted = row_elements * element_bytes
    if given == wanted:
        return None
    unit = " (that is elements)" if given == row_elements else ""
    return Refusal(
        f"cacheSwizzleStride {given}{unit} for rows of {row_elements} elements of "
        f"{element_bytes} bytes: {wanted} bytes"
    )


def _sets(machine: Machine) -> tuple[int, int]:
    """The number of L1 sets and the bytes of a line."""
    if "l1_sets" not in machine.facts or "l1_line_bytes" not in machine.facts:
        raise InputError(
            f"the L1 cache sets of {machine.name} are not documented",
            hint="they are for gfx942 and gfx950",
        )
    return int(machine.fact("l1_sets")), int(machine.fact("l1_line_bytes"))


def _covered(offsets: IntArray, width: int, line: int) -> int:
    """Distinct lines of [lanes] offsets; with lines of one byte, the distinct bytes."""
    starts = np.sort(offsets)
    first, last = starts // line, (starts + width - 1) // line
    begin = first.copy()
    begin[1:] = np.maximum(first[1:], last[:-1] + 1)
    return int(np.maximum(last - begin + 1, 0).sum())


def _checked(
    offsets_bytes: npt.ArrayLike, active: npt.ArrayLike | None, width: int, line: int
) -> tuple[IntArray, BoolArray]:
    offsets = np.asarray(offsets_bytes)
    if offsets.ndim == 0 or offsets.dtype.kind not in "iu":
        raise InputError(
            f"offsets are whole bytes [..., lanes], not {offsets.dtype} {offsets.shape}"
        )
    if width < 1 or line < 1:
        raise InputError(f"accesses of {width} bytes in lines of {line}", hint="both at least 1")
    mask = np.asarray(True if active is None else active)
    if mask.dtype != np.bool_:
        raise InputError(f"active lanes are booleans, not {mask.dtype}")
    try:
        taking = np.broadcast_to(mask, offsets.shape)
    except ValueError as error:
        raise InputError(f"active {mask.shape} does not fit offsets {offsets.shape}") from error
    if (offsets[taking] < 0).any():
        raise InputError(f"offset {int(offsets[taking].min())} lies before the allocation")
    return offsets.astype(np.int64, copy=False), taking
