"""What tests have left is given back to the system while they run.

A command that ends soon looks for cycles seldom (:mod:`bankwise.cli`), so a process of thousands of
tests keeps thousands of MLIR contexts: 3 GB. Each fork copies the table of that memory, and a
kernel is parsed in a fork first: 100 ms of what takes 17.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from pathlib import Path

_MUCH_BYTES = 128 << 20
_PAGE_BYTES = 4096

_least = 0


def settle() -> None:
    """What there is before the first test stays: no search for cycles looks at it."""
    gc.collect()
    gc.freeze()
    gc.enable()


def give_back() -> None:
    """Where this process has grown much since it last gave back, it gives back what it can."""
    global _least
    if sys.platform != "linux" or _held() < _least + _MUCH_BYTES:
        return
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim:
        trim(0)
    _least = _held()


def _held() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE_BYTES
