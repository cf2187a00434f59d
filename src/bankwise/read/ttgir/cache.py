"""An entry of Triton's cache: the folder that holds a kernel at every stage.

    ~/.triton/cache/<hash>/matmul.ttgir  matmul.amdgcn  matmul.json  ..

Source: triton 3.9, runtime/cache.py and compiler/compiler.py: one file a stage, all of one name.
"""

from __future__ import annotations

import json
from pathlib import Path

from msgspec import Struct

from bankwise.errors import InputError, Location

_ASSEMBLY = (".amdgcn", ".ptx")


class Entry(Struct, frozen=True):
    """One cache entry. ``assembly`` is None if only the module is there.

    ``shared_bytes``: what the metadata says the kernel takes; None if it says nothing.
    """

    folder: Path
    name: str
    ttgir: Path
    assembly: Path | None
    shared_bytes: int | None


def open_entry(folder: str | Path) -> Entry:
    """The files of a cache entry. Raises :class:`InputError` if the folder is none."""
    folder = Path(folder)
    where = Location(str(folder))
    if not folder.is_dir():
        raise InputError("no such folder", location=where)
    modules = sorted(folder.glob("*.ttgir"))
    if not modules:
        raise InputError(
            "no Triton cache entry: it holds no .ttgir file",
            location=where,
            hint="an entry is one folder below ~/.triton/cache",
        )
    if len(modules) > 1:
        names = ", ".join(m.name for m in modules)
        raise InputError(f"several kernels in one folder: {names}", location=where)
    name = modules[0].stem
    beside = [folder / (name + suffix) for suffix in _ASSEMBLY]
    assembly = next((path for path in beside if path.is_file()), None)
    return Entry(folder, name, modules[0], assembly, _shared(folder / f"{name}.json"))


def _shared(path: Path) -> int | None:
    if not path.is_file():
        return None
    try:
        said = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError("no JSON metadata", location=Location(str(path))) from error
    found = said.get("shared") if isinstance(said, dict) else None
    return found if isinstance(found, int) else None
