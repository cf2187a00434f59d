"""Kernels of IREE and Triton on an NVIDIA H200: as their compilers leave them, and as fixed.

    python benchmarks/h200_fix.py FOLDER                # machine code of all versions; no GPU
    python benchmarks/h200_fix_run.py measure FOLDER    # on a computer with the GPU

*IREE*: models of benchmarks/iree_corpus.py, lowered by IREE for sm_80 without a flag (its release
knows no sm_90); *after*: `bankwise fix` on the kernel as it stands; *padded*: `bankwise opt --pass
unpad --pass pad`, the best padding instead; all compiled by IREE to PTX and by ptxas to code for
sm_90, which is what the driver does with IREE's PTX on an H200. *Triton*: kernels of
benchmarks/h200_triton.py, compiled by Triton for sm_90; *after*: `bankwise fix` of the TTGIR.

The prediction is `bankwise check` of the machine code. Needs iree-base-compiler, triton
3.9.0, ptxas and nvdisasm.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any

from h200_triton import triton_cases

TARGET = "sm_80"
"""For which IREE lowers: its newest GPU whose code an H200 runs too."""

MODELS = (
    "mm_f16_nt", "mm_f16_nn", "mm_f16_tt", "mm_f16_large", "mm_f16_skinny", "mm_f16_tall",
    "mm_f16_odd", "mm_bias_gelu", "bmm_f16_nt", "conv_nchw_f16_3x3", "conv_nhwc_f16_5x5",
    "attn_f16_d64", "attn_f16_d128", "transpose_f16", "transpose_f32", "transpose_i8",
    "transpose_021", "transpose_210",
)  # fmt: skip

TRITON = (
    *("product_f32_nt", "product_f32_tt", "product_f32_skinny", "product_i8_nn", "attention_f32"),
)
"""Of benchmarks/h200_triton.py; the others are on the page of Triton."""

_OPS = ("ld", "st")


def iree_cases(folder: Path) -> Iterator[dict[str, Any]]:
    """Kernels of the corpus that IREE's default leaves with conflicts, and as fixed."""
    import iree_corpus

    from bankwise.ask.fix import fix_kernels
    from bankwise.change.compile.lower import code_object, lower
    from bankwise.read.options import Judges, Options

    models = iree_corpus.models(TARGET)
    for name in MODELS:
        found = lower(models[name], TARGET, iree_corpus.DEFAULT, file=name)
        for dispatch in (d for d in found if d.uses_shared_memory):
            path = folder / f"{name}.before.mlir"
            path.write_text(dispatch.text, "utf-8")
            report = fix_kernels(path, Options(), Judges(execute=False, isa=False))
            if not report.changes:
                continue
            (folder / f"{name}.after.mlir").write_text(report.fixed_text, "utf-8")
            texts = {"before": dispatch.text, "after": report.fixed_text}
            texts["padded"] = padded(path)
            ptx = {v: code_object(x, TARGET, iree_corpus.DEFAULT)[1] for v, x in texts.items()}
            yield {
                "name": name, "framework": "iree", "ptx": ptx, **launch_of(dispatch.text),
                "shared": {v: shared_bytes(x) for v, x in texts.items()},
            }  # fmt: skip


def padded(path: Path) -> str:
    """The kernel with the best padding instead of IREE's."""
    from bankwise.ask.opt import opt

    text = opt(path, ["unpad", "pad"]).text
    path.with_name(path.name.replace("before", "padded")).write_text(text, "utf-8")
    return text


def launch_of(text: str) -> dict[str, Any]:
    """Grid, block and buffers of a thread-level executable."""
    config = text[text.index("iree_codegen.dispatch_config") :]
    block = [int(n) for n in re.search(r"workgroup_size = \[([\d, ]+)\]", config)[1].split(",")]
    known = dict(re.findall(r"%(\w+) = arith\.constant (\d+) : index", config))
    given = re.search(r"iree_codegen\.yield ([^:]+) :", config)[1]
    grid = [int(known[one.strip().lstrip("%")]) for one in given.split(",")]
    return {"grid": grid, "block": block, "buffers": buffers(text)}


def buffers(text: str) -> list[dict[str, Any]]:
    """Every binding with its type, the bytes that it takes and whether it is only read."""
    known = dict(re.findall(r"%(\w+) = arith\.constant (\d+) : index", text))
    found: dict[int, dict[str, Any]] = {}
    pattern = (
        r"binding\((\d+)\) alignment\(\d+\) offset\(%(\w+)\)(?: flags\(([^)]*)\))?"
        r"[^\n]* : memref<((?:\d+x)+)(\w+)"
    )
    for number, offset, flags, shape, kind in re.findall(pattern, text):
        bits = int(re.sub(r"\D", "", kind))
        size = prod(map(int, shape.rstrip("x").split("x"))) * bits // 8 + int(known[offset])
        mine = found.setdefault(
            int(number), {"kind": kind, "bytes": 0, "read": "ReadOnly" in flags}
        )
        mine["bytes"] = max(mine["bytes"], size)
    return [found[number] for number in sorted(found)]


def shared_bytes(text: str) -> int:
    """What the kernel allocates of shared memory, each buffer at a multiple of 16 bytes."""
    from bankwise.ask.analysis import analyse
    from bankwise.read.mlir.module import open_text
    from bankwise.read.options import Options

    found = [a for x in analyse(open_text(text, "k"), Options()) for a in x.extraction.allocations]
    return sum(-(-a.size_bytes // 16) * 16 for a in found)


def build(folder: Path) -> None:
    """Machine code of all versions of every kernel, and cases.json."""
    folder.mkdir(parents=True, exist_ok=True)
    cases = [*iree_built(folder), *triton_cases(folder, TRITON)]
    for case in cases:
        case["versions"] = list(case["shared"])
        case["predicted"] = {v: predicted(folder, case, v) for v in case["versions"]}
        print(case["name"], *(each["passes"] for each in case["predicted"].values()), flush=True)
    (folder / "cases.json").write_text(json.dumps(cases, indent=1), "utf-8")


def iree_built(folder: Path) -> Iterator[dict[str, Any]]:
    """The PTX of IREE's kernels through ptxas."""
    for case in iree_cases(folder):
        for version, text in case.pop("ptx").items():
            code = f"{case['name']}.{version}"
            (folder / f"{code}.ptx").write_text(text, "utf-8")
            case["kernel"] = re.search(r"\.entry (\w+)", text)[1]
            command = ["ptxas", "-arch=sm_90", f"{code}.ptx", "-o", f"{code}.cubin"]
            subprocess.run(command, cwd=folder, check=True)
        yield {**case, "scalars": [], "spare": 0}


def predicted(folder: Path, case: Mapping[str, Any], version: str) -> dict[str, int | bool]:
    """Of a launch, as `bankwise check` counts the machine code."""
    pointers = "".join("_, " for _ in case["buffers"])
    arguments = pointers + ", ".join(map(str, case["scalars"])) if case["scalars"] else ""
    grid, block = (f"dim3({', '.join(map(str, case[key]))})" for key in ("grid", "block"))
    shared = case["shared"][version]
    launch = f"{case['kernel']}<<<{grid}, {block}, {shared}>>>({arguments})"
    command = [
        sys.executable,
        "-m",
        "bankwise",
        "check",
        f"{case['name']}.{version}.cubin",
        "--format",
        "json",
    ]
    done = subprocess.run(
        [*command, "--launch", launch], cwd=folder, capture_output=True, text=True, check=False
    )
    (kernel,) = json.loads(done.stdout)["kernels"]
    run, times = kernel["totals"]["run"], prod(case["grid"])
    return {
        "passes": run["passes"] * times, "conflicts": run["extra"] * times,
        "exact": kernel["counted"] and "bound" not in run,
    }  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build(Path(sys.argv[1]))
