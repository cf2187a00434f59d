"""What a check can carry on top: a profile beside it, and whether a fix is worth it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from bankwise.show.columns import Console

if TYPE_CHECKING:
    from bankwise.show.beside import Beside
    from bankwise.show.worth import Worth


class More(Struct, frozen=True):
    """``beside``: of ``--counters``; ``worths``: of ``--worth``. None where not asked for."""

    beside: Beside | None = None
    worths: tuple[Worth, ...] | None = None

    @property
    def contradicted(self) -> bool:
        """Whether a profile is not of what was counted."""
        return self.beside is not None and self.beside.contradicted


def print_more(more: More, console: Console) -> None:
    """Print it below the check."""
    if more.beside is not None:
        from bankwise.show.beside import print_beside

        print_beside(more.beside, console)
    if more.worths is not None:
        from bankwise.show.worth import print_worths

        print_worths(more.worths, console)
