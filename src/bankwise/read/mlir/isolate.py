"""Running native code that may end the process, so that the user still gets a message.

The MLIR parser divides by zero on some attributes and overflows its stack on deep nesting. The
work is done first in a child, which has a limit of processor time: a fork costs some 10 ms and
needs no second import; where the system has no fork, a fresh interpreter is started instead.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable

SECONDS = 120
"""Of processor time, so that a busy machine changes nothing; files of 200 MB take less."""


def crash_of(work: Callable[[], object], seconds: int = SECONDS) -> str | None:
    """How a forked child died that did ``work``, None if it came to an end within ``seconds``.

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
            _limit(seconds)
            work()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return _cause(os.waitstatus_to_exitcode(status))


def crash_of_program(program: str, text: str) -> str | None:
    """How a fresh interpreter died that ran ``program`` with ``text`` on its standard input."""
    command = [sys.executable, "-c", program]
    try:
        done = subprocess.run(
            command, input=text.encode(), capture_output=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"it is not done after {SECONDS} s"
    return _cause(done.returncode)


def can_fork() -> bool:
    """Whether this system has :func:`os.fork`."""
    return hasattr(os, "fork")


def _limit(seconds: int) -> None:
    """No core files, and an end."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def _cause(code: int) -> str | None:
    if code >= 0:
        return None
    name = signal.Signals(-code)
    if name in (signal.SIGXCPU, signal.SIGKILL):
        return "it is not done within its limits of time and memory"
    return f"{signal.strsignal(name) or name.name} ({name.name})"
