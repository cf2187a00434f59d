"""Make tests/data/sass/*.sass and *.ptx: the kernels of sass/*.cu, and Triton's, for sm_90.

Those of threads.cu for sm_80 and sm_100 as well.

    python tests/data/make_sass_kernels.py [--cubins FOLDER]

Needs nvcc and ptxas of CUDA 13.0 and nvdisasm (of CUDA 13, or Triton's). Cubins are kept only where
``--cubins`` says; of the disassembly the sections that describe data for debuggers are left out.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from sass_kernels import FOLDER, HERE, OTHERS, SOURCES, TRITON

from bankwise.read.toolkit import find_program

MOST_BYTES = 1_500_000
_KEPT = re.compile(r"\.(?:text|nv\.info|nv\.shared)\.")


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=FOLDER).stdout


def compiled(folder: Path, keep_ptx: bool = False) -> list[Path]:
    """The cubins of all sources. Triton's PTX asks for a newer version than it uses."""
    made = []
    for name in SOURCES:
        made.append(folder / f"{name}.cubin")
        run("nvcc", "-arch=sm_90", "-lineinfo", "-cubin", "-o", str(made[-1]), f"{name}.cu")
        if keep_ptx:
            run("nvcc", "-arch=sm_90", "-ptx", "-o", f"{name}.ptx", f"{name}.cu")
    for name in OTHERS:
        made.append(folder / f"threads.{name}.cubin")
        run("nvcc", f"-arch={name}", "-lineinfo", "-cubin", "-o", str(made[-1]), "threads.cu")
    for name in TRITON:
        text = (HERE / "isa" / f"triton_{name}.sm_90.ptx").read_text()
        ptx = folder / f"triton_{name}.ptx"
        ptx.write_text(re.sub(r"^\.version 9\.\d", ".version 9.0", text, flags=re.MULTILINE))
        made.append(folder / f"triton_{name}.cubin")
        run("ptxas", "-arch=sm_90a", "-lineinfo", "-o", str(made[-1]), str(ptx))
    return made


def disassembled(cubin: Path) -> str:
    """The code and the facts of each kernel, without the folders of the machine."""
    text = run(str(find_program("nvdisasm")), "-g", "-ndf", str(cubin))
    head, *sections = re.split(r"(?m)^(?=//-{10,} \.)", text)
    kept = [s for s in sections if _KEPT.search(s.splitlines()[0])]
    whole = head + "".join(kept)
    return re.sub(r'File "[^"]*/([^"/]+)"', r'File "\1"', whole).rstrip() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cubins", type=Path)
    kept = parser.parse_args().cubins
    with tempfile.TemporaryDirectory() as temporary:
        total = 0
        for cubin in compiled(kept.resolve() if kept else Path(temporary), keep_ptx=True):
            path = FOLDER / f"{cubin.stem}.sass"
            path.write_text(disassembled(cubin))
            total += path.stat().st_size
            print(path.name, path.stat().st_size, file=sys.stderr)
    if total > MOST_BYTES:
        sys.exit(f"{total} bytes in all")


if __name__ == "__main__":
    main()
