"""How bankwise says no.

Three kinds, never mixed:

* a programmer's mistake is an ``assert``;
* bad input is one :class:`InputError`, with the place, the rule, the offending value and a hint;
* a "no" of the domain (this access cannot be analysed, this allocation may not be swizzled) is a
  :class:`Refusal`: a value that travels to the report. Nothing is swallowed.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in the user's own file. Lines and columns count from 1; 0 means unknown."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.file
        return (
            f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"
        )


class InputError(Exception):
    """Input that cannot be used. The command line prints it in one piece and exits with 2.

    ``message`` says what is wrong and names the offending value, ``location`` where,
    ``hint`` how to mend it.
    """

    def __init__(self, message: str, *, location: Location | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.hint = hint

    def __str__(self) -> str:
        where = f"{self.location}: " if self.location else ""
        hint = f"\n  hint: {self.hint}" if self.hint else ""
        return f"{where}{self.message}{hint}"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A domain "no": what could not be done, where, and why. It is reported, never dropped."""

    reason: str
    location: Location | None = None

    def __str__(self) -> str:
        return f"{self.location}: {self.reason}" if self.location else self.reason
