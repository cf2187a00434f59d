"""What the user calls the files that a compiler names."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

from bankwise.files import nearby

Name = Callable[[str], str]
"""What the user calls a file that a compiler names."""


def names_of(source: Path, file: str) -> Name:
    """The source is called what the user calls it, a file below its folder likewise; others from
    the working folder, where they lie below it."""
    here, real = os.path.dirname(file), os.path.realpath(source)
    folder = os.path.realpath((Path(file) if Path(file).is_file() else source).parent)

    @cache
    def name(found: str) -> str:
        place = os.path.realpath(found)
        if place == real:
            return file
        below = os.path.relpath(place, folder)
        outside = below.split(os.sep, 1)[0] == os.pardir
        return nearby(place) if outside else os.path.join(here, below)

    return name
