"""What a check can carry on top: a profile beside it, and whether a fix is worth it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.console import Console

from bankwise.show.beside import Beside, beside_document, print_beside
from bankwise.show.worth import Worth, print_worths, worth_document


@dataclass(frozen=True, slots=True)
class More:
    """``beside``: of ``--counters``; ``worths``: of ``--worth``. None where not asked for."""

    beside: Beside | None = None
    worths: tuple[Worth, ...] | None = None


def print_more(more: More, console: Console) -> None:
    """Print it below the check."""
    if more.beside is not None:
        print_beside(more.beside, console)
    if more.worths is not None:
        print_worths(more.worths, console)


def more_document(more: More) -> dict[str, Any]:
    """The keys ``counters`` and ``worth`` of ``bankwise.check/1``, those that were asked for."""
    found: dict[str, Any] = {}
    if more.beside is not None:
        found["counters"] = beside_document(more.beside)
    if more.worths is not None:
        found["worth"] = [worth_document(worth) for worth in more.worths]
    return found
