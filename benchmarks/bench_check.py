"""How long ``bankwise check`` takes on the published Wave GEMM: the process, and our own part.

    PYTHONPATH=src python -m pytest benchmarks/bench_check.py

Aims: under 1.5 s for the whole process, under 150 ms for our own analysis (all but imports and the
MLIR parser), under 0.4 s for ``bankwise --help`` and ``bankwise machines``.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bankwise.ask.check_mlir import check_opened
from bankwise.read.options import Options

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"


def wave_page() -> Path:
    found = sorted((ROOT.parent / "shared" / "sources").glob("001_*.txt"))
    if not found:
        pytest.skip("the source documents are not beside this checkout")
    return found[0]


def process(*words: object) -> int:
    command = [sys.executable, "-m", "bankwise", *map(str, words)]
    paths = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(command, env=paths, capture_output=True, check=False).returncode


@pytest.mark.parametrize("words", [("--help",), ("machines",), ("machines", "gfx950")])
def test_process_without_a_kernel(benchmark, words) -> None:
    assert benchmark.pedantic(process, words, rounds=7, warmup_rounds=1) == 0


def test_process_on_the_wave_kernel(benchmark) -> None:
    words = ("check", wave_page(), "--target", "gfx950")
    assert benchmark.pedantic(process, words, rounds=7, warmup_rounds=1) == 0


def test_open_the_wave_kernel(benchmark) -> None:
    from bankwise.read.mlir.module import open_module

    benchmark(open_module, wave_page())


@pytest.mark.parametrize(
    "kernel", ["wave", "iree/matmul_1024.gfx942", "iree/matmul_abt_4096.gfx950"]
)
def test_our_own_analysis(benchmark, kernel: str) -> None:
    from bankwise.read.mlir.module import open_module

    path = wave_page() if kernel == "wave" else EXAMPLES / f"{kernel}.mlir"
    opened = open_module(path)
    options = Options("gfx950" if kernel == "wave" else "")
    report = benchmark(check_opened, opened, options)
    assert report.accesses


@pytest.mark.parametrize("example", ["gemm_gather_to_lds/gemm_gfx950", "iree/matmul_1024.gfx942"])
def test_planning_and_rewriting(benchmark, example: str) -> None:
    from bankwise.ask.fix import fix

    path = EXAMPLES / f"{example}.mlir"
    report = benchmark.pedantic(fix, (path,), {"execute": False, "isa": False}, rounds=3)
    assert report.changes
