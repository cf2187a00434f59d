"""ELF files, by pyelftools: what machine they are for, their sections, symbols and notes."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from bankwise.errors import InputError
from bankwise.read.binary.blob import Blob
from bankwise.read.extra import extra

MARK = b"\x7fELF"
CUDA, AMDGPU = 190, 224
"""Numbers of machines in the header of ELF."""
HIP_FATBIN = ".hip_fatbin"
HOST_SECTIONS = (".nv_fatbin", "__nv_relfatbin", HIP_FATBIN)
"""Where host programs keep code for GPUs. Of CUDA code that is linked (``-rdc``) the second has
what the first has linked."""
_NO_BITS = 8
_FUNCTION, _OBJECT = 2, 1


class ElfSymbol(Struct, frozen=True):
    """A symbol of an ELF file. ``index``: in its table; ``section``: where it is defined, 0 for
    none; ``value`` is an address, in a relocatable file a place in its section."""

    name: str
    index: int
    value: int
    size: int
    section: int
    function: bool
    other: int


def machine_of(blob: Blob) -> int:
    """The machine that an ELF file is for."""
    return blob.unpack("<H", 18, "the header of ELF")[0]


def opened(blob: Blob) -> Any:
    """pyelftools' file; what it cannot read is one :class:`InputError`."""
    elftools = extra("elftools.elf.elffile", "binary")
    with reading(blob):
        elf = elftools.ELFFile(io.BufferedReader(BlobStream(blob)))
        _check(blob, elf)
        return elf


class BlobStream(io.RawIOBase):
    """Bytes as a file, without a copy: a library may have a gigabyte."""

    def __init__(self, blob: Blob) -> None:
        self.data, self.at = blob.data, 0

    def readable(self) -> bool:
        """As a file has it."""
        return True

    def seekable(self) -> bool:
        """As a file has it."""
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """As a file has it."""
        self.at = max(0, offset + (0, self.at, len(self.data))[whence])
        return self.at

    def readinto(self, buffer: Any) -> int:
        """As a file has it."""
        part = self.data[self.at : self.at + len(buffer)]
        buffer[: len(part)] = part
        self.at += len(part)
        return len(part)


class reading:  # noqa: N801 - a context, as in `with reading(blob)`
    """Whatever a library raises about a forged file becomes one :class:`InputError`, at the byte
    ``at``."""

    def __init__(self, blob: Blob, what: str = "ELF file", at: int = 0) -> None:
        self.blob, self.what, self.at = blob, what, at

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, InputError):
            why = f"no whole {self.what}: {type(error).__name__} {error}".rstrip()
            raise self.blob.broken(self.at, why) from error


def _check(blob: Blob, elf: Any) -> None:
    """Every table and section lies in the file: counts of a header are not believed."""
    header = elf.header
    blob.part(header["e_shoff"], header["e_shentsize"] * header["e_shnum"], "the list of sections")
    for section in elf.iter_sections():
        if section["sh_type"] != "SHT_NOBITS":
            blob.part(section["sh_offset"], section["sh_size"], f"section {section.name!r}")


def gpu_sections(blob: Blob) -> Iterator[tuple[str, Blob]]:
    """The sections of a host program that hold code for GPUs."""
    elf = opened(blob)
    found: dict[str, Blob] = {}
    for section in elf.iter_sections():
        if section.name in HOST_SECTIONS and section["sh_type"] != "SHT_NOBITS":
            part = blob.part(section["sh_offset"], section["sh_size"], section.name)
            found.setdefault(section.name, part)
    if HOST_SECTIONS[0] in found:
        found.pop(HOST_SECTIONS[1], None)
    yield from found.items()


def symbols(blob: Blob, elf: Any) -> tuple[ElfSymbol, ...]:
    """All symbols that have a name, in order."""
    table = elf.get_section_by_name(".symtab") or elf.get_section_by_name(".dynsym")
    if table is None:
        return ()
    names = elf.get_section(table["sh_link"]).data()
    rows = blob.part(table["sh_offset"], table["sh_size"], "the symbols").data
    rows = rows[: len(rows) // 24 * 24]
    return tuple(
        ElfSymbol(_name(names, name), n, value, size, section, info & 15 == _FUNCTION, other)
        for n, (name, info, other, section, value, size) in enumerate(
            struct.iter_unpack("<IBBHQQ", rows)
        )
        if name and info & 15 in (_FUNCTION, _OBJECT, 0)
    )


def _name(names: bytes, start: int) -> str:
    return names[start : names.find(b"\0", start)].decode("utf-8", "replace")
