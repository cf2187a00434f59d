"""What a computer has of the tools that bankwise can use, and what each opens."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from bankwise.show.columns import Console, say
from bankwise.show.notebook import printed

Sort = Literal["compiler", "GPU", "profiler", "extra"]


class Part(Struct, frozen=True):
    """One tool. ``found``: where, or which version; "" if it is not there. ``opens``: what needs
    it; ``how``: how to get it."""

    sort: Sort
    name: str
    found: str
    opens: str
    how: str


@printed("bankwise.show.health:print_health")
class Health(Struct, frozen=True):
    """The answer of ``bankwise doctor``."""

    version: str
    parts: tuple[Part, ...]


def print_health(health: Health, console: Console) -> None:
    """A part in a line or two, what is there first."""
    say(console, f"bankwise {health.version}", style="bold")
    text = "count, solve, explain, check of PTX, SASS, AMD assembly, TTGIR and tile questions"
    say(console, text, "  yes  ", style="green")
    for there in (True, False):
        for part in health.parts:
            if bool(part.found) == there:
                _print_part(part, console)


def _print_part(part: Part, console: Console) -> None:
    if part.found:
        say(console, f"{part.name}: {part.opens} ({part.found})", "  yes  ", style="green")
    else:
        say(console, f"{part.name}: {part.opens} ({part.how})", "  no   ", style="dim")
