"""CUDA source: compiled by nvcc to a cubin, whose kernels are read at the author's lines.

With -lineinfo the code is the same as without, and names for each instruction its place in the
source, and where that was inlined.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

from msgspec.structs import replace

from bankwise.errors import InputError, Location
from bankwise.files import read_bytes, read_text
from bankwise.hardware.folders import own_machine_files
from bankwise.hardware.machine import machine
from bankwise.hardware.machine import names as machine_names
from bankwise.hardware.toolchain import triton
from bankwise.identity import ByIdentity
from bankwise.read.ahead import LaidOut
from bankwise.read.assembly import ArgumentValues, AssemblyKernel
from bankwise.read.at_source import SourceLines, at_source
from bankwise.read.cxx.templates import how_to_instantiate, kernel_functions
from bankwise.read.file_names import Name, names_of
from bankwise.read.follow.dialect import Size
from bankwise.read.follow.driver import (
    UNSAID,
    check_kernel,
    followed,
    isolated,
    with_options,
)
from bankwise.read.kept_code import KeptCode
from bankwise.read.launch.facts import KernelLaunch, Launches
from bankwise.read.launch.headers import own_headers
from bankwise.read.launch.host import launches_in, lines_of_kernels
from bankwise.read.launch.parameters import parameter_names
from bankwise.read.names import demangled, listed, own, steady
from bankwise.read.nvcc import compile_cuda, macros_of_nvcc, nvcc_words
from bankwise.read.ptx.operands import places
from bankwise.read.ptx.parse import kernels as ptx_kernels
from bankwise.read.refused import included_by
from bankwise.read.sass.bank4 import by_name
from bankwise.read.sass.cubin import cubin_kernels
from bankwise.read.sass.dialect import SASS
from bankwise.read.sass.facts import embedded_ptx
from bankwise.read.sass.parse import SassKernel, kernel_names
from bankwise.read.source import (
    Compilation,
    Compiled,
    EmittedPart,
    SourceLanguage,
    begun,
    laid_out,
    source_of,
)
from bankwise.read.toolkit import find_program

_BUILT, _TEXTS = 32, 3
"""Of how many texts the compilation is kept, and of how many the instructions."""

_PIPED, _CUBIN = "kernel.cu", "out.cubin"
"""What a source without a name is called, and what is made of one."""

_LABEL = re.compile(r"\.L_x_\d+")
_ENTRY = re.compile(r"^\s*(?:\.\w+\s+)*\.entry\s+([\w$]+)", re.MULTILINE)


def check_cuda(
    what: Compilation,
    *,
    args: ArgumentValues,
    kernel: str = "",
    workgroup_size: Size | None = None,
    launches: Launches = UNSAID,
    kept: KeptCode | None = None,
) -> Compiled:
    """Compile a CUDA source and follow its kernels: :class:`bankwise.read.source.CheckSource`."""
    file = str(what.path)
    gpu = cuda_target(what.target, file)
    kept = KeptCode() if kept is None else kept
    built = kept.once("cubin", (what, gpu), lambda: _built(what, gpu, kept), _BUILT)
    kernels = partial(_kernels, built, kernel, file)
    found = kept.once("kernels", (what, gpu, kernel), kernels, _TEXTS)
    name, launches = built.name, replace(launches, hosted=built.hosted)
    said = with_options(SASS, found, args, workgroup_size, launches, file)
    placed = isolated(
        found,
        lambda one: follow_at_source(one, file, name, gpu, said),
        lambda one: Location(file, one.line),
        gpu,
        lambda one: len(one.instructions),
        kept,
        lambda one: (_without_lines(one, name), gpu, said.concerning(one.name)),
    )
    guessed = "" if what.target else f"; for {gpu}, since --target names no GPU"
    return Compiled(placed, built.how + guessed, built.variables, built.ptx)


class _Built(ByIdentity, frozen=True, eq=False):
    """A compiled ``source``. ``name``: what the user calls its files; ``hosted``: what its host
    code says of launches; ``variables``: the shared ones of each kernel."""

    source: str
    how: str
    cubin: bytes
    name: Name
    hosted: tuple[KernelLaunch, ...]
    ptx: str
    variables: Mapping[str, Sequence[tuple[str, int]]]


def _built(what: Compilation, gpu: str, kept: KeptCode) -> _Built:
    file = str(what.path)
    with laid_out(what, _PIPED, kept.take((what, gpu))) as here:
        source, flags, cubin = here.source, here.flags, here.folder / _CUBIN
        name = names_of(source, file)
        how = compile_cuda(source, cubin, architecture(gpu), file, name, flags, here.run)
        for flag in flags[: len(flags) - len(what.flags)]:
            how = how.replace(f"{flag} ", "")
        text = what.whole if what.alone else read_text(source)
        headers = own_headers(text, what.path, what.flags)
        directives = tuple(re.findall(r"^[ \t]*#.*", "\n".join((*headers, text)), re.MULTILINE))
        ask = partial(macros_of_nvcc, source, architecture(gpu), file, flags)
        known = partial(kept.once, "macros", (directives, what.path, flags, gpu), ask, _TEXTS)
        beside = directives, headers, _beside_kernels(text, kept), what.path, flags, gpu
        hosted = kept.once("launches", beside, lambda: launches_in(text, headers, known), _TEXTS)
        ptx = _embedded(cubin)
        return _Built(text, how, read_bytes(cubin), name, hosted, ptx, _variables(ptx))


def _beside_kernels(text: str, kept: KeptCode) -> tuple[str, ...]:
    """The lines of a text but for those inside of kernels, of the first of as many lines: what its
    host code says of launches stands there."""
    lines = text.split("\n")
    inside = kept.once("lines of kernels", len(lines), lambda: lines_of_kernels(text), _TEXTS)
    return tuple(line if n not in inside else "" for n, line in enumerate(lines, 1))


def begin_cuda(what: Compilation, kept: KeptCode) -> None:
    """Start nvcc for what :func:`check_cuda` is likely asked for soon, if a core is left."""
    file = str(what.path)
    gpu, nvcc = cuda_target(what.target, file), find_program("nvcc")
    if nvcc is None or kept.known("cubin", (what, gpu)) is not None:
        return

    def words(here: LaidOut) -> Sequence[str]:
        made = here.folder / _CUBIN
        return nvcc_words(nvcc, here.source, made, architecture(gpu), file, here.flags)

    kept.begin((what, gpu), lambda: begun(what, _PIPED, words))


def _kernels(built: _Built, only: str, file: str) -> tuple[SassKernel, ...]:
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        cubin = Path(folder, _CUBIN)
        cubin.write_bytes(built.cubin)
        found = compiled_kernels(cubin, only, file, built.source)
        return tuple(replace(one, name=steady(one.name)) for one in found)


def _without_lines(kernel: SassKernel, name: Name) -> SassKernel:
    """A kernel with the lines of the disassembly in order alone, where it stands in that, likewise
    its labels, which are counted over all kernels, with the user's names of its files, and those of
    the variables of the module for their places: equal to the same one of another compilation."""
    code, name = kernel.code, cache(name)
    place = cache(lambda one: replace(one, file=name(one.file)))
    order = {line: n for n, line in enumerate(sorted({i.line for i in code.instructions}))}
    labels: dict[str, str] = {}
    label = partial(_LABEL.sub, lambda one: labels.setdefault(one[0], f".L_{len(labels)}"))
    plain = tuple(
        replace(
            i,
            line=order[i.line],
            operands=tuple(label(one) if ".L_x_" in one else one for one in i.operands),
            places=tuple(map(place, i.places)),
        )
        for i in by_name(code, kernel.facts.externals)
    )
    facts = replace(kernel.facts, externals={})
    return replace(kernel, line=0, code=replace(code, instructions=plain), facts=facts)


def _embedded(cubin: Path) -> str:
    """The PTX that lies in a cubin, "" where none does: without it names in messages are missing,
    and it is compiled where it is asked for."""
    try:
        return steady(embedded_ptx(read_bytes(cubin), str(cubin)))
    except InputError:
        return ""


def _variables(ptx: str) -> dict[str, Sequence[tuple[str, int]]]:
    """The shared variables of each kernel of a PTX text, as far as it can be read."""
    try:
        return {part.kernel: part.variables for part in ptx_parts(ptx)}
    except InputError:
        return {}


def compiled_ptx(what: Compilation) -> str:
    """The PTX that nvcc makes of a source, with the names that any text in its place has; raises as
    :func:`check_cuda` does."""
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        made = Path(folder, "out.ptx")
        compile_to(what, made)
        return steady(read_text(made))


def compile_to(what: Compilation, made: Path) -> None:
    """Compile to a cubin or to PTX, as the name says; raises as :func:`check_cuda` does."""
    file = str(what.path)
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        source = source_of(what, Path(folder), _PIPED)
        name, gpu = names_of(source, file), architecture(cuda_target(what.target, file))
        compile_cuda(source, made, gpu, file, name, what.flags_in(Path(folder)))


def ptx_parts(ptx: str) -> Iterator[EmittedPart]:
    """The kernels of a PTX text, with the places that ptxas gives to their variables."""
    starts = list(_ENTRY.finditer(ptx))
    ends = [*(one.start() for one in starts[1:]), len(ptx)]
    variables = {one.name: one.shared for one in ptx_kernels(ptx)}
    for entry, end in zip(starts, ends, strict=False):  # of no kernel one end is left
        placed = places(variables.get(entry[1], ()))
        yield EmittedPart(entry[1], ptx[entry.end() : end], placed)


def cuda_target(given: str, file: str) -> str:
    """The GPU to compile for: the oldest whose code is followed where none is named, since newer
    ones run its code."""
    if not given:
        return _oldest()
    if _is_followed(given):
        return given
    known = sorted(followed(SASS), key=_capability)
    message = f"CUDA compiled for {given} is not followed"
    hint = f"--target sm_90, for example; one of {', '.join(known)}"
    raise InputError(message, location=Location(file), hint=hint)


def _oldest() -> str:
    """The oldest GPU whose code is followed. Files of the package are called by their capability:
    from the oldest on no more of them are read than needed; what the user's are, only they say."""
    own = own_machine_files()
    shipped = (name for name in machine_names() if name.startswith("sm_") and name not in own)
    in_order = sorted(shipped, key=lambda name: int(name.removeprefix("sm_")))
    found = [next(one for one in in_order if _is_followed(one))]
    found += [one for one in own if _is_followed(one)]
    return min(found, key=lambda name: (_capability(name), name))


def _is_followed(name: str) -> bool:
    return SASS.name in (machine(name).tools.machine_code or ())


def _capability(name: str) -> int:
    return int(architecture(name).removeprefix("sm_"))


def architecture(target: str) -> str:
    """What nvcc calls a machine: by its compute capability, whatever its file is called."""
    return f"sm_{triton(machine(target).tools).target.partition(':')[2]}"


def _uninstantiated(source: str) -> str:
    """What to do about a source of which no kernel was compiled."""
    names = kernel_functions(source.encode())
    if not names:
        return "no __global__ function stands in it" if source else ""
    return how_to_instantiate(names)


def compiled_kernels(cubin: Path, only: str, file: str, source: str = "") -> tuple[SassKernel, ...]:
    """The kernels of a compiled ``source``; what is wrong is wrong with it."""
    where = Location(file)
    try:
        text, found = cubin_kernels(cubin, only)
    except InputError as error:
        raise InputError(error.message, location=where, hint=error.hint) from error
    if not found:
        names = listed(kernel_names(text))
        message = f"no kernel {only!r} in this source" if names else "no kernel was compiled"
        hint = f"it has {names}" if names else included_by(file) + _uninstantiated(source)
        raise InputError(message, location=where, hint=hint)
    return tuple(_with_names(found, source))


def _with_names(found: Sequence[SassKernel], source: str) -> Iterator[SassKernel]:
    """The kernels with the names that their source has for their parameters, where it has one for
    each: a pack of a template is several."""
    functions = {one.name: own(demangled(one.name)) for one in found}
    names = parameter_names(source, tuple(functions.values()))
    for one in found:
        mine = names.get(functions[one.name], ())
        fits = len(mine) == len(one.facts.parameters or ())
        yield replace(one, facts=replace(one.facts, names=mine)) if mine and fits else one


def follow_at_source(
    kernel: SassKernel, file: str, name: Name, gpu: str, said: Launches
) -> AssemblyKernel:
    """Follow one kernel and say all that is found in terms of the source."""

    def follow(where: SourceLines) -> AssemblyKernel:
        begins = replace(kernel, line=where.start.line)
        place = lambda one: where.lines[one.line]  # noqa: E731 - a value of the record
        return check_kernel(SASS, begins, where.start.file, gpu, place, said)

    return at_source(follow, ((i.line, i.places) for i in kernel.instructions), file, name)


CUDA = SourceLanguage(
    name="CUDA",
    emits="PTX",
    target=cuda_target,
    check=check_cuda,
    emitted=compiled_ptx,
    begin=begin_cuda,
    parts=ptx_parts,
    remark="//",
    alone=True,
    tag="{{ .reg .b32 bankwise_{0}; mov.b32 bankwise_{0}, {1}; }}",
)
