"""Texts of a source tried without its host code, where the headers of that take long to compile.

    whole text --compiled--> code        the same code?  then texts are tried without the host's,
    device's text --compiled--> code     and the one that is written is compiled whole once more

Whether both are the same code is not believed: it is compared, kernel by kernel, before the first
text is tried and behind the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from bankwise.ask.source_text import Author, CompiledText
from bankwise.errors import InputError
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.device_text import DeviceText, device_text
from bankwise.read.names import listed
from bankwise.read.source import Compilation, SourceLanguage

ROUNDS = 8
"""How often something more is left out that does not compile without the headers."""

Follow = Callable[[Compilation], Sequence[AssemblyKernel]]
"""The kernels of a compilation, followed: the very same values where the code is the same."""


def takes_long(what: Compilation, language: SourceLanguage) -> bool:
    """Whether much may be left out of a source, if its kernels are the same without."""
    return language.alone and device_text(what.whole, what.path, what.flags) is not None


def alone(
    what: Compilation, language: SourceLanguage, emitted: str, follow: Follow
) -> Compilation | None:
    """How the same kernels are compiled without the code of the host; None where that is not known
    to save anything. ``emitted``: what the whole text becomes on the way."""
    found = device_text(what.whole, what.path, what.flags) if language.alone else None
    if found is None or not emitted:
        return None
    names = tuple(part.kernel for part in language.parts(emitted))
    less: DeviceText | None = replace(found, kernels=names)
    for _ in range(ROUNDS):
        if less is None:
            return None
        tried = replace(what, alone=less)
        try:
            same = same_kernels(follow(what), follow(tried))
        except InputError as error:
            less = with_less(less, what, error)
        else:
            return tried if same else None
    return None


def with_less(found: DeviceText, what: Compilation, error: InputError) -> DeviceText | None:
    """The same without what does not compile; None where that is no code of the host."""
    at = error.location
    more = found.at(what.whole, at.line) if at and at.file == str(what.path) else ""
    known = not more or more in found.left
    return None if known else replace(found, left=(*found.left, more))


def same_kernels(one: Sequence[AssemblyKernel], other: Sequence[AssemblyKernel]) -> bool:
    """Whether kernels are the very same, in whatever order."""
    named = {kernel.name: kernel for kernel in other}
    return len(one) == len(other) and all(named.get(k.name) is k for k in one)


def quick(author: Author, before: CompiledText) -> Author:
    """The author whose texts are compiled without the code of the host, where that is known to
    make the same code; else the same one."""
    found = alone(author.what, author.language, before.between, author.followed_as)
    return author if found is None else replace(author, what=found)


def is_whole(whole: Author, other: Author, made: CompiledText) -> bool:
    """Whether the whole of a text is the same code as what was compiled of it."""
    try:
        every = whole.followed(made.text, made.changed)
    except InputError:
        return False
    return same_kernels(every, other.followed(made.text, made.changed))


def said_alone(author: Author) -> tuple[str, ...]:
    """What there is to say of texts that were tried so."""
    less = author.what.alone
    return (_SAID.format(names=listed(less.headers)),) if less is not None else ()


_SAID = (
    "texts were tried without the code of the host and {names}; the one that is written was "
    "compiled whole: the same code"
)
