"""The words of reports: a table of nouns (nouns.toml), each with its meaning and its source.

``bankwise explain bank`` prints one; programs and pages take the whole of :func:`nouns`.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources

from msgspec import Struct


class Noun(Struct, frozen=True):
    """One word. ``also``: what else it is called, ``meaning``: one to three sentences, ``source``:
    who says so, ``rule``: the rule of `bankwise explain` that says more, "" for none."""

    name: str
    also: tuple[str, ...]
    meaning: str
    source: str
    rule: str = ""


@cache
def nouns() -> tuple[Noun, ...]:
    """All words, in the order of the table: from what a bank is on."""
    text = resources.files(__package__).joinpath("nouns.toml").read_text("utf-8")
    return tuple(Noun(**{**row, "also": tuple(row["also"])}) for row in tomllib.loads(text)["noun"])


def noun(said: str) -> Noun | None:
    """The word called so, by any of its names, whatever its case; None if there is none."""
    called = re.sub(r"^\d+ way$", "n way", _plain(said))
    found = (n for n in nouns() if called in map(_plain, (n.name, *n.also)))
    return next(found, None) or _of_a_layout(said)


_LAYOUT = re.compile(r"#?(?:iree_codegen\.)?(\w+)<.*>")


def _of_a_layout(said: str) -> Noun | None:
    """The word of a layout with its numbers: ``unpadded<pitch=132, row=128>``."""
    found = _LAYOUT.fullmatch(said.strip())
    kind = f"{found[1]}<{'stride, runs' * ('runs=' in said)}" if found else "-"
    return next((n for n in nouns() if n.name.casefold().startswith(kind.casefold())), None)


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("-", " ").replace("_", " ").split())
