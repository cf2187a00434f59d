"""One classifier: may this swizzle hint stand on this allocation?

:mod:`~bankwise.change.passes.decide` asks before it emits a hint,
:mod:`~bankwise.change.passes.resolve` before it turns one into arithmetic, and ``check`` to find
hints that a compiler would drop. It is one function, so that no hint is ever emitted that cannot be
resolved. Nothing is inferred from names: every condition is checked on the elements that all
threads touch.

1. the numbers are sound: a group divides a row, a row the stride
2. the map is a bijection: an XOR needs a power of two of groups; whole rows fill the allocation
3. every user is an ordinary load or store of one vector; copies to shared memory are not
4. no access straddles a group, except from a group's first element on for whole groups
5. all accesses of the allocation go through one map: hints that count from different places (a
   shifted view), or an access beside the hint, must send every element touched to the same place
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from iree.compiler import ir

from bankwise.counting.access import IntArray, distinct
from bankwise.errors import Location, Refusal
from bankwise.hardware.machine import AccessKind
from bankwise.identity import ByIdentity
from bankwise.read.mlir.extract import SharedAccess
from bankwise.read.mlir.swizzle_hint import SwizzleHint

RESOLVED = frozenset({"vector.load", "vector.store"})
"""The operations whose addresses a hint changes, in IREE 3.13.0 and here."""


class HintedUse(ByIdentity, frozen=True, eq=False):
    """One access of an allocation, before any swizzle, and the hint that it goes through.

    ``elements``: int64 [accesses], first elements from the start of the allocation, of all active
    threads; ``span``: contiguous elements of each. ``base``: the element from which the hint
    counts. ``whole``: these are all elements of the operation, not a part of scattered ones.
    """

    operation: str
    kind: AccessKind
    location: Location
    elements: IntArray
    span: int
    hint: SwizzleHint | None
    base: int = 0
    whole: bool = True

    def places(self, elements: IntArray) -> IntArray:
        """Where this access puts elements of the allocation."""
        if self.hint is None:
            return elements
        return self.base + self.hint.place(elements - self.base)


def use_of(site: SharedAccess, hint: SwizzleHint | None, base: int = 0) -> HintedUse:
    """The use that an access of a kernel without swizzles makes."""
    access = site.access
    touched = [p.offsets_bytes[p.active] // access.element_bytes for p in access.patterns]
    return HintedUse(
        access.operation,
        access.kind,
        access.location,
        distinct(np.concatenate(touched)),
        access.width_bytes // access.element_bytes,
        hint,
        base,
        site.first_element == 0 and site.vector_elements == _vector_elements(site),
    )


def _vector_elements(site: SharedAccess) -> int:
    of = site.op.results[0].type if len(site.op.results) else site.op.operands[0].type
    return prod(of.shape) if isinstance(of, ir.VectorType) else site.vector_elements


def why_not(name: str, elements: int, uses: Sequence[HintedUse]) -> Refusal | None:
    """Why the hints of ``uses`` may not stand on the allocation ``name`` of so many elements.

    ``uses`` are all accesses of the allocation. None if they may: then :mod:`.resolve` can.
    """
    hinted = [use for use in uses if use.hint is not None]
    for use in hinted:
        assert use.hint is not None
        reason = unsound(use.hint) or _not_whole(use.hint, elements, use.base)
        if reason:
            return Refusal(f"{name}: {use.hint}: {reason}", use.location)
    for use in uses:
        reason = _straddles(use) if use.hint else ""
        if reason:
            return Refusal(f"{name}: {use.operation}: {reason}", use.location)
    return _several_maps(name, uses, hinted)


def unsound(hint: SwizzleHint) -> str:
    """Why the numbers of a hint make no bijection; empty if they do."""
    if hint.row < 1 or hint.access < 1:
        return "a row and a group have at least one element"
    groups = hint.row // hint.access
    if hint.row % hint.access or hint.stride % hint.row or not 1 <= hint.per_phase <= groups:
        return "a group must divide the row, the row the stride, and a phase at most one cycle"
    if not hint.rotates and groups & (groups - 1):
        first, second = collision(hint)
        place = int(hint.place(np.array([first]))[0])
        return (
            f"{groups} groups are no power of two, so this is no bijection: elements {first} and "
            f"{second} both go to {place}"
        )
    return ""


def collision(hint: SwizzleHint) -> tuple[int, int]:
    """Two elements that a hint, which is no bijection, sends to one place."""
    places = hint.place(np.arange(period(hint)))
    first: dict[int, int] = {}
    for element, place in enumerate(places.tolist()):
        if place in first:
            return first[place], element
        first[place] = element
    raise AssertionError(f"{hint} is a bijection")


def period(hint: SwizzleHint) -> int:
    """Elements after which the pattern of a hint repeats."""
    groups = hint.row // hint.access
    return hint.row * groups if hint.rotates else hint.stride * hint.per_phase * groups


def dropped_by_iree(use: HintedUse) -> bool:
    """Whether iree-base-compiler 3.13.0 drops the hint because of this use, with exit code 0."""
    if use.hint is None or use.kind == "dma":
        return False
    return use.operation not in RESOLVED or bool(use.span % use.hint.access)


def _not_whole(hint: SwizzleHint, elements: int, base: int) -> str:
    if (elements - base) % hint.row or base % hint.access:
        return f"{elements - base} elements from {base} on are not whole rows of {hint.row}"
    return ""


def _straddles(use: HintedUse) -> str:
    """Rules 3 and 4 for one access."""
    assert use.hint is not None
    if use.kind == "dma":
        return "a copy in lane order cannot follow a swizzle; `dma-swizzle` permutes its source"
    if use.operation not in RESOLVED:
        return f"{use.hint} is applied to vector.load and vector.store alone"
    if not use.whole:
        return "the elements of its vector do not lie one behind the other"
    inside = (use.elements - use.base) % use.hint.access
    if use.span % use.hint.access == 0 and not inside.any():
        return ""
    if bool((inside + use.span > use.hint.access).any()):
        return f"{use.span} elements do not begin and end at whole groups of {use.hint.access}"
    return ""


def _several_maps(
    name: str, uses: Sequence[HintedUse], hinted: Sequence[HintedUse]
) -> Refusal | None:
    if not hinted:
        return None
    leader = hinted[0]
    for use in uses:
        touched = (use.elements[:, None] + np.arange(use.span)).ravel()
        here, there = leader.places(touched), use.places(touched)
        if (here != there).any():
            at = int((here != there).argmax())
            reason = (
                f"{name}: {use.operation} finds element {touched[at]} at {there[at]}, another "
                f"access at {here[at]}: not all accesses go through one map"
            )
            return Refusal(reason, use.location)
    return None
