"""The parallel walk: two modules that are one program, except for what may differ.

Integer arithmetic is only numbered (:mod:`.numbering`). All that remains, in order, has a partner:
same name, attributes, types, regions, and operands of the same numbers. What differs otherwise is
the one reason why nothing is proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from iree.compiler import ir
from msgspec import Struct, field

from bankwise.change.prove.numbering import Definition, Numbering, is_arithmetic, properties
from bankwise.change.prove.parts import PartsError, in_parts
from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.read.mlir.module import Opened


class MayDiffer(ByIdentity, frozen=True, eq=False):
    """What an edit may change in the text before.

    ``operands``: numbers of operands, by operation. ``types``: values whose memref type may change
    in its sizes and strides. ``parts``: loads and stores that may be issued in parts.
    """

    operands: Mapping[ir.Operation, frozenset[int]]
    types: frozenset[ir.Value]
    parts: frozenset[ir.Operation] = frozenset()


class PairedModules(ByIdentity, frozen=True, eq=False):
    """Two modules that differ only where they may: the numbers of their values, and the partner of
    every operation of :attr:`MayDiffer.operands`, every value of :attr:`MayDiffer.types`, in the
    text after."""

    numbering: Numbering
    partners: Mapping[ir.Operation, ir.Operation]
    resized: Mapping[ir.Value, ir.Value]


class _DifferError(Exception):
    """The two texts are not one program; ``op``: where, in the text before."""

    def __init__(self, reason: str, op: ir.Operation | None) -> None:
        super().__init__(reason)
        self.op = op


def pair(before: Opened, after: Opened, may_differ: MayDiffer) -> PairedModules | Refusal:
    """Walk both modules side by side; a Refusal names the first difference."""
    if _resources(before) != _resources(after):
        return Refusal("the resources behind the two texts differ")
    walk = _SideBySide(may_differ)
    try:
        walk.operation(before.module.operation, after.module.operation)
    except _DifferError as error:
        where = None if error.op is None else before.location_of(error.op)
        return Refusal(f"the two texts differ where they may not: {error}", where)
    return PairedModules(walk.numbering, walk.partners, walk.resized)


def _resources(opened: Opened) -> str:
    """The data of a text that its attributes only name."""
    return opened.source.parsed.partition("{-#")[2]


class _SideBySide(Struct, eq=False):
    may_differ: MayDiffer
    numbering: Numbering = field(default_factory=Numbering)
    partners: dict[ir.Operation, ir.Operation] = field(default_factory=dict)
    resized: dict[ir.Value, ir.Value] = field(default_factory=dict)

    def operation(self, before: ir.Operation, after: ir.Operation) -> None:
        """Compare two operations and all inside; number their results together."""
        if before.name != after.name:
            raise _DifferError(f"{before.name} became {after.name}", before)
        if self.numbering.attributes(before) != self.numbering.attributes(after):
            raise _DifferError(f"the attributes of {before.name} changed", before)
        if properties(before) != properties(after):
            raise _DifferError(f"the properties of {before.name} changed", before)
        self._operands(before, after)
        self._values(before, list(before.results), list(after.results))
        self._regions(before, after)

    def _operands(self, before: ir.Operation, after: ir.Operation) -> None:
        claimed = before in self.may_differ.operands
        free = self.may_differ.operands[before] if claimed else frozenset()
        ours, theirs = (self.numbering.operands(op) for op in (before, after))
        if len(ours) != len(theirs):
            raise _DifferError(f"{before.name} has another number of operands", before)
        for place, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            if one < 0 or other < 0:
                raise _DifferError(f"{before.name} uses a value of a later block", before)
            if one != other and place not in free:
                raise _DifferError(f"operand {place} of {before.name} is another value", before)
        if claimed:
            self.partners[before] = after

    def _values(
        self,
        op: ir.Operation,
        ours: list[ir.Value],
        theirs: list[ir.Value],
        block: int | None = None,
    ) -> None:
        if len(ours) != len(theirs):
            raise _DifferError(f"{op.name} has another number of values", op)
        operands = self.numbering.operands(op)
        for place, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            if not self._same_type(one, other):
                raise _DifferError(f"a type of {op.name} changed", op)
            self.numbering.together(Definition(op, place, operands, block), one, other)

    def _same_type(self, one: ir.Value, other: ir.Value) -> bool:
        if one in self.may_differ.types:
            self.resized[one] = other
            return _resized(one.type, other.type)
        return self.numbering.text(one.type) == self.numbering.text(other.type)

    def _regions(self, before: ir.Operation, after: ir.Operation) -> None:
        if len(before.regions) != len(after.regions):
            raise _DifferError(f"{before.name} has another number of regions", before)
        number = 0
        for ours, theirs in zip(before.regions, after.regions, strict=True):
            blocks, others = list(ours.blocks), list(theirs.blocks)
            if len(blocks) != len(others):
                raise _DifferError(f"{before.name} has another number of blocks", before)
            for one, other in zip(blocks, others, strict=True):
                self._values(before, list(one.arguments), list(other.arguments), number)
                number += 1
            places = {block: n for n, block in enumerate((*blocks, *others))}
            for one, other in zip(blocks, others, strict=True):
                self._block(one, other, places, len(blocks))

    def _block(
        self, before: ir.Block, after: ir.Block, places: dict[ir.Block, int], count: int
    ) -> None:
        kept, theirs = self._kept(before), self._kept(after, after=True)
        while True:
            other = next(theirs, None)
            one = self._partner(kept, other)
            if one is None and other is None:
                return
            if one is None or other is None:
                only, which = (one, "gone") if other is None else (other, "new")
                assert only is not None, "one of them is there"
                owner = one if other is None else before.owner.operation
                raise _DifferError(f"{only.name} is {which}", owner)
            ours = [places[block] for block in one.successors]
            if ours != [places[block] - count for block in other.successors]:
                raise _DifferError(f"{one.name} goes to another block", one)
            if one in self.may_differ.parts and one.name != other.name:
                self._in_parts(one, other, theirs)
            else:
                self.operation(one, other)

    def _in_parts(
        self, one: ir.Operation, first: ir.Operation, rest: Iterator[ir.Operation]
    ) -> None:
        try:
            loaded = in_parts(one, first, rest, self.numbering)
        except PartsError as error:
            raise _DifferError(str(error), one) from error
        self._values(one, list(one.results), [] if loaded is None else [loaded])

    def _kept(self, block: ir.Block, *, after: bool = False) -> Iterator[ir.Operation]:
        """The operations of a block without its integer arithmetic, which is numbered on the way.

        Each is numbered before the next one is asked for, so that operands have their numbers.
        """
        for view in block.operations:
            op = view.operation
            if not is_arithmetic(op):
                yield op
            elif -1 in self.numbering.operands(op):
                raise _DifferError(f"{op.name} uses a value of a later block", None)
            else:
                self.numbering.arithmetic(op, after=after)

    def _partner(
        self, kept: Iterator[ir.Operation], other: ir.Operation | None
    ) -> ir.Operation | None:
        """The next operation of the text before that has ``other`` as its partner, or none."""
        for op in kept:
            if self._alike(op, other) or not self._shows_rows(op):
                return op
            self.numbering.same(op.results[0], op.operands[0])
        return None

    def _alike(self, one: ir.Operation, other: ir.Operation | None) -> bool:
        """Whether both do the same, whatever to."""
        if other is None or one.name != other.name:
            return False
        return self.numbering.attributes(one) == self.numbering.attributes(other)

    def _shows_rows(self, op: ir.Operation) -> bool:
        """Whether it shows what is used of rows that are said to be padded: the text after, whose
        rows end there, needs no such view. Where an access goes is each text's own arithmetic."""
        if op.name != "memref.subview" or op.results[0] not in self.may_differ.types:
            return False
        offsets, strides = (list(op.attributes[f"static_{n}"]) for n in ("offsets", "strides"))
        rank = ir.MemRefType(op.results[0].type).rank
        plain = len(op.operands) == 1 and rank == len(offsets)
        return plain and not any(offsets) and all(stride == 1 for stride in strides)


def _resized(one: ir.Type, other: ir.Type) -> bool:
    """Whether two memref types differ in sizes and strides alone."""
    if not (isinstance(one, ir.MemRefType) and isinstance(other, ir.MemRefType)):
        return False
    return (
        one.rank == other.rank
        and str(one.element_type) == str(other.element_type)
        and str(one.memory_space) == str(other.memory_space)
    )
