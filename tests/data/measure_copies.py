"""Measure how cp.async and atomics of shared memory are served: four tables h200_*.csv.

    python tests/data/measure_copies.py FOLDER

needs an NVIDIA GPU, CuPy and Nsight Compute. Destinations are the patterns of `bankwise probe`.
`h200_copies.csv`: all lanes of a copy read one place in global memory. `h200_sources.csv`: lane l
of a copy reads the l-th piece of a row, with the cache (.ca) and past it (.cg). `h200_adding.csv`:
atomics add each lane's own number. `h200_atomics.csv`: all lanes add 1 and drop the result, which
ptxas turns into ATOMS.POPC.INC.
Counters: passes `smsp__sass_..._op_ldgsts` or `l1tex__..._op_atom`, conflicts `l1tex__...`.
"""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from bankwise.hardware.machine import Machine, machine
from bankwise.lab.gpu import records
from bankwise.lab.gpu.cases import WaveAccess, cases
from bankwise.lab.gpu.counters import Counters

PASSES = "l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_"
KERNEL = """
extern "C" __global__ void access(const int* offsets, const unsigned char* active,
                                  const unsigned char* source) {
  extern __shared__ __align__(1024) unsigned char shared[];
  unsigned address = (unsigned)__cvta_generic_to_shared(shared) + offsets[threadIdx.x];
  unsigned long long from = __cvta_generic_to_global(source + threadIdx.x * STEP);
  if (active[threadIdx.x]) { TEXT }
}
"""
COPY = (
    'asm volatile("cp.async.%s.shared.global [%%0], [%%1], %d; cp.async.commit_group; '
    'cp.async.wait_group 0;" :: "r"(address), "l"(from) : "memory");'
)
ADD = 'asm volatile("red.shared.add.u32 [%0], %1;" :: "r"(address), "r"(VALUE) : "memory");'
TAKE = 'unsigned was; asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(was) : "r"(address), '
TAKE += '"r"(VALUE) : "memory");'


def text(name: str, apart: bool) -> str:
    """The kernel of one instruction.

    ``apart``: every lane copies a piece of its own; all lanes add 1.
    """
    if name.startswith("cp.async"):
        width = int(name.split(".")[2][1:]) // 8
        cache = "cg" if name.endswith("cg") or (width == 16 and not name.endswith("ca")) else "ca"
        body, step = COPY % (cache, width), width if apart else 0
    else:
        body, step = (ADD if name.startswith("red") else TAKE), 0
    value = "1" if apart else "threadIdx.x"
    return KERNEL.replace("TEXT", body).replace("STEP", str(step)).replace("VALUE", value)


def launch(path: str) -> None:
    """What the profiler watches."""
    import cupy

    stored = np.load(path)
    offsets, active = cupy.asarray(stored["offsets"], cupy.int32), cupy.asarray(stored["active"])
    source = cupy.zeros(4096, cupy.uint8)
    apart = bool(stored["apart"])
    names = [str(name) for name in stored["names"]]
    kernels = {n: cupy.RawKernel(text(n, apart), "access") for n in dict.fromkeys(names)}
    for number, name in enumerate(names):
        arguments = (offsets[number], active[number], source)
        kernels[name]((1,), (32,), arguments, shared_mem=16 * 1024)
    cupy.cuda.Device().synchronize()


def measured(chosen: list[WaveAccess], unit: str, apart: bool) -> Counters:
    """The counters ``_op_<unit>`` of every case."""
    passes = ("smsp__sass_" if unit == "ldgsts" else "") + PASSES + unit + ".sum"
    passes = passes if unit == "ldgsts" else passes.replace("l1tex_data", "l1tex__data")
    metrics = f"{passes},{CONFLICTS}{unit}.sum"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cases.npz"
        offsets, active = [c.offsets_bytes for c in chosen], [c.active for c in chosen]
        names = [c.instruction for c in chosen]
        np.savez(file, names=names, offsets=offsets, active=active, apart=apart)
        options = ["--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none"]
        options += ["--kernel-name", "access", "--target-processes", "all", "--metrics", metrics]
        command = ["ncu", *options, sys.executable, __file__, "--launch", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = list(csv.DictReader(io.StringIO(done.stdout[done.stdout.find('"ID"') :])))[1:]
    assert len(rows) == len(chosen), (done.stdout + done.stderr)[-800:]
    values = [[int(float(r[m].replace(",", ""))) for r in rows] for m in metrics.split(",")]
    return Counters(np.array(values[0]), np.array(values[1]))


def main(folder: Path) -> None:
    """Take the tables."""
    gpu = machine("sm_90")
    copies = ("cp.async.b32", "cp.async.b64", "cp.async.b128")
    together = [*cases(gpu, copies, 350, 20261122), *_atomics(gpu, 20, 6)]
    apart = [
        WaveAccess(name, c.offsets_bytes, c.active)
        for plain, names in {
            "cp.async.b32": ("cp.async.b32.ca",),
            "cp.async.b64": ("cp.async.b64.ca",),
            "cp.async.b128": ("cp.async.b128.ca", "cp.async.b128.cg"),
        }.items()
        for name in names
        for c in cases(gpu, (plain,), 100, 20261123)
    ]
    adding = _atomics(gpu, 200, 20261122)
    tables = {
        "h200_sources.csv": (apart, "ldgsts", True),
        "h200_atomics.csv": (adding, "atom", True),
        "h200_copies.csv": (together[:1050], "ldgsts", False),
        "h200_adding.csv": (together[1050:], "atom", False),
    }
    for name, (chosen, unit, own) in tables.items():
        (folder / name).write_text(records.dumps(chosen, measured(chosen, unit, own)), "utf-8")
        print(name, len(chosen), flush=True)


def _atomics(gpu: Machine, each: int, seed: int) -> list[WaveAccess]:
    words = cases(gpu, ("st.shared.b32",), each, seed)
    names = ("red.shared.b32", "atom.shared.b32")
    return [WaveAccess(name, c.offsets_bytes, c.active) for name in names for c in words]


if __name__ == "__main__":
    if sys.argv[1] == "--launch":
        launch(sys.argv[2])
    else:
        main(Path(sys.argv[1]))
