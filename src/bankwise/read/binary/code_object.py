"""AMD code objects: kernels with their descriptors and metadata, and their code as assembly.

The text is what the reader of assembly (:mod:`bankwise.read.amd.parse`) takes: instructions as LLVM
prints them, labels where branches go, ``.loc`` lines from the debug information, the descriptor as
``.amdhsa_`` lines, the metadata as LLVM writes them. An address that the code makes of its place
(``s_getpc_b64``) names the function that it is, as the assembler had it; a word that the linker
still has to fill in names its symbol. Source: LLVM, "User Guide for AMDGPU Backend",
code object, kernel descriptor, metadata.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct

from bankwise.errors import InputError, Location
from bankwise.hardware.machine import machine
from bankwise.hardware.machine import names as machine_names
from bankwise.read.binary import elf
from bankwise.read.binary.blob import Blob
from bankwise.read.binary.elf import ElfSymbol

_DESCRIPTOR = ".kd"
_DESCRIPTOR_BYTES = 64
_METADATA = 32
"""Type of the note, NT_AMDGPU_METADATA."""
_MACHINE = 0xFF
"""EF_AMDGPU_MACH: the part of the flags that names the GPU."""
_USER = (
    *("private_segment_buffer", "dispatch_ptr", "queue_ptr", "kernarg_segment_ptr"),
    *("dispatch_id", "flat_scratch_init", "private_segment_size"),
)
_RELOCATIONS = {
    1: "abs32@lo",
    2: "abs32@hi",
    6: "abs32",
    8: "gotpcrel32@lo",
    9: "gotpcrel32@hi",
    10: "rel32@lo",
    11: "rel32@hi",
    4: "rel32",
    7: "gotpcrel",
}
"""Names of the fields that the linker fills in, by the number of the relocation."""
_PLACES = {3: "<Q", 6: "<I"}
"""R_AMDGPU_ABS64 and R_AMDGPU_ABS32: a symbol's value and what is added."""


class ObjectKernel(Struct, frozen=True):
    """A kernel of a code object. ``descriptor``: its 64 bytes; ``metadata``: its entry in the
    notes, {} for none; ``start`` and ``end`` of its code: addresses."""

    name: str
    descriptor: bytes
    metadata: Mapping[str, Any]
    start: int
    end: int

    @property
    def lds_bytes(self) -> int:
        """Static LDS."""
        return int(struct.unpack_from("<I", self.descriptor)[0])


class CodeObject(Struct, frozen=True, dict=True):
    """An opened code object. ``code``: of ``.text``, which begins at the address ``base``."""

    blob: Blob
    target: str
    code: bytes
    base: int
    functions: Mapping[str, tuple[int, int]]
    kernels: tuple[ObjectKernel, ...]
    relocations: Mapping[int, str]

    @cached_property
    def lines(self) -> tuple[tuple[int, str, int], ...]:
        """Address, source file and line of every row of the debug information, in order."""
        with elf.reading(self.blob):
            return tuple(sorted(_lines(elf.opened(_with_debug_places(self.blob)))))


def open_object(blob: Blob, target: str = "") -> CodeObject:
    """Read a code object; ``target``: of the bundle that it is from, the user's, or "".

    Raises :class:`InputError` for one that is broken, or that names no GPU that is known.
    """
    file = elf.opened(blob)
    with elf.reading(blob):
        text = file.get_section_by_name(".text")
        if text is None:
            return CodeObject(blob, target, b"", 0, {}, (), {})
        metadata = dict(_metadata(file))
        entries = {one.get(".name"): one for one in metadata.get("amdhsa.kernels", ())}
        code, base = bytes(text.data()), int(text["sh_addr"])
        number = next(n for n, one in enumerate(file.iter_sections()) if one.name == ".text")
        symbols = elf.symbols(blob, file)
        functions = _functions(symbols, number, base, len(code))
        kernels = tuple(_kernels(file, symbols, functions, entries, blob))
        fixed = dict(_relocations(file, base))
        named = str(metadata.get("amdhsa.target", "")).rpartition("-")[2].partition(":")[0]
        gpu = named or _by_flags(file.header["e_flags"]) or target
        return CodeObject(blob, gpu, code, base, functions, kernels, fixed)


def _by_flags(flags: int) -> str:
    tools = ((name, machine(name).tools.elf_machine) for name in machine_names())
    return next((name for name, number in tools if number == flags & _MACHINE), "")


def _metadata(file: Any) -> Mapping[str, Any]:
    import msgspec

    for section in file.iter_sections():
        if section["sh_type"] != "SHT_NOTE":
            continue
        for note in section.iter_notes():
            if note["n_name"] == "AMDGPU" and note["n_type"] in (_METADATA, "NT_AMDGPU_METADATA"):
                found = msgspec.msgpack.decode(note["n_descdata"])
                return found if isinstance(found, dict) else {}
    return {}


def _functions(
    symbols: tuple[ElfSymbol, ...], section: int, base: int, size: int
) -> dict[str, tuple[int, int]]:
    """Start and end of every function of the code. One without a size ends where the next begins,
    as hand-written ones do."""
    found = [s for s in symbols if s.function and s.section == section]
    starts = sorted({s.value for s in found} | {base + size})
    following = dict(itertools.pairwise(starts))
    return {
        s.name: (s.value, min(s.value + s.size, base + size) if s.size else following[s.value])
        for s in found
        if base <= s.value < base + size
    }


def _kernels(
    file: Any,
    symbols: tuple[ElfSymbol, ...],
    functions: Mapping[str, tuple[int, int]],
    entries: Mapping[str, Mapping[str, Any]],
    blob: Blob,
) -> Iterator[ObjectKernel]:
    for one in symbols:
        name = one.name.removesuffix(_DESCRIPTOR)
        if name == one.name or name not in functions or not one.section:
            continue
        section = file.get_section(one.section)
        at = section["sh_offset"] + one.value - section["sh_addr"]
        descriptor = blob.part(at, _DESCRIPTOR_BYTES, f"the descriptor of {name}")
        yield ObjectKernel(name, bytes(descriptor.data), entries.get(name, {}), *functions[name])


def _relocations(file: Any, base: int) -> Iterator[tuple[int, str]]:
    """The words of the code that only the linker knows, by address: what the assembler wrote."""
    section = file.get_section_by_name(".rela.text")
    if section is None:
        return
    table = file.get_section(section["sh_link"])
    for one in section.iter_relocations():
        symbol = table.get_symbol(one["r_info_sym"])
        kind = _RELOCATIONS.get(one["r_info_type"], f"relocation{one['r_info_type']}")
        added = f"+{one['r_addend']}" if one["r_addend"] else ""
        yield base + one["r_offset"], f"{symbol.name or 'section'}@{kind}{added}"


def _with_debug_places(blob: Blob) -> Blob:
    """A relocatable file with the places that its debug information leaves to the linker."""
    file, data = elf.opened(blob), None
    for section in file.iter_sections():
        if not section.name.startswith(".rela.debug_"):
            continue
        data = data or bytearray(blob.data)
        table, filled = file.get_section(section["sh_link"]), file.get_section(section["sh_info"])
        for one in section.iter_relocations():
            form = _PLACES.get(one["r_info_type"])
            at = filled["sh_offset"] + one["r_offset"]
            if form and one["r_offset"] + struct.calcsize(form) <= filled["sh_size"]:
                value = table.get_symbol(one["r_info_sym"])["st_value"] + one["r_addend"]
                most = 1 << 8 * struct.calcsize(form)
                struct.pack_into(form, data, at, value % most)
    return blob if data is None else Blob(blob.file, memoryview(data), blob.offset, blob.inside)


def _lines(file: Any) -> Iterator[tuple[int, str, int]]:
    if not file.has_dwarf_info():
        return
    dwarf = file.get_dwarf_info(relocate_dwarf_sections=False)
    for unit in dwarf.iter_CUs():
        program = dwarf.line_program_for_CU(unit)
        for entry in program.get_entries() if program else ():
            state = entry.state
            if state is not None and not state.end_sequence and state.line:
                yield state.address, _file_name(program.header, state.file), state.line


def _file_name(header: Any, number: int) -> str:
    """A file of a line table: numbered from 1 before DWARF 5."""
    first = 0 if header["version"] >= 5 else 1
    entry = header["file_entry"][number - first]
    folders = header["include_directory"]
    place = entry.dir_index - first
    folder = folders[place] if 0 <= place < len(folders) else b""
    parts = (part.decode("utf-8", "replace") for part in (folder, entry.name) if part)
    return "/".join(parts)


def descriptor_lines(descriptor: bytes) -> Iterator[tuple[str, int]]:
    """The ``.amdhsa_`` lines of a kernel descriptor that say which register holds what."""
    lds, private, arguments = struct.unpack_from("<III", descriptor)
    (second,) = struct.unpack_from("<I", descriptor, 52)
    properties, preload = struct.unpack_from("<HH", descriptor, 56)
    yield "group_segment_fixed_size", lds
    yield "private_segment_fixed_size", private
    yield "kernarg_size", arguments
    yield "user_sgpr_count", second >> 1 & 31
    for bit, name in enumerate(_USER):
        yield f"user_sgpr_{name}", properties >> bit & 1
    yield "user_sgpr_kernarg_preload_length", preload & 127
    yield "user_sgpr_kernarg_preload_offset", preload >> 7
    yield "wavefront_size32", properties >> 10 & 1
    for bit, axis in enumerate("xyz", 7):
        yield f"system_sgpr_workgroup_id_{axis}", second >> bit & 1
    yield "system_sgpr_workgroup_info", second >> 10 & 1
    yield "system_vgpr_workitem_id", second >> 11 & 3


def no_target(blob: Blob) -> InputError:
    """What to say of a code object that names no GPU of a machine file."""
    return InputError(
        "this code object names no GPU that is known",
        location=Location(blob.file),
        hint="say which with --target; `bankwise machines` lists them",
    )
