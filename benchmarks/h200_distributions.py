"""Other distributions of an operand of f8 that is stored for wgmma, on an NVIDIA H200.

    python benchmarks/h200_distributions.py build FOLDER      # machine code of candidates; no GPU
    python benchmarks/h200_distributions.py measure FOLDER    # on a computer with the GPU

``measure`` writes FOLDER/distributions.csv, as docs/data/h200_distributions.csv is: the median of
three medians of 12 launches each, candidates in turns, of 64 heads with 4,096 keys; ``equal``: the
same bytes as without a change. ``passes``, ``conflicts`` and ``shared_instructions`` are those of a
workgroup, as bankwise counts the code. Needs Triton 3.9.0 and nvdisasm; PyTorch and CuPy.
"""

from __future__ import annotations

import csv
import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

KERNELS = Path(__file__).parents[1] / "tests" / "data" / "triton_kernels.py"
TYPES = {**dict.fromkeys("qkv", "*fp8e4nv"), "out": "*fp16", "length": "i32", "scale": "fp32"}
SHAPES = ((64, 128, 64, 4), (128, 128, 64, 8), (128, 128, 128, 8))
"""Width of a head, queries and keys of a block, waves."""
MANY, HEADS, LENGTH, SPARE = 12, 64, 4096, 2
"""Candidates of a shape, heads, keys, and pointers behind the arguments that Triton 3.9 adds."""


def candidates(shape: tuple[int, int, int, int]) -> Iterator[tuple[str, Any]]:
    """The code without a change, and of the distributions that are priced best."""
    import bankwise.triton
    from bankwise.ask import ttgir_spread
    from bankwise.ask.check_ttgir import plan
    from bankwise.ask.ttgir_code import emitted_text
    from bankwise.read.options import Options

    ttgir_spread.KEPT = MANY
    d, bm, bn, waves = shape
    text = bankwise.triton.check(
        f"{KERNELS}:attention_heads", TYPES, "sm_90", constexprs={"d": d, "bm": bm, "bn": bn},
        numbers={"length": LENGTH}, num_warps=waves,
    ).ttgir  # fmt: skip
    options = Options(arguments=(f"length={LENGTH}",))
    (planned,) = plan(text, "k.ttgir", options)
    yield "before", emitted_text(text, planned, options, {})
    for ways in ttgir_spread.spreads(planned):
        for each in ways:
            yield str(each.instead), emitted_text(each.written(text), planned, options, {})


def build(folder: Path) -> None:
    """Machine code of every candidate, and cases.json."""
    folder.mkdir(parents=True, exist_ok=True)
    cases = []
    for shape in SHAPES:
        for number, (name, code) in enumerate(candidates(shape)):
            file = f"{'_'.join(map(str, shape))}_{number}.cubin"
            (folder / file).write_bytes(code.made.binaries["cubin"])
            row = dict(zip(("d", "bm", "bn", "waves"), shape, strict=True))
            row |= {"distribution": name, "passes": code.passes}
            row |= {"conflicts": code.report.whole.extra, "shared_instructions": code.executed}
            row |= {"registers": code.code.registers, "shared_bytes": code.made.shared_bytes}
            cases.append({"file": file, "row": row})
            print(*row.values(), flush=True)
    (folder / "cases.json").write_text(json.dumps(cases, indent=1), "utf-8")


def measure(folder: Path) -> None:
    """Run, compare and time all of them."""
    import cupy
    import numpy as np
    import torch

    torch.manual_seed(0)
    inputs = {
        d: [torch.randn(HEADS, LENGTH, d, device="cuda").to(torch.float8_e4m3fn) for _ in range(3)]
        for d in {shape[0] for shape in SHAPES}
    }
    cases = json.loads((folder / "cases.json").read_text("utf-8"))
    wanted: dict[tuple[int, ...], Any] = {}
    calls = []
    for case in cases:
        row = case["row"]
        kernel = cupy.RawModule(path=str(folder / case["file"])).get_function("attention_heads")
        kernel.max_dynamic_shared_size_bytes = row["shared_bytes"]
        out = torch.zeros(HEADS, LENGTH, row["d"], device="cuda", dtype=torch.float16)
        pointers = [np.uint64(one.data_ptr()) for one in (*inputs[row["d"]], out)]
        values = (*pointers, np.int32(LENGTH), np.float32(row["d"] ** -0.5))
        arguments = (*values, *(np.uint64(0) for _ in range(SPARE)))
        grid, block = (LENGTH // row["bm"], HEADS), (32 * row["waves"],)
        calls.append((kernel, grid, block, arguments, row["shared_bytes"]))
        _median_ms(calls[-1])
        first = wanted.setdefault((row["d"], row["bm"], row["bn"]), out.clone())
        row["equal"], row["median_ms"] = bool(torch.equal(first, out)), []
    for _ in range(3):
        for case, call in zip(cases, calls, strict=True):
            case["row"]["median_ms"].append(_median_ms(call))
    for case in cases:
        case["row"]["median_ms"] = f"{statistics.median(case['row']['median_ms']):.3f}"
    with (folder / "distributions.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, cases[0]["row"].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(case["row"] for case in cases)


def _median_ms(call: tuple[Any, ...]) -> float:
    """Of 12 launches."""
    import cupy

    kernel, grid, block, arguments, shared = call
    times = []
    for _ in range(12):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        kernel(grid, block, arguments, shared_mem=shared)
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(begin, end))
    return statistics.median(times)


if __name__ == "__main__":
    verbs = {"build": build, "measure": measure}
    if len(sys.argv) != 3 or sys.argv[1] not in verbs:
        sys.exit(__doc__)
    verbs[sys.argv[1]](Path(sys.argv[2]))
