"""Programs of the CUDA Toolkit: nvcc, ptxas, nvdisasm: where they are, and running them."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from bankwise.errors import InputError, Location

SECONDS = 300
"""The limit of one compilation."""


_OWN = re.compile(
    r"/(?:targets/[^/]+/include|include/crt|nvidia/\w+/include|lib(?:64)?/(?:gcc|clang|llvm)[^/]*)/"
    r"|/(?:cuda|rocm)[\w.-]*/include/|^/usr/include/"
)


def of_compiler(file: str) -> bool:
    """Whether a header is one that came with a compiler: nothing to be edited."""
    return bool(_OWN.search(file.replace("\\", "/")))


def find_program(name: str) -> Path | None:
    """PATH, CUDA_HOME, /usr/local/cuda, then the packages that bring it; None if nowhere."""
    return next(find_programs(name), None)


def find_programs(name: str) -> Iterator[Path]:
    """All of this name, in the order in which they are preferred."""
    on_path = shutil.which(name)
    if on_path:
        yield Path(on_path)
    yield from (p for p in _places(name) if p.is_file() and os.access(p, os.X_OK))


def _places(name: str) -> Iterator[Path]:
    file = f"{name}.exe" if sys.platform == "win32" else name
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            yield Path(os.environ[variable]) / "bin" / file
    yield Path("/usr/local/cuda/bin") / file
    for package, pattern in (("triton", "backends/nvidia/bin"), ("nvidia", "*/bin")):
        for folder in _folders(package):
            yield from (found / file for found in sorted(folder.glob(pattern)))


def _folders(package: str) -> Iterator[Path]:
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return
    for place in (spec.submodule_search_locations or ()) if spec else ():
        yield Path(place)


def run_program(words: Sequence[str], folder: Path, file: str) -> tuple[int, str]:
    """Exit code and output; whatever a compiler starts ends with it, and leaves its files in
    ``folder``. Raises :class:`InputError` if it cannot be run, or takes longer than SECONDS."""
    try:
        with started(words, folder) as process:
            return said_until_its_end(process, words, file)
    except OSError as error:
        message = f"{words[0]} cannot be run: {error.strerror}"
        raise InputError(message, location=Location(file)) from error


def said_until_its_end(
    process: subprocess.Popen[str], words: Sequence[str], file: str
) -> tuple[int, str]:
    """Exit code and output of what was started with ``words``. Raises :class:`InputError` if that
    takes longer than SECONDS from now."""
    try:
        printed, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired as error:
        message = f"{Path(words[0]).name} took more than {SECONDS} s"
        raise InputError(message, location=Location(file)) from error
    return process.returncode, printed


@contextmanager
def started(words: Sequence[str], folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A program while it is needed; what it started ends with it. Raises :class:`OSError`."""
    process = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "TMPDIR": str(folder)},
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    with process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)


def version_of(program: Path, folder: Path) -> str:
    """``nvcc 13.0.88``."""
    found = re.search(r"\bV(\d[\d.]*)", said_version([str(program)], folder, str(program)))
    return f"{program.name} {found[1] if found else 'of an unknown version'}"


def said_version(words: Sequence[str], folder: Path, file: str) -> str:
    """What a program says of its version: asked once, as long as its file stays as it is. Raises
    as :func:`run_program` does."""
    try:
        about = os.stat(words[0])
    except OSError:
        return run_program([*words, "--version"], folder, file)[1]
    key: tuple[str | int, ...] = (*words, about.st_ino, about.st_size, about.st_mtime_ns)
    if key not in _VERSIONS:
        _VERSIONS[key] = run_program([*words, "--version"], folder, file)[1]
    return _VERSIONS[key]


_VERSIONS: dict[tuple[str | int, ...], str] = {}
"""What programs said, by their words and files."""
