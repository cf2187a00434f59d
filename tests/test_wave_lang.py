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

statement, override, target, mma, *block = sys.argv[1:]
exec(statement)
kernel, symbols, _ = get_gemm_kernel(
    (512, 512, 512), False, MMAType[mma], block_shape=tuple(map(int, block))
)
text = Path(override).read_text() if override else None
options = WaveCompileOptions(
    subs=symbols, target=target, device="hip", compile_to_mlir=True, override_mlir=text
)
print(wave_compile(options, kernel).asm)
"""


WHOLE = ("F32_16x16x32_F16", "128", "128", "64")
IN_PARTS = ("F32_16x16x16_F16", "64", "128", "32")
"""Kernels of which ``fix`` leaves the stores whole, and cuts them."""


def wave(statement: str = "", override: str = "", kernel: tuple[str, ...] = WHOLE) -> str:
    """A GEMM as Wave writes it, after a statement, or with a text in place of its own."""
    command = [PYTHON, "-c", GENERATE, statement, override, TARGET, *kernel]
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
    report = fix(kernel, TARGET, execute=False)
    assert isinstance(report, FixReport)
    return report


def test_the_padding_that_is_told_takes_what_is_told(fixed: FixReport) -> None:
    *_, advice, statement = fixed.settings
    [bits] = re.findall(r"without a patch, (\d+) bits", advice)
    told = next(line for line in fixed.settings if line.startswith(f"  {bits} bits: "))
    passes, size = re.findall(r"bits: ([\d,]+) passes, .*?, ([\d,]+) bytes", told)[0]
    report = check_opened(open_text(wave(statement)), Options(TARGET, isa=True))
    assert report.totals.run.passes == int(passes.replace(",", ""))
    assert sum(a.bytes for a in report.kernels[0].allocations) == int(size.replace(",", ""))
    assert report.totals.run.passes < fixed.before.totals.run.passes


def test_wave_takes_the_fixed_text(fixed: FixReport, tmp_path: Path) -> None:
    (tmp_path / "fixed.mlir").write_text(fixed.fixed_text)
    assert wave(override=str(tmp_path / "fixed.mlir")).strip() == fixed.fixed_text.strip()


@pytest.mark.usefixtures("kernel")
def test_wave_takes_a_text_with_stores_in_parts(tmp_path: Path) -> None:
    """Its parser is older than the one that reads the text here."""
    (tmp_path / "gemm.mlir").write_text(wave(kernel=IN_PARTS))
    report = fix(tmp_path / "gemm.mlir", TARGET, execute=False)
    assert isinstance(report, FixReport)
    assert report.parts
    (tmp_path / "fixed.mlir").write_text(report.fixed_text)
    again = wave(override=str(tmp_path / "fixed.mlir"), kernel=IN_PARTS)
    assert again.strip() == report.fixed_text.strip()
