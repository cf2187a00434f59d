"""A C++ text with more in it: what is asked of a compiler stands around parts of the text.

    s[r][c]  ->  s[r][({ asm(..); c; })]

Where several stand around one part the first of them is the outermost.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from bankwise.read.cxx.tree import ByteSpan, CxxSource


class Around(Struct, frozen=True):
    """Text ``before`` a span and ``after`` it; of an empty span one text at its place."""

    span: ByteSpan
    before: str
    after: str = ""


def with_insertions(source: CxxSource, every: Sequence[Around]) -> str:
    """The text with all of them, inside each other as their spans are."""
    parts: list[tuple[tuple[int, ...], str]] = []
    for number, one in enumerate(every):
        start, stop = one.span.start, one.span.stop
        # At one byte what ends there comes first, the innermost before all; what begins comes last.
        parts.append(((start, 1 + (stop > start), -stop, number), one.before))
        if stop > start:
            parts.append(((stop, 0, -start, -number), one.after))
    at, done = 0, []
    for place, text in sorted(parts):
        done += [source.data[at : place[0]], text.encode()]
        at = place[0]
    return b"".join((*done, source.data[at:])).decode()
