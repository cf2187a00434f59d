"""What a file is, who reads it, which verbs take it: one table, one record for each format.

Help texts, refusals, the Python API, the jobs of the page and the walk through a folder are all
derived from :data:`FORMATS`: a format is added by adding its record. Content decides where it is
plain (PTX in a ``.txt`` is PTX), the suffix elsewhere. A suffix that belongs to a family (``.py``,
``.cu``, ``.toml``, ..) settles the family: a kernel quoted in a Python file is still Python, and a
``.cu`` without a kernel of its own is no C++, which stands behind CUDA. What bankwise does not read
is known too, so that the refusal can say what to do instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bankwise.read import signs
from bankwise.read.signs import Sign, inside, keys, lines, magic


@dataclass(frozen=True, slots=True, eq=False)
class Format:
    """One kind of file or folder.

    ``name``: what it is called, behind ``article`` in a sentence. ``sign``: the test on its
    content. ``family``: of the languages that its suffixes may stand for. ``verbs``: each verb that
    takes it and who answers; ``reader``: who reads emitted code; ``listing``: who finds the machine
    code in it. These are ``module:function`` below ``bankwise``, loaded when they are wanted.
    ``options``: those of the verbs that not every format has a use for. ``stage``: of what a
    compiler leaves in a folder the highest is checked, 0 is named only. ``binary``: it has no
    text. ``compiled``: reading it runs a compiler, which opens whatever its text includes: only for
    who may open that too. ``instead``: what to do.
    """

    name: str
    article: str = ""
    suffixes: tuple[str, ...] = ()
    sign: Sign | None = None
    family: str = ""
    verbs: Mapping[str, str] = field(default_factory=dict)
    reader: str = ""
    listing: str = ""
    options: frozenset[str] = frozenset()
    stage: int | None = None
    binary: bool = False
    compiled: bool = False
    instead: str = ""

    def __str__(self) -> str:
        return f"{self.article} {self.name}".strip()


_ANY_KERNEL = frozenset(
    ["--kernel", "--dim", "--workgroup-size", "--arg", "--launch", "--all", "--counters", "--worth"]
)
"""Of any kernel: one command line serves many files, also those that have no use for one."""
_OWN_LAUNCH = _ANY_KERNEL - {"--launch"}
"""Of a text that says itself how it is launched."""
_MLIR_OPTIONS = _OWN_LAUNCH | {"--isa", "--write", "--reference", "--prefer"}
_MODEL_OPTIONS = _OWN_LAUNCH | {"--isa", "--keep", "--padding", "--direct-load", "--prefer"}

_CUBIN_VERBS = {
    "check": "ask.check_assembly:check_assembly_file",
    "scan": "ask.scan_open:of_cubin",
    "verify": "lab.to_measure:emitted_parts",
}
_BINARY_VERBS = {
    "check": "ask.check_binary:check_binary_file",
    "scan": "ask.scan_open:of_binary",
    "verify": "lab.to_measure:emitted_parts",
}
_WHOLE, _BELOW = "ask.scan_open:of_whole", "ask.scan_open:files_of"
_ASSEMBLY_VERBS = {
    **_CUBIN_VERBS,
    "scan": "ask.scan_open:of_text",
    "triton-plan ASSEMBLY": "ask.triton_plan:plan_files",
}
_MLIR_VERBS = {
    "check": "ask.check_mlir:check_mlir_file",
    "scan": _WHOLE,
    "fix": "ask.fix:fix_kernels",
    "opt": "ask.opt:opt_file",
    "cost": "ask.cost:cost_of_kernels",
    "verify": "lab.to_measure:mlir_parts",
}
_COMPILED = "ask.worth_static:compiled"


def _mlir(
    name: str, article: str, suffixes: tuple[str, ...], sign: Sign, family: str = ""
) -> Format:
    """MLIR with threads, however it is wrapped."""
    return Format(
        *(name, article, suffixes, sign),
        family,
        verbs=_MLIR_VERBS,
        options=_MLIR_OPTIONS,
        listing=_COMPILED,
        stage=1 if ".mlir" in suffixes else None,
    )


def _toml(name: str, *top: str, verbs: Mapping[str, str], instead: str = "") -> Format:
    """A question or a description in TOML, told by its keys."""
    return Format(name, "a", (".toml",), keys(*top), "TOML", verbs, instead=instead)


def _written(
    name: str, article: str, schema: str, verb: str, asker: str, instead: str = ""
) -> Format:
    """JSON that bankwise wrote."""
    sign = signs.schema(schema)
    return Format(name, article, (".json",), sign, "JSON", {verb: asker}, instead=instead)


def _binary(name: str, article: str, suffixes: str, mark: bytes) -> Format:
    """A file of machine code that holds kernels for one GPU or for several."""
    return Format(
        *(name, article, tuple(suffixes.split()), magic(mark)),
        verbs=_BINARY_VERBS,
        reader="read.binary.check:check_binary",
        options=_ANY_KERNEL,
        stage=0,
        binary=True,
    )


READ: tuple[Format, ...] = (
    _mlir("MLIR kernel", "an", (".mlir",), signs.is_kernel),
    Format(
        *("model", "a", (), signs.is_model),
        verbs={
            "check": "ask.model:check_model",
            "fix": "ask.model:fix_model",
            "opt": "ask.opt:opt_file",
            "cost": "ask.model:cost_of_model",
        },
        options=_MODEL_OPTIONS,
        instead="`bankwise check FILE --target gfx942 --keep DIR` lowers it and keeps its kernels",
    ),
    _mlir("print of several passes", "a", (), signs.is_dump),
    _mlir("MLIR in a document", "", (".rst", ".md"), signs.is_document, family="document"),
    Format(
        *("AMD assembly", "", (".s", ".amdgcn", ".rocmasm", ".asm")),
        lines(r"\.amdgcn_target\b", r"\.amdhsa_\w"),
        verbs=_ASSEMBLY_VERBS,
        reader="read.amd.dialect:AMD",
        listing="ask.worth_static:emitted",
        options=_ANY_KERNEL,
        stage=4,
    ),
    Format(
        *("PTX", "", (".ptx",), lines(r"\.version[ \t]+\d")),
        verbs={**_ASSEMBLY_VERBS, "check": "ask.check_ptx:check_ptx_file"},
        reader="read.ptx.dialect:PTX",
        options=_ANY_KERNEL | {"--isa"},
        stage=3,
    ),
    Format(
        *(
            "SASS",
            "",
            (".sass",),
            lines(r"\.headerflags\b", r"\.elftype\b", r"//-+ \.(?:text|nv)\."),
        ),
        verbs=_ASSEMBLY_VERBS,
        reader="read.sass.dialect:SASS",
        options=_ANY_KERNEL,
    ),
    Format(
        *("cubin", "a", (".cubin",), magic(rb"\x7fELF.{14}\xbe\x00")),
        verbs=_CUBIN_VERBS,
        reader="read.sass.cubin:check_cubin",
        options=_ANY_KERNEL,
        stage=0,
        binary=True,
    ),
    _binary("AMD code object", "an", ".hsaco .co", rb"\x7fELF.{14}\xe0\x00"),
    _binary("offload bundle", "an", ".hipfb", rb"__CLANG_OFFLOAD_BUNDLE__|CCOB[\x00-\x0f]\x00"),
    _binary("fat binary", "a", ".fatbin", rb"\x50\xed\x55\xba"),
    _binary("object or library", "an", ".o .so .a", rb"\x7fELF|!<arch>\n"),
    _binary("wheel or zip file", "a", ".whl .zip", rb"PK\x03\x04"),
    Format(
        *("TTGIR", "", (".ttgir",), signs.is_ttgir),
        verbs={
            "check": "ask.check_ttgir:check_ttgir_file",
            "scan": _WHOLE,
            "triton-plan": "ask.triton_plan:beside_assembly",
        },
        options=_OWN_LAUNCH,
        stage=2,
    ),
    Format(
        *("Triton cache entry", "a", (), inside("*.ttgir")),
        verbs={
            "check": "ask.folder:check_folder",
            "scan": _BELOW,
            "triton-plan": "ask.triton_plan:inside_entry",
        },
        options=_ANY_KERNEL,
        binary=True,
    ),
    Format(
        *("folder", "a", (), signs.is_folder),
        verbs={"check": "ask.folder:check_folder", "scan": _BELOW},
        options=_ANY_KERNEL,
        binary=True,
    ),
    _toml("sweep", "kernel", "tile [[]]", verbs={"sweep": "ask.sweep:sweep"}),
    _toml(
        *("tile question", "memory", "global", "tile", "access", "layout", "solve", "machine"),
        verbs={
            "check": "ask.spec:check_spec_file",
            "solve": "ask.spec_solve:solve_question",
            "coalesce": "ask.coalesce:coalesce_spec",
            "explain choose": "ask.choose:choose",
            "verify": "lab.to_measure:question_parts",
        },
    ),
    _toml(
        *("file of launches", "launch"),
        verbs={},
        instead="`bankwise check KERNEL --launch FILE` follows the kernels as it says",
    ),
    _toml(
        *("machine file", "wave_size", "instruction"),
        verbs={},
        instead="`bankwise machines` prints the ones that are known",
    ),
    Format(
        *("profile", "a", (".csv",)),
        lines(
            r'(?:[^\n]*,)?"?(?i:kernel[ _]?name)"?(?:,|\r?$)', '"Address","Source"', '"File Path",'
        ),
        *("table", {"check --counters": "profile.read:read_profile"}),
        instead="`bankwise check KERNEL --counters FILE` holds a kernel against it",
    ),
    _written("certificate", "a", "certificate", "certify", "ask.certify:certify"),
    _written("answer of solve", "an", "solve", "certify", "ask.certify:certify"),
    _written(
        *("answer of check", "an", "check", "check --baseline", "show.gate:read_baseline"),
        "`bankwise check KERNEL --baseline FILE` holds a kernel against it",
    ),
)
"""What bankwise reads."""


def _known(
    name: str,
    article: str,
    suffixes: str,
    sign: Sign | None,
    instead: str,
    *,
    family: str = "",
    stage: int | None = None,
) -> Format:
    """What bankwise knows and does not read."""
    return Format(
        name, article, tuple(suffixes.split()), sign, family, instead=instead, stage=stage
    )


_DUMP = "check the folder that `iree-compile --iree-hal-dump-executable-files-to=DIR` writes"
_HEADERS = ".h .hpp .hh .cpp .cc .cxx .c .inc"

KNOWN: tuple[Format, ...] = (
    _known("compiled IREE module", "a", ".vmfb", magic(rb".{4,12}IREE"), _DUMP, stage=0),
    _known(
        *("program of another system", "a", "", magic(rb"\xcf\xfa\xed\xfe|MZ")),
        *("ELF files are read: Linux libraries, object files, cubins, code objects",),
    ),
    _known(
        *("MLIR bytecode", "", ".mlirbc", magic(rb"ML\xefR")),
        "print it as text: iree-opt FILE --mlir-print-local-scope -o FILE.mlir",
    ),
    _known("LLVM bitcode", "", ".bc", magic(rb"BC\xc0\xde"), "compile it with llc: check that"),
    _known(
        *("UTF-16 text", "", "", magic(rb"\xff\xfe|\xfe\xff")),
        "save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE",
    ),
    _known(
        *("store of a sweep", "a", ".sqlite", magic(rb"SQLite format 3\0")),
        "name the TOML of the sweep: `bankwise sweep SPEC.toml --store FILE`",
    ),
    _known(
        *("report of a profiler", "a", ".ncu-rep .nsys-rep .rocpd .pftrace", None),
        "export CSV: `ncu --import FILE --csv --page details`, `rocprofv3 --output-format csv`",
        family="report",
    ),
    _known(
        *("LLVM IR", "", ".ll .llir"),
        lines("; ModuleID =", "target (?:triple|datalayout) =", r"define [^\n]*@[^\n]*\{"),
        "compile it with llc for its target, and check the assembly",
        stage=0,
    ),
    _known("TTIR", "", ".ttir", signs.is_ttir, "it has no layouts yet: check its TTGIR", stage=0),
    _known(
        *("document without MLIR", "a", ".rst .md .markdown .html", None),
        "MLIR in a code block is read: ```mlir or .. code-block:: mlir",
        family="document",
    ),
    _known(
        *("TOML", "", ".toml", None),
        "a tile question has a machine, a tile and [[access]] (docs/notations.md)",
        family="TOML",
    ),
    _known(
        *("answer of bankwise", "an", ".json", signs.schema("")),
        "name the file that it is about",
        family="JSON",
    ),
    _known(
        *("JSON", "", ".json .source", signs.is_json),
        "of JSON what `bankwise solve` and `bankwise check` write is read",
        family="JSON",
        stage=0,
    ),
    _known(
        *("table (CSV)", "a", ".csv .tsv", None),
        "of CSV the profiles of ncu (--csv) and of rocprof, rocprofv2 and rocprofv3 are read",
        family="table",
    ),
)
"""What bankwise knows and does not read."""

SOURCES: tuple[Format, ...] = (
    _known(
        *("Triton source", "", ".py", lines(r"@triton\.", r"(?:import|from) triton\b")),
        "check the folder of its kernel in ~/.triton/cache, or call bankwise.triton.check",
        family="Python",
    ),
    _known(
        *("Python source", "", ".py .ipynb"),
        lines(r"(?:from [\w.]+ )?import \w", r"def \w+\([^\n]*:$"),
        "check what it compiles to: MLIR, TTGIR or assembly",
        family="Python",
    ),
    _known(
        *("HIP source", "", ".hip", lines(r'#include [<"]hip/', r"[^\n]*\bhipLaunchKernelGGL\b")),
        "compile it: `hipcc --offload-device-only --offload-arch=gfx942 -S -g FILE -o kernel.s`, "
        "and check kernel.s",
        family="C++",
    ),
    _known(
        *("CK source", "", _HEADERS),
        lines(r"[^\n]*\bck(?:_tile)?::", r'#include [<"]ck(?:_tile)?/', r"[^\n]*\bCK_TILE_"),
        "write its tile and its layouts as a tile question (docs/notations.md), or compile a "
        "kernel that uses it with `hipcc -S` and check the assembly",
        family="C++",
    ),
    Format(
        *("CUDA source", "", (".cu",)),
        lines(r"[^\n]*\b__(?:global|shared|device)__\b", r'#include [<"]cuda'),
        family="C++",
        verbs={
            "check": "ask.check_cuda:check_cuda_file",
            "fix": "ask.fix_cuda:fix_cuda_file",
            "scan": _WHOLE,
        },
        options=_ANY_KERNEL | {"--isa"},
        compiled=True,
        instead="compile it: `nvcc -ptx FILE`, or `nvcc -cubin -lineinfo -arch=sm_90 FILE`, and "
        "check that",
    ),
    _known(
        *("CUDA header", "a", ".cuh", None),
        "check the .cu file that includes it",
        family="CUDA header",
    ),
    _known(
        *("C++ source", "", _HEADERS),
        lines(r"#(?:include|pragma|define)\b", r"(?:template|namespace|struct|class|using)\b"),
        "compile a kernel that uses it, and check the assembly",
        family="C++",
    ),
)
"""Programs. Of languages that contain each other the smaller comes first: C++ is in all of them."""

OTHERS: tuple[Format, ...] = (
    _known(
        *("text of an unknown kind", "", ".txt .log .out", signs.is_text),
        "a suffix says what it is: .mlir, .s, .ptx, .sass, .ttgir, .toml",
    ),
    _known("binary file", "a", "", lambda _: True, "text is needed: assembly, PTX, SASS or MLIR"),
)
"""Whatever is left."""

FORMATS = (*READ, *KNOWN, *SOURCES, *OTHERS)
"""In the order in which they are tried."""
