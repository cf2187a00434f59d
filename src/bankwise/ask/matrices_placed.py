"""Where arrays begin whose matrices wmma moves: no change may move one to another
alignment, whichever array grew. The compiler aligns an array of halves to 2 bytes; what stands
before it decides the rest."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from bankwise.change.cxx.prove_matrices import ALIGNED_BYTES
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.sizes import sizes
from bankwise.read.cxx.tree import CxxSource
from bankwise.read.instances import ChangedArgument, instance
from bankwise.read.source import Compilation, SourceLanguage


def misplaced(
    before: CxxSource,
    after: CxxSource,
    language: SourceLanguage,
    what: Compilation,
    changed: Sequence[ChangedArgument] = (),
) -> str:
    """Why matrices of a changed text may not be aligned as they were; empty if they are, in every
    kernel of it. ``changed``: arguments of templates that are in the names of kernels."""
    arrays = shared_arrays(before)
    moved = [n for n, one in enumerate(arrays) if any(use.strides for use in one.uses)]
    if not moved:
        return ""
    old = sizes(before, arrays, language, what)
    new = sizes(after, shared_arrays(after), language, what.with_instances(changed))
    if isinstance(old, Refusal) or isinstance(new, Refusal):
        return "where its arrays begin is not known"
    for kernel, number in ((k, n) for k in old for n in moved if n in old[k]):
        whole = gcd(ALIGNED_BYTES, old[kernel][number].start)
        found = new.get(instance(kernel, changed), {}).get(number)
        if found is None or found.start % whole:
            name = arrays[number].name
            return f"{name} begins at a multiple of {whole} bytes no more, and matrices in it do"
    return ""
