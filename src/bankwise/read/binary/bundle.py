"""Clang's offload bundles: code objects of several GPUs in one file, also compressed.

    __CLANG_OFFLOAD_BUNDLE__    count, then offset, size and name of each entry
    CCOB                        version, method, sizes, hash, and such a bundle, packed

A section of a HIP library holds one behind the other, filled up with zeros. Source: Clang
documentation, "Clang Offload Bundler", bundled code object layout; the header of compressed ones
(versions 1 to 3): LLVM, ``clang/lib/Driver/OffloadBundler.cpp``.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

from bankwise.read.binary.blob import Blob
from bankwise.read.extra import extra

MARK, PACKED = b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB"
_SIZES = {1: ("", "<I", 20), 2: ("<I", "<I", 24), 3: ("<Q", "<Q", 32)}
"""Of each version: how its own size and the size of what it holds are written; bytes in all."""
_MOST_ENTRIES = 4096
_NEXT = re.compile(b"[^\0]")


def members(blob: Blob) -> Iterator[tuple[str, Blob]]:
    """Target and bytes of every entry of all bundles, one behind the other."""
    at = 0
    while (found := _NEXT.search(blob.data, at)) is not None:
        at = found.start()
        rest = blob.part(at, len(blob) - at, "a bundle")
        if rest.begins(PACKED):
            bundle, size = _unpacked(rest)
            yield from _entries(bundle)[0]
        elif rest.begins(MARK):
            entries, size = _entries(rest)
            yield from entries
        else:
            raise blob.broken(at, "no offload bundle begins here")
        at += size


def _entries(blob: Blob) -> tuple[list[tuple[str, Blob]], int]:
    """The entries of one bundle, and where it ends."""
    (count,) = blob.unpack("<Q", len(MARK), "the number of entries")
    if count > _MOST_ENTRIES:
        raise blob.broken(len(MARK), f"{count:,} entries in a bundle")
    at, found = len(MARK) + 8, []
    end = at
    for _ in range(count):
        start, size, length = blob.unpack("<QQQ", at, "an entry")
        name = bytes(blob.part(at + 24, length, "the name of an entry").data)
        at += 24 + length
        body = blob.part(start, size, "an entry")
        end = max(end, at, start + size)
        if size:
            found.append((name.decode("utf-8", "replace"), body))
    return found, end


def _unpacked(blob: Blob) -> tuple[Blob, int]:
    """The bundle in a compressed one, and how many bytes that takes."""
    version, method = blob.unpack("<HH", 4, "the header of a compressed bundle")
    if version not in _SIZES:
        raise blob.broken(4, f"version {version} of a compressed bundle is not known")
    whole, inner, start = _SIZES[version]
    size = blob.unpack(whole, 8, "the size")[0] if whole else len(blob)
    (claimed,) = blob.unpack(inner, start - 8 - (8 if version == 3 else 4), "the size")
    body = blob.part(start, size - start, "a compressed bundle")
    methods = {0: _zlib, 1: zstd}
    if method not in methods:
        raise blob.broken(6, f"method {method} of compression is not known")
    return body.unpacked(claimed, "a compressed bundle", methods[method]), size


def _zlib(data: bytes, size: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, size + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from error


def zstd(data: bytes, size: int) -> bytes:
    """What was packed by Zstandard, at most one byte more than ``size``."""
    zstandard = extra("zstandard", "binary")
    try:
        reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(data)
        return bytes(reader.read(size + 1))
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error


def target_of(name: str) -> str:
    """``gfx942`` of ``hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-``; "" for the host."""
    found = re.search(r"-(gfx\w+)(?::|$)", name)
    return found[1] if found else ""
