"""Programs: the source of kernels. What is compiled is read, of the rest it is said what to do."""

from __future__ import annotations

from bankwise.read.format import ANY_KERNEL, BY_ARGUMENT, MACHINE_CODE, Format, known
from bankwise.read.options import ACCESSOR, DATABASE, FLAGS, TARGETS, TIMES
from bankwise.read.signs import always, lines, without

_HEADERS = ".h .hpp .hh .cpp .cc .cxx .c .inc"
_WHOLE = "ask.scan_open:of_whole"

_CUTE_VERBS = {
    "check": "ask.check_cute:check_cute_file",
    "fix": "ask.fix_cute:fix_cute_file",
}
_COMPILED = {
    "check": "ask.check_source:check_source_file",
    "fix": "ask.fix_source:fix_source_file",
    "scan": _WHOLE,
}

_RANKED = frozenset({"cheapest", "fewest-passes"})
"""By what texts of a source that is compiled here are ranked."""

_ABOUT_A_LAUNCH = {
    "--launch": "a header is launched by nobody: --times says how often a workgroup passes over "
    "its tiles, a profile (--counters) has the grid",
    "--workgroup-size": "--dim kBlockSize=256 says it, or how the header calls it",
    "--arg": "what the header leaves open is said by --dim",
}
"""Of a header, that is no kernel."""

SOURCES: tuple[Format, ...] = (
    Format(
        *("CuTe DSL source", "", (".py",)),
        lines(r"(?:import|from) cutlass\.cute\b", r"from cutlass import [^\n]*\bcute\b"),
        family="Python",
        verbs=_CUTE_VERBS,
        options=ANY_KERNEL,
    ),
    known(
        *("Triton source", "", ".py", lines(r"@triton\.", r"(?:import|from) triton\b")),
        "check the folder of its kernel in ~/.triton/cache, or call bankwise.triton.check",
        family="Python",
        instead_of="read.triton_calls:instead",
    ),
    known(
        *("Wave source", "", ".py", lines(r"(?:import|from) wave_lang\b")),
        "with compile_to_mlir=True wave_compile(..).asm is MLIR: check that (docs/wave.md)",
        family="Python",
    ),
    known(
        *("Python source", "", ".py .ipynb"),
        lines(r"(?:from [\w.]+ )?import \w", r"def \w+\([^\n]*:$"),
        "check what it compiles to: MLIR, TTGIR or assembly",
        family="Python",
    ),
    Format(
        *("CuTe source", "", tuple(_HEADERS.split())),
        without(
            r"\b__global__\b",
            lines(r'#include [<"]cute/', r"using namespace cute\b", r"[^\n]*\bcute::\w"),
        ),
        family="C++",
        verbs=_CUTE_VERBS,
        options=ANY_KERNEL,
    ),
    Format(
        *("HIP source", "", (".hip",)),
        always(r'#include [<"]hip/', r"[^\n]*\bhipLaunchKernelGGL\b"),
        family="C++",
        verbs=_COMPILED,
        ways_on=BY_ARGUMENT,
        options=MACHINE_CODE | {"--write", FLAGS, DATABASE, ACCESSOR, "--prefer"},
        preferences=_RANKED,
        compiled=True,
        instead="compile it: `hipcc --offload-device-only --offload-arch=gfx942 -S -g FILE -o "
        "kernel.s`, and check kernel.s",
    ),
    Format(
        *("CK source", "", tuple(_HEADERS.split())),
        lines(r"[^\n]*\bck(?:_tile)?::", r'#include [<"]ck(?:_tile)?/', r"[^\n]*\bCK_TILE_"),
        family="C++",
        verbs={"check": "ask.check_ck:check_ck_file", "fix": "ask.fix_ck:fix_ck_file"},
        options=ANY_KERNEL - _ABOUT_A_LAUNCH.keys() | {TIMES, TARGETS},
        ways_on=_ABOUT_A_LAUNCH,
        instead="write its tile and its layouts as a tile question (docs/notations.md), or compile "
        "a kernel that uses it with `hipcc -S` and check the assembly",
    ),
    Format(
        *("CUDA source", "", (".cu", ".cuh")),
        lines(r"[^\n]*\b__(?:global|shared|device)__\b", r'#include [<"]cuda'),
        family="C++",
        verbs=_COMPILED,
        ways_on=BY_ARGUMENT,
        options=MACHINE_CODE | {"--write", "--isa", "--run", FLAGS, DATABASE, ACCESSOR, "--prefer"},
        preferences=_RANKED,
        compiled=True,
        instead="compile it: `nvcc -ptx FILE`, or `nvcc -cubin -lineinfo -arch=sm_90 FILE`, and "
        "check that",
    ),
    known(
        *("C++ source", "", _HEADERS),
        lines(r"#(?:include|pragma|define)\b", r"(?:template|namespace|struct|class|using)\b"),
        "compile a kernel that uses it, and check the assembly",
        family="C++",
    ),
)
"""Programs. Of languages that contain each other the smaller comes first: C++ is in all of them."""
