"""Make docs/data/agreement.csv and agreement.md: one kernel, counted on every level there is.

    python tests/data/make_agreement_table.py

For each kernel the passes of one workgroup's whole run, as the MLIR text (IREE, Wave), the TTGIR
text (Triton) and the emitted code give them, each read by a reader of its own. Needs the extra
[ir]. The Wave row needs the source documents beside the repository: without them it stays.
"""

import csv
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from bankwise.ask.check import check  # noqa: E402
from bankwise.ask.check_mlir import check_opened  # noqa: E402
from bankwise.ask.triton_plan import plan_files  # noqa: E402
from bankwise.read.amd.dialect import AMD  # noqa: E402
from bankwise.read.follow.driver import check_code  # noqa: E402
from bankwise.read.options import Options  # noqa: E402
from bankwise.read.ptx.dialect import PTX  # noqa: E402
from isa_texts import totals  # noqa: E402

ISA = ROOT / "tests" / "data" / "isa"
EXAMPLES = ROOT / "examples"
SOURCES = ROOT.parent / "shared" / "sources"
CSV = ROOT / "docs" / "data" / "agreement.csv"
MARKDOWN = CSV.with_suffix(".md")
WAVE = "Wave GEMM (source document)"

MLIR = (
    ("IREE matmul 1024", "gfx942", "iree/matmul_1024.gfx942.mlir", "matmul_1024.gfx942.s"),
    ("IREE matmul 1024", "gfx950", "iree/matmul_1024.gfx950.mlir", "matmul_1024.gfx950.s"),
    ("IREE matmul 4096, B^T", "gfx942", "iree/matmul_abt_4096.gfx942.mlir", ""),
    ("IREE matmul 4096, B^T", "gfx950", "iree/matmul_abt_4096.gfx950.mlir", ""),
    ("IREE attention 1x1024x128", "gfx942", "iree/attention_1x1024x128.gfx942.mlir", ""),
    ("IREE attention 1x1024x128", "gfx950", "iree/attention_1x1024x128.gfx950.mlir", ""),
    ("IREE matmul 1024", "sm_80", "iree/matmul_1024.sm_80.mlir", "matmul_1024.sm_80.ptx"),
    (
        "IREE matmul 4096, B^T",
        "sm_80",
        "iree/matmul_abt_4096.sm_80.mlir",
        "matmul_abt_4096.sm_80.ptx",
    ),
    (
        "IREE attention 1x1024x128",
        "sm_80",
        "iree/attention_1x1024x128.sm_80.mlir",
        "attention_1x1024x128.sm_80.ptx",
    ),
    ("GEMM, gather to LDS", "gfx950", "gemm_gather_to_lds/gemm_gfx950.mlir", ""),
    ("GEMM, ldmatrix", "sm_80", "ldmatrix_sm80/ldmatrix.mlir", "ldmatrix.ptx"),
)
"""Kernel, target, text below examples, emitted code below tests/data/isa (default: its name)."""

TRITON = {"matmul": "size=256", "transpose": "", "attention": "keys=512", "reduce": ""}
TARGETS = ("gfx942", "gfx950", "sm_80", "sm_90")
SHAPES = {"transpose": "64x64", "reduce": "32x16"}
FIELDS = ("kernel", "target", "mlir", "ttgir", "isa", "agree", "cause")
"""A level is "passes/ideal/extra" per workgroup, or empty where there is no text of it."""


def main():
    rows = table()
    old = {(r["kernel"], r["target"]): r for r in read()} if CSV.exists() else {}
    if (WAVE, "gfx950") in old and not any(r["kernel"] == WAVE for r in rows):
        rows.insert(0, old[WAVE, "gfx950"])
    with CSV.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    MARKDOWN.write_text(markdown(rows), encoding="utf-8")
    print(markdown(rows))


def read():
    with CSV.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def table():
    rows = [] if wave_source() is None else [wave()]
    rows += [mlir(*entry) for entry in MLIR]
    return rows + [triton(name, target) for name in TRITON for target in TARGETS]


def mlir(kernel, target, text, emitted):
    report = check(EXAMPLES / text)
    path = ISA / (emitted or f"{Path(text).stem}.s")
    dialect = PTX if path.suffix == ".ptx" else AMD
    found = check_code(dialect, path.read_text("utf-8"), path.name)
    return row(kernel, target, mlir=planned(report), isa=emission(found), causes=joined(found))


def wave_source():
    return next(SOURCES.glob("001_*"), None) if SOURCES.exists() else None


def wave():
    from bankwise.change.compile.compile import emit
    from bankwise.read.mlir.module import open_module

    path = wave_source()
    opened = open_module(path)
    report = check_opened(opened, Options(target="gfx950"))
    made = emit(opened.source.parsed, "gfx950", file=path.name)
    found = [k for text in made.texts for k in check_code(AMD, text, "wave.s")]
    return row(WAVE, "gfx950", mlir=planned(report), isa=emission(found), causes=joined(found))


def triton(name, target):
    text = ISA / f"triton_{name}.{target}.ttgir"
    suffix = ".ptx" if target.startswith("sm_") else ".amdgcn"
    said = Options(arguments=(TRITON[name],) if TRITON[name] else ())
    (report,) = plan_files(text, text.with_suffix(suffix), said, verify=False)
    assert report.counted, "every loop's length is known"
    causes = [r.change for r in report.changes]
    plan, emitted = report.planned, report.emitted
    said = f" {TRITON[name] or SHAPES[name]}"
    costs = {"ttgir": (plan.passes, plan.ideal), "isa": (emitted.passes, emitted.ideal)}
    return row(f"Triton {name}{said}", target, **costs, causes=causes)


def planned(report):
    runs = [a.run for kernel in report.kernels for a in kernel.accesses]
    return sum(r.passes for r in runs), sum(r.ideal for r in runs)


def emission(kernels):
    found = totals(kernels).values()
    return sum(passes for _, passes, _ in found), sum(ideal for _, _, ideal in found)


def joined(kernels):
    """Two-address instructions in the emitted code: two reads or writes of the text in one."""
    names = {a.instruction for k in kernels for a in k.accesses}
    two = sorted(n for n in names if "read2" in n or "write2" in n)
    return [f"joined into {', '.join(two)}"] if two else []


def row(kernel, target, mlir=None, ttgir=None, isa=None, causes=()):
    levels = {"mlir": mlir, "ttgir": ttgir, "isa": isa}
    known = [level for level in levels.values() if level is not None]
    shown = {
        name: "" if v is None else f"{v[0]}/{v[1]}/{v[0] - v[1]}" for name, v in levels.items()
    }
    agree = "yes" if len(set(known)) == 1 else "no"
    cause = "; ".join(dict.fromkeys(causes))
    return {"kernel": kernel, "target": target, **shown, "agree": agree, "cause": cause}


def markdown(rows):
    head = (
        "Passes / ideal / extra of one workgroup's whole run, as each level's text gives them "
        "(tests/data/make_agreement_table.py).\n\n"
    )
    titles = ("kernel", "target", "MLIR", "TTGIR", "emitted code", "agree", "changed instructions")
    lines = ["| " + " | ".join(titles) + " |", "|---|---|---|---|---|---|---|"]
    for r in rows:
        levels = [
            " / ".join(f"{int(n):,}" for n in r[k].split("/")) if r[k] else "-" for k in LEVELS
        ]
        cells = [r["kernel"], r["target"], *levels, r["agree"], r["cause"]]
        lines.append("| " + " | ".join(cells) + " |")
    return head + "\n".join(lines) + "\n"


LEVELS = ("mlir", "ttgir", "isa")

if __name__ == "__main__":
    main()
