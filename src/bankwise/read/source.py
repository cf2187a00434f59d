"""A language in which kernels are written, and its compiler, as a record of what it alone knows.

Checking and fixing of source ask for four things: the machine a file is compiled for, its kernels
followed at the author's lines, the text that the compiler emits on the way, and which bytes of
shared memory its variables take there. To add a language: a record like that of ``read/cuda.py``,
and its line in ``read/sources.py``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.files import bytes_of, read_text
from bankwise.identity import ByIdentity
from bankwise.read.ahead import BegunCompilation, LaidOut
from bankwise.read.assembly import ArgumentValues, AssemblyKernel
from bankwise.read.device_text import DeviceText
from bankwise.read.follow.dialect import Size
from bankwise.read.follow.driver import UNSAID
from bankwise.read.instances import ChangedArgument, instance
from bankwise.read.kept_code import KeptCode
from bankwise.read.launch.facts import Launches
from bankwise.read.toolkit import started


class Compilation(Struct, frozen=True):
    """What is compiled: the file at ``path``, or a ``text`` in its place, for the GPU ``target``,
    "" for the one that the language takes then, with the user's own ``flags``; ``alone``: its
    kernels without the code of the host."""

    path: Path
    target: str = ""
    flags: tuple[str, ...] = ()
    text: str | None = None
    alone: DeviceText | None = None

    @property
    def whole(self) -> str:
        """The text with all that the user's has."""
        return read_text(self.path) if self.text is None else self.text

    def with_instances(self, changed: Iterable[ChangedArgument]) -> Compilation:
        """The same of a text in which arguments of templates are other numbers."""
        if self.alone is None:
            return self
        named = tuple(instance(name, changed) for name in self.alone.kernels)
        return replace(self, alone=replace(self.alone, kernels=named))

    def flags_in(self, folder: Path) -> tuple[str, ...]:
        """The flags for the compiler; ``folder``: of what :func:`source_of` leaves."""
        return self.flags if self.alone is None else (self.alone.put(folder), *self.flags)


class Compiled(ByIdentity, frozen=True, eq=False):
    """The kernels of a source; ``how`` it was compiled, in words; ``variables`` of each kernel: as
    of :class:`EmittedPart`, as far as the machine code tells; ``emitted``: the text that it was
    made of, where it keeps that."""

    kernels: tuple[AssemblyKernel, ...]
    how: str
    variables: Mapping[str, Sequence[tuple[str, int]]] = field(default_factory=dict)
    emitted: str = ""


class EmittedPart(ByIdentity, frozen=True, eq=False):
    """A kernel in emitted text. ``text``: all that stands in it; ``variables``: those in shared
    memory as the compiler calls them, each with its first byte in the block's."""

    kernel: str
    text: str
    variables: Sequence[tuple[str, int]]


class CheckSource(Protocol):
    """Compile a source and follow its kernels; parameters as of
    :func:`bankwise.read.follow.driver.check_code`. ``kept``: what texts in the place of one source
    share.

    Raises :class:`bankwise.errors.InputError` without a compiler, in the compiler's own words if
    it does not compile, and for a file that has no kernel.
    """

    def __call__(
        self,
        what: Compilation,
        *,
        args: ArgumentValues,
        kernel: str = "",
        workgroup_size: Size | None = None,
        launches: Launches = UNSAID,
        kept: KeptCode | None = None,
    ) -> Compiled:
        """The kernels, at their lines."""


class SourceLanguage(Struct, frozen=True, kw_only=True):
    """One language of source. ``name``: of it; ``emits``: what its compiler's text is called.

    ``target``: the machine that is compiled for, of the one given ("" for none) and the file, or
    an InputError; ``check``: see :class:`CheckSource`; ``emitted``: the text of a compilation, with
    the same errors; ``begin``: start to compile what ``check`` is likely asked for soon, with the
    same ``kept``; ``parts``: that text cut into kernels; ``remark``: how a remark begins in it;
    ``place``: an operand of inline assembly that prints where the variable ``{}`` lies, as one of
    ``parts`` calls it; "" where the variable's own name tells; ``alone``: it takes the text of a
    device alone; ``tag``: what stands in such a text as an instruction, of a kind ``{0}`` with a
    number ``{1}``, and does nothing: who runs the text tells which were passed.
    """

    name: str
    emits: str
    target: Callable[[str, str], str]
    check: CheckSource
    emitted: Callable[[Compilation], str]
    begin: Callable[[Compilation, KeptCode], None]
    parts: Callable[[str], Iterable[EmittedPart]]
    remark: str
    place: str = ""
    alone: bool = False
    tag: str = ""


def source_of(what: Compilation, folder: Path, name: str) -> Path:
    """The user's file; a copy in ``folder`` of another text in its place, which is called like it;
    of what came through a pipe one called ``name``."""
    if what.text is None and what.path.is_file() and what.alone is None:
        return what.path
    source = folder / (what.path.name if what.path.is_file() else name)
    text = what.whole if what.alone is None else what.alone.of(what.whole)
    source.write_bytes(bytes_of(text))
    return source


def begun(
    what: Compilation, name: str, words: Callable[[LaidOut], Sequence[str]]
) -> BegunCompilation | None:
    """Start a compiler, called with ``words``; None where it cannot be. ``name``: as of
    :func:`laid_out`."""
    with ExitStack() as all_:
        laid = all_.enter_context(laid_out(what, name))
        called = tuple(words(laid))
        try:
            process = all_.enter_context(started(called, laid.folder))
        except OSError:
            return None
        return BegunCompilation(laid, called, process, all_.pop_all())


@contextmanager
def laid_out(
    what: Compilation, name: str, before: BegunCompilation | None = None
) -> Iterator[LaidOut]:
    """A compilation in a folder while it is needed: where it was begun ``before``, there. ``name``:
    of the source, if it has none."""
    if before is not None:
        with before.all:
            yield replace(before.laid, run=before.run)
        return
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        place = Path(folder)
        yield LaidOut(place, source_of(what, place, name), what.flags_in(place))
