"""Containers of machine code, written here byte by byte as their formats say."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence


def bundle(entries: Mapping[str, bytes]) -> bytes:
    """An offload bundle: mark, count, a row for each entry, their bytes."""
    names = [name.encode() for name in entries]
    start = 32 + sum(24 + len(name) for name in names)
    rows, body = b"", b""
    for name, data in zip(names, entries.values(), strict=True):
        rows += struct.pack("<QQQ", start + len(body), len(data), len(name)) + name
        body += data
    return b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(names)) + rows + body


def compressed(data: bytes, version: int, *, claimed: int | None = None) -> bytes:
    """A compressed bundle (zlib) of one of the three versions."""
    packed, size = zlib.compress(data), len(data) if claimed is None else claimed
    head = b"CCOB" + struct.pack("<HH", version, 0)
    if version == 1:
        return head + struct.pack("<IQ", size, 0) + packed
    if version == 2:
        return head + struct.pack("<IIQ", 24 + len(packed), size, 0) + packed
    return head + struct.pack("<QQQ", 32 + len(packed), size, 0) + packed


def fatbin_entry(
    kind: int, arch: int, data: bytes, flags: int = 0x11, size: int = 0, packed: int | None = None
) -> bytes:
    """One entry: 1 is PTX, 2 a cubin."""
    body = data + bytes(-len(data) % 8)
    count = len(data) if packed is None else packed
    head = struct.pack("<HHIQII", kind, 0x101, 64, len(body), count, 0)
    return head + struct.pack("<IIIIQQQ", 0x10008, arch, 64, 0, flags, 0, size) + body


def fatbin(*entries: bytes) -> bytes:
    """A fatbin of entries."""
    body = b"".join(entries)
    return b"\x50\xed\x55\xba" + struct.pack("<HHQ", 1, 16, len(body)) + body


def archive(files: Mapping[str, bytes]) -> bytes:
    """A GNU archive; names of more than 15 signs stand in a table."""
    long = "".join(f"{name}/\n" for name in files if len(name) > 15).encode()
    out = b"!<arch>\n" + (_member("//", long) if long else b"")
    for name, data in files.items():
        place = long.find(f"{name}/\n".encode())
        out += _member(f"/{place}" if len(name) > 15 else f"{name}/", data)
    return out


def _member(name: str, data: bytes) -> bytes:
    head = f"{name:<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(data):<10}`\n".encode()
    return head + data + b"\n" * (len(data) % 2)


def zip_file(files: Mapping[str, bytes]) -> bytes:
    """A zip file, packed, as a wheel is: the same bytes at any hour."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            member = zipfile.ZipInfo(name)  # without it the time of day is written
            packed.writestr(member, data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def host(sections: Sequence[tuple[str, bytes]]) -> bytes:
    """An ELF file for x86-64 with some sections."""
    names = b"\0" + b"".join(f"{name}\0".encode() for name, _ in sections) + b".shstrtab\0"
    body, rows = b"", [bytes(64)]
    for name, data in sections:
        at = names.index(f"{name}\0".encode())
        rows.append(struct.pack("<IIQQQQIIQQ", at, 1, 2, 0, 64 + len(body), len(data), 0, 0, 8, 0))
        body += data + bytes(-len(data) % 8)
    at = names.index(b".shstrtab\0")
    rows.append(struct.pack("<IIQQQQIIQQ", at, 3, 0, 0, 64 + len(body), len(names), 0, 0, 1, 0))
    body += names + bytes(-len(names) % 8)
    head = b"\x7fELF\x02\x01\x01" + bytes(9)
    numbers = (3, 62, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64, len(rows), len(rows) - 1)
    return head + struct.pack("<HHIQQQIHHHHHH", *numbers) + body + b"".join(rows)


def lz4_block(data: bytes) -> bytes:
    """A block of LZ4 with a match for every run of 8 equal bytes; the rest literally."""
    out, pending, at = b"", b"", 0
    while at < len(data):
        run = 1
        while at + run < len(data) and data[at + run] == data[at]:
            run += 1
        if run >= 8:
            pending += data[at : at + 1]
            out += _sequence(pending, run - 1)
            pending, at = b"", at + run
        else:
            pending += data[at : at + 1]
            at += 1
    return out + _sequence(pending, 0)


def _sequence(literals: bytes, match: int) -> bytes:
    short = min(15, len(literals)), min(15, match - 4) if match else 0
    out = bytes([short[0] << 4 | short[1]]) + _more(len(literals)) + literals
    return out + (b"\x01\x00" + _more(match - 4) if match else b"")


def _more(length: int) -> bytes:
    if length < 15:
        return b""
    rest = length - 15
    return b"\xff" * (rest // 255) + bytes([rest % 255])
