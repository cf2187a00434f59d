"""Zip files: wheels, and folders that somebody packed.

Of each file in it the first bytes are unpacked; the rest only if they say that it may hold code for
a GPU. Source of the format: PKWARE, APPNOTE.TXT; Python's zipfile reads it.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator

from bankwise.read.binary.blob import MOST_BYTES, Blob
from bankwise.read.binary.elf import BlobStream, reading

MARK = b"PK\x03\x04"
_FIRST = 64
"""Bytes that tell what a file is."""
_ENCRYPTED = 1

Unpack = Callable[[], Blob]


def members(blob: Blob, wanted: Callable[[bytes], bool]) -> Iterator[tuple[str, Unpack]]:
    """Name of each file whose first bytes are ``wanted``, and what unpacks it."""
    with reading(blob, "zip file"):
        packed = zipfile.ZipFile(io.BufferedReader(BlobStream(blob)))
        entries = [one for one in packed.infolist() if not one.flag_bits & _ENCRYPTED]
    for entry in entries:
        unpack = _unpacking(blob, packed, entry)
        if _begins(packed, entry, wanted):
            yield entry.filename, unpack


def _begins(
    packed: zipfile.ZipFile, entry: zipfile.ZipInfo, wanted: Callable[[bytes], bool]
) -> bool:
    """Whether a file is wanted; one that cannot be read is, and whoever unpacks it is told why."""
    try:
        with packed.open(entry) as stream:
            return wanted(stream.read(_FIRST))
    except Exception:  # zipfile raises what its decompressors do
        return True


def _unpacking(blob: Blob, packed: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Unpack:
    def unpack() -> Blob:
        if entry.file_size > MOST_BYTES:
            claims = f"{entry.filename} claims {entry.file_size:,} bytes"
            raise blob.broken(entry.header_offset, f"{claims}; {MOST_BYTES:,} are the most read")
        with reading(blob, "zip file", entry.header_offset), packed.open(entry) as stream:
            data = stream.read(MOST_BYTES)
        return Blob(blob.file, memoryview(data), 0, entry.filename)

    return unpack
