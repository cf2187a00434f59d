"""Reports where nobody sees colours: in a pipe, a file, a log of CI.

Styles stand in what is printed as rich's markup has them, ``[bold]text[/]``. Only a terminal shows
them, and rich alone takes longer to import than a kernel takes to be counted.
"""

from __future__ import annotations

from typing import TextIO

from bankwise.regex import regex
from bankwise.show.wrap import WIDTH, wrapped

__all__ = ["PlainPage", "escape", "plain"]

_TAG = regex(r"(\\*)(\[([a-z#/@][^\[]*?)\])")
"""What rich takes for a style, or for the end of one; an odd number of backslashes makes a text of
it, and two of them are one."""
_UNSEEN = dict.fromkeys(map(ord, "\a\b\v\f\r"))
"""Signs that rich leaves out: they would move a terminal's cursor."""
_TAB = 8


def escape(text: str) -> str:
    """A text that stands for itself within markup."""
    found = _TAG.sub(r"\1\1\\\2", text)
    alone = found.endswith("\\") and not found.endswith("\\\\")
    return f"{found}\\" if alone else found  # a tag may follow


def plain(markup: str) -> str:
    """What is left of markup without its styles."""
    said: list[str] = []
    at, open_ = 0, 0
    for tag in _TAG.finditer(markup):
        said.append(markup[at : tag.start()].replace("\\[", "["))
        said.append(tag[1][: len(tag[1]) // 2])
        at = tag.end()
        if len(tag[1]) % 2:
            said.append(tag[2])
            continue
        open_ += -1 if tag[3].startswith("/") else 1
        assert open_ >= 0, f"{tag[2]} ends a style that nothing began: {markup}"
    return "".join((*said, markup[at:].replace("\\[", "[")))


class PlainPage:
    """What :class:`bankwise.show.page.Page` prints where that is no terminal."""

    is_terminal = False
    width = WIDTH

    def __init__(self, file: TextIO | None, columns: int = 0) -> None:
        """``file``: None where there is none to print to; ``columns``: of every line, 0 for 80."""
        self._file = file
        self.columns = columns

    def print(
        self,
        text: str = "",
        *,
        markup: bool = True,
        soft_wrap: bool = False,
        highlight: bool = False,
    ) -> None:
        """As of a page; nothing is highlighted."""
        said = (plain(text) if markup else text).translate(_UNSEEN)
        lines = said.split("\n")
        if not soft_wrap:
            most = self.columns or WIDTH
            lines = [line if line.endswith("\\") else wrapped(line, most) for line in lines]
        if self._file is not None:
            self._file.write("".join(f"{line}\n" for line in lines).expandtabs(_TAB))
            self._file.flush()  # what stderr says comes between the lines that it stands between
