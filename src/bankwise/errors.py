"""How bankwise says no.

Three kinds, never mixed:

* a programmer's mistake is an ``assert``;
* bad input is one :class:`InputError`, with the place, the rule, the offending value and a hint;
* a "no" of the domain (this access cannot be analysed, this allocation may not be swizzled) is a
  :class:`Refusal`: a value that travels to the report. Nothing is swallowed.

A process says it as an exit code, the same for every verb: see :data:`CLEAN` and the others.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

CLEAN = 0
"""Nothing found, and everything is accounted for."""
FINDINGS = 1
"""Conflicts, findings, differences."""
FAILED = 2
"""Bad input, or what was asked for could not be done."""
INCOMPLETE = 3
"""Answered, but sampled, assumed, or not everything was analysed."""


class Location(Struct, frozen=True, order=True):
    """A place in the user's own file. Lines and columns count from 1; 0 means unknown.

    ``end_column``: behind the last character, on the same line. ``inside``: where in a binary file,
    which has no lines: ``[gfx942][work]+0x1c0``, member, kernel and address in the kernel.
    """

    file: str
    line: int = 0
    column: int = 0
    inside: str = ""
    end_column: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.file + self.inside
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


class MisalignedError(InputError):
    """An address at which the machine faults."""


class Refusal(Struct, frozen=True):
    """A domain "no": what could not be done, where, and why. It is reported, never dropped.

    ``access``: it is, or may be, of an access; False for a place at which control flow is lost.
    ``crash``: a program that was asked ended by a signal. ``fault``: the machine would not do it.
    """

    reason: str
    location: Location | None = None
    access: bool = True
    crash: bool = False
    fault: bool = False

    @property
    def rule(self) -> str:
        """The rule that explains it, where it is of a check."""
        return "fault" if self.fault else "not-analysed"

    def __str__(self) -> str:
        return f"{self.location}: {self.reason}" if self.location else self.reason


def exit_code(*, failed: bool = False, findings: bool = False, incomplete: bool = False) -> int:
    """The exit code of an answer: what is worst about it decides."""
    return FAILED if failed else FINDINGS if findings else INCOMPLETE if incomplete else CLEAN


def worst(codes: Iterable[int]) -> int:
    """The exit code of several answers together; 0 for none."""
    given = set(codes)
    return exit_code(
        failed=FAILED in given, findings=FINDINGS in given, incomplete=INCOMPLETE in given
    )
