"""Memory of a simulated block: bytes of shared memory, words of everything else.

Addresses are those of a flat space with windows, as the hardware has it: the arguments that are
pointers lie far apart, shared and local memory have a window each. Global memory that nobody wrote
is a term of its address. Shared memory starts as a term of its address too, in another world for
each run: a kernel that reads what it never wrote shows it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from bankwise.change.simulate.terms import Values, mixed

SHARED, LOCAL, POINTERS = 1 << 56, 1 << 57, 1 << 40
"""Where the windows of shared and of local memory begin, and how far pointers lie apart."""

_WORD = 4
_REGION = np.uint64(26)
"""Bits of the number of a word in its region, which is far smaller than pointers lie apart."""


TOO_LONG = "takes more than"
"""What is said of a block that goes on for too long to be run."""


class Unsupported(Exception):  # noqa: N818 - what is said of it is no error of the kernel
    """What the simulation does not do; its text says what. ``outside``: shared memory is touched
    where no variable is."""

    outside = False


class Outside(Unsupported):
    """Bytes are touched that no variable has: data may decide where."""

    outside = True


ANY_WORD = 0xFFFFFFFF
"""The bits of a word of memory that nobody wrote, where nothing is asked of data."""


class Words(Struct, eq=False):
    """Memory by words of 4 bytes; ``salt`` tells one unwritten memory from another. ``bits``: those
    that a word may have which nobody wrote; ``regions``: pieces of it in which something is
    written."""

    salt: int
    bits: int = ANY_WORD
    written: dict[int, int] = field(default_factory=dict)
    regions: set[int] = field(default_factory=set)

    def cut(self, values: Values) -> Values:
        """Integers that are as small as its words."""
        return values if self.bits == ANY_WORD else values & np.uint64(self.bits)

    def load(self, addresses: Values, size: int) -> Values:
        """``size`` bytes (1, 2, 4 or 8) from each address."""
        if size == 8:
            high = self.load(addresses + np.uint64(_WORD), _WORD)
            return self.load(addresses, _WORD) | high << np.uint64(32)
        if _crosses(addresses, size):
            found = np.zeros(len(addresses), np.uint64)
            for n in range(size):
                found |= self.load(addresses + np.uint64(n), 1) << np.uint64(8 * n)
            return found
        at = addresses // np.uint64(_WORD)
        words = mixed(at ^ np.uint64(self.salt)) & np.uint64(self.bits)
        if self._is_written(at):
            known = [self.written.get(a) for a in at.tolist()]
            for n, one in enumerate(known):
                if one is not None:
                    words[n] = one
        shift = addresses % np.uint64(_WORD) * np.uint64(8)
        return words >> shift & np.uint64((1 << 8 * size) - 1)

    def store(self, addresses: Values, values: Values, size: int) -> None:
        """``size`` bytes to each address, the last thread's where several write one."""
        if size == 8:
            self.store(addresses, values & np.uint64(0xFFFFFFFF), _WORD)
            self.store(addresses + np.uint64(_WORD), values >> np.uint64(32), _WORD)
            return
        if _crosses(addresses, size):
            for n in range(size):
                byte = values >> np.uint64(8 * n) & np.uint64(255)
                self.store(addresses + np.uint64(n), byte, 1)
            return
        words = addresses // np.uint64(_WORD)
        self.regions.update((words >> _REGION).tolist())
        at = words.tolist()
        if size == _WORD:
            self.written.update(zip(at, values.tolist(), strict=True))
            return
        shifts = (addresses % np.uint64(_WORD) * np.uint64(8)).tolist()
        full = self.load(addresses - addresses % np.uint64(_WORD), _WORD).tolist()
        for word, old, shift, value in zip(at, full, shifts, values.tolist(), strict=True):
            now = self.written.get(word, old)
            mask = (1 << 8 * size) - 1 << shift
            self.written[word] = now & ~mask | value << shift & mask

    def _is_written(self, words: Values) -> bool:
        """Whether some of these words may be written."""
        if not self.regions or not len(words):
            return False
        first, last = int(words.min() >> _REGION), int(words.max() >> _REGION)
        return first != last or first in self.regions


def _crosses(addresses: Values, size: int) -> bool:
    """Whether some of so many bytes, at most a word, lie in the next word."""
    return bool((addresses % np.uint64(_WORD) + np.uint64(size) > _WORD).any())


_WHOLE = {2: "<u2", 4: "<u4", 8: "<u8"}


class Bytes(Struct, eq=False):
    """Shared memory of a block, or local memory of each thread: ``data`` is [rows, bytes]. ``own``:
    which bytes of a row are of variables; None if all are."""

    data: NDArray[np.uint8]
    own: NDArray[np.bool_] | None = None

    def load(self, rows: NDArray[np.int64], offsets: Values, size: int) -> Values:
        """``size`` bytes, at most 8, from an offset in a row each."""
        at = self._checked(offsets, size)
        whole = self._whole(at, size)
        if whole is not None:
            return whole[rows, at // size].astype(np.uint64)
        found = np.zeros(len(at), np.uint64)
        for n in range(size):
            found |= self.data[rows, at + n].astype(np.uint64) << np.uint64(8 * n)
        return found

    def store(self, rows: NDArray[np.int64], offsets: Values, values: Values, size: int) -> None:
        """``size`` bytes to an offset in a row each."""
        at = self._checked(offsets, size)
        whole = self._whole(at, size)
        if whole is not None:
            whole[rows, at // size] = values.astype(whole.dtype)
            return
        for n in range(size):
            self.data[rows, at + n] = values >> np.uint64(8 * n) & np.uint64(255)

    def _whole(self, at: NDArray[np.int64], size: int) -> NDArray[Any] | None:
        """The memory by words of ``size`` bytes, if all places are whole ones."""
        kind = _WHOLE.get(size)
        if kind is None or self.data.shape[1] % size or (at % size).any():
            return None
        return self.data.view(kind)

    def _checked(self, offsets: Values, size: int) -> NDArray[np.int64]:
        room = self.data.shape[1] - size
        beyond = offsets > np.uint64(room) if room >= 0 else np.ones_like(offsets, np.bool_)
        if beyond.any():
            first = int(offsets[beyond][0].astype(np.int64))
            raise Outside(f"byte {first} of {self.data.shape[1]} is touched: data may decide")
        at = offsets.astype(np.int64)
        if self.own is not None and not (self.own[at] & self.own[at + size - 1]).all():
            raise Outside("bytes behind or before a shared variable are touched: data may decide")
        return at


def poisoned(rows: int, size: int, salt: int) -> Bytes:
    """Memory whose bytes are terms of their places."""
    places = np.arange(rows * max(1, size), dtype=np.uint64)
    data = (mixed(places ^ np.uint64(salt)) & np.uint64(255)).astype(np.uint8)
    return Bytes(data.reshape(rows, max(1, size)))
