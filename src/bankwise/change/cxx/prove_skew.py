"""The judge of a padding constant that became another number: what it says, and nothing else does.

    s[BM][32 + PAD]     PAD is 4, and was 0; where it stands else, a row of such an array is meant

Every mention of the constant, and of the parameters of templates that it is handed to, is a term of
the last extent of an array whose rows are said to be longer by as much, or of how far apart the
rows of a matrix in it are. Of an array of one dimension, ``s[64 * (32 + PAD)]``, every index is so
many of these rows and what stays in one: ``s[r * (32 + PAD) + c % 32]``. That its extent is rows of
the claimed length the compiler says (:mod:`bankwise.ask.lengths_kept`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bankwise.change.cxx.claim import ArrayClaim
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.functions import function_of
from bankwise.read.cxx.skews import Skew, skew_of
from bankwise.read.cxx.sums import row_terms, sums_in, terms_added
from bankwise.read.cxx.terms import terms_of
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
    every: list[tuple[ArrayClaim, Skew]] = []
    for claim in (one for one in claims if one.constant):
        array = old[claim.number]
        skew, other = _skew(before, array, claim), _skew(after, new[claim.number], claim)
        if isinstance(skew, Refusal) or isinstance(other, Refusal):
            return skew if isinstance(skew, Refusal) else Refusal(f"{claim.constant} is no number")
        if other.number != skew.number + claim.pad or len(other.literals) != len(skew.literals):
            return Refusal(f"{skew.name} is not {claim.pad} more than it was")
        said = _uses_say(before, array, skew, claim)
        if isinstance(said, Refusal):
            return said
        rows.setdefault(claim.pad, set()).update(said, _rows(before, array, claim))
        every.append((claim, skew))
    for claim, skew in every:
        for at in set(skew.mentions) - rows[claim.pad]:
            why = f"{before.shown(at)} says something else here than how long a row is"
            return Refusal(why, before.place(at.start))
    return None


def _uses_say(
    source: CxxSource, array: SharedArray, skew: Skew, claim: ArrayClaim
) -> set[ByteSpan] | Refusal:
    """Where the uses of an array say the constant for a row of it; a Refusal where one says
    another length, or names another place than before."""
    found: set[ByteSpan] = set()
    for number, use in enumerate(array.uses):
        for stride in use.strides:
            own = {span(one) for one in _sum(source, stride)} & set(skew.mentions)
            if len(own) != 1:
                return Refusal(
                    f"{source.shown(stride)} is no row of it", source.place(stride.start)
                )
            found |= own
        if use.indices and (use.flat or claim.row):
            placed = _placed(source, array, number, skew, claim)
            if placed is None:
                why = f"{source.shown(use.span)} is not known to be the same place of its row"
                return Refusal(why, source.place(use.span.start))
            found |= placed
    return found


def _placed(
    source: CxxSource, array: SharedArray, number: int, skew: Skew, claim: ArrayClaim
) -> set[ByteSpan] | None:
    """Where the index of a use says the constant, if each of its terms counts rows by the length
    that the extent has, or is, with the others of its kind, a place in a row in every launch; None
    where that is not known."""
    use = array.uses[number]
    terms, row = terms_of(source, use.indices[-1]), _words(source, _terms(source, array, claim))
    if use.scale or not terms or function_of(node_at(source, use.span)) != _holder(source, array):
        return None
    found: set[ByteSpan] = set()
    rows: list[bool] = []
    for term in terms:
        said = {at for at in skew.mentions if term.span.start <= at.start < term.span.stop}
        counted = row_terms(source, node_at(source, term.span), said)
        if said and (len(said) != 1 or _words(source, counted) != row):
            return None
        rows.append(bool(said))
        found |= said
    for size in claim.sizes:
        facts = size.facts(number)
        if not size.flat or len(facts) != len(terms):
            return None
        both = list(zip(facts, rows, strict=True))
        inside = [most for (_, most), counts in both if not counts]
        whole = all(multiple % claim.row == 0 for (multiple, _), counts in both if counts)
        if not whole or min(inside, default=0) < 0 or sum(inside) >= claim.row:
            return None
    return found


def _holder(source: CxxSource, array: SharedArray) -> Node:
    return function_of(node_at(source, array.statement))


def _words(source: CxxSource, terms: Sequence[Node]) -> list[str]:
    return [" ".join(source.of(one).split()) for one in terms]


def _skew(source: CxxSource, array: SharedArray, claim: ArrayClaim) -> Skew | Refusal:
    """The constant that the last extent of an array names once, as a term."""
    terms = _terms(source, array, claim)
    mine = [one for one in terms if one.type == "identifier" and source.of(one) == claim.constant]
    if len(mine) != 1:
        return Refusal(f"{claim.constant} is no term of a row of {array.name}")
    return skew_of(source, mine[0])


def _rows(source: CxxSource, array: SharedArray, claim: ArrayClaim) -> Iterator[ByteSpan]:
    """Where a claimed constant stands in the rows of its array."""
    for one in _terms(source, array, claim):
        if source.of(one) == claim.constant:
            yield span(one)


def _terms(source: CxxSource, array: SharedArray, claim: ArrayClaim) -> list[Node]:
    """Of the length of a row, which is all of an extent; of one dimension a factor of it."""
    extent = node_at(source, array.extents[-1])
    if not claim.row:
        return terms_added(source, extent)
    sums = sums_in(source, extent)
    found = [terms for terms in sums if claim.constant in map(source.of, terms)]
    return found[0] if len(found) == 1 else []


def _sum(source: CxxSource, span_: ByteSpan) -> list[Node]:
    return terms_added(source, node_at(source, span_))
