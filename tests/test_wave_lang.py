"""What ``fix`` tells a user of Wave, done with wave-lang itself.

Needs a Python that has wave-lang and torch: this one, or ``BANKWISE_WAVE_PYTHON``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.ask.check_mlir import check_opened
from bankwise.ask.fix import fix
from bankwise.read.mlir.module import open_text
from bankwise.read.options import Options
from bankwise.show.fixing import FixReport

TARGET = "gfx950"
PYTHON = os.environ.get("BANKWISE_WAVE_PYTHON", sys.executable)
GENERATE = """
import sys
from pathlib import Path
from wave_lang.kernel.wave.compile import WaveCompileOptions, wave_compile
from wave_lang.kernel.wave.constraints import MMAType
from wave_lang.kernel.wave.templates.gemm import get_gemm_kernel

statement, override, target = sys.argv[1:4]
exec(statement)
kernel, symbols, _ = get_gemm_kernel(
    (512, 512, 512), False, MMAType.F32_16x16x32_F16, block_shape=(128, 128, 64)
)
text = Path(override).read_text() if override else None
options = WaveCompileOptions(
    subs=symbols, target=target, device="hip", compile_to_mlir=True, override_mlir=text
)
print(wave_compile(options, kernel).asm)
"""


def wave(statement: str = "", override: str = "") -> str:
    """A GEMM as Wave writes it, after a statement, or with a text in place of its own."""
    command = [PYTHON, "-c", GENERATE, statement, override, TARGET]
    off = {**os.environ, "WAVE_CACHE_ON": "0"}
    done = subprocess.run(command, capture_output=True, text=True, env=off, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    asked = [PYTHON, "-c", "import wave_lang, torch"]
    if subprocess.run(asked, capture_output=True, check=False).returncode:
        pytest.skip("wave-lang is not installed: BANKWISE_WAVE_PYTHON names a Python that has it")
    file = Path(tmp_path_factory.mktemp("wave_lang")) / "gemm.mlir"
    file.write_text(wave())
    return file


@pytest.fixture(scope="module")
def fixed(kernel: Path) -> FixReport:
    report = fix(kernel, TARGET, execute=False, isa=False)
    assert isinstance(report, FixReport)
    return report


def test_the_padding_that_is_told_takes_what_is_told(fixed: FixReport) -> None:
    told = next(line for line in fixed.settings if line.startswith("padding alone, "))
    first, _, statement = told.partition(", after: ")
    passes, size = re.findall(r"bits for \d+: ([\d,]+) passes, .*?, ([\d,]+) bytes", first)[0]
    report = check_opened(open_text(wave(statement)), Options(TARGET))
    assert report.totals.run.passes == int(passes.replace(",", ""))
    assert sum(a.bytes for a in report.kernels[0].allocations) == int(size.replace(",", ""))
    assert report.totals.run.passes < fixed.before.totals.run.passes


def test_wave_takes_the_fixed_text(fixed: FixReport, tmp_path: Path) -> None:
    (tmp_path / "fixed.mlir").write_text(fixed.fixed_text)
    assert wave(override=str(tmp_path / "fixed.mlir")).strip() == fixed.fixed_text.strip()
