"""Checking a cubin: its SASS, disassembled by nvdisasm, with the facts of its ELF file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec.structs import replace

from bankwise.errors import Location
from bankwise.files import read_bytes
from bankwise.read.assembly import ArgumentValues, AssemblyKernel
from bankwise.read.follow.dialect import Place, Size
from bankwise.read.follow.driver import UNSAID, check_kernels, check_target, no_kernel
from bankwise.read.launch.facts import Launches
from bankwise.read.names import means
from bankwise.read.sass.dialect import SASS, check_generation
from bankwise.read.sass.disassemble import OPTIONS, disassemble, disassembled
from bankwise.read.sass.facts import CubinFunction, from_cubin, functions
from bankwise.read.sass.parse import SassKernel, called, kernels

_ROUNDS = 8
"""How deep calls of functions outside the kernel may go."""


def check_cubin(
    path: Path,
    target: str | None = None,
    *,
    args: ArgumentValues | None = None,
    kernel: str = "",
    workgroup_size: Size | None = None,
    launches: Launches = UNSAID,
) -> tuple[AssemblyKernel, ...]:
    """Disassemble a cubin and check it as :func:`bankwise.read.follow.driver.check_code` does.

    A cubin has no lines: what is found stands at its source line, if the file has line numbers.
    """
    file = str(path)
    text, found = cubin_kernels(path, kernel)
    if not found:
        raise no_kernel(SASS, text, file, kernel)
    gpu = check_target(SASS, target or found[0].target, file)
    place: Place = lambda i: i.source or Location(file)  # noqa: E731 - a value of the record
    said = (args or {}, workgroup_size, launches)
    checked = check_kernels(SASS, found, file, gpu, place, *said)
    note = f"lines named in notes are those of nvdisasm {' '.join(OPTIONS)}"
    return tuple(replace(one, notes=(*one.notes, note)) for one in checked)


def cubin_kernels(path: Path, only: str = "") -> tuple[str, tuple[SassKernel, ...]]:
    """What nvdisasm prints for a cubin, and its kernels, or ``only`` one; () for none."""
    file, data = str(path), read_bytes(path)
    facts, (_, found_functions) = from_cubin(data, file), functions(data, file)
    names = [n for n, one in found_functions.items() if one.kernel and only and means(only, n)]
    text = listing(data, file, found_functions, names) if names else ""
    text = text or disassemble(path)
    found = kernels(text, file, facts, only=only)
    if found:
        check_generation(found[0].target, file)
    return text, found


def listing(
    data: bytes, file: str, found: Mapping[str, CubinFunction], names: Iterable[str]
) -> str:
    """What nvdisasm prints of some kernels of a cubin and of all that they call; "" if calls go
    too deep."""
    wanted = set(names)
    for _ in range(_ROUNDS):
        text = disassembled(data, file, sorted(found[name].index for name in wanted))
        more = {name for name in called(text) if name in found} - wanted
        if not more:
            return text
        wanted |= more
    return ""
