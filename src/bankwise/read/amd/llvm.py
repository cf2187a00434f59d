"""AMD machine code for GPUs that the tables do not know, as LLVM's own disassembler reads it.

    with_llvm(bytes.fromhex("0000 81bf"), "gfx90a")
    ((0, 4, "s_endpgm"),)

``llvm-objdump`` takes no plain bytes, so they go into an object file with one section.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
from pathlib import Path
from tempfile import TemporaryDirectory

from bankwise.errors import InputError
from bankwise.read.toolkit import run_program

_LINE = re.compile(r"\s+(\S.*?)\s*// ([0-9A-F]+):((?: [0-9A-F]{8})+)", re.ASCII)
_NAMES = b"\0.text\0.shstrtab\0"
_HEADER, _SECTION = "<4sBBBBB7xHHIQQQIHHHHHH", "<IIQQQQIIQQ"
_STRANGE = "not a recognized processor"
_AMDGPU, _HSA, _EXECUTED = 224, 64, 0x6
"""EM_AMDGPU, ELFOSABI_AMDGPU_HSA, flags of a section with code. Source: LLVM, ELF.h."""


def find_objdump() -> str | None:
    """ROCm's, else the newest of LLVM on PATH."""
    rocm = Path(os.environ.get("ROCM_PATH", "/opt/rocm")) / "llvm" / "bin"
    newest = (shutil.which(f"llvm-objdump-{number}") for number in range(40, 14, -1))
    found = (shutil.which("llvm-objdump", path=str(rocm)), *newest, shutil.which("llvm-objdump"))
    return next(filter(None, found), None)


def with_llvm(code: bytes, target: str) -> tuple[tuple[int, int, str], ...]:
    """Offset, length and text of all instructions of ``code``.

    Raises :class:`InputError` where there is no ``llvm-objdump``, or it does not know the GPU.
    """
    program = find_objdump()
    if program is None:
        raise InputError(
            f"the instructions of {target or 'an unnamed GPU'} are not in the tables of CDNA",
            hint="llvm-objdump reads them: LLVM's on PATH, or ROCm's",
        )
    with TemporaryDirectory() as folder:
        file = Path(folder) / "code.o"
        file.write_bytes(_object(code))
        words = [program, "-d", "-z", "--triple=amdgcn-amd-amdhsa", f"--mcpu={target}"]
        status, printed = run_program([*words, str(file)], Path(folder), program)
    found = [_LINE.match(line) for line in printed.splitlines()]
    rows = tuple((int(m[2], 16), 4 * len(m[3].split()), m[1]) for m in found if m is not None)
    if status or sum(length for _, length, _ in rows) != len(code) or _STRANGE in printed:
        raise InputError(f"llvm-objdump does not read code for {target or 'an unnamed GPU'}")
    return rows


def _object(code: bytes) -> bytes:
    """A relocatable object of one section."""
    size = struct.calcsize(_HEADER)
    names = size + len(code)
    sections = names + len(_NAMES)
    kind = (b"\x7fELF", 2, 1, 1, _HSA, 2, 1, _AMDGPU, 1)
    header = struct.pack(_HEADER, *kind, 0, 0, sections, 0, size, 0, 0, 64, 3, 2)
    text = struct.pack(_SECTION, 1, 1, _EXECUTED, 0, size, len(code), 0, 0, 4, 0)
    words = struct.pack(_SECTION, 7, 3, 0, 0, names, len(_NAMES), 0, 0, 1, 0)
    return header + code + _NAMES + bytes(64) + text + words
