"""Finding a program of the CUDA Toolkit: nvcc, nvdisasm."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path


def find_program(name: str) -> Path | None:
    """PATH, CUDA_HOME, /usr/local/cuda, then the packages that bring it; None if nowhere."""
    on_path = shutil.which(name)
    if on_path:
        return Path(on_path)
    return next((p for p in _places(name) if p.is_file() and os.access(p, os.X_OK)), None)


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
