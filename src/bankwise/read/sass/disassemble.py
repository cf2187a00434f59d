"""Running nvdisasm: the only way from a cubin to its instructions."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bankwise.errors import InputError, Location
from bankwise.read.toolkit import find_program

OPTIONS = ("-c", "-gi", "-ndf")
"""Code alone, with source lines, also of what was inlined; without the data flow analysis, which
fails on some cubins."""

_SECONDS = 120
_HINT = (
    "it comes with the CUDA Toolkit, and with the Python package triton; set CUDA_HOME or PATH, or "
    "dump the code where it is installed (nvdisasm -g FILE > FILE.sass) and check that"
)


def disassemble(path: Path) -> str:
    """What nvdisasm prints for a cubin. Raises :class:`InputError` if it is missing, or fails."""
    program = find_program("nvdisasm")
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
