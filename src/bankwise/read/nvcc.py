"""Running nvcc: CUDA source to a cubin, and what nvcc says against it at the author's lines.

    nvcc -lineinfo -cubin -arch=sm_90 -I. kernel.cu -o kernel.cubin

Nothing is written beside the source: what nvcc leaves lies in a folder that the caller makes.
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from bankwise.errors import InputError, Location
from bankwise.read.ahead import RunProgram
from bankwise.read.extra import install
from bankwise.read.file_names import Name
from bankwise.read.refused import UNKNOWN, ToldSource, refused
from bankwise.read.toolkit import find_program, run_program, version_of

_FLAGS = ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS")
"""Where nvcc itself takes more flags from."""


def compile_cuda(
    source: Path,
    made: Path,
    architecture: str,
    file: str,
    name: Name,
    more: Sequence[str] = (),
    run: RunProgram | None = None,
) -> str:
    """Compile ``source`` to a cubin, or to PTX where ``made`` ends in it; in words how that was
    done.

    ``architecture``: as nvcc calls it (sm_90). ``file``: what the user calls the source. ``more``:
    the user's own flags; ``run``: by whom nvcc is run. Raises :class:`InputError` without nvcc, or
    if nvcc takes too long or refuses the source.
    """
    nvcc = find_program("nvcc")
    if nvcc is None:
        message = "CUDA source is compiled with nvcc, which is not found"
        elsewhere = by_hand(architecture, file, more)
        hint = f"`{install('cuda')}` brings it; or where CUDA is installed: {elsewhere}"
        raise InputError(message, location=Location(file), hint=hint)
    words = nvcc_words(nvcc, source, made, architecture, file, more)
    code, printed = (run or run_program)(words, made.parent, file)
    if code or not made.is_file():
        typed = by_hand(architecture, file, more)
        hints = [(sign, f"{help_}; or compile it yourself: {typed}") for sign, help_ in HINTS]
        hints.append(("", f"all that nvcc says of it: {typed.partition(' && ')[0]}"))
        raise refused(printed, code, "nvcc", ToldSource(source, file, name, made.parent), hints)
    shown = [*words[1:-3], _plain(source if str(source) == file else Path(source.name))]
    return f"compiled by {version_of(nvcc, made.parent)}: {_typed(shown, source)}"


def nvcc_words(
    nvcc: Path, source: Path, made: Path, architecture: str, file: str, more: Sequence[str]
) -> list[str]:
    """How nvcc is called; the source stands before ``-o`` and the file that is made."""
    flags = *_flags(architecture, more, made.suffix), *more
    words = (*flags, *_include(source, file), *_language(source), _plain(source))
    return [str(nvcc), *words, "-o", str(made)]


def macros_of_nvcc(
    source: Path, architecture: str, file: str, more: Sequence[str] = ()
) -> Mapping[str, str]:
    """The macros without parameters that hold at the end of a source, for the device; none where
    nvcc does not say them. As :func:`compile_cuda` takes its arguments."""
    nvcc = find_program("nvcc")
    if nvcc is None:
        return {}
    flags = _flags(architecture, more, ".E")[1:]
    words = (*flags, *more, *_include(source, file), *_language(source), "-Xcompiler", "-dM")
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        made = Path(folder, "macros.txt")
        command = [str(nvcc), *words, _plain(source), "-o", str(made)]
        code, _ = run_program(command, Path(folder), file)
        told = "" if code or not made.is_file() else made.read_text("utf-8", errors="replace")
    found = re.findall(r"^#define (\w+)(?: (.*))?$", told, re.MULTILINE)
    return dict(found)


def by_hand(architecture: str, file: str, more: Sequence[str] = ()) -> str:
    """What to type where there is a compiler, with the user's own flags."""
    source = Path("kernel.cu" if file == "-" else file)
    own = *more, *_include(source, file)
    words = ["nvcc", *_flags(architecture, more), *own, *_language(source), _plain(source)]
    cubin = _cubin(source)
    return f"{shlex.join([*words, '-o', cubin])} && {shlex.join(['bankwise', 'check', cubin])}"


def _flags(architecture: str, more: Sequence[str], made: str = ".cubin") -> tuple[str, ...]:
    """``more``: of the user, who may say the architecture more exactly: sm_90a."""
    own = any(one.startswith("-arch=") for one in more)
    return "-lineinfo", f"-{made[1:]}", *(() if own else (f"-arch={architecture}",))


def _include(source: Path, file: str) -> tuple[str, ...]:
    """The folder of the user's source; of what came through a pipe, where the user is."""
    return (f"-I{Path(file).parent}" if Path(file).is_file() else "-I.",)


def _language(source: Path) -> tuple[str, ...]:
    return () if source.suffix == ".cu" else ("-x", "cu")


def _plain(path: Path) -> str:
    """A name that is no option."""
    return f"./{path}" if str(path).startswith("-") else str(path)


def _cubin(source: Path) -> str:
    return _plain(Path(f"{source.stem}.cubin"))


def _typed(words: Sequence[str], source: Path) -> str:
    """The command with the user's names, and the flags that nvcc found elsewhere."""
    more = [f"{key}={shlex.quote(os.environ[key])} " for key in _FLAGS if os.environ.get(key)]
    return f"{''.join(more)}{shlex.join(['nvcc', *words, '-o', _cubin(source)])}"


HINTS = (
    (
        r"^(?:gcc|g\+\+|clang|clang\+\+): No such file|Failed to preprocess host compiler",
        "nvcc does not find the host compiler that it calls: put gcc and g++ on PATH, or name "
        "yours: `bankwise check FILE -- -ccbin PATH`",
    ),
    (
        r"No such file or directory|could not open source file|cannot open source file",
        "say where its headers are behind `--`: `bankwise check FILE -- -Iinclude`, or by a "
        "compile_commands.json (--compile-commands DIR)",
    ),
    (
        r"[Uu]nsupported gpu architecture|is not defined for option 'gpu-architecture'",
        "this nvcc does not know the GPU: another --target, or another nvcc on PATH",
    ),
    (
        r"not supported on \.target|requires [^\n]*\bsm_\d+a\b",
        "instructions of one GPU alone are compiled for it by name, as wgmma for sm_90a: "
        "`bankwise check FILE --target sm_90a`",
    ),
    (
        r"requires separate compilation mode",
        "kernels that launch kernels: `bankwise check FILE -- -rdc=true`",
    ),
    (
        r"unsupported GNU version|unsupported clang version|unsupported Microsoft",
        "another host compiler: `-- -ccbin g++-12`, for example",
    ),
    (
        r'"cudaThread(?:Synchronize|Exit)" is undefined',
        "CUDA 13 has this function by another name only: "
        "`bankwise check FILE -- -DcudaThreadSynchronize=cudaDeviceSynchronize "
        "-DcudaThreadExit=cudaDeviceReset`",
    ),
    (UNKNOWN, "flags that it needs stand behind `--`: `bankwise check FILE -- -Iinclude -DN=4`"),
)
"""By what the compiler says, the first that fits."""
