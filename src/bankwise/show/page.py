"""Reports on a terminal, in colours."""

from __future__ import annotations

from typing import Any

from rich.console import Console as RichConsole
from rich.text import Text

from bankwise.show.columns import width
from bankwise.show.wrap import line_ends

__all__ = ["Page"]


class Page(RichConsole):
    """A console whose texts end their lines between words, in a pipe as on a terminal; with
    ``soft_wrap`` lines stay as they are, and so do those that a shell goes on behind, ``.. \\``."""

    def __init__(self, columns: int = 0, **options: Any) -> None:
        """``columns``: of every line, whatever the terminal has; 0 for what fits it."""
        super().__init__(highlight=False, emoji=False, **options)
        self.columns = columns

    def print(self, *objects: Any, **options: Any) -> None:
        """As of a console."""
        if len(objects) != 1 or not isinstance(objects[0], str | Text) or "soft_wrap" in options:
            super().print(*objects, **options)
            return
        said, markup = objects[0], options.pop("markup", True)
        text = said if isinstance(said, Text) else self.render_str(said, markup=markup)
        for line in text.split("\n", allow_blank=True):
            ends = [] if line.plain.endswith("\\") else line_ends(line.plain, width(self))
            behind = " " * (len(line.plain) - len(line.plain.lstrip()) + 2)
            for number, part in enumerate(line.divide(ends)):
                part.rstrip()
                whole = Text.assemble(behind, part) if number else part
                super().print(whole, soft_wrap=True, **options)
