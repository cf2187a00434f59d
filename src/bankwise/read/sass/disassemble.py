"""Running nvdisasm: the only way from a cubin to its instructions."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from bankwise.errors import InputError, Location
from bankwise.files import read_bytes
from bankwise.read.extra import install
from bankwise.read.toolkit import find_program

OPTIONS = ("-c", "-gi", "-ndf")
"""Code alone, with source lines, also of what was inlined; without the data flow analysis, which
fails on some cubins."""

_SECONDS = 120


def _hint() -> str:
    return (
        f"{install('cuda')} brings it, as does the CUDA Toolkit; set CUDA_HOME or PATH, or dump "
        "the code where it is installed (nvdisasm -g FILE > FILE.sass) and check that"
    )


def disassembled(data: bytes, file: str, only: Iterable[int] = ()) -> str:
    """What nvdisasm prints for the bytes of a cubin, which stands in ``file``."""
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        path = Path(folder) / "member.cubin"
        path.write_bytes(data)
        try:
            return disassemble(path, only)
        except InputError as error:
            raise InputError(error.message, location=Location(file), hint=error.hint) from error


def disassemble(path: Path, only: Iterable[int] = ()) -> str:
    """What nvdisasm prints for a cubin, or of it for the functions ``only``, by their numbers in
    the table of symbols. Raises :class:`InputError` if it is missing, or fails."""
    if str(path) == "-":  # it reads a file alone
        return disassembled(read_bytes(path), "-", only)
    program = find_program("nvdisasm")
    if program is None:
        message = "a cubin is read with nvdisasm, which is not found"
        raise InputError(message, location=Location(str(path)), hint=_hint())
    chosen = ",".join(map(str, only))
    command = [str(program), *OPTIONS, *(("-fun", chosen) if chosen else ()), str(path)]
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
