"""What a report is printed on: a terminal, in colours, or what is none."""

from __future__ import annotations

import os
import sys

from bankwise.show.columns import Console
from bankwise.show.plain import PlainPage

_COLOURED = {"FORCE_COLOR", "TTY_COMPATIBLE"}
"""Variables of the environment by which rich takes what is no terminal for one."""


def console_of(*, stderr: bool = False) -> Console:
    """One for stdout, or for stderr; where that is no terminal, without rich."""
    file = sys.stderr if stderr else sys.stdout
    if (file is None or not file.isatty()) and _COLOURED.isdisjoint(os.environ):
        return PlainPage(file)
    from bankwise.show.page import Page

    return Page(stderr=stderr)
