"""Running ptxas: PTX to machine code, whose instructions are found again at the lines of the PTX.

    ptxas -lineinfo -arch=sm_90 kernel.ptx -o kernel.cubin

ptxas takes the places of instructions from ``.loc``. In the copy that it gets here every statement
has one that names its own line; they change no instruction. PTX for a debugger (``.target sm_90,
debug``) keeps its own. PTX that is newer than a ptxas is tried with the next one that is found.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from bankwise.errors import InputError, Location
from bankwise.identity import ByIdentity
from bankwise.read.assembly import ArgumentValues, AssemblyKernel
from bankwise.read.cuda import compiled_kernels, follow_at_source
from bankwise.read.follow.dialect import Size
from bankwise.read.follow.driver import UNSAID, isolated
from bankwise.read.launch.facts import KernelLaunch, Launches
from bankwise.read.ptx.parse import PtxKernel, functions, kernels
from bankwise.read.sass.parse import SassKernel
from bankwise.read.toolkit import find_programs, run_program, version_of

_TARGET = re.compile(r"^\s*\.target\s+(sm_\d+)([a-z]?)([^\n]*)", re.MULTILINE)
_LOC = re.compile(r"^[ \t]*\.loc\s[^\n]*", re.MULTILINE)
_FILE = re.compile(r"^\s*\.file\s+(\d+)", re.MULTILINE)
_HINT = (
    "it comes with the CUDA Toolkit, with the Python packages triton and nvidia-cuda-nvcc; set "
    "CUDA_HOME or PATH. Without --isa the PTX itself is counted"
)


class Assembled(ByIdentity, frozen=True, eq=False):
    """The kernels of a PTX text as ptxas assembled them. ``assembler``: its name and version."""

    kernels: tuple[AssemblyKernel, ...]
    assembler: str


def check_assembled(
    text: str,
    file: str,
    gpu: str,
    *,
    args: ArgumentValues,
    kernel: str = "",
    workgroup_size: Size | None = None,
    launches: Launches = UNSAID,
    lines: Sequence[int] = (),
) -> Assembled:
    """Assemble PTX for ``gpu`` and follow the machine code; parameters as of
    :func:`bankwise.read.follow.driver.check_code`. Arguments are named as in the PTX. ``lines``:
    what each line of the text is called, if not by its number.

    Raises :class:`InputError` without a ptxas, or in its words if it refuses the text.
    """
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        cubin, assembler = _assembled(text, file, _architecture(text, gpu), Path(folder), lines)
        found = compiled_kernels(cubin, kernel, file)
    texts = {one.name: one for one in kernels(text, file, kernel)}
    plain = KernelLaunch(block=workgroup_size, arguments=args, said="as --workgroup-size says")
    said = replace(launches, plain=plain)

    def follow_one(one: SassKernel) -> AssemblyKernel:
        placed = _of_ptx(texts[one.name], said) if one.name in texts else said
        return follow_at_source(one, file, lambda found: found, gpu, placed)

    followed = isolated(
        found,
        follow_one,
        lambda one: Location(file, one.line),
        gpu,
        lambda one: len(one.instructions),
    )
    return Assembled(followed, assembler)


def _of_ptx(kernel: PtxKernel, said: Launches) -> Launches:
    """``said`` with arguments by position, since machine code has no names, and with the size that
    the PTX requires; where it bounds the threads the cubin says so, too."""
    names = [name for name, _ in kernel.parameters]

    def placed(one: KernelLaunch) -> KernelLaunch:
        given = one.arguments.items()
        args = {str(names.index(str(k))) if k in names else k: value for k, value in given}
        return replace(one, arguments=args)

    stated = tuple(tuple(map(placed, level)) for level in said.stated)
    required = (KernelLaunch(block=_size(kernel)),)
    return replace(said, stated=(*stated, required), plain=placed(said.plain))


def _size(kernel: PtxKernel) -> Size | None:
    size = kernel.workgroup_size
    if size is None or kernel.bounded or not 1 <= len(size) <= 3:
        return None
    x, y, z = (*size, 1, 1)[:3]
    return x, y, z


def _architecture(text: str, gpu: str) -> str:
    """What ptxas calls the GPU: as the text does, with the letter of its own features."""
    found = _TARGET.search(text)
    return found[1] + found[2] if found and found[1] == gpu else gpu


def _assembled(
    text: str, file: str, architecture: str, folder: Path, lines: Sequence[int]
) -> tuple[Path, str]:
    """The cubin, and who made it. What is wrong with the text is told by the first ptxas."""
    found = _TARGET.search(text)
    debug = bool(found and "debug" in found[3])
    texts = (text,) if debug else (with_lines(text, file, lines), text)
    flags = "-g" if debug else "-lineinfo"
    refused: InputError | None = None
    for program in find_programs("ptxas"):
        for number, one in enumerate(texts):
            source, cubin = folder / f"kernel{number}.ptx", folder / "kernel.cubin"
            source.write_text(one, "utf-8")
            words = [flags, f"-arch={architecture}", str(source), "-o", str(cubin)]
            code, printed = run_program([str(program), *words], folder, file)
            if not code and cubin.is_file():
                return cubin, version_of(program, folder)
            said = _refused(printed, code, str(source), file)
        refused = refused or said
    message = "PTX is assembled with ptxas, which is not found"
    raise refused or InputError(message, location=Location(file), hint=_HINT)


def with_lines(text: str, file: str, called: Sequence[int] = ()) -> str:
    """The text with a place for every statement: its own line, or what that is ``called``."""
    starts = {s.line for one in kernels(text, file) for s in one.statements}
    starts |= {s.line for one in functions(text).values() for s in one.statements}
    lines = _LOC.sub("", text).split("\n")
    names = called or range(1, len(lines) + 1)
    own = 1 + max(map(int, _FILE.findall(text)), default=0)
    placed = (
        f".loc {own} {names[number - 1]} 0 {line}" if number in starts else line
        for number, line in enumerate(lines, 1)
    )
    name = file.replace("\\", "\\\\").replace('"', '\\"')
    return "\n".join((*placed, f'.file {own} "{name}"', ""))


def _refused(printed: str, code: int, source: str, file: str) -> InputError:
    """The first error that ptxas printed, at its line."""
    line = re.search(rf"{re.escape(source)}, line (\d+); *(.*)", printed)
    told = (text for text in printed.splitlines() if text.strip() and "info    :" not in text)
    first = next(told, f"exit {code}")
    said = line[2] if line else first.replace(source, file)
    place = Location(file, int(line[1])) if line else Location(file)
    return InputError(f"ptxas does not assemble it: {said.strip()}", location=place)
