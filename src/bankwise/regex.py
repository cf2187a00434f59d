"""Regular expressions that are compiled where they are first asked.

A reader has a dozen of them and most texts ask a few, while compiling one takes as long as loading
a small module. So modules that many commands load write ``regex(...)`` for ``re.compile(...)``.
"""

from __future__ import annotations

import re
from typing import Any, cast

__all__ = ["regex"]


def regex(text: str, flags: int = 0) -> re.Pattern[str]:
    """What ``re.compile`` gives, as far as methods and attributes go: functions of :mod:`re` do not
    take it for a pattern. A fault of the text shows at its first use; a test uses all."""
    return cast("re.Pattern[str]", _LatePattern(text, flags))


_ATTRIBUTES = tuple(name for name in dir(re.Pattern) if not name.startswith("__"))


class _PatternInUse:
    """Has the attributes of a pattern, to be had as quickly as the pattern's own."""


class _LatePattern(_PatternInUse):
    """Is compiled when an attribute is asked, and then no longer one of these."""

    def __init__(self, text: str, flags: int) -> None:
        self.__dict__["text, flags"] = text, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked of any object: by copies, by pickle
            raise AttributeError(name)
        compiled = re.compile(*self.__dict__["text, flags"])
        self.__dict__.update({one: getattr(compiled, one) for one in _ATTRIBUTES})
        cast("Any", self).__class__ = _PatternInUse
        return getattr(self, name)
