"""Triton kernels in the manner of public ones on an NVIDIA H200, before and after `bankwise fix`.

    python benchmarks/h200_triton.py FOLDER             # machine code of both; no GPU
    python benchmarks/h200_fix_run.py measure FOLDER    # on a computer with the GPU
    python benchmarks/h200_fix_run.py tables FOLDER/results.csv

The kernels are those of tests/data/triton_kernels.py that have conflicts on sm_90. Needs Triton
3.9.0 and nvdisasm; the prediction is `bankwise check` of the machine code.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

KERNELS = Path(__file__).parents[1] / "tests" / "data" / "triton_kernels.py"
KINDS = {
    "fp16": ("f16", 2), "fp32": ("f32", 4), "fp8e4nv": ("f8", 1), "i8": ("i8", 1),
    "i32": ("i32", 4),
}  # fmt: skip
"""Triton's types, and how operands of a type are filled."""

WRITTEN = {"out", "c", "dk", "dv", "dx", "dw", "y"}
SPARE = 2
"""Pointers behind the arguments that Triton 3.9 adds, for scratch memory that none of these has."""


def triton_cases(folder: Path, only: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
    """Every kernel with something to fix, both versions as cubins in the folder."""
    sys.path.insert(0, str(KERNELS.parent))
    import triton_kernels

    for name, case in triton_kernels.CASES.items():
        if not only or name in only:
            yield from built(folder, name, case, getattr(triton_kernels, case["fn"]).arg_names)


def built(
    folder: Path, name: str, case: Mapping[str, Any], names: list[str]
) -> Iterator[dict[str, Any]]:
    """One kernel, if it has something to fix."""
    import bankwise.triton
    from bankwise.read.ttgir import wheel

    fixed = bankwise.triton.fix(
        f"{KERNELS}:{case['fn']}", case["types"], "sm_90", constexprs=case["constants"],
        numbers=case["numbers"], execute=False, **case["options"],
    )  # fmt: skip
    if not fixed.patch:
        return
    shared = {}
    for version, text in (("before", fixed.report.source_text), ("after", fixed.ttgir)):
        made = wheel.lowered(text, name, {})
        (folder / f"{name}.{version}.ttgir").write_text(text, "utf-8")
        (folder / f"{name}.{version}.cubin").write_bytes(made.binaries["cubin"])
        shared[version] = made.shared_bytes
    types = [(each, case["types"][each]) for each in names if each in case["types"]]
    pointers = [(each, kind[1:]) for each, kind in types if kind.startswith("*")]
    yield {
        "name": name, "framework": "triton", "kernel": case["fn"], "grid": list(case["grid"]),
        "block": [32 * case["options"].get("num_warps", 4), 1, 1], "shared": shared,
        "scalars": [case["numbers"][each] for each, kind in types if not kind.startswith("*")],
        "spare": SPARE,
        "buffers": [buffer(each, kind, case["elements"][each]) for each, kind in pointers],
    }  # fmt: skip


def buffer(name: str, kind: str, elements: int) -> dict[str, Any]:
    """One argument: random, or numbers of rows, or a result."""
    filled, size = KINDS[kind]
    if name == "ids":
        filled = "rows"
    return {"kind": filled, "bytes": elements * size, "read": name not in WRITTEN}


def build(folder: Path) -> None:
    """Machine code of both versions of every kernel, and cases.json."""
    from h200_fix import predicted

    folder.mkdir(parents=True, exist_ok=True)
    cases = []
    for case in triton_cases(folder):
        case["versions"] = list(case["shared"])
        case["predicted"] = {v: predicted(folder, case, v) for v in case["versions"]}
        print(case["name"], *(each["passes"] for each in case["predicted"].values()), flush=True)
        cases.append(case)
    (folder / "cases.json").write_text(json.dumps(cases, indent=1), "utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build(Path(sys.argv[1]))
