"""Longer rows by the author's own padding constant: one number becomes another one.

    #define SKEW 0                  ->  #define SKEW 4
    k<64, 0><<<..>>>(..)            ->  k<64, 4><<<..>>>(..)       of  s[BM][32 + PAD]

That is so where the constant says nothing else: it stands in the length of rows that all become
longer by as much, in how far apart the rows of their matrices are, and in indices of arrays of one
dimension where a row begins, ``s[r * (32 + PAD) + c]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from bankwise.change.cxx.spelling import CxxEdit
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.skews import Skew, skew_of
from bankwise.read.cxx.sums import row_terms, sums_in, terms_added
from bankwise.read.cxx.terms import terms_of
from bankwise.read.cxx.tree import ByteSpan, CxxSource, Node, node_at, span
from bankwise.read.instances import ChangedArgument


class SkewSpelling(Struct, frozen=True):
    """A constant that makes the rows of some arrays longer by ``pad``. ``names``: by number of the
    array what its extent calls it; ``changed``: the arguments of templates that it is."""

    skew: Skew
    pad: int
    names: Mapping[int, str]
    edits: tuple[CxxEdit, ...]
    changed: tuple[ChangedArgument, ...]

    @property
    def text(self) -> str:
        """In words."""
        old = self.skew.number
        return f"{self.skew.name} is {old + self.pad} instead of {old}: rows are {self.pad} longer"


def by_skews(
    source: CxxSource, arrays: Sequence[SharedArray], pads: Mapping[int, int]
) -> Iterator[SkewSpelling]:
    """The constants that say the pads of some arrays, by number, as they would be changed."""
    tried: set[tuple[ByteSpan, ...]] = set()
    for number, pad in pads.items():
        for term in reversed(_candidates(source, arrays[number])):
            skew = skew_of(source, term) if term.type == "identifier" else None
            if skew is None or isinstance(skew, Refusal) or skew.literals in tried:
                continue
            tried.add(skew.literals)
            names = _served(source, arrays, skew)
            if len(names) > 0 and all(pads.get(one, pad) == pad for one in names):
                yield _spelled(skew, pad, names, source)


def _spelled(skew: Skew, pad: int, names: Mapping[int, str], source: CxxSource) -> SkewSpelling:
    new = skew.number + pad
    edits = tuple(CxxEdit(one, str(new)) for one in skew.literals)
    changed = tuple(ChangedArgument(*one, skew.number, new) for one in skew.arguments)
    return SkewSpelling(skew, pad, names, edits, changed)


def _served(source: CxxSource, arrays: Sequence[SharedArray], skew: Skew) -> dict[int, str]:
    """The arrays whose rows a constant is a part of, with what they call it; none where it says
    something else as well, or where it is all of a row."""
    said = frozenset(skew.mentions)
    left, names = set(said), dict[int, str]()
    for number, array in enumerate(arrays):
        own = set(map(span, _row(source, array, skew))) if array.extents else set()
        mine = left & own
        if len(mine) != 1 or len(own) < 2:
            continue
        names[number] = source.of(mine.pop())
        left -= own
        for use in array.uses:
            for stride in use.strides:
                left -= set(map(span, terms_added(source, node_at(source, stride))))
            for term in terms_of(source, use.indices[-1]) if array.flat and use.indices else ():
                left -= set(map(span, row_terms(source, node_at(source, term.span), said)))
    return {} if left else names


def _row(source: CxxSource, array: SharedArray, skew: Skew) -> list[Node]:
    """The terms of a row's length; of an array of one dimension it is a factor of all of it."""
    extent = node_at(source, array.extents[-1])
    flat = array.flat
    return row_terms(source, extent, skew.mentions) if flat else terms_added(source, extent)


def _candidates(source: CxxSource, array: SharedArray) -> list[Node]:
    """The terms of what may be a row's length."""
    extent = node_at(source, array.extents[-1])
    sums = sums_in(source, extent) if array.flat else [terms_added(source, extent)]
    return [term for terms in sums for term in terms]
