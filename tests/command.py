"""The command line inside this process: fast, and no less real than a new one."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

from bankwise.cli import main


@dataclass(frozen=True)
class Ended:
    """How a command ended: exit code, standard output, standard error."""

    code: int
    out: str
    err: str


def bankwise(*words: object) -> Ended:
    """``bankwise WORDS``. An internal error is no answer: it is a defect of bankwise."""
    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["bankwise", *map(str, words)]
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as end:
        assert "internal error" not in err.getvalue(), err.getvalue()
        return Ended(int(end.code or 0), out.getvalue(), err.getvalue())
    finally:
        sys.argv = before
    return Ended(0, out.getvalue(), err.getvalue())
