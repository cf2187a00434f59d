"""The blocks of launches, as host code says them."""

from __future__ import annotations

from bankwise.read.launch.host import launches_in


def blocks(source: str) -> list[object]:
    """Of each launch, None where it is not known; those of one kernel alike once."""
    return list(dict.fromkeys(one.block for one in launches_in(source)))
