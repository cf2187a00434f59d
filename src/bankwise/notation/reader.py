"""Reading notations: tokens with their places, and errors that point at them.

Every notation is a small language in strings. They share the tokens (names, numbers, symbols) and
the way of saying no: an :class:`InputError` with line and column in the text, what was found, what
was expected and a hint.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TypeVar

from msgspec import Struct

from bankwise.errors import InputError, Location
from bankwise.regex import regex

MAX_CHARACTERS = 50_000
MAX_DEPTH = 60
_MAX_DIGITS = 18

Made = TypeVar("Made")

_WORDS = (
    r"|(?P<name>\$?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)"
    r"|(?P<number>\d+)"
    r"|(?P<symbol>==|!=|<=|>=|->|//|[^\w\s])"
)
_C = regex(r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)" + _WORDS, re.DOTALL)
_PYTHON = regex(r"(?P<space>\s+)" + _WORDS)


class Token(Struct, frozen=True):
    """A name, number or symbol and where it starts; ``kind`` "end" behind the last one."""

    kind: str
    text: str
    location: Location

    def __str__(self) -> str:
        return repr(self.text) if self.kind != "end" else "the end of the text"


class Cursor:
    """A place in a token list. It moves forward only; an error names the token it stands at.

    ``comments``: whether ``//`` and ``/* */`` are comments, as in C; else ``//`` is a division.
    """

    def __init__(self, text: str, file: str, *, comments: bool = True) -> None:
        self._tokens = tuple(_tokens(text, file, _C if comments else _PYTHON))
        self._at = 0
        self._depth = 0

    @property
    def token(self) -> Token:
        """The token here."""
        return self._tokens[self._at]

    def next(self) -> Token:
        """The token here; moves behind it."""
        token = self.token
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token

    def ahead(self, *texts: str) -> bool:
        """Whether the next tokens are these."""
        found = self._tokens[self._at : self._at + len(texts)]
        return tuple(t.text for t in found) == texts

    def accept(self, text: str) -> bool:
        """Move behind this symbol or name if it stands here; whether it did."""
        if self.token.kind == "end" or self.token.text != text:
            return False
        self.next()
        return True

    def expect(self, text: str, hint: str = "") -> Token:
        """Move behind this symbol or name, which must stand here."""
        if self.token.kind == "end" or self.token.text != text:
            raise self.error(f"{text!r} expected, not {self.token}", hint)
        return self.next()

    def name(self, hint: str = "") -> Token:
        """Move behind a name, which must stand here."""
        if self.token.kind != "name":
            raise self.error(f"a name expected, not {self.token}", hint)
        return self.next()

    def number(self, hint: str = "") -> int:
        """Move behind a whole number, which must stand here."""
        if self.token.kind != "number":
            raise self.error(f"a whole number expected, not {self.token}", hint)
        if len(self.token.text) > _MAX_DIGITS:
            raise self.error(f"{self.token.text[:10]}... does not fit 63 bits")
        return int(self.next().text)

    def numbers(self, opening: str, closing: str, hint: str = "") -> tuple[int, ...]:
        """Move behind a list of numbers between two symbols, with commas."""
        self.expect(opening, hint)
        found: list[int] = []
        while not self.accept(closing):
            if found:
                self.expect(",", hint)
            found.append(self.number(hint))
        return tuple(found)

    def finish(self, hint: str = "") -> None:
        """Nothing may be left."""
        if self.token.kind != "end":
            raise self.error(f"{self.token} is left over", hint)

    @contextmanager
    def nested(self) -> Iterator[None]:
        """Everything read inside stands one level deeper."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self.error(f"nested deeper than {MAX_DEPTH} levels")
        yield
        self._depth -= 1

    def error(self, message: str, hint: str = "", token: Token | None = None) -> InputError:
        """An error at a token, by default the one here."""
        return InputError(message, location=(token or self.token).location, hint=hint)


def unknown(cursor: Cursor, token: Token, what: str, known: Iterable[str]) -> InputError:
    """An error about a name that nothing is known of, with the nearest known ones."""
    names = sorted(known)
    near = get_close_matches(token.text, names, n=3, cutoff=0.6)
    hint = f"did you mean {', '.join(near)}?" if near else "known: " + ", ".join(names)
    return cursor.error(f"unknown {what} {token.text!r}", hint, token)


def placed(cursor: Cursor, token: Token, make: Callable[[], Made]) -> Made:
    """What ``make`` makes; what it refuses is refused at the token's place in the text."""
    try:
        return make()
    except InputError as error:
        raise cursor.error(error.message, error.hint, token) from error


def fields(cursor: Cursor, known: Sequence[str], hint: str) -> dict[str, tuple[int, ...]]:
    """Read ``name = [1, 2], ...`` and the ``>`` behind it; every known name once."""
    found: dict[str, tuple[int, ...]] = {}
    while not cursor.ahead(">"):
        if found:
            cursor.expect(",", hint)
        token = cursor.name(hint)
        if token.text not in known:
            raise unknown(cursor, token, "field", known)
        if token.text in found:
            raise cursor.error(f"{token.text} is given twice", hint, token)
        cursor.expect("=", hint)
        found[token.text] = cursor.numbers("[", "]", hint)
    missing = [name for name in known if name not in found]
    if missing:
        raise cursor.error(f"{missing[0]} is missing", hint)
    cursor.expect(">", hint)
    return found


def _tokens(text: str, file: str, pattern: re.Pattern[str]) -> Iterator[Token]:
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"{len(text)} characters; {MAX_CHARACTERS} are allowed")
    line, start, at = 1, 0, 0
    while at < len(text):
        match = pattern.match(text, at)
        place = Location(file, line, at - start + 1)
        if match is None or match.lastgroup is None:
            raise InputError(f"cannot read {text[at]!r}", location=place)
        if match.lastgroup != "space":
            yield Token(match.lastgroup, match[0], place)
        if "\n" in match[0]:
            line += match[0].count("\n")
            start = at + match[0].rindex("\n") + 1
        at = match.end()
    yield Token("end", "", Location(file, line, at - start + 1))
