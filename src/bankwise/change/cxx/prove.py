"""The proof of an edit of C++ text, on both texts: every use of an array goes through one map.

It reads both texts again and shares nothing with who wrote them but the syntax tree:

1. Both texts are equal but for last indices and last extents of the arrays that were changed, and
   for lines ``#pragma unroll``, which change nothing that is computed, and for the number of a
   padding constant, which says how long rows are and nothing else.
2. Every place that names such an array, or a pointer into it, is a use with all its indices, also
   in functions of the file that are given it and nothing else: nothing else can reach it. Pointers
   that count from elsewhere begin at whole periods of the map; a row that is named before it is
   used has its number still.
   Of a matrix that ``wmma`` moves from there the stride is evaluated as well, and is as many times
   the array's row as before; its rows are never folded.
3. The new last index is evaluated, for every column and every row that there is, and is the column
   that the claimed map gives; of a map that crosses rows the last two, which are the place.
   Where the array has a type that says the map, no index is new: what the type does to an index is
   evaluated, and every use names an element by all its indices.
4. The map is a permutation of every row, or of all of them together, and keeps what a use moves
   together, in order; a pitch only lengthens rows, by whole units of what is moved together.

That holds for all launches and all data, on what C++ demands of an index: that it stays inside its
extent. A text that leaves a row on purpose (``tile[0][40]`` of rows of 32) is against that rule:
:mod:`bankwise.ask.extents_kept` looks for such. That an index stays inside a piece of a pool is no
rule of C++: of those the claim holds where it does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from bankwise.change.cxx.claim import (
    ArrayClaim,
    across,
    aligned,
    keeps,
    mapped,
)
from bankwise.change.cxx.evaluate import bare, value_at, value_of
from bankwise.change.cxx.prove_matrices import rows_moved
from bankwise.change.cxx.prove_moves import (
    axis,
    moved,
    moved_in_block,
    moved_in_row,
    rewritten,
    tried_rows,
)
from bankwise.change.cxx.prove_skew import constants_differ, literals_of
from bankwise.change.cxx.prove_tile import TypedText, expression_of, folds_of, without_types
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import SharedArray, only_elements, shared_arrays, tied
from bankwise.read.cxx.operand import macros_bind_loosely
from bankwise.read.cxx.tree import (
    UNROLL,
    ByteSpan,
    CxxSource,
    walk,
)
from bankwise.read.cxx.uses import ArrayUse

_COUNT = re.compile(rb"\d*")


def prove_text(before: CxxSource, after: CxxSource, claims: Sequence[ArrayClaim]) -> int | Refusal:
    """How many uses were proved to go through the claimed maps; a Refusal where one was not."""
    typed = [claim for claim in sorted(claims, key=lambda one: one.number) if claim.typed]
    if typed:
        plain = without_types(before, after)
        why = plain if isinstance(plain, Refusal) else _types_differ(before, plain, typed)
        if isinstance(plain, Refusal) or why is not None:
            return why or Refusal("its types are not read")
        after = plain.source
    old, new = shared_arrays(before), shared_arrays(after)
    if [one.name for one in old] != [one.name for one in new]:
        return Refusal("the texts do not declare the same arrays")
    changed = {claim.number: claim for claim in claims}
    for group in tied(old):
        maps = {changed[n].map for n in group if n in changed}
        if maps and (len(maps) > 1 or any(n not in changed for n in group)):
            return Refusal("a function is given arrays of which not all have one map")
    spans: list[list[ByteSpan]] = []
    for source, arrays in ((before, old), (after, new)):
        numbers = literals_of(source, arrays, claims)
        if isinstance(numbers, Refusal):
            return numbers
        spans.append(sorted({*_free(arrays, changed), *numbers}))
    if _rest(before, spans[0]) != _rest(after, spans[1]):
        return Refusal("the texts differ elsewhere than in last indices and extents")
    other = constants_differ(before, after, old, new, claims)
    if other is not None:
        return other
    proved = 0
    for number, claim in changed.items():
        found = _proved(before, after, old[number], new[number], claim)
        if isinstance(found, Refusal):
            return found
        proved += found
    return proved


_PARAMETERS = ("kRows", "kPhases", "kUnit")
"""Of a fold of the type."""


def _types_differ(
    before: CxxSource, after: TypedText, claims: Sequence[ArrayClaim]
) -> Refusal | None:
    """Why types do not say the claimed maps, or not of all that is done to the arrays."""
    if [name for name, _ in after.layouts] != [claim.name for claim in claims]:
        return Refusal("the types are not those of the arrays that were changed")
    arrays, expression = shared_arrays(before), expression_of(after.header)
    for claim, (name, layout) in zip(claims, after.layouts, strict=True):
        folds = folds_of(layout)
        why = only_elements(before, arrays[claim.number])
        if folds is None or claim.pad or why is not None:
            return why or Refusal(f"{name}: {layout} is not read")
        for size in set(claim.sizes):
            column = axis("c", size.columns)[None]
            row = column if size.flat else axis("r", tried_rows(claim, size))[:, None]
            found = column
            for numbers in folds:
                known = zip(("r", "c", *_PARAMETERS), (row, found, *numbers), strict=True)
                value = value_of(after.header, expression, {k: np.asarray(v) for k, v in known})
                found = np.full_like(found, -1) if value is None else value
            if not (found == mapped(claim, row, column)).all():
                return Refusal(f"{name}: {layout} is not the claimed map")
    return None


def _free(arrays: Sequence[SharedArray], changed: Mapping[int, ArrayClaim]) -> list[ByteSpan]:
    """Where the texts may differ."""
    free: set[ByteSpan] = set()
    for number, claim in changed.items():
        array = arrays[number]
        if claim.pad and not claim.constant:
            free.update((array.extents[-1], *(() if claim.row else array.rows)))
            free.update(at for use in array.uses for at in use.strides)
        new = [use for use in array.uses if use.indices and _written(use, claim)]
        free |= {index for use in new for index in rewritten(use, claim)}
    return sorted(free)


def _written(use: ArrayUse, claim: ArrayClaim) -> bool:
    """Whether the last index of a use is another one under a map."""
    same = claim.typed or bool(claim.constant)
    return not same and (use.flat or bool(claim.row) or not claim.pad)


def _rest(source: CxxSource, free: Sequence[ByteSpan]) -> bytes:
    at, parts = 0, []
    for span in sorted([*free, *_hints(source)]):
        parts.append(source.data[at : span.start])
        parts += [b"\0"] if span in free else []
        at = span.stop
    return b"".join((*parts, source.data[at:]))


def _hints(source: CxxSource) -> list[ByteSpan]:
    """Lines that ask for a loop to be unrolled: they change nothing that is computed."""
    found = (one for one in UNROLL.finditer(source.data) if _COUNT.fullmatch(one[1].strip()))
    lines = (ByteSpan(one.start(), one.end() + 1) for one in found if b"nounroll" not in one[0])
    return [line for line in lines if not _in_text(source, line)]


def _in_text(source: CxxSource, line: ByteSpan) -> bool:
    """Whether a line is a part of a string."""
    node = source.root.descendant_for_byte_range(line.start, line.stop)
    return "string" in node.type


def _proved(
    before: CxxSource, after: CxxSource, old: SharedArray, new: SharedArray, claim: ArrayClaim
) -> int | Refusal:
    for array in (old, new):
        if array.refusals:
            return array.refusals[0]
    if len(old.uses) != len(new.uses):
        return Refusal(f"{old.name} has {len(old.uses)} uses before and {len(new.uses)} after")
    wrong = _lengthened(before, after, old, new, claim) if claim.pad else _permuted(old, claim)
    if wrong:
        return Refusal(f"{old.name}: {wrong}")
    for size in set(claim.sizes):
        for number, (one, other) in enumerate(zip(old.uses, new.uses, strict=True)):
            if _shape(one) != _shape(other):
                return Refusal(f"{old.name}: another use", before.place(one.span.start))
            if not rows_moved(before, after, one, other, claim, size, number):
                why = f"{old.name}: {after.shown(other.span)}: the rows of a matrix are other ones"
                return Refusal(why, after.place(other.span.start))
            moves = one.indices and _written(one, claim)
            why = moved(before, after, one, other, claim, size) if moves else ""
            terms = moved_in_block if claim.folds else moved_in_row
            if (
                why
                and (size.flat or claim.row)
                and terms(before, after, one, other, claim, size, number)
            ):
                continue
            if why:
                return Refusal(f"{old.name}: {why}", before.place(one.span.start))
    return sum(not use.size for use in old.uses)


def _shape(use: ArrayUse) -> tuple[object, ...]:
    """What of a use an edit of its indices leaves as it is."""
    return len(use.indices), use.kept, use.size, use.flat, use.scale, len(use.strides)


def _permuted(old: SharedArray, claim: ArrayClaim) -> str:
    """Why a map cannot be applied to all uses of an array; empty if it can."""
    if any(use.strides for use in old.uses):
        return "rows of a matrix that wmma moves have no swizzle"
    pinned = next((use.pinned for use in old.uses if use.pinned and not claim.typed), "")
    wrong = (keeps(claim, size) or aligned(claim, size) for size in set(claim.sizes))
    return pinned or next(filter(None, wrong), "")


def _lengthened(
    before: CxxSource, after: CxxSource, old: SharedArray, new: SharedArray, claim: ArrayClaim
) -> str:
    """Why the last extent of several is not the old one and the pad; empty if it is, and nothing
    asks for the size or counts rows for itself."""
    if claim.row:
        return _longer_in_one(before, after, old, new, claim)
    for size in claim.sizes:
        if size.flat or claim.pad * size.element_bytes % size.kept_bytes or size.aligned:
            return f"a pad of {claim.pad} breaks what is moved together"
    if any(use.size for use in old.uses) or old.fixed or old.unsized:
        return "its size is asked for, or is not its own"
    both = [one.extents[-1:] + one.rows for one in (old, new)]
    if len(both[0]) != len(both[1]):
        return "other pointers to its rows have a type that says how long they are"
    if claim.constant:
        return _same_length(
            [before.of(one) for one in both[0]] + [after.of(one) for one in both[1]]
        )
    for then, now in zip(*both, strict=True):
        text, grown = before.of(then), after.of(now)
        if grown != f"{text} + {claim.pad}" or _loose(before, then):
            return f"rows of {text} and {claim.pad} are not rows of {grown}"
    return ""


def _same_length(texts: Sequence[str]) -> str:
    """Why rows that a constant makes longer are not as long wherever a type says how long."""
    told = sorted({" ".join(one.split()) for one in texts})
    return "" if len(told) == 1 else f"rows of {told[0]} are not rows of {told[1]}"


def _longer_in_one(
    before: CxxSource, after: CxxSource, old: SharedArray, new: SharedArray, claim: ArrayClaim
) -> str:
    """Why an array, or each of its rows, has no room for a pad behind every part of it; empty if it
    has, and nothing asks for its size or begins inside it."""
    pinned = next((use.pinned for use in old.uses if use.pinned), "")
    if pinned or old.fixed or old.unsized or old.piece or any(use.size for use in old.uses):
        return pinned or "its size is asked for, or is not its own"
    text = bare(before, old.extents[-1])
    for size in claim.sizes:
        units = (claim.row * size.element_bytes, claim.pad * size.element_bytes)
        parted = not size.flat and (size.columns % claim.row or old.rows or claim.constant)
        if parted or size.aligned or any(n % size.kept_bytes for n in units):
            return f"a pad of {claim.pad} behind every {claim.row} breaks what is moved together"
        if claim.constant:
            if size.columns % claim.row or before.of(old.extents[-1]) != after.of(new.extents[-1]):
                return f"{after.shown(new.extents[-1])} is no row of {claim.row} times a number"
            continue
        names = {} if text.isdecimal() else {text: np.asarray([size.columns])}
        long = value_at(after, new.extents[-1], names)
        last = np.asarray([size.columns * size.element_bytes - size.element_bytes])
        rows = size.columns + size.columns // claim.row * claim.pad
        if long is None or not (size.flat or (long == rows).all()):
            return f"{after.shown(new.extents[-1])} is not as long"
        if (long * size.element_bytes <= across(claim, size, last)).any():
            return f"{after.shown(new.extents[-1])} is no room for it"
    return ""


def _loose(source: CxxSource, extent: ByteSpan) -> bool:
    """Whether an extent binds more loosely than a sum, also what its macros stand for."""
    for node in walk(source.root):
        if (node.start_byte, node.end_byte) == (extent.start, extent.stop) and node.is_named:
            return (
                node.type == "conditional_expression"
                or (
                    node.type == "binary_expression"
                    and node.children[1].type not in ("*", "/", "%", "+", "-")
                )
                or macros_bind_loosely(source, source.of(node))
            )
    return True
