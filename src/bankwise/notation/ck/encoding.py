"""CK tile's tile distribution: which warp, lane and register holds which element of a tile.

A ``tile_distribution_encoding`` splits every tile dimension into factors, and says which factors
number the warps, the lanes, and the registers of a thread:

1. the warp id, then the lane id, are split over the lengths of the factors listed for them, the
   last listed fastest;
2. every register dimension is one factor, the last register dimension fastest;
3. tile coordinate j is the mixed-radix number of its factors, factor 0 slowest. Factors of the
   replication belong to no coordinate: lanes that differ there hold the same element.

Semantics: include/ck_tile/core/tensor at ROCm/composable_kernel@8e22e1ae.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd, prod

import numpy as np
from msgspec import Struct

from bankwise.counting.access import IntArray
from bankwise.errors import InputError
from bankwise.notation.ck.descriptor import Indices, TensorDescriptor, sequence, sequences
from bankwise.notation.ck.transforms import digits, dot, row_major
from bankwise.notation.values import MAX_POINTS


class Encoding(Struct, frozen=True):
    """A ``tile_distribution_encoding``. Factors are (major, minor): major 0 is ``replication``,
    major j >= 1 is ``factors[j - 1]``.

    ``parts_major``, ``parts_minor``: the factors of warp id and lane id (of the lane id alone if
    there is one). ``registers_major``, ``registers_minor``: one factor for every register
    dimension. Every factor has exactly one owner, or an :class:`InputError` names it.
    """

    replication: tuple[int, ...]
    factors: Indices
    parts_major: Indices
    parts_minor: Indices
    registers_major: tuple[int, ...]
    registers_minor: tuple[int, ...]

    def __post_init__(self) -> None:
        _check_encoding(self)

    @property
    def shape(self) -> tuple[int, ...]:
        """The tile, in elements."""
        return tuple(prod(lengths) for lengths in self.factors)

    @property
    def waves(self) -> int:
        """Warps that share the tile."""
        parts = _parts(self)
        return prod(self.length(f) for f in parts[0]) if len(parts) == 2 else 1

    @property
    def lanes(self) -> int:
        """Lanes of a warp."""
        return prod(self.length(f) for f in _parts(self)[-1])

    @property
    def registers(self) -> int:
        """Elements per lane."""
        return prod(self.length(f) for f in _registers(self))

    def length(self, factor: tuple[int, int]) -> int:
        """The length of a factor (major, minor)."""
        return (self.replication, *self.factors)[factor[0]][factor[1]]

    def coordinates(self) -> IntArray:
        """Element coordinates, int64 [waves, lanes, registers, rank]."""
        return _coordinates(self)

    def __str__(self) -> str:
        return (
            f"tile_distribution_encoding<{sequence(self.replication)}, "
            f"{sequences('tuple<', self.factors, '', '>')}, "
            f"{sequences('tuple<', self.parts_major, '', '>')}, "
            f"{sequences('tuple<', self.parts_minor, '', '>')}, "
            f"{sequence(self.registers_major)}, {sequence(self.registers_minor)}>"
        )


@lru_cache(16)
def _coordinates(encoding: Encoding) -> IntArray:
    """Those of a few encodings are kept: many layouts are tried for each."""
    shape = (encoding.waves, encoding.lanes, encoding.registers)
    wave, lane, register = np.indices(shape, dtype=np.int64)
    parts = _parts(encoding)
    ids = (wave, lane) if len(parts) == 2 else (lane,)
    value: dict[tuple[int, int], IntArray] = {}
    for given, owned in zip((*ids, register), (*parts, _registers(encoding)), strict=True):
        value.update(
            zip(owned, digits(given, [encoding.length(f) for f in owned] or [1]), strict=False)
        )
    axes = [
        dot([value[major, minor] for minor in range(len(lengths))], row_major(lengths))
        for major, lengths in enumerate(encoding.factors, 1)
    ]
    found = np.stack(axes, axis=-1)
    found.flags.writeable = False
    return found


def short(encoding: Encoding) -> str:
    """The encoding in one line: ``<1 | (1,4,16),(4,8) | (1),(1,2) | (1),(2,0) | 1,2 | 0,1>``."""

    def plain(values: tuple[int, ...]) -> str:
        return ",".join(map(str, values))

    def grouped(values: Indices) -> str:
        return ",".join(f"({plain(v)})" for v in values)

    middle = (encoding.factors, encoding.parts_major, encoding.parts_minor)
    last = (encoding.registers_major, encoding.registers_minor)
    parts = (plain(encoding.replication), *map(grouped, middle), *map(plain, last))
    return f"<{' | '.join(parts)}>"


def vector_length(encoding: Encoding, descriptor: TensorDescriptor) -> int:
    """Elements that CK moves at once: it follows guarantees, not addresses.

    The longest register dimension that is the fastest factor of a tile dimension with unit
    guaranteed stride, cut to what both lengths allow; 1 where nothing is guaranteed.
    """
    best = 1
    known = descriptor.guarantees()
    for major, minor in _registers(encoding):
        lengths = encoding.factors[major - 1] if major else ()
        if major and minor == len(lengths) - 1 and known[major - 1][1] == 1:
            best = max(best, gcd(known[major - 1][0], lengths[minor]))
    return best


def emitted(encoding: Encoding, descriptor: TensorDescriptor) -> tuple[int | None, str]:
    """(vector, policy) for :func:`bankwise.notation.accesses.accesses`: what is really emitted.

    With a guarantee CK issues vectors of it, whatever the alignment. Without one it issues
    scalars, and LLVM joins those that lie side by side as far as their alignment allows: an
    undefined vector under the policy of LLVM.
    """
    guaranteed = vector_length(encoding, descriptor)
    return (guaranteed, "ck") if guaranteed > 1 else (None, "iree")


def _parts(encoding: Encoding) -> list[list[tuple[int, int]]]:
    pairs = zip(encoding.parts_major, encoding.parts_minor, strict=True)
    return [list(zip(majors, minors, strict=True)) for majors, minors in pairs]


def _registers(encoding: Encoding) -> list[tuple[int, int]]:
    return list(zip(encoding.registers_major, encoding.registers_minor, strict=True))


def _check_encoding(encoding: Encoding) -> None:
    lengths = [n for group in (encoding.replication, *encoding.factors) for n in group]
    if not all(0 < n <= MAX_POINTS for n in lengths) or prod(lengths) > MAX_POINTS:
        raise InputError(f"factors {lengths} make no tile", hint="lengths are 1 and more")
    if not encoding.factors or not all(encoding.factors):
        raise InputError("a tile dimension without factors", hint="sequence<1> for a length of 1")
    shapes = [tuple(map(len, g)) for g in (encoding.parts_major, encoding.parts_minor)]
    registers = len(encoding.registers_major), len(encoding.registers_minor)
    if shapes[0] != shapes[1] or registers[0] != registers[1]:
        raise InputError("majors and minors come in pairs: as many of one as of the other")
    if len(encoding.parts_major) not in (1, 2):
        raise InputError(
            f"{len(encoding.parts_major)} partition dimensions",
            hint="one (lane id) or two (warp id, lane id)",
        )
    _check_owners(encoding)


def _check_owners(encoding: Encoding) -> None:
    groups = (encoding.replication, *encoding.factors)
    owned = [f for part in _parts(encoding) for f in part] + _registers(encoding)
    for major, minor in owned:
        if not (0 <= major < len(groups) and 0 <= minor < len(groups[major])):
            raise InputError(f"there is no factor {minor} of {_group(major)}")
    for factor in ((i, j) for i, group in enumerate(groups) for j in range(len(group))):
        times = owned.count(factor)
        free = factor[0] == 0 and encoding.replication == (1,) and not times
        if times != 1 and not free:
            raise InputError(
                f"factor {factor[1]} of {_group(factor[0])} has {times} owners",
                hint="each belongs to exactly one of warp id, lane id and registers",
            )


def _group(major: int) -> str:
    return f"tile dimension {major - 1}" if major else "the replication"
