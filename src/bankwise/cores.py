"""How much of this computer a process may use."""

from __future__ import annotations

import os
import sys

__all__ = ["cores"]


def cores() -> int:
    """Cores that this process may use; 1 where the system does not say."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
