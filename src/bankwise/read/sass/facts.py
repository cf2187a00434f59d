"""What a cubin says about a kernel beside its code: threads, parameters, shared memory.

A cubin keeps it in ``.nv.info.<kernel>``, a list of attributes, and in the size of
``.nv.shared.<kernel>``. The same attributes are read from the file's bytes and from the text that
nvdisasm prints of them. Numbers and layout of the attributes: read from cubins of CUDA 13.0 beside
what nvdisasm 13.1 prints for them.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.errors import InputError, Location

Attribute = tuple[int, bytes]
"""Its code, and the bytes behind its header."""

_MAX_THREADS, _REQUIRED_THREADS, _PARAMETER_BANK, _PARAMETER = 0x05, 0x10, 0x0A, 0x17
_REGISTERS, _FRAME = 0x2F, 0x11
_SIZED, _HALF = 4, 3
_CUDA = 190
_PTX_HEAD = 8
"""Bytes before the text, as nvcc 12 and 13 write it; its lines end in 0."""
_RELOCATABLE = 1
_SYMBOL, _FUNCTION, _ENTRY = "<IBBHQQ", 2, 0x10
_NO_BITS = (8, 0x7000000A)
"""Types of sections without bytes: SHT_NOBITS, and that of shared memory before linking."""
_ATTRIBUTE = re.compile(r"^\s*//-+ nvinfo : \w+$", re.MULTILINE)
_SECTION = re.compile(r"^\s*\.section\s+([^\s,]+)", re.MULTILINE)
_DATA = re.compile(r"^\s*(?:/\*\w+\*/)?\s*\.(byte|short|word)\s+(.+)$", re.MULTILINE)
_FORMATS = {"byte": "<B", "short": "<H", "word": "<I"}

RESERVED_BYTES = 1_024
"""From sm_90 on the driver keeps the first bytes of shared memory; sections count them."""


class Facts(Struct, frozen=True):
    """What is known about a kernel without its code.

    ``workgroup_size``: threads; ``bounded``: only the most it may have. ``shared_bytes``: static,
    without what the driver keeps. ``parameters``: (offset, size) in bytes, by position; ``names``:
    what their source calls them, empty where no source is known.
    ``parameter_base``: where they begin in constant bank 0. ``literals``: constant bank 2, which
    the compiler fills; empty if it is not known, or holds addresses. ``externals``: whose addresses
    constant bank 4 holds, by place. ``registers``: of a thread; ``local_bytes``: its stack, with
    registers that are kept there.
    """

    workgroup_size: tuple[int, int, int] | None = None
    bounded: bool = False
    shared_bytes: int | None = None
    parameters: tuple[tuple[int, int], ...] | None = None
    names: tuple[str, ...] = ()
    parameter_base: int | None = None
    literals: bytes = b""
    externals: Mapping[int, str] = field(default_factory=dict)
    registers: int | None = None
    local_bytes: int | None = None


def from_text(sections: Mapping[str, str], kernel: str, generation: int) -> Facts:
    """From the text of all sections, as nvdisasm prints it without ``-c``."""
    info, shared = sections.get(f".nv.info.{kernel}"), sections.get(f".nv.shared.{kernel}")
    found = re.search(r"^\s*\.zero\s+(\d+)", shared or "", re.MULTILINE)
    # Without a single section of data the text tells nothing, not that there is nothing.
    printed = any(name.startswith(".nv.") for name in sections)
    size = int(found[1]) if found else (0 if printed else None)
    kept = RESERVED_BYTES if generation >= 90 else 0
    return _facts(list(_text_attributes(info or "")), size, kept)


def sections_of(text: str) -> dict[str, str]:
    """The text of every section, by name."""
    marks = list(_SECTION.finditer(text))
    ends = [m.start() for m in marks[1:]] + [len(text)]
    return {m[1]: text[m.end() : end] for m, end in zip(marks, ends, strict=False)}


def _text_attributes(section: str) -> Iterator[Attribute]:
    for part in _ATTRIBUTE.split(section)[1:]:
        data = b"".join(_bytes(kind, values) for kind, values in _DATA.findall(part))
        if len(data) >= 4:
            yield data[1], data[4:] if data[0] == _SIZED else data[2:4]


def _bytes(kind: str, values: str) -> bytes:
    """The bytes of one directive; a difference of labels or a symbol becomes 0.

    A number with a leading 0 is octal, as for the assembler.
    """
    form = _FORMATS[kind]
    most = 1 << 8 * struct.calcsize(form)
    out = b""
    for value in values.split(","):
        number = re.fullmatch(r"\s*(0x[0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)\s*", value)
        out += struct.pack(form, _number(number[1]) % most if number else 0)
    return out


def _number(text: str) -> int:
    octal = text.startswith("0") and text.isdecimal()
    return int(text, 8) if octal else int(text, 0)


def from_cubin(data: bytes, file: str) -> Mapping[str, Facts]:
    """The facts of every kernel of a cubin; :class:`InputError` if it is none, or cut off."""
    generation, linked, sections = _sections(data, file)
    kept = RESERVED_BYTES if generation >= 90 and linked else 0
    kernels = [name.removeprefix(".text.") for name in sections if name.startswith(".text.")]
    found, externals = {}, _externals(sections)
    whole = list(_attributes(sections.get(".nv.info", (b"", 0))[0]))
    registers, frames = (_by_symbol(sections, whole, code) for code in (_REGISTERS, _FRAME))
    for name in kernels:
        info = sections.get(f".nv.info.{name}", (b"", 0))[0]
        shared = sections.get(f".nv.shared.{name}", (b"", 0))[1]
        facts = _facts(list(_attributes(info)), shared, kept)
        found[name] = replace(
            facts,
            literals=_literals(sections, name),
            externals=externals,
            registers=registers.get(name),
            local_bytes=frames.get(name),
        )
    return found


def _by_symbol(
    sections: Mapping[str, tuple[bytes, int]], attributes: Sequence[Attribute], code: int
) -> dict[str, int]:
    """A number that ``.nv.info`` tells of each function, whose symbol stands before it."""
    symbols, names = (sections.get(name, (b"", 0))[0] for name in (".symtab", ".strtab"))
    found = {}
    for data in (data for kind, data in attributes if kind == code and len(data) >= 8):
        row, number = struct.unpack_from("<II", data)
        if (row + 1) * 24 <= len(symbols):
            found[_text(names, struct.unpack_from(_SYMBOL, symbols, row * 24)[0])] = number
    return found


def embedded_ptx(data: bytes, file: str) -> str:
    """The PTX from which ptxas made a cubin, without comments and places; "" where it is not kept,
    which nvcc -lineinfo does. :class:`InputError` if it is no cubin."""
    kept = _sections(data, file)[2].get(".nv_debug_ptx_txt", (b"", 0))[0]
    return kept[_PTX_HEAD:].replace(b"\0", b"\n").decode("utf-8", "replace")


class CubinFunction(Struct, frozen=True):
    """A function of a cubin: its number in the table of symbols, and whether it is a kernel."""

    index: int
    kernel: bool


def functions(data: bytes, file: str) -> tuple[str, Mapping[str, CubinFunction]]:
    """The GPU of a cubin and its functions; :class:`InputError` if it is none, or cut off.

    The mark of a kernel: STO_CUDA_ENTRY, as nvdisasm prints it.
    """
    generation, _, sections = _sections(data, file)
    table, names = (sections.get(name, (b"", 0))[0] for name in (".symtab", ".strtab"))
    rows = struct.iter_unpack(_SYMBOL, table[: len(table) // 24 * 24])
    found = {
        _text(names, name): CubinFunction(n, bool(other & _ENTRY))
        for n, (name, info, other, section, _, _) in enumerate(rows)
        if info & 15 == _FUNCTION and section
    }
    return f"sm_{generation}", {k: v for k, v in found.items() if f".text.{k}" in sections}


def _text(names: bytes, start: int) -> str:
    return names[start : names.find(b"\0", start)].decode("utf-8", "replace")


def _externals(sections: Mapping[str, tuple[bytes, int]]) -> dict[int, str]:
    """What the linker puts into constant bank 4: ELF-64 relocations, with an addend or without."""
    symbols, names = (sections.get(name, (b"", 0))[0] for name in (".symtab", ".strtab"))
    found = {}
    for kind, size in ((".rel", 16), (".rela", 24)):
        table = sections.get(f"{kind}.nv.constant4", (b"", 0))[0]
        for at in range(0, len(table) - size + 1, size):
            place, info = struct.unpack_from("<QQ", table, at)
            row = (info >> 32) * 24
            if row + 24 <= len(symbols):
                found[place] = _text(names, struct.unpack_from(_SYMBOL, symbols, row)[0])
    return found


def _literals(sections: Mapping[str, tuple[bytes, int]], kernel: str) -> bytes:
    name = f".nv.constant2.{kernel}"
    placed = any(sections.get(f"{kind}{name}", (b"", 0))[1] for kind in (".rel", ".rela"))
    return b"" if placed else sections.get(name, (b"", 0))[0]


def _sections(data: bytes, file: str) -> tuple[int, bool, dict[str, tuple[bytes, int]]]:
    """Generation (90 for sm_90), whether it is linked, and bytes and size of every section by name.
    ELF-64."""
    where = Location(file)
    if data[:4] != b"\x7fELF":
        hint = "a .cubin as nvcc -cubin, ptxas or a compiler's cache writes it"
        raise InputError("this is no cubin: it does not begin as ELF", location=where, hint=hint)
    try:
        if struct.unpack_from("<H", data, 18)[0] != _CUDA or data[4] != 2:
            message = f"an ELF file for machine {struct.unpack_from('<H', data, 18)[0]}, no cubin"
            hint = "of a host program extract the cubins first: cuobjdump --extract-elf all FILE"
            raise InputError(message, location=where, hint=hint)
        (start,), (flags,) = struct.unpack_from("<Q", data, 40), struct.unpack_from("<I", data, 48)
        size, count, names = struct.unpack_from("<HHH", data, 58)
        if start + size * count > len(data):
            raise ValueError("the list of sections ends behind the file")
        rows = [struct.unpack_from("<IIQQQQ", data, start + n * size) for n in range(count)]
        texts = data[rows[names][4] : rows[names][4] + rows[names][5]]
        found = {_name(texts, row[0]): _content(data, row) for row in rows}
    except (struct.error, IndexError, ValueError) as error:
        hint = "compile it again, or copy it again"
        raise InputError("the cubin is cut off", location=where, hint=hint) from error
    linked = struct.unpack_from("<H", data, 16)[0] != _RELOCATABLE
    return (flags >> 8 if data[8] >= 8 else flags) & 0xFF, linked, found


def _content(data: bytes, row: Sequence[int]) -> tuple[bytes, int]:
    """Bytes and size; a section without bytes has a size alone."""
    _, kind, _, _, start, size = row
    if kind in _NO_BITS:
        return b"", size
    if start + size > len(data):
        raise ValueError("a section ends behind the file")
    return data[start : start + size], size


def _name(texts: bytes, start: int) -> str:
    return texts[start : texts.index(b"\0", start)].decode("utf-8", "replace")


def _attributes(info: bytes) -> Iterator[Attribute]:
    at = 0
    while at + 4 <= len(info):
        form, code, size = struct.unpack_from("<BBH", info, at)
        if form == _SIZED:
            yield code, info[at + 4 : at + 4 + size]
            at += 4 + size
        else:
            yield code, info[at + 2 : at + 4]
            at += 4


def _facts(attributes: Sequence[Attribute], shared: int | None, kept: int) -> Facts:
    threads = {code: data for code, data in attributes if code in (_MAX_THREADS, _REQUIRED_THREADS)}
    size = threads.get(_REQUIRED_THREADS, threads.get(_MAX_THREADS, b""))
    parameters = {}
    for code, data in attributes:
        if code == _PARAMETER and len(data) >= 12:
            _, position, offset, flags = struct.unpack_from("<IHHI", data)
            parameters[position] = (offset, flags >> 18)
    base = next((data for code, data in attributes if code == _PARAMETER_BANK), b"")
    return Facts(
        workgroup_size=struct.unpack_from("<III", size) if len(size) >= 12 else None,
        bounded=_MAX_THREADS in threads and _REQUIRED_THREADS not in threads,
        shared_bytes=None if shared is None else max(0, shared - kept),
        parameters=tuple(parameters[n] for n in sorted(parameters)) if attributes else None,
        parameter_base=struct.unpack_from("<H", base, 4)[0] if len(base) >= 6 else None,
    )
