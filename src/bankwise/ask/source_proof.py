"""What the proof says of a source whose shared arrays lie otherwise, and what it takes for granted.

both texts           every use goes through the new maps
the compiler         lays the arrays as they are said to lie
indices              stay in their rows, as far as the compiler and blocks that run tell
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bankwise.ask.array_posed import SizedArray
from bankwise.ask.array_texts import WrittenArray, claims_of
from bankwise.ask.extents_kept import ExtentFacts, extents_of, trials_differ
from bankwise.ask.lengths_kept import unlike
from bankwise.ask.matrices_placed import misplaced
from bankwise.ask.source_text import Author, CompiledText
from bankwise.ask.supposed import without
from bankwise.change.cxx.claim import ArrayClaim
from bankwise.change.cxx.prove import prove_text
from bankwise.errors import Refusal
from bankwise.read.cxx.tree import CxxSource, in_template, parse
from bankwise.read.instances import ChangedArgument
from bankwise.read.names import listed
from bankwise.show.fixing import Verdict
from bankwise.show.words import several


def proved(
    author: Author,
    before: CompiledText,
    after: CompiledText,
    chosen: Sequence[WrittenArray],
    emitted: tuple[Callable[[], str], Callable[[], str]],
) -> Verdict:
    """What the proof says of a changed text. ``emitted``: what the compiler emits of both texts on
    the way, where that is asked."""
    source, claims = author.source, claims_of(chosen)
    edited = parse(after.text, source.file, beside=source.beside)
    uses = prove_text(source, edited, claims)
    if isinstance(uses, Refusal):
        return Verdict("proof", "failed", str(uses))
    if why := _laid_otherwise(author, edited, claims, after.changed):
        return Verdict("proof", "failed", why)
    facts, left = extents(author, before, [one for c in chosen for one in c.arrays])
    if left:
        return Verdict("proof", "failed", str(next(iter(left.values()))))
    if any(facts.unseen.values()) and (
        why := trials_differ(author, facts, *(one() for one in emitted))
    ):
        return Verdict("proof", "failed", why)
    return _passed(source, chosen, claims, uses, facts)


def extents(
    author: Author, before: CompiledText, arrays: Sequence[SizedArray]
) -> tuple[ExtentFacts, dict[int, Refusal]]:
    """What is known of the indices of arrays, and which may leave a row."""
    facts = extents_of(author, without(before.kernels, author.supposed), arrays)
    return facts, facts.refused([one.array for one in arrays])


def _passed(
    source: CxxSource,
    chosen: Sequence[WrittenArray],
    claims: Sequence[ArrayClaim],
    proved: int,
    kept: ExtentFacts,
) -> Verdict:
    """A proof of so many uses, and what it takes for granted."""
    every = [one.array for c in chosen for one in c.arrays]
    pieces = [
        one.array
        for c in chosen
        for one in c.arrays
        if one.array.unsized and (one.array.flat or c.plan.map.columns)
    ]
    what = "elements" if any(claim.columns for claim in claims) else "rows"
    does = " or ".join(sorted({"lengthen" if c.pad else "permute" for c in claims}, reverse=True))
    detail = _PROVED.format(
        uses=several(proved, "use"), arrays=several(len(claims), "array"), does=does, what=what
    )
    detail += kept.said
    detail += _INSTANTIATED * any(in_template(source, one.statement) for one in every)
    detail += _MATRICES * any(use.strides for one in every for use in one.uses)
    rows = [one for one in every if one.unsized and one not in pieces]
    detail += _WHOLE_ROWS.format(names=listed([one.name for one in rows])) if rows else ""
    detail += _PIECES.format(names=listed([one.name for one in pieces])) if pieces else ""
    return Verdict("proof", "passed", detail, complete=not pieces, unproved=kept.unproved)


def _laid_otherwise(
    author: Author,
    edited: CxxSource,
    claims: Sequence[ArrayClaim],
    changed: Sequence[ChangedArgument],
) -> str:
    """Why the compiler does not lay arrays as they are said to be; empty if it does."""
    said = author.asking, author.what, changed
    wrong = misplaced(author.source, edited, *said)
    return wrong or unlike(author.source, edited, claims, *said)


_PROVED = (
    "{uses} of {arrays} go through the new maps, which {does} {what}: for all "
    "launches, if no index leaves its extent and no other file names them or goes on from an "
    "element"
)
_INSTANTIATED = "; of templates what is instantiated in this file"
_MATRICES = (
    "; wmma moves element (i, j) of a matrix at p + i * ldm + j (by columns: p + j * ldm + i), as "
    "its guide defines, and no matrix leaves the rows of the array that it begins in"
)
_WHOLE_ROWS = "; a launch gives whole rows of {names}"
_PIECES = "; that no index leaves what the launch gives {names} is known of this launch alone"
