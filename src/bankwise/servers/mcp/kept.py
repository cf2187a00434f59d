"""Whole answers, kept for a while, and pieces of them that are small enough to be read."""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any

from bankwise.errors import InputError
from bankwise.show.documents.briefs import PieceDocument

_KEPT = 16
_CHARACTERS = 12_000
"""Of the JSON of one piece."""


class Kept:
    """The last answers, by name; the oldest are forgotten."""

    def __init__(self, most: int = _KEPT, characters: int = _CHARACTERS) -> None:
        self.most, self.characters = most, characters
        self._answers: OrderedDict[str, Any] = OrderedDict()
        self._count = 0

    def keep(self, whole: Any) -> str:
        """The name of an answer."""
        self._count += 1
        name = f"answer-{self._count}"
        self._answers[name] = whole
        while len(self._answers) > self.most:
            self._answers.popitem(last=False)
        return name

    def piece(self, name: str, at: str, start: int, many: int) -> PieceDocument:
        """A piece of an answer. InputError for one that is not there."""
        if name not in self._answers:
            known = ", ".join(self._answers) or "none yet"
            raise InputError(f"no answer is called {name[:40]!r}", hint=f"kept are: {known}")
        whole = self._answers[name]
        value = _found(whole, at)
        items = len(value) if isinstance(value, list | dict | str) else 1
        shown, end = self._shown(value, at, start, many)
        onward = None if end >= items or not isinstance(value, list | str) else end
        return PieceDocument(name, at, whole["schema"], start, items, shown, onward)

    def _shown(self, value: Any, at: str, start: int, many: int) -> tuple[Any, int]:
        """What is shown of a value, and where that ends."""
        if isinstance(value, str):
            end = min(start + min(many, self.characters), len(value))
            return value[start:end], end
        if isinstance(value, list):
            return self._page(value, at, start, many)
        if isinstance(value, dict):
            return self._small(value, at, self.characters), len(value)
        return value, 1

    def _page(self, value: list[Any], at: str, start: int, many: int) -> tuple[list[Any], int]:
        shown: list[Any] = []
        left = self.characters
        for number, item in enumerate(value[start : start + many], start):
            small = self._small(item, f"{at}/{number}", self.characters)
            left -= _length(small)
            if shown and left < 0:
                break
            shown.append(small)
        return shown, start + len(shown)

    def _small(self, value: Any, at: str, most: int) -> Any:
        """A value with what is too long in it left out by name: the longest first."""
        if _length(value) <= most:
            return value
        if not isinstance(value, dict):
            return {"left_out": at, "characters": _length(value)}
        shown = dict(value)
        for key in sorted(value, key=lambda one: _length(value[one]), reverse=True):
            if _length(shown) <= most:
                break
            shown[key] = {"left_out": f"{at}/{_escaped(key)}", "characters": _length(value[key])}
        return shown


def _found(value: Any, at: str) -> Any:
    """What a JSON pointer names."""
    if at and not at.startswith("/"):
        raise InputError(f"{at[:80]!r} is no JSON pointer", hint="for example /kernels/0/optima")
    for part in at.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isascii() and key.isdigit() and len(key) < 10:
            if int(key) >= len(value):
                raise InputError(f"there is no item {key} at {at[:80]!r}: {len(value)} in all")
            value = value[int(key)]
        else:
            keys = ", ".join(list(value)[:40]) if isinstance(value, dict) else ""
            hint = f"keys there: {keys}" if keys else ""
            raise InputError(f"nothing is called {key[:40]!r} at {at[:80]!r}", hint=hint)
    return value


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _length(value: Any) -> int:
    return len(json.dumps(value))
