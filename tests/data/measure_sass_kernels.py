"""Measure tests/data/sass_counters.csv: counters of every instruction, from a GPU of sm_90.

    python tests/data/make_sass_kernels.py --cubins FOLDER       (where nvcc is)
    python tests/data/measure_sass_kernels.py FOLDER OUT         (where the GPU is: ncu, CuPy)

Each kernel is launched once, as sass_kernels.py says, on buffers of zeros, under Nsight Compute.
Its source page has three counters for each instruction: memory_l1_wavefronts_shared (passes),
memory_l1_wavefronts_shared_ideal, and inst_executed (by warps). Instructions without any passes
are left out. OUT/sass_totals.csv has the counters of whole kernels.
"""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from sass_kernels import BUFFER_BYTES, LAUNCHES, Launch

PASSES, IDEAL = "memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal"
EXECUTED = "inst_executed"
TOTALS = [
    f"l1tex__data_{name}_mem_shared_op_{way}.sum"
    for name in ("pipe_lsu_wavefronts", "bank_conflicts_pipe_lsu")
    for way in ("ld", "st")
]
REPORT = "sass.ncu-rep"
MOST_UNASKED_BYTES = 48 * 1024


def launch_all(folder: Path) -> None:
    """The process that is profiled."""
    import cupy

    for launch in LAUNCHES:
        try:
            _launch(cupy, folder, launch)
        except Exception as error:
            print(f"{launch.kernel}: {error}", file=sys.stderr)


def _launch(cupy, folder: Path, launch: Launch) -> None:
    import numpy as np

    module = cupy.RawModule(path=str(folder / f"{launch.file}.cubin"))
    kernel = module.get_function(launch.kernel)
    buffers = [cupy.zeros(BUFFER_BYTES, cupy.uint8) for _ in range(launch.pointers)]
    numbers = [np.int32(n) if isinstance(n, int) else np.float32(n) for n in launch.numbers]
    more = [np.uint64(0)] * launch.more
    if launch.dynamic_bytes > MOST_UNASKED_BYTES:
        kernel.max_dynamic_shared_size_bytes = launch.dynamic_bytes
    cupy.cuda.Device().synchronize()
    kernel((1, 1, 1), launch.block, (*buffers, *numbers, *more), shared_mem=launch.dynamic_bytes)
    cupy.cuda.Device().synchronize()


def profile(folder: Path, out: Path) -> None:
    names = "|".join(launch.kernel for launch in LAUNCHES)
    command = ["ncu", "--force-overwrite", "--export", str(out / REPORT), "--clock-control", "none"]
    command += ["--kernel-name", f"regex:^({names})$", "--section", "SourceCounters"]
    command += ["--metrics", ",".join((PASSES, IDEAL, EXECUTED, *TOTALS))]
    subprocess.run([*command, sys.executable, __file__, "--launch", str(folder)], check=True)


def rows(out: Path) -> tuple[list[list[object]], list[list[object]]]:
    """Of the report: a row for each instruction, a row for each kernel."""
    report = _reader().load_report(str(out / REPORT))
    instructions: list[list[object]] = []
    totals: list[list[object]] = []
    for part in report:
        for action in part:
            instructions += _instructions(action)
            values = [int(action[name].as_double()) for name in TOTALS]
            totals.append([action.name(), *values])
    return instructions, totals


def _instructions(action) -> Iterator[list[object]]:
    passes, ideal, executed = (_by_address(action, name) for name in (PASSES, IDEAL, EXECUTED))
    first = min(executed, default=0)
    for address, count in sorted(passes.items()):
        if count or ideal.get(address):
            yield [
                action.name(), f"0x{address - first:04x}", _word(action.sass_by_pc(address)),
                count, ideal.get(address, 0), executed.get(address, 0),
            ]  # fmt: skip


def _word(text: str) -> str:
    """The instruction without its guard and operands."""
    return re.sub(r"^\s*(?:@!?\w+\s+)?", "", text).split()[0].rstrip(";")


def _by_address(action, name: str) -> dict[int, int]:
    metric = action[name]
    places = metric.correlation_ids()
    return {places.as_uint64(n): int(metric.as_double(n)) for n in range(metric.num_instances())}


def _reader():
    """The module that comes with Nsight Compute."""
    try:
        import ncu_report
    except ImportError:
        places = sorted(Path("/opt/nvidia/nsight-compute").glob("*/extras/python"))
        places += sorted(Path("/usr/local").glob("cuda*/nsight-compute*/extras/python"))
        sys.path.append(str(places[-1]))
        import ncu_report
    return ncu_report


def write(path: Path, header: list[str], body: list[list[object]]) -> None:
    with path.open("w", newline="") as file:
        file.write("# NVIDIA H200, Nsight Compute: tests/data/measure_sass_kernels.py\n")
        csv.writer(file, lineterminator="\n").writerows([header, *body])


def main() -> None:
    if sys.argv[1] == "--launch":
        launch_all(Path(sys.argv[2]))
        return
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    profile(folder, out)
    instructions, totals = rows(out)
    header = ["kernel", "address", "instruction", "passes", "ideal", "executed"]
    write(out / "sass_counters.csv", header, instructions)
    write(out / "sass_totals.csv", ["kernel", *TOTALS], totals)
    print(f"{len(instructions)} instructions of {len(totals)} kernels", file=sys.stderr)


if __name__ == "__main__":
    main()
