"""HIP source: compiled by clang to assembly, whose kernels are read at the author's lines.

Behind each ``.loc`` clang names in a remark where the line was inlined, too:

    .loc 1 30 3      ; tile.h:30:3 @[ kernel.hip:12:5 ]
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from bankwise.errors import InputError, Location
from bankwise.files import read_text
from bankwise.hardware.machine import machine
from bankwise.identity import ByIdentity
from bankwise.read.ahead import LaidOut
from bankwise.read.amd.dialect import AMD
from bankwise.read.amd.parse import AmdKernel, kernels
from bankwise.read.amd.text import named_files
from bankwise.read.assembly import ArgumentValues, AssemblyKernel
from bankwise.read.at_source import Places, SourceLines, at_source
from bankwise.read.file_names import Name, names_of
from bankwise.read.follow.dialect import Size
from bankwise.read.follow.driver import (
    UNSAID,
    check_kernel,
    followed,
    isolated,
    no_kernel,
    with_options,
)
from bankwise.read.hip.clang import OWN_HEADER, compile_hip, compilers, hip_words
from bankwise.read.kept_code import KeptCode
from bankwise.read.launch.facts import KernelLaunch, Launches
from bankwise.read.launch.headers import own_headers
from bankwise.read.launch.host import launches_in
from bankwise.read.refused import included_by
from bankwise.read.source import (
    Compilation,
    Compiled,
    EmittedPart,
    SourceLanguage,
    begun,
    laid_out,
    source_of,
)

_PIPED, _ASSEMBLY = "kernel.hip", "out.s"
"""What a source without a name is called, and what is made of one."""
_TEXTS = 32
"""Of how many texts the assembly is kept."""
_LOC = re.compile(r"^\s*\.loc\s+\d+\s+\d+[^;]*;\s*(.*)")
_AT = re.compile(r"([^\s\[\]]+):(\d+):(\d+)")


def check_hip(
    what: Compilation,
    *,
    args: ArgumentValues,
    kernel: str = "",
    workgroup_size: Size | None = None,
    launches: Launches = UNSAID,
    kept: KeptCode | None = None,
) -> Compiled:
    """Compile a HIP source and follow its kernels: :class:`bankwise.read.source.CheckSource`."""
    file = str(what.path)
    gpu = hip_target(what.target, file)
    kept = KeptCode() if kept is None else kept
    built = kept.once("assembly", (what, gpu), lambda: _built(what, gpu, kept), _TEXTS)
    text, name, launches = built.text, built.name, replace(launches, hosted=built.hosted)
    found = AMD.kernels(text, file, kernel)
    if not found:
        error = no_kernel(AMD, text, file, kernel)
        hint = included_by(file) + error.hint
        raise InputError(error.message, location=error.location, hint=hint)
    said = with_options(AMD, found, args, workgroup_size, launches, file)
    places = line_places(text)
    done = isolated(
        found,
        lambda one: _followed(one, places, file, name, gpu, said),
        lambda one: Location(file, one.line),
        gpu,
        lambda one: len(one.operations),
        kept,
        lambda one: (_without_lines(one, places, name), gpu, said.concerning(one.name)),
    )
    guessed = "" if what.target else f"; for {gpu}, since --target names no GPU"
    variables = {part.kernel: part.variables for part in assembly_parts(text)}
    return Compiled(done, built.how + guessed, variables, text)


class _BuiltAssembly(ByIdentity, frozen=True, eq=False):
    """The assembly ``text`` of a source, and ``how`` it was made. ``name``: what the user calls its
    files; ``hosted``: what its host code says of launches."""

    text: str
    how: str
    name: Name
    hosted: tuple[KernelLaunch, ...]


def _built(what: Compilation, gpu: str, kept: KeptCode) -> _BuiltAssembly:
    file = str(what.path)
    with laid_out(what, _PIPED, kept.take((what, gpu))) as here:
        source, made = here.source, here.folder / _ASSEMBLY
        name = names_of(source, file)
        how = compile_hip(source, made, gpu, file, name, here.flags, here.run)
        host = read_text(source)
        hosted = launches_in(host, own_headers(host, what.path, what.flags))
        return _BuiltAssembly(read_text(made), how, name, hosted)


def begin_hip(what: Compilation, kept: KeptCode) -> None:
    """Start clang for what :func:`check_hip` is likely asked for soon, if a core is left."""
    file = str(what.path)
    gpu, one = hip_target(what.target, file), next(compilers(), None)
    if one is None or kept.known("assembly", (what, gpu)) is not None:
        return

    def words(here: LaidOut) -> Sequence[str]:
        return hip_words(one, here.source, here.folder / _ASSEMBLY, gpu, file, here.flags)

    kept.begin((what, gpu), lambda: begun(what, _PIPED, words))


def _without_lines(kernel: AmdKernel, places: Mapping[int, Places], name: Name) -> object:
    """A kernel with the lines of the assembly in order alone, and where each comes from, by the
    user's names of its files: equal to the same one of another compilation."""
    name = cache(name)
    named = cache(lambda one: replace(one, file=name(one.file)))
    order = {line: n for n, line in enumerate(sorted({op.line for op in kernel.operations}))}
    plain = tuple(
        replace(op, line=order[op.line], source=op.source and named(op.source))
        for op in kernel.operations
    )
    from_ = tuple(tuple(map(named, places.get(op.line, ()))) for op in kernel.operations)
    return replace(kernel, line=0, operations=plain), from_


def _followed(
    kernel: AmdKernel, places: Mapping[int, Places], file: str, name: Name, gpu: str, said: Launches
) -> AssemblyKernel:
    """Follow one kernel and say all that is found in terms of the source."""

    def at(where: SourceLines) -> AssemblyKernel:
        begins = replace(kernel, line=where.start.line)
        place = lambda op: where.lines[op.line]  # noqa: E731 - a value of the record
        return check_kernel(AMD, begins, where.start.file, gpu, place, said)

    placed = [(op.line, places.get(op.line, ())) for op in kernel.operations]
    return at_source(at, placed, file, name)


def compiled_assembly(what: Compilation) -> str:
    """The assembly that clang makes of a source; raises as :func:`check_hip` does."""
    file = str(what.path)
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        source, made = source_of(what, Path(folder), _PIPED), Path(folder, _ASSEMBLY)
        gpu = hip_target(what.target, file)
        compile_hip(source, made, gpu, file, names_of(source, file), what.flags)
        return read_text(made)


def line_places(text: str) -> dict[int, Places]:
    """Where the lines of an assembly text come from; what stands in bankwise's own header has the
    place of its caller, or none."""
    files = {name: whole for _, name, whole in named_files(text.splitlines())}
    places: dict[int, Places] = {}
    now: Places = ()
    for number, line in enumerate(text.splitlines(), 1):
        if found := _LOC.match(line):
            now = tuple(_places(found[1], files))
        elif line.startswith(".Lfunc_end"):
            now = ()
        places[number] = now
    return places


def _places(remark: str, files: Mapping[str, str]) -> Iterator[Location]:
    for one in _AT.finditer(remark):
        file = files.get(one[1], one[1])
        if int(one[2]) and not _is_own(file):
            yield Location(file, int(one[2]), int(one[3]))


def _is_own(file: str) -> bool:
    """Whether a file is bankwise's own header, which a compiler names from the folder that it runs
    in if the header lies below that."""
    return Path(file).name == OWN_HEADER.name and Path(file).resolve() == OWN_HEADER.resolve()


def hip_target(given: str, file: str) -> str:
    """The GPU to compile for: the first whose code is followed where none is named."""
    if given and AMD.name in (machine(given).tools.machine_code or ()):
        return given
    known = followed(AMD)
    if given:
        message = f"HIP compiled for {given} is not followed"
        hint = f"--target {known[-1]}, for example; one of {', '.join(known)}"
        raise InputError(message, location=Location(file), hint=hint)
    return known[0]


def assembly_parts(text: str) -> Iterator[EmittedPart]:
    """The kernels of an assembly text. LLVM makes one variable of all that a kernel has in LDS,
    which begins at 0 unless functions that are called share some; what the launch decides, here
    under no name, lies behind it."""
    shared = "llvm.amdgcn.module.lds" in text
    for one in kernels(text):
        found = re.search(rf"^{re.escape(one.name)}:.*?^\.Lfunc_end", text, re.M | re.S)
        own = f"llvm.amdgcn.kernel.{one.name}.lds"
        placed = [] if shared else [(own, 0), ("", one.lds_bytes)]
        yield EmittedPart(one.name, found[0] if found else "", placed)


HIP = SourceLanguage(
    name="HIP",
    emits="assembly",
    target=hip_target,
    check=check_hip,
    emitted=compiled_assembly,
    begin=begin_hip,
    parts=assembly_parts,
    remark=";",
    tag="bankwise_{0} {1}",
    place='"i"((__attribute__((address_space(3))) void*)&{})',
)
