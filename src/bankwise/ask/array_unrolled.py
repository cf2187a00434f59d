"""Loops that load what is staged, unrolled as the compiler did it before the text changed.

    for (..) p[i] = a[i]                            unrolled by 16: 16 loads in flight
    for (..) p[i + (i >> 5) * 4] = a[i]             by 4
    #pragma unroll 16  for (..) p[i + ..] = a[i]    by 16 again

A line before the loop asks for it, in a text whose waves wait longer for global memory. It is taken
only if they do not, as the text is compiled, and nothing else speaks against it. On an H200 such a
k-means kernel took 26.7 us with a pad and the line, 32.4 with the pad alone, 31.9 as it was.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from bankwise.ask.array_search import compiled_with
from bankwise.ask.array_texts import WrittenArray
from bankwise.ask.dearer import crowded, heavy, slower, waiting
from bankwise.ask.source_text import Author, CompiledText
from bankwise.change.cxx.unrolling import staging_lines, under_pragma
from bankwise.read.cxx.tree import CxxSource


def in_flight(
    author: Author, before: CompiledText, chosen: tuple[WrittenArray, ...], after: CompiledText
) -> tuple[tuple[WrittenArray, ...], CompiledText]:
    """What was chosen, with its loops unrolled where that keeps loads of global memory in flight;
    and the text."""
    if not chosen or not waiting(before.kernels, after.kernels):
        return chosen, after
    both = zip(before.kernels, after.kernels, strict=True)
    # What waits longer for want of blocks beside it has as many loads in flight.
    fewer = (old.loads.most for old, new in both if new.loads.waits > old.loads.waits)
    most = max(fewer, default=0)
    # Each round of a loop may load for several arrays.
    for count in sorted({n for n in (most, most // 2) if n > 1}, reverse=True):
        hint = f"#pragma unroll {count}"
        tried = tuple(_unrolled(author.source, one, hint, _asked(chosen)) for one in chosen)
        if all(new is old for new, old in zip(tried, chosen, strict=True)):
            break
        author.phase(f"compiling it with loops unrolled by {count}")
        made = compiled_with(author, before, [one.spelling for one in tried])
        if isinstance(made, CompiledText) and is_better(before, after, made):
            told = _NOTE.format(hint=hint, kept=_most(made), without=_most(after))
            pairs = zip(chosen, tried, strict=True)
            return tuple(o if o is n else replace(n, note=told) for o, n in pairs), made
    return chosen, after


_NOTE = "{hint} keeps {kept} loads of global memory in flight, {without} without it"


def _most(text: CompiledText) -> int:
    return max(kernel.loads.most for kernel in text.kernels)


def _asked(chosen: Sequence[WrittenArray]) -> set[int]:
    """Where texts have lines of their own before loops, by byte."""
    spans = (edit.span for one in chosen for edit in one.spelling.edits)
    return {span.start for span in spans if span.start == span.stop}


def _unrolled(
    source: CxxSource, one: WrittenArray, hint: str, asked: Collection[int]
) -> WrittenArray:
    """An array's text under pragmas, where it has loops for them that are not ``asked`` already."""
    arrays = (sized.array for sized in one.arrays)
    lines = sorted({at for each in arrays for at in staging_lines(source, each)} - set(asked))
    if not lines or one.spelling.typed:
        return one
    return replace(one, spelling=under_pragma(one.spelling, lines, hint))


def is_better(before: CompiledText, after: CompiledText, made: CompiledText) -> bool:
    """Whether a text waits as before, and takes no more of anything that is told."""
    old, new = before.kernels, made.kernels
    dearer = waiting(old, new) or slower(old, new) or _worse(before, after, made)
    return not dearer and made.cost() <= after.cost()


def _worse(before: CompiledText, after: CompiledText, made: CompiledText) -> bool:
    """Whether it leaves room for fewer blocks, or is far longer, or dearer, where the text without
    pragmas is not."""
    texts: Sequence[CompiledText] = (after, made)
    each = [
        (heavy(before.kernels, one.kernels), crowded(before.kernels, one.kernels)) for one in texts
    ]
    return any(now and not then for then, now in zip(*each, strict=True))
