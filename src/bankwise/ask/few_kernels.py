"""Texts of an array tried with those kernels alone that use it, where the rest takes long.

    whole text --compiled--> all kernels     those of the array are the same code?
    a few kernels --compiled--> these        then texts are tried with these, and the one that is
                                             chosen is compiled whole once more

What the others need is left out with them: the code of the host, functions, and headers. That these
kernels are the same code is not believed: it is compared before the first such text, and of the one
that is chosen with the whole of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from bankwise.ask.array_posed import SizedArray
from bankwise.ask.device_alone import ROUNDS, same_kernels, with_less
from bankwise.ask.source_text import Author, CompiledText
from bankwise.errors import InputError, Location
from bankwise.identity import ByIdentity
from bankwise.read.device_text import DeviceText, function_of, usual_headers

_HEADER = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<", re.MULTILINE)

_LONG = 1 << 18
"""Characters of emitted text from which on it takes long to compile kernels without a header: 20
short ones take no longer than to start the compiler."""


class FewKernels(ByIdentity, frozen=True, eq=False):
    """What it may save to compile the kernels of some arrays alone: ``every`` kernel of the text,
    the ``others`` by their functions, and whether it includes ``headers``."""

    every: tuple[str, ...]
    others: frozenset[str]
    headers: bool


def fewer(author: Author, best: CompiledText, arrays: Sequence[SizedArray]) -> FewKernels | None:
    """What it may save to compile the kernels of these arrays alone; None for nothing."""
    mine = {function_of(kernel.name) for one in arrays for kernel in one.kernels}
    parts = author.language.parts(best.between) if author.language.alone else ()
    every = tuple(part.kernel for part in parts)
    others = frozenset(map(function_of, every)) - mine
    headers = bool(_HEADER.search(author.what.whole))
    if not every or best.changed or not (headers or (others and len(best.between) > _LONG)):
        return None
    return FewKernels(every, others, headers)


def few_kernels(author: Author, best: CompiledText, arrays: Sequence[SizedArray]) -> Author | None:
    """Who compiles the kernels of these arrays alone in texts like ``best``; None where that saves
    nothing, or they are other code then."""
    found = fewer(author, best, arrays)
    if found is None:
        return None
    known = author.what.alone or DeviceText((), ())
    less = replace(known, kernels=found.every, others=found.others)
    some = (frozenset[str](), usual_headers()) if found.headers else ()
    for included in (*some, None):
        less = replace(less, included=included)
        if who := _same_code(author, best, less):
            return who
    return None


def whole_text(whole: Author, few: Author, made: CompiledText) -> CompiledText | None:
    """All of a text that was compiled with a few kernels; None where that is other code."""
    try:
        every = whole.compiled(made.text).under(made.emitted.passes.keys())
        return every if _is_same(whole, few, made.text) else None
    except InputError:
        return None


def _same_code(author: Author, best: CompiledText, less: DeviceText) -> Author | None:
    """Who compiles a few kernels so, with less where that does not compile; None where that is
    nothing that can be left out, or they are other code."""
    left: DeviceText | None = less
    for _ in range(ROUNDS):
        if left is None:
            return None
        few = replace(author, what=replace(author.what, alone=left), around=best.kernels)
        try:
            return few if _is_same(author, few, best.text) else None
        except InputError as error:
            what = replace(author.what, text=best.text)
            left = with_less(left, what, _in_text(author, error))
    return None


def _is_same(whole: Author, few: Author, text: str) -> bool:
    """Whether the kernels of a few are the same code in the whole of a text. Raises
    :class:`InputError` where one does not compile."""
    less = few.what.alone
    assert less is not None
    every, some = (
        [kernel for kernel in one.followed(text) if less.has(kernel.name)] for one in (whole, few)
    )
    return bool(some) and same_kernels(every, some)


def _in_text(author: Author, error: InputError) -> InputError:
    """An error at a header's line at that of the text which has the header in it."""
    at, lines = error.location, author.source.lines
    if at is None or not lines:
        return error
    found = (n for n, one in enumerate(lines, 1) if (one.file, one.line) == (at.file, at.line))
    number = next(found, 0)
    return InputError(error.message, location=Location(str(author.what.path), number))
