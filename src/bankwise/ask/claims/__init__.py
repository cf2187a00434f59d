"""What others have published, as data: each number with its place and with what became of it here.

One TOML file per source. A claim is *computed* (it comes out of the kernels that a compiler emits,
without a GPU), *needs hardware* (time, waits: nothing here could say it), or *contradicted* (what
comes out differs; ``why`` says what is known about it). ``ours`` is the number that came out.
"""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Literal, get_args

from msgspec import Struct

Status = Literal["computed", "needs hardware", "contradicted"]


class Published(Struct, frozen=True):
    """One published number.

    ``place``: where in the source; ``statement``: what is claimed; ``published`` and ``ours``: the
    numbers as they are printed; ``ours`` is empty where nothing can be computed.
    """

    id: str
    place: str
    statement: str
    published: str
    status: Status
    ours: str = ""
    why: str = ""


class PublishedSource(Struct, frozen=True):
    """A source and its claims, in its order."""

    name: str
    title: str
    claims: tuple[Published, ...]

    def claim(self, identity: str) -> Published:
        """The claim called ``identity``; KeyError if there is none."""
        found = {claim.id: claim for claim in self.claims}
        return found[identity]


def names() -> tuple[str, ...]:
    """The names of all sources, sorted."""
    files = (entry.name for entry in resources.files(__package__).iterdir())
    return tuple(sorted(f.removesuffix(".toml") for f in files if f.endswith(".toml")))


def source(name: str) -> PublishedSource:
    """The source called ``name``; its file is part of the package, so any fault in it is a bug."""
    text = (resources.files(__package__) / f"{name}.toml").read_text("utf-8")
    data = tomllib.loads(text)
    claims = tuple(Published(**entry) for entry in data["claim"])
    assert all(claim.status in get_args(Status) for claim in claims)
    assert len({claim.id for claim in claims}) == len(claims)
    return PublishedSource(name, data["title"], claims)
