"""How large arrays are and whether indices stay in their rows, asked of the compiler at once.

One compilation answers both, where the text says itself what an index has to be below: the number
that the compiler took is compared with the sizes that it tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from msgspec.structs import replace

from bankwise.ask.every_launch import every_launch
from bankwise.ask.source_text import Author
from bankwise.errors import InputError, Refusal
from bankwise.identity import ByIdentity
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.extents import early_tags
from bankwise.read.cxx.inserted import with_insertions
from bankwise.read.cxx.sizes import CALLS, Sizes, answers, questions, sizes
from bankwise.read.cxx.tree import ByteSpan
from bankwise.read.launch.facts import Size

_KIND, _MOST = "early", 4


class EarlyTags(ByIdentity, frozen=True, eq=False):
    """What is emitted of a text that asks both, and the indices by their number in it."""

    emitted: str
    numbers: Mapping[ByteSpan, int]


def early_of(author: Author, blocks: Sequence[Size]) -> EarlyTags | None:
    """What is known so of a source for launches of these blocks; None where nothing is."""
    return cast("EarlyTags | None", author.kept.known(_KIND, _key(author, blocks)))


def _key(author: Author, blocks: Sequence[Size]) -> tuple[object, ...]:
    return author.source.text, author.what, tuple(blocks)


def sizes_with_extents(
    author: Author, kernels: Sequence[AssemblyKernel], arrays: Sequence[SharedArray]
) -> Sizes | Refusal:
    """How large the arrays of a source are, asked in the same compilation as what
    :func:`extents_of` asks first; in one of its own where that does not compile, or is not the code
    of its kernels alone. ``kernels``: under all launches that are known."""
    source, language, what = author.source, author.asking, author.what
    blocks = tuple(sorted({one.workgroup_size for one in every_launch(kernels)}))
    numbers, tags = early_tags(source, arrays, language, blocks) if blocks else ({}, [])
    if tags:
        text = with_insertions(source, (*questions(source, arrays, language), *tags))
        try:
            emitted = language.emitted(replace(what, text=text))
        except InputError:
            emitted = ""
        if emitted and not CALLS.search(emitted):
            author.kept.once(
                _KIND, _key(author, blocks), lambda: EarlyTags(emitted, numbers), _MOST
            )
            return answers(emitted, arrays, language)
    return sizes(source, arrays, language, what)
