"""What compilers and readers of machine code make of a GPU: keys of its machine file.

    machine_code = ["ptx", "sass"]      languages whose emitted code bankwise follows; [] for none
    elf_machine = 0x4c                  how the flags of AMD's code objects number the GPU

    [iree]
    backend = "cuda"                    the back end of IREE that emits code; "none" for none
    target = "sm_80"                    how it names the GPU

    [triton]
    target = "cuda:80"                  as a TTGIR module names the GPU; "none" for none
    banks = 32                          that Triton plans scratch memory for
    read_b128 = [1, 2, 4]               lane masks that span a phase of 16-byte accesses, as Triton
    write_b128 = [1, 2, 4]              takes them when it chooses scratch layouts

A key that a file leaves out is never guessed: who asks for it is told which one is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from bankwise.errors import InputError, Location

LANGUAGES = ("amd", "ptx", "sass")
BACKENDS = ("rocm", "cuda", "none")
NONE = "none"


class Iree(Struct, frozen=True):
    """The back end of IREE that emits code ("rocm", "cuda", "none"), and how it names the GPU."""

    backend: str
    target: str = ""


class Triton(Struct, frozen=True):
    """What Triton takes a GPU for. ``target``: "cuda:90", "hip:gfx942", or "none"; the rest decides
    how it lays out scratch memory (masks: of the lanes of a phase of 16-byte accesses)."""

    target: str
    banks: int
    read_b128: tuple[int, ...]
    write_b128: tuple[int, ...]


class Toolchain(Struct, frozen=True):
    """The keys of one machine file; None where it leaves one out. ``file`` names it in errors."""

    file: str = ""
    machine_code: tuple[str, ...] | None = None
    elf_machine: int | None = None
    iree: Iree | None = None
    triton: Triton | None = None


def languages(tools: Toolchain) -> tuple[str, ...]:
    """Languages of machine code that are followed; :class:`InputError` if the file is silent."""
    if tools.machine_code is None:
        raise _missing(tools, "machine_code", "whose emitted code is followed", '["amd"]')
    return tools.machine_code


def iree(tools: Toolchain) -> Iree:
    """IREE's back end; :class:`InputError` if the file is silent."""
    if tools.iree is None:
        raise _missing(tools, "the table [iree]", "which back end of IREE emits code", "")
    return tools.iree


def triton(tools: Toolchain) -> Triton:
    """What Triton takes the GPU for; :class:`InputError` if the file is silent."""
    if tools.triton is None:
        raise _missing(tools, "the table [triton]", "what Triton takes this GPU for", "")
    return tools.triton


def _missing(tools: Toolchain, key: str, what: str, example: str) -> InputError:
    like = f", for example {example}" if example else ""
    return InputError(
        f"the machine file does not say {what}: {key} is missing",
        location=Location(tools.file or "<machine>"),
        hint=f"add {key}{like}; see the README of bankwise's folder hardware",
    )


def parse(data: Mapping[str, Any], file: str) -> Toolchain:
    """The keys of a machine file. Raises KeyError, TypeError or ValueError for a bad one."""
    code = data.get("machine_code")
    if code is not None and (not isinstance(code, list) or not {*code} <= {*LANGUAGES}):
        raise ValueError(f"machine_code = {code!r}: a list of {', '.join(LANGUAGES)}")
    number = data.get("elf_machine")
    if number is not None and (type(number) is not int or not 0 < number < 256):
        raise ValueError(f"elf_machine = {number!r}: a number below 256 (EF_AMDGPU_MACH)")
    table, choices = data.get("iree"), data.get("triton")
    return Toolchain(
        file=file,
        machine_code=None if code is None else tuple(code),
        elf_machine=number,
        iree=None if table is None else _iree(table),
        triton=None if choices is None else _triton(choices),
    )


def check_keys(data: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    """ValueError for a key that nobody reads: it may be a misspelt one."""
    strange = sorted(set(data) - set(known))
    if strange:
        raise ValueError(f"unknown key {strange[0]!r} in {where}; known: {', '.join(known)}")


def _iree(table: Mapping[str, Any]) -> Iree:
    check_keys(table, ("backend", "target"), "[iree]")
    if table["backend"] not in BACKENDS:
        raise ValueError(f"backend = {table['backend']!r} is none of {', '.join(BACKENDS)}")
    if table["backend"] == NONE:
        return Iree(NONE)
    return Iree(table["backend"], str(table["target"]))


def _triton(table: Mapping[str, Any]) -> Triton:
    check_keys(table, ("target", "banks", "read_b128", "write_b128"), "[triton]")
    target, banks = str(table["target"]), table["banks"]
    if target != NONE and not target.startswith(("cuda:", "hip:")):
        raise ValueError(f'target = {target!r} in [triton]: "cuda:90", "hip:gfx942" or "none"')
    if not isinstance(banks, int) or banks < 1 or banks & (banks - 1):
        raise ValueError(f"banks = {banks!r} in [triton]: a power of two")
    return Triton(target, banks, tuple(table["read_b128"]), tuple(table["write_b128"]))
