"""Running native code that may end the process, so that the user still gets a message.

The MLIR parser divides by zero on some attributes and overflows its stack on deep nesting. The
work is done first in a child: a fork costs some 10 ms and needs no second import; where the
system has no fork, a fresh interpreter is started instead.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable


def crash_of(work: Callable[[], object]) -> str | None:
    """How a forked child died that did ``work``, None if it came to an end.

    Whatever ``work`` returns, raises or prints is dropped: the caller does it again.
    """
    with warnings.catch_warnings():
        # Python warns of threads that the child will not have; it takes no lock of theirs.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            faulthandler.disable()
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            _no_core_dump()
            work()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return _cause(os.waitstatus_to_exitcode(status))


def crash_of_program(program: str, text: str) -> str | None:
    """How a fresh interpreter died that ran ``program`` with ``text`` on its standard input."""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    return _cause(done.returncode)


def can_fork() -> bool:
    """Whether this system has :func:`os.fork`."""
    return hasattr(os, "fork")


def _no_core_dump() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _cause(code: int) -> str | None:
    if code >= 0:
        return None
    name = signal.Signals(-code)
    return f"{signal.strsignal(name) or name.name} ({name.name})"
