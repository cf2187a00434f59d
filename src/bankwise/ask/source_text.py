"""A source as it is, and a text in its place: compiled and followed under every launch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from msgspec import field
from msgspec.structs import replace

from bankwise.ask.check_assembly import asked, shown_first
from bankwise.ask.every_launch import EmittedCost, LaunchKey, emitted_cost, key_of, other_launches
from bankwise.ask.supposed import NUMBERS, answers, is_lost, is_open, supposed, told
from bankwise.identity import ByIdentity
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.cxx.joined import JoinedText
from bankwise.read.cxx.tree import CxxSource, parse
from bankwise.read.instances import ChangedArgument, back, instance, instances_in
from bankwise.read.kept_code import KeptCode
from bankwise.read.launch.facts import KernelLaunch
from bankwise.read.launch.headers import defined_macros, header_texts
from bankwise.read.options import Options, Phase
from bankwise.read.source import Compilation, Compiled, SourceLanguage
from bankwise.read.toolkit import of_compiler

_TEXTS = 32
"""Of a source that are kept: those of one array are tried again when another one is rejected."""
_ASKED = 8
"""Texts that ask the compiler something of arrays, of which the answers are kept."""


class CompiledText(ByIdentity, frozen=True, eq=False):
    """A text, and what the compiler makes of it; ``between``: the text that the machine code was
    made of, where it keeps that. ``changed``: the arguments of templates that are other numbers
    than in the source; its kernels are called as they are there, by which they are compared.
    ``whole``: all of it was compiled, not a few of its kernels."""

    text: str
    kernels: tuple[AssemblyKernel, ...]
    how: str
    emitted: EmittedCost
    between: str = ""
    changed: tuple[ChangedArgument, ...] = ()
    whole: bool = True

    def cost(self) -> tuple[int, int]:
        """Passes of all kernels, and executed instructions of shared memory, in all launches."""
        return sum(self.emitted.passes.values()), sum(self.emitted.executed.values())

    def under(self, keys: Collection[LaunchKey]) -> CompiledText:
        """The same under those launches alone, and those that are shown."""
        kernels = other_launches(self.kernels, lambda one: key_of(one) in keys)
        return replace(self, kernels=kernels, emitted=emitted_cost(kernels))


class Author(ByIdentity, frozen=True, eq=False):
    """The user's source as it is, how it is compiled, and what is asked of it. ``also``: kernels
    that are looked at as well, since what is asked about is made of the same text; ``supposed``:
    numbers for what nobody says of kernels that stay open without; ``kept``: what its texts share;
    ``phase``: is told what is done now; ``joined``: the headers that stand in the source, if some
    do; ``left``: why others stay as they are, in words; ``around``: the kernels of the
    source, where a text is compiled with a few alone: the others are the same in it."""

    source: CxxSource
    language: SourceLanguage
    what: Compilation
    options: Options
    also: tuple[str, ...] = ()
    supposed: tuple[KernelLaunch, ...] = ()
    kept: KeptCode = field(default_factory=KeptCode)
    phase: Phase = field(default=lambda _: None)
    joined: JoinedText | None = None
    left: tuple[str, ...] = ()
    around: tuple[AssemblyKernel, ...] = ()

    @property
    def asking(self) -> SourceLanguage:
        """The language, whose compiler is asked once what it says of a text. Not for what judges
        programs by their code: a compiler may make another one of the very same text."""
        return replace(self.language, emitted=self._emitted)

    def _emitted(self, what: Compilation) -> str:
        return self.kept.once("asked", what, lambda: self.language.emitted(what), _ASKED)

    def compiled(self, text: str, changed: tuple[ChangedArgument, ...] = ()) -> CompiledText:
        """A text in its place, compiled and followed. ``changed``: the arguments of templates that
        are other numbers in it."""
        made_of = text, changed, self.supposed, self.also, self.what.alone, self.around
        return self.kept.once("text", made_of, lambda: self._compiled(text, changed), _TEXTS)

    def begin(self, text: str) -> None:
        """Start to compile a text that is likely asked for soon; :meth:`KeptCode.leave` ends what
        was not."""
        self.language.begin(replace(self.what, text=text).with_instances(()), self.kept)

    def _compiled(self, text: str, changed: tuple[ChangedArgument, ...]) -> CompiledText:
        every = self._checked(text, changed)
        kernels = (kernel for found in every for kernel in found.kernels)
        known = tuple(_as_before(one, back(changed)) for one in kernels)
        shown = shown_first(tuple(told(known, self.supposed)))
        if self.around and self.what.alone is not None:
            few = {one.name: one for one in shown if self.what.alone.has(one.name)}
            shown = tuple(few.get(one.name, one) for one in self.around)
            return CompiledText(text, shown, every[0].how, emitted_cost(shown), whole=False)
        between = instances_in(every[0].emitted, back(changed))
        return CompiledText(text, shown, every[0].how, emitted_cost(shown), between, changed)

    def followed(
        self, text: str, changed: tuple[ChangedArgument, ...] = ()
    ) -> tuple[AssemblyKernel, ...]:
        """The kernels of a text in its place, under the names that they have there: the very same
        values for the same code."""
        return tuple(kernel for found in self._checked(text, changed) for kernel in found.kernels)

    def followed_as(self, what: Compilation) -> tuple[AssemblyKernel, ...]:
        """The kernels of the source itself, compiled in another way."""
        return replace(self, what=what).followed(self.source.text)

    def _checked(self, text: str, changed: Sequence[ChangedArgument]) -> tuple[Compiled, ...]:
        """What is asked about, and what is looked at as well."""
        what = replace(self.what, text=text).with_instances(changed)
        also = (replace(self.options, kernel=instance(name, changed)) for name in self.also)
        asked_ = (self._asked(one, changed) for one in (self.options, *also))
        return tuple(self.language.check(what, **one) for one in asked_)

    def _asked(self, options: Options, changed: Sequence[ChangedArgument]) -> dict[str, Any]:
        given = asked(options)
        supposed_ = tuple(
            replace(one, kernel=instance(one.kernel, changed)) for one in self.supposed
        )
        launches = replace(given["launches"], supposed=supposed_)
        return {**given, "launches": launches, "kept": self.kept}


def _as_before(kernel: AssemblyKernel, changed: Sequence[ChangedArgument]) -> AssemblyKernel:
    """A kernel of a changed text as it is called in the source."""
    name = instance(kernel.name, changed)
    if name == kernel.name:
        return kernel
    launch = replace(kernel.launch, kernel=instance(kernel.launch.kernel, changed))
    others = tuple(_as_before(one, changed) for one in kernel.others)
    return replace(kernel, name=name, launch=launch, others=others)


def source_beside(text: str, file: str, what: Compilation) -> CxxSource:
    """The tree of a source, with the macros that its flags and its own headers define."""
    found = header_texts(text, what.path, what.flags)
    headers = ((str(path), one) for path, one in found.items() if not of_compiler(str(path)))
    flags = (("-D", one) for one in defined_macros(what.flags))
    return parse(text, file, beside=(*flags, *headers))


def opened(author: Author, before: CompiledText) -> tuple[Author, CompiledText]:
    """The same with a number for each argument that decides which bytes a kernel touches, where
    nobody says it; as it is of kernels of which none that is tried answers all that is open."""
    answered: dict[str, KernelLaunch] = {}
    left = [one for one in before.kernels if is_open(one)]
    for number in NUMBERS if left else ():
        author.phase(f"following them with {number:,} for arguments")
        tried, now = _supposed(author, before, left, number)
        answered |= {k.name: tried[k.name] for k in left if answers(k, now[k.name])}
        left = [k for k in left if k.name not in answered and not is_lost(now[k.name])]
        if not left:
            break
    if not answered:
        return author, before
    known = replace(author, supposed=tuple(answered.values()))
    return known, known.compiled(before.text)


_ROUNDS = 3
"""What is followed with numbers may name more that decides."""


def _supposed(
    author: Author, before: CompiledText, left: Sequence[AssemblyKernel], number: int
) -> tuple[dict[str, KernelLaunch], dict[str, AssemblyKernel]]:
    """What is supposed of kernels, by their names, and these as they are followed with it."""
    now = {one.name: one for one in left}
    tried = {one.name: KernelLaunch(one.name) for one in left}
    for _ in range(_ROUNDS):
        more = {name: supposed(now[name], number).arguments for name in tried}
        if not any(more[name].keys() - one.arguments.keys() for name, one in tried.items()):
            break
        tried = {
            name: replace(one, arguments={**more[name], **one.arguments})
            for name, one in tried.items()
        }
        made = replace(author, supposed=tuple(tried.values())).compiled(before.text)
        now = {one.name: one for one in made.kernels}
    return tried, now
