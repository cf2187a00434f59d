"""Value numbering: values of two modules that are computed alike have the same number.

Integer arithmetic, thread and workgroup ids and constants are numbered by what they compute: where
such an operation stands, and how often, means nothing. Every other result is numbered by the one
who walks both modules (:mod:`.pairing`), once for the two operations that are partners.
"""

from __future__ import annotations

from collections.abc import Hashable

from iree.compiler import ir
from msgspec import Struct, field

from bankwise.identity import ByIdentity
from bankwise.read.mlir.indexing import INDEX_BITS, asks_for_threads, exchanges, integer_bits

_ARITHMETIC = ("arith.", "index.")
_AFFINE = frozenset(
    {
        *("affine.apply", "affine.min", "affine.max"),
        *("affine.delinearize_index", "affine.linearize_index"),
    }
)
_DIVISIONS = frozenset(
    f"{dialect}.{name}{suffix}"
    for name in ("divs", "divu", "ceildivs", "ceildivu", "floordivs", "rems", "remu")
    for dialect, suffix in (("arith", "i"), ("index", ""))
)
_PROMISES = ("upper_bound", "isExact", "nonNeg")
_DYNAMIC = -(2**63)


class Definition(ByIdentity, frozen=True, eq=False):
    """How a number is made: result ``place`` of ``op`` from the numbers ``operands``.

    ``block``: not a result but an argument, of block so-and-so of all in the regions of ``op``.
    ``op`` is one of the operations that make it; all others do the same.
    """

    op: ir.Operation
    place: int
    operands: tuple[int, ...] = ()
    block: int | None = None


class Numbering(Struct):
    """The numbers of all values seen so far. An operand's number is below that of a result.

    ``added``: those of arithmetic that only the text after has.
    """

    definitions: list[Definition] = field(default_factory=list)
    added: set[int] = field(default_factory=set)
    _of: dict[ir.Value, int] = field(default_factory=dict)
    _arithmetic: dict[Hashable, int] = field(default_factory=dict)
    _texts: dict[ir.Attribute | ir.Type, str] = field(default_factory=dict)

    def of(self, value: ir.Value) -> int:
        """The number of a value that was numbered; -1 for one that was not."""
        return self._of.get(value, -1)

    def operands(self, op: ir.Operation) -> tuple[int, ...]:
        """The numbers of the operands."""
        return tuple(self._of.get(value, -1) for value in op.operands)

    def attributes(self, op: ir.Operation) -> tuple[tuple[str, str], ...]:
        """All attributes as text, in the order of their names: contexts differ, texts compare."""
        found = op.attributes
        return tuple((name, self.text(found[name])) for name in sorted(found))

    def text(self, attribute: ir.Attribute | ir.Type) -> str:
        """An attribute or a type as text, printed once."""
        known = self._texts.get(attribute)
        if known is None:
            known = self._texts[attribute] = str(attribute)
        return known

    def arithmetic(self, op: ir.Operation, *, after: bool = False) -> None:
        """Number the results of an operation that :func:`is_arithmetic`, of either text."""
        operands = self.operands(op)
        types = tuple(str(result.type) for result in op.results)
        # The width of a comparison is that of its operands.
        first = str(op.operands[0].type) if operands else ""
        more = properties(op) if op.name in _AFFINE else ""
        key = (op.name, self.attributes(op), more, operands, types, first)
        start = self._arithmetic.get(key)
        if start is None:
            start = self._arithmetic[key] = len(self.definitions)
            for place in range(len(types)):
                self.definitions.append(Definition(op, place, operands))
            if after:
                self.added.update(range(start, start + len(types)))
        if not after:
            self.added.difference_update(range(start, start + len(types)))
        for place, value in enumerate(op.results):
            self._of[value] = start + place

    def same(self, value: ir.Value, other: ir.Value) -> None:
        """Give ``value`` the number of ``other``."""
        self._of[value] = self._of[other]

    def together(self, definition: Definition, *values: ir.Value) -> None:
        """Give all of ``values`` one new number."""
        for value in values:
            self._of[value] = len(self.definitions)
        self.definitions.append(definition)


def properties(op: ir.Operation) -> str:
    """The properties of an operation as MLIR prints them: not all of them are attributes."""
    printed = op.get_asm(print_generic_op_form=True, skip_regions=True, use_local_scope=True)
    return str(printed).partition(" <{")[2].rpartition("}>")[0]


def is_arithmetic(op: ir.Operation) -> bool:
    """Whether only the operands and the thread decide the results, and executing it is harmless.

    A division whose divisor is no constant is not: it may be by zero.
    """
    name = op.name
    if name in _AFFINE:
        return not _divides_by_value(op)
    if name.startswith(_ARITHMETIC):
        values = (*op.operands, *op.results)
        return all(integer_bits(v.type) is not None for v in values) and not _may_trap(op)
    # What another thread has depends on who executes it.
    return asks_for_threads(op) and not exchanges(op)


def promises(op: ir.Operation) -> bool:
    """Whether integer arithmetic says something of its operands, and has no result otherwise."""
    if any(name in op.attributes for name in _PROMISES):
        return True
    if op.name == "affine.linearize_index":
        return "disjoint" in properties(op)
    flags = str(op.attributes["overflowFlags"]) if "overflowFlags" in op.attributes else ""
    # What is of index type is taken as a mathematical integer, which does not wrap.
    return "nuw" in flags or ("nsw" in flags and not isinstance(op.results[0].type, ir.IndexType))


def _may_trap(op: ir.Operation) -> bool:
    return op.name in _DIVISIONS and constant_of(op.operands[1]) in (None, 0, -1)


def constant_of(value: ir.Value) -> int | None:
    """The number that a constant is; None for any other value."""
    if isinstance(value.owner, ir.Block):
        return None
    op = value.owner.operation
    if op.name not in ("arith.constant", "index.constant"):
        return None
    attribute = op.attributes["value"]
    return int(attribute.value) if isinstance(attribute, ir.IntegerAttr) else None


def _divides_by_value(op: ir.Operation) -> bool:
    """Whether an affine operation divides by what is no constant."""
    if "map" in op.attributes:
        return any(_by_value(e) for e in op.attributes["map"].value.results)
    return _DYNAMIC in op.attributes["static_basis"]


def _by_value(expression: ir.AffineExpr) -> bool:
    if not isinstance(expression, ir.AffineBinaryExpr):
        return False
    divides = isinstance(
        expression, ir.AffineModExpr | ir.AffineFloorDivExpr | ir.AffineCeilDivExpr
    )
    if divides and not isinstance(expression.rhs, ir.AffineConstantExpr):
        return True
    return _by_value(expression.lhs) or _by_value(expression.rhs)


def width_of(value: ir.Value) -> int:
    """Bits of an integer value; of ``index`` as many as bankwise evaluates."""
    return integer_bits(value.type) or INDEX_BITS
