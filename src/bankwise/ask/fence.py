"""What a process may open: files below some folders, and what Python and bankwise are made of.

Kernels name files: a PTX its sources, a folder links, a tile question nothing at all. Whoever asks
from outside must not read with them what he could not read himself. An audit hook sees every
``open`` and every listing of this process, whoever asks for it, with the path that the system will
take: links are followed first. It is no cage for hostile code, and it does not see what other
programs open: those get texts that name no files, or do not run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Container, Sequence
from errno import EACCES
from pathlib import Path

from bankwise.hardware.folders import FOLDER_VARIABLE

_EVENTS = frozenset({"open", "os.listdir", "os.scandir"})
_SYSTEM = ("/dev", "/proc/self", "/proc/cpuinfo", "/sys/devices", "/usr/lib", "/usr/share", "/lib")
"""What libraries read of the machine."""
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def stay_inside(roots: Sequence[str], own: str) -> None:
    """From now on this process reads files below ``roots`` only, and writes below ``own`` only,
    which it may read too. There is no way back."""
    package = Path(__file__).parents[1]
    python = (sys.prefix, sys.base_prefix, sys.exec_prefix, *filter(None, sys.path))
    machines = filter(None, (os.environ.get(FOLDER_VARIABLE),))
    named = (own, str(package), *python, *machines, *_SYSTEM, *roots)
    places = {os.path.realpath(one) for one in named}
    writable = {os.path.realpath(own), "/dev"}

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        path = arguments[0] if event in _EVENTS else None
        if isinstance(path, str | bytes | os.PathLike):
            writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITES
            if not inside(os.fsdecode(path), writable if writes else places):
                raise PermissionError(EACCES, "outside of the folders that may be used", path)

    sys.addaudithook(hook)


def inside(path: str, places: Container[str]) -> bool:
    """Whether a path, links followed, is one of the ``places`` or below one; those are real."""
    found = Path(os.path.realpath(path))
    return any(place in places for place in map(str, (found, *found.parents)))
