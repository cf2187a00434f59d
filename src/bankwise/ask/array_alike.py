"""What is known of a text of an array before it is compiled, by what became of others.

    s[i ^ ((i >> 9 & 1) << 4)]     compiled: reads of 16 bytes became four of 4 each
    s[i ^ ((i >> 8 & 1) << 4)]     hides as much from the compiler, and is not compiled

What a compiler would make of the second one nobody knows. Where it is left out wrongly that costs
an answer: what is written was compiled.
"""

from __future__ import annotations

from collections.abc import Mapping

from bankwise.ask.array_plans import ArrayPlan
from bankwise.ask.array_posed import SizedArray
from bankwise.change.cxx.spelling import Spelling
from bankwise.errors import Location
from bankwise.read.cxx.tree import CxxSource

_WAYS: Mapping[str, int] = {"xor": 0, "sum": 1, "step": 2, "unrolled": 3}
"""Ways to write one fold, by what they add to an index where the compiler keeps its accesses."""

Untried = tuple[ArrayPlan, Spelling]
"""A text that is not compiled yet."""


def no_plainer(one: Untried, other: Untried) -> bool:
    """Whether a text adds no less to each index than another one that the compiler made what was
    planned of, both of accesses as wide: as many folds or more, in no shorter way."""
    (plan, spelling), (known, written) = one, other
    if plan.parts != known.parts:
        return False
    if known.map.pad:
        same = bool(plan.map.pad) and plan.map.row == known.map.row
        return not known.map.row or same
    way, least = _WAYS.get(spelling.how), _WAYS.get(written.how)
    if plan.map.pad or way is None or least is None:
        return False
    return len(plan.map.folds) >= len(known.map.folds) and way >= least


def otherwise(one: ArrayPlan, other: ArrayPlan) -> bool:
    """Whether one of two plans folds each index, and the other adds pads to it."""
    return bool(one.map.row) != bool(other.map.row)


def alike(one: Spelling, other: Spelling) -> bool:
    """Whether two maps are written in one way, under one pragma."""
    under = {each.text.partition(", under ")[2] for each in (one, other)}
    return one.how == other.how and len(under) == 1


def hides_as_much(one: Untried, other: Untried) -> bool:
    """Whether a fold hides from the compiler which elements are neighbours, where another one hid
    it: written in the same way, of chunks no longer. An XOR hides it whatever it reads. Under a
    pragma fewer folds may be short enough to be unrolled. A sum of two folds nvcc 13.0 takes apart
    otherwise than of one: only of as many it is known. Of a pad it is where that counts on from the
    whole index, and did from its terms."""
    (plan, spelling), (known, written) = one, other
    if plan.map.pad or known.map.pad:
        return plan.map == known.map and spelling.how == written.how
    if plan.map.columns != known.map.columns:
        return False
    more = len(plan.map.folds) - len(known.map.folds)
    many = spelling.how == "xor" or more == 0 or (more > 0 and spelling.how == "unrolled")
    # Loops are unrolled by a chunk, or whole.
    same = spelling.how == written.how and _in_chunks(spelling) == _in_chunks(written)
    return same and many and plan.map.unit <= known.map.unit


def _in_chunks(one: Spelling) -> bool:
    return one.text.endswith(f" unroll {one.map.unit}")


def joins(source: CxxSource, sized: SizedArray) -> bool:
    """Whether the compiler joined accesses to single elements of an array of rows, by the lines of
    both."""
    if sized.array.flat:
        return False
    uses = [use for use in sized.array.uses if use.indices and not use.scale]
    single, others = (
        {_line(source.place(use.span.start)) for use in uses if bool(use.kept) == kept}
        for kept in (False, True)
    )
    return any(
        _line(one.access.location) in single - others
        and one.access.width_bytes > size.element_bytes
        for kernel, size in zip(sized.kernels, sized.sizes, strict=True)
        for one in kernel.accesses
    )


def _line(place: Location) -> Location:
    return Location(place.file, place.line)
