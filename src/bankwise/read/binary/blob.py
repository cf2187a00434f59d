"""Bytes of a file with the place where they stand in it: what parsers of containers read.

Every number of a file is checked against the bytes that are there; what does not fit is one
:class:`InputError` with the place.
"""

from __future__ import annotations

import mmap
import os
import stat
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bankwise.errors import InputError, Location
from bankwise.files import read_bytes

MOST_BYTES = 1 << 30
"""Of one member when it is unpacked: what a compressed file may ask of the memory."""


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes of ``file``, the first of them at ``offset``: in the file itself, or, ``inside`` a
    compressed part, in what was unpacked of it."""

    file: str
    data: memoryview = field(repr=False, compare=False)
    offset: int = 0
    inside: str = ""

    def __len__(self) -> int:
        return len(self.data)

    def part(self, start: int, size: int, what: str) -> Blob:
        """``size`` bytes from ``start``; :class:`InputError` if they are not there."""
        if start < 0 or size < 0 or start + size > len(self.data):
            raise self.broken(start, f"{what} of {size:,} bytes ends behind the {len(self):,} here")
        return Blob(self.file, self.data[start : start + size], self.offset + start, self.inside)

    def unpack(self, form: str, start: int, what: str) -> tuple[int, ...]:
        """Numbers, as :mod:`struct` reads them."""
        part = self.part(start, struct.calcsize(form), what)
        return struct.unpack(form, part.data)

    def begins(self, mark: bytes, start: int = 0) -> bool:
        """Whether ``mark`` stands at ``start``."""
        return bytes(self.data[start : start + len(mark)]) == mark

    def word(self, start: int, end: bytes = b"\0") -> str:
        """A text up to ``end``."""
        return bytes(self.data[start : start + 4096]).partition(end)[0].decode("utf-8", "replace")

    def broken(self, at: int, why: str) -> InputError:
        """What to say of bytes that mean nothing."""
        where = f"byte {self.offset + max(at, 0):#x}{f' of {self.inside}' if self.inside else ''}"
        return InputError(
            f"{where}: {why}",
            location=Location(self.file),
            hint="the file is cut off or damaged: copy it, or build it, again",
        )

    def unpacked(self, size: int, what: str, decompress: Callable[[bytes, int], bytes]) -> Blob:
        """What ``decompress`` makes of these bytes: ``size`` bytes, no more and no fewer."""
        if size > MOST_BYTES:
            raise self.broken(0, f"{what} claims {size:,} bytes; {MOST_BYTES:,} are the most read")
        try:
            data = decompress(bytes(self.data), size)
        except (ValueError, IndexError) as error:
            raise self.broken(0, f"{what} cannot be unpacked: {error}") from error
        if len(data) != size:
            raise self.broken(0, f"{what} has {len(data):,} bytes, not the {size:,} it claims")
        return Blob(self.file, memoryview(data), 0, f"{what} at {self.offset:#x}")


def open_blob(path: str | Path) -> Blob:
    """A file as it stands on disk, mapped and not read; a pipe is read."""
    try:
        found = os.stat(path) if str(path) != "-" else None
        if found is not None and stat.S_ISREG(found.st_mode) and found.st_size:
            with open(path, "rb") as file:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            return Blob(str(path), memoryview(mapped))
    except (OSError, ValueError):
        pass  # read_bytes has the words
    return Blob(str(path), memoryview(read_bytes(path)))
