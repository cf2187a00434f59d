"""What bankwise knows and does not read: what to do instead."""

from __future__ import annotations

from bankwise.read import signs
from bankwise.read.format import Format, known
from bankwise.read.signs import lines, magic

_DUMP = "check the folder that `iree-compile --iree-hal-dump-executable-files-to=DIR` writes"

KNOWN: tuple[Format, ...] = (
    known("compiled IREE module", "a", ".vmfb", magic(rb".{4,12}IREE"), _DUMP, stage=0),
    known(
        *("program of another system", "a", "", magic(rb"\xcf\xfa\xed\xfe|MZ")),
        *("ELF files are read: Linux libraries, object files, cubins, code objects",),
    ),
    known(
        *("MLIR bytecode", "", ".mlirbc", magic(rb"ML\xefR")),
        "print it as text: iree-opt FILE --mlir-print-local-scope -o FILE.mlir",
    ),
    known("LLVM bitcode", "", ".bc", magic(rb"BC\xc0\xde"), "compile it with llc: check that"),
    known(
        *("UTF-16 text", "", "", magic(rb"\xff\xfe|\xfe\xff")),
        "save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE",
    ),
    known(
        *("pointer of Git LFS", "a", "", magic(rb"version https://git-lfs\.github\.com/spec/")),
        "the file itself: git lfs pull",
    ),
    known(
        *("store of a sweep", "a", ".sqlite", magic(rb"SQLite format 3\0")),
        "name the TOML of the sweep: `bankwise sweep SPEC.toml --store FILE`",
    ),
    known(
        *("report of a profiler", "a", ".ncu-rep .nsys-rep .rocpd .pftrace", None),
        "export CSV: `ncu --import FILE --csv --page details`, `rocprofv3 --output-format csv`",
        family="report",
    ),
    known(
        *("LLVM IR", "", ".ll .llir"),
        lines("; ModuleID =", "target (?:triple|datalayout) =", r"define [^\n]*@[^\n]*\{"),
        "compile it with llc for its target, and check the assembly",
        stage=0,
    ),
    known("TTIR", "", ".ttir", signs.is_ttir, "it has no layouts yet: check its TTGIR", stage=0),
    known(
        *("document without MLIR", "a", ".rst .md .markdown .html", None),
        "MLIR in a code block is read: ```mlir or .. code-block:: mlir",
        family="document",
    ),
    known(
        *("TOML", "", ".toml", None),
        "a tile question has a machine, a tile and [[access]] (docs/notations.md)",
        family="TOML",
    ),
    known(
        *("answer of bankwise", "an", ".json", signs.schema("")),
        "name the file that it is about",
        family="JSON",
    ),
    known(
        *("JSON", "", ".json .source", signs.is_json),
        "of JSON what `bankwise solve` and `bankwise check` write is read",
        family="JSON",
        stage=0,
    ),
    known(
        *("table (CSV)", "a", ".csv .tsv", None),
        "of CSV the profiles of ncu (--csv) and of rocprof, rocprofv2 and rocprofv3 are read",
        family="table",
    ),
)
"""What bankwise knows and does not read."""

OTHERS: tuple[Format, ...] = (
    known(
        *("text of an unknown kind", "", ".txt .log .out", signs.is_text),
        "a suffix says what it is: .mlir, .s, .ptx, .sass, .ttgir, .toml",
    ),
    known(
        *("binary file", "a", "", lambda _: True),
        "it begins like no format that is known: is it damaged, packed or encrypted?",
    ),
)
"""Whatever is left."""
