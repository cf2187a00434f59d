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

from bankwise.read import signs
from bankwise.read.format import ANY_KERNEL, BY_ARGUMENT, MACHINE_CODE, OWN_LAUNCH, Format
from bankwise.read.formats_known import KNOWN, OTHERS
from bankwise.read.formats_source import SOURCES
from bankwise.read.options import COMPILER
from bankwise.read.signs import Sign, inside, keys, lines, magic

_MLIR_OPTIONS = OWN_LAUNCH | {"--isa", "--write", "--reference", "--prefer", COMPILER}
_MODEL_OPTIONS = OWN_LAUNCH | {"--isa", "--keep", "--padding", "--direct-load", "--prefer"}

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
    name: str,
    article: str,
    suffixes: tuple[str, ...],
    sign: Sign,
    family: str = "",
    options: frozenset[str] = _MLIR_OPTIONS,
) -> Format:
    """MLIR with threads, however it is wrapped."""
    return Format(
        *(name, article, suffixes, sign),
        family,
        verbs=_MLIR_VERBS,
        options=options,
        ways_on={"--write": "-o FIXED.mlir writes the executable, not the log that it was in"},
        listing=_COMPILED,
        gpus="read.own_gpu:of_mlir",
        stage=1 if ".mlir" in suffixes else None,
    )


def _toml(
    name: str,
    *top: str,
    verbs: Mapping[str, str],
    instead: str = "",
    options: frozenset[str] = frozenset(),
) -> Format:
    """A question or a description in TOML, told by its keys."""
    sign = keys(*top)
    gpus = "read.own_gpu:of_question" if "machine" in top else ""
    return Format(
        name, "a", (".toml",), sign, "TOML", verbs, gpus=gpus, instead=instead, options=options
    )


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
        gpus="read.own_gpu:of_binary",
        ways_on=BY_ARGUMENT,
        options=MACHINE_CODE,
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
    _mlir("print of several passes", "a", (), signs.is_dump, options=_MLIR_OPTIONS - {"--write"}),
    _mlir("MLIR in a document", "", (".rst", ".md"), signs.is_document, family="document"),
    Format(
        *("AMD assembly", "", (".s", ".amdgcn", ".rocmasm", ".asm")),
        lines(r"\.amdgcn_target\b", r"\.amdhsa_\w"),
        verbs=_ASSEMBLY_VERBS,
        reader="read.amd.dialect:AMD",
        listing="ask.worth_static:emitted",
        gpus="read.own_gpu:of_code",
        ways_on=BY_ARGUMENT,
        options=MACHINE_CODE,
        stage=4,
        instead="`bankwise check FILE` says a better layout as instructions to splice",
    ),
    Format(
        *("PTX", "", (".ptx",), lines(r"\.version[ \t]+\d")),
        verbs={
            **_ASSEMBLY_VERBS,
            "check": "ask.check_ptx:check_ptx_file",
            "fix": "ask.fix_ptx:fix_ptx_file",
        },
        reader="read.ptx.dialect:PTX",
        gpus="read.own_gpu:of_ptx",
        ways_on=BY_ARGUMENT,
        options=MACHINE_CODE | {"--isa"},
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
        gpus="read.own_gpu:of_code",
        ways_on=BY_ARGUMENT,
        options=MACHINE_CODE,
    ),
    Format(
        *("cubin", "a", (".cubin",), magic(rb"\x7fELF.{14}\xbe\x00")),
        verbs=_CUBIN_VERBS,
        reader="read.sass.cubin:check_cubin",
        gpus="read.own_gpu:of_binary",
        ways_on=BY_ARGUMENT,
        options=MACHINE_CODE,
        stage=0,
        binary=True,
    ),
    _binary("AMD code object", "an", ".hsaco .co", rb"\x7fELF.{14}\xe0\x00"),
    _binary("offload bundle", "an", ".hipfb", rb"__CLANG_OFFLOAD_BUNDLE__|CCOB[\x00-\x0f]\x00"),
    _binary("fat binary", "a", ".fatbin", rb"\x50\xed\x55\xba"),
    _binary("object or library", "an", ".o .so .a", rb"\x7fELF|!<arch>\n"),
    _binary("wheel or zip file", "a", ".whl .zip .vmfb", rb"PK\x03\x04"),
    Format(
        *("TTGIR", "", (".ttgir",), signs.is_ttgir),
        verbs={
            "check": "ask.check_ttgir:check_ttgir_file",
            "fix": "ask.fix_ttgir:fix_ttgir_file",
            "scan": _WHOLE,
            "triton-plan": "ask.triton_plan:beside_assembly",
        },
        gpus="read.own_gpu:of_ttgir",
        options=OWN_LAUNCH - {"--dim"},
        ways_on=BY_ARGUMENT,
        stage=2,
    ),
    Format(
        *("Triton cache entry", "a", (), inside("*.ttgir")),
        verbs={
            "check": "ask.folder:check_folder",
            "fix": "ask.fix_ttgir:fix_entry",
            "scan": _BELOW,
            "triton-plan": "ask.triton_plan:inside_entry",
        },
        options=MACHINE_CODE,
        ways_on=BY_ARGUMENT,
        binary=True,
    ),
    Format(
        *("folder", "a", (), signs.is_folder),
        verbs={"check": "ask.folder:check_folder", "scan": _BELOW},
        instead="`fix` takes one file: of IREE the model, or a print of its last pass on MLIR "
        "(docs/dumps.md); of others the .ttgir, the .ptx or the source; of Triton's cache, or its "
        "dump, the folder of one kernel does, named by its hash",
        options=ANY_KERNEL | {"--isa", COMPILER},
        binary=True,
    ),
    _toml("sweep", "kernel", "tile [[]]", verbs={"sweep": "ask.sweep:sweep"}),
    _toml(
        *("tile question", "memory", "global", "tile", "access", "layout", "solve", "machine"),
        verbs={
            "check": "ask.check_spec:check_spec_file",
            "solve": "ask.spec_solve:solve_question",
            "coalesce": "ask.coalesce:coalesce_spec",
            "explain choose": "ask.choose:choose",
            "verify": "lab.to_measure:question_parts",
        },
        options=frozenset({"--all", "--counters"}),
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
        *("answer of check", "an", "check", "check --baseline", "show.saved_check:read_baseline"),
        "`bankwise check KERNEL --baseline FILE` holds a kernel against it",
    ),
)
"""What bankwise reads."""

FORMATS = (*READ, *KNOWN, *SOURCES, *OTHERS)
"""In the order in which they are tried."""
