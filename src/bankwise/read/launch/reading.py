"""What is known on the way through the host code of a source: names, functions, launches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from bankwise.read.launch.constants import Constants
from bankwise.read.launch.facts import KernelLaunch
from bankwise.read.launch.launchers import Launcher
from bankwise.read.launch.tokens import SourceWord

_MOST_CALLS = 64
"""Of templates that launch kernels, which are followed."""
CONFIGURED = ("gridDim", "blockDim", "dynamicSmemBytes")
"""Members of a launch's configuration: its grid, block and bytes."""


class HostReading(Struct):
    """``scopes``: what names are, the innermost block last, each ``called`` as its structure or
    namespace, "" for others; ``changed``: names that something
    assigns; ``pointers``: names to what is assigned to them; ``steady``: those whose
    members are set in order; ``configured``: members of launch configurations; ``launchers``:
    functions that launch, of which so many more calls (``left``) are followed; ``bodies``: where
    such a body begins that is read where it is called, by where it ends; ``followed``: those that
    were; ``calls``: the lines of the calls that are followed now, the outermost first; ``values``:
    the places of arguments that such functions leave as they are."""

    words: Sequence[SourceWord]
    scopes: list[Constants] = field(default_factory=lambda: [{}])
    changed: frozenset[str] = frozenset()
    pointers: dict[str, set[str]] = field(default_factory=dict)
    found: list[KernelLaunch] = field(default_factory=list)
    steady: frozenset[str] = frozenset()
    launchers: Mapping[str, Launcher] = field(default_factory=dict)
    left: int = _MOST_CALLS
    configured: dict[str, dict[str, Sequence[SourceWord]]] = field(default_factory=dict)
    called: list[str] = field(default_factory=lambda: [""])
    bodies: Mapping[int, int] = field(default_factory=dict)
    followed: set[str] = field(default_factory=set)
    calls: tuple[int, ...] = ()
    values: Mapping[str, frozenset[int]] = field(default_factory=dict)
