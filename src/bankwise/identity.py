"""Values that are what they are: two of them are equal only where they are one object."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["ByIdentity"]


class ByIdentity(Struct, frozen=True, eq=False):
    """A frozen value that is compared and hashed by identity, like any object: a node of a graph,
    or one that holds arrays. (A struct that is not compared still hashes all that it holds.)"""

    __hash__ = object.__hash__
