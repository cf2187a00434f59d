"""What L2 does with lines that it was asked to keep, by the profiler's counters.

    python benchmarks/h200_kept.py OUT.csv       # on a computer with the GPU and ncu

lines      40 MB are read with a policy, 256 MB of other data are written, and the same 40 MB are
           read again: what of them comes from DRAM. *forgotten*: cuCtxResetPersistingL2Cache was
           called between (what :func:`bankwise.lab.gpu.launch.median_ms` does)
transpose  one launch of a transpose after other data went through L2 so, by what its loads ask

Rows: part, name, counter, value. docs/data/h200_transpose/kept.csv is what
docs/results_transpose.md speaks of.
"""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from bankwise.hardware.machine import machine
from bankwise.lab.gpu.launch import compile_kernel, cupy, forget_kept
from bankwise.lab.gpu.transpose_run import MatrixPair, ready
from bankwise.lab.kernels.transpose_hints import macros
from bankwise.lab.kernels.transpose_launch import fitted
from bankwise.lab.kernels.transpose_tune import plan
from bankwise.lab.kernels.transpose_variant import Variant

COUNTERS = (
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "lts__t_sectors_op_read.sum",
    "lts__t_sectors_op_read_lookup_hit.sum",
    "lts__t_sectors_op_write.sum",
    "gpu__time_duration.sum",
)
LINES = 40 << 20
OTHER = 256 << 20
READ = """
typedef unsigned E;
{hints}
extern "C" __global__ void lines(const uint4* in, unsigned* out, int n) {{
  unsigned all = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {{
    const uint4 v = LOAD(in + i);
    all |= v.x | v.y | v.z | v.w;
  }}
  if (all) out[0] = all;
}}
"""
TRANSPOSES = {
    "fp32 65536 x 4096": ("fp32", (65536, 4096), Variant(64, 64, 256, blocks=1)),
    "fp32 65536 x 256": ("fp32", (65536, 256), Variant(64, 64, 256, 0, False, 64, blocks=4)),
    "fp16 65536 x 4096": ("fp16", (65536, 4096), Variant(128, 128, 512, 4, blocks=3, store="cg")),
}
Call = Callable[[], object]


def launches() -> Iterator[tuple[str, str, Call, Call]]:
    """Part and name of every launch that is counted, what goes before it, and the launch."""
    module = cupy()
    stream = module.cuda.get_current_stream()
    other = module.empty(OTHER, module.uint8)
    x, out = module.zeros(LINES, module.uint8), module.zeros(1, module.uint32)
    args = (x, out, np.int32(LINES // 16))

    def reader(load: str) -> Call:
        made = compile_kernel(READ.format(hints="\n".join(macros(load, ""))), "lines")
        return lambda: made((1056,), (256,), args)

    def written() -> None:
        other.data.memset_async(0, OTHER, stream)

    def fresh() -> None:
        forget_kept(stream)
        written()

    plain = reader("")
    for load in ("", "ef", "el20", "el"):
        hinted = reader(load)
        yield "lines", load or "plain", lambda f=hinted: (f(), written()), plain
        forgotten = (hinted, lambda: forget_kept(stream), written)
        yield "lines", f"{load or 'plain'}, forgotten", lambda f=forgotten: [g() for g in f], plain
    for name, (dtype, size, variant) in TRANSPOSES.items():
        case = matrices(module, dtype, size)
        for load in ("", "ef", "el20", "el"):
            one = replace(variant, load=load)
            made = ready(fitted(plan(one, dtype, machine("sm_90"), "kept"), size)).on(case)
            assert case.correct(made)
            yield "transpose", f"{name} {load or 'plain'}", fresh, made


def matrices(module: Any, dtype: str, size: tuple[int, int]) -> MatrixPair:
    kind = {"fp16": module.uint16, "fp32": module.uint32}[dtype]
    x = module.random.randint(0, 1 << 15, size, dtype=module.int32).astype(kind)
    return MatrixPair(dtype, size, x, module.empty(size[::-1], kind))


def launched() -> None:
    """Under the profiler: it counts between start and stop."""
    module = cupy()
    for part, name, before, call in launches():
        call()
        forget_kept(module.cuda.get_current_stream())
        before()
        module.cuda.Device().synchronize()
        module.cuda.runtime.profilerStart()
        call()
        module.cuda.Device().synchronize()
        module.cuda.runtime.profilerStop()
        print(f"launch\t{part}\t{name}", flush=True)


def counted() -> Iterator[tuple[str, str, str, float]]:
    """Caches are as the program leaves them; one pass, so that nothing is launched twice."""
    asked = "--cache-control none --clock-control none --profile-from-start off --print-units base"
    more = ["--replay-mode", "application", "--csv", "--page", "raw"]
    words = ["ncu", *asked.split(), *more, "--metrics", ",".join(COUNTERS)]
    words += [sys.executable, __file__, "launch"]
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    names = [line.split("\t")[1:] for line in text.splitlines() if line.startswith("launch\t")]
    table = text[text.index('"ID"') :]
    lines = [line for line in table.splitlines() if line.startswith('"')]
    _, *rows = csv.DictReader(io.StringIO("\n".join(lines)))
    names = list(dict.fromkeys(map(tuple, names)))
    if len(rows) != len(names):
        sys.exit(f"{len(rows)} launches were counted, {len(names)} made")
    for (part, name), row in zip(names, rows, strict=True):
        for counter in COUNTERS:
            yield part, name, counter, float(row[counter].replace(",", ""))


def main(out: Path) -> None:
    with out.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("part", "name", "counter", "value"))
        table.writerows(counted())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "launch":
        launched()
    else:
        main(Path(sys.argv[1]))
