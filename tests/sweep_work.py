"""Works for the tests of the sweep's engine: what a case does when nothing has to be compiled."""

from __future__ import annotations

import os
import signal
import time

from bankwise.errors import InputError
from bankwise.sweep.spec import Case
from bankwise.sweep.store import Row


def product(case: Case) -> Row:
    """The product of the sizes; slowly enough to be killed in between."""
    sizes = dict(case.shape)
    time.sleep(0.05)
    return {"extra_launch": sizes["a"] * sizes["b"], "lds_bytes": sizes["a"], "worker": os.getpid()}


def troubled(case: Case) -> Row:
    """As :func:`product`, but some sizes are bad input, some a defect, some end the process."""
    a = dict(case.shape)["a"]
    if a == 1:
        raise InputError("a is one", hint="not one")
    if a == 2:
        raise ZeroDivisionError("a is two")
    if a == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return product(case)
