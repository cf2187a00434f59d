"""How long the arrays of a changed text are, asked of the compiler: a constant that became another
number lengthens those rows that are said to be longer, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from bankwise.change.cxx.claim import ArrayClaim
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.sizes import sizes
from bankwise.read.cxx.tree import CxxSource
from bankwise.read.instances import ChangedArgument, instance
from bankwise.read.source import Compilation, SourceLanguage


def unlike(
    before: CxxSource,
    after: CxxSource,
    claims: Sequence[ArrayClaim],
    language: SourceLanguage,
    what: Compilation,
    changed: Sequence[ChangedArgument],
) -> str:
    """Which array of a changed text is not as long as it is said to be, in words; empty if each is,
    in every kernel, or if no constant says it. ``changed``: arguments of templates that are in
    their names."""
    if not any(claim.constant for claim in claims):
        return ""
    old = sizes(before, shared_arrays(before), language, what)
    new = sizes(after, shared_arrays(after), language, what.with_instances(changed))
    if isinstance(old, Refusal) or isinstance(new, Refusal) or len(old) != len(new):
        return "how long its arrays are is not known"
    claimed = {claim.number: claim for claim in claims}
    names = [array.name for array in shared_arrays(before)]
    for kernel, each in old.items():
        found = new.get(instance(kernel, changed), {})
        if found.keys() != each.keys():
            return f"{kernel} has other arrays"
        for number, size in each.items():
            claim = claimed.get(number)
            if claim is not None and claim.row and not claim.constant:
                continue
            if found[number].extents != (*size.extents[:-1], _longer(size.extents[-1], claim)):
                return f"{names[number]} is not as long as it is said to be"
    return ""


def _longer(extent: int, claim: ArrayClaim | None) -> int:
    """A last extent under a claim: one row, or in one dimension so many."""
    if claim is None:
        return extent
    return extent + claim.pad * (extent // claim.row if claim.row else 1)
