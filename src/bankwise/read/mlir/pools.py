"""Byte pools: one buffer of bytes in which views at fixed places are the real allocations.

    %pool = memref.alloc() : memref<9216xi8, ..>
    %a = memref.view %pool[%c0][] : .. to memref<64x36xf16, ..>        bytes 0 .. 4607
    %b = memref.view %pool[%c4608][] : .. to memref<64x36xf16, ..>     bytes 4608 .. 9215

Views that share no byte are allocations of their own, each with its element type and its layout;
views of the same bytes and type are one. A pool whose views overlap otherwise is one allocation, as
is one that anything else looks at.
"""

from __future__ import annotations

from collections.abc import Callable

from iree.compiler import ir

from bankwise.identity import ByIdentity
from bankwise.read.mlir.views import View, is_workgroup, size_bytes, whole_allocation

_POOLS = frozenset({"memref.alloc", "memref.alloca"})
_ALIGNED_BYTES = 16
"""Where a part must begin, so that what is aligned in it is aligned in the pool, for any access."""


class Pool(ByIdentity, frozen=True, eq=False):
    """A pool in parts. ``parts``: the views of each, in the order of their places; ``rest_bytes``:
    bytes of no view."""

    op: ir.Operation
    parts: tuple[tuple[ir.Operation, ...], ...]
    rest_bytes: int

    @property
    def views(self) -> tuple[ir.Value, ...]:
        """All of its views."""
        return tuple(view.results[0] for views in self.parts for view in views)

    @property
    def packed(self) -> tuple[tuple[int, ...], int]:
        """Where its parts begin at least, in their order, and the bytes of all of them."""
        return self.placed(_size)

    def placed(self, size: Callable[[ir.Operation], int]) -> tuple[tuple[int, ...], int]:
        """The same if its parts have other sizes; ``size``: bytes of a view."""
        places, end = [], 0
        for views in self.parts:
            places.append(-(-end // _ALIGNED_BYTES) * _ALIGNED_BYTES)
            end = places[-1] + size(views[0])
        return tuple(places), end

    def part(self, view: ir.Operation) -> ir.Operation | None:
        """The first view of the bytes that ``view`` shows; None if it is no view of this pool."""
        return next((views[0] for views in self.parts if view in views), None)


class _ViewRange(ByIdentity, frozen=True, eq=False):
    """The bytes of one view."""

    start: int
    end: int
    op: ir.Operation

    def __str__(self) -> str:
        return f"{_spelled(self.op)} (bytes {self.start:,} to {self.end - 1:,})"


def pool_of(op: ir.Operation) -> Pool | None:
    """The pool that ``op`` allocates, or is a view of; None where it is an allocation as a whole.

    Only the text is asked: a pool of a known size, all uses of which are views at constant places.
    """
    if op.name == "memref.view":
        source = op.operands[0].owner
        return None if isinstance(source, ir.Block) else pool_of(source.operation)
    found = _pool(op)
    return found if isinstance(found, Pool) else None


def undivided(op: ir.Operation) -> str:
    """Why an allocation with views of bytes is no pool in parts; empty if it is, or has none."""
    found = _pool(op)
    return found if isinstance(found, str) else ""


def _pool(op: ir.Operation) -> Pool | str | None:
    """The pool that ``op`` allocates, or why it is in no parts; None where it has no byte views."""
    if op.name not in _POOLS or not is_workgroup(op.results[0].type):
        return None
    of = op.results[0].type
    users = [use.owner.operation for use in op.results[0].uses]
    # MLIR lists the last use first; a part is named by its first view.
    views = [user for user in reversed(users) if user.name == "memref.view"]
    others = [user.name for user in users if user not in views and user.name != "memref.dealloc"]
    if not views:
        return None
    if others:
        return f"{others[0]} uses all of its bytes, beside views of them"
    if not of.has_static_shape:
        return "it has no fixed size, and views"
    ranges: list[_ViewRange] = []
    for view in views:
        found = _range(view, of.shape[0])
        if isinstance(found, str):
            return f"its view {_spelled(view)} {found}"
        ranges.append(found)
    return _divided(op, ranges, of.shape[0])


def part_of(op: ir.Operation) -> ir.Operation | None:
    """The view that stands for the part of a pool that ``op`` is a view of; None if it is none."""
    pool = pool_of(op) if op.name == "memref.view" else None
    return None if pool is None else pool.part(op)


def _divided(op: ir.Operation, ranges: list[_ViewRange], size: int) -> Pool | str:
    """The pool in parts; or which views overlap that are not alike."""
    parts: list[list[_ViewRange]] = []
    for each in sorted(ranges, key=lambda each: each.start):
        last = parts[-1][0] if parts else None
        if last is None or last.end <= each.start:
            parts.append([each])
        elif (last.start, last.op.results[0].type) == (each.start, each.op.results[0].type):
            parts[-1].append(each)
        else:
            both = f"{last} and {each}"
            return f"its views {both} overlap: what is stored by one may be read by the other"
    used = sum(part[0].end - part[0].start for part in parts)
    return Pool(op, tuple(tuple(each.op for each in part) for part in parts), size - used)


def _range(view: ir.Operation, pool: int) -> _ViewRange | str:
    """The bytes of a view; why not where they are not known, or not whole rows of aligned elements
    inside of a pool of so many bytes."""
    start, size = place_of(view), _size(view)
    if start is None:
        return "begins where only a run can tell"
    if not size:
        return "has no fixed size, or elements of unknown bytes"
    if start < 0 or start + size > pool:
        return f"(bytes {start:,} to {start + size - 1:,}) does not lie in its {pool:,} bytes"
    if start % _ALIGNED_BYTES:
        return f"begins at byte {start:,}, no multiple of {_ALIGNED_BYTES}"
    return _ViewRange(start, start + size, view)


def _size(view: ir.Operation) -> int:
    """Bytes of a view of a static shape; 0 where they are not known."""
    if not view.results[0].type.has_static_shape:
        return 0
    whole = whole_allocation("", view.results[0].type, ())
    return (size_bytes(whole) if isinstance(whole, View) else None) or 0


def _spelled(view: ir.Operation) -> str:
    """The type of a view without its memory space."""
    return str(view.results[0].type).partition(",")[0].rstrip(">") + ">"


def place_of(view: ir.Operation) -> int | None:
    """The byte at which a memref.view begins; None where that is no constant."""
    value = view.operands[1]
    if isinstance(value.owner, ir.Block):
        return None
    op = value.owner.operation
    attribute = op.attributes["value"] if op.name == "arith.constant" else None
    return int(attribute.value) if isinstance(attribute, ir.IntegerAttr) else None
