"""A source as it is, and a text in its place: compiled and followed under every launch."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from bankwise.ask.check_assembly import asked, shown_first
from bankwise.ask.every_launch import EmittedCost, LaunchKey, emitted_cost, key_of, other_launches
from bankwise.identity import ByIdentity
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.cxx.tree import CxxSource
from bankwise.read.options import Options
from bankwise.read.source import Compilation, SourceLanguage


class CompiledText(ByIdentity, frozen=True, eq=False):
    """A text, and what the compiler makes of it; ``between``: the text that the machine code was
    made of, where it keeps that."""

    text: str
    kernels: tuple[AssemblyKernel, ...]
    how: str
    emitted: EmittedCost
    between: str = ""

    def cost(self) -> tuple[int, int]:
        """Passes of all kernels, and executed instructions of shared memory, in all launches."""
        return sum(self.emitted.passes.values()), sum(self.emitted.executed.values())

    def under(self, keys: Collection[LaunchKey]) -> CompiledText:
        """The same under those launches alone, and those that are shown."""
        kernels = other_launches(self.kernels, lambda one: key_of(one) in keys)
        return _compiled(self.text, kernels, self.how, self.between)


def _compiled(text: str, kernels: Sequence[AssemblyKernel], how: str, between: str) -> CompiledText:
    return CompiledText(text, tuple(kernels), how, emitted_cost(kernels), between)


class Author(ByIdentity, frozen=True, eq=False):
    """The user's source as it is, how it is compiled, and what is asked of it. ``also``: kernels
    that are looked at as well, since what is asked about is made of the same text."""

    source: CxxSource
    language: SourceLanguage
    what: Compilation
    options: Options
    also: tuple[str, ...] = ()

    def compiled(self, text: str) -> CompiledText:
        """A text in its place, compiled and followed."""
        what = replace(self.what, text=text)
        found = self.language.check(what, **asked(self.options))
        kernels = list(found.kernels)
        for one in (replace(self.options, kernel=name) for name in self.also):
            kernels += self.language.check(what, **asked(one)).kernels
        return _compiled(text, shown_first(tuple(kernels)), found.how, found.emitted)
