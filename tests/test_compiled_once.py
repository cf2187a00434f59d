"""``fix`` of a source asks its compiler once what it makes of a text, and which version it is.

A script in the compiler's place notes what it is given."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

from bankwise.read.hip.clang import knows
from bankwise.read.toolkit import find_program
from command import bankwise

KERNELS = Path(__file__).parent / "data" / "cuda_fix"
_NOTING = """\
#!/bin/sh
for one; do case "$one" in
  *.cu) text=$(cksum < "$one") ;;
  -cubin | -ptx | -S | --version) kind=$one ;;
esac; done
echo "$kind $text" >> {log}
exec {compiler} "$@"
"""


def _noted(compiler: Path, name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a compiler is asked for, line by line, where it is found as ``name`` first."""
    log, script = folder / "log", folder / name
    script.write_text(_NOTING.format(log=log, compiler=compiler))
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return log


def _asked(log: Path) -> Counter[str]:
    asked = Counter(log.read_text().splitlines())
    assert asked.pop("--version ") == 1
    return asked


@pytest.mark.parametrize(
    ("source", "options"), [("transpose_flat", ("--kernel", "*")), ("wmma_flat", ())]
)
def test_nvcc_compiles_each_text_once(
    source: str, options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the kernels that are asked for and for all: how large arrays are, before and after."""
    nvcc = find_program("nvcc")
    if nvcc is None or find_program("nvdisasm") is None:
        pytest.skip("no CUDA Toolkit")
    log = _noted(nvcc, "nvcc", tmp_path, monkeypatch)
    done = bankwise("fix", KERNELS / f"{source}.cu", "-t", "sm_90", *options)
    assert done.code in (0, 1, 3), done.err
    asked = _asked(log)
    assert len(asked) > 2
    assert set(asked.values()) == {1}


def test_clang_compiles_each_text_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clang = next(filter(None, (shutil.which(f"clang++-{n}") for n in range(39, 16, -1))), None)
    if clang is None or not knows("gfx942") or shutil.which("hipcc") or shutil.which("amdclang++"):
        pytest.skip("no clang of LLVM that knows gfx942, or ROCm's is taken")
    log = _noted(Path(clang), "clang++-40", tmp_path, monkeypatch)
    done = bankwise("fix", KERNELS / "transpose_f32.cu", "-t", "gfx942")
    assert done.code in (0, 1, 3), done.err
    asked = _asked(log)
    assert len(asked) > 2
    assert set(asked.values()) == {1}
