"""NVIDIA's fatbins: cubins and PTX of several GPUs, compressed or not.

A fatbin is a header of 16 bytes (mark, version, size of the header, size of the rest) and entries,
each with a header of its own; sections of a library hold one fatbin behind the other. No vendor
document describes it; layout and flags as the public decoders (cricket, ZLUDA) have them, and held
against ``cuobjdump`` on what nvcc 11 to 13 write. Older toolkits pack as LZ4 blocks, newer ones by
Zstandard.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from bankwise.read.binary.blob import Blob
from bankwise.read.binary.bundle import zstd
from bankwise.read.binary.lz4 import lz4

MARK = b"\x50\xed\x55\xba"
_PTX, _ELF = 1, 2
_LZ4, _ZSTD = 0x2000, 0x8000
_NEXT = re.compile(b"[^\0]")
_LEAST = 64
"""Bytes of an entry's header."""


class FatbinEntry(Struct, frozen=True):
    """One entry. ``target``: ``sm_90``; ``name``: of the source file, where it says one;
    ``packed``: its bytes as they stand in the file."""

    ptx: bool
    target: str
    name: str
    packed: Blob
    flags: int
    size: int

    def content(self) -> Blob:
        """Its bytes, unpacked."""
        what = f"{'PTX' if self.ptx else 'a cubin'} for {self.target}"
        if self.flags & _ZSTD:
            return self.packed.unpacked(self.size, what, zstd)
        if self.flags & _LZ4:
            return self.packed.unpacked(self.size, what, lz4)
        return self.packed


def members(blob: Blob) -> Iterator[FatbinEntry]:
    """The entries with code of all fatbins, one behind the other."""
    at = 0
    while (found := _NEXT.search(blob.data, at)) is not None:
        at = found.start()
        if not blob.begins(MARK, at):
            raise blob.broken(at, "no fatbin begins here")
        _, header, size = blob.unpack("<HHQ", at + 4, "the header of a fatbin")
        yield from _entries(blob.part(at + header, size, "a fatbin"))
        at += header + size


def _entries(blob: Blob) -> Iterator[FatbinEntry]:
    at = 0
    while at + _LEAST <= len(blob):
        kind, _, header, size = blob.unpack("<HHIQ", at, "an entry")
        packed, _, _, arch, _, length = blob.unpack("<IIIIII", at + 16, "an entry")
        (flags,) = blob.unpack("<Q", at + 40, "an entry")
        (whole,) = blob.unpack("<Q", at + 56, "an entry")
        if header < _LEAST:
            raise blob.broken(at, f"an entry with a header of {header} bytes")
        body = blob.part(at + header, size, "an entry")
        if kind in (_PTX, _ELF):
            bytes_ = body.part(0, packed, "an entry") if flags & (_LZ4 | _ZSTD) else body
            name = blob.word(at + _LEAST)[:length] if header > _LEAST else ""
            yield FatbinEntry(kind == _PTX, f"sm_{arch}", name, bytes_, flags, whole)
        at += header + size
