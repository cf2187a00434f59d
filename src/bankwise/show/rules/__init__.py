"""The rules: one file each beside this one, with the same five sections.

A *finding* is what a report can name, a *hint* what refuses or drops a swizzle hint, a *cause* what
explains a count and is often explained wrongly.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Literal, get_args

from msgspec import Struct

from bankwise.errors import InputError
from bankwise.show.nouns import nouns

Kind = Literal["finding", "cause", "hint"]

_SECTIONS = ("What it is", "Why it costs", "Example", "Instead", "Source")


class Rule(Struct, frozen=True):
    """One rule, in words. ``summary``: one sentence; the others are Markdown paragraphs."""

    name: str
    kind: Kind
    summary: str
    what: str
    why: str
    example: str
    instead: str
    source: str

    def sections(self) -> tuple[tuple[str, str], ...]:
        """(title, text) of every section, in order."""
        texts = (self.what, self.why, self.example, self.instead, self.source)
        return tuple(zip(_SECTIONS, texts, strict=True))


def kinds() -> tuple[str, ...]:
    """The kinds of rules, in the order of a list."""
    return get_args(Kind)


@cache
def rules() -> tuple[Rule, ...]:
    """All rules: findings first, then causes, then hints; by name within."""
    found = [parse(f.name.removesuffix(".md"), f.read_text("utf-8")) for f in _files()]
    return tuple(sorted(found, key=lambda r: (kinds().index(r.kind), r.name)))


def rule(name: str) -> Rule:
    """The rule called ``name``; :class:`InputError` with the nearest names if there is none."""
    names = [r.name for r in rules()]
    if name not in names:
        known = [*names, *(word for n in nouns() for word in (n.name, *n.also))]
        near = get_close_matches(name, known, n=3, cutoff=0.4)
        hint = f"did you mean {', '.join(near)}?" if near else "`bankwise explain` lists them"
        raise InputError(f"unknown rule or word {name!r}", hint=hint)
    return rules()[names.index(name)]


def parse(name: str, text: str) -> Rule:
    """Read the file of a rule: ``# summary``, ``kind: ..``, and five ``## sections``."""
    head, *parts = text.split("\n## ")
    title, kind = head.strip().split("\n")
    found = {}
    for part in parts:
        section, _, body = part.partition("\n")
        found[section] = body.strip()
    assert tuple(found) == _SECTIONS, f"{name}: {tuple(found)}"
    assert title.startswith("# "), name
    known: dict[str, Kind] = {f"kind: {k}": k for k in get_args(Kind)}
    return Rule(name, known[kind], title.removeprefix("# "), *found.values())


def _files() -> list[Traversable]:
    folder = resources.files(__package__)
    return [entry for entry in folder.iterdir() if entry.name.endswith(".md")]
