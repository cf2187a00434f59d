"""Finding nvdisasm and running it: the only way from a cubin to its instructions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from bankwise.errors import InputError, Location

OPTIONS = ("-c", "-g", "-ndf")
"""Code alone, with source lines; without the data flow analysis, which fails on some cubins."""

_SECONDS = 120
_HINT = (
    "it comes with the CUDA Toolkit, and with the Python package triton; set CUDA_HOME or PATH, or "
    "dump the code where it is installed (nvdisasm -g FILE > FILE.sass) and check that"
)


def disassemble(path: Path) -> str:
    """What nvdisasm prints for a cubin. Raises :class:`InputError` if it is missing, or fails."""
    program = find_nvdisasm()
    if program is None:
        message = "a cubin is read with nvdisasm, which is not found"
        raise InputError(message, location=Location(str(path)), hint=_HINT)
    command = [str(program), *OPTIONS, str(path)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_SECONDS, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        message = f"{program} cannot be run: {error}"
        raise InputError(message, location=Location(str(path))) from error
    if done.returncode or not done.stdout.strip():
        said = (done.stderr or done.stdout).strip().splitlines()
        raise InputError(
            f"nvdisasm refuses it: {said[-1] if said else f'exit {done.returncode}'}",
            location=Location(str(path)),
            hint=f"{program} may be older than the compiler that made the file, or it is damaged",
        )
    return done.stdout


def find_nvdisasm() -> Path | None:
    """PATH, CUDA_HOME, /usr/local/cuda, then the packages that bring it; None if nowhere."""
    on_path = shutil.which("nvdisasm")
    if on_path:
        return Path(on_path)
    return next((p for p in _places() if p.is_file() and os.access(p, os.X_OK)), None)


def _places() -> Iterator[Path]:
    name = "nvdisasm.exe" if sys.platform == "win32" else "nvdisasm"
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            yield Path(os.environ[variable]) / "bin" / name
    yield Path("/usr/local/cuda/bin") / name
    for package, pattern in (("triton", "backends/nvidia/bin"), ("nvidia", "*/bin")):
        for folder in _folders(package):
            yield from (found / name for found in sorted(folder.glob(pattern)))


def _folders(package: str) -> Iterator[Path]:
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return
    for place in (spec.submodule_search_locations or ()) if spec else ():
        yield Path(place)
