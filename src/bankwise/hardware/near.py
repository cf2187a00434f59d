"""Names that people say, beside those that are known: how they are compared, which are meant."""

from __future__ import annotations

import re
from collections.abc import Iterable


def plain(text: str) -> str:
    """A name as it is compared: people write RTX-4090 and rtx 4090."""
    return re.sub(r"[ _-]", "", text.casefold())


def seen(name: str) -> str:
    """A name as it looks: the letter O is taken for a zero."""
    return plain(name).replace("o", "0")


def near(name: str, known: Iterable[str], cutoff: float) -> list[str]:
    """Of known names up to three that are spelled much like another; ``cutoff``: how much, 0 to
    1."""
    from difflib import get_close_matches

    return get_close_matches(name, list(known), n=3, cutoff=cutoff)


def did_you_mean(found: list[str], command: str, otherwise: str = "") -> str:
    """A hint at the names ``found``, and at what lists all; ``otherwise``: where there are none."""
    see = f"see `{command}`"
    return f"did you mean {', '.join(found)}? {see}" if found else f"{otherwise or see}"
