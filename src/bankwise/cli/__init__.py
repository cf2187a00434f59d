"""The command line: verbs and options, no logic.

Data goes to stdout, talk to stderr. Exit codes: 0 clean, 1 conflicts or findings, 2 could not.
"""

from __future__ import annotations

import os
import sys

# In the order in which `bankwise --help` names their verbs.
from bankwise.cli import check
from bankwise.cli import kernels, layouts, passes, triton_plan, study, hardware, bench
from bankwise.cli.common import app
from bankwise.errors import InputError

__all__ = [
    "app",
    "bench",
    "check",
    "hardware",
    "kernels",
    "layouts",
    "main",
    "passes",
    "study",
    "triton_plan",
]


def main() -> None:
    """The entry point: bad input becomes one message on stderr and exit code 2."""
    try:
        app()
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
