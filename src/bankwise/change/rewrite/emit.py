"""New lines of MLIR for a rewritten kernel: where they may stand, and never the same value twice.

An :class:`Emitter` collects insertions into the user's text. A new value is placed right behind
the last of its operands, so that it stands outside every loop it need not be in; a value that was
already emitted at a place that dominates the new use is used again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable

from iree.compiler import ir
from msgspec import Struct, field

from bankwise.change.rewrite.operand_text import code_of, indentation, result_name, statement_start
from bankwise.read.mlir.source import Edit

Offset = Callable[[ir.Operation], int | None]
"""Where an operation's name begins in the user's text; None if it is not written there."""


_PURE = ("affine.", "arith.")
"""Dialects whose operations compute the same from the same operands."""


class Anchor(Struct, frozen=True):
    """A place in the program: behind ``after`` in ``block``, or at its beginning (None)."""

    block: ir.Block
    after: ir.Operation | None


class Emitter(Struct):
    """Insertions into one kernel's text (the user's); ``offset`` finds operations in it."""

    text: str
    offset: Offset
    prefix: str = "swz"
    edits: list[Edit] = field(default_factory=list)
    code: str = ""
    _made: dict[Hashable, list[tuple[Anchor, str]]] = field(default_factory=dict)
    _names: int = 0
    _taken: frozenset[str] = frozenset()
    _line_end: str = "\n"

    def __post_init__(self) -> None:
        self.code = code_of(self.text)
        self._taken = frozenset(re.findall(rf"%{self.prefix}\d+(?![\w$.\-])", self.code))
        self._line_end = "\r\n" if "\r\n" in self.text else "\n"

    def value(
        self, key: Hashable, anchor: Anchor, use: ir.Operation, line: str, *, results: int = 1
    ) -> str:
        """The name of the value that ``line`` (an operation without result name) computes.

        ``key``: equal keys are equal values. ``anchor``: where the line may stand at the earliest;
        ``use``: the operation that needs it. Of several ``results`` the name is that of all.
        """
        for known, name in self._made.get(key, ()):
            if dominates(known, use):
                return name
        name = self._fresh()
        many = f":{results}" if results > 1 else ""
        self._insert(anchor, f"{name}{many} = {line}")
        self._made.setdefault(key, []).append((anchor, name))
        return name

    def mark(self) -> tuple[int, dict[Hashable, list[tuple[Anchor, str]]]]:
        """The present state, for :meth:`back_to`."""
        return len(self.edits), {key: list(made) for key, made in self._made.items()}

    def back_to(self, mark: tuple[int, dict[Hashable, list[tuple[Anchor, str]]]]) -> None:
        """Forget every edit made since :meth:`mark`."""
        count, self._made = mark
        del self.edits[count:]

    def replace(self, start: int, end: int, replacement: str) -> None:
        """Replace ``text[start:end]``."""
        self.edits.append(Edit(start, end, replacement))

    def before(self, use: ir.Operation) -> Anchor:
        """The place right before ``use``."""
        previous = None
        for op in use.block.operations:
            if op.operation == use:
                return Anchor(use.block, previous)
            previous = op.operation
        raise AssertionError("an operation is in its own block")

    def name_of(self, op: ir.Operation) -> str:
        """The user's name of the only result of ``op``; empty if the text does not show one."""
        offset = self.offset(op)
        return "" if offset is None else result_name(self.code, offset)

    def key_of(self, value: ir.Value) -> Hashable:
        """A key that is equal for values computed in the same way from the same values."""
        if isinstance(value.owner, ir.Block):
            return (self.offset(value.owner.owner.operation), ir.BlockArgument(value).arg_number)
        op = value.owner.operation
        number = ir.OpResult(value).result_number
        if not op.name.startswith(_PURE):
            return (self.offset(op), number)
        attributes = tuple((name, str(op.attributes[name])) for name in op.attributes)
        return (op.name, attributes, number, *map(self.key_of, op.operands))

    def _fresh(self) -> str:
        while True:
            name = f"%{self.prefix}{self._names}"
            self._names += 1
            if name not in self._taken:
                return name

    def _insert(self, anchor: Anchor, line: str) -> None:
        following = _following(anchor)
        offset = self.offset(following)
        assert offset is not None, "the operations of a kernel are written in its text"
        start = statement_start(self.code, offset)
        indent = indentation(self.text, start)
        self.edits.append(Edit(start, start, f"{line}{self._line_end}{indent}"))


def anchor_of(value: ir.Value) -> Anchor:
    """Where a value is defined."""
    if isinstance(value.owner, ir.Block):
        return Anchor(value.owner, None)
    op = value.owner.operation
    return Anchor(op.block, op)


def later(a: Anchor, b: Anchor) -> Anchor:
    """The later of two places of which one dominates the other."""
    if a.block != b.block:
        return a if _ancestor(a.block, b.block) else b
    if a.after is None or b.after is None:
        return a if b.after is None else b
    return b if a.after.is_before_in_block(b.after) else a


def dominates(anchor: Anchor, use: ir.Operation) -> bool:
    """Whether a value placed at ``anchor`` may be used by ``use``."""
    inside = _ancestor_in(use, anchor.block)
    if inside is None or anchor.after is None:
        return inside is not None
    return inside != anchor.after and bool(anchor.after.is_before_in_block(inside))


def _following(anchor: Anchor) -> ir.Operation:
    if anchor.after is None:
        return anchor.block.operations[0].operation
    found = False
    for op in anchor.block.operations:
        if found:
            return op.operation
        found = op.operation == anchor.after
    raise AssertionError("a value is never defined by a block's last operation")


def _ancestor(inner: ir.Block, outer: ir.Block) -> bool:
    """Whether ``inner`` lies (strictly) inside ``outer``."""
    return _ancestor_in(inner.owner.operation, outer) is not None


def _ancestor_in(op: ir.Operation, block: ir.Block) -> ir.Operation | None:
    """The operation of ``block`` that is ``op`` or holds it; None if there is none."""
    current = op
    # Only what has a parent is asked for its block: the bindings crash on the outermost module.
    while (parent := current.parent) is not None:
        if current.block == block:
            return current
        current = parent.operation
    return None
