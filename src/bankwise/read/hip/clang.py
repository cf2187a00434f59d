"""Running a clang that compiles HIP: source to AMD assembly that names its lines.

    amdclang++ -x hip --offload-arch=gfx942 --offload-device-only -S -gline-tables-only -O3 k.hip

ROCm's own is taken first, with ROCm's headers and device library. Any other clang gets the header
``device.h`` of this folder in their place: declarations over clang's builtins, so that shared
memory is accessed alike, while what ROCm's device library computes has short stand-ins. One that
does not know the GPU is passed over: LLVM has had gfx942 since version 17, gfx950 since 20.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from bankwise.errors import InputError, Location
from bankwise.read.ahead import RunProgram
from bankwise.read.file_names import Name
from bankwise.read.refused import UNKNOWN, ToldSource, refused
from bankwise.read.toolkit import run_program, said_version

OWN_HEADER = Path(__file__).with_name("device.h")
_OWN = ("-nogpulib", "-nogpuinc", "-include", str(OWN_HEADER))
_INCLUDED = (
    *(
        "hip/hip_runtime.h",
        "hip/hip_runtime_api.h",
        "hip/hip_fp16.h",
        "hip/hip_bf16.h",
        "hip/hip_bfloat16.h",
    ),
    *("cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "cuda_fp16.h", "cuda_bf16.h"),
    *("math_constants.h", "device_functions.h", "vector_types.h", "hip/device_functions.h"),
    *("device_launch_parameters.h", "hip/hip_vector_types.h", "hip/math_functions.h"),
)
"""What sources include that ``device.h`` stands for."""
_HOST = """\
#if __has_include(<cmath>)
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tuple>
#endif
#if defined HIP_TEMPLATE_KERNEL_LAUNCH && defined hipLaunchKernelGGL
#undef hipLaunchKernelGGL
template <class... A, class F = void (*)(A...)>
void hipLaunchKernelGGL(F kernel, dim3 grid, dim3 block, unsigned bytes, hipStream_t on, A... all) {
  kernel<<<grid, block, bytes, on>>>(all...);
}
#endif
"""
"""What the first of them includes, which host code may count on, and how a kernel is launched where
the source asks for a function in place of the macro."""
_UNFIT = re.compile(
    r"unsupported \w* ?gpu arch|invalid (?:target ID|offload arch)|unknown target CPU"
    r"|cannot find (?:ROCm|HIP)|Can't exec|nvcc fatal",
    re.IGNORECASE,
)
"""What a clang says that does not know the GPU, or lacks what it needs for HIP."""
_VERSION = re.compile(r"clang version ([\d.]+)")


class HipCompiler(Struct, frozen=True):
    """A clang. ``words``: how it is called; ``rocm``: with ROCm's headers; ``name``: of it."""

    words: tuple[str, ...]
    rocm: bool
    name: str


def compilers() -> Iterator[HipCompiler]:
    """ROCm's, then those of LLVM on PATH, the newest first, then the one of the package ziglang."""
    rocm = Path(os.environ.get("ROCM_PATH", "/opt/rocm"))
    own = (shutil.which(name) for name in ("amdclang++", "hipcc"))
    for found in (*own, shutil.which("clang++", path=str(rocm / "llvm" / "bin"))):
        if found:
            yield HipCompiler((found,), True, Path(found).name)
    newest = [f"clang++-{number}" for number in range(40, 16, -1)]
    for found in filter(None, map(shutil.which, (*newest, "clang++"))):
        yield HipCompiler((found,), False, Path(found).name)
    spec = find_spec("ziglang")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        zig = Path(folder, "zig.exe" if os.name == "nt" else "zig")
        headers = ("-isystem", str(Path(folder, "lib", "include")))
        yield HipCompiler((str(zig), "clang", *headers), False, "ziglang's clang")


def compile_hip(
    source: Path,
    made: Path,
    target: str,
    file: str,
    name: Name,
    more: Sequence[str] = (),
    run: RunProgram | None = None,
) -> str:
    """Compile ``source`` to assembly; in words how that was done.

    ``file``: what the user calls the source; ``more``: the user's own flags; ``run``: by whom
    the compiler is run. Raises :class:`InputError` where no compiler knows the GPU, or if the first
    that does refuses the source.
    """
    unfit: list[str] = []
    for one in compilers():
        words = hip_words(one, source, made, target, file, more)
        code, printed = (run or run_program)(words, made.parent, file)
        if not code and made.is_file():
            headers = "ROCm's" if one.rocm else "bankwise's"
            shown = shlex.join([*_flags(target), *more])
            return f"compiled by {_version(one, made.parent)}, {headers} headers: {shown}"
        if not _UNFIT.search(printed):
            what = ToldSource(source, file, name, made.parent)
            raise refused(printed, code, one.name, what, _hints(target, file, more))
        unfit.append(one.name)
    raise _nothing(unfit, target, file, more)


def hip_words(
    one: HipCompiler, source: Path, made: Path, target: str, file: str, more: Sequence[str]
) -> list[str]:
    """How a compiler is called; headers that it lacks are laid beside ``made``."""
    own = () if one.rocm else (*_OWN, f"-I{_stubs(made.parent)}")
    include = f"-I{Path(file).parent}" if Path(file).is_file() else "-I."
    return [*one.words, *own, *_flags(target), *more, include, str(source), "-o", str(made)]


def knows(target: str) -> str:
    """Who compiles for a GPU here, with whose headers, tried on an empty kernel; "" for nobody."""
    with TemporaryDirectory(prefix="bankwise-") as folder, suppress(InputError):
        source = Path(folder, "kernel.hip")
        source.write_text("__global__ void k() {}\n", "utf-8")
        how = compile_hip(source, Path(folder, "kernel.s"), target, "kernel.hip", str)
        return how.removeprefix("compiled by ").partition(":")[0]
    return ""


def _flags(target: str) -> tuple[str, ...]:
    device = ("--offload-device-only", "-S", "-gline-tables-only", "-O3")
    return "-x", "hip", f"--offload-arch={target}", *device


def _stubs(folder: Path) -> Path:
    """A folder with files of the names that sources include."""
    top = folder / "headers"
    for name in _INCLUDED:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(_HOST if name.endswith("_runtime.h") else "", "utf-8")
    return top


def _version(one: HipCompiler, folder: Path) -> str:
    found = _VERSION.search(said_version(one.words, folder, one.name))
    return f"clang {found[1]}" if found else one.name


def by_hand(target: str, file: str, more: Sequence[str] = ()) -> str:
    """What to type where ROCm is installed."""
    words = ["hipcc", *_flags(target)[2:], *more, "kernel.hip" if file == "-" else file]
    made = f"{Path(words[-1]).stem}.s"
    return f"{shlex.join([*words, '-o', made])} && {shlex.join(['bankwise', 'check', made])}"


def _hints(target: str, file: str, more: Sequence[str]) -> tuple[tuple[str, str], ...]:
    typed = by_hand(target, file, more)
    flags = "flags that it needs stand behind `--`: `bankwise check FILE -- -Iinclude -DN=4`"
    return (
        (
            "file not found",
            "say where its headers are behind `--`: `bankwise check FILE -- -Iinclude`; headers"
            f" of ROCm come with ROCm alone, of NVIDIA with nvcc; or compile it yourself: {typed}",
        ),
        (
            r"in asm|asm constraint|__cvta|__pipeline|nvcuda",
            "assembly of NVIDIA's and what stands for it have no meaning on this GPU; --target "
            "names one",
        ),
        (UNKNOWN, f"{flags}; or compile it yourself: {typed}"),
        ("", f"all that the compiler says of it: {typed.partition(' && ')[0]}"),
    )


def _nothing(unfit: Sequence[str], target: str, file: str, more: Sequence[str]) -> InputError:
    known = f"; {', '.join(unfit)} cannot compile for it" if unfit else ""
    message = f"HIP for {target} is compiled with a clang that knows it, which is not found{known}"
    hint = (
        "ROCm's, Debian's clang-19 (gfx942) or a later one, or `pip install ziglang`, which brings "
        f"a clang; or elsewhere: {by_hand(target, file, more)}"
    )
    return InputError(message, location=Location(file), hint=hint)
