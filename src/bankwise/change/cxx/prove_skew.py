"""The judge of a padding constant that became another number: what it says, and nothing else does.

    s[BM][32 + PAD]     PAD is 4, and was 0; where it stands else, a row of such an array is meant

Every mention of the constant, and of the parameters of templates that it is handed to, is a term of
the last extent of an array whose rows are said to be longer by as much, or of how far apart the
rows of a matrix in it are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bankwise.change.cxx.claim import ArrayClaim
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.skews import Skew, skew_of, terms_added
from bankwise.read.cxx.tree import ByteSpan, CxxSource, Node, node_at, span


def literals_of(
    source: CxxSource, arrays: Sequence[SharedArray], claims: Sequence[ArrayClaim]
) -> list[ByteSpan] | Refusal:
    """Where the numbers of all constants stand that claims name."""
    found: set[ByteSpan] = set()
    for claim in (one for one in claims if one.constant):
        skew = _skew(source, arrays[claim.number], claim)
        if isinstance(skew, Refusal):
            return skew
        found.update(skew.literals)
    return sorted(found)


def constants_differ(
    before: CxxSource,
    after: CxxSource,
    old: Sequence[SharedArray],
    new: Sequence[SharedArray],
    claims: Sequence[ArrayClaim],
) -> Refusal | None:
    """Why constants are not as much larger as rows are said to be, or say something else; None if
    they are and do not."""
    rows: dict[int, set[ByteSpan]] = {}
    every: list[Skew] = []
    for claim in (one for one in claims if one.constant):
        skew, other = (
            _skew(source, arrays[claim.number], claim)
            for source, arrays in ((before, old), (after, new))
        )
        if isinstance(skew, Refusal) or isinstance(other, Refusal):
            return skew if isinstance(skew, Refusal) else Refusal(f"{claim.constant} is no number")
        if other.number != skew.number + claim.pad or len(other.literals) != len(skew.literals):
            return Refusal(f"{skew.name} is not {claim.pad} more than it was")
        every.append(skew)
        rows.setdefault(claim.pad, set()).update(_rows(before, old[claim.number], claim))
        for stride in (at for use in old[claim.number].uses for at in use.strides):
            own = {span(one) for one in _terms(before, stride)} & set(skew.mentions)
            if len(own) != 1:
                return Refusal(f"{before.of(stride)} is no row of it", before.place(stride.start))
            rows[claim.pad].update(own)
    claimed = [one for one in claims if one.constant]
    for claim, skew in zip(claimed, every, strict=True):
        for at in set(skew.mentions) - rows[claim.pad]:
            why = f"{before.of(at)} says something else here than how long a row is"
            return Refusal(why, before.place(at.start))
    return None


def _skew(source: CxxSource, array: SharedArray, claim: ArrayClaim) -> Skew | Refusal:
    """The constant that the last extent of an array names once, as a term."""
    terms = _terms(source, array.extents[-1])
    mine = [one for one in terms if one.type == "identifier" and source.of(one) == claim.constant]
    if len(mine) != 1:
        return Refusal(f"{claim.constant} is no term of a row of {array.name}")
    return skew_of(source, mine[0])


def _rows(source: CxxSource, array: SharedArray, claim: ArrayClaim) -> Iterator[ByteSpan]:
    """Where a claimed constant stands in the rows of its array."""
    for one in _terms(source, array.extents[-1]):
        if source.of(one) == claim.constant:
            yield span(one)


def _terms(source: CxxSource, sum_: ByteSpan) -> list[Node]:
    return terms_added(source, node_at(source, sum_))
