"""Make kernels.ptx and kernels.sass beside this file: nvcc and nvdisasm 13.0 of kernels.cu.

python tests/data/hopper/make_hopper_kernels.py
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from bankwise.read.toolkit import find_program

HERE = Path(__file__).parent


def main() -> None:
    nvcc, nvdisasm = find_program("nvcc"), find_program("nvdisasm")
    assert nvcc, "nvcc is needed"
    assert nvdisasm, "nvdisasm is needed"
    command = [str(nvcc), "-std=c++17", "-O3", "-arch=sm_90a"]
    source = str(HERE / "kernels.cu")
    with tempfile.TemporaryDirectory() as folder:
        cubin = str(Path(folder) / "kernels.cubin")
        subprocess.run([*command, "-cubin", "-o", cubin, source], check=True)
        subprocess.run([*command, "-ptx", "-o", str(HERE / "kernels.ptx"), source], check=True)
        done = subprocess.run([str(nvdisasm), cubin], capture_output=True, text=True, check=True)
    lines = (line.rstrip() for line in done.stdout.splitlines())
    (HERE / "kernels.sass").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
