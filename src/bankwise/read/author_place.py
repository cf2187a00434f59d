"""Of the places that one instruction comes from, that of the author.

``tl.max`` and its like are Python themselves: what is inlined from Triton's own folder is told at
the line that asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from bankwise.errors import Location

_LIBRARY = re.compile(r"(^|/)triton/language/")


def in_library(file: str) -> bool:
    """Whether a file is one of Triton's own, that kernels call."""
    return _LIBRARY.search(file) is not None


def author_place(places: Iterable[Location]) -> Location | None:
    """The innermost place that is no library's; the innermost one where all are. ``places``: the
    innermost first."""
    every = list(places)
    return next((at for at in every if not in_library(at.file)), next(iter(every), None))
