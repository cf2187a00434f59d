"""What whole commands cost beside Python with their libraries: processor time, in one run.

    PYTHONPATH=src python -m pytest -s benchmarks/bench_commands.py

The yardstick is a process that imports numpy, Typer and Rich: no command that counts is cheaper.
The ratios say what bankwise adds, on any machine; the least of several runs counts. Aims, in
multiples of it: help and a count 1.5, a solved problem 2, Triton's attention 2.5, the example
kernel 3.5, both judges of a fix 10, 200 kernels of one cubin 20. A test fails at twice its aim.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "gemm_gather_to_lds" / "gemm_gfx950.mlir"
ATTENTION = ROOT / "tests" / "data" / "isa" / "triton_attention.gfx950.amdgcn"
YARDSTICK = ("-c", "import numpy, typer, rich.console")
RUNS, KERNELS = 5, 200

COMMANDS = {
    "version": (1.0, "--version"),
    "help": (1.5, "--help"),
    "count": (1.5, "count", "-t", "gfx950", "ds_read_b128", "lane*16"),
    "solve": (2.0, "solve", ROOT / "examples" / "solve" / "mfma_operand_gfx942.toml"),
    "check MLIR": (3.5, "check", EXAMPLE),
    "check assembly": (2.5, "check", ATTENTION),
    "fix": (10.0, "fix", EXAMPLE),
}


def least(words: Sequence[object], runs: int = RUNS) -> float:
    """Seconds of processor time, user and system, of a process and what it starts."""
    return min(_once(words) for _ in range(runs))


def _once(words: Sequence[object]) -> float:
    place = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    place.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed is compiled once
    command = [sys.executable, *map(str, words)]
    process = subprocess.Popen(
        command, env=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1, 3)
    return used.ru_utime + used.ru_stime


def shown(benchmark, name: str, aim: float, words: Sequence[object], runs: int = RUNS) -> None:
    asked = (("-m", "bankwise", *words), runs)
    yardstick, took = least(YARDSTICK), benchmark.pedantic(least, asked, rounds=1)
    ratio = benchmark.extra_info["ratio_to_the_yardstick"] = round(took / yardstick, 2)
    print(f"\n{name}: {took:.2f} s, {ratio:.1f} times the yardstick (aim {aim})")
    assert ratio < 2 * aim


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command(benchmark, name: str) -> None:
    aim, *words = COMMANDS[name]
    shown(benchmark, name, aim, words)


def test_a_cubin_of_many_kernels(benchmark, tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("nvcc is not installed")
    text = "\n".join(
        f"__global__ void k{n}(float *o) {{ __shared__ float t[32][32]; int x = threadIdx.x; "
        f"t[x][{n % 32}] = o[x]; __syncthreads(); o[x] = t[{n % 32}][x]; }}"
        for n in range(KERNELS)
    )
    (tmp_path / "many.cu").write_text(text)
    command = ["nvcc", "-cubin", "-arch=sm_90", "many.cu", "-o", "many.cubin"]
    subprocess.run(command, cwd=tmp_path, check=True)
    shown(benchmark, "check cubin", 20, ("check", tmp_path / "many.cubin"), 2)
