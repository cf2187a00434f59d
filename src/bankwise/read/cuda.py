"""CUDA source: compiled by nvcc to a cubin, whose kernels are read at the author's lines.

With -lineinfo the code is the same as without, and names for each instruction its place in the
source, and where that was inlined. An instruction is shown at the innermost of these places in the
file in which its kernel stands: a copy of cuda_pipeline.h, at the line that asks for it.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bankwise.errors import InputError, Location
from bankwise.files import read_text
from bankwise.hardware.machine import machine
from bankwise.hardware.toolchain import triton
from bankwise.read.assembly import (
    NAMED_LINE,
    ArgumentValues,
    AssemblyAccess,
    AssemblyKernel,
    reworded,
)
from bankwise.read.follow.dialect import Size
from bankwise.read.follow.driver import (
    UNSAID,
    check_kernel,
    followed,
    isolated,
    with_options,
)
from bankwise.read.launch.facts import Launches
from bankwise.read.launch.host import launches_in
from bankwise.read.names import listed
from bankwise.read.nvcc import Name, compile_cuda
from bankwise.read.sass.cubin import cubin_kernels
from bankwise.read.sass.dialect import SASS
from bankwise.read.sass.parse import SassKernel, kernel_names

Lines = Mapping[int, Location]
"""Lines of the machine code to places in the source."""


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """The kernels of a CUDA source; ``how`` it was compiled, in words."""

    kernels: tuple[AssemblyKernel, ...]
    how: str


def check_cuda(
    path: Path,
    target: str,
    *,
    args: ArgumentValues,
    kernel: str = "",
    workgroup_size: Size | None = None,
    launches: Launches = UNSAID,
    text: str | None = None,
) -> Compiled:
    """Compile a CUDA source for the GPU ``target`` and follow its kernels; parameters as of
    :func:`bankwise.read.follow.driver.check_code`. ``text``: what is compiled in its place.

    Raises :class:`InputError` without a compiler, with nvcc's own words if it does not
    compile, and for a file that has no kernel.
    """
    file = str(path)
    gpu = cuda_target(target, file)
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        source = source_of(path, text, Path(folder))
        name, cubin = names_of(source, file), Path(folder, "out.cubin")
        how = compile_cuda(source, cubin, architecture(gpu), file, name)
        found = compiled_kernels(cubin, kernel, file)
        hosted = launches_in(read_text(source))
    said = with_options(SASS, found, args, workgroup_size, replace(launches, hosted=hosted), file)
    placed = isolated(
        found,
        lambda one: follow_at_source(one, file, name, gpu, said),
        lambda one: Location(file, one.line),
        gpu,
    )
    guessed = "" if target else f"; for {gpu}, since --target names no GPU"
    return Compiled(placed, how + guessed)


def compiled_ptx(path: Path, target: str, text: str | None = None) -> str:
    """The PTX that nvcc makes of a source, or of the ``text`` in its place; raises as
    :func:`check_cuda` does."""
    file = str(path)
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        source, made = source_of(path, text, Path(folder)), Path(folder, "out.ptx")
        name = names_of(source, file)
        compile_cuda(source, made, architecture(cuda_target(target, file)), file, name)
        return read_text(made)


def cuda_target(given: str, file: str) -> str:
    """The GPU to compile for: the oldest whose code is followed where none is named, since newer
    ones run its code."""
    known = sorted(followed(SASS), key=lambda name: int(architecture(name).removeprefix("sm_")))
    if given and given not in known and machine(given):
        message = f"CUDA compiled for {given} is not followed"
        hint = f"--target sm_90, for example; one of {', '.join(known)}"
        raise InputError(message, location=Location(file), hint=hint)
    return given or known[0]


def architecture(target: str) -> str:
    """What nvcc calls a machine: by its compute capability, whatever its file is called."""
    return f"sm_{triton(machine(target).tools).target.partition(':')[2]}"


def source_of(path: Path, text: str | None, folder: Path) -> Path:
    """The user's file; a copy in ``folder`` of what came through a pipe, or of another ``text``."""
    if text is None and path.is_file():
        return path
    source = folder / "kernel.cu"
    source.write_text(read_text(path) if text is None else text, "utf-8")
    return source


def names_of(source: Path, file: str) -> Name:
    """The source is called what the user calls it, a file below its folder likewise."""
    here, real = os.path.dirname(file), os.path.realpath(source)
    folder = os.path.realpath((Path(file) if Path(file).is_file() else source).parent)

    def name(found: str) -> str:
        place = os.path.realpath(found)
        if place == real:
            return file
        below = os.path.relpath(place, folder)
        return found if below.startswith(os.pardir) else os.path.join(here, below)

    return name


def compiled_kernels(cubin: Path, only: str, file: str) -> tuple[SassKernel, ...]:
    """The kernels of a compiled source; what is wrong is wrong with the source."""
    where = Location(file)
    try:
        text, found = cubin_kernels(cubin, only)
    except InputError as error:
        raise InputError(error.message, location=where, hint=error.hint) from error
    if not found:
        names = listed(kernel_names(text))
        message = f"no kernel {only!r} in this source" if names else "no kernel was compiled"
        hint = f"it has {names}" if names else "a template is compiled where it is instantiated"
        raise InputError(message, location=where, hint=hint)
    return found


def follow_at_source(
    kernel: SassKernel, file: str, name: Name, gpu: str, said: Launches
) -> AssemblyKernel:
    """Follow one kernel and say all that is found in terms of the source."""
    outer = [i.places[-1] for i in kernel.instructions if i.places]
    home = outer[0].file if outer else ""
    first = min((place.line for place in outer if place.file == home), default=0)
    start = Location(name(home) if home else file, first)
    lines = {i.line: _place(i.places, home, name) or start for i in kernel.instructions}
    begins = replace(kernel, line=first)
    found = check_kernel(SASS, begins, start.file, gpu, lambda i: lines[i.line], said)
    return _at_source(found, lines, name)


def _place(places: tuple[Location, ...], home: str, name: Name) -> Location | None:
    """The innermost place in the kernel's own file, if it has any there, else the innermost."""
    inside = [one for one in places if one.file == home]
    found = next(iter((*inside, *places)), None)
    return None if found is None else replace(found, file=name(found.file))


def _at_source(found: AssemblyKernel, lines: Lines, name: Name) -> AssemblyKernel:
    """Lines that are named in words become those of the source, too."""

    def words(text: str) -> str:
        return NAMED_LINE.sub(lambda one: _said(one, lines, found.location.file), text)

    def placed(one: AssemblyKernel) -> AssemblyKernel:
        branches: dict[int, str] = {}
        for line, why in one.open_branches.items():
            branches.setdefault(lines[line].line, why)
        return replace(
            one,
            accesses=tuple(_from_elsewhere(access, name) for access in one.accesses),
            not_followed=tuple(replace(n, line=lines[n.line].line) for n in one.not_followed),
            open_branches=branches,
        )

    return reworded(found, words, placed)


def _said(found: re.Match[str], lines: Lines, home: str) -> str:
    place = lines.get(int(found[1]))
    if place is None:
        return found[0]
    return f"line {place.line}" if place.file == home else str(place)


def _from_elsewhere(found: AssemblyAccess, name: Name) -> AssemblyAccess:
    """``source`` is left where it is another place than the access's own."""
    place = found.source and replace(found.source, file=name(found.source.file))
    return replace(found, source=None if place == found.access.location else place)
