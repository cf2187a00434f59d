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

from bankwise.ask.check import check
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
    [bits] = re.findall(r"without the patch, (\d+) bits", advice)
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


ATTENTION = """
import sys
from wave_lang.kernel.wave.compile import WaveCompileOptions, wave_compile
from wave_lang.kernel.wave.constraints import MMAType
from wave_lang.kernel.wave.templates.attention_common import AttentionShape
from wave_lang.kernel.wave.templates.vanilla_attention import get_vanilla_attention_kernel

statements, target, out, size = sys.argv[1:]
shape = AttentionShape(
    num_query_heads=8,
    num_kv_heads=8,
    query_seq_len=1024,
    kv_seq_len=1024,
    head_size=int(size),
    head_size_kv=int(size),
)
mma = MMAType.F32_16x16x16_F16
kernel, symbols, dynamic = get_vanilla_attention_kernel(shape, (mma, mma), False)
options = WaveCompileOptions(
    subs=symbols, dynamic_symbols=dynamic, target=target, device="hip", compile_to_mlir=True
)
exec(statements)
open(out, "w").write(wave_compile(options, kernel).asm)
"""


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("size", [64, 128])
def test_what_is_told_of_the_code_is_what_wave_makes_of_the_patch(
    tmp_path: Path, size: int
) -> None:
    """3.9 joins other reads than 3.13: what one of them refuses may be the best of the other."""
    file, code = tmp_path / "attention.mlir", tmp_path / "code"
    attention("", file, size)
    environment = str(Path(PYTHON).parents[1])
    report = fix(file, TARGET, execute=False, iree_compile=environment)
    assert isinstance(report, FixReport)
    assert report.accepted
    [isa] = [v for v in report.verdicts if v.judge == "isa"]
    assert f"by iree-compile 3.9.0 (wave-lang {_release()})" in isa.detail
    (tmp_path / "fixed.mlir").write_text(report.fixed_text)
    [statement] = [s for s in "\n".join(report.settings).splitlines() if "override_mlir" in s]
    statement = statement.replace(str(file), str(tmp_path / "fixed.mlir"))
    counted = f"options.compile_to_mlir = False\noptions.dump_intermediates = {str(code)!r}"
    attention(f"{statement}\n{counted}", tmp_path / "again.mlir", size)
    [told] = [new for name, _, new in isa.rows if name == "passes of a workgroup"]
    assert check(code).totals.run.passes == told


def attention(statements: str, out: Path, size: int) -> None:
    """Attention as Wave writes it, after statements about its ``options``."""
    command = [PYTHON, "-c", ATTENTION, statements, TARGET, str(out), str(size)]
    off = {**os.environ, "WAVE_CACHE_ON": "0"}
    done = subprocess.run(command, capture_output=True, text=True, env=off, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def _release() -> str:
    """Of wave-lang."""
    program = "from importlib.metadata import version; print(version('wave-lang'))"
    done = subprocess.run([PYTHON, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()
